/* Tests of sampling with a map that has only what it must (light.h): whatever the map has while a
 * program runs, be it all, little, or each by turns, from one operation to the next, the figures
 * are the same, and those of the allocator underneath; and a map that was just made whole has the
 * program's blocks, with their sizes and classes, and no others. */
#include "agent/hook/light.h"
#include "agent/interp/luafacts.h"

#include "agent/hook/tick.h"
#include "agent/interp/freed_class.h"
#include "agent/map/shadow.h"
#include "agent/map/watched.h"
#include "agent/objects/offsets.h"
#include "base/os.h"
#include "profiled.h"
#include "shared/counters.h"

RELEASE_AT(lua_close)

/* Every class of block, made, moved, shrunk and freed; finalisers that make some; coroutines and
 * code that die. What is made does not depend on when garbage is collected, nor on addresses: a
 * text has one inner function only, since Lua 5.5.1's parser takes it from its table by these. */
static const char program[] =
    "collectgarbage('stop')\n"
    "local keep, seen = {}, 0\n"
    "local function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end\n"
    "local function finaliser(t) seen = seen + 1 t[1] = {seen, #t} end\n"
    "for round = 1, 8 do\n"
    "  local t = {}\n"
    "  for i = 1, 60 do t[#t + 1] = {i, x = i, [{}] = 1} t['k' .. i] = ('v'):rep(i * 3) end\n"
    "  for i = 1, 60 do t[i] = nil end\n"
    "  for i = 1, 90 do t['n' .. i] = i end\n"
    "  for n = 1, 3 do local u = {1, 2, 3, 4} for i = 1, 4 do u[i] = nil end u[n * 1000] = n end\n"
    "  keep[round] = t\n"
    "  for i = 1, 9 do setmetatable({}, {__gc = finaliser}) end\n"
    "  local co = coroutine.create(function(n)\n"
    "    while true do deep(n * 3) local f = function() n = n + 1 return co end\n"
    "    coroutine.yield(f, f()) end\n"
    "  end)\n"
    "  for i = 1, 9 do coroutine.resume(co, i) end\n"
    "  keep['co' .. round % 3] = co\n"
    "  for i = 1, 9 do coroutine.wrap(function() coroutine.yield(deep(i * 9)) end)() end\n"
    "  local text = 'local a, t = ..., {} '\n"
    "  for i = 1, 40 do text = text .. 't[' .. i .. '] = {a, ' .. i / 8 .. '} ' end\n"
    "  text = text .. 'for i = 1, 40 do t[i][3] = function() return a + t end end '\n"
    "  keep['f' .. round % 3] = assert(load(text .. 'return t', '=chunk' .. round))\n"
    "  keep['r' .. round % 3] = keep['f' .. round % 3](round)\n"
    "  keep['s' .. round % 2] = {text:gsub('a', 'longer'), text:upper(), text:rep(20)}\n"
    "  if round % 2 == 0 then collectgarbage() end\n"
    "  if round == 5 then keep[1], keep[2], keep.big = nil, nil, ('x'):rep(40000000) end\n"
    "  if round == 7 then keep.big = nil end\n"
    "end\n"
    "collectgarbage()\n"
    "return keep\n";

/* ---- who is not known ------------------------------------------------------------------------ */

/* Of what a caller frees who is not the interpreter. */
static unsigned class_of(uintptr_t block, size_t size) {
    uintptr_t stack[2] = {1, 2}; /* no return addresses */
    LmpCaller nobody = {(const char *)(stack + 1), 1, NULL};
    return freed_class(freed_class_sites(), (const void *)block, size, nobody); /* NOLINT */
}

static void check_class(uintptr_t block, size_t size, unsigned cls) {
    ck_assert_uint_eq(class_of(block, size), cls);
    ck_assert_uint_eq(class_of(block, size + 1), LMP_C_OTHER);
}

