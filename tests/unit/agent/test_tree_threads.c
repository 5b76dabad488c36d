/* Tests of tree_threads.c: who resumes whom, threads that are hidden; and what is kept of threads,
 * which ends with them. */
#include "tree_fixture.h"

#include "agent/charge/tree_impl.h"

BEFORE_TESTS(begin)

/* No thread is known, or nothing runs. */
TEST(test_no_thread) {
    uint32_t path = tree_path(&p, NULL, 0, now.record[0]);
    uint32_t node = p.tables.path[path].node;
    ck_assert_uint_eq(p.tables.node[node].site, sites_pseudo(&p, LMP_PSEUDO_HOST));
    uint32_t record = sites_record(&p, sites_site(&p, 30, 1, 0), 1, 0); /* of some function */
    path = tree_path(&p, NULL, 0, record);
    node = p.tables.path[path].node;
    ck_assert_uint_eq(p.tables.path[path].record, record);
    ck_assert_uint_eq(p.tables.node[node].site, sites_pseudo(&p, LMP_PSEUDO_UNKNOWN));
    path = tree_path(&p, now.L, 0, now.record[0]);
    node = p.tables.path[path].node;
    ck_assert_uint_eq(p.tables.node[node].site, sites_pseudo(&p, LMP_PSEUDO_HOST));
}

/* Marks of an earlier profile are in the frames: they mean nothing to the next one. */
static int l_again(lua_State *L) {
    (void)L;
    tree_close(&p);
    memset(p.tables.node, 0, 4096 * sizeof *p.tables.node);
    open_tree();
    return 0;
}

TEST(test_again) {
    lua_register(now.L, "again", l_again);
    now.every = 1;
    run("local function f(n) local t = {} if n > 0 then t[1] = f(n - 1) else again() end\n"
        "  return {} end\n"
        "local function g(n) local t = {} f(3) if n > 0 then return {g(n - 1)} end end\n"
        "g(4) coroutine.wrap(function() g(3) coroutine.yield() end)() f(2)\n",
        0);
}

/* A coroutine that is resumed from one place after another hangs under each in turn. */
TEST(test_resumers) {
    now.every = 1;
    run("local function body() for i = 1, 30 do coroutine.yield({}) local t = {} end end\n"
        "local function deep(n) if n > 0 then return deep(n - 1), {} end body() end\n"
        "local f = coroutine.wrap(deep)\n"
        "f(5)\n"
        "local function a() f() f() end\n"
        "local function b() a()\n a() end\n"
        "a() b() f() f()\n"
        "coroutine.wrap(function() f() f() a() coroutine.yield({}) b() end)()\n"
        "for i = 1, 3 do f() end\n",
        0);
    ck_assert_uint_eq(now.threads, 3);
}

/* Threads resumed by host code, which hides them, and what they resume. */
TEST(test_hidden) {
    now.every = 1;
    now.all_known = true;
    run("local random, poke, scheduler = ...\n"
        "local function inner() for i = 1, 3 do local t = {} coroutine.yield({t}) end end\n"
        "local function body() local t = {} local f = coroutine.wrap(inner)\n"
        "  for i = 1, 3 do t[i] = {f()} coroutine.yield({}) poke(coroutine.create(body)) end\n"
        "  return {}\n"
        "end\n"
        "local function outer() local t = {} scheduler(body, inner, body)() return {t} end\n"
        "scheduler(body, body)()\n"
        "coroutine.wrap(function() local t = {} scheduler(outer, body)() return {} end)()\n"
        "pcall(scheduler(outer, outer, outer))\n",
        0);
    ck_assert_uint_gt(now.threads, 3);
    ck_assert_uint_eq(p.live->tables.folded, 0);
}

/* Resumes its second argument: what runs hides nothing but that. */
static int l_hide(lua_State *L) {
    lua_State *co = lua_tothread(L, 2);
    int got = 0;
    now.host[now.hosts] = co;
    now.from[now.hosts++] = L;
    if (lua_resume(co, L, 0, &got) > LUA_YIELD) got = 1; /* it is dead: a message */
    now.hosts--;
    lua_pop(co, got);
    return 0;
}

/* A hidden thread has resumed another one, openly, without asking since the one outside of it. */
TEST(test_hidden_resumer) {
    lua_register(now.L, "hide", l_hide);
    now.every = 1;
    now.all_known = true;
    run("local create, wrap, yield = coroutine.create, coroutine.wrap, coroutine.yield\n"
        "local function outer()\n"
        "  local a = create(function() local t = {}\n"
        "    local b = wrap(function() while true do local t = {} yield() end end)\n"
        "    for i = 1, 3 do yield() b() end local t = {} yield() t = {} end)\n"
        "  for i = 1, 6 do hide(nil, a) local t = {} end\n"
        "end\n"
        "for i = 1, 3 do hide(nil, create(outer)) local t = {} end\n"
        "wrap(function() local t = {} for i = 1, 3 do hide(nil, create(outer)) t = {} end end)()\n",
        0);
    ck_assert_uint_gt(now.threads, 3);
}

