/* Tests of names_walk.c: all that one pass finds in tables made for it, to the letter. Where it
 * stops: test_names_walk_limits.c. What is kept of a pass, and whole states: test_names.c. */
#include "agent/interp/frames.h"
#include "agent/interp/stripped.h"
#include "names_walk_fixture.h"

static void finds(const char *code, const char *want) {
    begin();
    run(code);
    expect(want);
}

/* ---- keys ------------------------------------------------------------------------------------ */

TEST(every_letter) {
    begin();
    run("t = {} local n, want = 0, {}\n"
        "for c = 0, 255 do\n"
        "  for i, key in std.ipairs {std.string.char(c), 'x' .. std.string.char(c) .. 'x'} do\n"
        "    local plain = key:find '^[a-zA-Z_][a-zA-Z_0-9]*$' and c < 128\n"
        "    t[key] = f(c * 2 + i)\n"
        "    want[c * 2 + i] = c > 0 and (plain and 't.' .. key or 't[\"' .. key .. '\"]') or ''\n"
        "  end\n"
        "end\n"
        "return want");
    ck_assert(walk());
    for (int i = 1; i <= 512; i++) {
        lua_rawgeti(L, -1, i);
        ck_assert_str_eq(found[i], lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    ck_assert_uint_eq(all.count, 510);
}

TEST(odd_keys) {
    finds("_ENV[3] = f(1) _ENV[-7] = f(2) _ENV['a b'] = f(3) plain = f(4) _ENV[2.5] = f(5)\n"
          "_ENV[true] = f(6) _ENV[{}] = f(7) _ENV[''] = f(8) _ENV['x\\0y'] = f(9)\n"
          "_ENV[f(0)] = f(10)",
          "1=_G[3] 2=_G[-7] 3=_G[\"a b\"] 4=plain");
    finds("t = {[3] = f(1), [-7] = f(2), ['a b'] = f(3), plain = f(4), [2.5] = f(5),\n"
          "[true] = f(6), [{}] = f(7), [''] = f(8), ['x\\0y'] = f(9)}",
          "1=t[3] 2=t[-7] 3=t[\"a b\"] 4=t.plain");
    finds("t = {[{}] = {a = f(1)}, [true] = {a = f(2)}, [2.5] = {a = f(3)}, [''] = {a = f(4)},\n"
          "[4] = {a = f(5)}, ['c d'] = {a = f(6)}, x = {a = f(7)}}",
          "5=t[4].a 6=t[\"c d\"].a 7=t.x.a");
}

/* A name has at most 159 characters: `fixed` of them, and what the code makes of N. */
static void long_name(const char *code, int fixed) {
    for (int length = 155; length <= 162; length++) {
        begin();
        lua_pushinteger(L, length - fixed);
        lua_setglobal(L, "N");
        run(code);
        run("N = nil");
        ck_assert(walk());
        ck_assert_msg(strlen(found[1]) == (length < NAME_MOST ? (size_t)length : 0),
                      "%s: '%s' for %d", code, found[1], length);
    }
}

TEST(names_that_fit) {
    long_name("_ENV[('n'):rep(N)] = f(1)", 0);
    long_name("_ENV[(' '):rep(N)] = f(1)", 6);
    long_name("_ENV[('n'):rep(N)] = {m = f(1)}", 2);
    long_name("_ENV[('n'):rep(N)] = {[' '] = f(1)}", 5);
    long_name("_ENV[('n'):rep(N)] = {[7] = f(1)}", 3);
    long_name("a = {[('n'):rep(N)] = {b = f(1)}}", 4);
    long_name("a = {[(' '):rep(N)] = f(1)}", 5);
    long_name("loaded[('n'):rep(N)] = f(1)", 0);
    long_name("loaded[('n'):rep(N)] = {m = f(1)}", 2);
    long_name("local n = ('n'):rep(N) registry[n] = {__name = n, m = f(1)}", 2);
}

/* ---- where ways lead ------------------------------------------------------------------------- */

TEST(modules) {
    finds("loaded.mod = {a = f(1), sub = {b = f(2), c = {d = f(3), e = {g = f(4)}}}}\n"
          "loaded['p.q'] = {a = f(5)} loaded.callable = f(6) loaded[1] = f(7) loaded[2] = {a = "
          "f(8)}\n"
          "loaded[''] = {a = f(9)} loaded['x\\0'] = {a = f(10)} loaded['y\\0'] = f(11)\n"
          "loaded._G = _ENV loaded.text = 'x' loaded.self = loaded loaded[2.5] = f(12)\n"
          "global = f(13) loaded[{}] = {a = f(14)} loaded[''] = f(15)",
          "1=mod.a 2=mod.sub.b 3=mod.sub.c.d 5=p.q.a 6=callable 13=global");
    finds("loaded.m = {a = f(1)} l = loaded loaded[7] = {b = f(2)} loaded[8] = f(3)\n"
          "env = std.setmetatable({}, {__index = loaded}) other = {__index = loaded}\n"
          "loaded.n = {c = loaded}",
          "1=m.a");
    finds("mod = {a = f(1)} loaded.m = mod b = f(2) loaded.o = {x = {y = b}, z = mod.a}\n"
          "g = _ENV mod.g = _ENV std.setmetatable(mod, {__index = _ENV}) mod.__index = _ENV",
          "1=m.a 2=b");
}

/* What a table inherits counts as its own, over two hops. */
TEST(inheritance) {
    finds("local set = std.setmetatable\n"
          "local D = {d = f(4)} local C = set({c = f(3)}, {__index = D, x = f(5)})\n"
          "local B = set({b = f(2)}, {__index = C})\n"
          "o = set({a = f(1)}, {__index = B})",
          "1=o.a 2=o.b 3=o.c");
    finds("o = {a = f(1), __index = {b = f(2), __index = {c = f(3), __index = {d = f(4)}}}}",
          "1=o.a 2=o.b 3=o.c");
    finds("local set = std.setmetatable\n"
          "o = {__index = set({b = f(2)}, {__index = {c = f(3), __index = {d = f(4)}}})}",
          "2=o.b 3=o.c");
    finds("o = std.setmetatable({a = f(1)}, {__index = f(2)}) p = {__index = f(3), a = o}\n"
          "q = std.setmetatable({}, {__len = f(4), x = f(5)})",
          "1=o.a 3=p.__index");
    /* its own name, though it is inherited first: of a module, and longer */
    begin();
    run("for i = 1, 40 do\n"
        "  local class = {m = f(i)}\n"
        "  loaded['m' .. i] = {__index = class} loaded['longer_name' .. i] = class\n"
        "end");
    ck_assert(walk());
    for (int i = 1; i <= 40; i++) {
        char want[32];
        snprintf(want, sizeof want, "longer_name%d.m", i);
        ck_assert_str_eq(found[i], want);
    }
    ck_assert_uint_eq(all.count, 40);
}

TEST(registered_metatables) {
    finds("registry.File = {__name = 'File', close = f(1), ['a b'] = f(2), [4] = f(3),\n"
          "  __index = {read = f(4), sub = {x = f(5)}}}\n"
          "registry.Other = {__name = 'Name', m = f(6)} registry.None = {m = f(7)}\n"
          "registry['a.b'] = {__name = 'a.b', m = f(8)}\n"
          "registry['x\\0'] = {__name = 'x\\0', m = f(9)} registry[99] = {__name = 99, m = f(10)}\n"
          "registry.text = 'text' registry.fun = f(11) registry[{}] = {__name = 'y', m = f(12)}\n"
          "registry[('n'):rep(160)] = {__name = ('n'):rep(160), m = f(13)}\n"
          "registry.Self = registry\n"
          "std.setmetatable(registry.File, {__index = {inherited = f(14)}})",
          "1=File:close 4=File:read 8=a.b:m 14=File:inherited");
    /* after globals of as many steps, before those of more */
    finds("local m, n = f(1), f(2)\n"
          "registry.X = {__name = 'X', m = m, n = n} t = {mm = m, t = {nn = n}}",
          "1=t.mm 2=X:n");
}

TEST(without_roots) {
    finds("registry._LOADED = 5 a = f(1) registry.x = f(2) registry.t = {x = f(3)}", "1=a");
    finds("registry._LOADED = nil a = f(1) registry.x = f(2) registry.t = {x = f(3)}", "1=a");
    finds("registry._LOADED = nil g = {registry} registry.x = f(2)", "2=g[1].x"); /* none itself */
    finds("loaded.m = {x = f(1)} a = f(2) registry[2] = 5", "1=m.x");
    finds("loaded.m = {x = f(1)} a = f(2) registry[2] = nil registry._LOADED = f(3)", "");
}

/* Two better ways after a worse one: the best of all stays, whichever comes first. */
TEST(several_ways) {
    begin();
    run("for i = 1, 100 do\n"
        "  loaded['a' .. i] = {__index = {__index = {m = f(i)}}}\n"
        "  loaded['best' .. i] = {m = f(i)}\n"
        "  loaded['c' .. i] = {__index = {m = f(i)}}\n"
        "end");
    ck_assert(walk());
    for (int i = 1; i <= 100; i++) {
        char want[32];
        snprintf(want, sizeof want, "best%d.m", i);
        ck_assert_str_eq(found[i], want);
    }
}

/* Closures made by coroutine.wrap have a thread as their first upvalue. */
TEST(c_functions) {
    finds("wrapped = f(1, std.coroutine.create(f)) plain = f(2, 'x') bare = f(3)",
          "2=plain 3=bare");
    finds("one = f(1, 'x') a1 = f(1, 'y') loaded.m = {longer = f(1, 'z')}\n"
          "four = f(2, 'x') for4 = f(2, 'y') b = {f(2)}",
          "1=m.longer 2=for4");
}

/* ---- Lua functions --------------------------------------------------------------------------- */

/* The row of the function at -1, which is popped; as the hook makes it. */
static uint32_t row_of_top(void) {
    lua_Debug ar = {.namewhat = ""};
    char name[LMP_STRIPPED_NAME];
    const void *proto =
        (const void *)frames_word(lua_topointer(L, -1), LMP_AT_CLOSURE_CODE); /* NOLINT */
    lua_getinfo(L, ">S", &ar);
    ar.namewhat = "";
    if (stripped_is(&ar) && p.regs) stripped_name(proto, &ar, name);
    return sites_function(&p, &ar, NULL);
}

TEST(lua_functions) {
    begin();
    run("local function make() return function() end end\n"
        "one, two, same = make(), make(), function() end again = same\n"
        "chunk = std.load('return 1', '=chunk') foreign = std.load('return function() end', "
        "'=new')()\n"
        "return one, same, chunk");
    const void *same = lua_topointer(L, -2);
    uint32_t chunk_row = row_of_top(), same_row = row_of_top(), one_row = row_of_top();
    ck_assert(chunk_row && same_row && one_row);
    ck_assert(walk());
    ck_assert_uint_eq(lua_count, 2); /* neither a main chunk, nor what has no row */
    unsigned i = lua_found[1].row == same_row;
    ck_assert_uint_eq(lua_found[i].row, same_row);
    ck_assert_ptr_eq(lua_found[i].object, same);
    ck_assert(!lua_found[i].several);
    ck_assert_str_eq(lua_found[i].name, "same");
    ck_assert_uint_eq(lua_found[!i].row, one_row);
    ck_assert(lua_found[!i].several);
    ck_assert_str_eq(lua_found[!i].name, "one");
}

/* Of more sources than texts are kept of, each has its own. */
TEST(many_sources) {
    begin();
    for (int i = 1; i < 15; i++) {
        char code[200];
        snprintf(code, sizeof code,
                 "g%d = std.load('return function() end', '=source%d')() return g%d", i, i, i);
        run(code);
        ck_assert_uint_gt(row_of_top(), 0);
    }
    run("for i = 1, 300 do\n"
        "  _ENV['x' .. i] = std.load('return function() end', '=unknown' .. i)() end");
    ck_assert(walk());
    ck_assert_uint_eq(lua_count, 14);
    for (unsigned i = 0; i < lua_count; i++) {
        const LmpFunction *f = &p.tables.function[lua_found[i].row];
        ck_assert_str_eq(p.tables.text + f->source + 7, lua_found[i].name + 1);
        ck_assert(!lua_found[i].several);
    }
}

/* A source without a name is another one than what is not known. */
TEST(empty_source) {
    begin();
    run("a = std.load('return function() end', '')() b = std.load('return function() end', "
        "'=b')()\n"
        "return a");
    ck_assert_uint_gt(row_of_top(), 0);
    ck_assert(walk());
    ck_assert_uint_eq(lua_count, 1);
    ck_assert_str_eq(lua_found[0].name, "a");
}

/* Without debug information the code tells them apart, where its layout is known; a source that
 * looks nearly like none is one. */
TEST(stripped_functions) {
    static const struct LmpSavedRegsPlan *some = (const struct LmpSavedRegsPlan *)&test_os;
    for (int known = 0; known < 2; known++) {
        begin();
        p.regs = known ? some : NULL;
        run("local function strip(code)\n"
            "  return std.load(std.string.dump(std.load(code), true))() end\n"
            "s1 = strip 'return function() return 1 end'\n"
            "s2 = strip 'return function() return {} end'\n"
            "for i, source in std.ipairs {'=?x', '=', '@?', '=x', '?'} do\n"
            "  _ENV['n' .. i] = std.load('return function() end', source)()\n"
            "end\n"
            "return n1, n2, n3, n4, n5, s1, s2");
        uint32_t row[7];
        for (int i = 6; i >= 0; i--)
            row[i] = row_of_top();
        ck_assert(walk());
        ck_assert_uint_eq(lua_count, known ? 7 : 6);
        for (unsigned i = 0; i < lua_count; i++) {
            const char *name = lua_found[i].name;
            unsigned n = (unsigned)(name[1] - '1') + (*name == 's' ? 5 : 0);
            ck_assert_uint_eq(lua_found[i].row, row[n]);
            ck_assert_int_eq(lua_found[i].several, *name == 's' && !known);
        }
    }
}
