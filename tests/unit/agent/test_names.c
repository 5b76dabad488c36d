/* Tests of names.c and names_walk.c: the path of a function is the best of all there are, the same
 * whatever the order of the tables; what is odd in package.loaded or in the globals does no harm;
 * and a pass asks the profiled state for no memory, runs none of its code and leaves its stack. */
#include "agent/charge/names.h"
#include "agent/interp/luafacts.h"

#include <lauxlib.h>
#include <lualib.h>

#include "agent/charge/c_names.h"
#include "bare_tables.h"

static uint64_t now; /* what the clock says, nanoseconds */

static uint64_t test_clock(void) {
    return now;
}

/* ---- a state and a profile with tables, nothing else ----------------------------------------- */

static lua_State *L;
static size_t requests; /* of the state, for memory */

static void *counting_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    (void)osize;
    if (nsize) {
        requests++;
        return realloc(ptr, nsize);
    }
    free(ptr);
    return NULL;
}

static void end(void) {
    lua_close(L);
    names_close(&p);
    bare_tables_end();
}

static void begin(void) {
    suite_closes(end);
    bare_tables((LmpTableLimits){0});
    test_os.clock = test_clock;
    now = 0;
    ck_assert_int_eq(sites_open(&p), LMP_OK);
    names_open(&p);
    L = luafacts_newstate(counting_alloc, NULL);
    luaL_openlibs(L);
}

static void run(const char *code) {
    ck_assert_msg(luaL_dostring(L, code) == LUA_OK, "%s", lua_tostring(L, -1));
}

/* The row of the function at -1, which is popped; as the hook makes it. */
static uint32_t row_of_top(void) {
    lua_Debug ar = {.namewhat = ""};
    lua_CFunction c = lua_tocfunction(L, -1);
    const void *address = NULL;
    if (c) memcpy(&address, &c, sizeof address);
    lua_getinfo(L, ">S", &ar);
    ar.namewhat = "";
    return sites_function(&p, &ar, address);
}

static uint32_t row_of(const char *expression) {
    char code[512];
    snprintf(code, sizeof code, "return %s", expression);
    run(code);
    ck_assert_msg(lua_isfunction(L, -1), "%s is no function", expression);
    return row_of_top();
}

static const char *name_of(uint32_t row) {
    static char out[4096];
    return tables_text(&p.tables, p.tables.function[row].qualified, out, sizeof out);
}

static void pass(void) {
    int top = lua_gettop(L);
    size_t before = requests;
    int kib = lua_gc(L, LUA_GCCOUNT), rest = lua_gc(L, LUA_GCCOUNTB);
    names_pass(&p, L);
    ck_assert_int_eq(lua_gettop(L), top);
    ck_assert_msg(requests == before, "the pass asked for memory");
    ck_assert(lua_gc(L, LUA_GCCOUNT) == kib && lua_gc(L, LUA_GCCOUNTB) == rest);
}

/* The path of what an expression gives; known before the pass, as a function that has run is. */
static void same_path(const char *expression, const char *path) {
    uint32_t row = row_of(expression);
    pass();
    ck_assert_msg(!strcmp(name_of(row), path), "%s: '%s', want '%s'", expression, name_of(row),
                  path);
}

static const void *address_of(const char *expression) {
    char code[512];
    const void *address;
    snprintf(code, sizeof code, "return %s", expression);
    run(code);
    lua_CFunction c = lua_tocfunction(L, -1);
    memcpy(&address, &c, sizeof address);
    lua_pop(L, 1);
    return address;
}

/* ---- plain cases ----------------------------------------------------------------------------- */

