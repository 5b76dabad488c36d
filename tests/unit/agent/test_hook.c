/* Tests of hook.c with shadow.c and state.c: over an allocator that answers with any addresses and
 * refuses now and then, the counters and the map equal a naive list of blocks after every
 * operation, whatever sizes callers say when they give blocks back; arguments and results pass
 * through untouched. No block's memory is ever looked at. */
#include "agent/hook/hook.h"

#include "agent/charge/line_cache.h"
#include "agent/charge/lines.h"
#include "agent/hook/foreign.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/tick.h"
#include "agent/interp/owner.h"
#include "agent/map/shadow.h"
#include "bare_profile.h"
#include "base/os.h"
#include "read/stats.h"
#include "shared/counters.h"

/* ---- the allocator underneath: hands out addresses, never memory ----------------------------- */

typedef struct Call {
    void *ud, *ptr;
    size_t osize, nsize;
} Call;

static Call last;    /* what it was asked for */
static void *answer; /* what it says */
static int underneath_ud;

static void *underneath(void *ud, void *ptr, size_t osize, size_t nsize) {
    last = (Call){ud, ptr, osize, nsize};
    return nsize ? answer : NULL;
}

/* ---- the naive model ------------------------------------------------------------------------- */

enum { BLOCKS = 400 };

typedef struct Block {
    uint64_t addr, size;
    unsigned tag; /* of the request */
    bool before;  /* from before start */
} Block;

static Block block[BLOCKS];
static int blocks;

static bool is_free(uint64_t addr, uint64_t size, int except) {
    for (int i = 0; i < blocks; i++)
        if (i != except && addr < block[i].addr + block[i].size && block[i].addr < addr + size)
            return false;
    return true;
}

/* Addresses of every kind: neighbours on and off the grid, at the end of a leaf, far above. */
static uint64_t some_addr(uint64_t size, int except) {
    static const uint64_t bases[] = {0x10000,        0x3fff000,      0x7ffe00000000,
                                     0x555500000000, 0xfffe00000000, (1ull << 56) + 4096};
    for (uint64_t tries = 0;; tries++) { /* further up where all is taken by a very large block */
        uint64_t addr = bases[suite_below(6)] + suite_below(0x2000) + (tries / 50 << 34);
        static const uint64_t aligns[] = {16, 16, 16, 32, 8, 1};
        addr &= ~(aligns[suite_below(6)] - 1);
        if (suite_below(10) == 0)
            addr = (addr | ((1ull << LMP_LEAF_BITS) - 1)) - 31; /* last grain */
        if (is_free(addr, size, except)) return addr;
    }
}

static uint64_t some_size(void) {
    static const uint64_t limits[] = {40, 64, 100, 5000, 1ull << 26, 1ull << 33};
    return 1 + suite_below(limits[suite_below(100) < 95 ? suite_below(3) : suite_below(6)]);
}

/* What a caller says that a block's size is: now and then not what it is. */
static uint64_t said_size(uint64_t size) {
    const uint64_t wrong[] = {0,           (size + 15) & ~15ull, size + 1,
                              size - 1,    size + LMP_BLOCK_BIG, size + (1ull << 60),
                              some_size(), suite_random()};
    return suite_below(3) ? size : wrong[suite_below(sizeof wrong / sizeof *wrong)];
}

static const unsigned tags[] = {0, 4, 5, 6, 7, 8, 9, 10};

static unsigned class_of_tag(unsigned tag) {
    static const unsigned cls[] = {
        [0] = LMP_C_OTHER,         [4] = LMP_C_STRING,        [5] = LMP_C_TABLE,
        [6] = LMP_C_FUNCTION,      [7] = LMP_C_USERDATA,      [8] = LMP_C_THREAD,
        [9] = LMP_C_FUNCTION_PART, [10] = LMP_C_FUNCTION_PART};
    return cls[tag];
}

static LmpProfile *profile;
static const LmpCallClasses no_owners; /* every raw request is nobody's */

static void teardown(void) {
    bare_profile_end(profile);
}

