/* Tests that sizes are what was asked for. C code may call the allocator that lua_getallocf
 * answers, and say any size when it resizes or frees a block: Lua's own allocator ignores that.
 * Here such code works in a profiled state, called by lines and coroutines, with blocks of all
 * tags, sizes and places, over a judge that ignores sizes, too, and keeps books of its own. After
 * every stretch of operations all figures have changed by what the books say, to the byte; in every
 * mode, and by the slow path as well. What a sample adds is taken away again. */
#include <pthread.h>
#include <sys/mman.h>

#include "agent/hook/sample.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/collector.h"
#include "agent/interp/luafacts.h"
#include "agent/map/shadow.h"
#include "profiled.h"
#include "read/stats.h"
#include "shared/counters.h"

/* ---- the judge ------------------------------------------------------------------------------- */

typedef struct Call {
    void *ptr;
    size_t osize, nsize;
} Call;

static bool strange; /* a request of the C code, not Lua's: it is answered with `answer` */
static void *answer;
static Call last;

static void *judge(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    if (!strange) {
        if (nsize) return realloc(ptr, nsize);
        free(ptr);
        return NULL;
    }
    last = (Call){ptr, osize, nsize};
    return nsize ? answer : NULL;
}

/* ---- its books ------------------------------------------------------------------------------- */

enum { BLOCKS = 200, ROOM = 16 << 20 };

typedef struct Block {
    uintptr_t addr;
    uint64_t size;
    unsigned cls;
    bool gone; /* freed in another thread: known until its place is given out again */
} Block;

typedef struct Book {
    uint64_t allocs, alloc_bytes, frees, free_bytes, reallocs, realloc_bytes;
} Book;

static LmpProfile *profile;
static Block block[BLOCKS];
static unsigned blocks;
static Book book[LMP_CLASSES];
static uint64_t live, peak, other_sizes, failed;
static uintptr_t room; /* memory for blocks that Lua might look into */

static const struct {
    unsigned tag, cls;
} tags[] = {{0, LMP_C_OTHER},
            {LUA_TSTRING, LMP_C_STRING},
            {LUA_TTABLE, LMP_C_TABLE},
            {LUA_TFUNCTION, LMP_C_FUNCTION},
            {LUA_TUSERDATA, LMP_C_USERDATA},
            {LUA_TTHREAD, LMP_C_THREAD},
            {LUA_NUMTYPES, LMP_C_FUNCTION_PART}};
enum { TAGS = sizeof tags / sizeof *tags };

static bool is_free(uintptr_t addr, uint64_t size, const Block *except) {
    for (const Block *b = block; b < block + blocks; b++)
        if (b != except && addr < b->addr + b->size + 64 && b->addr < addr + size + 64)
            return false;
    return true;
}

/* On the grid, beside it, and beyond all addresses that processes have. Those with a tag have
 * memory. Where a block was freed in another thread it may be given out again. */
static uintptr_t some_addr(uint64_t size, bool tagged, const Block *except) {
    static const uintptr_t bases[] = {0x3f0000000000, 0x3f0003fff000, (1ull << 56) + 4096};
    static const uint64_t aligns[] = {16, 16, 16, 32, 8, 1};
    if (blocks && suite_below(20) == 0) {
        const Block *b = &block[suite_below(blocks)];
        if (b->gone && b != except && is_free(b->addr, size, b)) return b->addr;
    }
    for (uint64_t tries = 0;; tries++) {
        bool real = tagged || (size < ROOM / 2 && suite_below(4));
        uintptr_t addr = real ? room + suite_below(ROOM - size)
                              : bases[suite_below(3)] + suite_below(0x20000) + (tries / 50 << 36);
        addr &= ~(aligns[suite_below(6)] - 1);
        if (is_free(addr, size, except)) return addr;
    }
}

static uint64_t some_size(bool tagged) {
    static const uint64_t limits[] = {
        LMP_BLOCK_SMALL - 1, LMP_BLOCK_SMALL,  LMP_BLOCK_SMALL + 1, LMP_PACK_MAX - 1,
        LMP_PACK_MAX,        LMP_PACK_MAX + 1, LMP_BLOCK_BIG - 1,   LMP_BLOCK_BIG,
        (1ull << 32) - 1,    1ull << 32,       (1ull << 32) + 5,    9ull << 30,
    };
    uint64_t size = suite_below(50) ? 1 + suite_below(suite_below(2) ? 80 : 5000)
                                    : limits[suite_below(sizeof limits / sizeof *limits)];
    if (size == collector_birth()->size || (tagged && size > 5000)) size = 72;
    return size;
}

/* What is said to be the size of a block. */
static size_t some_word(uint64_t size) {
    const uint64_t wrong[] = {0,        (size + 15) & ~15ull, size + 1,          size - 1,
                              size * 2, size + (1ull << 28),  size | 1ull << 59, suite_below(5000),
                              ~0ull,    size + (1ull << 60),  suite_random()};
    return suite_below(3) ? wrong[suite_below(sizeof wrong / sizeof *wrong)] : size;
}

