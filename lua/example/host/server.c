/* server.c - a server of two threads, each with a Lua state of its own, that charges memory to what
 * was requested: lmp.h is called by the thread that runs the state.
 *
 *     cc server.c -o server $(pkg-config --cflags --libs lmp lua5.4) -pthread
 *     ./server [REQUESTS [OPTIONS]]      OPTIONS as lmp_start has them */
#include <lauxlib.h>
#include <lmp.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char script[] = "local cache = {}\n"
                             "function handle(path, n)\n"
                             "  local body = {}\n"
                             "  for i = 1, 50 do body[i] = path .. i end\n"
                             "  if path == '/page' then cache[n] = table.concat(body) end\n"
                             "  return #body\n"
                             "end\n";

typedef struct Worker {
    pthread_t thread;
    const char *options;
    int requests, handled;
    lmp_Figures figures;
    int err;
    char why[200]; /* lmp_why is of the thread that asks */
} Worker;

static void handle(lua_State *L, Worker *w, int n) {
    const char *path = n % 3 ? "/page" : "/status", *before;
    lmp_tag(L, path, &before); /* all that this request makes */
    lua_getglobal(L, "handle");
    lua_pushstring(L, path);
    lua_pushinteger(L, n);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK) w->handled++;
    lua_pop(L, 1);
    lmp_tag(L, before, NULL);
    lmp_frame(L, path, NULL);
}

static void *work(void *of) {
    Worker *w = of;
    lua_State *L = luaL_newstate();
    if (!L) return NULL;
    luaL_openlibs(L);
    w->err = lmp_start(L, w->options);
    if (w->err) snprintf(w->why, sizeof w->why, "%s", lmp_why());
    if (luaL_loadbuffer(L, script, sizeof script - 1, "=server.lua") == LUA_OK &&
        lua_pcall(L, 0, 0, 0) == LUA_OK)
        for (int n = 1; n <= w->requests; n++)
            handle(L, w, n);
    lmp_stop(L, &w->figures);
    lua_close(L);
    return NULL;
}

int main(int argc, char **argv) {
    Worker worker[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        worker[i].requests = argc > 1 ? atoi(argv[1]) : 2000;
        worker[i].options = argc > 2 ? argv[2] : NULL;
        if (pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0) return 1;
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(worker[i].thread, NULL);
        if (worker[i].err) fprintf(stderr, "server: %s\n", worker[i].why);
        printf("worker %d: %d requests, %.0f kB live at their end\n", i, worker[i].handled,
               (double)worker[i].figures.live_bytes / 1000);
    }
    return 0;
}
