/* test_faults.c - the profiler's own system calls fail: start says so and the program runs
 * unprofiled, or allocations are dropped and counted as such; the program never notices. */
#include "agent/interp/luafacts.h"
#include "suite.h"

#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "base/os.h"
#include "shared/launch.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- system calls that fail ------------------------------------------------------------------ */

enum { CALL_MEMFD, CALL_GROW, CALL_MAP, CALLS };
static int calls[CALLS], fail_at[CALLS];   /* 0: never; counts from 1 */
static enum { ONCE, FOR_EVER, TWICE } how; /* TWICE: and what is asked next, of whatever kind */
static bool failed_last;

static bool fails(int call) {
    int n = ++calls[call];
    bool first = fail_at[call] && (n == fail_at[call] || (how == FOR_EVER && n > fail_at[call]));
    bool second = failed_last && how == TWICE;
    failed_last = first;
    return first || second;
}

static int test_memfd(const char *name, uint64_t size) {
    return fails(CALL_MEMFD) ? -1 : os_real.memfd(name, size);
}

static bool test_grow(int fd, uint64_t size) {
    return !fails(CALL_GROW) && os_real.grow(fd, size);
}

static void *test_map(size_t size, int fd, uint64_t offset, bool writable) {
    return fails(CALL_MAP) ? NULL : os_real.map(size, fd, offset, writable);
}

static LmpOs faulty;

static void install(int call, int at, int mode) {
    faulty = os_real;
    faulty.memfd = test_memfd;
    faulty.grow = test_grow;
    faulty.map = test_map;
    lmp_os = &faulty;
    memset(calls, 0, sizeof calls);
    memset(fail_at, 0, sizeof fail_at);
    fail_at[call] = at;
    how = mode;
    failed_last = false;
}

/* ---- a host whose blocks are far apart, so that the map needs many leaves -------------------- */

typedef struct Count {
    uint64_t mallocs, blocks;
} Count;

#define FAR_BLOCK 4096u
#define FAR_FROM 0x200000000000ull
#define FAR_TO 0x300000000000ull /* malloc's addresses are not in between */

static bool is_far(const void *p) {
    return (uintptr_t)p >= FAR_FROM && (uintptr_t)p < FAR_TO;
}

static void *far_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    Count *c = ud;
    static uint64_t n;
    if (nsize == 0) {
        if (ptr) {
            c->blocks--;
            if (is_far(ptr))
                munmap(ptr, FAR_BLOCK);
            else
                free(ptr);
        }
        return NULL;
    }
    if (ptr) {
        if (!is_far(ptr)) return realloc(ptr, nsize);
        void *moved = malloc(nsize);
        memcpy(moved, ptr, osize < nsize ? osize : nsize);
        munmap(ptr, FAR_BLOCK);
        return moved;
    }
    c->mallocs++;
    c->blocks++;
    if (++n % 64 == 0 && nsize < FAR_BLOCK) {
        void *p = mmap((void *)(uintptr_t)(FAR_FROM + (n << 24)), FAR_BLOCK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (is_far(p)) return p;
        if (p != MAP_FAILED) munmap(p, FAR_BLOCK);
    }
    return malloc(nsize);
}

static const char work[] =
    "local t = {} for i = 1, 400 do t[i] = {i, 's' .. i, function() return i end, {}} end\n"
    "local c = coroutine.wrap(function(...) coroutine.yield(...) end) c(t)\n"
    "for i = 1, 400, 2 do t[i] = nil end collectgarbage()\n"
    "local s = table.concat({('x'):rep(5000), #t, ('y'):rep(3000)}) collectgarbage('step')\n"
    "return #s .. ' ' .. select('#', table.unpack({}, 1, 200)) .. ' ' .. t[400][2]";

static bool wish_all;    /* stacks and sampling, too */
static uint64_t lacking; /* of LmpErr, bits: what start has said */

/* Either an option is there or it is said that it is not; start tells the first that is not. */
static void check_wishes(const LmpStats *s, LmpErr lack) {
    ck_assert((s->lines == LMP_LINES_OFF) == (s->why == LMP_WHY_MEMORY));
    ck_assert(s->stacks == (wish_all && s->stacks_why == LMP_WHY_NOT));
    ck_assert((s->sample > 0) == (wish_all && s->sample_why == LMP_WHY_NOT));
    LmpErr first = s->lines == LMP_LINES_OFF ? LMP_E_NOLINES
                   : s->stacks_why           ? LMP_E_NOSTACKS
                   : s->sample_why           ? LMP_E_NOSAMPLE
                                             : LMP_OK;
    ck_assert_int_eq(lack, first);
    lacking |= 1u << lack;
}

