/* Tests of shadow.c: the map against a naive list of blocks, at addresses of every kind, with all
 * that an entry keeps (class, birth, cycle, who made it); when all entries change at once; when the
 * table of what fits no grid grows, and when memory for it is refused; and where the blocks of a
 * program usually stand. No block's memory is ever looked at. */
#include "agent/interp/luafacts.h"
#include "agent/map/shadow.h"

#include <lauxlib.h>

#include "bare_profile.h"
#include "base/os.h"

/* ---- a profile with nothing but its map ------------------------------------------------------ */

static LmpProfile *p;
static LmpOs os;
static int maps_left;       /* before mapping is refused once; below 0: never */
static uint64_t grown;      /* bytes that the file was made to have, the last time */
static unsigned grow_calls; /* count */

static void *test_map(size_t size, int fd, uint64_t offset, bool writable) {
    if (maps_left >= 0 && maps_left-- == 0) return NULL;
    return os_real.map(size, fd, offset, writable);
}

static bool test_grow(int fd, uint64_t size) {
    grown = size;
    grow_calls++;
    return os_real.grow(fd, size);
}

static void end(void) {
    lmp_os = &os_real;
    p->lines = NULL;
    bare_profile_end(p);
}

static void begin(bool lines) {
    suite_closes(end);
    static struct LmpLineCache *some = (struct LmpLineCache *)&os; /* that there is one counts */
    p = bare_profile();
    p->lines = lines ? some : NULL;
    maps_left = -1;
    os = os_real;
    os.map = test_map;
    os.grow = test_grow;
    lmp_os = &os;
}

/* ---- the naive list -------------------------------------------------------------------------- */

enum { MOST = 3000 };

typedef struct Block {
    uint64_t addr, size;
    uint32_t cls, birth, cycle, context;
    bool notify;
} Block;

static Block block[MOST];
static unsigned blocks;

static bool is_free(uint64_t addr, uint64_t size) {
    for (unsigned i = 0; i < blocks; i++)
        if (addr < block[i].addr + block[i].size && block[i].addr < addr + size) return false;
    return true;
}

/* Mostly in a small space, where many are neighbours; `far`: of ten, so many fit no grid. */
static uint64_t some_addr(uint64_t size, unsigned far) {
    for (;;) {
        uint64_t base = suite_below(10) < far ? (1ull << 56) + 4096
                        : suite_below(40)     ? 0x10000
                                              : 0x3fffe00; /* the end of a leaf */
        uint64_t addr = base + suite_below(suite_below(2) ? 0x4000 : 0x100000);
        if (size >= LMP_BLOCK_BIG / 2) addr += (1 + suite_below(4000)) << 32;
        addr &= ~((suite_below(3) ? 16ull : 1ull << suite_below(6)) - 1);
        if (is_free(addr, size)) return addr;
    }
}

static uint64_t some_size(void) {
    static const uint64_t limits[] = {70, 100, 300};
    if (suite_below(300) == 0) return LMP_BLOCK_BIG - 2 + suite_below(1ull << 30);
    return 1 + suite_below(limits[suite_below(3)]);
}

static uint32_t entry_of(const Block *b) {
    return b->cls | b->birth << LMP_BLOCK_BIRTH_SHIFT | b->cycle << LMP_BLOCK_CYCLE_SHIFT;
}

static void check(const Block *b, uint32_t entry, uint64_t size, uint32_t context) {
    ck_assert_msg((entry & 15) == b->cls && size == b->size && LMP_BLOCK_BIRTH(entry) == b->birth &&
                      LMP_BLOCK_CYCLE(entry) == b->cycle && (!p->lines || context == b->context),
                  "block at %llx: class %u size %llu birth %u cycle %u context %u, not %u %llu %u "
                  "%u %u",
                  (unsigned long long)b->addr, entry & 15, (unsigned long long)size,
                  LMP_BLOCK_BIRTH(entry), LMP_BLOCK_CYCLE(entry), context, b->cls,
                  (unsigned long long)b->size, b->birth, b->cycle, b->context);
    if (b->notify) ck_assert(entry & LMP_BLOCK_NOTIFY);
    if (!b->notify && b->size < 1u << 20) ck_assert(!(entry & LMP_BLOCK_NOTIFY));
}

static void look(const Block *b) {
    uint64_t size = 0;
    uint32_t entry = shadow_lookup(p, b->addr, &size), *context = shadow_context(p, b->addr);
    ck_assert_ptr_nonnull(context);
    check(b, entry, size, *context);
}

