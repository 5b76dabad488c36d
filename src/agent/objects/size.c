/* size.c - adds up the blocks of one object, or of all on the collector's lists, from its
 * header. */
#include "agent/objects/size.h"

#include "agent/interp/collector.h"
#include "agent/objects/offsets.h"

/* Returns the interpreter's object; 0: none. */
static uintptr_t object_of(lua_State *L, int index) {
    uintptr_t at = (uintptr_t)lua_topointer(L, index);
    int values = 0, type = lua_type(L, index);
    switch (type) {
    case LUA_TSTRING:
    case LUA_TTABLE:
    case LUA_TTHREAD:
        return at;
    case LUA_TFUNCTION: /* a light one has no upvalues, and no object */
        if (!lua_iscfunction(L, index)) return at;
        return at == (uintptr_t)lua_tocfunction(L, index) ? 0 : at;
    case LUA_TUSERDATA:
        while (lua_getiuservalue(L, index, values + 1) != LUA_TNONE) {
            lua_pop(L, 1);
            values++;
        }
        lua_pop(L, 1);
        return at - offsets_userdata_head((unsigned)values);
    default:
        return 0;
    }
}

uintptr_t object_size_block(lua_State *L, int index) {
    uintptr_t o = object_of(L, lua_absindex(L, index));
    return o && lua_isthread(L, index) ? o - offsets_get()->extra : o;
}

/* ---- the blocks of an object ----------------------------------------------------------------- */

/* Who is told of each block. */
typedef struct Visit {
    ObjectSizeBlock *each;
    void *of;
    uintptr_t global; /* the global state */
    bool over;        /* nobody wants more */
} Visit;

static void visit(Visit *v, uintptr_t at, uint64_t size, unsigned cls) {
    if (at && size && !v->over) v->over = !v->each(v->of, at, size, cls);
}

static void visit_thread(Visit *v, const LmpObjectOffsets *layout, uintptr_t state) {
    uintptr_t stack = object_word(state + layout->stack), ci = object_word(state + LMP_AT_L_CI);
    if (stack)
        visit(v, stack, object_word(state + layout->stack_last) + LMP_STACK_EXTRA - stack,
              LMP_C_THREAD_PART);
    for (uintptr_t below = ci; below; below = object_word(ci + LMP_AT_CI_PREVIOUS))
        ci = below;
    for (ci = ci ? object_word(ci + LMP_AT_CI_NEXT) : 0; ci; ci = object_word(ci + LMP_AT_CI_NEXT))
        visit(v, ci, LMP_SIZE_CALL, LMP_C_THREAD_PART);
}

static void visit_proto(Visit *v, uintptr_t o) {
    static const struct {
        uint8_t count, at, element;
    } vectors[] = {{LMP_AT_PROTO_SIZECODE, LMP_AT_PROTO_CODE, LMP_INSTRUCTION},
                   {LMP_AT_PROTO_LINES, LMP_AT_PROTO_V_LINES, 1},
                   {LMP_AT_PROTO_ABSOLUTE, LMP_AT_PROTO_V_ABSOLUTE, LMP_SIZE_ABSOLUTE},
                   {LMP_AT_PROTO_CONSTANTS, LMP_AT_PROTO_V_CONSTANTS, LMP_SLOT},
                   {LMP_AT_PROTO_PROTOS, LMP_AT_PROTO_V_PROTOS, 8},
                   {LMP_AT_PROTO_UPVALUES, LMP_AT_PROTO_V_UPVALUES, LMP_SIZE_UPVALUE_NAME},
                   {LMP_AT_PROTO_LOCALS, LMP_AT_PROTO_V_LOCALS, LMP_SIZE_LOCAL_VARIABLE}};
    enum { FIXED = 3 }; /* the first ones, which may be somebody else's */
    visit(v, o, LMP_SIZE_PROTO, LMP_C_FUNCTION_PART);
    for (size_t i = luafacts_is_fixed(o) ? FIXED : 0; i < sizeof vectors / sizeof *vectors; i++)
        visit(v, object_word(o + vectors[i].at),
              object_u32(o + vectors[i].count) * (uint64_t)vectors[i].element, LMP_C_FUNCTION_PART);
}

static void visit_object(Visit *v, const LmpObjectOffsets *layout, uintptr_t o) {
    uint64_t length;
    uintptr_t given;
    LmpObjectPart part;
    unsigned values;
    switch (object_u8(o + LMP_AT_TYPE)) {
    case LMP_TT_SHORT_STRING:
    case LMP_TT_LONG_STRING:
        visit(v, o, object_string_block(o), LMP_C_STRING);
        given = object_string_given(v->global, o, &length);
        if (given) visit(v, given, length, LMP_C_STRING_PART);
        break;
    case LMP_TT_TABLE:
        visit(v, o, LMP_SIZE_TABLE, LMP_C_TABLE);
        part = object_array(layout, o);
        visit(v, part.block, part.bytes, LMP_C_TABLE_PART);
        part = object_hash_part(o);
        visit(v, part.block, part.bytes, LMP_C_TABLE_PART);
        break;
    case LMP_TT_LUA_CLOSURE:
        visit(v, o, LMP_AT_CLOSURE_UPVALUE + object_u8(o + LMP_AT_CLOSURE_UPVALUES) * 8ull,
              LMP_C_FUNCTION);
        break;
    case LMP_TT_C_CLOSURE:
        visit(v, o,
              LMP_AT_CLOSURE_UPVALUE + object_u8(o + LMP_AT_CLOSURE_UPVALUES) * (uint64_t)LMP_SLOT,
              LMP_C_FUNCTION);
        break;
    case LMP_TT_USERDATA:
        values = object_u16(o + LMP_AT_USERDATA_VALUES);
        visit(v, o, object_word(o + LMP_AT_USERDATA_SIZE) + offsets_userdata_head(values),
              LMP_C_USERDATA);
        break;
    case LMP_TT_THREAD:
        visit(v, o - layout->extra, layout->thread, LMP_C_THREAD);
        visit_thread(v, layout, o);
        break;
    case LMP_TT_UPVALUE:
        visit(v, o, LMP_SIZE_UPVALUE, LMP_C_FUNCTION_PART);
        break;
    case LMP_TT_PROTO:
        visit_proto(v, o);
        break;
    default:
        break;
    }
}

