/* Tests of tree.c with programs at random: calls of every kind, coroutines, errors, metamethods,
 * the collector; with tables that are full, and with no memory. */
#include "agent/charge/tree_impl.h"
#include "tree_fixture.h"

/* Without __concat: up to Lua 5.4.4 a metamethod of it that moves the stack makes the collector
 * read beyond its end. */
static const char program[] =
    "local random, poke, scheduler, work = ...\n"
    "local left, ops = work, nil\n"
    "local kept = {}\n"
    "local create, resume, wrap, yield = coroutine.create, coroutine.resume, coroutine.wrap,\n"
    "  coroutine.yield\n"
    "local function any(n)\n"
    "  left = left - 1\n"
    "  if n <= 0 or left < 0 then return {n} end\n"
    "  return ops[random(#ops)](n - 1)\n"
    "end\n"
    "local function safe(n) local ok, e = pcall(any, n) return {ok, e} end\n"
    "local function pause() if coroutine.isyieldable() and random(3) == 1 then yield({}) end end\n"
    "local function body(a, n)\n"
    "  local x <close> = setmetatable({}, {__close = function() safe(1) end})\n"
    "  for i = 1, random(4) do local t = {any(n)} pause() t[2] = 'x' .. i .. n end\n"
    "  if random(9) == 1 then error({}) end\n"
    "  return any(n)\n"
    "end\n"
    "local meta = {}\n"
    "for _, e in ipairs{'index', 'newindex', 'add', 'len', 'eq', 'lt', 'le', 'call',\n"
    "    'unm', 'shl', 'idiv'} do\n"
    "  meta['__' .. e] = function() local r = any(2) return r and nil end\n"
    "end\n"
    "local function obj() return setmetatable({}, meta) end\n"
    "local function recurse(n, m) if n == 0 then return {any(m)} end\n"
    "  local t = {recurse(n - 1, m)} return t end\n"
    "local function loop(n, m) if n == 0 then return any(m) end return loop(n - 1, m) end\n"
    "local function var(...) local a = {...} return select('#', ...), any(#a) end\n"
    "ops = {\n"
    "  function(n) return any(n) end,\n"
    "  function(n) local r = any(n) return {r} end,\n"
    "  function(n) local a, b = {}, {} a[1] = any(n) b[1], b[2] = any(n), {} return a end,\n"
    "  function(n) return (safe(n)) end,\n"
    "  function(n) local ok, e = pcall(any, n) if not ok then e = {} end return e end,\n"
    "  function(n) return xpcall(any, function(m) safe(1) return {m} end, n) end,\n"
    "  function(n) safe(n) if random(3) == 1 then error('e' .. n) end end,\n"
    "  function(n) if random(3) == 1 then error({any(n)}) end end,\n"
    "  function(n) if random(5) == 1 then local x = nil + n end end,\n"
    "  function(n) return recurse(random(30), n) end,\n"
    "  function(n) return loop(random(6), n) end,\n"
    "  function(n) return var(any(n), 2, 3, table.unpack({}, 1, random(40))) end,\n"
    "  function(n) local co = create(body) resume(co, 1, n) resume(co) kept[#kept + 1] = co end,\n"
    "  function(n) local f = wrap(body) pcall(f, 1, n) pcall(f) return {any(n)} end,\n"
    "  function(n) for v in wrap(function() for i = 1, 3 do yield({i, any(n)}) end end) do\n"
    "    kept[#kept + 1] = v end end,\n"
    "  function(n) local co = kept[random(#kept + 1)]\n"
    "    if type(co) == 'thread' then resume(co, {}) else kept = {} end return {} end,\n"
    "  function(n) local co = kept[random(#kept + 1)]\n"
    "    if type(co) == 'thread' and coroutine.status(co) ~= 'normal' and\n"
    "       coroutine.status(co) ~= 'running' then coroutine.close(co) end end,\n"
    "  function(n) local co = kept[#kept] if type(co) == 'thread' and\n"
    "    (coroutine.status(co) == 'suspended' or coroutine.status(co) == 'dead')\n"
    "    then poke(co) end poke(create(body)) end,\n"
    "  function(n) pause() return any(n) end,\n"
    "  function(n) return coroutine.wrap(function() return any(n) end)() end,\n"
    "  function(n) local co co = create(function() return pcall(coroutine.wrap(body), co, n) end)\n"
    "    return resume(co) end,\n"
    "  function(n) local f = scheduler(function() return body(1, n) end, function()\n"
    "    pause() return any(n) end) if random(2) == 1 then return f() end f() return {} end,\n"
    "  function(n) local o = obj() return o.x end,\n"
    "  function(n) local o = obj() o.y = {} return o + 1, #o, -o end,\n"
    "  function(n) local o, q = obj(), obj() return o == q, o < q, o <= q, o(1), o // 2 end,\n"
    "  function(n) local t = {3, 1, 2} table.sort(t, function(a, b) safe(1) return a < b end) "
    "end,\n"
    "  function(n) return (('abc'):gsub('.', function(c) any(1) return c .. n end)) end,\n"
    "  function(n) return load('local any, n = ... \\n local t = {any(n)}\\n\\n return t, {' ..\n"
    "    random(100) .. '}', random(2) == 1 and '=chunk' or nil)(any, n) end,\n"
    "  function(n) return load(function() safe(1) return nil end) end,\n"
    "  function(n) setmetatable({}, {__gc = function() safe(2) end}) end,\n"
    "  function(n) collectgarbage(random(2) == 1 and 'step' or 'collect') return {} end,\n"
    "  function(n) local x <close> = setmetatable({}, {__close = function(_, e) safe(1) end})\n"
    "    return any(n) end,\n"
    "  function(n) goto out ::out:: do local x <close> = setmetatable({}, {__close = function()\n"
    "    any(1) end}) any(n) end return {} end,\n"
    "  function(n) debug.sethook(function() debug.sethook() safe(1) end, '', 1 + random(20))\n"
    "    local r = any(n) return {r} end,\n"
    "  function(n) debug.sethook(function(e) safe(1) debug.sethook() end, 'cr') return any(n) "
    "end,\n"
    "  function(n) return tostring(setmetatable({}, {__tostring = function() any(n) return 'x'\n"
    "    end})) end,\n"
    "  function(n) return string.rep('x', random(400)) .. n end,\n"
    "  function(n) return string.format('%s %q', {}, 'x' .. n) end,\n"
    "}\n"
    "for i = 1, 100000 do if left < 0 then break end safe(3 + random(10))\n"
    "  if random(20) == 1 then kept = {} end end\n";