static void place(uint64_t addr, uint64_t size) {
    Block b = {addr,
               size,
               1 + (uint32_t)suite_below(LMP_C_COUNTED - 1),
               (uint32_t)suite_below(256),
               (uint32_t)suite_below(12),
               1 + (uint32_t)suite_below(1000),
               false};
    LmpTaken stale;
    ck_assert(shadow_place(p, b.addr, b.size, entry_of(&b), b.context, &stale));
    ck_assert_uint_eq(stale.entry, 0);
    if (suite_below(4) == 0) {
        shadow_notify(p, b.addr);
        b.notify = true;
    }
    block[blocks++] = b;
}

static void take(unsigned i) {
    uint64_t size = 0;
    Block b = block[i];
    LmpTaken taken = shadow_take(p, b.addr);
    check(&b, taken.entry, taken.size, taken.alloc_context);
    ck_assert_uint_eq(shadow_lookup(p, b.addr, &size), 0);
    ck_assert_ptr_null(shadow_context(p, b.addr));
    taken = shadow_take(p, b.addr);
    ck_assert(!taken.entry && !taken.size && !taken.alloc_context);
    block[i] = block[--blocks];
}

/* Somebody else freed it, and its place is given out again. */
static void replace(unsigned i) {
    LmpTaken stale;
    Block *b = &block[i], old = *b;
    b->cls = 1 + (b->cls + 1) % (LMP_C_COUNTED - 1);
    b->context++;
    b->notify = false;
    if (b->size > 8) b->size -= suite_below(8);
    ck_assert(shadow_place(p, b->addr, b->size, entry_of(b), b->context, &stale));
    check(&old, stale.entry, stale.size, stale.alloc_context);
}

static void look_at_all(void) {
    for (unsigned i = 0; i < blocks; i++)
        look(&block[i]);
}

static void halve(void) {
    shadow_halve_births(p);
    for (unsigned i = 0; i < blocks; i++)
        block[i].birth = (block[i].birth + 1) / 2;
}

static void age(void) {
    uint32_t cycle = 2 + (uint32_t)suite_below(9);
    p->birth = cycle << LMP_BLOCK_CYCLE_SHIFT;
    shadow_age_cycles(p);
    for (unsigned i = 0; i < blocks; i++)
        block[i].cycle = block[i].cycle == cycle ? 2 : block[i].cycle + 1 == cycle;
}

/* `most`: blocks that live at once. */
static void play(unsigned rounds, unsigned most, unsigned far) {
    blocks = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned what = (unsigned)suite_below(100);
        if (blocks < most && (what < 55 || !blocks)) {
            uint64_t size = some_size();
            place(some_addr(size, far), size);
        } else if (what < 90) {
            take((unsigned)suite_below(blocks));
        } else if (what < 98) {
            replace((unsigned)suite_below(blocks));
        } else {
            look(&block[suite_below(blocks)]);
        }
        if (round % 997 == 0) {
            halve();
            look_at_all();
        } else if (round % 499 == 0) {
            age();
            look_at_all();
        }
    }
    look_at_all();
    while (blocks)
        take((unsigned)suite_below(blocks));
    ck_assert_uint_eq(p->leaves.overflow, 0);
    ck_assert_uint_eq(p->overflow->dropped, 0);
}

TEST(equals_a_list) {
    for (int lines = 0; lines < 2; lines++) {
        begin(lines);
        p->skew = lines ? 8 : 0;
        play(8000, 150, 1);
    }
}

/* What is empty is marked as such: a pass over all does not come there again, and readers neither.
 */
TEST(empty_parts_are_left) {
    LmpTaken stale;
    begin(false);
    ck_assert(shadow_place(p, 0x10000, 56, 1, 0, &stale));
    ck_assert(shadow_place(p, 0x410000, 56, 1, 0, &stale));
    LmpLeaf *leaf = p->dir[0];
    ck_assert_uint_eq(leaf->touch[0], 1);
    ck_assert_uint_eq(leaf->touch[4], 1);
    shadow_take(p, 0x410000);
    shadow_halve_births(p);
    ck_assert_uint_eq(leaf->touch[0], 1);
    ck_assert_uint_eq(leaf->touch[4], 0);
}

/* ---- what fits no grid ----------------------------------------------------------------------- */

TEST(the_table_grows) {
    begin(true);
    play(12000, MOST - 1, 9); /* through several sizes of it */
    ck_assert_uint_ge(p->overflow->slots, 2048);
}

/* As few live, what is swept out is only what was used before, again and again. */
TEST(the_table_is_swept_out) {
    begin(true);
    play(6000, 100, 10);
    ck_assert_uint_eq(p->overflow->slots, 256);
    ck_assert_uint_le(p->overflow->used, 192);
}

/* A block for which there is no memory is dropped; those that are there stay, and so does the
 * table. */
