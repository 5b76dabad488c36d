/* Tests of tree.c: threads that go from frame to frame and from one to the other, in all the ways
 * that paths are found without a walk, and those that only look like them. */
#include "tree_fixture.h"

BEFORE_TESTS(begin)

/* One after another uses the same frames, from one depth to a few. */
TEST(test_siblings) {
    now.every = 1;
    run("local random, _, _, work = ...\n"
        "local function leaf() return {} end\n"
        "local function two() local t = {leaf(), {}} return t end\n"
        "local function tail(n) local t = {} if n == 0 then return {n} end return tail(n - 1) end\n"
        "local function silent(f, n) if n == 0 then return f(2), 1 end return silent(f, n - 1), 1 "
        "end\n"
        "local function string(n) return ('x'):rep(n + 50) .. n end\n"
        "local function tailed(n) return leaf(n) end\n"
        "local list = {leaf, two, tail, tailed, string, table.pack, tostring, setmetatable,\n"
        "  function(n) return ('%d %s'):format(n, 'x'), {n} end,\n"
        "  function(n) return string(n), load('return {}')(), string(n) end,\n"
        "  function(n) return table.concat({n, 'y', n}), table.unpack({n}) end}\n"
        "local arguments = {[setmetatable] = {}, [tostring] = 7.5}\n"
        "for i = 1, 2000 do\n"
        "  local f, g = list[random(#list)], list[random(#list)]\n"
        "  pcall(silent, f, random(20)) pcall(f, arguments[f] or 3, {})\n"
        "  local t = {f(arguments[f] or 2, {}), g(arguments[g] or 2, {})}\n"
        "end\n",
        0);
}

/* Errors leave many frames at once, and others grow at their addresses. */
TEST(test_unwound) {
    now.every = 1;
    run("local random = ...\n"
        "local function a(n, e) local t = {} if n > 0 then a(n - 1, e) elseif e then error(t) end "
        "end\n"
        "local function b(n, e) if n > 0 then return {b(n - 1, e)} elseif e then error({}) end\n"
        "  return {} end\n"
        "local function c(n, e) if n > 0 then local ok = pcall(c, n - 1, e) local t = {ok} "
        "error(t)\n"
        "  end error('x' .. n) end\n"
        "local f = {a, b, c, function(n, e) return pcall(b, n, e) end,\n"
        "  function(n, e) local x <close> = setmetatable({}, {__close = function() a(n) end})\n"
        "    b(n, e) end,\n"
        "  function(n, e) coroutine.wrap(function() local t = {} b(n, e) end)() end}\n"
        "local function deep(g, n, m, e) if n == 0 then return g(m, e), {} end\n"
        "  return deep(g, n - 1, m, e), nil end\n"
        "for i = 1, 400 do\n"
        "  pcall(deep, f[random(#f)], random(40), random(40), random(2) == 1)\n"
        "  if random(3) == 1 then local t = {} end\n"
        "end\n",
        0);
}

/* More coroutines than share side stacks, in all orders; the dead are followed by others at their
 * addresses. */
