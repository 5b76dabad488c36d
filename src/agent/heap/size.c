/* size.c - see size.h. */
#include "agent/heap/size.h"

#include "agent/heap/layout.h"

/* The interpreter's object; 0: none. */
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
        return at -
               (values ? LMP_AT_USERDATA_VALUE + (uintptr_t)values * LMP_SLOT : LMP_USERDATA_BARE);
    default:
        return 0;
    }
}

uintptr_t heapsize_block(lua_State *L, int index) {
    uintptr_t o = object_of(L, lua_absindex(L, index));
    return o && lua_isthread(L, index) ? o - heaplayout_get()->extra : o;
}

static uint64_t thread_size(const LmpHeapLayout *layout, uintptr_t state) {
    uint64_t n = layout->thread;
    uintptr_t stack = heap_word(state + layout->stack), ci = heap_word(state + LMP_AT_L_CI);
    if (stack) n += heap_word(state + layout->stack_last) + LMP_STACK_EXTRA - stack;
    for (uintptr_t below = ci; below; below = heap_word(ci + LMP_AT_CI_PREVIOUS))
        ci = below;
    for (ci = ci ? heap_word(ci + LMP_AT_CI_NEXT) : 0; ci; ci = heap_word(ci + LMP_AT_CI_NEXT))
        n += LMP_SIZE_CALL;
    return n;
}

uint64_t heapsize_of(lua_State *L, int index) {
    const LmpHeapLayout *layout = heaplayout_get();
    uintptr_t o = object_of(L, lua_absindex(L, index));
    unsigned values;
    switch (o ? heap_u8(o + LMP_AT_TYPE) : 0) {
    case LMP_TT_SHORT_STRING:
    case LMP_TT_LONG_STRING:
        return LMP_STRING_HEAD + lua_rawlen(L, index) + 1;
    case LMP_TT_TABLE:
        return LMP_SIZE_TABLE + heap_array_size(layout, o) * (uint64_t)LMP_SLOT +
               heap_nodes(o) * (uint64_t)LMP_SIZE_NODE;
    case LMP_TT_LUA_CLOSURE:
        return LMP_AT_CLOSURE_UPVALUE + heap_u8(o + LMP_AT_CLOSURE_UPVALUES) * 8ull;
    case LMP_TT_C_CLOSURE:
        return LMP_AT_CLOSURE_UPVALUE + heap_u8(o + LMP_AT_CLOSURE_UPVALUES) * (uint64_t)LMP_SLOT;
    case LMP_TT_USERDATA:
        values = heap_u16(o + LMP_AT_USERDATA_VALUES);
        return lua_rawlen(L, index) +
               (values ? LMP_AT_USERDATA_VALUE + values * (uint64_t)LMP_SLOT : LMP_USERDATA_BARE);
    case LMP_TT_THREAD:
        return thread_size(layout, o);
    default:
        return 0;
    }
}
