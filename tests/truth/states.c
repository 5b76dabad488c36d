/* states.c - the life of profiles seen by a host: the Lua API (api.lua), states closed while they
 * are profiled, many states, threads, fork, and other people's allocators above and below. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>

#include "host.h"

static const char *module; /* directory */
static const char *scripts;

static bool play(Host *h, const char *chunk) {
    if (luaL_dostring(h->L, chunk) == LUA_OK) return true;
    host_error(h, "%s", lua_tostring(h->L, -1));
    lua_settop(h->L, 0);
    return false;
}

static const char work[] =
    "local t = {} for i = 1, 200 do t[i] = {i, 's' .. i, function() return i end}"
    " if i % 20 == 0 then t[i] = coroutine.wrap(function() end) end end"
    " check('work') keep = t collectgarbage('step')";

/* ---- one state ------------------------------------------------------------------------------- */

static int api(void) {
    Host h;
    char path[4096];
    snprintf(path, sizeof path, "%s/../api.lua", scripts);
    if (!host_open(&h, "api.lua", HH_PROFILED, OB_MALLOC, false, module)) return 1;
    if (luaL_dofile(h.L, path) != LUA_OK) host_error(&h, "%s", lua_tostring(h.L, -1));
    return host_close(&h); /* a profile runs */
}

/* lua_close with a profile running: frees that come after the module was closed must still be safe,
 * and every block must come back to us. */
static int closed_while_profiled(void) {
    int errors = 0;
    for (int i = 0; i < 20; i++) {
        Host h;
        if (!host_open(&h, "closed", HH_PROFILED, (OracleBack)(i % OB_BACKS), true, module))
            return 1;
        if (host_start(&h)) {
            play(&h, work);
            play(
                &h,
                "setmetatable({}, {__gc = function() local t = {1} lmp.stats() end})"
                "setmetatable({}, {__gc = function() local t = {1} if lmp then lmp.mark('end') end "
                "end}) u = io.tmpfile()");
            if (i % 3 == 1) play(&h, "setmetatable({}, {__gc = function() lmp.stop() end})");
            if (i % 3 == 2)
                play(&h, "coroutine.wrap(function() local z <close> = setmetatable({}, "
                         "{__close = function() lmp.stop() end}) coroutine.yield() end)()");
        }
        errors += host_close(&h);
    }
    return errors;
}

static int restart(void) {
    Host h;
    if (!host_open(&h, "restart", HH_PROFILED, OB_MALLOC, true, module)) return 1;
    for (int i = 0; i < 100 && h.errors == 0; i++) {
        if (!host_start(&h)) break;
        play(&h, work);
        host_check(&h, h.L, "before stop");
        host_stop(&h);
        if (i % 7 == 0) play(&h, "keep = nil collectgarbage()");
    }
    return host_close(&h);
}

/* ---- many states ----------------------------------------------------------------------------- */

enum { MANY = 12 };

static int many_states(void) {
    static Host h[MANY];
    int errors = 0, order[MANY];
    for (int i = 0; i < MANY; i++)
        if (!host_open(&h[i], "many", HH_PROFILED, (OracleBack)(i % OB_BACKS), true, module))
            return 1;
    for (int i = 0; i < MANY; i++)
        host_start(&h[(i * 5) % MANY]);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < MANY; i++)
            if (i % 3 != round) play(&h[i], work);
    for (int i = 0; i < MANY; i++) {
        host_check(&h[i], h[i].L, "all run");
        order[i] = (i * 7 + 3) % MANY;
    }
    for (int i = 0; i < MANY; i++) {
        Host *one = &h[order[i]];
        if (i % 3 != 0) host_stop(one); /* or closed while profiled */
        errors += host_close(one);
        for (int k = i + 1; k < MANY; k++)
            host_check(&h[order[k]], h[order[k]].L, "another ended");
    }
    return errors;
}

static void *one_thread(void *arg) {
    intptr_t seed = (intptr_t)arg;
    Host h;
    char path[4096];
    snprintf(path, sizeof path, "%s/random.lua", scripts);
    for (int round = 0; round < 3; round++) {
        if (!host_open(&h, "thread", HH_PROFILED, OB_MALLOC, true, module)) return (void *)1;
        if (host_start(&h)) {
            for (int i = 0; i < 30; i++)
                play(&h, work);
            if (luaL_loadfile(h.L, path) != LUA_OK) host_error(&h, "%s", lua_tostring(h.L, -1));
            lua_pushinteger(h.L, seed * 10 + round);
            if (lua_pcall(h.L, 1, 0, 0) != LUA_OK) host_error(&h, "%s", lua_tostring(h.L, -1));
            host_check(&h, h.L, "end of thread");
            if ((seed + round) % 2) host_stop(&h);
        }
        if (host_close(&h)) return (void *)1;
    }
    return NULL;
}

