/* Tests of owner.c: a request that is refused and made again, from another place in the
 * interpreter, has the owner and the line that it would have had; and the rules for interpreters
 * whose places are not known, one after the other. */
#include "agent/interp/luafacts.h"
#include "agent/interp/owner.h"

#include "agent/hook/tick.h"
#include "agent/state/profile.h"
#include "profiled.h"
#include "shared/counters.h"

/* ---- refused once ---------------------------------------------------------------------------- */

/* Parts of every kind but buffers, which Lua asks for only once. What is made does not depend on
 * when garbage is collected. */
static const char program[] =
    "local keep = {}\n"
    "local function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end\n"
    "local function rest(n, ...) if n == 0 then return select('#', ...) end "
    "return rest(n - 1, n, ...) end\n"
    "for i = 1, 40 do\n"
    "  local t = {} keep[i] = t\n"
    "  for k = 1, 40 do t[k] = k t[-k] = k end\n"
    "  keep['a' .. i] = {1, 2, i, x = i, y = {i}}\n"
    "  keep['b' .. i] = {deep(1), select(2, 1, 2, 3)}\n"
    "  keep['f' .. i] = function() keep = i return t end\n"
    "  local co = coroutine.create(function(n) deep(n) coroutine.yield(rest(n)) end)\n"
    "  coroutine.resume(co, i * 4)\n"
    "  keep['c' .. i] = co\n"
    "  keep['l' .. i] = load('local a, b = ... local t = {a, b, x = ' .. i .. ', y = \"' .. i .. "
    "'\"} for i, v in ipairs(t) do local c = function() return i, v, t end end return t.x, t.y, "
    "t[' .. i .. ']')\n"
    "  deep(i * 5) rest(i * 2)\n"
    "end\n";

typedef struct Refusals {
    unsigned each; /* a raw request in so many is refused once; 0: none */
    unsigned asked, refused;
    bool on, again;
    bool thread;      /* was made last; then comes its stack, */
    void *stack[128]; /* which is asked for only once when it grows, from 5.4.5 on */
    unsigned stacks;
} Refusals;

/* Returns where a stack stands in the list, NULL: it is none. */
static void **stack_of(Refusals *r, const void *ptr) {
    for (unsigned i = 0; ptr && i < r->stacks; i++)
        if (r->stack[i] == ptr) return &r->stack[i];
    return NULL;
}

static void *refuses(void *ud, void *ptr, size_t osize, size_t nsize) {
    Refusals *r = ud;
    void **stack = stack_of(r, ptr);
    if (nsize == 0) {
        if (stack) *stack = NULL;
        free(ptr);
        return NULL;
    }
    bool raw = ptr ? nsize > osize && !stack : osize == 0;
    if (r->on && r->each && raw && !r->again && ++r->asked % r->each == 0) {
        r->refused++;
        r->again = true;
        return NULL;
    }
    r->again = false;
    void *block = realloc(ptr, nsize);
    if (stack) *stack = block;
    if (r->thread && raw) {
        ck_assert_uint_lt(r->stacks, 128);
        r->stack[r->stacks++] = block;
    }
    if (!ptr) r->thread = osize == LUA_TTHREAD;
    return block;
}

enum { SITES = 100 };

typedef struct Made {
    LmpClassTotal total[LMP_CLASSES];
    uint64_t blocks[SITES][LMP_C_COUNTED], bytes[SITES][LMP_C_COUNTED]; /* by line */
} Made;