/* The header of an object tells what it is, if its size agrees. */
TEST(callers_that_nobody_knows) {
    OWN(lua_close_at) lua_State *L = luaL_newstate();
    ck_assert_ptr_nonnull(freed_class_sites());
    ck_assert_int_eq(offsets_known(), LMP_OK);
    lua_newtable(L);
    check_class((uintptr_t)lua_topointer(L, -1), LMP_SIZE_TABLE, LMP_C_TABLE);
    check_class((uintptr_t)lua_pushstring(L, "short") - LMP_STRING_HEAD, LMP_STRING_HEAD + 6,
                LMP_C_STRING);
    lua_pushcclosure(L, luaopen_base, 2);
    check_class((uintptr_t)lua_topointer(L, -1), LMP_AT_CLOSURE_UPVALUE + 2 * LMP_SLOT,
                LMP_C_FUNCTION);
    ck_assert_int_eq(luaL_loadstring(L, "return 1"), LUA_OK);
    check_class((uintptr_t)lua_topointer(L, -1), LMP_AT_CLOSURE_UPVALUE + 8, LMP_C_FUNCTION);
    check_class((uintptr_t)lua_newuserdatauv(L, 100, 0) - LMP_USERDATA_BARE,
                LMP_USERDATA_BARE + 100, LMP_C_USERDATA);
    size_t head = offsets_userdata_head(2);
    check_class((uintptr_t)lua_newuserdatauv(L, 100, 2) - head, head + 100, LMP_C_USERDATA);
    static char bytes_of_it[3000];
    lua_pushlstring(L, bytes_of_it, 100);
    check_class((uintptr_t)lua_topointer(L, -1), LMP_STRING_LONG_HEAD + 101, LMP_C_STRING);
    luaL_Buffer buffer; /* from 5.5 on the string keeps the buffer's block */
    luaL_buffinit(L, &buffer);
    luaL_addlstring(&buffer, bytes_of_it, sizeof bytes_of_it);
    luaL_pushresult(&buffer);
    uintptr_t s = (uintptr_t)lua_topointer(L, -1);
    bool given = luafacts_string_kind(s) == LMP_STRING_GIVEN;
    check_class(s, given ? LMP_SIZE_STRING_GIVEN : LMP_STRING_LONG_HEAD + sizeof bytes_of_it + 1,
                LMP_C_STRING);
    char bytes[] = "neither an object nor a part";
    ck_assert_uint_eq(class_of((uintptr_t)bytes, sizeof bytes), LMP_C_OTHER);
    ck_assert_uint_eq(class_of((uintptr_t)bytes, 1), LMP_C_OTHER);
}

/* ---- the allocator underneath ---------------------------------------------------------------- */

typedef struct Block {
    struct Block *next, *before;
    uint64_t size;
    bool ours; /* made while the profile runs */
    char pad[7];
} Block; /* 32 bytes: what follows is aligned */

/* SHORT and LATE: nobody, and light mode is left to begin by itself; time stands still, until some
 * passes at once while a table is being resized: not enough for light mode, or enough; and then two
 * milliseconds at each look. */
typedef enum Looks { NOBODY, ALWAYS, BY_TURNS, SHORT, LATE } Looks;

static Block all;
static LmpProfile *profile; /* NULL: none runs */
static Looks looks;
static unsigned refused_each, asked, grown;
static uint64_t jumped; /* of the clock, nanoseconds */
static LmpOs os_jumps;

static uint64_t jumping_clock(void) {
    return 1000000000u + jumped;
}

static uint64_t passing_clock(void) {
    if (jumped) jumped += 2000000u;
    return jumping_clock();
}

/* Time is the test's own: entering all blocks takes none, however busy the machine. */
static void set_clock(uint64_t (*clock)(void)) {
    os_jumps = os_real;
    os_jumps.clock = clock;
    jumped = 0;
    lmp_os = &os_jumps;
}

/* Somebody records; a display would have names looked for, which may make a stack grow. */
static void look_on(LmpProfile *p, bool there) {
    atomic_store(&p->control->peak_wake, there ? UINT64_MAX : 0);
}

/* Somebody looks on from this operation on, or leaves, and is gone for long. */
static void turn(void) {
    if (looks != BY_TURNS || suite_below(40)) return;
    bool there = suite_below(2);
    look_on(profile, there);
    atomic_store(&profile->control->trap, there);
    if (!there) jumped += 3000000000u;
}

/* Time passes, and there is a tick, in a request for a table's new part, while the old one is
 * there; coroutines live by then. */
static void pass_time(const void *ptr, size_t osize, size_t nsize) {
    if ((looks != SHORT && looks != LATE) || ptr || osize || nsize < 2048) return;
    if (++grown != 12) return;
    jumped = looks == LATE ? 3000000000u : 900000000u;
    tick_now(profile);
    ck_assert_ptr_null(profile->freed);
    ck_assert_uint_gt(profile->counters->count[LMP_C_THREAD].allocs, 5);
}