static int threads(void) {
    pthread_t t[6];
    int errors = 0;
    for (intptr_t i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, one_thread, (void *)i);
    for (int i = 0; i < 6; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        if (failed) errors++;
    }
    return errors;
}

/* A state made in one thread, run in a second, closed in a third: one at a time. */
static void *run_here(void *arg) {
    Host *h = arg;
    play(h, work);
    host_check(h, h->L, "second thread");
    return NULL;
}

static int wandering(void) {
    Host h;
    pthread_t t;
    if (!host_open(&h, "wandering", HH_PROFILED, OB_MALLOC, true, module)) return 1;
    if (host_start(&h)) {
        play(&h, work);
        pthread_create(&t, NULL, run_here, &h);
        pthread_join(t, NULL);
        play(&h, work);
        host_check(&h, h.L, "back again");
        host_stop(&h);
    }
    return host_close(&h);
}

/* ---- fork ------------------------------------------------------------------------------------ */

/* The child runs on unprofiled; the parent's figures are its own. */
static int forked(void) {
    int errors = 0;
    for (int way = 0; way < 4; way++) {
        Host h;
        if (!host_open(&h, "fork", HH_PROFILED, OB_MALLOC, true, module)) return 1;
        if (!host_start(&h)) return 1 + host_close(&h);
        play(&h, work);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            bool ok = true;
            h.hook = HH_NONE; /* so that check() does not ask for figures */
            ok = play(&h, work) && ok;
            ok = play(&h,
                      "local ok, e = pcall(lmp.stats) assert(not ok and e:find('not running'), e)"
                      "ok, e = pcall(lmp.stop) assert(not ok and e:find('not running'), e)") &&
                 ok;
            if (way == 1) ok = play(&h, "for i = 1, 1000 do keep = {keep} end") && ok;
            if (way == 2) { /* the child may be profiled anew, or must say why not */
                if (luaL_dostring(h.L,
                                  "lmp.start{live=false, summary=false} keep = {} "
                                  "local s = lmp.stats() assert(s.mallocs < 1000) lmp.stop()") !=
                    LUA_OK) {
                    fprintf(stderr, "fork: start in the child: %s\n", lua_tostring(h.L, -1));
                    ok = false;
                }
            }
            if (way == 3) exit(ok && h.errors == 0 ? 0 : 1);
            h.o.L = NULL;
            lua_close(h.L);
            if (oracle_blocks(&h.o))
                fprintf(stderr, "fork: blocks lost in the child\n"), ok = false;
            _exit(ok && h.errors == 0 ? 0 : 1);
        }
        int status;
        if (way == 3) play(&h, work); /* at the same time */
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            host_error(&h, "the child (%d) ended with %x", way, (unsigned)status);
        host_check(&h, h.L, "after the child");
        play(&h, work);
        host_check(&h, h.L, "parent goes on");
        host_stop(&h);
        errors += host_close(&h);
    }
    return errors;
}

/* ---- allocators above ours ------------------------------------------------------------------- */

typedef struct Wrapper {
    lua_Alloc under;
    void *ud;
    uint64_t calls;
} Wrapper;

static void *wrapping(void *ud, void *ptr, size_t osize, size_t nsize) {
    Wrapper *w = ud;
    w->calls++;
    return w->under(w->ud, ptr, osize, nsize);
}

/* Somebody wraps the profiler's hook before stop. stop() must not take the wrapper out, says so,
 * and all goes on working; when the wrapper has left, so may the hook. */
static int wrapped(void) {
    int errors = 0;
    for (int way = 0; way < 3; way++) {
        Host h;
        Wrapper w = {0};
        if (!host_open(&h, "wrapped", HH_PROFILED, OB_MALLOC, true, module)) return 1;
        if (!host_start(&h)) return 1 + host_close(&h);
        play(&h, work);
        w.under = lua_getallocf(h.L, &w.ud);
        lua_setallocf(h.L, wrapping, &w);
        h.quiet = true; /* Lua does not call the profiler any more, so it cannot see from where */
        play(&h, work);
        host_check(&h, h.L, "under a wrapper");
        void *ud;
        if (way == 0) {
            play(&h, "pcall(lmp.stop)");
            if (lua_getallocf(h.L, &ud) != wrapping || ud != &w)
                host_error(&h, "stop() took the wrapper out");
            uint64_t calls = w.calls;
            h.hook = HH_NONE;
            play(&h, work);
            if (w.calls == calls) host_error(&h, "the wrapper is not called any more");
            play(&h, "assert(not pcall(lmp.stats)) assert(not pcall(lmp.stop))");
            h.hook = HH_PROFILED;
        } else if (way == 1) { /* the wrapper leaves in time */
            lua_setallocf(h.L, w.under, w.ud);
            host_stop(&h);
            if (lua_getallocf(h.L, &ud) != oracle_alloc) host_error(&h, "the hook is still there");
        }
        errors += host_close(&h); /* way 2: closed as it is */
    }
    return errors;
}