static void setup(void) {
    suite_closes(teardown);
    profile = bare_profile();
    profile->pass.alloc = underneath;
    profile->pass.ud = &underneath_ud;
    profile->owners = &no_owners;
    profile->gc_word = profile->collector->none;
    profile->tick_ops = 16;
    atomic_store(&profile->pass.thread, foreign_thread());
    profile->skew = suite_below(2) ? 8 : 0;
    slow_path_always(profile, false);
    tick_now(profile);
    blocks = 0;
}

typedef struct Expected {
    uint64_t allocs[LMP_CLASSES], alloc_bytes[LMP_CLASSES], frees[LMP_CLASSES],
        reallocs[LMP_CLASSES];
    uint64_t live[LMP_CLASSES], blocks[LMP_CLASSES];
    uint64_t failed, before_frees, before_reallocs, peak, total, other_sizes;
} Expected;

static Expected want;

static void note_live(unsigned cls, uint64_t delta, uint64_t count) {
    want.live[cls] += delta;
    want.blocks[cls] += count;
    want.total += delta;
    if (want.total > want.peak) want.peak = want.total;
}

static void one_operation(int round) {
    Call asked = {profile, NULL, 0, 0};
    int i = blocks ? (int)suite_below((uint64_t)blocks) : -1;
    bool refuse = suite_below(20) == 0;
    unsigned kind = blocks == BLOCKS ? 2 : (unsigned)suite_below(blocks ? 5 : 1);
    unsigned cls = i >= 0 ? class_of_tag(block[i].tag) : 0;
    if (kind < 2 || i < 0) {
        asked.osize = tags[suite_below(8)];
        asked.nsize = some_size();
        answer = refuse ? NULL : (void *)(uintptr_t)some_addr(asked.nsize, -1);
    } else if (kind < 4) {
        asked.ptr = (void *)(uintptr_t)block[i].addr;
        asked.osize = said_size(block[i].size);
    } else {
        asked.ptr = (void *)(uintptr_t)block[i].addr;
        asked.osize = said_size(block[i].size);
        asked.nsize = some_size();
        bool stays = suite_below(2) && is_free(block[i].addr, asked.nsize, i);
        answer = refuse ? NULL : stays ? asked.ptr : (void *)(uintptr_t)some_addr(asked.nsize, i);
    }
    void *got = hook_alloc(profile, asked.ptr, asked.osize, asked.nsize);
    ck_assert_msg(last.ud == &underneath_ud && last.ptr == asked.ptr && last.osize == asked.osize &&
                      last.nsize == asked.nsize,
                  "round %d", round);
    ck_assert_msg(got == (asked.nsize ? answer : NULL), "round %d", round);

    if (asked.nsize && refuse) {
        want.failed++;
    } else if (!asked.ptr) {
        unsigned c = class_of_tag((unsigned)asked.osize);
        block[blocks++] = (Block){(uintptr_t)got, asked.nsize, (unsigned)asked.osize, false};
        want.allocs[c]++;
        want.alloc_bytes[c] += asked.nsize;
        note_live(c, asked.nsize, 1);
    } else if (!asked.nsize) {
        if (block[i].before) {
            want.before_frees++;
        } else {
            want.frees[cls]++;
            want.other_sizes += asked.osize != block[i].size;
            note_live(cls, -block[i].size, (uint64_t)-1);
        }
        block[i] = block[--blocks];
    } else {
        if (block[i].before) {
            want.before_reallocs++;
        } else {
            want.reallocs[cls]++;
            want.other_sizes += asked.osize != block[i].size;
            note_live(cls, asked.nsize - block[i].size, 0);
        }
        block[i].addr = (uintptr_t)got;
        block[i].size = asked.nsize;
    }
}