/* C functions that are told a thread have not resumed it: the one that runs, one that has resumed
 * it, one that waits, a dead one, one that has not begun. */
TEST(test_only_told) {
    now.every = 1;
    run("local _, poke = ...\n"
        "local create, resume, yield = coroutine.create, coroutine.resume, coroutine.yield\n"
        "local running, traceback = coroutine.running, debug.traceback\n"
        "local waits = create(function() local t = {} yield(t) end) resume(waits)\n"
        "local open = create(function() local t = {} local ok, e = pcall(yield, t) error(t) end)\n"
        "resume(open)\n"
        "local dead = create(function() local t = {} error(t) end) resume(dead)\n"
        "local died = create(function() local t = {} t = t + 1 end) resume(died)\n"
        "local fresh = create(function() end)\n"
        "local main = running()\n"
        "local function tell(...)\n"
        "  local me = running()\n"
        "  for _, co in ipairs{main, me, waits, open, dead, died, fresh, ...} do\n"
        "    traceback(co) local t = {} resume(co == fresh and dead or co == waits and dead or\n"
        "      co == open and dead or co) t = {}\n"
        "    poke(co) t = {}\n"
        "  end\n"
        "end\n"
        "tell()\n"
        "coroutine.wrap(function() local me = running() tell() coroutine.wrap(tell)(me) tell() "
        "end)()\n",
        0);
}

/* ---- what is kept of threads ----------------------------------------------------------------- */

/* Closes the tree in the middle of things: all that it has mapped is given back. */
static int l_reopen(lua_State *L) {
    (void)L;
    tree_close(&p);
    int others = mapped;
    open_tree();
    int fresh = mapped - others;
    tree_close(&p);
    ck_assert_int_eq(mapped, others);
    ck_assert_int_gt(fresh, 0);
    memset(p.tables.node, 0, 4096 * sizeof *p.tables.node);
    open_tree();
    lua_pushinteger(L, others);
    return 1;
}

/* Side stacks so large that each is mapped: the main thread's, of a thread that was deep when it
 * was first seen, and of some that share one. */
TEST(test_closed_deep) {
    lua_register(now.L, "reopen", l_reopen);
    now.every = 50;
    run("local function f(n, g) local t = {} if n > 0 then return f(n - 1, g), 1 end\n"
        "  t = {} return g() end\n"
        "local wrap, yield = coroutine.wrap, coroutine.yield\n"
        "local function silent(n) if n > 0 then return silent(n - 1), 1 end\n"
        "  return f(2800, yield) end\n"
        "local before = reopen()\n"
        "local kept = {}\n"
        "for i = 1, 5 do kept[i] = wrap(f) kept[i](2800, yield) end\n"
        "kept[6] = wrap(silent) kept[6](30)\n"
        "f(2800, function() assert(reopen() == before) end)\n"
        "for i = 1, 6 do kept[i]() end\n",
        0);
}

/* So many side stacks are there, shared ones and others; none is a dead thread's, or two of one. */
static int l_sides(lua_State *L) {
    const struct LmpTree *t = p.tree;
    unsigned others = 0, shared = 0;
    for (uint32_t i = 0; i < t->buckets; i++)
        for (const LmpSide *s = t->bucket[i]; s; s = s->next)
            others++;
    for (uint32_t i = 0; i < 1 << TREE_SHARED; i++)
        shared += t->shared[i].L != NULL;
    ck_assert_uint_eq(others, t->threads);
    lua_pushinteger(L, others);
    lua_pushinteger(L, shared);
    return 2;
}

/* Threads with many frames have a side stack each, also so many that there are more buckets. */
TEST(test_many_deep) {
    lua_register(now.L, "sides", l_sides);
    now.every = 2;
    run("local yield = coroutine.yield\n"
        "local function f(n) if n > 0 then return f(n - 1), 1 end\n"
        "  while true do local t = {} t = {} t = {} yield() t = {t} end end\n"
        "local co = {}\n"
        "for round = 1, 3 do\n"
        "  for i = 1, 700 do co[i] = co[i] or coroutine.wrap(f) co[i](20) end\n"
        "  local others, shared = sides()\n"
        "  assert(others <= 700 and shared <= 64)\n"
        "  if round > 1 then assert(others > 500, others) end\n"
        "end\n"
        "for i = 1, 700, 2 do co[i] = nil end\n"
        "collectgarbage()\n"
        "for i = 2, 700, 2 do co[i](20) end\n"
        "local others, shared = sides()\n"
        "assert(others <= 350 and others > 250, others)\n"
        "co = nil collectgarbage()\n"
        "others, shared = sides()\n"
        "assert(others == 0 and shared == 0, others)\n",
        0);
}

