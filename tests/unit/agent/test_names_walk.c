/* Tests of names_walk.c: all that one pass finds in tables made for it, to the letter; and where it
 * stops. What is kept of a pass, and whole states: test_names.c. */
#include "agent/charge/names_walk.h"

#include <lauxlib.h>
#include <lualib.h>

#include "agent/charge/sites.h"
#include "agent/interp/frames.h"
#include "agent/interp/stripped.h"
#include "counted_maps.h"

/* ---- a map that is refused once -------------------------------------------------------------- */

static int fails_at; /* so many calls later; below 0: never */

static void *refused_once(size_t size, int fd, uint64_t offset, bool writable) {
    if (fails_at >= 0 && fails_at-- == 0) return NULL;
    return test_map(size, fd, offset, writable);
}

/* ---- a state with nothing in it but what a test puts there ----------------------------------- */

enum {
    FUNCTIONS = 60000,
    NAME_MOST = 160, /* as names_walk.c has them */
    ENTRIES_MOST = 24000,
    TABLE_MOST = 3000,
    FOUND_MOST = 8192,
    TABLES_MOST = 4096,
    TEXT_MOST = 1 << 19
};

static LmpProfile p;
static lua_State *L;

/* A C function by number; nothing calls it. */
static int push_function(lua_State *S) {
    uintptr_t address = 0x10000 + 16 * (uintptr_t)luaL_checkinteger(S, 1);
    lua_CFunction f;
    memcpy(&f, &address, sizeof f);
    lua_settop(S, 2);
    if (lua_isnil(S, 2)) {
        lua_pushcfunction(S, f);
    } else {
        lua_pushcclosure(S, f, 1); /* with an upvalue */
    }
    return 1;
}

/* A table with n (a power of two) places for an array, nearly all taken, whose length is 0. */
static int push_holes(lua_State *S) {
    int n = (int)luaL_checkinteger(S, 1);
    lua_createtable(S, n, 4);
    for (int i = 1; i < n - 1; i++) {
        lua_pushboolean(S, (i & (i - 1)) != 0);
        if (i & (i - 1))
            lua_rawseti(S, -2, i);
        else
            lua_pop(S, 1);
    }
    ck_assert_uint_eq(lua_rawlen(S, -1), 0);
    return 1;
}

static int registry_std; /* where the libraries are */

static void begin(void) {
    counted_maps_begin(-1);
    test_os.map = refused_once;
    fails_at = -1;
    memset(&p, 0, sizeof p);
    p.live = calloc(1, sizeof *p.live);
    p.tables = tables_at(os_real.map(LMP_TABLES_SIZE, -1, 0, true), p.live);
    ck_assert_int_eq(sites_open(&p), LMP_OK);
    L = luaL_newstate();
    luaL_openlibs(L);
    lua_pushglobaltable(L);
    registry_std = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_FILEHANDLE);
}

static void end(void) {
    maps_left = -1;
    lua_close(L);
    sites_close(&p);
    counted_maps_end();
    os_real.unmap(p.tables.text, LMP_TABLES_SIZE);
    free(p.live);
}

/* Runs code that knows f(number [, upvalue]), holes(n), std, loaded and registry. */
static void run(const char *code) {
    size_t size = strlen(code) + 100;
    char *whole = malloc(size);
    snprintf(whole, size, "local f, holes, std, loaded, registry = ...; %s", code);
    ck_assert_msg(luaL_loadbuffer(L, whole, strlen(whole), "=run") == LUA_OK, "%s",
                  lua_tostring(L, -1));
    free(whole);
    lua_pushcfunction(L, push_function);
    lua_pushcfunction(L, push_holes);
    lua_rawgeti(L, LUA_REGISTRYINDEX, registry_std);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    ck_assert_msg(lua_pcall(L, 5, LUA_MULTRET, 0) == LUA_OK, "%s", lua_tostring(L, -1));
}

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

/* ---- what was found -------------------------------------------------------------------------- */

static char found[FUNCTIONS][NAME_MOST]; /* "": it was not */
static struct {
    uint32_t count;
    uint32_t text; /* bytes of names, each with its end */
} all;
static struct {
    uint32_t row;
    const void *object;
    bool several;
    char name[NAME_MOST];
} lua_found[16];
static unsigned lua_count;

static void note(LmpProfile *profile, const LmpNamed *n) {
    ck_assert_ptr_eq(profile, &p);
    ck_assert_uint_gt(n->rank, 0);
    ck_assert_uint_lt(strlen(n->name), NAME_MOST);
    ck_assert_uint_gt(strlen(n->name), 0);
    ck_assert_ptr_nonnull(n->object);
    all.count++;
    all.text += (uint32_t)strlen(n->name) + 1;
    if (n->address) {
        ck_assert_uint_eq(n->row, 0);
        ck_assert(!n->several);
        uintptr_t i = ((uintptr_t)n->address - 0x10000) / 16;
        ck_assert_uint_lt(i, FUNCTIONS);
        ck_assert_str_eq(found[i], ""); /* each once */
        strcpy(found[i], n->name);
        return;
    }
    ck_assert_uint_gt(n->row, 0);
    ck_assert_uint_lt(lua_count, 16);
    lua_found[lua_count].row = n->row;
    lua_found[lua_count].object = n->object;
    lua_found[lua_count].several = n->several;
    strcpy(lua_found[lua_count++].name, n->name);
}

