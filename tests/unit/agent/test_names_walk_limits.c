/* Tests of names_walk.c: where a pass stops. At so many entries, functions, tables and so much
 * text; and without memory or room on the stack. */
#include "names_walk_fixture.h"

enum { /* as names_walk.c has them */
       ENTRIES_MOST = 24000,
       TABLE_MOST = 3000,
       FOUND_MOST = 8192,
       TABLES_MOST = 4096,
       TEXT_MOST = 1 << 19
};

/* Of the functions from..to-1, how many were found. */
static unsigned count_in(unsigned from, unsigned to) {
    unsigned n = 0;
    for (unsigned i = from; i < to; i++)
        n += *found[i] != 0;
    return n;
}

/* ---- how much of it -------------------------------------------------------------------------- */

/* An array of more than 32 is data; what stands behind it is not. */
TEST(arrays) {
    for (int n = 31; n <= 34; n++) {
        begin();
        lua_pushinteger(L, n);
        lua_setglobal(L, "N");
        run("local n = N N = nil t = {x = f(99)} for i = 1, n do t[i] = f(i) end");
        ck_assert(walk());
        ck_assert_uint_eq(all.count, n <= 32 ? (unsigned)n + 1 : 1);
        ck_assert_str_eq(found[99], "t.x");
    }
}

/* Of one table so many entries, wherever it stands. */
TEST(large_tables) {
    static const char *const at[] = {
        "t = holes(n) t.x = f(1)",
        "local t = holes(n) t.x = f(1) loaded.m = t",
        "local t = holes(n) t.m = {x = f(1)} registry._LOADED = t",
        "local t = holes(n) t.x = f(1) registry._LOADED = t",
        "local t = holes(n) t.__index = {m = f(1)} o = std.setmetatable({}, t)",
        "local t = holes(n) t.__name = 'T' t.__index = {m = f(1)} registry.T = t",
        /* the registry itself, whose first three are taken */
        "holes(n, registry)._LOADED = nil registry._LOADED = loaded loaded.m = {x = f(1)}",
        "holes(n, registry).X = {__name = 'X', m = f(1)}",
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        for (int n = 2048; n <= 4096; n *= 2) {
            char code[700];
            begin();
            snprintf(code, sizeof code, "local n = %d %s", n, at[i]);
            run(code);
            ck_assert(walk());
            ck_assert_msg(all.count == (n < TABLE_MOST), "%d: %s", n, at[i]);
        }
    }
    begin();
    run("t = {} for i = 1, 5000 do t['k' .. i] = f(i) end");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, TABLE_MOST);
}

/* In all so many: eight large tables. What comes later in the pass is not reached: neither the
 * rest of the tables and what they inherit, nor metatables, nor longer ways. */
TEST(entries_in_all) {
    begin();
    run("for i = 1, 12 do\n"
        "  local t = holes(4096) _ENV['t' .. i] = t\n"
        "  std.setmetatable(t, {__index = {m = f(i)}})\n"
        "end\n"
        "registry.X = {__name = 'X', m = f(901)} loaded.m = {a = {b = {c = f(902)}}}\n"
        "loaded.n = {m = f(903)}");
    ck_assert(walk());
    ck_assert_uint_eq(count_in(1, 13), ENTRIES_MOST / TABLE_MOST - 1);
    ck_assert_uint_eq(count_in(901, 903), 0);
    ck_assert_str_eq(found[903], "n.m");
    begin(); /* modules that come too late */
    run("for i = 1, 12 do loaded['t' .. i] = holes(4096) loaded['t' .. i].x = f(i)\n"
        "  std.setmetatable(loaded['t' .. i], {__index = {m = f(100 + i)}}) end g = f(200)");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, ENTRIES_MOST / TABLE_MOST - 1);
    ck_assert_uint_eq(count_in(101, 113), all.count);
}

TEST(functions_in_all) {
    begin();
    run("for t = 0, 2 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1, 3000 do T['k' .. i] = f(t * 3000 + i) end end");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, FOUND_MOST - 1);
}

TEST(tables_in_all) {
    begin();
    run("for t = 0, 1 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1, 2500 do T['k' .. i] = {x = f(t * 2500 + i)} end end");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, TABLES_MOST - 1 - 3); /* the globals and two of theirs */
}

TEST(text_in_all) {
    begin(); /* of functions */
    run("for t = 0, 1 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1000, 3900 do T[('n'):rep(152) .. i] = f(t * 3000 + i) end end");
    ck_assert(walk());
    uint32_t size = 3 + 152 + 4 + 1;
    ck_assert_uint_eq(all.count, (TEXT_MOST - 1 - 1 - 3 - 3) / size);
    begin(); /* of tables: the functions' are as long */
    run("for t = 0, 1 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1000, 3900 do T[('n'):rep(150) .. i] = {x = f(t * 3000 + i)} end end");
    ck_assert(walk());
    uint32_t tables_text =
        all.text - 2 * all.count; /* at least: of those whose function is there */
    ck_assert_uint_le(all.text + tables_text, TEXT_MOST);
    ck_assert_uint_gt(all.text + tables_text, TEXT_MOST - TEXT_MOST / 8);
}

/* Tables within tables end soon. */
TEST(deep_tables) {
    begin();
    run("local t = {x = f(5000)} for i = 1, 20000 do t = {t = t, x = f(i)} end top = t");
    expect("19999=top.t.x 20000=top.x");
}

/* ---- without memory -------------------------------------------------------------------------- */

TEST(no_memory) {
    for (int maps = 0; maps < 3; maps++) {
        begin();
        run("a = f(1)");
        maps_left = maps;
        ck_assert(!walk());
        ck_assert_uint_eq(all.count, 0);
        maps_left = -1;
        fails_at = maps; /* the next would be granted */
        ck_assert(!walk());
        ck_assert_uint_eq(all.count, 0);
        ck_assert(walk());
        ck_assert_uint_eq(all.count, 1);
    }
    begin(); /* indexes that cannot grow */
    run("t = {} for i = 1, 2000 do t['k' .. i] = f(i) end");
    maps_left = 3;
    ck_assert(walk());
    ck_assert_uint_eq(all.count, 1024 - 1024 / 8);
    begin();
    run("t = {} for i = 1, 1000 do t['k' .. i] = {x = f(i)} end");
    maps_left = 3;
    ck_assert(walk());
    ck_assert_uint_eq(all.count, 256 - 256 / 8 - 2);
}

TEST(no_stack) {
    begin();
    run("a = f(1)");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, 1);
    for (int step = 1 << 20; step; step /= 2)
        while (lua_checkstack(L, step + 5))
            for (int i = 0; i < step; i++)
                lua_pushnil(L);
    ck_assert(!walk());
    ck_assert_uint_eq(all.count, 0);
    lua_settop(L, 0);
    ck_assert(walk());
}
