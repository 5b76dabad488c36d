/* offsets.c - the search for what differs from release to release, in a private state whose
 * allocator notes every block. Each search changes the state in a known way, several times, and
 * strikes out all offsets whose word does not follow; exactly one must remain. */
#include "agent/objects/offsets.h"

#include <lauxlib.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/collector.h"
#include "agent/interp/learned.h"
#include "agent/interp/learning.h"
#include "agent/objects/offsets_impl.h"

static LmpObjectOffsets layout;
static LmpErr known = LMP_E_LAYOUT;
static const char *why = "not looked at yet";

/* ---- the allocator --------------------------------------------------------------------------- */

const LmpStudyBlock *object_study_block(const LmpObjectStudy *study, uintptr_t at) {
    for (uint32_t i = study->blocks; i-- > 0;)
        if (study->block[i].at == at) return &study->block[i];
    return NULL;
}

bool object_study_part(const LmpObjectStudy *study, uintptr_t at, size_t size) {
    const LmpStudyBlock *b = object_study_block(study, at);
    return b && !b->tag && b->size == size;
}

static void *study_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpObjectStudy *study = ud;
    LmpStudyBlock *b = ptr ? (LmpStudyBlock *)object_study_block(study, (uintptr_t)ptr) : NULL;
    if (!nsize) {
        if (b) *b = study->block[--study->blocks];
        free(ptr);
        return NULL;
    }
    bool full = !ptr && study->blocks == LMP_STUDY_BLOCKS;
    void *r = full ? NULL : realloc(ptr, nsize);
    if (!r) {
        study->failed = true;
        return NULL;
    }
    if (!ptr) {
        b = &study->block[study->blocks++];
        b->tag = (int)osize;
    }
    if (b) b->at = (uintptr_t)r, b->size = nsize;
    return r;
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Offsets that may still be the one that is looked for, a bit a word. */
enum { WORDS = 512 };
typedef struct Search {
    uintptr_t base;
    uint32_t words;
    bool out[WORDS];
} Search;

static Search search_begin(uintptr_t base, uint32_t bytes) {
    Search s = {.base = base, .words = bytes / 8 < WORDS ? bytes / 8 : WORDS};
    return s;
}

static void search_equals(Search *s, uintptr_t value) {
    for (uint32_t i = 0; i < s->words; i++)
        if (object_word(s->base + i * 8ul) != value) s->out[i] = true;
}

/* The only one that is left. */
static bool search_end(const Search *s, uint16_t *found) {
    unsigned count = 0;
    for (uint32_t i = 0; i < s->words; i++)
        if (!s->out[i]) *found = (uint16_t)(i * 8), count++;
    return count == 1;
}

static uintptr_t pointer(lua_State *L, int index) {
    return (uintptr_t)lua_topointer(L, index);
}

static int nothing(lua_State *L) {
    (void)L;
    return 0;
}

static void make_some(lua_State *L, int i) {
    if (i % 4 == 0) lua_createtable(L, 0, 0);
    if (i % 4 == 1) lua_newthread(L);
    if (i % 4 == 2) lua_pushinteger(L, i), lua_pushcclosure(L, nothing, 1);
    if (i % 4 == 3) lua_pushfstring(L, "a string that is new, number %d of some", i);
}

/* An object that has just been made is the first of the list of all. */
static bool find_all(lua_State *L, LmpObjectStudy *study) {
    Search s = search_begin(study->global, study->global_end);
    for (int i = 0; i < 12; i++) {
        make_some(L, i);
        search_equals(&s, pointer(L, -1));
        lua_pop(L, 1);
    }
    return search_end(&s, &study->layout.all);
}

/* An object gets a finalizer: it goes to the front of another list. */
static bool find_finalizers(lua_State *L, LmpObjectStudy *study) {
    Search s = search_begin(study->global, study->global_end);
    for (int i = 0; i < 3; i++) {
        lua_newtable(L);
        lua_newtable(L);
        lua_pushcfunction(L, nothing);
        lua_setfield(L, -2, "__gc");
        lua_pushvalue(L, -1);
        lua_setmetatable(L, -3);
        search_equals(&s, pointer(L, -2));
        lua_pop(L, 2);
    }
    return search_end(&s, &study->layout.finalizers);
}

