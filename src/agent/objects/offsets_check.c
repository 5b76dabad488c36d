/* offsets_check.c - compares all that objects.h reads with what the documented API says of
 * objects of known content, and with the blocks that the allocator has handed out. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "agent/objects/offsets.h"
#include "agent/objects/offsets_impl.h"

static uintptr_t pointer(lua_State *L, int index) {
    return (uintptr_t)lua_topointer(L, index);
}

static bool is_object(const LmpObjectStudy *study, uintptr_t at, int tag, size_t size) {
    const LmpStudyBlock *b = object_study_block(study, at);
    return b && b->tag == tag && b->size == size;
}

static bool has_type(uintptr_t at, int type) {
    return object_u8(at + LMP_AT_TYPE) == type;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns true if the value with this tag and this word is the one at `index` of the stack. */
static bool is_value(lua_State *L, int index, unsigned tag, uintptr_t word) {
    lua_Number number;
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        return !(tag & LMP_TT_TYPE);
    case LUA_TBOOLEAN:
        return tag == (lua_toboolean(L, index) ? LMP_TT_TRUE : LMP_TT_FALSE);
    case LUA_TLIGHTUSERDATA:
        return tag == LMP_TT_LIGHT && word == (uintptr_t)lua_touserdata(L, index);
    case LUA_TNUMBER:
        if (lua_isinteger(L, index))
            return tag == LMP_TT_INTEGER && word == (uintptr_t)lua_tointeger(L, index);
        memcpy(&number, &word, sizeof number);
        return tag == LMP_TT_FLOAT && number == lua_tonumber(L, index);
    case LUA_TFUNCTION:
        if (lua_iscfunction(L, index) && tag == LMP_TAG_LIGHT_C)
            return word == (uintptr_t)lua_tocfunction(L, index);
        break;
    case LUA_TUSERDATA: { /* the pointer is that of its bytes */
        if (tag != LMP_TAG_USERDATA) return false;
        unsigned values = object_u16(word + LMP_AT_USERDATA_VALUES);
        return word + offsets_userdata_head(values) == pointer(L, index);
    }
    default:
        break;
    }
    return tag & LMP_TAG_COLLECTABLE && word == pointer(L, index) &&
           has_type(word, (int)tag & ~LMP_TAG_COLLECTABLE) &&
           (int)(tag & LMP_TT_TYPE) == lua_type(L, index);
}

static bool slot_is(lua_State *L, int index, uintptr_t slot) {
    return is_value(L, index, object_u8(slot + LMP_AT_SLOT_TAG), object_word(slot));
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Returns true if a string on top of the stack is read as the documented API has it. */
static bool string_fits(lua_State *L, uintptr_t s, uint64_t n) {
    uint64_t size;
    const char *bytes = object_string(s, &size);
    return size == n && bytes == lua_tolstring(L, -1, NULL);
}

#if LUA_VERSION_NUM >= 505
static void *leave(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud, (void)ptr, (void)osize, (void)nsize;
    return NULL;
}

/* Strings whose bytes are somebody else's: those that stay, and those that are given back, to a
 * function of the host's or to Lua's allocator. */
static bool check_lent(lua_State *L, LmpObjectStudy *study) {
    static const char text[] = "a text of more than forty bytes, which no string of Lua's own has";
    uint64_t n = sizeof text - 1, size = 0;
    void *ud;
    lua_Alloc alloc = lua_getallocf(L, &ud);
    char *own = alloc(ud, NULL, 0, sizeof text);
    if (!own) return false;
    memcpy(own, text, sizeof text);
    lua_pushexternalstring(L, own, n, alloc, ud);
    uintptr_t s = pointer(L, -1);
    if (!string_fits(L, s, n) || luafacts_string_kind(s) != LMP_STRING_GIVEN) return false;
    if (object_string_given(study->global, s, &size) != (uintptr_t)own || size != sizeof text)
        return false;
    if (!is_object(study, s, LUA_TSTRING, object_string_block(s))) return false;
    for (int i = 0; i < 2; i++) {
        lua_pushexternalstring(L, text, n, i ? leave : NULL, study);
        s = pointer(L, -1);
        if (!string_fits(L, s, n) || object_string_given(study->global, s, &size)) return false;
        if (luafacts_string_kind(s) != (i ? LMP_STRING_GIVEN : LMP_STRING_FIXED)) return false;
        if (!is_object(study, s, LUA_TSTRING, object_string_block(s))) return false;
    }
    return true;
}
#else
static bool check_lent(lua_State *L, LmpObjectStudy *study) {
    (void)L, (void)study;
    return true;
}
#endif

static bool check_strings(lua_State *L, LmpObjectStudy *study) {
    static const unsigned lengths[] = {0, 1, 7, 40, 41, 63, 1000};
    char text[1001];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7 + 1); /* with zeroes in it */
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned n = lengths[i];
        lua_pushlstring(L, text, n);
        uintptr_t s = pointer(L, -1);
        bool is_short = n <= 40;
        if (!has_type(s, is_short ? LMP_TT_SHORT_STRING : LMP_TT_LONG_STRING)) return false;
        if (luafacts_string_kind(s) != LMP_STRING_OWN) return false;
        if (!is_object(study, s, LUA_TSTRING, object_string_block(s))) return false;
        if (!string_fits(L, s, n)) return false;
        uintptr_t head = is_short ? LMP_STRING_HEAD : LMP_STRING_LONG_HEAD;
        if (s + head != (uintptr_t)lua_tolstring(L, -1, NULL)) return false;
        lua_pop(L, 1);
    }
    return check_lent(L, study);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Compares a table's slots, array part before nodes, with what lua_next gives, in its order. */