TEST(test_many_coroutines) {
    now.every = 1;
    run("local random = ...\n"
        "local yield, wrap, create = coroutine.yield, coroutine.wrap, coroutine.create\n"
        "local function deep(n, f) if n > 0 then return deep(n - 1, f), {} end return f() end\n"
        "local function generator(depth) return wrap(function()\n"
        "  local inner = depth > 0 and generator(depth - 1)\n"
        "  while true do local t = {inner and inner()} yield(t) yield({}) end end) end\n"
        "local bodies = {\n"
        "  function() while true do local t = {yield({})} end end,\n"
        "  function() while true do yield() end end,\n"
        "  function() local t = {} return t end,\n"
        "  function() yield() yield() return {} end,\n"
        "  function() local t = {} yield({}) error({}) end,\n"
        "  function() deep(random(30), function() yield({}) return {} end) end,\n"
        "  function() while true do pcall(function() yield({}) pcall(yield) error({}) end) end "
        "end,\n"
        "  function() for i in wrap(function() for i = 1, 4 do yield({}) end end) do yield(i) end "
        "end,\n"
        "  function() local o = setmetatable({}, {__index = function() yield() return {} end})\n"
        "    local t = {o.x, o.y} return o.z, {} end,\n"
        "  function() coroutine.running() return {coroutine.status(create(print))} end}\n"
        "local nest = generator(6)\n"
        "local co, dead = {}, 0\n"
        "local function other(c) return coroutine.resume(c) end\n"
        "for i = 1, 6000 do\n"
        "  local k = random(3) == 1 and random(4) or random(150)\n"
        "  local c = co[k]\n"
        "  if not c then co[k] = create(bodies[random(#bodies)])\n"
        "  elseif coroutine.status(c) == 'dead' then co[k] = nil dead = dead + 1\n"
        "  elseif random(20) == 1 then coroutine.close(c)\n"
        "  elseif random(2) == 1 then other(c)\n"
        "  else local ok, t = coroutine.resume(c) end\n"
        "  if random(4) == 1 then local t = {nest()} end\n"
        "  if random(400) == 1 then collectgarbage() end\n"
        "end\n"
        "assert(dead > 100, dead)\n",
        0);
}

/* A coroutine that the host has emptied and given another function. */
static int l_renew(lua_State *L) {
    lua_State *co = lua_tothread(L, 1);
    lua_resetthread(co);
    lua_settop(co, 0);
    lua_settop(L, 2);
    lua_xmove(L, co, 1);
    return 0;
}

TEST(test_renewed) {
    now.every = 1;
    lua_register(now.L, "renew", l_renew);
    run("local random = ...\n"
        "local function a() local t = {} coroutine.yield(t) return {} end\n"
        "local function b(n) if n == 0 then return a() end return {b((n or 12) - 1)} end\n"
        "local function c() error({}) end\n"
        "local co = coroutine.create(a)\n"
        "local function resume() return coroutine.resume(co) end\n"
        "for i = 1, 300 do\n"
        "  for k = 1, random(3) do if random(2) == 1 then resume() else coroutine.resume(co) end "
        "end\n"
        "  renew(co, ({a, b, c})[random(3)])\n"
        "end\n",
        0);
}

/* Debug hooks run on the frame that they interrupt, whatever was known of it. */
TEST(test_hooks) {
    now.every = 1;
    run("local random = ...\n"
        "local function leaf() return {} end\n"
        "local function f(n) local t = {leaf()} if n > 0 then return f(n - 1) end return {leaf()} "
        "end\n"
        "local function hook() local t = {leaf(), {}} end\n"
        "local function work() for i = 1, 20 do f(3) local t = {('x'):rep(i), leaf()} end end\n"
        "for _, mask in ipairs{'c', 'r', 'l', 'crl', ''} do\n"
        "  debug.sethook(hook, mask, mask == '' and 3 or 0)\n"
        "  work()\n"
        "  local co = coroutine.wrap(function() work() coroutine.yield({}) work() end)\n"
        "  co() debug.sethook() co()\n"
        "  co = coroutine.create(function() work() coroutine.yield({}) work() end)\n"
        "  debug.sethook(co, hook, mask, mask == '' and 2 or 0)\n"
        "  coroutine.resume(co) coroutine.resume(co)\n"
        "end\n",
        0);
}

/* Deep coroutines, whose side stacks grow by one frame at a time, and stand beside each other. */
TEST(test_room) {
    now.every = 1;
    run("local function climb(n) if n > 10 then local t = {} end\n"
        "  if n == 60 then coroutine.yield() return 1 end return climb(n + 1) + 1 end\n"
        "local co = {}\n"
        "for round = 1, 3 do\n"
        "  for i = 1, 40 do co[i] = coroutine.create(function() return {climb(1), {}} end) end\n"
        "  for i = 1, 80 do coroutine.resume(co[(i - 1) % 40 + 1]) end\n"
        "end\n",
        0);
}

/* Code at the address of other code, that is gone: another source. */
TEST(test_code_follows) {
    now.every = 1;
    run("local names, text = {'=a', '=b', '=c', '=d', '=e'}, ('local t = {} '):rep(60)\n"
        "for i = 1, 200 do\n"
        "  load(text, names[i % 5 + 1])()\n"
        "  collectgarbage() collectgarbage()\n"
        "end\n",
        0);
}