/* Objects that wait for their finalizer: while one runs, the next is the first of the list. */
enum { WAITING = 4 };
typedef struct Waiting {
    uintptr_t object[WAITING + 1]; /* in the order of their finalizers; 0 at the end */
    int calls;
    Search search;
} Waiting;

static int note_waiting(lua_State *L) {
    Waiting *w = lua_touserdata(L, lua_upvalueindex(1));
    for (int i = 0; i < WAITING; i++)
        if (w->object[i] == pointer(L, 1)) search_equals(&w->search, w->object[i + 1]);
    w->calls++;
    return 0;
}

static bool find_waiting(lua_State *L, LmpObjectStudy *study) {
    Waiting w = {.search = search_begin(study->global, study->global_end)};
    lua_gc(L, LUA_GCCOLLECT);
    for (int i = 0; i < WAITING; i++) {
        lua_newtable(L);
        lua_newtable(L);
        lua_pushlightuserdata(L, &w);
        lua_pushcclosure(L, note_waiting, 1);
        lua_setfield(L, -2, "__gc");
        lua_setmetatable(L, -2);
        w.object[WAITING - 1 - i] = pointer(L, -1); /* the last one marked is called first */
    }
    lua_pop(L, WAITING);
    lua_gc(L, LUA_GCCOLLECT);
    return w.calls == WAITING && search_end(&w.search, &study->layout.waiting);
}

/* Returns true if `o` begins the list of objects that are never collected: all strings, among them
 * Lua's words. `o` is an object, so what follows it in its list is one. */
static bool is_fixed(uintptr_t o, const uintptr_t *word, unsigned words) {
    unsigned met = 0;
    for (unsigned n = 0; o; o = object_word(o + LMP_AT_NEXT)) {
        if (n++ > 1000 || object_u8(o + LMP_AT_TYPE) != LMP_TT_SHORT_STRING) return false;
        for (unsigned i = 0; i < words; i++)
            if (word[i] == o) met |= 1u << i;
    }
    return met == (1u << words) - 1;
}

/* Fills the global state's cache of strings by C address with others than Lua's words. */
static void flush_cache(lua_State *L) {
    char text[512];
    memset(text, '.', sizeof text);
    text[sizeof text - 1] = 0;
    for (unsigned i = 0; i < sizeof text - 1; i++) {
        lua_pushstring(L, text + i);
        lua_pop(L, 1);
    }
}

static bool find_fixed(lua_State *L, LmpObjectStudy *study) {
    static const char *const word[4] = {"and", "while", "__index", "__mode"};
    uintptr_t at[4];
    unsigned count = 0;
    flush_cache(L);
    for (int i = 0; i < 4; i++) {
        lua_pushlstring(L, word[i], strlen(word[i])); /* not lua_pushstring, which has a cache */
        at[i] = pointer(L, -1);
        lua_pop(L, 1);
    }
    for (uint32_t off = 0; off < study->global_end; off += 8) {
        uintptr_t o = object_word(study->global + off);
        const LmpStudyBlock *b = o ? object_study_block(study, o) : NULL;
        if (!b || b->tag != LUA_TSTRING || !is_fixed(o, at, 4)) continue;
        study->layout.fixed = (uint16_t)off;
        count++;
    }
    return count == 1;
}

/* User values may be aligned to more than a word; bytes for C code come right after them. All reads
 * of userdata go by what is found here, the checks' as well. */
static bool find_user_values(lua_State *L, LmpObjectStudy *study) {
    uintptr_t bytes = (uintptr_t)lua_newuserdatauv(L, 8, 1);
    const LmpStudyBlock *b = &study->block[study->blocks - 1];
    uintptr_t at = bytes - LMP_SLOT - b->at;
    if (b->tag != LUA_TUSERDATA || at + LMP_SLOT + 8 != b->size || at < LMP_AT_USERDATA_VALUE ||
        at > LMP_AT_USERDATA_VALUE + LMP_SLOT)
        return false;
    layout.user_values = study->layout.user_values = (uint16_t)at;
    return true;
}