static void compare(int round) {
    LmpClassTotal total[LMP_CLASSES];
    const LmpCounters *c = profile->counters;
    counters_read(c, total);
    for (unsigned k = 1; k < LMP_C_COUNTED; k++) {
        ck_assert_msg(total[k].allocs == want.allocs[k],
                      "class %u round %d: %llu, not %llu; dropped %llu", k, round,
                      (unsigned long long)total[k].allocs, (unsigned long long)want.allocs[k],
                      (unsigned long long)c->dropped);
        ck_assert_msg(total[k].alloc_bytes == want.alloc_bytes[k], "class %u round %d", k, round);
        ck_assert_msg(total[k].frees == want.frees[k], "class %u round %d", k, round);
        ck_assert_msg(total[k].reallocs == want.reallocs[k], "class %u round %d", k, round);
        ck_assert_msg(total[k].live_bytes == want.live[k], "class %u round %d", k, round);
        ck_assert_msg(total[k].live_blocks == want.blocks[k], "class %u round %d", k, round);
    }
    ck_assert_msg(c->live_bytes == want.total, "round %d", round);
    LmpStats stats;
    stats_derive(profile->live, 0, &stats);
    ck_assert_msg(stats.peak_bytes == want.peak, "round %d", round);
    ck_assert_msg(c->failed == want.failed && c->dropped == 0, "round %d", round);
    ck_assert_msg(c->before_frees == want.before_frees, "round %d", round);
    ck_assert_msg(c->before_reallocs == want.before_reallocs, "round %d", round);
    ck_assert_msg(stats.other_sizes == want.other_sizes, "round %d", round);
    for (int i = 0; i < blocks; i++) {
        uint64_t size = 0;
        uint32_t e = shadow_lookup(profile, block[i].addr, &size);
        if (block[i].before) {
            ck_assert_msg(e == 0, "round %d block %llx", round, (unsigned long long)block[i].addr);
        } else {
            ck_assert_msg((e & 15) == class_of_tag(block[i].tag) && size == block[i].size,
                          "round %d block %llx size %llu, map says %llu class %u", round,
                          (unsigned long long)block[i].addr, (unsigned long long)block[i].size,
                          (unsigned long long)size, e & 15);
        }
    }
}

TEST(equals_a_list_of_blocks) {
    setup();
    memset(&want, 0, sizeof want);
    for (int i = 0; i < 20; i++) { /* made before start: the hook has never heard of them */
        uint64_t size = some_size();
        uint64_t addr = some_addr(size, -1);
        block[blocks++] = (Block){addr, size, 5, true};
    }
    for (int round = 0; round < 30000; round++) {
        one_operation(round);
        if (round < 500 || round % 37 == 0) compare(round);
    }
    compare(30000);
}

/* Looks at what was ever written to a leaf only: reading the rest would allocate it. */
static void assert_leaf_is_empty(uint32_t n) {
    enum { ENTRIES = LMP_LEAF_ENTRIES + LMP_LEAF_BEYOND };
    const uint32_t *entry = profile->leaves.all[n]->entry;
    off_t start = (off_t)(LMP_LEAVES_AT + n * sizeof(LmpLeaf) + offsetof(LmpLeaf, entry));
    off_t end = start + (off_t)(ENTRIES * sizeof *entry), at = start;
    int fd = profile->file.fd;
    while ((at = lseek(fd, at, SEEK_DATA)) >= start && at < end) {
        off_t hole = lseek(fd, at, SEEK_HOLE);
        for (off_t i = (at - start) / 4; i < (hole < end ? hole - start : end - start) / 4; i++)
            ck_assert_msg(entry[i] == 0 ||
                              (i == 0 && LMP_LEAF_BASE(profile->live->leaf_base[n]) == 0),
                          "leaf %u entry %lld", n, (long long)i);
        at = hole;
    }
}

/* Whatever was in the map is gone when all is freed: no entry, no size word, nothing off the grid.
 */
