/* test_counts_refused.c - calls, instructions and overrides where memory or room is lacking: the
 * program's results are its own, what is not counted is said, and what is counted adds up, with
 * "(others)" for what found no room. */

#include "agent/charge/counts.h"
#include "agent/session/profiler.h"
#include "counted_maps.h"
#include "profiled.h"
#include "read/ledger/ledger.h"

enum { OTHERS = 1 };

static const char work[] =
    "local F, n = {}, 0\n"
    "for i = 1, 60 do\n"
    "  F[i] = load('local n = ... return function(d, t) n[1] = n[1] + 1 t[' .. i .. '] = {d} '\n"
    "    .. 'if d > 0 then return F[d](d - 1, t) end end', '=f' .. i, 't', {F = F})(COUNT)\n"
    "end\n"
    "local co = coroutine.wrap(function() for i = 1, 60 do F[i](i - 1, {}) end end) co()\n"
    "for i = 1, 60 do pcall(F[i], i - 1, {}) end\n"
    "local text = {} for i = 1, 500 do text[#text + 1] = ('x'):rep(i % 40) end\n"
    "return #table.concat(text)";

static lua_State *L;
static lua_Integer counted; /* calls of the functions f1 to f60, by themselves */

static LmpOptions all_counts(bool stacks) {
    LmpOptions options = profiler_defaults;
    options.summary = "";
    options.stacks = stacks;
    options.counts = LMP_COUNTS_ALL;
    return options;
}

/* The memory of a profile stays for the next one that accounts in the same way. */
static void make_first(void) {
    static bool made;
    for (int stacks = 0; stacks < 2 && !made; stacks++) {
        lua_State *first = luaL_newstate();
        profiled_start(first, all_counts(stacks));
        ck_assert_int_eq(profiler_stop(first, NULL), LMP_OK);
        lua_close(first);
    }
    made = true;
}

static void begin(int maps) {
    make_first();
    counted_maps_begin(maps);
    L = new_state();
    lua_newtable(L);
    lua_pushinteger(L, 0);
    lua_rawseti(L, -2, 1);
    lua_setglobal(L, "COUNT");
}