/* One life of a program; true: it was profiled. */
static bool live(uint64_t *dropped) {
    Count count = {0, 0};
    lua_State *L = luafacts_newstate(far_alloc, &count);
    luaL_openlibs(L);
    LmpOptions options = profiler_defaults;
    options.summary = "";
    options.stacks = wish_all;
    options.sample = wish_all ? LMP_SAMPLE_MIN : 0;
    LmpErr lack, err = profiler_start(L, &options, &lack);
    void *ud;
    if (err) {
        ck_assert(err == LMP_E_MEMFD || err == LMP_E_NOMEM);
        ck_assert_ptr_eq((void *)lua_getallocf(L, &ud), (void *)far_alloc);
        ck_assert_ptr_eq(ud, &count);
    }
    uint64_t before = count.mallocs;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(luaL_dostring(L, work), LUA_OK);
        ck_assert_str_eq(lua_tostring(L, -1), "8003 200 s400");
        lua_settop(L, 0);
    }
    LmpStats stats = {0};
    *dropped = 0;
    if (err) {
        ck_assert_int_eq(profiler_stats(L, &stats), LMP_E_NOTSTARTED);
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_E_NOTSTARTED);
    } else {
        ck_assert_int_eq(profiler_stats(L, &stats), LMP_OK);
        *dropped = stats.dropped;
        check_wishes(&stats, lack);
        /* a block that was counted is dropped too when it moves to where there is no map */
        ck_assert_uint_ge(stats.mallocs + stats.dropped, count.mallocs - before);
        ck_assert_uint_le(stats.mallocs, count.mallocs - before);
        if (!stats.dropped) ck_assert_uint_eq(stats.mallocs, count.mallocs - before);
        ck_assert_uint_le(stats.live_blocks, count.blocks);
        ck_assert_uint_eq(stats.live_blocks, stats.mallocs - stats.frees);
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    }
    lua_close(L);
    ck_assert_uint_eq(count.blocks, 0);
    return !err;
}

static int open_files(void) {
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) n++;
    return n;
}

static void each_call_fails(int call, int mode) {
    uint64_t dropped;
    int at = 1, files = open_files(), unprofiled = 0, with_drops = 0;
    for (;; at++) {
        install(call, at, mode);
        if (!live(&dropped)) unprofiled++;
        if (dropped) with_drops++;
        ck_assert_int_eq(open_files(), files);
        if (calls[call] < at) break; /* it did not get that far: nothing has failed */
        ck_assert_int_lt(at, 500);
    }
    ck_assert_uint_eq(dropped, 0);
    bool drops = with_drops > 0 || wish_all; /* samples are counted without a place in the map */
    ck_assert_int_ge(unprofiled + drops, at > 1 ? 1 : 0);
    if (call == CALL_MEMFD) ck_assert_int_eq(unprofiled, 1);
    if (call == CALL_GROW) ck_assert(drops);
    if (call == CALL_MAP) ck_assert(unprofiled > 0 && drops);
    lmp_os = &os_real;
}

TEST(memfd_fails) {
    each_call_fails(CALL_MEMFD, ONCE);
}

TEST(grow_fails_once) {
    each_call_fails(CALL_GROW, ONCE);
}

TEST(grow_fails_for_ever) {
    each_call_fails(CALL_GROW, FOR_EVER);
}

TEST(map_fails_once) {
    each_call_fails(CALL_MAP, ONCE);
}

TEST(map_fails_for_ever) {
    each_call_fails(CALL_MAP, FOR_EVER);
}

TEST(a_second_fails_in_its_wake) {
    each_call_fails(CALL_MEMFD, TWICE);
    each_call_fails(CALL_GROW, TWICE);
    each_call_fails(CALL_MAP, TWICE);
}

/* Lines, call paths and samples have memory of their own: each can be lacking alone. */
TEST(options_without_memory) {
    wish_all = true;
    lacking = 0;
    each_call_fails(CALL_MAP, ONCE);
    ck_assert(lacking >> LMP_E_NOLINES & 1 && lacking >> LMP_E_NOSTACKS & 1);
#if defined __x86_64__
    ck_assert(lacking >> LMP_E_NOSAMPLE & 1 && lacking & 1);
#endif
    wish_all = false;
}

/* ---- limits of the process (each test is a process of its own) ------------------------------- */

/* Returns the limit that there was. */
static rlim_t limit(int what, rlim_t to) {
    struct rlimit l;
    getrlimit(what, &l);
    rlim_t old = l.rlim_cur;
    l.rlim_cur = to;
    ck_assert_int_eq(setrlimit(what, &l), 0);
    return old;
}

TEST(no_more_files) {
    uint64_t dropped;
    rlim_t old = limit(RLIMIT_NOFILE, 3);
    ck_assert(!live(&dropped));
    limit(RLIMIT_NOFILE, old); /* the sanitizers want files at the end */
}

/* SIGXFSZ would kill the program. */
TEST(small_files_only) {
    uint64_t dropped;
    limit(RLIMIT_FSIZE, 1000);
    ck_assert(!live(&dropped));
}

TEST(files_of_some_size) {
    uint64_t dropped;
    limit(RLIMIT_FSIZE, LMP_LEAVES_AT + (48u << 20));
    ck_assert(live(&dropped));
    ck_assert_uint_gt(dropped, 0);
}

TEST(little_address_space) {
    uint64_t dropped;
    if (SANITIZED) return; /* needs terabytes of it */
    char line[256];
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (fgets(line, sizeof line, f)) pages = strtoul(line, NULL, 10);
    fclose(f);
    int profiled = 0, refused = 0;
    for (rlim_t more = 8u << 20; more <= 512u << 20; more += 24u << 20) {
        limit(RLIMIT_AS, pages * 4096 + more);
        if (live(&dropped))
            profiled++;
        else
            refused++;
    }
    ck_assert_int_gt(refused, 0);
    ck_assert_int_gt(profiled, 0);
}
