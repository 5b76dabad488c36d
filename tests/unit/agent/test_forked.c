/* test_forked.c - children of a profiled program, however they were made: each has its allocator
 * back with its first new block, writes nothing of its parent's, and may be profiled anew without a
 * hook over our own. */
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/hook/allocs.h"
#include "agent/interp/learning.h"
#include "own_state.h"
#include "profiled.h"

/* ck_assert in a forked child would tell Check twice. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) _exit(__LINE__ % 250 + 1);                                               \
    } while (0)

static lua_State *L;
static lua_Alloc below;
static void *below_ud;

static void begin(void) {
    L = new_state();
    below = lua_getallocf(L, &below_ud);
    profiler_prepare(L);
}

static void work(void) {
    NEED(luaL_dostring(L,
                       "local t = {} for i = 1, 1000 do t[i] = {i .. 'x'} end "
                       "local c = coroutine.wrap(function() return {} end) keep = c()") == LUA_OK);
}

static bool is_free(void) {
    void *ud;
    return lua_getallocf(L, &ud) == below && ud == below_ud;
}

static const LmpPassThrough *ours(void) {
    void *ud;
    NEED(allocs_have(lua_getallocf(L, &ud)));
    return &((LmpProfile *)ud)->pass;
}

/* ---- ways to fork ---------------------------------------------------------------------------- */

