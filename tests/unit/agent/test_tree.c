/* Tests of tree.c, one kind of program at a time: deep stacks, states that are closed. */
#include "tree_fixture.h"

TEST(test_frames_known) {
    ck_assert(frames_known());
}

/* As deep as Lua goes: coroutines in coroutines, C functions in C functions. */
TEST(test_c_depth) {
    begin();
    now.every = 7;
    run("local depth = 0\n"
        "local function f(n) depth = n local t = {} return coroutine.wrap(f)(n + 1), {} end\n"
        "print = nil\n"
        "local ok, e = pcall(f, 1) assert(not ok and e:find('overflow', 1, true), e)\n"
        "assert(depth > 100, depth)\n"
        "local function g(n) depth = n return (('x'):gsub('x', function() return g(n + 1) end)) "
        "end\n"
        "ok, e = pcall(g, 1) assert(not ok and e:find('overflow', 1, true), e)\n"
        "assert(depth > 100, depth)\n"
        "ok, e = pcall(string.rep, 'x', -1) f = nil\n"
        "local t = {} for i = 1, 10 do t[i] = {} end\n",
        0);
    ck_assert_uint_gt(now.threads, 64);
}

/* Deep recursion: the node's depth is that of the stack, all the way to the overflow and back. */
static uint64_t deep_looks;
static int deepest;

static void *deep_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    (void)osize;
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    if (!ptr && now.L) {
        uint32_t path = tree_path(&p, now.L, 0, now.record[0]);
        deep_looks++;
        if (deep_looks % 5000 == 0) {
            int depth = 0;
            for (const LmpCallInfo *ci = frames_top(now.L); frames_caller(ci);
                 ci = frames_caller(ci))
                depth++;
            ck_assert_int_eq(depth_of(p.tables.path[path].node), depth);
            if (depth > deepest) deepest = depth;
        }
    }
    return realloc(ptr, nsize);
}

TEST(test_deep) {
    begin_with(deep_alloc);
    run("local depth = 0\n"
        "local function f(n) local t = {} depth = n return 1 + f(n + 1) end\n"
        "for i = 1, 3 do\n"
        "  local ok, e = pcall(f, 1) assert(not ok and tostring(e):find('stack overflow'))\n"
        "  assert(depth > 150000, depth)\n"
        "end\n"
        "local function g(n) local t = {} if n > 0 then return {g(n - 1)} end\n"
        "  for i = 1, 100000 do t = {} end return t end\n"
        "g(100000)\n",
        0);
    ck_assert_int_gt(deepest, 150000);
    ck_assert_uint_eq(p.live->tables.folded, 0);
}

/* A state that is closed in the middle of things: the last frames, __close and __gc functions. */
static int l_exit(lua_State *L) {
    (void)L;
    lua_close(now.L);
    now.L = NULL;
    exit(0);
}

TEST(test_close_within) {
    begin();
    now.every = 1;
    lua_register(now.L, "exit", l_exit);
    run("local function f(n)\n"
        "  local x <close> = setmetatable({}, {__close = function() local t = {{}} end})\n"
        "  if n > 0 then f(n - 1) return {} end\n"
        "  setmetatable({}, {__gc = function() local t = {{}} end})\n"
        "  coroutine.wrap(function() local y <close> = x coroutine.yield() end)()\n"
        "  exit()\n"
        "end\n"
        "f(10)\n",
        0);
}