/* A coroutine asks for the one that has resumed it, which is still waiting. */
TEST(test_asked_for_resumer) {
    now.every = 1;
    run("local _, poke = ...\n"
        "local main = coroutine.running()\n"
        "local function inner(outer) local t = {} poke(outer) t = {} poke(main) t = {} end\n"
        "local function outer() local me = coroutine.running()\n"
        "  local t = {} coroutine.wrap(inner)(me) t = {} poke(main) return {} end\n"
        "for i = 1, 3 do coroutine.wrap(outer)() end\n",
        0);
}

/* Resumes its arguments in turn: only the first one can be seen. */
static int l_in_turn(lua_State *L) {
    int n = lua_gettop(L);
    for (int i = 1; i <= n; i++) {
        lua_State *co = lua_tothread(L, i);
        int got;
        now.host[now.hosts] = co;
        now.from[now.hosts++] = L;
        lua_resume(co, L, 0, &got);
        now.hosts--;
        lua_pop(co, got);
    }
    return 0;
}

TEST(test_in_turn) {
    now.every = 1;
    now.all_known = true;
    lua_register(now.L, "in_turn", l_in_turn);
    run("local second\n"
        "local function a() local t = {} coroutine.yield(second) t = {} end\n"
        "local function b() local t = {} coroutine.wrap(function() local t = {}\n"
        "  in_turn(coroutine.create(function() local t = {} t = {t} end)) end)() return {t} end\n"
        "for i = 1, 3 do\n"
        "  second = coroutine.create(b)\n"
        "  in_turn(coroutine.create(a), second, coroutine.create(b))\n"
        "  local t = {}\n"
        "end\n",
        0);
    ck_assert_uint_gt(now.threads, 3);
}

/* Resumes the coroutine that is its first argument, and yields whenever that does: then it goes on,
 * in the same frame, though its thread has been left and resumed from elsewhere. */
static int l_pass_on(lua_State *L, int status, lua_KContext context) {
    lua_State *co = lua_tothread(L, 1);
    int got;
    (void)status;
    (void)context;
    if (lua_resume(co, L, 0, &got) != LUA_YIELD) return 0;
    lua_pop(co, got);
    return lua_yieldk(L, 0, 0, l_pass_on);
}

static int l_pass(lua_State *L) {
    return l_pass_on(L, LUA_OK, 0);
}

TEST(test_passed_on) {
    now.every = 1;
    lua_register(now.L, "pass", l_pass);
    run("local create, resume = coroutine.create, coroutine.resume\n"
        "local co = create(function() for i = 1, 40 do local t = {} coroutine.yield() t = {} end "
        "end)\n"
        "for i = 1, 3 do\n"
        "  local inner = co\n"
        "  co = create(function() pass(inner) end)\n"
        "end\n"
        "local function a() resume(co) end\n"
        "local function b() resume(co) end\n"
        "local function c() a() b() end\n"
        "local wrapped = coroutine.wrap(function() while true do a() coroutine.yield() b() end "
        "end)\n"
        "for i = 1, 5 do a() b() wrapped() c() local t = {} resume(co) end\n",
        0);
    ck_assert_uint_gt(now.threads, 5);
}

/* Code dies, a little or very much of it, and other code is at its addresses then, with the same
 * instructions on other lines: what was known of those that called from it is not right for it. */
TEST(test_code_again) {
    now.every = 1;
    run("local function leaf() return {} end\n"
        "local function some(n, round)\n"
        "  local all = {}\n"
        "  for i = 1, n do\n"
        "    local text = ('\\n'):rep((i + round) % 9) .. 'local f = ... local t = {f()} return "
        "t'\n"
        "    all[i] = load(text, '=again')\n"
        "  end\n"
        "  for i = 1, n do all[i](leaf) end\n"
        "end\n"
        "for _, n in ipairs{1, 3, 20, 63, 64, 65, 66, 200} do\n"
        "  for round = 1, 6 do some(n, round) collectgarbage() end\n"
        "end\n",
        0);
}