static bool add_size(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    uint64_t *sum = of;
    (void)at, (void)cls;
    *sum += size;
    return true;
}

static uint64_t size_at(const LmpObjectOffsets *layout, uintptr_t global, uintptr_t o) {
    uint64_t sum = 0;
    visit_object(&(Visit){add_size, &sum, global, false}, layout, o);
    return sum;
}

uint64_t object_size(lua_State *L, int index) {
    uintptr_t o = object_of(L, lua_absindex(L, index));
    return o ? size_at(offsets_get(), frames_word(L, LMP_AT_L_GLOBAL), o) : 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static LmpObjectHeld table_held(const LmpObjectOffsets *layout, uintptr_t o) {
    LmpObjectPart array = object_array(layout, o), hash = object_hash_part(o);
    uintptr_t node = hash.block + luafacts_before_nodes(hash.entries);
    uint64_t slots = 0, nodes = 0;
    for (uint64_t i = 0; i < array.entries; i++)
        slots += object_is_used(object_array_slot(array.block, array.entries, i));
    for (uint64_t i = 0; i < hash.entries; i++, node += LMP_SIZE_NODE)
        nodes += object_is_used(object_slot(node));
    return (LmpObjectHeld){LMP_SIZE_TABLE + slots * LMP_ARRAY_ENTRY + nodes * LMP_SIZE_NODE,
                           1ull + (array.entries != 0) + (hash.entries != 0)};
}

static LmpObjectHeld thread_held(const LmpObjectOffsets *layout, uintptr_t o) {
    uintptr_t stack = object_word(o + layout->stack), ci = object_word(o + LMP_AT_L_CI), below;
    uint64_t frames = 0;
    for (; ci && (below = object_word(ci + LMP_AT_CI_PREVIOUS)); ci = below)
        frames++;
    if (!stack ||
        (frames && object_u8(o + LMP_AT_L_STATUS) == LUA_OK)) /* runs, or resumes another */
        return (LmpObjectHeld){layout->thread, 1};
    return (LmpObjectHeld){layout->thread + (object_word(o + LMP_AT_L_TOP) - stack) +
                               frames * LMP_SIZE_CALL,
                           2 + frames};
}

static LmpObjectHeld held_at(const LmpObjectOffsets *layout, uintptr_t global, uintptr_t o) {
    switch (object_u8(o + LMP_AT_TYPE)) {
    case LMP_TT_TABLE:
        return table_held(layout, o);
    case LMP_TT_THREAD:
        return thread_held(layout, o);
    case LMP_TT_UPVALUE:
        return (LmpObjectHeld){LMP_SIZE_UPVALUE, 1};
    case LMP_TT_PROTO: /* without names and inner tables: they do not change */
        return (LmpObjectHeld){LMP_SIZE_PROTO + object_u32(o + LMP_AT_PROTO_SIZECODE) * 5ull +
                                   object_u32(o + LMP_AT_PROTO_CONSTANTS) * (uint64_t)LMP_SLOT,
                               1};
    default:
        return (LmpObjectHeld){size_at(layout, global, o), 1};
    }
}

/* The collector's lists of a state. */
enum { LISTS = 4 };
static void lists_of(const LmpObjectOffsets *layout, uintptr_t global, uintptr_t list[LISTS]) {
    const uint16_t at[LISTS] = {layout->all, layout->finalizers, layout->waiting, layout->fixed};
    for (unsigned i = 0; i < LISTS; i++)
        list[i] = object_word(global + at[i]);
}

LmpObjectHeld object_size_held(lua_State *L) {
    const LmpObjectOffsets *layout = offsets_get();
    uintptr_t list[LISTS], global = frames_word(L, LMP_AT_L_GLOBAL);
    LmpObjectHeld sum = {0, 0};
    lists_of(layout, global, list);
    for (unsigned i = 0; i < LISTS; i++) {
        for (uintptr_t o = list[i]; o; o = object_word(o + LMP_AT_NEXT)) {
            LmpObjectHeld held = held_at(layout, global, o);
            sum.bytes += held.bytes;
            sum.blocks += held.blocks;
        }
    }
    return sum;
}

void object_size_blocks(lua_State *main, ObjectSizeBlock *each, void *of) {
    const LmpObjectOffsets *layout = offsets_get();
    const LmpBirth *birth = collector_birth();
    uintptr_t global = frames_word(main, LMP_AT_L_GLOBAL), list[LISTS];
    Visit v = {each, of, global, false};
    lists_of(layout, global, list);
    for (unsigned i = 0; i < LISTS; i++)
        for (uintptr_t o = list[i]; o && !v.over; o = object_word(o + LMP_AT_NEXT))
            if (o != (uintptr_t)main) visit_object(&v, layout, o); /* some releases list it */
    visit(&v, (uintptr_t)main - birth->state, birth->size, LMP_C_THREAD);
    visit_thread(&v, layout, (uintptr_t)main);
    uintptr_t strings = global + layout->strings; /* slots; how many strings, how many slots */
    visit(&v, object_word(strings), object_u32(strings + 12) * 8ull, LMP_C_STRING_PART);
}
