/* freed_class.c - a private Lua state plays everything that frees and resizes blocks, in all modes
 * of the collector; its allocator knows the class of each block from the request that made it, and
 * notes the call chain of each free and each change of size with it. Once more with requests that
 * are refused, since Lua asks again from another place. */
#include "agent/interp/freed_class.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/calibration.h"
#include "agent/interp/callchains.h"
#include "agent/interp/free_callers.h"
#include "agent/interp/learning.h"
#include "agent/interp/owner.h"

const uint8_t freed_class_of_type[256] = {
    [LMP_TT_SHORT_STRING] = LMP_C_STRING,   [LMP_TT_LONG_STRING] = LMP_C_STRING,
    [LMP_TT_TABLE] = LMP_C_TABLE,           [LMP_TT_LUA_CLOSURE] = LMP_C_FUNCTION,
    [LMP_TT_C_CLOSURE] = LMP_C_FUNCTION,    [LMP_TT_USERDATA] = LMP_C_USERDATA,
    [LMP_TT_UPVALUE] = LMP_C_FUNCTION_PART, [LMP_TT_PROTO] = LMP_C_FUNCTION_PART,
};

/* ---- the allocator --------------------------------------------------------------------------- */

enum { BLOCKS_FIRST = 1 << 12, FREES_DEEP = 3, REFUSED_ALLOCS = 499 };

typedef struct Block {
    const void *at; /* NULL: free; GONE */
    uint8_t cls;    /* LMP_FREED_OBJECT for an object; LMP_C_NONE: made before anything was noted */
} Block;
#define GONE ((const void *)1)

typedef struct Study {
    const LmpReturnAddrs *owners;
    LmpCallChains chains;
    LmpFreeCallers playing; /* what free_callers_play wants */
    Block *block;           /* a power of two of them: open addressing */
    uint32_t slots, used;
    bool noting, refuse, refused, broken;
    uint32_t asked;
} Study;

static Block *slot_of(Block *block, uint32_t slots, const void *at) {
    uint32_t i = (uint32_t)(((uintptr_t)at * 0x9e3779b97f4a7c15ull) >> 40) & (slots - 1);
    while (block[i].at && block[i].at != at)
        i = (i + 1) & (slots - 1);
    return &block[i];
}

static bool make_room(Study *study) {
    if (study->used < study->slots / 2) return true;
    uint32_t slots = study->slots ? study->slots * 2 : BLOCKS_FIRST;
    Block *block = calloc(slots, sizeof *block);
    if (!block) return false;
    study->used = 0;
    for (uint32_t i = 0; i < study->slots; i++) {
        if (!study->block[i].at || study->block[i].at == GONE) continue;
        *slot_of(block, slots, study->block[i].at) = study->block[i];
        study->used++;
    }
    free(study->block);
    study->block = block;
    study->slots = slots;
    return true;
}

static void enter_block(Study *study, const void *at, uint8_t cls) {
    if (!make_room(study)) {
        study->broken = true;
        return;
    }
    Block *b = slot_of(study->block, study->slots, at);
    study->used += !b->at;
    *b = (Block){at, cls};
}

/* Notes who frees (or resizes) a block of that class. Returns the row, NULL: there is none. */
static LmpCallChain *note(Study *study, LmpCaller caller, uint8_t cls, bool frees) {
    LmpCallChains *all = &study->chains;
    LmpCallChain seen = {.cls = cls};
    int most = frees ? FREES_DEEP : LMP_CHAIN_DEEP;
    LmpCallChain *met = callchain_met(all, caller, most);
    if (met) {
        if (met->cls != cls) met->doubtful = true;
        return met;
    }
    if (!callchain_walk(all, caller, most, &seen)) {
        study->broken = true;
        return NULL;
    }
    for (int d = most; d < LMP_CHAIN_DEEP; d++)
        seen.ret[d] = 0;
    for (int i = 0; i < all->count; i++) {
        LmpCallChain *s = &all->chain[i];
        if (!callchain_same(s, &seen, LMP_CHAIN_DEEP)) continue;
        if (s->cls != cls) s->doubtful = true;
        return s;
    }
    if (all->count == LMP_CHAINS) {
        study->broken = true;
        return NULL;
    }
    all->chain[all->count] = seen;
    return &all->chain[all->count++];
}