static void note_live(uint64_t change) {
    live += change;
    if (live > peak) peak = live;
}

static void note_free(Block *b) {
    book[b->cls].frees++;
    book[b->cls].free_bytes += b->size;
    live -= b->size;
    *b = block[--blocks];
}

/* Its place is given out again: the profiler finds that it is gone. */
static void note_reused(uintptr_t addr, const Block *except) {
    for (Block *b = block; b < block + blocks; b++)
        if (b != except && b->addr == addr) {
            ck_assert(b->gone);
            note_free(b);
            return;
        }
}

/* ---- the C code ------------------------------------------------------------------------------ */

static lua_Alloc alloc;
static void *alloc_ud;

static void *request(void *ptr, size_t osize, size_t nsize) {
    strange = true;
    void *r = alloc(alloc_ud, ptr, osize, nsize);
    strange = false;
    ck_assert(last.ptr == ptr && last.osize == osize && last.nsize == nsize);
    ck_assert(r == (nsize ? answer : NULL));
    return r;
}

static void make_at(uintptr_t addr, uint64_t size, unsigned tag) {
    answer = (void *)addr; /* NOLINT */
    request(NULL, tags[tag].tag, size);
    note_reused(addr, NULL);
    book[tags[tag].cls].allocs++;
    book[tags[tag].cls].alloc_bytes += size;
    note_live(size);
    block[blocks++] = (Block){addr, size, tags[tag].cls, false};
}

static void make(void) {
    unsigned tag = (unsigned)suite_below(TAGS);
    uint64_t size = some_size(tag > 0);
    make_at(some_addr(size, tag > 0, NULL), size, tag);
}

static void resize(Block *b) {
    bool tagged = b->cls != LMP_C_OTHER, refused = suite_below(10) == 0;
    uint64_t size = some_size(tagged), said = some_word(b->size);
    bool stays =
        suite_below(2) && is_free(b->addr, size, b) && (!tagged || b->addr + size < room + ROOM);
    uintptr_t addr = stays ? b->addr : some_addr(size, tagged, b);
    answer = refused ? NULL : (void *)addr; /* NOLINT */
    request((void *)b->addr, said, size);   /* NOLINT */
    failed += refused;
    if (refused) return;
    other_sizes += said != b->size;
    book[b->cls].reallocs++;
    book[b->cls].realloc_bytes += size - b->size;
    note_live(size - b->size);
    b->size = size;
    b->addr = addr;
    note_reused(addr, b);
}

static void release(Block *b) {
    uint64_t said = some_word(b->size);
    request((void *)b->addr, said, 0); /* NOLINT */
    other_sizes += said != b->size;
    note_free(b);
}

static void *release_there(void *arg) {
    const Block *b = arg;
    request((void *)b->addr, some_word(b->size), 0); /* NOLINT */
    return NULL;
}

/* A library that has kept the allocator frees it in a thread of its own. */
static void release_elsewhere(Block *b) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, release_there, b), 0);
    pthread_join(thread, NULL);
    b->gone = true;
}

static void operate(void) {
    Block *b = blocks ? &block[suite_below(blocks)] : NULL;
    unsigned kind = (unsigned)suite_below(5);
    if (!b || (kind < 2 && blocks < BLOCKS)) {
        make();
    } else if (b->gone) {
        return;
    } else if (kind < 3) {
        resize(b);
    } else if (suite_below(2000) == 0) {
        release_elsewhere(b);
    } else {
        release(b);
    }
}

/* All blocks; in place of those that are gone others are made first. */
static void release_all(void) {
    while (blocks) {
        Block *b = &block[blocks - 1];
        if (b->gone) make_at(b->addr, 8, 0);
        release(&block[blocks - 1]);
    }
}

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct Figures {
    LmpClassTotal total[LMP_CLASSES];
    LmpStats stats;
    uint64_t live, failed, by_records, by_nodes; /* bytes */
} Figures;

static uint64_t held(const LmpUsage *u) {
    ck_assert(u->bytes >= u->free_bytes && u->allocs >= u->frees); /* never below nothing */
    return u->bytes - u->free_bytes;
}

static void look(Figures *f) {
    memset(f, 0, sizeof *f);
    counters_read(profile->counters, f->total);
    stats_derive(profile->live, 0, &f->stats);
    f->live = profile->counters->live_bytes;
    f->failed = profile->counters->failed;
    for (uint32_t i = 0; profile->lines && i < profile->live->tables.records; i++)
        f->by_records += held(&profile->record[i].use);
    LmpUsage young;
    for (uint32_t i = 0; profile->tree && i < profile->live->tables.nodes; i++)
        f->by_nodes += held(tables_node_usage(&profile->tables, i, &young));
}