static bool table_fits(lua_State *L, const LmpObjectStudy *study, int index) {
    uintptr_t t = pointer(L, index);
    LmpObjectPart array = object_array(&study->layout, t), hash = object_hash_part(t);
    uint64_t slots = array.entries, nodes = hash.entries;
    if (!is_object(study, t, LUA_TTABLE, LMP_SIZE_TABLE) || !has_type(t, LMP_TT_TABLE))
        return false;
    if (slots && !object_study_part(study, array.block, array.bytes)) return false;
    if (nodes && !object_study_part(study, hash.block, hash.bytes)) return false;
    uintptr_t node = object_first_node(hash.block, hash.bytes, &nodes);
    if (nodes != hash.entries || luafacts_array_readable(slots, array.bytes) != slots) return false;
    lua_pushnil(L);
    for (uint64_t i = 0; i < slots; i++) {
        LmpObjectSlot slot = object_array_slot(array.block, slots, i);
        if (!object_is_used(slot)) continue;
        if (!lua_next(L, index) || lua_tointeger(L, -2) != (lua_Integer)i + 1) return false;
        if (!is_value(L, -1, object_u8(slot.tag), object_word(slot.value))) return false;
        lua_pop(L, 1);
    }
    for (uint64_t i = 0; i < nodes; i++) {
        uintptr_t n = node + i * (uintptr_t)LMP_SIZE_NODE;
        if (!(object_u8(n + LMP_AT_SLOT_TAG) & LMP_TT_TYPE)) continue;
        if (!lua_next(L, index) || !slot_is(L, -1, n)) return false;
        if (!is_value(L, -2, object_u8(n + LMP_AT_NODE_KEY_TAG), object_word(n + LMP_AT_NODE_KEY)))
            return false;
        lua_pop(L, 1);
    }
    return !lua_next(L, index);
}

static int nothing(lua_State *L) {
    (void)L;
    return 0;
}