TEST(test_c_functions_at_once) {
    begin();
    pass(); /* at start: no function has a row yet */
    static const struct {
        const char *expression, *path;
    } known[] = {{"table.insert", "table.insert"},
                 {"print", "print"},
                 {"string.format", "string.format"},
                 {"io.stdout.write", "FILE*:write"},
                 {"require", "require"},
                 {"coroutine.wrap", "coroutine.wrap"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[64];
        uint32_t at = c_names_text(p.c_names, address_of(known[i].expression));
        ck_assert_str_eq(tables_text(&p.tables, at, text, sizeof text), known[i].path);
        ck_assert_str_eq(name_of(row_of(known[i].expression)), known[i].path);
    }
    ck_assert_uint_eq(c_names_text(p.c_names, &p), 0);
}

TEST(test_modules_and_globals) {
    begin();
    run("local M = {Book = {}} function M.price() end\n"
        "function M.Book.put() end\n"
        "package.loaded['options'] = M; package.loaded['pl.List'] = {append =\n"
        "function() end}\n package.loaded['callable'] = function() end");
    run("Stack = {} Stack.__index = Stack function Stack.push() end");
    run("function free() end");
    run("local C = {}; C.__index = C; function C.method() end; object = setmetatable({}, C); "
        "hidden = C.method; hidden = nil; the = {C.method} the = nil; Keep = {c = object}");
    run("t = {['with space'] = function() end,\n [3] = function() end,\n ['if'] = function() end}");
    run("a = {b = {c = {d = function() end,\n e = {f = function() end}}}}");
    same_path("require 'options'.price", "options.price");
    same_path("require 'options'.Book.put", "options.Book.put");
    same_path("require 'pl.List'.append", "pl.List.append");
    same_path("require 'callable'", "callable");
    same_path("Stack.push", "Stack.push");
    same_path("free", "free");
    same_path("object.method", "object.method");
    same_path("t['with space']", "t[\"with space\"]");
    same_path("t[3]", "t[3]");
    same_path("t['if']", "t.if");
    same_path("function() end", "");
    same_path("a.b.c.d", ""); /* a step too far */
}

TEST(test_the_best_way) {
    begin();
    run("fmt = string.format; unpack = table.unpack");
    run("local M = {} function M.f() end\n function M.longname() end M.g = M.longname\n"
        "package.loaded.m = M; f = M.f; other = {deep = {f = M.f}}");
    run("first = {} first.run = function() end second = {run = first.run}");
    same_path("string.format", "string.format"); /* where it comes from, not its alias */
    same_path("table.unpack", "table.unpack");
    same_path("require 'm'.f", "m.f"); /* its module before a global */
    same_path("require 'm'.longname", "m.g");
    same_path("first.run", "first.run"); /* as long as the other: the alphabet's order */
}

static int some_c(lua_State *state) {
    return lua_gettop(state);
}

static int other_c(lua_State *state) {
    return lua_gettop(state) + 1;
}

static void c_name_is(lua_CFunction f, uint32_t row, const char *path) {
    const void *address;
    char text[64];
    memcpy(&address, &f, sizeof address);
    pass();
    ck_assert_str_eq(tables_text(&p.tables, c_names_text(p.c_names, address), text, sizeof text),
                     path);
    if (row) ck_assert_str_eq(name_of(row), path);
}

/* What is found in a later pass is compared with what the earlier ones have left. */
TEST(test_later_passes) {
    begin();
    lua_register(L, "beta", some_c);
    c_name_is(some_c, 0, "beta"); /* before it has run */
    uint32_t row = row_of("beta");
    ck_assert_str_eq(name_of(row), "beta");
    lua_register(L, "zeta", some_c);
    c_name_is(some_c, row, "beta");
    lua_register(L, "alfa", some_c); /* as good, and comes first */
    c_name_is(some_c, row, "alfa");
    run("alfa, beta, zeta = nil, nil, nil a = {b = {c = 1}}");
    lua_getglobal(L, "a");
    lua_getfield(L, -1, "b");
    lua_pushcfunction(L, some_c);
    lua_setfield(L, -2, "deep");
    lua_pop(L, 2);
    c_name_is(some_c, row, "alfa"); /* a longer way is no better, though the short one is gone */
    lua_getglobal(L, "a");
    lua_pushcfunction(L, other_c);
    lua_setfield(L, -2, "short");
    lua_pop(L, 1);
    c_name_is(other_c, 0, "a.short");
    run("package.loaded.module = {name = a.short}");
    c_name_is(other_c, row_of("a.short"), "module.name");

    run("mid = function() end"); /* the same of Lua functions */
    row = row_of("mid");
    pass();
    run("upp = mid");
    pass();
    ck_assert_str_eq(name_of(row), "mid");
    run("low = mid");
    pass();
    ck_assert_str_eq(name_of(row), "low");
    run("a.mid = mid mid, upp, low = nil, nil, nil");
    pass();
    ck_assert_str_eq(name_of(row), "low");
    uint32_t names = p.live->tables.names;
    pass();
    ck_assert_uint_eq(p.live->tables.names, names); /* nothing is new to readers */
}

/* As long as a Lua function has no path there is another pass now and then; then no more. */
TEST(test_looks_again) {
    enum { MINUTE = 60 };
    begin();
    run("local f = function() end debug.getregistry().held = f");
    run("return debug.getregistry().held");
    uint32_t row = row_of_top();
    pass();
    run("found = debug.getregistry().held");
    names_look(&p, L);
    ck_assert_str_eq(name_of(row), ""); /* not yet */
    now += MINUTE * 1000000000ull;
    names_look(&p, L);
    ck_assert_str_eq(name_of(row), "found");
    run("aaa = found"); /* a better one, which nothing looks for */
    now += MINUTE * 1000000000ull;
    names_look(&p, L);
    ck_assert_str_eq(name_of(row), "found");
    run("function more() end"); /* but for new functions there is always one */
    uint32_t more = row_of("more");
    names_look(&p, L);
    ck_assert_str_eq(name_of(more), "more");
    ck_assert_str_eq(name_of(row), "aaa");
}

TEST(test_better_ways_come_late) {
    begin();
    run("a = {b = {c = function() end}}");
    uint32_t row = row_of("a.b.c");
    pass();
    ck_assert_str_eq(name_of(row), "a.b.c");
    uint32_t names = p.live->tables.names;
    pass();
    ck_assert_uint_eq(p.live->tables.names, names); /* nothing has changed */
    run("m = a.b.c");
    pass();
    ck_assert_str_eq(name_of(row), "m");
    ck_assert_uint_gt(p.live->tables.names, names);
    run("m, a = nil, nil"); /* what was is still its name */
    pass();
    ck_assert_str_eq(name_of(row), "m");
}

TEST(test_products_of_factories) {
    begin();
    run("local function make() return function() end end; one, two = make(), make()\n"
        "local function same()\n return function() end end; local f = same(); x, y = f, f");
    same_path("one", ""); /* neither is the name of the other */
    same_path("x", "x");
    run("local function again()\n return function() end end; First = again(); Again = again");
    same_path("First", "First");
    uint32_t row = row_of("First");
    run("Another = Again()"); /* it turns out later */
    pass();
    ck_assert_str_eq(name_of(row), "");
    run("Another = nil");
    pass();
    ck_assert_str_eq(name_of(row), "");
    run("gen = coroutine.wrap(function() end)");
    same_path("gen", ""); /* another coroutine would be called the same */
}

/* ---- odd cases ------------------------------------------------------------------------------- */

TEST(test_odd_tables) {
    begin();
    run("for i = 1, 100 do package.loaded[i] = function() end; package.loaded[{}] = {} end\n"
        "package.loaded[1.5] = {f = print}; package.loaded[true] = {f = print}\n"
        "package.loaded['a\\0b'] = {f = function() end}; package.loaded[''] = {f = print}\n"
        "package.loaded[('x'):rep(1000)] = {f = function() end}\n"
        "package.loaded.odd = {[('y'):rep(1000)] = function() end,\n"
        "  ['a\\0b'] = function() end}");
    run("cycle = {} cycle.cycle = cycle; cycle.g = _G; cycle.l = package.loaded;\n"
        "cycle.m = setmetatable({}, {__index = cycle}) cycle.f = function() end");
    run("env = setmetatable({own = function() end}, {__index = _G})");
    run("local bad = function() error 'a metamethod has run' end\n"
        "local mt = {__index = bad, __newindex = bad, __pairs = bad, __len = bad, __eq = bad,\n"
        "  __name = 7, __metatable = 'locked', __gc = true, __mode = 'k'}\n"
        "trap = setmetatable({inside = function() end}, mt)\n"
        "setmetatable(package.loaded, mt); setmetatable(_G, mt)");
    run("debug.getregistry().strange = {__name = {}} debug.getregistry().Strange = {__name = 'x'}");
    same_path("trap.inside", "trap.inside");
    same_path("cycle.f", "cycle.f");
    same_path("env.own", "env.own");
    same_path("print", "print");
    same_path("package.loaded['a\\0b'].f", "");
    same_path("package.loaded[('x'):rep(1000)].f", "");
    same_path("package.loaded.odd[('y'):rep(1000)]", "");
    run("debug.getregistry()._LOADED = 5");
    same_path("cycle.m.f", "cycle.f");
    run("debug.getregistry()._LOADED = nil");
    run("debug.getregistry()[2] = nil"); /* where the globals stand */
    pass();
}

TEST(test_much_data) {
    begin();
    run("big = {} for i = 1, 300000 do big[i] = {} end\n"
        "wide = {} for i = 1, 50000 do wide['k' .. i] = {} end\n"
        "function near() end; long = {} for i = 1, 1000 do long[i] = 0 end\n"
        "function long.behind() end");
    same_path("near", "near");
    same_path("long.behind", "long.behind"); /* behind an array that is skipped */
    same_path("table.concat", "table.concat");
}

TEST(test_no_memory) {
    for (int most = 0;; most++) {
        test_os = os_real;
        begin();
        run("function f() end");
        uint32_t row = row_of("f");
        names_close(&p);
        maps_left = most;
        names_open(&p);
        pass();
        bool all = maps_left != 0;
        ck_assert(!strcmp(name_of(row), "f") || (!all && !*name_of(row)));
        maps_left = -1;
        suite_close();
        if (all) break;
        ck_assert_int_lt(most, 50);
    }
}

/* ---- a naive model: all ways there are ------------------------------------------------------- */

static const char model[] =
    "local seed = ...\n"
    "local state = seed\n"
    "local function below(n) state = (state * 1103515245 + 12345) & 0x7fffffff\n"
    "  return (state >> 8) % n + 1 end\n"
    "local src = {}\n"
    "for i = 1, 30 do src[i] = 'function() end,' end\n"
    "local functions = load('return {\\n' .. table.concat(src, '\\n') .. '}', '=model')()\n"
    "local tables = {}\n"
    "for i = 1, 12 do tables[i] = {} end\n"
    "local names = {'a', 'b', 'c', 'dd', 'ee', 'fff', 'x1', 'y_'}\n"
    "for _, t in ipairs(tables) do\n"
    "  for _ = 1, below(7) do\n"
    "    t[names[below(#names)]] = below(2) == 1 and tables[below(12)] or functions[below(30)]\n"
    "  end\n"
    "end\n"
    "for _ = 1, 4 do\n"
    "  _G['G' .. names[below(#names)]] = below(3) > 1 and tables[below(12)] or "
    "functions[below(30)]\n"
    "  package.loaded['m' .. names[below(#names)]] = tables[below(12)]\n"
    "end\n"
    "local best = {}\n"
    "local function better(a, b)\n"
    "  if a.steps ~= b.steps then return a.steps < b.steps end\n"
    "  if a.origin ~= b.origin then return a.origin < b.origin end\n"
    "  if #a.path ~= #b.path then return #a.path < #b.path end\n"
    "  return a.path < b.path\n"
    "end\n"
    "local function go(value, path, steps, origin)\n"
    "  if type(value) == 'function' then\n"
    "    local way = {steps = steps, origin = origin, path = path}\n"
    "    if not best[value] or better(way, best[value]) then best[value] = way end\n"
    "  elseif type(value) == 'table' and steps < 4 then\n"
    "    for k, v in next, value do go(v, path .. '.' .. k, steps + 1, origin) end\n"
    "  end\n"
    "end\n"
    "for k, v in next, package.loaded do if k:find '^m' then go(v, k, 1, 0) end end\n"
    "for k, v in next, _G do if k:find '^G' then go(v, k, 2, 1) end end\n"
    "local n = 0\n"
    "for i, f in ipairs(functions) do\n"
    "  expected[i] = best[f] and best[f].path or ''\n"
    "  if best[f] then n = n + 1 end\n"
    "end\n"
    "return functions, n\n";

TEST(test_every_way) {
    unsigned reached = 0;
    for (int round = 0; round < 60; round++) {
        begin();
        run("expected = {}");
        ck_assert_int_eq(luaL_loadstring(L, model), LUA_OK);
        lua_pushinteger(L, (lua_Integer)suite_below(1u << 30));
        ck_assert_msg(lua_pcall(L, 1, 2, 0) == LUA_OK, "%s", lua_tostring(L, -1));
        reached += (unsigned)lua_tointeger(L, -1);
        lua_pop(L, 1);
        uint32_t rows[31];
        for (int i = 1; i <= 30; i++) {
            lua_rawgeti(L, -1, i);
            rows[i] = row_of_top();
        }
        pass();
        lua_getglobal(L, "expected");
        for (int i = 1; i <= 30; i++) {
            lua_rawgeti(L, -1, i);
            ck_assert_msg(!strcmp(name_of(rows[i]), lua_tostring(L, -1)), "'%s', want '%s'",
                          name_of(rows[i]), lua_tostring(L, -1));
            lua_pop(L, 1);
        }
    }
    ck_assert_uint_gt(reached, 300);
}
