/* attach_host.c - a program with Lua inside that knows nothing of lmp: each argument is a script
 * that a state of its own runs, in a thread of its own. With --closed first, a state is made and
 * closed before, and nothing else: then the program waits for its input to end. With --rests first,
 * as many states as there are scripts have run one each, and rest: only memory from malloc leads to
 * them; each line of the input has them call turn(), one after the other. With --over first, each
 * thread makes a state, runs its script and closes the state, over and over, until the input
 * ends. */
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *run(void *script) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    int failed = luaL_dofile(L, script);
    if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return failed ? "failed" : NULL;
}

/* Where a state was there is something else afterwards, and the next one is elsewhere. */
static void *run_over(void *script) {
    enum { BYTES = 100000 };
    char *full = NULL;
    while (!run(script)) {
        char *other = malloc(BYTES);
        if (other) memset(other, 'x', BYTES);
        free(full);
        full = other;
    }
    _exit(1);
}

/* Has script number i's state run the script, or turn(). */
__attribute__((noinline)) static int take_turn(lua_State **all, int i, const char *script) {
    if (script) {
        all[i] = luaL_newstate();
        luaL_openlibs(all[i]);
        return luaL_dofile(all[i], script);
    }
    lua_getglobal(all[i], "turn");
    return lua_pcall(all[i], 0, 0, 0);
}

static int rest(int n, char **script) {
    lua_State **all = calloc((size_t)n, sizeof(lua_State *));
    int bad = !all;
    char byte;
    for (int i = 0; !bad && i < n; i++)
        bad = take_turn(all, i, script[i]);
    while (!bad && read(STDIN_FILENO, &byte, 1) == 1)
        for (int i = 0; byte == '\n' && !bad && i < n; i++)
            bad = take_turn(all, i, NULL);
    return bad;
}

int main(int argc, char **argv) {
    pthread_t thread[8];
    char byte;
    int n = argc - 1 < 8 ? argc - 1 : 8, bad = 0;
    if (n && strcmp(argv[1], "--closed") == 0) {
        lua_close(luaL_newstate());
        puts("closed");
        fflush(stdout);
        return read(STDIN_FILENO, &byte, 1) < 0;
    }
    if (n && strcmp(argv[1], "--over") == 0) {
        for (int i = 1; i < n; i++)
            if (pthread_create(&thread[i], NULL, run_over, argv[i + 1])) return 2;
        while (read(STDIN_FILENO, &byte, 1) > 0)
            ;
        _exit(0);
    }
    if (n && strcmp(argv[1], "--rests") == 0) return rest(argc - 2, argv + 2);
    for (int i = 0; i < n; i++)
        if (pthread_create(&thread[i], NULL, run, argv[i + 1])) return 2;
    for (int i = 0; i < n; i++) {
        void *why;
        pthread_join(thread[i], &why);
        bad |= why != NULL;
    }
    return bad;
}