static void *under(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    Block *old = ptr ? (Block *)ptr - 1 : NULL;
    if (profile) turn();
    if (profile) pass_time(ptr, osize, nsize);
    if (!nsize) {
        if (!old) return NULL;
        old->before->next = old->next;
        if (old->next) old->next->before = old->before;
        free(old);
        return NULL;
    }
    bool grows = !ptr || nsize > osize;
    if (profile && refused_each && grows && ++asked % refused_each == 0) return NULL;
    Block *b = malloc(sizeof *b + nsize);
    if (!b) return NULL;
    *b = (Block){.next = all.next, .before = &all, .size = nsize, .ours = profile != NULL};
    if (b->next) b->next->before = b;
    all.next = b;
    if (!old) return b + 1;
    memcpy(b + 1, ptr, osize < nsize ? osize : nsize);
    b->ours = old->ours;
    old->before->next = old->next;
    if (old->next) old->next->before = old->before;
    free(old);
    return b + 1;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

typedef struct Result {
    LmpClassTotal total[LMP_CLASSES];
    uint64_t peak, failed, other_sizes;
} Result;

static void check_books(const LmpProfile *p) {
    uint64_t bytes = 0, blocks = 0, live_blocks = 0, live_bytes = 0;
    LmpClassTotal total[LMP_CLASSES];
    for (const Block *b = all.next; b; b = b->next) {
        bytes += b->ours ? b->size : 0;
        blocks += b->ours;
    }
    counters_read(p->counters, total);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
        ck_assert_uint_ge(total[c].allocs, total[c].frees);
        live_blocks += total[c].live_blocks;
        live_bytes += total[c].live_bytes;
    }
    ck_assert_uint_eq(p->counters->live_bytes, bytes);
    ck_assert_uint_eq(live_bytes, bytes);
    ck_assert_uint_eq(live_blocks, blocks);
}

/* The map has all blocks of ours, and as many bytes of each class as are counted. */
static void check_map(LmpProfile *p) {
    uint64_t bytes[LMP_CLASSES] = {0}, size;
    LmpClassTotal total[LMP_CLASSES];
    for (Block *b = all.next; b; b = b->next) {
        uint32_t entry = shadow_lookup(p, (uintptr_t)(b + 1), &size);
        ck_assert_int_eq(entry != 0, b->ours);
        if (!b->ours) continue;
        ck_assert_uint_eq(size, b->size);
        bytes[entry & 15] += size;
    }
    counters_read(p->counters, total);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++)
        ck_assert_uint_eq(bytes[c], total[c].live_bytes);
}

/* A display is awaited, which does not come, as there is no terminal. */
static LmpProfile *start_awaited(lua_State *L, LmpOptions options) {
    LmpErr lack;
    void *ud;
    options.live = true;
    options.summary = "";
    ck_assert_int_eq(profiler_start(L, &options, &lack), LMP_OK);
    lua_getallocf(L, &ud);
    return ud;
}

static void play(Looks how, uint64_t sample, unsigned refused, Result *out) {
    LmpOptions options = profiler_defaults;
    OWN(lua_close_at) lua_State *L = luafacts_newstate(under, NULL);
    luaL_openlibs(L);
    bool late = how == SHORT || how == LATE;
    options.sample = sample;
    options.lines = sample != 0;
    ck_assert_int_eq(luaL_loadbuffer(L, program, sizeof program - 1, "=program"), LUA_OK);
    lua_gc(L, LUA_GCSTOP);
    set_clock(late ? passing_clock : jumping_clock);
    LmpProfile *p = late ? start_awaited(L, options) : profiled_start(L, options);
    ck_assert_int_eq(p->whole, !sample || late); /* or nothing is tested here */
    looks = how;
    if (how == ALWAYS) {
        look_on(p, true);
        atomic_store(&p->control->trap, 1);
    }
    refused_each = refused;
    asked = grown = 0;
    profile = p;
    int status = lua_pcall(L, 0, 1, 0);
    refused_each = 0;
    looks = NOBODY;
    ck_assert(status == LUA_OK || (refused && status == LUA_ERRMEM));
    tick_now(p);
    ck_assert_int_eq(!sample || how == SHORT, !p->freed);
    ck_assert(how != LATE || !p->whole);
    check_books(p);
    counters_read(p->counters, out->total);
    out->peak = p->counters->peak_bytes;
    out->failed = p->counters->failed;
    out->other_sizes = p->live->strange.other_sizes;
    if (sample) {
        lua_gc(L, LUA_GCCOLLECT);
        light_whole(p, true);
        check_map(p);
    }
    profiler_stop(L, NULL);
    profile = NULL;
    ck_assert_ptr_null(p->watched);
    lmp_os = &os_real;
}