/* Everything, and all of it right. */
TEST(test_random) {
    static const unsigned everies[] = {1, 1, 2, 5, 30};
    for (int round = 0; round < 10; round++) {
        begin();
        if (suite_below(3) == 0) lua_gc(now.L, LUA_GCGEN, 0, 0);
        now.every = everies[suite_below(5)];
        now.by_pc = suite_below(2);
        run(program, 3000);
        ck_assert_uint_gt(now.looks, 100);
        ck_assert_uint_gt(now.threads, 2);
        ck_assert_uint_gt(now.deepest, 20);
        ck_assert_uint_eq(p.live->tables.folded, 0);
    }
}

/* With room for few nodes and paths: what does not fit is in (others), and counted, all else
 * right. */
TEST(test_full) {
    for (int round = 0; round < 6; round++) {
        limits = (LmpTableLimits){.records = 64, .nodes = 2 + (uint32_t)suite_below(3000)};
        limits.paths = limits.records + 1 + (uint32_t)suite_below(4000);
        begin();
        now.every = 1 + (unsigned)suite_below(4);
        now.may_fold = true;
        run(program, 2000);
        ck_assert_uint_eq(p.live->tables.folded, now.folded);
        ck_assert_uint_le(tables_nodes(&p.tables), limits.nodes);
        ck_assert_uint_le(tables_paths(&p.tables), limits.paths);
    }
    limits = (LmpTableLimits){0};
}

/* The state is shared memory: whatever another process has written to the chains of nodes, rows
 * that come from them are rows of the tables. */
TEST(test_damaged_chains) {
    static const uint32_t damages[] = {UINT32_MAX, LMP_NODES_MAX, LMP_PATHS_MAX, 2, 0};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        begin();
        now.damaged = true;
        uint32_t parent = tree_find_node(&p, 0, 3, 0);
        for (uint32_t site = 1; site < 6; site++) {
            uint32_t node = tree_find_node(&p, parent, site, 0);
            ck_assert_uint_lt(node, p.live->tables.nodes);
            ck_assert_uint_lt(tree_find_path(&p, node, site), p.live->tables.paths);
            LmpNode *n = p.tables.node;
            n[parent].callee = n[node].callee = n[node].next = n[node].path = damages[i];
            ck_assert_uint_lt(tree_find_node(&p, node, 1, 0), p.live->tables.nodes);
            ck_assert_uint_lt(tree_find_path(&p, node, 9), p.live->tables.paths);
        }
    }
}

TEST(test_no_memory) {
    for (int round = 0; round < 8; round++) {
        begin();
        now.every = 1;
        now.may_fold = true;
        maps_left = (int)suite_below(6);
        run(program, 1500);
    }
}

TEST(test_open_fails) {
    begin();
    tree_close(&p);
    int n = 0, before = mapped;
    for (bool all = false; !all; n++) {
        maps_left = n;
        refused = 0;
        LmpErr err = tree_open(&p);
        all = !refused;
        ck_assert_int_eq(err, all ? LMP_OK : LMP_E_NOMEM);
        if (all) continue;
        ck_assert_ptr_null(p.tree);
        ck_assert_int_eq(mapped, before);
    }
    ck_assert_int_ge(n, 4);
    maps_left = -1;
}