static bool find_registry(lua_State *L, LmpObjectStudy *study) {
    Search s = search_begin(study->global, study->global_end);
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    search_equals(&s, pointer(L, -1));
    lua_pop(L, 1);
    for (uint32_t i = 0; i < s.words; i++) { /* with a tag behind it, which the last word has not */
        bool last = i + 1 == s.words;
        if (last || object_u8(s.base + i * 8ul + LMP_AT_SLOT_TAG) != LMP_TAG_TABLE) s.out[i] = true;
    }
    return search_end(&s, &study->layout.registry);
}

/* Metatables of the basic types: each gets one of its own. */
static void push_basic(lua_State *L, int type) {
    if (type == LUA_TNIL) lua_pushnil(L);
    if (type == LUA_TBOOLEAN) lua_pushboolean(L, 1);
    if (type == LUA_TLIGHTUSERDATA) lua_pushlightuserdata(L, L);
    if (type == LUA_TNUMBER) lua_pushinteger(L, 1);
    if (type == LUA_TSTRING) lua_pushliteral(L, "s");
    if (type == LUA_TFUNCTION) lua_pushcfunction(L, nothing);
    if (type == LUA_TTHREAD) lua_pushthread(L);
}

static bool find_metatables(lua_State *L, LmpObjectStudy *study) {
    uintptr_t meta[LMP_BASIC_TYPES] = {0};
    unsigned count = 0;
    for (int type = 0; type < LMP_BASIC_TYPES; type++) {
        if (type == LUA_TTABLE || type == LUA_TUSERDATA) continue;
        push_basic(L, type);
        lua_newtable(L);
        meta[type] = pointer(L, -1);
        lua_setmetatable(L, -2);
        lua_pop(L, 1);
    }
    for (uint32_t off = 0; off + sizeof meta <= study->global_end; off += 8) {
        if (memcmp((const char *)study->global + off, meta, sizeof meta)) continue; /* NOLINT */
        study->layout.metatables = (uint16_t)off;
        count++;
    }
    for (int type = 0; type < LMP_BASIC_TYPES; type++) {
        if (!meta[type]) continue;
        push_basic(L, type);
        lua_pushnil(L);
        lua_setmetatable(L, -2);
        lua_pop(L, 1);
    }
    return count == 1;
}

/* The string table: slots of lists of short strings, by hash. */
static bool in_strings(const LmpObjectStudy *study, uint32_t off, uintptr_t string) {
    uintptr_t slots = object_word(study->global + off);
    uint32_t n = object_u32(study->global + off + 12), tries = 0;
    if (!n || n & (n - 1) || !object_study_part(study, slots, n * 8ul)) return false;
    uintptr_t s = object_word(slots + 8ul * (object_u32(string + LMP_AT_STRING_HASH) & (n - 1)));
    for (; s && s != string && tries < 1000 && object_study_block(study, s); tries++)
        s = object_word(s + LMP_AT_STRING_LONG);
    return s == string;
}

static bool find_strings(lua_State *L, LmpObjectStudy *study) {
    bool out[WORDS] = {false};
    unsigned count = 0;
    luaL_checkstack(L, 1, NULL);
    lua_newtable(L);
    for (int i = 1; i <= 300; i++) { /* so that it grows meanwhile */
        lua_pushfstring(L, "string %d", i);
        for (uint32_t off = 0; off + 16 <= study->global_end && off / 8 < WORDS; off += 8)
            if (!out[off / 8] && !in_strings(study, off, pointer(L, -1))) out[off / 8] = true;
        lua_rawseti(L, -2, i);
    }
    lua_pop(L, 1);
    for (uint32_t off = 0; off + 16 <= study->global_end && off / 8 < WORDS; off += 8)
        if (!out[off / 8]) study->layout.strings = (uint16_t)off, count++;
    return count == 1;
}

/* Where those releases have the hint that were always right; returns false if they do not agree. */
static bool one_hint(const unsigned *right, unsigned always, uint16_t *at) {
    for (int i = 0; i < LMP_LUA_RELEASES; i++) {
        if (right[i] != always || *at == luafacts_releases[i].at_hint) continue;
        if (*at) return false;
        *at = luafacts_releases[i].at_hint;
    }
    return *at != 0;
}