static bool walk(void) {
    memset(found, 0, sizeof found);
    memset(&all, 0, sizeof all);
    lua_count = 0;
    int top = lua_gettop(L), areas = mapped;
    bool ok = names_walk(&p, L, note);
    ck_assert_int_eq(lua_gettop(L), top);
    ck_assert_int_eq(mapped, areas);
    return ok;
}

/* All there is, C functions by number: "1=name 2=name". */
static void expect(const char *want) {
    char is[8192];
    size_t n = 0;
    ck_assert(walk());
    is[0] = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (*found[i] && n + NAME_MOST + 16 < sizeof is)
            n += (size_t)snprintf(is + n, sizeof is - n, "%s%u=%s", n ? " " : "", i, found[i]);
    ck_assert_str_eq(is, want);
}

static void finds(const char *code, const char *want) {
    begin();
    run(code);
    expect(want);
    end();
}

/* Of the functions from..to-1, how many were found. */
static unsigned count_in(unsigned from, unsigned to) {
    unsigned n = 0;
    for (unsigned i = from; i < to; i++)
        n += *found[i] != 0;
    return n;
}

/* ---- keys ------------------------------------------------------------------------------------ */

START_TEST(every_letter) {
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
    end();
}
END_TEST

START_TEST(odd_keys) {
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
END_TEST

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
        end();
    }
}

START_TEST(names_that_fit) {
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
END_TEST

/* ---- where ways lead ------------------------------------------------------------------------- */

START_TEST(modules) {
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
END_TEST

/* What a table inherits counts as its own, over two hops. */
START_TEST(inheritance) {
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
    end();
}
END_TEST

START_TEST(registered_metatables) {
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
END_TEST

START_TEST(without_roots) {
    finds("registry._LOADED = 5 a = f(1) registry.x = f(2) registry.t = {x = f(3)}", "1=a");
    finds("registry._LOADED = nil a = f(1) registry.x = f(2) registry.t = {x = f(3)}", "1=a");
    finds("registry._LOADED = nil g = {registry} registry.x = f(2)", "2=g[1].x"); /* none itself */
    finds("loaded.m = {x = f(1)} a = f(2) registry[2] = 5", "1=m.x");
    finds("loaded.m = {x = f(1)} a = f(2) registry[2] = nil registry._LOADED = f(3)", "");
}
END_TEST

/* Two better ways after a worse one: the best of all stays, whichever comes first. */
START_TEST(several_ways) {
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
    end();
}
END_TEST

/* Closures made by coroutine.wrap have a thread as their first upvalue. */
START_TEST(c_functions) {
    finds("wrapped = f(1, std.coroutine.create(f)) plain = f(2, 'x') bare = f(3)",
          "2=plain 3=bare");
    finds("one = f(1, 'x') a1 = f(1, 'y') loaded.m = {longer = f(1, 'z')}\n"
          "four = f(2, 'x') for4 = f(2, 'y') b = {f(2)}",
          "1=m.longer 2=for4");
}
END_TEST

/* ---- Lua functions --------------------------------------------------------------------------- */

START_TEST(lua_functions) {
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
    end();
}
END_TEST

/* Of more sources than texts are kept of, each has its own. */
START_TEST(many_sources) {
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
    end();
}
END_TEST

/* A source without a name is another one than what is not known. */
START_TEST(empty_source) {
    begin();
    run("a = std.load('return function() end', '')() b = std.load('return function() end', "
        "'=b')()\n"
        "return a");
    ck_assert_uint_gt(row_of_top(), 0);
    ck_assert(walk());
    ck_assert_uint_eq(lua_count, 1);
    ck_assert_str_eq(lua_found[0].name, "a");
    end();
}
END_TEST

/* Without debug information the code tells them apart, where its layout is known; a source that
 * looks nearly like none is one. */
START_TEST(stripped_functions) {
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
        end();
    }
}
END_TEST

/* ---- how much of it -------------------------------------------------------------------------- */

/* An array of more than 32 is data; what stands behind it is not. */
START_TEST(arrays) {
    for (int n = 31; n <= 34; n++) {
        begin();
        lua_pushinteger(L, n);
        lua_setglobal(L, "N");
        run("local n = N N = nil t = {x = f(99)} for i = 1, n do t[i] = f(i) end");
        ck_assert(walk());
        ck_assert_uint_eq(all.count, n <= 32 ? (unsigned)n + 1 : 1);
        ck_assert_str_eq(found[99], "t.x");
        end();
    }
}
END_TEST

/* Of one table so many entries, wherever it stands. */
START_TEST(large_tables) {
    static const char *const at[] = {
        "t = holes(n) t.x = f(1)",
        "local t = holes(n) t.x = f(1) loaded.m = t",
        "local t = holes(n) t.m = {x = f(1)} registry._LOADED = t",
        "local t = holes(n) t.x = f(1) registry._LOADED = t",
        "local t = holes(n) t.__index = {m = f(1)} o = std.setmetatable({}, t)",
        "local t = holes(n) t.__name = 'T' t.__index = {m = f(1)} registry.T = t",
        /* the registry itself: 1 and 2 are taken */
        "for i = 3, n do registry[i] = true end registry._LOADED = nil registry._LOADED = loaded\n"
        "for i = 2, 20 do if 1 << i <= n then registry[1 << i] = nil end end\n"
        "registry[3], registry[n], registry[n - 1] = nil, nil, nil loaded.m = {x = f(1)}",
        "for i = 3, n do registry[i] = true end registry.X = {__name = 'X', m = f(1)}\n"
        "for i = 2, 20 do if 1 << i <= n then registry[1 << i] = nil end end\n"
        "registry[3], registry[n], registry[n - 1] = nil, nil, nil",
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        for (int n = 2048; n <= 4096; n *= 2) {
            char code[700];
            begin();
            snprintf(code, sizeof code, "local n = %d %s", n, at[i]);
            run(code);
            ck_assert(walk());
            ck_assert_msg(all.count == (n < TABLE_MOST), "%d: %s", n, at[i]);
            end();
        }
    }
    begin();
    run("t = {} for i = 1, 5000 do t['k' .. i] = f(i) end");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, TABLE_MOST);
    end();
}
END_TEST

/* In all so many: eight large tables. What comes later in the pass is not reached: neither the
 * rest of the tables and what they inherit, nor metatables, nor longer ways. */
START_TEST(entries_in_all) {
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
    end();
    begin(); /* modules that come too late */
    run("for i = 1, 12 do loaded['t' .. i] = holes(4096) loaded['t' .. i].x = f(i)\n"
        "  std.setmetatable(loaded['t' .. i], {__index = {m = f(100 + i)}}) end g = f(200)");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, ENTRIES_MOST / TABLE_MOST - 1);
    ck_assert_uint_eq(count_in(101, 113), all.count);
    end();
}
END_TEST