TEST(leaves_nothing_behind) {
    setup();
    for (int round = 0; round < 5000; round++)
        one_operation(round);
    while (blocks) {
        Block b = block[--blocks];
        hook_alloc(profile, (void *)(uintptr_t)b.addr, said_size(b.size), 0);
    }
    for (uint32_t n = 0; n < profile->live->leaves; n++)
        assert_leaf_is_empty(n);
    for (uint32_t i = 0; i < profile->overflow->slots; i++)
        ck_assert_msg(profile->overflow->block[i].addr <= 1, "slot %u", i);
    ck_assert_uint_eq(profile->counters->live_bytes, 0);
}

/* Lua frees NULL and asks for nothing now and then: that is no operation. */
TEST(nothing_is_not_counted) {
    setup();
    answer = NULL;
    hook_alloc(profile, NULL, 0, 0);
    hook_alloc(profile, NULL, LUA_TSTRING, 0);
    hook_alloc(profile, NULL, 100, 0);
    slow_path_always(profile, true);
    hook_alloc(profile, NULL, 0, 0);
    LmpStats stats;
    stats_derive(profile->live, 0, &stats);
    ck_assert_uint_eq(stats.mallocs + stats.frees + stats.reallocs + stats.failed, 0);
    ck_assert_uint_eq(stats.before_frees, 0);
}

/* A block from before start, whose place has no entry: its neighbour's is no size of it, whatever
 * the caller says. */
TEST(neighbour_is_no_size) {
    setup();
    answer = (void *)(uintptr_t)(0x30000 | profile->skew);
    hook_alloc(profile, NULL, LUA_TTABLE, 1000);
    hook_alloc(profile, answer, 1000, 0); /* the peak is over */
    answer = (void *)(uintptr_t)(0x20020 | profile->skew);
    hook_alloc(profile, NULL, LUA_TTABLE, 56);
    uint64_t size, said = shadow_lookup(profile, (uintptr_t)answer, &size) >> 4;
    ck_assert_uint_ge(said, LMP_BLOCK_SMALL);
    hook_alloc(profile, (char *)answer - 32, said, 0);
    ck_assert_uint_eq(profile->counters->before_frees, 1);
    ck_assert_uint_eq(profile->counters->live_bytes, 56);
    ck_assert_uint_ne(shadow_lookup(profile, (uintptr_t)answer, &size), 0);
}

/* On the grid, and where blocks stand in the overflow table. */
enum { ON_GRID = 0x20000 };
#define FAR_ABOVE ((1ull << 56) + 4096)

/* A block that somebody freed behind our back, and whose place is given out again, also to one that
 * has moved. */
static void replace_stale(uintptr_t place) {
    setup();
    answer = (void *)place;
    hook_alloc(profile, NULL, LUA_TTABLE, 56);
    hook_alloc(profile, NULL, LUA_TSTRING, 200);
    LmpStats stats;
    stats_derive(profile->live, 0, &stats);
    ck_assert_uint_eq(stats.live_blocks, 1);
    ck_assert_uint_eq(stats.live_bytes, 200);
    ck_assert_uint_eq(stats.kind[LMP_STRING].live_bytes, 200);

    void *moves = (void *)(place + 0x8000), *to = answer;
    answer = moves;
    hook_alloc(profile, NULL, LUA_TUSERDATA, 300);
    answer = to;
    hook_alloc(profile, moves, 300, 400);
    stats_derive(profile->live, 0, &stats);
    ck_assert_uint_eq(stats.live_blocks, 1);
    ck_assert_uint_eq(stats.live_bytes, 400);
    ck_assert_uint_eq(stats.kind[LMP_USERDATA].live_bytes, 400);
    hook_alloc(profile, to, 400, 0);
    ck_assert_uint_eq(profile->counters->live_bytes, 0);
    ck_assert_uint_eq(profile->leaves.overflow, 0);
}

TEST(stale_block_is_replaced) {
    replace_stale(ON_GRID);
    replace_stale(FAR_ABOVE);
}