static void set_many(lua_State *L, int t) {
    lua_pushboolean(L, 1);
    lua_pushinteger(L, 4);
    lua_rawset(L, t); /* t[true] = 4 */
    lua_pushboolean(L, 0);
    lua_pushboolean(L, 1);
    lua_rawset(L, t);
    lua_pushnumber(L, 2.5);
    lua_pushboolean(L, 0);
    lua_rawset(L, t);
    lua_pushinteger(L, -7);
    lua_pushnumber(L, 0.25);
    lua_rawset(L, t);
    lua_pushinteger(L, (lua_Integer)1 << 40);
    lua_pushliteral(L, "short");
    lua_rawset(L, t);
    lua_pushcfunction(L, nothing);
    lua_pushlightuserdata(L, L);
    lua_rawset(L, t);
    lua_pushlightuserdata(L, t + (char *)L);
    lua_pushcfunction(L, nothing);
    lua_rawset(L, t);
    lua_newtable(L);
    lua_newuserdatauv(L, 10, 0);
    lua_rawset(L, t); /* t[{}] = userdata */
    lua_newuserdatauv(L, 0, 2);
    lua_newthread(L);
    lua_rawset(L, t);
    lua_pushinteger(L, 1);
    lua_pushcclosure(L, nothing, 1);
    lua_pushliteral(L, "a string of more than forty bytes, so that it is a long one");
    lua_rawset(L, t);
    lua_pushliteral(L, "another string of more than forty bytes, this time as a key");
    lua_newtable(L);
    lua_rawset(L, t);
}

static bool check_tables(lua_State *L, LmpObjectStudy *study) {
    for (int arrays = 0; arrays <= 40; arrays = arrays ? arrays * 2 + 1 : 1) {
        for (int nodes = 0; nodes <= 40; nodes = nodes ? nodes * 3 : 1) {
            lua_createtable(L, arrays, nodes);
            int t = lua_gettop(L);
            if (object_array_size(&study->layout, pointer(L, t)) != (uint32_t)arrays) return false;
            if (!nodes != !object_nodes(pointer(L, t)) || !table_fits(L, study, t)) return false;
            for (int i = 1; i <= arrays; i++) {
                lua_pushinteger(L, i * 11);
                lua_rawseti(L, t, i);
            }
            if (nodes) set_many(L, t);
            if (!table_fits(L, study, t)) return false;
            lua_settop(L, t - 1);
        }
    }
    return true;
}

/* The length operator leaves hints in place of the array's size. The whole table is compared each
 * time, and a program stands meanwhile that asks for its first snapshot: so there are just enough
 * elements for sizes below and above a power of two. */
static bool check_limits(lua_State *L, LmpObjectStudy *study) {
    enum { ELEMENTS = 70, KEYS = 40 };
    bool hints = false;
    lua_newtable(L);
    int t = lua_gettop(L);
    for (int i = 1; i <= ELEMENTS; i++) {
        lua_pushinteger(L, i);
        lua_rawseti(L, t, i);
        (void)lua_rawlen(L, t);
        if (!table_fits(L, study, t)) return false;
    }
    for (int i = ELEMENTS; i > 0; i--) {
        lua_pushnil(L);
        lua_rawseti(L, t, i);
        (void)lua_rawlen(L, t);
        if (object_u8(pointer(L, t) + study->layout.hint) & LMP_TABLE_HINT) hints = true;
        if (!table_fits(L, study, t)) return false;
    }
    for (int i = 1; i <= KEYS; i++) { /* keys that are dead, and taken again */
        lua_pushfstring(L, "k%d", i);
        lua_pushinteger(L, i);
        lua_rawset(L, t);
        if (i % 3) {
            lua_pushfstring(L, "k%d", i / 2);
            lua_pushnil(L);
            lua_rawset(L, t);
        }
        if (!table_fits(L, study, t)) return false;
    }
    return hints || !LMP_TABLE_HINT;
}

/* A field is where its key's hash says, or behind that: as the walk looks for "__mode". */
static bool check_hashes(lua_State *L, LmpObjectStudy *study) {
    (void)study;
    lua_createtable(L, 0, 32);
    for (int i = 0; i < 32; i++) {
        lua_pushfstring(L, "field %d", i);
        lua_pushinteger(L, i);
        lua_rawset(L, -3);
    }
    uintptr_t t = pointer(L, -1), nodes = object_word(t + LMP_AT_TABLE_NODE);
    for (int i = 0; i < 32; i++) {
        lua_pushfstring(L, "field %d", i);
        uintptr_t key = pointer(L, -1), met = 0;
        int64_t at = object_u32(key + LMP_AT_STRING_HASH) & (object_nodes(t) - 1);
        for (int n = 0; n < 32 && at >= 0 && at < object_nodes(t); n++) {
            uintptr_t node = nodes + (uintptr_t)at * LMP_SIZE_NODE;
            if (object_word(node + LMP_AT_NODE_KEY) == key) met = node;
            int32_t next = (int32_t)object_u32(node + LMP_AT_NODE_NEXT);
            if (met || !next) break;
            at += next;
        }
        if (!met || object_word(met) != (uintptr_t)i) return false;
        lua_pop(L, 1);
    }
    return true;
}