START_TEST(functions_in_all) {
    begin();
    run("for t = 0, 2 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1, 3000 do T['k' .. i] = f(t * 3000 + i) end end");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, FOUND_MOST - 1);
    end();
}
END_TEST

START_TEST(tables_in_all) {
    begin();
    run("for t = 0, 1 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1, 2500 do T['k' .. i] = {x = f(t * 2500 + i)} end end");
    ck_assert(walk());
    ck_assert_uint_eq(all.count, TABLES_MOST - 1 - 3); /* the globals and two of theirs */
    end();
}
END_TEST

START_TEST(text_in_all) {
    begin(); /* of functions */
    run("for t = 0, 1 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1000, 3900 do T[('n'):rep(152) .. i] = f(t * 3000 + i) end end");
    ck_assert(walk());
    uint32_t size = 3 + 152 + 4 + 1;
    ck_assert_uint_eq(all.count, (TEXT_MOST - 1 - 1 - 3 - 3) / size);
    end();
    begin(); /* of tables: the functions' are as long */
    run("for t = 0, 1 do local T = {} _ENV['t' .. t] = T\n"
        "  for i = 1000, 3900 do T[('n'):rep(150) .. i] = {x = f(t * 3000 + i)} end end");
    ck_assert(walk());
    uint32_t tables_text =
        all.text - 2 * all.count; /* at least: of those whose function is there */
    ck_assert_uint_le(all.text + tables_text, TEXT_MOST);
    ck_assert_uint_gt(all.text + tables_text, TEXT_MOST - TEXT_MOST / 8);
    end();
}
END_TEST

/* Tables within tables end soon. */
START_TEST(deep_tables) {
    begin();
    run("local t = {x = f(5000)} for i = 1, 20000 do t = {t = t, x = f(i)} end top = t");
    expect("19999=top.t.x 20000=top.x");
    end();
}
END_TEST

/* ---- without memory -------------------------------------------------------------------------- */

START_TEST(no_memory) {
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
        end();
    }
    begin(); /* indexes that cannot grow */
    run("t = {} for i = 1, 2000 do t['k' .. i] = f(i) end");
    maps_left = 3;
    ck_assert(walk());
    ck_assert_uint_eq(all.count, 1024 - 1024 / 8);
    end();
    begin();
    run("t = {} for i = 1, 1000 do t['k' .. i] = {x = f(i)} end");
    maps_left = 3;
    ck_assert(walk());
    ck_assert_uint_eq(all.count, 256 - 256 / 8 - 2);
    end();
}
END_TEST

START_TEST(no_stack) {
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
    end();
}
END_TEST

SUITE("names_walk", every_letter, odd_keys, names_that_fit, modules, inheritance, several_ways,
      registered_metatables, without_roots, c_functions, lua_functions, many_sources, empty_source,
      stripped_functions, arrays, large_tables, entries_in_all, functions_in_all, tables_in_all,
      text_in_all, deep_tables, no_memory, no_stack)
