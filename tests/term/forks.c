/* forks.c - Lua module `forks`: what a preforking server uses, and ways to fork that no handler
 * sees. */
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t by_clone(void) {
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* In a thread of its own: the child goes on there, while the parent's has ended. */
static lua_State *state;
static int child_status;

static void *in_thread(void *pid) {
    if ((*(pid_t *)pid = fork()) == 0) {
        child_status = lua_pcall(state, 0, 0, 0);
        if (child_status) write(2, lua_tostring(state, -1), strlen(lua_tostring(state, -1)));
        _exit(child_status ? 1 : 0);
    }
    return NULL;
}

/* thread(function): the child calls it, and ends. */
static int api_thread(lua_State *L) {
    pthread_t thread;
    pid_t pid = -1;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    state = L;
    if (pthread_create(&thread, NULL, in_thread, &pid) == 0) pthread_join(thread, NULL);
    lua_pushinteger(L, pid);
    return 1;
}

/* fork(["raw" | "clone"]): 0 in the child. */
static int api_fork(lua_State *L) {
    static const char *const names[] = {"fork", "raw", "clone", NULL};
    pid_t (*const ways[])(void) = {fork, _Fork, by_clone};
    int way = luaL_checkoption(L, 1, "fork", names);
    lua_pushinteger(L, ways[way]());
    return 1;
}

/* wait([pid]): pid, exit status, or the signal negative; nil where there is no child. */
static int api_wait(lua_State *L) {
    int status;
    pid_t pid;
    do
        pid = waitpid((pid_t)luaL_optinteger(L, 1, -1), &status, 0);
    while (pid < 0 && errno == EINTR);
    if (pid < 0) return 0;
    lua_pushinteger(L, pid);
    lua_pushinteger(L, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    return 2;
}

static int api_kill(lua_State *L) {
    lua_pushboolean(L,
                    kill((pid_t)luaL_checkinteger(L, 1), (int)luaL_optinteger(L, 2, SIGKILL)) == 0);
    return 1;
}

static int api_exit(lua_State *L) {
    _exit((int)luaL_optinteger(L, 1, 0));
}

static int api_pid(lua_State *L) {
    lua_pushinteger(L, getpid());
    return 1;
}

static int api_sleep(lua_State *L) {
    double s = luaL_checknumber(L, 1);
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    nanosleep(&t, NULL);
    return 0;
}

/* exec(program, arguments ...) */
static int api_exec(lua_State *L) {
    const char *argv[16] = {NULL};
    for (int i = 1; i <= lua_gettop(L) && i < 16; i++)
        argv[i - 1] = luaL_checkstring(L, i);
    execvp(argv[0], (char *const *)argv); /* NOLINT */
    return luaL_error(L, "%s: %s", argv[0], strerror(errno));
}

__attribute__((visibility("default"))) int luaopen_forks(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"fork", api_fork},   {"thread", api_thread}, {"wait", api_wait},
        {"kill", api_kill},   {"exit", api_exit},     {"pid", api_pid},
        {"sleep", api_sleep}, {"exec", api_exec},     {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