static pid_t by_clone(void) {
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static void (*child_does)(void);
static pid_t (*forks)(void);

static void *fork_here(void *of) {
    pid_t pid = forks();
    if (pid == 0) {
        child_does();
        _exit(0);
    }
    *(pid_t *)of = pid;
    return NULL;
}

static pid_t from_thread(void) {
    pthread_t thread;
    pid_t pid;
    forks = fork;
    ck_assert_int_eq(pthread_create(&thread, NULL, fork_here, &pid), 0);
    pthread_join(thread, NULL);
    return pid;
}

static const struct Way {
    const char *name;
    pid_t (*fork)(void);
} ways[] = {{"fork", fork}, {"_Fork", _Fork}, {"clone", by_clone}, {"from a thread", from_thread}};
enum { WAYS = sizeof ways / sizeof *ways };

static void in_child(const struct Way *way, void (*does)(void)) {
    int status;
    child_does = does;
    pid_t pid = way->fork();
    if (pid == 0) {
        does();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %x", way->name,
                  (unsigned)status);
}

static const LmpOptions *options_of(int mode) {
    static LmpOptions o;
    o = profiler_defaults;
    o.lines = mode > 0;
    o.stacks = mode == 2;
    o.sample = mode == 3 ? 4096 : 0;
    o.counts = mode == 4 ? LMP_COUNTS_CALLS | LMP_COUNTS_INSTRUCTIONS : 0;
    return &o;
}
enum { MODES = 5 };

/* ---- what they do ---------------------------------------------------------------------------- */

static void works(void) {
    LmpStats s;
    work();
    NEED(is_free());
    NEED(!lua_gethook(L));
    NEED(profiler_stats(L, &s) == LMP_E_NOTSTARTED);
    NEED(profiler_stop(L, &s) == LMP_E_NOTSTARTED);
    work();
}

static void closes(void) {
    lua_close(L);
}

static void exits(void) {
    exit(0);
}

static void works_and_closes(void) {
    works();
    lua_close(L);
}

/* Fork, start, fork, stop, start: there is one hook, over the allocator that was there first. */
static void starts(void) {
    LmpStats s;
    for (int depth = 0; depth < 4; depth++) {
        for (int round = 0; round < 3; round++) {
            LmpErr lack;
            LmpOptions o = *options_of((depth + round) % MODES);
            o.summary = "";
            if (depth != 1) work();
            NEED(profiler_start(L, &o, &lack) == LMP_OK);
            NEED(ours()->alloc == below && ours()->ud == below_ud);
            work();
            NEED(profiler_stats(L, &s) == LMP_OK && s.live_blocks > 0 && s.mallocs < 20000);
            if (round == depth % 3) break;
            NEED(profiler_stop(L, &s) == LMP_OK);
            NEED(is_free());
        }
        pid_t pid = ways[depth % 3].fork();
        int status;
        if (pid) {
            NEED(waitpid(pid, &status, 0) == pid);
            work();
            NEED(profiler_stop(L, &s) == LMP_OK && is_free());
            _exit(WEXITSTATUS(status));
        }
    }
    work();
    NEED(is_free());
}

static void (*const things[])(void) = {works, closes, exits, works_and_closes, starts};

TEST(each_way) {
    begin();
    for (int i = 0; i < WAYS * (int)(sizeof things / sizeof *things); i++) {
        LmpProfile *p = profiled_start(L, *options_of((i + i / MODES) % MODES));
        LmpView *view = own_view();
        LmpStats before, after;
        work();
        ck_assert_int_eq(profiler_stats(L, &before), LMP_OK);
        in_child(&ways[i % WAYS], things[i / WAYS]);
        ck_assert_int_eq(profiler_stats(L, &after), LMP_OK);
        ck_assert_uint_eq(after.mallocs, before.mallocs);
        ck_assert_uint_eq(after.frees, before.frees);
        ck_assert_uint_eq(after.live_bytes, before.live_bytes);
        ck_assert_int_eq(atomic_load(&view->live->state), LMP_RUNNING);
        work(); /* the parent goes on */
        ck_assert_int_eq(profiler_stats(L, &after), LMP_OK);
        ck_assert_uint_gt(after.mallocs, before.mallocs);
        ck_assert_ptr_eq(p->main, L);
        own_view_close(view);
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
        ck_assert(is_free());
    }
    lua_close(L);
}

/* ---- while another thread learns ------------------------------------------------------------- */

static atomic_bool learns, learnt, through, forked;

static void learn(void) {
    atomic_store(&learns, true);
    usleep(50000);
    atomic_store(&through, true);
}

/* Waits for what the forking thread has. */
static void learn_after_fork(void) {
    atomic_store(&learns, true);
    while (!atomic_load(&forked))
        usleep(100);
}

static void *learn_there(void *of) {
    learning_once(&learnt, of ? learn_after_fork : learn);
    return of;
}

static void finds_it_learnt(void) {
    alarm(10);
    NEED(atomic_load(&through));
    learning_once(&learnt, learn);
    learning_hold(); /* nobody has it */
    work();
}

static void fork_meanwhile(void *how, void (*does)(void)) {
    pthread_t thread;
    begin();
    profiled_start(L, *options_of(1));
    ck_assert_int_eq(pthread_create(&thread, NULL, learn_there, how), 0);
    while (!atomic_load(&learns))
        usleep(100);
    in_child(&ways[0], does);
    atomic_store(&forked, true);
    pthread_join(thread, NULL);
    in_child(&ways[0], work); /* and nothing is held for ever */
    lua_close(L);
}

TEST(half_learnt) {
    fork_meanwhile(NULL, finds_it_learnt);
}

TEST(learns_on) {
    fork_meanwhile(&forked, work);
}

/* ---- where it cannot have it back ------------------------------------------------------------ */

static lua_Alloc covered;
static void *covered_ud;

static void *cover(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    return covered(covered_ud, ptr, osize, nsize);
}

static void works_covered(void) {
    LmpStats s;
    LmpErr lack;
    LmpOptions o = profiler_defaults;
    void *ud;
    o.summary = "";
    for (int i = 0; i < 3; i++)
        work();
    NEED(lua_getallocf(L, &ud) == cover && profiler_stats(L, &s) == LMP_E_NOTSTARTED);
    for (int i = 0; i < 3; i++) {
        NEED(profiler_start(L, &o, &lack) == LMP_OK);
        NEED(ours()->alloc == cover);
        work();
        NEED(profiler_stop(L, &s) == LMP_OK && lua_getallocf(L, &ud) == cover);
    }
    lua_close(L);
}

TEST(covered_by_another) {
    begin();
    profiled_start(L, *options_of(1));
    covered = lua_getallocf(L, &covered_ud);
    lua_setallocf(L, cover, NULL);
    for (int i = 0; i < WAYS; i++) {
        LmpStats before, after;
        ck_assert_int_eq(profiler_stats(L, &before), LMP_OK);
        in_child(&ways[i], works_covered);
        ck_assert_int_eq(profiler_stats(L, &after), LMP_OK);
        ck_assert_uint_eq(after.mallocs, before.mallocs);
        ck_assert_uint_eq(after.live_bytes, before.live_bytes);
    }
    work();
    lua_setallocf(L, covered, covered_ud);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    lua_close(L);
}