/* The same of a thread that ran, and of code that was known: what stands there now is neither. */
static void forget_stale_watched(uintptr_t thread) {
    setup();
    LmpCodes codes;
    bool added;
    ck_assert(codes_open(&codes));
    LmpLineCache *cache = lmp_os->map(sizeof *cache, -1, 0, true);
    ck_assert_ptr_nonnull(cache);
    cache->codes = &codes;
    profile->lines = cache;
    const uintptr_t code = thread + 0x1000;
    const lua_State *L = (const lua_State *)(thread + frames_bits.extra);
    answer = (void *)thread;
    hook_alloc(profile, NULL, LUA_TTHREAD, 200);
    shadow_notify(profile, thread);
    answer = (void *)code;
    hook_alloc(profile, NULL, LUA_NUMTYPES, 80);
    shadow_notify(profile, code);
    lines_switch(profile, L);
    codes_note_home(&codes, codes_note(&codes, code, &added), 1);
    ck_assert(lines_is_thread(profile, L));
    ck_assert_ptr_nonnull(codes_find(&codes, code));

    void *moves = (void *)(code + 0x1000); /* both places are given out once more, one to this */
    answer = moves;
    hook_alloc(profile, NULL, LUA_TTABLE, 56);
    answer = (void *)code;
    hook_alloc(profile, moves, 56, 80);
    ck_assert_ptr_null(codes_find(&codes, code));
    ck_assert_ptr_eq(profile->running, L);
    answer = (void *)thread;
    hook_alloc(profile, NULL, LUA_TTABLE, 56);
    ck_assert_ptr_null(profile->running);
    ck_assert(!lines_is_thread(profile, L));
    for (int i = 0; i < LMP_RAN_LATELY; i++)
        ck_assert_ptr_null(cache->lately[i]);

    profile->lines = NULL;
    lmp_os->unmap(cache, sizeof *cache);
    codes_close(&codes);
}

TEST(stale_watched_block_is_forgotten) {
    forget_stale_watched(ON_GRID);
    forget_stale_watched(FAR_ABOVE);
}

/* ---- when the system refuses us memory for the map ------------------------------------------- */

static int grow_calls;

static bool no_grow(int fd, uint64_t size) {
    (void)fd;
    (void)size;
    grow_calls++;
    return false;
}

TEST(refused_leaves_drop_blocks) {
    setup();
    LmpOs os = os_real;
    os.grow = no_grow;
    lmp_os = &os;
    for (uint64_t i = 0; i < 10; i++) {
        answer = (void *)(uintptr_t)(0x10000 + i * 64);
        ck_assert_ptr_eq(hook_alloc(profile, NULL, LUA_TTABLE, 56), answer);
    }
    ck_assert_int_eq(grow_calls, 1); /* not a system call for every allocation */
    LmpStats stats;
    stats_derive(profile->live, 0, &stats);
    ck_assert_uint_eq(stats.dropped, 10);
    ck_assert_uint_eq(stats.dropped_bytes, 560);
    ck_assert_uint_eq(stats.mallocs, 0);
    ck_assert_uint_eq(stats.live_bytes, 0);
    hook_alloc(profile, (void *)(uintptr_t)0x10000, 56, 0);
    lmp_os = &os_real;
    tick_now(profile); /* asked again now */
    answer = (void *)(uintptr_t)0x10000;
    hook_alloc(profile, NULL, LUA_TTABLE, 56);
    stats_derive(profile->live, 0, &stats);
    ck_assert_uint_eq(stats.dropped, 10);
    ck_assert_uint_eq(stats.mallocs, 1);
}

TEST(births_halve) {
    setup();
    answer = (void *)(uintptr_t)0x40000;
    profile->birth = 200u << LMP_BLOCK_BIRTH_SHIFT;
    hook_alloc(profile, NULL, LUA_TTABLE, 56);
    answer = (void *)(uintptr_t)0x40008; /* off the grid */
    hook_alloc(profile, NULL, LUA_TTABLE, 8);
    shadow_halve_births(profile);
    ck_assert_uint_eq(LMP_BLOCK_BIRTH(shadow_take(profile, 0x40000).entry), 100);
    ck_assert_uint_eq(LMP_BLOCK_BIRTH(shadow_take(profile, 0x40008).entry), 100);
}