static bool check_metatables(lua_State *L, LmpObjectStudy *study) {
    (void)study;
    for (int i = 0; i < 2; i++) {
        if (i) {
            lua_newuserdatauv(L, 24, 1);
        } else {
            lua_newtable(L);
        }
        uintptr_t at = pointer(L, -1);
        at = i ? at - offsets_userdata_head(1) + LMP_AT_USERDATA_META : at + LMP_AT_TABLE_META;
        if (object_word(at)) return false;
        lua_newtable(L);
        uintptr_t meta = pointer(L, -1);
        lua_setmetatable(L, -2);
        if (object_word(at) != meta) return false;
    }
    return true;
}

/* ---- userdata -------------------------------------------------------------------------------- */

static bool check_userdata(lua_State *L, LmpObjectStudy *study) {
    for (int values = 0; values < 4; values++) {
        char *bytes = lua_newuserdatauv(L, 100, values);
        uintptr_t at = (uintptr_t)bytes - offsets_userdata_head((unsigned)values);
        if (!is_object(study, at, LUA_TUSERDATA, (uintptr_t)bytes - at + 100)) return false;
        if (!has_type(at, LMP_TT_USERDATA)) return false;
        if (object_u16(at + LMP_AT_USERDATA_VALUES) != values) return false;
        if (object_word(at + LMP_AT_USERDATA_SIZE) != 100) return false;
        for (int i = 1; i <= values; i++) {
            lua_newtable(L);
            lua_setiuservalue(L, -2, i);
            lua_getiuservalue(L, -1, i);
            uintptr_t slot = at + offsets_get()->user_values + (uintptr_t)(i - 1) * LMP_SLOT;
            if (!slot_is(L, -1, slot)) return false;
            lua_pop(L, 1);
        }
    }
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool check_c_closures(lua_State *L, LmpObjectStudy *study) {
    for (int n = 1; n < 5; n++) {
        for (int i = 0; i < n; i++)
            lua_pushfstring(L, "upvalue %d", i);
        lua_pushcclosure(L, nothing, n);
        uintptr_t f = pointer(L, -1);
        size_t size = LMP_AT_CLOSURE_UPVALUE + (size_t)n * LMP_SLOT;
        if (!is_object(study, f, LUA_TFUNCTION, size) || !has_type(f, LMP_TT_C_CLOSURE))
            return false;
        if (object_u8(f + LMP_AT_CLOSURE_UPVALUES) != n) return false;
        if (object_word(f + LMP_AT_CLOSURE_CODE) != (uintptr_t)nothing) return false;
        for (int i = 1; i <= n; i++) {
            lua_getupvalue(L, -1, i);
            uintptr_t slot = f + LMP_AT_CLOSURE_UPVALUE + (uintptr_t)(i - 1) * LMP_SLOT;
            if (!slot_is(L, -1, slot)) return false;
            lua_pop(L, 1);
        }
    }
    return true;
}

/* A Lua function at the top of the stack: its upvalues. */
static bool upvalues_fit(lua_State *L, const LmpObjectStudy *study, unsigned expected, bool own) {
    uintptr_t f = pointer(L, -1);
    if (!is_object(study, f, LUA_TFUNCTION, LMP_AT_CLOSURE_UPVALUE + expected * 8ul)) return false;
    if (!has_type(f, LMP_TT_LUA_CLOSURE)) return false;
    if (object_u8(f + LMP_AT_CLOSURE_UPVALUES) != expected) return false;
    uintptr_t p = object_word(f + LMP_AT_CLOSURE_CODE);
    uintptr_t names = object_word(p + LMP_AT_PROTO_V_UPVALUES);
    for (unsigned i = 0; i < expected; i++) {
        uintptr_t u = object_word(f + LMP_AT_CLOSURE_UPVALUE + i * 8ul);
        if (u != (uintptr_t)lua_upvalueid(L, -1, (int)i + 1)) return false;
        if (!is_object(study, u, 9, LMP_SIZE_UPVALUE) || !has_type(u, LMP_TT_UPVALUE)) return false;
        uintptr_t at = object_word(u + LMP_AT_UPVALUE_AT);
        if (own != (at == u + LMP_AT_UPVALUE_VALUE)) return false;
        const char *name = lua_getupvalue(L, -1, (int)i + 1);
        if (!slot_is(L, -1, at)) return false;
        lua_pop(L, 1);
        if ((uintptr_t)name !=
            object_word(names + i * (uintptr_t)LMP_SIZE_UPVALUE_NAME) + LMP_STRING_HEAD)
            return false;
    }
    return true;
}

static int open_probe(lua_State *L) { /* f: both upvalues are on the stack still */
    LmpObjectStudy *study = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, 1);
    lua_pushboolean(L, upvalues_fit(L, study, 2, false));
    return 1;
}