/* From here on there is no memory but so many bytes of the slab; nothing: there is some again. */
static int l_refuse(lua_State *L) {
    LmpSlab *slab = &p.tree->slab;
    size_t got, left = (size_t)luaL_optinteger(L, 1, -1);
    maps_left = -1;
    if (lua_isnone(L, 1)) return 0;
    for (unsigned n = 0; n < SLAB_SIZES; n++)
        while (slab->free[n])
            slab_take(slab, SLAB_LEAST << n, &got);
    while ((size_t)(slab->end - slab->next) < left)
        slab_take(slab, SLAB_AREA / 2, &got);
    while ((size_t)(slab->end - slab->next) > left)
        slab_take(slab, SLAB_LEAST, &got);
    maps_left = 0;
    now.may_fold = true;
    return 0;
}

/* Without memory for a side stack its paths are others, until there is some; without any for more
 * buckets the chains are longer. */
TEST(test_refused) {
    lua_register(now.L, "sides", l_sides);
    lua_register(now.L, "refuse", l_refuse);
    now.every = 1;
    run("local yield, wrap, co, n = coroutine.yield, coroutine.wrap, {}, 0\n"
        "local function f(n) if n > 0 then return f(n - 1), 1 end\n"
        "  yield() local t = {} yield() while true do t = {t} yield() end end\n"
        "for i = 1, 400 do co[i] = wrap(f) co[i](18) end\n"
        "for i = 1, 20 do co[i]() co[i]() co[i]() end\n"
        "local before = sides()\n"
        "for left = 0, 64, 64 do\n"
        "  refuse(left) co[21]() co[22]() refuse()\n"
        "  co[25 + left / 64]()\n"
        "  assert(sides() <= before + 2)\n"
        "end\n"
        "for i = 30, 400 do\n"
        "  local n = sides() if n == 250 then refuse(16384) elseif n > 262 then refuse() end\n"
        "  co[i]() co[i]()\n"
        "end\n"
        "assert(sides() > 270)\n"
        "for i = 30, 400 do co[i]() end\n",
        0);
    ck_assert_uint_gt(now.folded, 0);
    ck_assert_uint_lt(now.folded, 20);
    ck_assert_uint_eq(p.live->tables.folded, now.folded);
}

/* Those that asked lately, though nothing leads to them: each once, all alive, the last one first.
 * How many, and whether the first one is that which is asked for. */
static int l_recent(lua_State *L) {
    const struct LmpTree *t = p.tree;
    uint32_t n = 0;
    while (n < TREE_RECENT && t->recent[n])
        n++;
    for (uint32_t i = 0; i < TREE_RECENT; i++) {
        ck_assert(i < n || !t->recent[i]);
        for (uint32_t k = i + 1; k < n; k++)
            ck_assert_ptr_ne(t->recent[i], t->recent[k]);
    }
    lua_pushinteger(L, n);
    lua_pushboolean(L, n && t->recent[0] == L);
    return 2;
}

TEST(test_recent) {
    lua_register(now.L, "recent", l_recent);
    now.every = 1;
    now.all_known = true;
    run("local random, poke, scheduler = ...\n"
        "local yield, most = coroutine.yield, 0\n"
        "local function body() for i = 1, 3 do local t = {} t = {}\n"
        "  local n, first = recent() most = math.max(most, n) assert(first and n <= 32) yield() "
        "end "
        "end\n"
        "local few = {} for i = 1, 10 do few[i] = body end\n"
        "scheduler(table.unpack(few))()\n"
        "assert(most == 10, most)\n"
        "local many = {} for i = 1, 90 do many[i] = body end\n"
        "scheduler(table.unpack(many))()\n"
        "assert(most == 32, most)\n"
        "collectgarbage() collectgarbage()\n"
        "local n = recent() assert(n == 0, n)\n",
        0);
}

/* Host code within host code: those that wait are kept when there are too many. */
TEST(test_recent_waits) {
    lua_register(now.L, "recent", l_recent);
    now.every = 1;
    now.all_known = true;
    run("local random, poke, scheduler = ...\n"
        "local function body() local t = {} coroutine.yield() t = {} end\n"
        "local many = {} for i = 1, 60 do many[i] = body end\n"
        "local function outer(n) return function() local t = {}\n"
        "  if n > 0 then scheduler(outer(n - 1))() else scheduler(table.unpack(many))() end\n"
        "  t = {t} local _, first = recent() assert(first) end end\n"
        "scheduler(outer(6))()\n",
        0);
    ck_assert_uint_gt(now.threads, 8);
}
