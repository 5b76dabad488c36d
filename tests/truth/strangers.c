/* strangers.c - who else calls the allocator of a profiled state: states made with what
 * lua_getallocf answers, in the same thread and in others, at any time; libraries that keep it; the
 * state itself in other threads; allocators put over it.
 *
 * What is compared: the bytes that Lua itself counts in the profiled state (collectgarbage "count")
 * with what the profiler says, to the byte; nobody else's may be among them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

/* Lua 5.5 wants a seed. */
#if LUA_VERSION_NUM >= 505
#define lua_newstate(alloc, ud) lua_newstate(alloc, ud, 0)
#endif

static const char *module; /* directory */
static int errors;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) complain(__LINE__, #what);                                                    \
    } while (0)

static void complain(int line, const char *what) {
    fprintf(stderr, "strangers.c:%d: not so: %s\n", line, what);
    errors++;
}

/* ---- states ---------------------------------------------------------------------------------- */

static bool play(lua_State *L, const char *chunk) {
    if (luaL_dostring(L, chunk) == LUA_OK) return true;
    fprintf(stderr, "strangers.c: %s\n", lua_tostring(L, -1));
    lua_pop(L, 1);
    errors++;
    return false;
}

static const char busy[] =
    "local t = {} for i = 1, 2000 do t[i] = {i, 's' .. i, function() return t end, x = i} end"
    " for i = 1, 20 do t[i] = coroutine.wrap(function() coroutine.yield({}) end) t[i]() end"
    " load('return ' .. #t)() keep = {t, string.rep('x', #t // 2 - 1)}"
    " for i = 1, 5 do collectgarbage('step', 50) end";

/* What is below all states: refuses one request, the `refuse`th from now; 0: none. */
static _Thread_local int refuse;

static void *limited(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud, (void)osize;
    if (nsize && refuse && --refuse == 0) return NULL;
    if (nsize) return realloc(ptr, nsize);
    free(ptr);
    return NULL;
}

/* A state under the profiler; `options` as in a table constructor. check(n) compares its bytes; n:
 * bytes of others that are counted with it. */
static lua_State *profiled(const char *options) {
    lua_State *L = lua_newstate(limited, NULL);
    luaL_openlibs(L);
    lua_pushfstring(
        L,
        "package.cpath = '%s/?.so' lmp = require 'luamemprofiler'"
        "local function bytes() return math.tointeger(collectgarbage 'count' * 1024) end"
        " collectgarbage() collectgarbage 'stop'"
        " assert(lmp.start{summary = false, %s})"
        " local began = bytes() collectgarbage 'restart'"
        " function check(others)" /* the last one's table is the profiler's own */
        "   stats = nil collectgarbage() collectgarbage()"
        "   local now, s = bytes(), lmp.stats()"
        "   local said = s.live_bytes - s.before_free_bytes + s.before_realloc_bytes"
        "   stats = s"
        "   if said - (others or 0) ~= now - began then"
        "     error(('%%d bytes, Lua says %%d'):format(said, now - began), 2)"
        "   end"
        " end",
        module, options);
    if (luaL_dostring(L, lua_tostring(L, -1)) != LUA_OK) {
        fprintf(stderr, "strangers.c: %s\n", lua_tostring(L, -1));
        exit(1);
    }
    lua_settop(L, 0);
    return L;
}

static long long figure(lua_State *L, const char *name) {
    lua_getglobal(L, "stats");
    lua_getfield(L, -1, name);
    long long n = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : lua_tointeger(L, -1);
    lua_pop(L, 2);
    return n;
}

typedef struct Kept { /* what lua_getallocf answers */
    lua_Alloc alloc;
    void *ud;
} Kept;

static Kept kept_of(lua_State *L) {
    Kept k;
    k.alloc = lua_getallocf(L, &k.ud);
    return k;
}

static lua_State *sibling(Kept k) {
    lua_State *L = lua_newstate(k.alloc, k.ud);
    if (L) luaL_openlibs(L);
    return L;
}

static bool same(Kept a, Kept b) {
    return a.alloc == b.alloc && a.ud == b.ud;
}

static const char *const options[] = {"", "lines = false", "stacks = true", "sample = 4096"};
enum { WAYS = sizeof options / sizeof *options };

/* ---- other states ---------------------------------------------------------------------------- */