static bool check_upvalues(lua_State *L, LmpObjectStudy *study) {
    static const char code[] = "local probe = ... local one, two = 'x', {} "
                               "local function f() return one, two end "
                               "local ok = probe(f) two = 3.5 return f, ok";
    if (luaL_loadstring(L, code)) return false;
    lua_pushlightuserdata(L, study);
    lua_pushcclosure(L, open_probe, 1);
    lua_call(L, 1, 2);
    bool open = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return open && upvalues_fit(L, study, 2, true);
}

/* ---- prototypes ------------------------------------------------------------------------------ */

static bool vector_fits(const LmpObjectStudy *study, uintptr_t p, int count, int at,
                        size_t element) {
    uint32_t n = object_u32(p + (uintptr_t)count);
    return n ? object_study_part(study, object_word(p + (uintptr_t)at), n * element) : true;
}

static bool is_string(const LmpObjectStudy *study, uintptr_t at) {
    const LmpStudyBlock *b = object_study_block(study, at);
    return b && b->tag == LUA_TSTRING;
}

static bool vectors_fit(const LmpObjectStudy *study, uintptr_t p) {
    if (!is_object(study, p, 10, LMP_SIZE_PROTO) || !has_type(p, LMP_TT_PROTO)) return false;
    if (!vector_fits(study, p, LMP_AT_PROTO_UPVALUES, LMP_AT_PROTO_V_UPVALUES,
                     LMP_SIZE_UPVALUE_NAME) ||
        !vector_fits(study, p, LMP_AT_PROTO_CONSTANTS, LMP_AT_PROTO_V_CONSTANTS, LMP_SLOT) ||
        !vector_fits(study, p, LMP_AT_PROTO_SIZECODE, LMP_AT_PROTO_CODE, LMP_INSTRUCTION) ||
        !vector_fits(study, p, LMP_AT_PROTO_LINES, LMP_AT_PROTO_V_LINES, 1) ||
        !vector_fits(study, p, LMP_AT_PROTO_PROTOS, LMP_AT_PROTO_V_PROTOS, 8) ||
        !vector_fits(study, p, LMP_AT_PROTO_LOCALS, LMP_AT_PROTO_V_LOCALS,
                     LMP_SIZE_LOCAL_VARIABLE) ||
        !vector_fits(study, p, LMP_AT_PROTO_ABSOLUTE, LMP_AT_PROTO_V_ABSOLUTE, LMP_SIZE_ABSOLUTE))
        return false;
    return is_string(study, object_word(p + LMP_AT_PROTO_SOURCE));
}