/* Refuses each call chain that makes a block grow twice, and some allocations. */
static bool refuses(Study *study, LmpCallChain *chain) {
    enum { TIMES = 2 };
    bool again = study->refused;
    study->refused = false;
    if (!study->refuse || again) return false;
    study->refused = chain ? chain->refusals++ < TIMES : ++study->asked % REFUSED_ALLOCS == 0;
    return study->refused;
}

static __attribute__((noinline)) void *study_alloc(void *ud, void *ptr, size_t osize,
                                                   size_t nsize) {
    Study *study = ud;
    LmpCaller caller = {__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0), NULL};
    Block *was = ptr ? slot_of(study->block, study->slots, ptr) : NULL;
    LmpCallChain *chain = NULL;
    if (was && was->cls && study->noting) chain = note(study, caller, was->cls, !nsize);
    if (!nsize) {
        if (was) was->at = GONE;
        free(ptr);
        return NULL;
    }
    if (nsize > (ptr ? osize : 0) && refuses(study, chain)) return NULL;
    const LmpReturnAddr *asker;
    uint8_t cls = was              ? was->cls
                  : !study->noting ? LMP_C_NONE
                  : osize          ? LMP_FREED_OBJECT
                                   : (uint8_t)return_addr_class(study->owners, caller, &asker);
    void *r = realloc(ptr, nsize);
    if (!r) {
        study->broken = true;
        return NULL;
    }
    if (was) was->at = GONE;
    enter_block(study, r, cls);
    return r;
}

/* ---- playing --------------------------------------------------------------------------------- */

/* What else frees and shrinks: rehashes, the table of short strings, stacks after errors, buffers
 * and parsers that are left by one. */
static const char churn[] =
    "local function nest(n) if n > 0 then return 1 + nest(n - 1) end return 0 end\n"
    "local function fail(n) if n > 0 then return 1 + fail(n - 1) end error('x') end\n"
    "local big, kept = ('a text '):rep(400), {}\n"
    "for round = 1, 2 do\n"
    "  local t = {}\n"
    "  for i = 1, 70 do t[i] = i t['k' .. i] = {} end\n"
    "  for i = 1, 70 do t[i] = nil t['k' .. i] = nil end\n"
    "  for i = 1, 70 do t['y' .. i] = i end\n"
    "  for i = 1, 70 do t['y' .. i] = nil end\n"
    "  for i = 1, 40 do t[i] = i end\n"
    "  t = {1, 2, 3} for i = 1, 20 do t[#t] = nil t[-i] = i end\n"
    "  t = {1} t[1] = nil t[1000] = 1\n"
    "  local co = coroutine.create(function() nest(150) coroutine.yield() end)\n"
    "  coroutine.resume(co) kept[round] = co\n"
    "  collectgarbage() collectgarbage('step')\n"
    "  coroutine.resume(co) if coroutine.close then coroutine.close(co) end\n"
    "  co = coroutine.create(fail) coroutine.resume(co, 150) pcall(fail, 150)\n"
    "  if coroutine.close then coroutine.close(co) end\n"
    "  co = coroutine.wrap(function() local n = nest(40) error(n) end) pcall(co)\n"
    "  kept[-round] = coroutine.create(function() nest(round * 50) end)\n"
    "  coroutine.resume(kept[-round])\n"
    "  pcall(string.gsub, big, '.', function(c) if #kept > 0 then error(c) end end)\n"
    "  local n = 0\n"
    "  pcall(string.gsub, big, 't', function(c) n = n + 1 if n > 300 then error(c) end "
    "return big end)\n"
    "  pcall(table.concat, {big, big, big, big, {}})\n"
    "  pcall(string.rep, big, 9)\n"
    "  load('local a, b = 1, 2; function f(x) local c = {a, b, x, ' .. ('1,'):rep(60) .. ' = }')\n"
    "  load('local a = \"' .. big) load(big)\n"
    "  load(function() return nil end) load(function() error('x') end)\n"
    "  local f = load('local a, b = ... return function(x) a = x return a, b, {x, y = a} end')\n"
    "  local code = string.dump(f)\n"
    "  load(code) load(string.dump(f, true)) for i = 20, #code, 9 do load(code:sub(1, i)) end\n"
    "  local s = {} for i = 1, 700 do s[i] = 's' .. i .. round end\n"
    "  s = nil collectgarbage() collectgarbage()\n"
    "  for w in big:sub(1, 99):gmatch('%a+') do t[w] = setmetatable({}, {__gc = nest}) end\n"
    "end\n";