static void compare(const Figures *was) {
    Figures now;
    look(&now);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
        const LmpClassTotal *a = &was->total[c], *b = &now.total[c];
        ck_assert_msg(b->allocs - a->allocs == book[c].allocs &&
                          b->alloc_bytes - a->alloc_bytes == book[c].alloc_bytes,
                      "made, of class %u", c);
        ck_assert_msg(b->frees - a->frees == book[c].frees &&
                          b->free_bytes - a->free_bytes == book[c].free_bytes,
                      "freed, of class %u", c);
        ck_assert_msg(b->reallocs - a->reallocs == book[c].reallocs &&
                          (uint64_t)(b->realloc_bytes - a->realloc_bytes) == book[c].realloc_bytes,
                      "resized, of class %u", c);
    }
    ck_assert_uint_eq(now.live, live);
    ck_assert_uint_eq(now.stats.live_bytes, live);
    ck_assert_uint_eq(now.stats.peak_bytes, peak);
    ck_assert_uint_eq(now.stats.other_sizes, other_sizes);
    ck_assert_uint_eq(now.failed, failed);
    ck_assert_uint_eq(now.stats.dropped, 0);
    if (profile->exact) ck_assert_uint_eq(now.by_records - was->by_records, now.live - was->live);
    if (profile->exact && profile->tree)
        ck_assert_uint_eq(now.by_nodes - was->by_nodes, now.live - was->live);
}

static void (*what)(void);

/* churn(n): `what` n times, and all figures compared. */
static int churn(lua_State *L) {
    lua_Integer n = lua_tointeger(L, 1);
    Figures was;
    look(&was);
    memset(book, 0, sizeof book);
    live = was.live;
    peak = was.stats.peak_bytes;
    other_sizes = was.stats.other_sizes;
    failed = was.failed;
    while (n-- > 0)
        what();
    compare(&was);
    return 0;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static const char program[] =
    "local churn = ...\n"
    "local function twice(n) churn(n) churn(n) end\n"
    "local co = coroutine.wrap(function()\n"
    "  while true do churn(60) coroutine.yield() pcall(churn, 40) end end)\n"
    "return function(turns) for i = 1, turns do\n"
    "  churn(50)\n"
    "  twice(100) co() co()\n"
    "end end";

enum { TURN = 50 + 200 + 100, OPERATIONS = 1000000 };

typedef struct Mode {
    bool lines, stacks, slow;
    uint64_t sample;
} Mode;

static bool slowly;

static void play(lua_State *L, void (*operation)(void), int turns) {
    what = operation;
    if (slowly) slow_path_always(profile, true);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, turns);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) ck_abort_msg("%s", lua_tostring(L, -1));
}

static void run(Mode mode) {
    LmpOptions options = profiler_defaults;
    suite_again();
    void *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room = (uintptr_t)memory;
    blocks = 0;
    lua_State *L = luafacts_newstate(judge, NULL);
    luaL_openlibs(L);
    lua_gc(L, LUA_GCSTOP);
    ck_assert_int_eq(luaL_loadstring(L, program), LUA_OK);
    lua_pushcfunction(L, churn);
    lua_call(L, 1, 1);
    options.lines = mode.lines;
    options.stacks = mode.stacks;
    options.sample = mode.sample;
    profile = profiled_start(L, options);
    alloc = lua_getallocf(L, &alloc_ud);
    slowly = mode.slow;
    play(L, operate, 1); /* what Lua needs for itself is there from now on */
    play(L, release_all, 1);
    Figures was, now;
    look(&was);
    double estimated = 0, there = 0;
    for (int i = 0; i < OPERATIONS / TURN / 50; i++) {
        play(L, operate, 50);
        look(&now);
        estimated += (double)(now.by_records - was.by_records);
        there += (double)(now.live - was.live);
    }
    if (mode.sample)
        ck_assert_msg(estimated > there * 0.95 && estimated < there * 1.05,
                      "%g bytes, estimated as %g", there, estimated);
    play(L, release_all, 1);
    look(&now);
    ck_assert_uint_eq(now.live, was.live);
    ck_assert_uint_eq(now.by_records, was.by_records);
    ck_assert_uint_eq(now.by_nodes, was.by_nodes);
    ck_assert_uint_eq(now.stats.before_frees, was.stats.before_frees);
    profiler_stop(L, NULL);
    lua_close(L);
    munmap(memory, ROOM);
}

#define MODE(name, ...)                                                                            \
    TEST(name) {                                                                                   \
        run((Mode){__VA_ARGS__});                                                                  \
    }

MODE(totals, .lines = false)
MODE(lines, .lines = true)
MODE(stacks, .stacks = true)
MODE(sampled, .lines = true, .sample = 4096)
MODE(sampled_stacks, .stacks = true, .sample = 4096)
MODE(totals_slowly, .slow = true)
MODE(stacks_slowly, .stacks = true, .slow = true)