static void same(const Result *is, const Result *want) {
    for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
        ck_assert_msg(is->total[c].allocs == want->total[c].allocs, "class %u: %d blocks, not %d",
                      c, (int)is->total[c].allocs, (int)want->total[c].allocs);
        ck_assert_uint_eq(is->total[c].alloc_bytes, want->total[c].alloc_bytes);
        ck_assert_uint_eq(is->total[c].frees, want->total[c].frees);
        ck_assert_uint_eq(is->total[c].free_bytes, want->total[c].free_bytes);
        ck_assert_uint_eq(is->total[c].reallocs, want->total[c].reallocs);
        ck_assert_int_eq(is->total[c].realloc_bytes, want->total[c].realloc_bytes);
    }
    ck_assert_uint_eq(is->peak, want->peak);
    ck_assert_uint_eq(is->failed, want->failed);
    ck_assert_uint_eq(is->other_sizes, 0);
}

static void all_looks(uint64_t sample, unsigned refused) {
    Result want, is;
    play(NOBODY, 0, refused, &want);
    ck_assert(!refused == !want.failed);
    ck_assert_uint_gt(want.total[LMP_C_TABLE_PART].frees, 500);
    ck_assert_uint_gt(want.total[LMP_C_THREAD].frees, 50);
    play(NOBODY, sample, refused, &is);
    same(&is, &want);
    play(ALWAYS, sample, refused, &is);
    same(&is, &want);
    for (int i = 0; i < 5; i++) {
        play(BY_TURNS, sample, refused, &is);
        same(&is, &want);
    }
}

/* A buffer that is in use at start is in no list, and is freed as one of ours. */
static LmpProfile *begun;

static int begin_within(lua_State *L) {
    LmpOptions options = profiler_defaults;
    if (begun) return 0;
    options.sample = 1 << 20;
    set_clock(jumping_clock);
    begun = profiled_start(L, options);
    ck_assert(!begun->whole);
    return 0;
}