/* Vectors that nothing else would be: constants, functions within, names. */
static bool check_prototypes(lua_State *L, LmpObjectStudy *study) {
    static const char code[] = "local a, bee = 'constant', 1.5\n"
                               "local function inner(x)\n"
                               "  return x, a, 'within'\n"
                               "end\n"
                               "local function other() return bee end\n"
                               "return inner, other, a .. 'second'";
    lua_Debug ar;
    if (luaL_loadbuffer(L, code, sizeof code - 1, "=source")) return false;
    uintptr_t p = object_word(pointer(L, -1) + LMP_AT_CLOSURE_CODE);
    if (!vectors_fit(study, p) || object_u32(p + LMP_AT_PROTO_PROTOS) != 2) return false;
    if (object_u32(p + LMP_AT_PROTO_LOCALS) != 4 || object_u32(p + LMP_AT_PROTO_LINES) < 6)
        return false;
    lua_pushliteral(L, "bee");
    uintptr_t second = object_word(p + LMP_AT_PROTO_V_LOCALS) + LMP_SIZE_LOCAL_VARIABLE;
    if (object_word(second) != pointer(L, -1)) return false;
    lua_pushliteral(L, "=source");
    if (strcmp((const char *)object_word(p + LMP_AT_PROTO_SOURCE) + LMP_STRING_HEAD,
               "=source")) /* NOLINT */
        return false;
    uint32_t constants = object_u32(p + LMP_AT_PROTO_CONSTANTS), met = 0;
    for (uint32_t i = 0; i < constants; i++) {
        uintptr_t k = object_word(p + LMP_AT_PROTO_V_CONSTANTS) + i * (uintptr_t)LMP_SLOT;
        lua_pushliteral(L, "constant");
        lua_pushliteral(L, "second");
        lua_pushnumber(L, 1.5);
        met += slot_is(L, -1, k) || slot_is(L, -2, k) || slot_is(L, -3, k);
        lua_pop(L, 3);
    }
    lua_pop(L, 2);
    uintptr_t inner = object_word(object_word(p + LMP_AT_PROTO_V_PROTOS));
    uintptr_t other = object_word(object_word(p + LMP_AT_PROTO_V_PROTOS) + 8);
    lua_call(L, 0, 2);
    for (int i = -2; i < 0; i++) {
        uintptr_t f = object_word(pointer(L, i) + LMP_AT_CLOSURE_CODE);
        if (f != (i == -2 ? inner : other) || !vectors_fit(study, f)) return false;
        lua_pushvalue(L, i);
        lua_getinfo(L, ">S", &ar);
        if ((int)object_u32(f + LMP_AT_PROTO_LINE) != ar.linedefined ||
            (int)object_u32(f + LMP_AT_PROTO_LAST) != ar.lastlinedefined)
            return false;
    }
    return met >= 2;
}

/* ---- frames ---------------------------------------------------------------------------------- */

typedef struct Steps {
    bool differs;
    unsigned steps, absolute, names;
} Steps;

/* At every instruction: line and locals of the function that runs. */
static void step(lua_State *L, lua_Debug *ar) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, step);
    Steps *s = lua_touserdata(L, -1);
    lua_pop(L, 1);
    LmpCallInfo *ci = (LmpCallInfo *)ar->i_ci;
    uintptr_t p = (uintptr_t)frames_proto(frames_func(ci));
    lua_getinfo(L, "l", ar);
    if (!p) return;
    uint32_t pc = (uint32_t)((frames_pc(ci) - frames_code((const void *)p)) / LMP_INSTRUCTION) - 1;
    uintptr_t name[LMP_REGISTERS];
    uint32_t names = object_locals(p, pc, name);
    if (object_line(p, pc) != ar->currentline) s->differs = true;
    for (uint32_t i = 0; i < names; i++) {
        const char *local = lua_getlocal(L, ar, (int)i + 1);
        if (!local || (uintptr_t)local != name[i] + LMP_STRING_HEAD) s->differs = true;
        if (local) lua_pop(L, 1);
    }
    const char *more = lua_getlocal(L, ar, (int)names + 1);
    if (more && *more != '(') s->differs = true; /* a temporary */
    if (more) lua_pop(L, 1);
    s->names += names;
    s->steps++;
    if (object_u32(p + LMP_AT_PROTO_ABSOLUTE)) s->absolute++;
}

