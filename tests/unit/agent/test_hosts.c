/* test_hosts.c - what a host may count on while it is profiled: errno is its own in every
 * allocation, and a forked child is left alone. The test is a viewer of its own process. */
#include "agent/interp/luafacts.h"
#include "profiled.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "own_state.h"
#include "read/discover.h"
#include "read/view.h"

RELEASE_AT(lua_close)

/* ---- a host that looks at errno -------------------------------------------------------------- */

enum { MARK = 7777 };
static uint64_t asked, changed;
static int changed_to;

/* Blocks far apart, for new leaves of the map. */
static void *far_block(size_t size) {
    static uint64_t n;
    void *p = mmap((void *)(uintptr_t)(0x200000000000 + (++n << 26)), size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool is_far(const void *p) {
    return (uintptr_t)p >= 0x200000000000 && (uintptr_t)p < 0x300000000000;
}

static void *host_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    void *r = NULL;
    (void)ud;
    if (errno != MARK) { /* by what the profiler did before us */
        changed++;
        changed_to = errno;
    }
    if (is_far(ptr)) {
        if (nsize) memcpy(r = malloc(nsize), ptr, osize < nsize ? osize : nsize);
        munmap(ptr, osize);
    } else if (!nsize) {
        free(ptr);
    } else if (!ptr && nsize > 50000 && nsize < 60000) {
        r = far_block(nsize);
    } else {
        r = realloc(ptr, nsize);
    }
    errno = MARK;
    asked++;
    return r;
}

/* allocate(n): n userdata, a look at errno after each. */
static int allocate(lua_State *L) {
    lua_Integer n = luaL_checkinteger(L, 1);
    for (lua_Integer i = 0; i < n; i++) {
        errno = MARK;
        lua_newuserdatauv(L, i % 1000 == 999 ? 55000 : 64, 0);
        if (errno != MARK) {
            changed++;
            changed_to = errno;
        }
        lua_settop(L, 1);
    }
    return 0;
}

/* ---- a viewer -------------------------------------------------------------------------------- */

static LmpView view;
static _Atomic uint32_t over;

static void nap(void) {
    uint32_t never = 0;
    lmp_os->futex_wait(&never, 0, 1000000);
}

/* Pauses, steps, looks at locals, collects, marks, breaks. */
static void *watch(void *arg) {
    LmpBreak none = {.kind = LMP_BREAK_SIZE, .on = 1, .bytes = 1u << 30};
    (void)arg;
    for (uint32_t round = 0; !atomic_load(&over); round++) {
        view_next_frame(&view);
        view_pause(&view, true);
        for (int i = 0; i < 100 && atomic_load(&view.live->state) != LMP_PAUSED; i++)
            nap();
        view_locals(&view, 0);
        view_step(&view, 3);
        nap();
        view_mark(&view);
        view_collect(&view);
        if (round % 4 == 1) view_breaks(&view, &none, round % 8 == 1);
        view_pause(&view, false);
        nap();
    }
    view_pause(&view, false);
    return NULL;
}

static void live(bool lines, bool stacks, uint64_t sample) {
    LmpOptions options = profiler_defaults;
    pthread_t viewer;
    OWN(lua_close_at) lua_State *L = luafacts_newstate(host_alloc, NULL);
    luaL_openlibs(L);
    lua_register(L, "allocate", allocate);
    options.lines = lines;
    options.stacks = stacks;
    options.sample = sample;
    profiled_start(L, options);
    ck_assert_int_eq(view_open(&view, find_state()), LMP_OK);
    atomic_store(&over, 0);
    asked = changed = 0;
    errno = MARK;
    ck_assert_int_eq(pthread_create(&viewer, NULL, watch, NULL), 0);
    for (int i = 0; i < 20 || atomic_load(&view.live->mark_done) < 20; i++) {
        errno = MARK;
        ck_assert_int_eq(luaL_dostring(L, "local t = {} for i = 1, 500 do t[i] = {i, 's' .. i} end "
                                          "allocate(2000)"),
                         LUA_OK);
    }
    atomic_store(&over, 1);
    pthread_join(viewer, NULL);
    ck_assert_uint_gt(asked, 10000);
    ck_assert_msg(changed == 0, "errno changed %llu times, the last time to %d",
                  (unsigned long long)changed, changed_to);
    ck_assert_uint_gt(view.live->leaves, 5);
    view_close(&view);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
}

TEST(errno_stays) {
    live(false, false, 0);
    live(true, false, 0);
    live(true, true, 0);
    live(true, false, 4096);
}

/* ---- a child of a program for which a collection was on its way ------------------------------ */

static pid_t child;

/* A viewer has asked for a collection, the request has set a debug hook: then we fork. */
static int arm_and_fork(lua_State *L) {
    view_collect(&view);
    lua_newuserdatauv(L, 64, 0);
    child = fork();
    return 0;
}

TEST(child_collects_nothing) {
    int status;
    OWN(lua_close_at) lua_State *L = new_state();
    lua_register(L, "arm_and_fork", arm_and_fork);
    profiled_start(L, profiler_defaults);
    ck_assert_int_eq(view_open(&view, find_state()), LMP_OK);
    uint32_t done = atomic_load(&view.live->collect_done);
    int failed =
        luaL_dostring(L, "local gone = 0 setmetatable({}, {__gc = function() gone = 1 end}) "
                         "arm_and_fork() return gone");
    if (child == 0) { /* still asked for, and nothing collected */
        bool same = !failed && lua_tointeger(L, -1) == 0;
        for (int i = 0; i < 1000; i++)
            same = same && luaL_dostring(L, "local t = {{}}") == LUA_OK;
        _exit(same ? 0 : 1);
    }
    ck_assert_int_eq(failed, LUA_OK);
    ck_assert_int_eq(lua_tointeger(L, -1), 1); /* and in the parent it was done */
    ck_assert_uint_eq(atomic_load(&view.live->collect_done), done + 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    view_close(&view);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
}

/* ---- frames: of their own state, and of no forked child's -------------------------------------
 */

TEST(frames_are_of_their_state) {
    LmpOptions options = profiler_defaults;
    LmpStats stats[2];
    LmpLap lap;
    int status;
    lua_State *L[2] = {luaL_newstate(), luaL_newstate()}, *other = luaL_newstate();
    options.lines = false;
    for (int i = 0; i < 2; i++) {
        profiled_start(L[i], options);
        ck_assert(!profiler_lap(L[i], NULL, &lap));
    }
    for (int i = 0; i < 30; i++) {
        lua_newuserdatauv(L[1], 64, 0);
        ck_assert(profiler_lap(L[1], NULL, &lap));
        ck_assert_uint_eq(lap.allocs, 1);
        if (i % 3 == 0) ck_assert(profiler_lap(L[0], "nothing is made there", &lap));
        if (i % 3 == 0) ck_assert_uint_eq(lap.allocs, 0);
        ck_assert(!profiler_lap(other, NULL, &lap)); /* is not profiled */
    }
    child = fork();
    if (child == 0) _exit(profiler_lap(L[1], NULL, &lap) || profiler_lap(L[0], NULL, &lap));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(profiler_stop(L[i], &stats[i]), LMP_OK);
    ck_assert_uint_eq(stats[0].frames, 10);
    ck_assert_uint_eq(stats[1].frames, 30);
    ck_assert_uint_eq(stats[0].frame_allocs, 0);
    ck_assert_uint_eq(stats[1].frame_allocs, 30);
    for (int i = 0; i < 2; i++)
        lua_close(L[i]);
    lua_close(other);
}

/* ---- a program in a container: its pids and the viewer's are not each other's ---------------- */

/* As the first process of a pid namespace; does not return. Writes a byte when it runs. */
static void be_contained(int ready) {
    LmpOptions options = profiler_defaults;
    LmpErr display;
    lua_State *L = new_state();
    options.summary = "";
    options.name = "test-hosts contained";
    if (getpid() != 1 || profiler_start(L, &options, &display)) _exit(1);
    if (write(ready, "r", 1) != 1) _exit(1);
    while (luaL_dostring(L, "for i = 1, 1000 do local t = {{}} end") == LUA_OK)
        ;
    _exit(1);
}

/* The program's pid here, 0: there can be no namespaces. */
static pid_t contain(void) {
    int ready[2];
    pid_t inner = 0;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t outer = fork();
    if (outer == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(77);
        inner = fork();
        if (inner == 0) be_contained(ready[1]);
        if (write(ready[1], &inner, sizeof inner) != sizeof inner) kill(inner, SIGKILL);
        _exit(waitpid(inner, NULL, 0) == inner ? 0 : 1);
    }
    close(ready[1]);
    /* The two write in either order; the pid in one piece. */
    char both[sizeof inner + 1];
    size_t got = 0;
    ssize_t n;
    while (got < sizeof both && (n = read(ready[0], both + got, sizeof both - got)) > 0)
        got += (size_t)n;
    close(ready[0]);
    if (got < sizeof both) {
        waitpid(outer, NULL, 0);
        return 0;
    }
    LmpFound *list;
    size_t count;
    ck_assert_int_eq(discover_list(&list, &count), LMP_OK);
    for (size_t i = 0; i < count; i++) {
        char path[64];
        pid_t parent = 0;
        snprintf(path, sizeof path, "/proc/%u/stat", list[i].pid);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%*d %*s %*c %d", &parent) == 1 && parent == outer) {
            inner = (pid_t)list[i].pid;
            ck_assert_int_eq(list[i].seen, LMP_SEEN_RUNNING);
            ck_assert_str_eq(list[i].program, "test-hosts contained");
        }
        if (file) fclose(file);
    }
    free(list);
    return inner;
}

/* Makes a paused program look around once more. */
static void poke(void) {
    atomic_fetch_add(&view.control->wake, 1);
    lmp_os->futex_wake(&view.control->wake);
    nap();
}

static void wait_state(uint32_t state) {
    for (int i = 0; i < 20000 && atomic_load(&view.live->state) != state; i++)
        poke();
    ck_assert_uint_eq(atomic_load(&view.live->state), state);
}

TEST(container) {
    pid_t program = contain();
    if (!program) return;
    ck_assert_int_gt(program, 1);
    static LmpView mine;
    ck_assert_int_eq(discover_open((uint32_t)program, 0, &mine), LMP_OK);
    ck_assert_uint_eq(mine.pid, (uint32_t)program);
    ck_assert_uint_eq(mine.header->pid, 1);
    ck_assert_int_eq(view_open(&view, dup(mine.fd)), LMP_OK);
    ck_assert_uint_eq(view.pid, 0); /* by itself it does not say */
    for (int round = 0; round < 2; round++) {
        view_pause(&mine, true);
        ck_assert_uint_eq(view_pauser(&mine), (uint32_t)getpid());
        wait_state(LMP_PAUSED);
        for (int i = 0; i < 50; i++) { /* no process has our number there, but we live */
            poke();
            ck_assert_uint_eq(atomic_load(&view.live->state), LMP_PAUSED);
        }
        if (round == 0) {
            view_pause(&mine, false);
            wait_state(LMP_RUNNING);
        }
    }
    /* We are gone, and somebody has our number there. */
    atomic_store(&view.control->viewer, LMP_VIEWER_LOCKED | 1);
    view_close(&mine);
    wait_state(LMP_RUNNING);
    view_close(&view);
    kill(program, SIGKILL);
    while (wait(NULL) > 0)
        ;
}

/* ---- 2^32 cycles of the collector ------------------------------------------------------------ */

TEST(many_cycles) {
    const uint64_t round = 1ull << 32;
    LmpStats stats;
    OWN(lua_close_at) lua_State *L = new_state();
    profiled_start(L, profiler_defaults);
    ck_assert_int_eq(view_open(&view, find_state()), LMP_OK);
    LmpLive *live = lmp_os->map(LMP_OVERFLOW_AT - LMP_LIVE_AT, view.fd, LMP_LIVE_AT, true);
    ck_assert_ptr_nonnull(live);
    live->gc.cycles += round - 20;
    live->gc.full += round - 20;
    uint64_t from = live->gc.cycles;
    ck_assert_int_eq(luaL_dostring(L,
                                   "K = {} for i = 1, 5000 do for j = 1, 4 do K[#K + 1] = {} end "
                                   "collectgarbage() end"),
                     LUA_OK);
    ck_assert_int_eq(profiler_stats(L, &stats), LMP_OK);
    ck_assert_uint_ge(stats.gc_cycles, from + 5000);
    ck_assert_uint_le(stats.gc_cycles, from + 6000);
    uint64_t newest = 0;
    for (unsigned i = 0; i < LMP_LIVE_HISTORY; i++)
        if (live->tables.live_history_cycle[i] > newest)
            newest = live->tables.live_history_cycle[i];
    ck_assert_uint_gt(newest, round);
    ck_assert_uint_le(newest, live->gc.full);
    ck_assert_uint_ge(live->gc.ring[(stats.gc_cycles - 1) % LMP_GC_RING].live_bytes, 20000 * 56);
    lmp_os->unmap(live, LMP_OVERFLOW_AT - LMP_LIVE_AT);
    view_close(&view);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
}