/* One that is closed before, one that lives on through stop and close. */
static void apart(void) {
    for (int way = 0; way < WAYS; way++) {
        lua_State *L = profiled(options[way]);
        Kept k = kept_of(L), below = {limited, NULL};
        lua_State *one = sibling(k), *other = sibling(k);
        CHECK(same(kept_of(one), below) && same(kept_of(other), below));
        play(L, busy);
        play(one, busy);
        play(L, "check()");
        play(other, busy);
        lua_close(one);
        play(L, busy);
        play(L, "check()");
        CHECK(figure(L, "other_states") == 2);
        CHECK(figure(L, "mixed_states") == 0);
        CHECK(figure(L, "passed_requests") == 0);
        play(L, "lmp.stop()");
        play(other, busy);
        lua_State *late = sibling(k);
        play(late, busy);
        play(L, busy);
        lua_close(L);
        play(other, busy);
        play(late, busy);
        lua_close(sibling(k));
        lua_close(late);
        lua_close(other);
        void *block = k.alloc(k.ud, NULL, LUA_TTABLE, 100);
        k.alloc(k.ud, block, 100, 0);
    }
}

/* What one profile's allocator was kept for, the next one of the same pair does not count. */
static void next_profile(void) {
    lua_State *L = profiled("");
    Kept k = kept_of(L);
    play(L, "lmp.stop()");
    lua_State *one = sibling(k);
    lua_close(L);
    for (int way = 0; way < WAYS; way++) {
        L = profiled(options[way]);
        CHECK((kept_of(L).ud == k.ud) == (way == 0)); /* one place for the pair and this way */
        play(one, busy);
        play(L, busy);
        play(one, busy);
        play(L, "check()");
        lua_close(L);
    }
    lua_close(one);
}

/* A library goes on with what it has kept of one profile while another profile runs in its thread.
 */