static int open_libraries(lua_State *L) {
    luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 1);
    return calibration_prepare(L);
}

static int play_garbage(lua_State *L) {
    LmpFreeCallers *playing = lua_touserdata(L, 1);
    lua_pushboolean(L, free_callers_play(playing, L));
    lua_gc(L, LUA_GCRESTART);
    return 1;
}

static int play_churn(lua_State *L) {
    if (luaL_loadstring(L, churn)) return lua_error(L);
    lua_pushvalue(L, -1);
    lua_call(L, 0, 0);
    lua_gc(L, LUA_GCGEN, 0, 0);
    lua_call(L, 0, 0);
    lua_gc(L, LUA_GCINC, 0, 0, 0);
    return 0;
}

/* Plays all of it, each part at the bottom of a protected call: what is refused may raise an
 * error. */
static void play_all(lua_State *L, Study *study) {
    for (int i = 0; i < LMP_CALIBRATION_EXERCISES; i++) {
        lua_settop(L, 1);
        lua_pushvalue(L, 1);
        lua_pushcclosure(L, calibration_exercises[i].play, 1);
        lua_pcall(L, 0, 0, 0);
        lua_gc(L, LUA_GCCOLLECT);
    }
    lua_settop(L, 1);
    lua_pushcfunction(L, play_churn);
    bool good = lua_pcall(L, 0, 0, 0) == LUA_OK;
    lua_pushcfunction(L, play_garbage);
    lua_pushlightuserdata(L, &study->playing);
    good = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1) && good;
    if (!good && !study->refuse) study->broken = true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static LmpCallClasses table;
static bool table_good;

static const char kept_name[] = "freed";

/* Returns true if no chain has two classes, and no class is missing. */
static bool is_certain(const LmpCallChains *chains) {
    static const uint8_t needed[] = {LMP_FREED_OBJECT, LMP_C_STRING_PART, LMP_C_FUNCTION_PART,
                                     LMP_C_THREAD_PART, LMP_C_TABLE_PART};
    bool seen[LMP_CLASSES] = {false};
    for (int i = 0; i < chains->count; i++) {
        if (chains->chain[i].doubtful) return false;
        seen[chains->chain[i].cls] = true;
    }
    for (size_t i = 0; i < sizeof needed; i++)
        if (!seen[needed[i]]) return false;
    return !seen[LMP_C_OTHER];
}

/* Returns true if every chain leads to its class. */
static bool tells_all(const LmpCallChains *chains) {
    for (int i = 0; i < chains->count; i++) {
        const LmpCallChain *chain = &chains->chain[i];
        uintptr_t key = chain->ret[0];
        const LmpReturnAddr *s = return_addr_find(&table.all, key);
        for (int d = 1; s && s->distance && d < LMP_CHAIN_DEEP; d++) {
            key = return_addr_pair(key, chain->ret[d]);
            s = return_addr_find(&table.all, key);
        }
        if (!s || s->distance || s->cls != chain->cls) return false;
    }
    return true;
}