/* The length operator leaves hints in place of an array's size, and sets a bit: in 5.4.0 one beside
 * the collector's, later one of the flags. */
static bool find_hint(lua_State *L, LmpObjectStudy *study) {
    unsigned right[LMP_LUA_RELEASES] = {0}, seen[2] = {0, 0}; /* without a hint, with one */
    if (!LMP_TABLE_HINT) return true;
    for (int size = 100; size <= 128; size += 28) { /* hints need a power of two */
        lua_createtable(L, size, 0);
        uintptr_t t = pointer(L, -1);
        for (int i = 1; i < 2 * size; i++) { /* fill it, then empty it from its end on */
            if (i <= size) {
                lua_pushinteger(L, i);
            } else {
                lua_pushnil(L);
            }
            lua_rawseti(L, -2, i <= size ? i : 2 * size + 1 - i);
            (void)lua_rawlen(L, -1);
            uint32_t limit = object_u32(t + LMP_AT_TABLE_LIMIT);
            bool hint = limit != (uint32_t)size;
            if (!(limit & (limit - 1))) continue; /* then the bit says nothing */
            seen[hint]++;
            for (unsigned k = 0; k < LMP_LUA_RELEASES; k++) {
                uint8_t byte = object_u8(t + luafacts_releases[k].at_hint);
                if (((byte & LMP_TABLE_HINT) != 0) == hint) right[k]++;
            }
        }
    }
    return seen[0] && seen[1] && one_hint(right, seen[0] + seen[1], &study->layout.hint);
}

static int yields(lua_State *L) {
    return lua_yield(L, lua_gettop(L));
}

/* A thread's stack, its end, and the list of its open upvalues. */
static bool find_thread(lua_State *L, LmpObjectStudy *study) {
    static const char code[] = "local yields = ... local a, b = {}, {} "
                               "yields(function() return a end, function() return b end)";
    lua_State *T = lua_newthread(L);
    int results;
    const LmpStudyBlock *block = object_study_block(study, (uintptr_t)T - frames_bits.extra);
    if (!block || block->tag != LUA_TTHREAD) return false;
    study->layout.thread = (uint32_t)block->size;
    study->layout.extra = frames_bits.extra;
    study->layout.stack = frames_bits.at_stack;
    uint32_t bytes = (uint32_t)block->size - frames_bits.extra;
    Search s = search_begin((uintptr_t)T, bytes), open = s;
    for (int i = 0; i < 4; i++) {
        const LmpStudyBlock *stack =
            object_study_block(study, object_word((uintptr_t)T + study->layout.stack));
        if (!stack || stack->tag) return false;
        search_equals(&s, stack->at + stack->size - LMP_STACK_EXTRA);
        lua_checkstack(T, 100 << i);
    }
    if (luaL_loadstring(T, code)) return false;
    lua_pushcfunction(T, yields);
    if (lua_resume(T, L, 1, &results) != LUA_YIELD || results != 2) return false;
    uintptr_t a = (uintptr_t)lua_upvalueid(T, -2, 1), b = (uintptr_t)lua_upvalueid(T, -1, 1);
    for (uint32_t i = 0; i < open.words; i++)
        open.out[i] = object_word(open.base + i * 8ul) != b;
    if (object_word(b + LMP_AT_UPVALUE_VALUE) != a) return false; /* the next one */
    lua_pop(L, 1);
    return search_end(&s, &study->layout.stack_last) && search_end(&open, &study->layout.open);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const struct {
    const char *what;
    bool (*find)(lua_State *L, LmpObjectStudy *study);
} steps[] = {
    {"list of all objects", find_all},
    {"list of finalizers", find_finalizers},
    {"list of what waits", find_waiting},
    {"list of fixed objects", find_fixed},
    {"user values", find_user_values},
    {"registry", find_registry},
    {"metatables of basic types", find_metatables},
    {"table of strings", find_strings},
    {"size of arrays", find_hint},
    {"threads", find_thread},
};

static int study_all(lua_State *L) {
    LmpObjectStudy *study = lua_touserdata(L, 1);
    lua_gc(L, LUA_GCSTOP);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        lua_settop(L, 1);
        study->why = steps[i].what; /* stays if this raises an error */
        if (!steps[i].find(L, study)) return 0;
    }
    study->why = NULL;
    lua_settop(L, 1);
    lua_pushcclosure(L, offsets_check, 1);
    lua_call(L, 0, 0);
    return 0;
}

