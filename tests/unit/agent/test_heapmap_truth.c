/* The map of a real program's heap against its counters: every live byte and block is in it, in
 * its kind, whatever the program did. */
#include "agent/interp/luafacts.h"
#include "suite.h"

#include <sys/mman.h>
#include <unistd.h>

#include "own_state.h"
#include "profiled.h"
#include "read/heapmap/heapmap.h"
#include "read/view.h"

#define CELLS 1000

static const char *const scripts[] = {
    "t = {} for i = 1, 30000 do t[i] = {i, tostring(i), k = {}} end",
    "for i = 1, #t, 3 do t[i] = nil end collectgarbage()",
    "s = string.rep('x', 3000000) u = s .. s for i = 1, 300 do t[i] = string.rep('y', i * 40) end",
    "u = nil collectgarbage() big = {} for i = 1, 500000 do big[i] = i end",
    "c = {} for i = 1, 500 do c[i] = coroutine.create(function(a) local b = {a} "
    "coroutine.yield(b) end) coroutine.resume(c[i], i) end",
    "collectgarbage('generational') for i = 1, 100000 do local x = {i} t[i % 7000] = x end",
    "f = {} for i = 1, 2000 do f[i] = load('local a, b = ... return function() return a + ' .. i "
    ".. ' end') end",
    "t, big, s, c, f = nil collectgarbage() collectgarbage()",
};

/* ---- allocators whose blocks stand elsewhere ------------------------------------------------- */

/* With the block's size in front of it, as allocators that count have it: 8 bytes beside malloc's
 * places, or with `turns` every second block only. */
typedef struct Where {
    bool turns;
    unsigned turn;
    char *next, *end; /* packed: what is not used yet */
    void *free[64];   /* packed: by size / 16 */
} Where;

static size_t size_at(uint64_t block) {
    size_t size;
    memcpy(&size, (const char *)(uintptr_t)block - sizeof size, sizeof size); /* NOLINT */
    return size;
}

static char *raw_of(char *block) {
    return block - 24 - block[-9];
}

static void *headed(void *ud, void *ptr, size_t osize, size_t nsize) {
    Where *w = ud;
    char *block = NULL;
    if (nsize) {
        char *raw = malloc(nsize + 32);
        if (!raw) return NULL;
        char aside = (char)(w->turns && w->turn++ % 2 ? 8 : 0);
        block = raw + 24 + aside;
        block[-9] = aside;
        memcpy(block - sizeof nsize, &nsize, sizeof nsize);
        if (ptr) memcpy(block, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr) free(raw_of(ptr));
    return block;
}

/* One behind the other, so that two may begin in 32 bytes. */
static void *packed(void *ud, void *ptr, size_t osize, size_t nsize) {
    Where *w = ud;
    char *block = NULL;
    size_t size = (nsize + 15) & ~(size_t)15, old = (osize + 15) & ~(size_t)15;
    if (nsize) {
        void **list = size < 1024 ? &w->free[size / 16] : NULL;
        if (list && *list) {
            block = *list;
            memcpy(list, block, sizeof *list);
        } else if ((size_t)(w->end - w->next) >= size) {
            block = w->next;
            w->next += size;
        } else {
            return NULL;
        }
        if (ptr) memcpy(block, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr && old < 1024) {
        memcpy(ptr, &w->free[old / 16], sizeof(void *));
        w->free[old / 16] = ptr;
    }
    return block;
}

static const Where *watched; /* headed: sizes are looked at, where blocks are said to be */

static void look_at_sizes(MapList *list, uint64_t total) {
    OWN(free_at) MapListBlock *block = calloc(total + 1, sizeof *block);
    MapListQuery query = {0, UINT64_MAX, (1u << LMP_KINDS) - 1, 0, 0};
    MapListResult found = maplist_read(list, &query, block, (uint32_t)total + 1);
    ck_assert_uint_eq(found.count, total);
    for (uint32_t i = 0; i < found.count; i++) {
        ck_assert_uint_eq(block[i].size, size_at(block[i].addr));
        ck_assert(i == 0 || block[i].addr > block[i - 1].addr);
    }
}

static void compare(lua_State *L, LmpView *view, HeapMap *map, MapList *list, const char *after) {
    static MapCell cell[CELLS];
    LmpStats stats;
    MapCell sum = {{0}, 0, 0};
    view_refresh(view);
    view_next_frame(view);
    ck_assert(!heapmap_refresh(map, UINT64_MAX));
    ck_assert_int_eq(profiler_stats(L, &stats), LMP_OK);
    heapmap_cells(map, 0, heapmap_fit(map, CELLS, HEAPMAP_MIN_CELL), CELLS, cell);
    for (int i = 0; i < CELLS; i++) {
        for (int k = 0; k < LMP_KINDS; k++)
            sum.bytes[k] += cell[i].bytes[k];
        sum.blocks += cell[i].blocks;
    }
    for (int k = 0; k < LMP_KINDS; k++) {
        ck_assert_msg(sum.bytes[k] == stats.kind[k].live_bytes, "after \"%s\": %s %llu, want %llu",
                      after, kind_info[k].name, (unsigned long long)sum.bytes[k],
                      (unsigned long long)stats.kind[k].live_bytes);
        MapListQuery query = {0, UINT64_MAX, 1u << k, 0, 0};
        MapListResult found = maplist_read(list, &query, NULL, 0);
        ck_assert_uint_eq(found.bytes, stats.kind[k].live_bytes);
        ck_assert_uint_eq(found.total, stats.kind[k].live_blocks);
    }
    ck_assert_uint_eq(sum.blocks, stats.live_blocks);
    if (watched) look_at_sizes(list, stats.live_blocks);
}

static void run_all(lua_State *L) {
    luaL_openlibs(L);
    profiled_start(L, profiler_defaults);
    LmpView *view = own_view();
    HeapMap *map = heapmap_new(view);
    MapList *list = maplist_new(view);
    compare(L, view, map, list, "start");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        ck_assert_msg(luaL_dostring(L, scripts[i]) == 0, "%s", lua_tostring(L, -1));
        compare(L, view, map, list, scripts[i]);
    }
    maplist_free(list);
    heapmap_free(map);
    own_view_close(view);
    profiler_stop(L, NULL);
    lua_close(L);
}

TEST(test_every_byte) {
    run_all(luaL_newstate());
}

TEST(test_beside_the_grid) {
    Where w = {.turns = false};
    watched = &w;
    run_all(luafacts_newstate(headed, &w));
    watched = NULL;
}

TEST(test_on_and_beside_the_grid) {
    Where w = {.turns = true};
    watched = &w;
    run_all(luafacts_newstate(headed, &w));
    watched = NULL;
}

TEST(test_packed) {
    Where w = {.turns = false};
    size_t size = (size_t)1 << 30;
    char *all = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(all != MAP_FAILED);
    w.next = all;
    w.end = all + size;
    run_all(luafacts_newstate(packed, &w));
    munmap(all, size);
}