static void study_once(void) {
    const LmpCallClasses *owners = owner_classes();
    if (!owners || !frames_known()) return;
    table_good = callchains_take_kept(&table, kept_name);
    if (table_good) return;
    Study *study = calloc(1, sizeof *study);
    lua_State *L = NULL;
    if (study && make_room(study)) {
        study->owners = &owners->all;
        L = luafacts_newstate(study_alloc, study);
    }
    if (L) { /* whose stack is given back at a place of its own where that is part of lua_close */
        enter_block(study, (const void *)frames_stack(L), LMP_C_THREAD_PART); /* NOLINT */
        lua_pushcfunction(L, open_libraries);
        study->noting = lua_pcall(L, 0, 1, 0) == LUA_OK;
        if (study->noting) {
            play_all(L, study);
            study->refuse = true;
            play_all(L, study);
        }
        bool played = study->noting;
        study->refuse = false;
        lua_close(L); /* its end, too: another state may be counted with ours */
        table_good = played && !study->broken && is_certain(&study->chains) &&
                     callchains_enter(&study->chains, &table, kept_name) &&
                     tells_all(&study->chains);
    }
    if (study) free(study->block);
    free(study);
}

const LmpCallClasses *freed_class_sites(void) {
    static atomic_bool once;
    learning_once(&once, study_once);
    return table_good ? &table : NULL;
}

/* ---- other callers --------------------------------------------------------------------------- */

static size_t slots_size(unsigned n, size_t each, size_t head) {
    return head + n * each;
}

static unsigned unknown_class(const void *block, size_t size) {
    enum { LEAST = 24 }; /* of what is read below */
    if (size < LEAST) return LMP_C_OTHER;
    const uint8_t *o = block;
    uint64_t length;
    uint16_t values;
    size_t is = 0;
    switch (o[LMP_AT_TYPE]) {
    case LMP_TT_SHORT_STRING:
        is = LMP_STRING_HEAD + o[LMP_AT_STRING_SHORT] + 1u;
        break;
    case LMP_TT_LONG_STRING:
        memcpy(&length, o + LMP_AT_STRING_LONG, sizeof length);
        is = luafacts_long_block((uintptr_t)block, length);
        break;
    case LMP_TT_TABLE:
        is = LMP_SIZE_TABLE;
        break;
    case LMP_TT_LUA_CLOSURE:
        is = slots_size(o[LMP_AT_CLOSURE_UPVALUES], 8, LMP_AT_CLOSURE_UPVALUE);
        break;
    case LMP_TT_C_CLOSURE:
        is = slots_size(o[LMP_AT_CLOSURE_UPVALUES], LMP_SLOT, LMP_AT_CLOSURE_UPVALUE);
        break;
    case LMP_TT_USERDATA:
        memcpy(&values, o + LMP_AT_USERDATA_VALUES, sizeof values);
        memcpy(&length, o + LMP_AT_USERDATA_SIZE, sizeof length);
        is = length +
             (values ? slots_size(values, LMP_SLOT, LMP_AT_USERDATA_VALUE) : LMP_USERDATA_BARE);
        if (values && size == is + LMP_SLOT / 2) is = size; /* aligned to a slot */
        break;
    case LMP_TT_UPVALUE:
        is = LMP_SIZE_UPVALUE;
        break;
    case LMP_TT_PROTO:
        is = LMP_SIZE_PROTO;
        break;
    default:
        break;
    }
    return is == size ? freed_class_of_type[o[LMP_AT_TYPE]] : LMP_C_OTHER;
}

COLD unsigned freed_class(const LmpCallClasses *sites, const void *block, size_t size,
                          LmpCaller caller) {
    const LmpReturnAddr *asker;
    unsigned cls = return_addr_class(&sites->all, caller, &asker);
    if (cls == LMP_C_OTHER) return unknown_class(block, size);
    if (cls != LMP_FREED_OBJECT) return cls;
    cls = freed_class_of_type[((const uint8_t *)block)[LMP_AT_TYPE]];
    return cls ? cls : LMP_C_OTHER;
}