#define NO_MEMORY "no memory for looking"

static void study_run(LmpObjectStudy *study) {
    lua_State *L = luafacts_newstate(study_alloc, study);
    if (!L) return;
    const LmpStudyBlock *first = &study->block[0];
    uintptr_t end = first->at + first->size, main = (uintptr_t)L - frames_bits.extra;
    study->global = frames_word(L, LMP_AT_L_GLOBAL);
    if (main > study->global) end = main; /* it follows, in the same block */
    if (first->tag == LUA_TTHREAD && study->global >= first->at && study->global < end) {
        study->global_end = (uint32_t)(end - study->global);
        lua_pushcfunction(L, study_all);
        lua_pushlightuserdata(L, study);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK && !study->why) study->why = "checks: an error";
    } else {
        study->why = "global state";
    }
    if (study->why && study->failed) study->why = NO_MEMORY; /* then it tells nothing */
    known = !study->why ? LMP_OK : study->failed ? LMP_E_NOMEM : LMP_E_LAYOUT;
    why = study->why ? study->why : "";
    lua_close(L);
}

/* ---- for the next start ---------------------------------------------------------------------- */

static const char kept_name[] = "offsets";
enum { KEPT_ROWS = 2 };
typedef union Kept {
    LmpObjectOffsets layout;
    int32_t number[KEPT_ROWS][LMP_LEARNED_NUMBERS];
} Kept;

/* What an earlier start has found of the same code, if it fits what is known of this one. */
static bool take_kept(size_t colour) {
    Kept kept = {{0}};
    uint32_t rows = 0;
    LmpLearnedRow *row = learned_read(kept_name, &rows);
    bool good = row && rows == KEPT_ROWS;
    for (uint32_t i = 0; good && i < rows; i++)
        memcpy(kept.number[i], row[i].number, sizeof kept.number[i]);
    free(row);
    if (!good || kept.layout.colour != colour || kept.layout.extra != frames_bits.extra ||
        kept.layout.stack != frames_bits.at_stack)
        return false;
    layout = kept.layout;
    return true;
}

static void keep(void) {
    LmpLearnedRow row[KEPT_ROWS] = {{{0}, {0}}};
    Kept kept = {layout};
    for (int i = 0; i < KEPT_ROWS; i++)
        memcpy(row[i].number, kept.number[i], sizeof kept.number[i]);
    learned_write(kept_name, row, KEPT_ROWS);
}

static void study_now(void) {
    known = LMP_E_LAYOUT;
    why = "call frames";
    if (!frames_known()) return;
    why = "collector";
    size_t colour = collector_colour();
    if (!colour) return;
    if (take_kept(colour)) {
        known = LMP_OK;
        why = "";
        return;
    }
    LmpObjectStudy study = {.layout.colour = (uint16_t)colour};
    study.block = malloc(LMP_STUDY_BLOCKS * sizeof *study.block);
    why = NO_MEMORY;
    known = LMP_E_NOMEM;
    if (study.block) study_run(&study);
    layout = study.layout;
    free(study.block);
    if (known == LMP_OK) keep();
}

/* Looks again if there was no memory for it the last time. */
LmpErr offsets_known(void) {
    static atomic_bool looked;
    if (atomic_load(&looked)) return known;
    learning_hold();
    if (!atomic_load(&looked)) study_now();
    LmpErr now = known;
    if (now != LMP_E_NOMEM) atomic_store(&looked, true);
    learning_let();
    return now;
}

const LmpObjectOffsets *offsets_get(void) {
    return &layout;
}

uintptr_t offsets_userdata_head(unsigned n) {
    return n ? layout.user_values + n * (uintptr_t)LMP_SLOT : LMP_USERDATA_BARE;
}

const char *offsets_why(void) {
    return why;
}