TEST(a_buffer_in_use_at_start) {
    static const char code[] = "local begin, n = ..., 0 ;(('x'):rep(100000)):gsub('x', function()\n"
                               "n = n + 1 if n == 90000 then begin() end end) n = nil\n"
                               "for i = 1, 20 do collectgarbage() end";
    OWN(lua_close_at) lua_State *L = new_state();
    ck_assert_int_eq(luaL_loadstring(L, code), LUA_OK);
    lua_pushcfunction(L, begin_within);
    ck_assert_msg(lua_pcall(L, 1, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    tick_now(begun);
    LmpClassTotal total[LMP_CLASSES];
    uint64_t sum = 0;
    counters_read(begun->counters, total);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
        ck_assert_uint_ge(total[c].allocs, total[c].frees);
        sum += total[c].live_bytes;
    }
    ck_assert_uint_eq(begun->counters->live_bytes, sum);
    ck_assert_uint_lt(begun->counters->peak_bytes, 1 << 20);
    ck_assert_uint_gt(begun->counters->before_free_bytes, 90000);
    profiler_stop(L, NULL);
    begun = NULL;
}

TEST(few_samples) {
    all_looks(1 << 20, 0);
}

TEST(many_samples) {
    all_looks(1024, 0);
}

TEST(refusals) {
    all_looks(4096, 2003);
}

TEST(a_short_program) {
    Result is;
    play(SHORT, 1 << 20, 0, &is);
    ck_assert_uint_gt(jumped, 0);
}

TEST(a_long_program) {
    Result is;
    play(LATE, 1 << 20, 0, &is);
    ck_assert_uint_gt(jumped, 0);
}

/* Another state behind an allocator of its own is counted with ours. */
typedef struct Wrapped {
    lua_Alloc alloc;
    void *ud;
} Wrapped;

static void *wrapping(void *ud, void *ptr, size_t osize, size_t nsize) {
    const Wrapped *w = ud;
    return w->alloc(w->ud, ptr, osize, nsize);
}

TEST(a_second_state) {
    OWN(lua_close_at) lua_State *L = luafacts_newstate(under, NULL);
    luaL_openlibs(L);
    LmpOptions options = profiler_defaults;
    options.sample = 1 << 20;
    set_clock(jumping_clock);
    LmpProfile *p = profile = profiled_start(L, options);
    Wrapped w;
    w.alloc = lua_getallocf(L, &w.ud);
    LmpClassTotal before[LMP_CLASSES], after[LMP_CLASSES];
    looks = NOBODY;
    for (int round = 0; round < 3; round++) {
        counters_read(p->counters, before);
        lua_State *one = luafacts_newstate(wrapping, &w);
        luaL_openlibs(one);
        ck_assert_int_eq(luaL_dostring(one, program), LUA_OK);
        check_books(p);
        lua_close(one);
        check_books(p);
        counters_read(p->counters, after);
        for (unsigned c = 1; c < LMP_C_COUNTED; c++)
            ck_assert_uint_eq(after[c].live_bytes, before[c].live_bytes);
    }
    ck_assert(!p->whole);
    profiler_stop(L, NULL);
    profile = NULL;
}

static int sample_next_one(lua_State *L) {
    (void)L;
    profile->sample_left = 0;
    return 0;
}

/* A thread is watched from when a sample was taken in it, and forgotten when it ends; of others,
 * who frees them tells. */
TEST(threads_that_are_remembered) {
    OWN(lua_close_at) lua_State *L = luaL_newstate();
    LmpOptions options = profiler_defaults;
    options.sample = 1 << 20;
    options.stacks = true;
    set_clock(jumping_clock);
    LmpProfile *p = profile = profiled_start(L, options);
    lua_register(L, "sample", sample_next_one);
    ck_assert_int_eq(luaL_loadstring(L, "if ... then sample() end local t = {}"), LUA_OK);
    for (int sampled = 0; sampled < 2; sampled++) {
        lua_newthread(L); /* sees that the collector has moved on, and makes room for bits */
        lua_pop(L, 1);
        uint64_t deaths = p->counters->free_now[LMP_C_THREAD];
        p->sample_left = INT64_MAX; /* none but those that are called for */
        lua_State *T = lua_newthread(L);
        uintptr_t block = (uintptr_t)T - LUA_EXTRASPACE;
        int results;
        ck_assert(watched_is_thread(p, block) && !watched_has(p, block));
        lua_pushvalue(L, -2);
        lua_xmove(L, T, 1);
        lua_pushboolean(T, sampled);
        ck_assert_int_eq(lua_resume(T, L, 1, &results), LUA_OK);
        ck_assert_int_eq(p->running == T, sampled);
        ck_assert_int_eq(watched_has(p, block), sampled);
        lua_pop(L, 1);
        lua_gc(L, LUA_GCCOLLECT);
        ck_assert_ptr_ne(p->running, T);
        ck_assert(!watched_is_thread(p, block) && !watched_has(p, block));
        ck_assert(sampled || p->counters->free_now[LMP_C_THREAD] != deaths);
    }
    ck_assert(!p->whole);
    profiler_stop(L, NULL);
    profile = NULL;
}

/* A host's block of a type that no list leads to keeps the map whole; one without a type stays in
 * the map, which knows its size better than who frees it. */
TEST(blocks_of_a_host) {
    OWN(lua_close_at) lua_State *L = luaL_newstate();
    LmpOptions options = profiler_defaults;
    options.sample = 1 << 20;
    void *ud;
    set_clock(jumping_clock);
    LmpProfile *p = start_awaited(L, options);
    lua_Alloc alloc = lua_getallocf(L, &ud);
    uint64_t size, live = p->counters->live_bytes;
    void *typed = alloc(ud, NULL, LUA_TSTRING, 1000), *bare = alloc(ud, NULL, 0, 3000);
    ck_assert(!light_open(p));
    ck_assert_ptr_null(p->watched);
    alloc(ud, typed, 1000, 0);
    ck_assert(light_open(p));
    ck_assert_uint_ne(shadow_lookup(p, (uintptr_t)bare, &size), 0);
    ck_assert(watched_has(p, (uintptr_t)bare));
    alloc(ud, bare, 2999, 0);
    ck_assert_uint_eq(p->counters->live_bytes, live);
    profiler_stop(L, NULL);
}
