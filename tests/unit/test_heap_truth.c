/* The map of a real program's heap against its counters: every live byte and block is in it, in
 * its kind, whatever the program did. */
#include "suite.h"

#include <lauxlib.h>
#include <lualib.h>
#include <unistd.h>

#include "heapmap.h"
#include "profiler.h"
#include "view.h"

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

/* A second descriptor of the shared state, as another process would find it. */
static int find_state(void) {
    for (int fd = 3; fd < 1024; fd++) {
        char path[64], name[128] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, name, sizeof name - 1) > 0 && strstr(name, LMP_MEMFD_NAME))
            return dup(fd);
    }
    return -1;
}

static void compare(lua_State *L, LmpView *view, HeapMap *map, HeapList *list, const char *after) {
    static HeapCell cell[CELLS];
    LmpStats stats;
    HeapCell sum = {{0}, 0, 0};
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
        HeapListQuery query = {0, UINT64_MAX, 1u << k, 0, 0};
        HeapListResult found = heaplist_read(list, &query, NULL, 0);
        ck_assert_uint_eq(found.bytes, stats.kind[k].live_bytes);
        ck_assert_uint_eq(found.total, stats.kind[k].live_blocks);
    }
    ck_assert_uint_eq(sum.blocks, stats.live_blocks);
}

START_TEST(test_every_byte) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    LmpOptions options = profiler_defaults;
    LmpErr display;
    options.summary = "";
    options.live = false;
    ck_assert_int_eq(profiler_start(L, &options, &display), LMP_OK);
    LmpView *view = calloc(1, sizeof *view);
    ck_assert_int_eq(view_open(view, find_state()), LMP_OK);
    HeapMap *map = heapmap_new(view);
    HeapList *list = heaplist_new(view);
    compare(L, view, map, list, "start");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        ck_assert_msg(luaL_dostring(L, scripts[i]) == 0, "%s", lua_tostring(L, -1));
        compare(L, view, map, list, scripts[i]);
    }
    heaplist_free(list);
    heapmap_free(map);
    view_close(view);
    free(view);
    profiler_stop(L, NULL);
    lua_close(L);
}
END_TEST

SUITE("heap_truth", test_every_byte)