static void run(void) {
    ck_assert_int_eq(luaL_dostring(L, work), LUA_OK);
    ck_assert_int_eq(lua_tointeger(L, -1), 9570);
    lua_getglobal(L, "COUNT");
    lua_rawgeti(L, -1, 1);
    counted = lua_tointeger(L, -1);
    ck_assert_int_eq(counted, 60 * 61);
    lua_settop(L, 0);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static uint64_t calls_of_functions(const LmpProfile *p) {
    uint64_t calls = 0;
    for (uint32_t i = 1; i < p->live->tables.functions; i++)
        calls += p->tables.function[i].calls;
    return calls;
}

static uint64_t calls_of_edges(const LmpProfile *p) {
    uint64_t calls = 0;
    for (uint32_t i = 1; i < p->live->tables.edges; i++)
        calls += p->tables.edge[i].calls;
    return calls;
}

static uint64_t instructions(const LmpProfile *p) {
    uint64_t run = 0;
    for (uint32_t i = 1; i < p->live->tables.sites; i++)
        run += p->tables.instructions[i];
    return run;
}

/* What is counted is all there, in which rows ever. */
static void check_sums(const LmpProfile *p) {
    uint32_t on = p->live->tables.counts;
    uint64_t calls = on & LMP_COUNTS_CALLS ? calls_of_functions(p) : 0;
    ck_assert_uint_eq(calls_of_edges(p), calls);
    if (on & LMP_COUNTS_CALLS) ck_assert_uint_ge(calls, (uint64_t)counted);
    ck_assert((on & LMP_COUNTS_INSTRUCTIONS) == 0 || instructions(p) > 10 * (uint64_t)counted);
    if (!(on & LMP_COUNTS_OVERRIDES)) return;
    uint64_t frees = 0, bytes = 0, reallocs = 0, here = 0, here_bytes = 0, here_reallocs = 0;
    for (uint32_t i = 1; i < p->live->tables.overrides; i++) {
        frees += p->tables.override[i].frees;
        bytes += p->tables.override[i].free_bytes;
        reallocs += p->tables.override[i].reallocs;
    }
    for (uint32_t i = 1; i < p->live->tables.records; i++) {
        here += p->record[i].here_frees;
        here_bytes += p->record[i].here_free_bytes;
        here_reallocs += p->record[i].here_reallocs;
    }
    ck_assert_uint_eq(frees, here);
    ck_assert_uint_eq(bytes, here_bytes);
    ck_assert_uint_eq(reallocs, here_reallocs);
}

/* ---- memory that the system refuses ---------------------------------------------------------- */

/* After so many maps. True: all that was asked for is there. */
static bool with_maps(int maps, bool stacks, int *lacking) {
    begin(maps);
    LmpOptions options = all_counts(stacks);
    LmpErr lack = LMP_OK;
    bool whole = false;
    if (profiler_start(L, &options, &lack) == LMP_OK) {
        void *ud;
        lua_getallocf(L, &ud);
        const LmpProfile *p = ud;
        const LmpTablesUsed *used = &p->live->tables;
        if (used->lines != LMP_LINES_OFF) {
            ck_assert((used->counts == LMP_COUNTS_ALL) == (used->counts_why == LMP_WHY_NOT));
            if (used->counts != LMP_COUNTS_ALL) {
                ck_assert_uint_eq(used->counts_why, LMP_WHY_MEMORY);
                ck_assert_int_ne(lack, LMP_OK);
                ck_assert_ptr_null(p->counts);
                ++*lacking;
            }
        }
        run();
        check_sums(p);
        whole = refused == 0;
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
        ck_assert_int_eq(luaL_dostring(L, "local n = 0 for i = 1, 9 do n = n + i end"), LUA_OK);
        ck_assert(!lua_gethook(L));
    } else {
        run();
    }
    lua_close(L);
    counted_maps_end();
    return whole;
}

TEST(maps_are_refused) {
    for (int stacks = 0; stacks < 2; stacks++) {
        int lacking = 0, maps = 0;
        while (!with_maps(maps, stacks, &lacking))
            ck_assert_int_lt(++maps, 200);
        ck_assert_int_gt(lacking, 3); /* the caches, the indexes, the frames */
    }
}

/* ---- tables that are full -------------------------------------------------------------------- */

TEST(tables_are_full) {
    for (uint32_t rows = 2; rows < 200; rows = rows * 3 / 2 + 1) {
        begin(-1);
        LmpProfile *p = profiled_start(L, all_counts(rows % 2));
        p->limits.edges = p->limits.overrides = rows;
        run();
        check_sums(p);
        ck_assert_uint_eq(p->live->tables.edges, rows);
        ck_assert_uint_le(p->live->tables.overrides, rows);
        ck_assert_uint_gt(p->tables.edge[OTHERS].calls, 0);
        if (rows < 20) ck_assert_uint_gt(p->tables.override[OTHERS].frees, 10);
        ck_assert_uint_eq(p->live->tables.counts, LMP_COUNTS_ALL);
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
        lua_close(L);
        counted_maps_end();
    }
}

/* Functions and lines without a row of their own: their calls are those of "(others)". */
TEST(functions_are_too_many) {
    begin(-1);
    LmpProfile *p = profiled_start(L, all_counts(true));
    p->limits.functions = p->live->tables.functions + 10;
    p->limits.sites = p->live->tables.sites + 10;
    run();
    check_sums(p);
    ck_assert_uint_gt(p->tables.function[OTHERS].calls, (uint64_t)counted / 2);
    ck_assert_uint_gt(p->tables.instructions[OTHERS], (uint64_t)counted);
    Ledger ledger = {0};
    unsigned parts = LEDGER_ALL | LEDGER_EDGES | LEDGER_OVERRIDES;
    ck_assert_int_eq(ledger_refresh(&ledger, &p->tables, parts, 1), LMP_OK);
    ck_assert_uint_eq(ledger.calls, calls_of_functions(p));
    ck_assert_uint_eq(ledger.instructions, instructions(p));
    uint64_t calls = 0;
    for (uint32_t i = 0; i < ledger.edges; i++)
        calls += ledger.edge[i].calls;
    ck_assert_uint_eq(calls, ledger.calls);
    ledger_free(&ledger);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    lua_close(L);
    counted_maps_end();
}

/* Two thousand edges, and a thousand frames at once of a function with tail calls. */
static const char many[] =
    "local text = {}\n"
    "for i = 1, 45 do text[i] = 'F[' .. i .. '] = function(g) if g then g() end end\\n' end\n"
    "F = {} load(table.concat(text), '=many')()\n"
    "for i = 1, 45 do for j = 1, 45 do F[i](F[j]) end end\n"
    "local function deep(n) if n > 0 then deep(n - 1) end return F[1]() end\n"
    "deep(1000) return 'done'";

/* Nothing can grow any more: what is counted still adds up. */
TEST(growth_is_refused) {
    for (int stacks = 0; stacks < 2; stacks++) {
        begin(-1);
        LmpProfile *p = profiled_start(L, all_counts(stacks));
        maps_left = 0;
        ck_assert_int_eq(luaL_dostring(L, many), LUA_OK);
        ck_assert_str_eq(lua_tostring(L, -1), "done");
        check_sums(p);
        ck_assert_int_gt(refused, 1);
        ck_assert_uint_gt(p->live->tables.edges, 500);
        ck_assert_uint_gt(p->tables.edge[OTHERS].calls, 500);
        ck_assert_uint_gt(calls_of_edges(p), (uint64_t)2 * 45 * 45 + 2000);
        maps_left = -1;
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
        lua_close(L);
        counted_maps_end();
    }
}