static void library_here(void) {
    for (int i = 0; i < WAYS * WAYS; i++) {
        lua_State *L = profiled(options[i / WAYS]);
        Kept k = kept_of(L);
        lua_close(L);
        L = profiled(options[i % WAYS]);
        for (int n = 0; n < 100; n++) {
            void *block = k.alloc(k.ud, NULL, LUA_TTABLE, 100);
            block = k.alloc(k.ud, block, 100, 1000);
            k.alloc(k.ud, block, 1000, 0);
        }
        play(L, busy);
        play(L, "check()");
        lua_close(L);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct Job {
    pthread_t thread;
    Kept k;
    lua_State *L;
    int rounds;
} Job;

static atomic_bool go_on;

static void *run_siblings(void *arg) {
    Job *job = arg;
    if (job->L) play(job->L, busy);
    for (int i = 0; i < job->rounds; i++) {
        lua_State *L = sibling(job->k);
        play(L, busy);
        if (i % 2) lua_close(L);
        if (!(i % 2)) {
            lua_State *next = sibling(job->k); /* while the first one lives */
            play(next, busy);
            lua_close(L);
            lua_close(next);
        }
    }
    if (job->L) lua_close(job->L);
    return NULL;
}

/* States made here and run there, and made there, while the profiled one runs here. */
static void threads(void) {
    for (int way = 0; way < WAYS; way++) {
        Job job[3];
        lua_State *L = profiled(options[way]);
        for (int i = 0; i < 3; i++) {
            job[i] = (Job){.k = kept_of(L), .L = sibling(kept_of(L)), .rounds = 4};
            pthread_create(&job[i].thread, NULL, run_siblings, &job[i]);
        }
        for (int i = 0; i < 8; i++)
            play(L, busy);
        play(L, "check()");
        if (way % 2) play(L, "lmp.stop()");
        for (int i = 0; i < 3; i++)
            pthread_join(job[i].thread, NULL);
        if (!(way % 2)) {
            play(L, "check()");
            CHECK(figure(L, "other_states") == 3 + 3 * 6);
            CHECK(figure(L, "passed_requests") == 0);
        }
        lua_close(L);
    }
}

/* A library that asks for memory of its own with what it has kept. */
static void *run_library(void *arg) {
    Job *job = arg;
    while (atomic_load(&go_on)) {
        void *block = job->k.alloc(job->k.ud, NULL, 0, 100);
        block = job->k.alloc(job->k.ud, block, 100, 1000);
        job->k.alloc(job->k.ud, block, 1000, 0);
    }
    return NULL;
}

/* It goes on through the end of that profile, and the next ones at the same place. */
static void library(void) {
    for (int way = 0; way < WAYS; way++) {
        Job job[2];
        lua_State *L = profiled(options[way]);
        atomic_store(&go_on, true);
        for (int i = 0; i < 2; i++) {
            job[i] = (Job){.k = kept_of(L)};
            pthread_create(&job[i].thread, NULL, run_library, &job[i]);
        }
        for (int i = 0; i < 12; i++) {
            play(L, busy);
            play(L, "check()");
            if (i == 5) play(L, "lmp.stop()");
            if (i < 5) continue;
            lua_close(L);
            L = profiled(options[(way + i) % WAYS]);
        }
        atomic_store(&go_on, false);
        for (int i = 0; i < 2; i++)
            pthread_join(job[i].thread, NULL);
        lua_close(L);
    }
}

static void *run_there(void *arg) {
    play(arg, busy);
    play(arg, "if lmp then check() end");
    return NULL;
}

/* The profiled state runs in one thread after the other, and makes others on the way. */
static void wandering(void) {
    for (int way = 0; way < WAYS; way++) {
        lua_State *L = profiled(options[way]);
        Kept k = kept_of(L);
        for (int i = 0; i < 12; i++) {
            Job job = {.k = k, .rounds = 1};
            pthread_t t;
            pthread_create(&t, NULL, run_there, L);
            pthread_join(t, NULL);
            if (i % 3 == 0) play(L, busy);
            if (i % 3 == 1) run_siblings(&job);
            if (i % 3 == 2) {
                pthread_create(&t, NULL, run_siblings, &job);
                pthread_join(t, NULL);
            }
        }
        play(L, "check()");
        CHECK(figure(L, "passed_requests") == 0);
        CHECK(figure(L, "mixed_states") == 0);
        lua_close(L);
    }
}

/* ---- behind an allocator of its own ---------------------------------------------------------- */

static void *wrapping(void *ud, void *ptr, size_t osize, size_t nsize) {
    const Kept *k = ud;
    return k->alloc(k->ud, ptr, osize, nsize);
}

/* The same, but called from here instead of left to (no tail call): other words above us. */
static void *wrapping_close(void *ud, void *ptr, size_t osize, size_t nsize) {
    const Kept *k = ud;
    void *volatile r = k->alloc(k->ud, ptr, osize, nsize);
    return r;
}

static long long bytes_of(lua_State *L) {
    return (long long)lua_gc(L, LUA_GCCOUNT) * 1024 + lua_gc(L, LUA_GCCOUNTB);
}

/* It cannot be told from the profiled one, and is counted with it, from its first block on; in
 * another thread it is counted nowhere. Both are said. */
static void behind(void) {
    for (int way = 0; way < 2 * WAYS; way++) {
        lua_Alloc wrapper = way < WAYS ? wrapping : wrapping_close;
        lua_State *L = profiled(options[way % WAYS]);
        Kept k = kept_of(L);
        lua_State *one = sibling((Kept){wrapper, &k});
        CHECK(same(kept_of(one), (Kept){wrapper, &k}));
        play(one, busy);
        play(L, busy);
        lua_getglobal(L, "check");
        lua_pushinteger(L, bytes_of(one));
        if (lua_pcall(L, 1, 0, 0) != LUA_OK) complain(__LINE__, lua_tostring(L, -1));
        CHECK(figure(L, "mixed_states") == 1);
        CHECK(figure(L, "other_states") == 0);
        lua_close(one);
        play(L, "check()");
        Job job = {.k = {wrapper, &k}, .rounds = 3};
        pthread_create(&job.thread, NULL, run_siblings, &job);
        for (int i = 0; i < 8; i++)
            play(L, busy);
        pthread_join(job.thread, NULL);
        play(L, "check()");
        CHECK(figure(L, "passed_requests") > 100);
        CHECK(figure(L, "other_states") > 0);
        CHECK(figure(L, "mixed_states") == 1);
        lua_close(L);
    }
}

/* Whatever is refused while a state is made or works, the figures hold. */
static void refused(void) {
    for (int way = 0; way < 2 * WAYS; way++) {
        lua_State *L = profiled(options[way % WAYS]);
        Kept k = kept_of(L), behind_it = {wrapping, &k};
        int made = 0;
        for (int n = 1; n <= 120; n++) {
            refuse = n;
            lua_State *one =
                lua_newstate(way < WAYS ? k.alloc : wrapping, way < WAYS ? k.ud : behind_it.ud);
            refuse = 0;
            made += one != NULL;
            if (one) lua_close(one);
        }
        CHECK(made > 0 && made < 119);
        play(L, busy);
        play(L, "check()");
        CHECK(figure(L, "other_states") + figure(L, "mixed_states") == 119);
        lua_close(L);
    }
}

/* Over the profiled state's: noticed at the next tick, and it stays said. */
static void covered(void) {
    lua_State *L = profiled("");
    Kept k = kept_of(L);
    play(L, busy);
    play(L, "check() assert(stats.covered == false and stats.lines ~= 'off')");
    lua_setallocf(L, wrapping, &k);
    play(L, "for i = 1, 100000 do keep = {i} end");
    lua_setallocf(L, k.alloc, k.ud);
    play(L, "check() assert(stats.covered == true and stats.lines == 'approximate')");
    play(L, "local s, why = lmp.stop() assert(not why and s.covered)");
    lua_close(L);
    for (int way = 0; way < 2; way++) { /* under a cover that stays */
        L = profiled("");
        k = kept_of(L);
        lua_setallocf(L, wrapping, &k);
        play(L, busy);
        play(L, "check() assert(stats.covered)");
        if (way)
            play(L,
                 "local s, why, name = lmp.stop() assert(s.covered and name == 'WRAPPED', name)");
        play(L, busy);
        lua_close(L);
    }
}

/* ---- the end of the process ------------------------------------------------------------------ */

static atomic_bool ends;

static void note_end(void) {
    atomic_store(&ends, true);
}

/* Closes the state while the process ends: once its profile is over, or in the second that the
 * summary waits for a reader. */
static void *run_to_end(void *arg) {
    lua_State *L = arg;
    while (!atomic_load(&ends))
        play(L, "for i = 1, 100 do keep = {i} end");
    for (int i = 0; i < 300 && luaL_dostring(L, "lmp.stats() keep = {}") == LUA_OK; i++)
        usleep(1000);
    lua_close(L);
    return NULL;
}

/* exit() while the profiled state runs in another thread, which ends the profile, too. */
static void exits(void) {
    int status, pipes[2];
    pid_t child = fork();
    if (child == 0) {
        pthread_t t;
        lua_State *L = profiled("");
        play(L, "lmp.stop() lmp.start{summary = '-'}");
        if (pipe2(pipes, O_NONBLOCK) || dup2(pipes[1], STDERR_FILENO) < 0) _exit(1);
        while (write(STDERR_FILENO, busy, sizeof busy) > 0)
            ;
        alarm(60);
        atexit(note_end);
        pthread_create(&t, NULL, run_to_end, L);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* ---- one after the other --------------------------------------------------------------------- */

/* A finalizer may do anything, in the middle of start and of what others ask. */
static void finalizers(void) {
    lua_State *L = profiled("");
    play(L, "lmp.stop()");
    play(L, "local function go() lmp.start{summary = false} end"
            " for i = 1, 200 do"
            "   collectgarbage('generational') setmetatable({}, {__gc = go})"
            "   for k = 1, i * 3 do local t = {} end"
            "   pcall(lmp.start, {summary = false, name = ('x'):rep(i * 40)})"
            "   collectgarbage 'stop' assert(pcall(lmp.stop)) assert(not pcall(lmp.stop))"
            "   collectgarbage 'restart' collectgarbage() pcall(lmp.stop)"
            " end");
    play(L, "lmp.start{summary = false, stacks = true}"
            " local function stop() pcall(lmp.stop) pcall(lmp.start, {summary = false}) end"
            " for i = 1, 100 do"
            "   for k = 1, 20 do setmetatable({}, {__gc = stop}) end"
            "   pcall(lmp.tag, 'tag' .. i) pcall(lmp.stats, {sites = true, functions = true})"
            "   pcall(lmp.mark, 'm')"
            " end");
    /* a collection as a whole while start asks for memory, in which another start comes first */
    Kept below;
    play(L,
         "collectgarbage('incremental', 100, 100, 40) pcall(collectgarbage, 'param', 'stepmul', 0)"
         " collectgarbage() pcall(lmp.stop)");
    below = kept_of(L);
    play(L, "local o, ran = {summary = false, name = ('x'):rep(3000)}, 0"
            " collectgarbage 'stop'"
            " setmetatable({}, {__gc = function() ran = ran + 1 lmp.start{summary = false} end})"
            " collectgarbage 'restart' local ok, why = pcall(lmp.start, o)"
            " assert(ran == 1 and not ok and why:find 'already', why)");
    CHECK(!same(kept_of(L), below));
    play(L, "lmp.stop() assert(not pcall(lmp.stop))");
    CHECK(same(kept_of(L), below));
    lua_close(L);
}

static const struct {
    const char *name;
    void (*test)(void);
} tests[] = {
    {"library_here", library_here},
    {"apart", apart},
    {"next_profile", next_profile},
    {"threads", threads},
    {"library", library},
    {"wandering", wandering},
    {"behind", behind},
    {"refused", refused},
    {"covered", covered},
    {"finalizers", finalizers},
    {"exits", exits},
};

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: truth_strangers MODULE_DIR [NAME]\n"), 2;
    module = argv[1];
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc > 2 && strcmp(argv[2], tests[i].name) != 0) continue;
        errors = 0;
        tests[i].test();
        printf("%-24s %s\n", tests[i].name, errors ? "FAILED" : "ok");
        fflush(stdout);
        if (errors) failed++;
    }
    return failed ? 1 : 0;
}