static unsigned play(unsigned each, Made *made) {
    Refusals r = {.each = each};
    LmpOptions options = profiler_defaults;
    lua_State *L = luafacts_newstate(refuses, &r);
    luaL_openlibs(L);
    ck_assert_int_eq(luaL_loadbuffer(L, program, sizeof program - 1, "=program"), LUA_OK);
    lua_gc(L, LUA_GCSTOP);
    LmpProfile *p = profiled_start(L, options);
    r.on = true;
    ck_assert_msg(lua_pcall(L, 0, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    r.on = false;
    tick_now(p);
    memset(made, 0, sizeof *made);
    counters_read(p->counters, made->total);
    ck_assert_uint_eq(p->counters->failed, r.refused);
    for (uint32_t i = 1; i < p->live->tables.records; i++) {
        const LmpRecord *record = &p->tables.record[i];
        const LmpSite *site = &p->tables.site[record->site];
        const LmpFunction *f = &p->tables.function[site->function];
        unsigned line = strcmp(p->tables.text + f->source, "=program") ? 0 : (unsigned)site->line;
        ck_assert_uint_lt(line, SITES);
        made->blocks[line][record->use.cls] += record->use.allocs;
        made->bytes[line][record->use.cls] +=
            record->use.bytes - (uint64_t)record->use.realloc_bytes;
    }
    profiler_stop(L, NULL);
    lua_close(L);
    return r.refused;
}

TEST(asked_again) {
    static const unsigned each[] = {1, 2, 7};
    Made *want = calloc(1, sizeof *want), *is = calloc(1, sizeof *is);
    ck_assert_uint_eq(play(0, want), 0);
    ck_assert_uint_gt(want->total[LMP_C_TABLE_PART].allocs, 200);
    ck_assert_uint_gt(want->total[LMP_C_THREAD_PART].allocs, 200);
    ck_assert_uint_gt(want->total[LMP_C_FUNCTION_PART].allocs, 200);
    ck_assert_uint_eq(want->total[LMP_C_OTHER].allocs, 0);
    for (size_t n = 0; n < sizeof each / sizeof *each; n++) {
        ck_assert_uint_gt(play(each[n], is), 100);
        for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
            /* a string that was collected meanwhile is made again */
            if (c == LMP_C_STRING || c == LMP_C_STRING_PART) continue;
            ck_assert_msg(is->total[c].allocs == want->total[c].allocs &&
                              is->total[c].alloc_bytes == want->total[c].alloc_bytes,
                          "one in %u refused: class %u: %llu blocks, %llu bytes, not %llu, %llu",
                          each[n], c, (unsigned long long)is->total[c].allocs,
                          (unsigned long long)is->total[c].alloc_bytes,
                          (unsigned long long)want->total[c].allocs,
                          (unsigned long long)want->total[c].alloc_bytes);
            for (unsigned line = 0; line < SITES; line++)
                ck_assert_msg(is->blocks[line][c] == want->blocks[line][c] &&
                                  is->bytes[line][c] == want->bytes[line][c],
                              "one in %u refused: line %u class %u: %llu, %llu, not %llu, %llu",
                              each[n], line, c, (unsigned long long)is->blocks[line][c],
                              (unsigned long long)is->bytes[line][c],
                              (unsigned long long)want->blocks[line][c],
                              (unsigned long long)want->bytes[line][c]);
        }
    }
    free(want);
    free(is);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static LmpProfile p;

static void is(unsigned cls, size_t size, unsigned want) {
    unsigned got = owner_by_rules(&p, cls, size);
    ck_assert_msg(got == want, "class %u, %zu bytes: %u, not %u", cls, size, got, want);
}

TEST(rules) {
    LmpOwnerRules state = {0};
    enum { CALLINFO = 64, BOX = 48, PROTO = 128, UPVALUE = 40 };
    p.rules = &state;
    is(0, 96, LMP_C_TABLE_PART); /* as long as nothing tells more: by its size */
    is(0, 72, LMP_C_TABLE_PART);
    is(0, 50, LMP_C_OTHER);
    is(0, CALLINFO, LMP_C_OTHER);
    is(LMP_C_THREAD, 208, LMP_C_THREAD);
    is(0, 50, LMP_C_THREAD_PART); /* the stack, and only that */
    is(0, 50, LMP_C_OTHER);
    is(LMP_C_TABLE, 56, LMP_C_TABLE);
    is(0, 50, LMP_C_TABLE_PART); /* both parts */
    is(0, CALLINFO, LMP_C_TABLE_PART);
    is(0, 50, LMP_C_TABLE_PART);
    is(LMP_C_STRING, 30, LMP_C_STRING);
    is(0, 50, LMP_C_OTHER);
    is(LMP_C_USERDATA, BOX, LMP_C_USERDATA);
    is(0, 2000, LMP_C_STRING_PART); /* a buffer */
    is(0, 2001, LMP_C_OTHER);
    is(LMP_C_USERDATA, BOX + 8, LMP_C_USERDATA);
    is(0, 2001, LMP_C_OTHER);
    is(LMP_C_STRING, BOX, LMP_C_STRING);
    is(0, 2001, LMP_C_OTHER);
    is(LMP_C_FUNCTION_PART, UPVALUE, LMP_C_FUNCTION_PART);
    is(0, 96, LMP_C_TABLE_PART);
    is(LMP_C_FUNCTION_PART, PROTO, LMP_C_FUNCTION_PART); /* a parser is at work */
    is(0, 96, LMP_C_OTHER);
    is(0, 96, LMP_C_OTHER);
    is(LMP_C_FUNCTION, 40, LMP_C_FUNCTION); /* which it has done */
    is(0, 96, LMP_C_TABLE_PART);
}