/* A wrapper that was there first: it, with its own ud, is what the profiler calls and restores. */
static int wrapper_below(void) {
    Host h;
    Wrapper w = {oracle_alloc, &h.o, 0};
    if (!host_open(&h, "below", HH_PROFILED, OB_MALLOC, true, module)) return 1;
    lua_setallocf(h.L, wrapping, &w);
    oracle_poll(&h.o); /* takes it for a hook: figures begin here, and again below */
    h.o.hooked = false;
    if (host_start(&h)) {
        uint64_t calls = w.calls;
        h.o.frozen = true;
        play(&h, "for i = 1, 100 do keep = {keep} end");
        if (w.calls < calls + 100) host_error(&h, "the allocator that was there is not called");
        h.o.frozen = false;
        play(&h, "lmp.stop()");
        void *ud;
        if (lua_getallocf(h.L, &ud) != wrapping || ud != &w)
            host_error(&h, "not restored by stop()");
        lua_setallocf(h.L, oracle_alloc, &h.o);
    }
    return host_close(&h);
}

/* ---- what the environment refuses ------------------------------------------------------------ */

/* Runs a chunk in a child process with a limit, and reads its standard error. */
static int refused_with(int what, rlim_t limit, const char *chunk, int lines) {
    int fd[2];
    char text[4096] = "";
    size_t n = 0;
    if (pipe(fd) != 0) return 1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        Host h;
        dup2(fd[1], STDERR_FILENO);
        if (!host_open(&h, "refused", HH_PROFILED, OB_MALLOC, false, module)) _exit(2);
        setrlimit((unsigned)what, &(struct rlimit){limit, limit});
        bool ok = play(&h, chunk);
        h.o.L = NULL;
        lua_close(h.L);
        _exit(ok ? 0 : 1);
    }
    close(fd[1]);
    for (ssize_t got;
         n < sizeof text - 1 && (got = read(fd[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    close(fd[0]);
    int status, seen = 0;
    waitpid(pid, &status, 0);
    /* Where ./test --coverage counts, the counting complains of the same limit. */
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        seen += strncmp(line, "profiling:", 10) != 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && seen == lines) return 0;
    fprintf(stderr, "refused: status %x, %d lines where %d were expected:\n%s\n", (unsigned)status,
            seen, lines, text);
    return 1;
}

/* One line on standard error, nil and why from start(), and the script goes on unprofiled. */
static int refused(void) {
    static const char unprofiled[] =
        "local ok, why, name = lmp.start{live = false, summary = false}"
        "assert(ok == nil and type(why) == 'string' and #why > 5 and name:find('^%u+$'), why)"
        "assert(original())"
        "assert(not lmp.stats()) assert(not lmp.stop())"
        "local t = {} for i = 1, 1000 do t[i] = {i} end assert(#t == 1000)";
    static const char undisplayed[] = /* nor is there a terminal here, or a command */
        "local ok, why, name = lmp.start{live = true, summary = false}"
        "assert(ok == true and type(why) == 'string' and name:find('^%u+$'), why)"
        "assert(not original()) local t = {} for i = 1, 1000 do t[i] = {i} end"
        " assert(lmp.stats().mallocs > 1000) lmp.stop() assert(original())";
    int errors = refused_with(RLIMIT_NOFILE, 3, unprofiled, 1);
    errors += refused_with(RLIMIT_FSIZE, 1000, unprofiled, 1);
    setenv("LMP_COMMAND", "/nonexistent/lmp", 1);
    pid_t pid = fork(); /* without a controlling terminal */
    if (pid == 0) {
        setsid();
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        _exit(refused_with(RLIMIT_CORE, 0, undisplayed, 1));
    }
    int status;
    waitpid(pid, &status, 0);
    unsetenv("LMP_COMMAND");
    return errors + (status != 0);
}

static const struct {
    const char *name;
    int (*test)(void);
} tests[] = {
    {"api", api},
    {"closed_while_profiled", closed_while_profiled},
    {"restart", restart},
    {"many_states", many_states},
    {"threads", threads},
    {"wandering", wandering},
    {"forked", forked},
    {"wrapped", wrapped},
    {"wrapper_below", wrapper_below},
    {"refused", refused},
};

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: truth_states MODULE_DIR SCRIPTS_DIR [NAME]\n"), 2;
    module = argv[1];
    scripts = argv[2];
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc > 3 && strcmp(argv[3], tests[i].name) != 0) continue;
        int errors = tests[i].test();
        printf("%-24s %s\n", tests[i].name, errors ? "FAILED" : "ok");
        fflush(stdout);
        if (errors) failed++;
    }
    return failed ? 1 : 0;
}