/* Many instructions in a line, and lines far apart: both need absolute lines. */
static void write_code(luaL_Buffer *b) {
    luaL_addstring(b, "local a, n = 1, 0\n");
    for (int i = 0; i < 200; i++)
        luaL_addstring(b, i % 50 ? "a = a + n " : "\n");
    for (int i = 0; i < 300; i++)
        luaL_addchar(b, '\n');
    luaL_addstring(b, "for i = 1, 3 do local t = {i}\n a = a + t[1] end\n");
    luaL_addstring(b, "local function f(x, ...)\n local y <const> = x\n do local z = y end\n");
    luaL_addstring(b, " for k, v in n, nil do local w = v end\n return x\n end\n");
    luaL_addstring(b, "f(1, 2)\n f(2)\n goto done\n do a = 2 end\n ::done:: return a");
}

static bool check_lines(lua_State *L, LmpObjectStudy *study) {
    (void)study;
    Steps s = {.differs = false};
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    write_code(&b);
    luaL_pushresult(&b);
    if (luaL_loadstring(L, lua_tostring(L, -1))) return false;
    lua_pushlightuserdata(L, &s);
    lua_rawsetp(L, LUA_REGISTRYINDEX, step);
    lua_sethook(L, step, LUA_MASKCOUNT, 1);
    lua_pcall(L, 0, 0, 0); /* nil is no iterator: it ends in an error, as it should */
    lua_sethook(L, NULL, 0, 0);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, step);
    return !s.differs && s.steps > 200 && s.absolute > 200 && s.names > 400;
}

/* A C function that calls itself: its frames are a list of blocks. */
static int nest(lua_State *L) {
    int n = (int)lua_tointeger(L, 1);
    if (!n) return 0;
    lua_pushcfunction(L, nest);
    lua_pushinteger(L, n - 1);
    lua_call(L, 1, 0);
    return 0;
}

static unsigned calls_of(const LmpObjectStudy *study, const lua_State *L, bool *fits) {
    LmpCallInfo *ci = frames_top(L);
    while (frames_caller(ci))
        ci = frames_caller(ci);
    unsigned n = 0;
    uintptr_t before = (uintptr_t)ci, next = object_word(before + LMP_AT_CI_NEXT);
    for (; next && n < 1000; next = object_word(before + LMP_AT_CI_NEXT), n++) {
        if (!object_study_part(study, next, LMP_SIZE_CALL)) *fits = false;
        if (!*fits || object_word(next + LMP_AT_CI_PREVIOUS) != before) return n;
        before = next;
    }
    return n;
}

static bool check_calls(lua_State *L, LmpObjectStudy *study) {
    bool fits = true;
    lua_State *T = lua_newthread(L);
    int results;
    if (calls_of(study, T, &fits)) return false;
    lua_pushcfunction(T, nest);
    lua_pushinteger(T, 20);
    if (lua_resume(T, L, 1, &results) != LUA_OK) return false;
    unsigned n = calls_of(study, T, &fits);
    return fits && n >= 21 && calls_of(study, L, &fits) && fits;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const struct {
    const char *what;
    bool (*check)(lua_State *L, LmpObjectStudy *study);
} checks[] = {
    {"strings", check_strings},        {"tables", check_tables},
    {"array sizes", check_limits},     {"fields by hash", check_hashes},
    {"metatables", check_metatables},  {"userdata", check_userdata},
    {"C functions", check_c_closures}, {"upvalues", check_upvalues},
    {"prototypes", check_prototypes},  {"lines and locals", check_lines},
    {"call frames", check_calls},
};

int offsets_check(lua_State *L) {
    LmpObjectStudy *study = lua_touserdata(L, lua_upvalueindex(1));
    luaL_checkstack(L, 100, NULL);
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
        study->why = checks[i].what; /* stays if this raises an error */
        if (!checks[i].check(L, study)) return 0;
        lua_settop(L, 0);
    }
    study->why = NULL;
    return 0;
}