TEST(refused_memory_drops_blocks) {
    LmpTaken stale;
    uint64_t at = 1ull << 56, dropped = 0;
    begin(true);
    blocks = 0;
    for (unsigned i = 0; i < 1000; i++, at += 4096) {
        maps_left = i % 5 == 1 ? -1 : 0;
        if (maps_left < 0) {
            place(at, 100);
        } else if (shadow_place(p, at, 100, LMP_C_TABLE, 7, &stale)) {
            block[blocks++] = (Block){at, 100, LMP_C_TABLE, 0, 0, 7, false};
        } else {
            uint64_t size;
            ck_assert_uint_eq(shadow_lookup(p, at, &size), 0);
            dropped++;
        }
    }
    ck_assert_uint_gt(dropped, 3); /* where the table would have grown */
    ck_assert_uint_lt(dropped, 30);
    ck_assert_uint_eq(p->overflow->dropped, dropped);
    ck_assert_uint_eq(p->leaves.overflow, blocks);
    maps_left = -1;
    look_at_all();
}

/* ---- a leaf that cannot be mapped ------------------------------------------------------------ */

TEST(a_leaf_is_asked_for_again) {
    LmpTaken stale;
    begin(true);
    ck_assert(shadow_place(p, 0x10000, 56, LMP_C_TABLE, 0, &stale));
    maps_left = 0;
    ck_assert(!shadow_place(p, 0x10000000, 56, LMP_C_TABLE, 0, &stale));
    ck_assert(p->leaves.refused);
    unsigned calls = grow_calls;
    uint64_t size = grown;
    ck_assert(!shadow_place(p, 0x20000000, 56, LMP_C_TABLE, 0, &stale)); /* nothing is asked */
    ck_assert(!shadow_place(p, 0x10008, 56, LMP_C_TABLE, 0, &stale));
    ck_assert(shadow_place(p, 0x10040, 56, LMP_C_TABLE, 0, &stale)); /* that leaf is there */
    ck_assert_uint_eq(grow_calls, calls);
    ck_assert_uint_eq(p->live->leaves, 1);
    p->leaves.refused = false; /* the next tick */
    ck_assert(shadow_place(p, 0x20000000, 56, LMP_C_TABLE, 0, &stale));
    ck_assert_uint_eq(grow_calls, calls); /* the file had grown for it */
    ck_assert(shadow_place(p, 0x10000000, 56, LMP_C_TABLE, 0, &stale));
    ck_assert_uint_eq(grow_calls, calls + 1);
    ck_assert_uint_eq(grown, size + sizeof(LmpLeaf));
    ck_assert_uint_eq(p->live->leaves, 3);
}

/* ---- where blocks usually stand -------------------------------------------------------------- */

/* Blocks so many bytes beside malloc's places, all but each nth (0: all). */
typedef struct Beside {
    unsigned bytes, each, made;
} Beside;

static void *beside(void *ud, void *ptr, size_t osize, size_t nsize) {
    Beside *b = ud;
    char *old = ptr, *now = NULL;
    if (nsize) {
        char *raw = malloc(nsize + 32);
        if (!raw) return NULL;
        b->made++;
        now = raw + 16 + (b->each && b->made % b->each == 0 ? 0 : b->bytes);
        now[-1] = (char)(now - raw);
        if (ptr) memcpy(now, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr) free(old - old[-1]);
    return now;
}

static uintptr_t skew_of(Beside b, int globals) {
    lua_State *L = luafacts_newstate(beside, &b);
    for (int i = 0; i < globals; i++) {
        lua_newtable(L);
        lua_setglobal(L, lua_pushfstring(L, "name%d", i));
        lua_pop(L, 1);
    }
    if (globals < 0) { /* a host that has no table of globals */
        lua_pushboolean(L, 1);
        lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
        for (int i = 0; i < 20; i++) {
            lua_newtable(L);
            luaL_ref(L, LUA_REGISTRYINDEX);
        }
    }
    int top = lua_gettop(L);
    uintptr_t skew = shadow_usual_skew(L);
    ck_assert_int_eq(lua_gettop(L), top);
    lua_close(L);
    return skew;
}

TEST(usual_skew) {
    static const int globals[] = {-1, 10, 199, 200, 201, 500};
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        ck_assert_uint_eq(skew_of((Beside){0, 0, 0}, globals[i]), 0);
        ck_assert_uint_eq(skew_of((Beside){8, 0, 0}, globals[i]), 8);
        ck_assert_uint_eq(skew_of((Beside){8, 3, 0}, globals[i]), 8);
        ck_assert_uint_eq(skew_of((Beside){12, 3, 0}, globals[i]), 12);
    }
}
