/* frames.h - reading the interpreter's own call frames (CallInfo) without asking its API.
 *
 * The hook needs the running line at every allocation, and the documented API costs more than the
 * allocation. So it reads a few fields of the interpreter directly: their offsets are found and
 * verified once per process in a private state made by the same code (frames_known), and again on
 * the user's state (frames_fit); if anything is not as expected, none of this is used but the
 * documented API (stack.h). The layout itself: luafacts.h. */
#ifndef LMP_FRAMES_H
#define LMP_FRAMES_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/interp/cpu.h"
#include "agent/interp/luafacts.h"

typedef struct LmpCallInfo LmpCallInfo; /* the interpreter's CallInfo */

/* What differs between releases, of LmpLuaRelease: found with the rest, constant afterwards. */
typedef struct LmpFrameBits {
    LmpCallStatus hooked, tail, stale;
    LmpCallStatus
        c_or_hooked;  /* hooked, stale, or a C function: no Lua function that can be asked */
    uint16_t at_jump; /* 0: not known */
    uint16_t at_stack;
    uint32_t extra; /* bytes of a thread's block before its lua_State (LUA_EXTRASPACE) */
} LmpFrameBits;
extern LmpFrameBits frames_bits;

static inline uintptr_t frames_word(const void *base, size_t at) {
    uintptr_t w;
    memcpy(&w, (const char *)base + at, sizeof w); /* NOLINT: never null */
    return w;
}

/* Returns the frame that runs in a thread. */
static inline LmpCallInfo *frames_top(const lua_State *L) {
    return (LmpCallInfo *)frames_word(L, LMP_AT_L_CI); /* NOLINT */
}
/* Returns the caller's frame; NULL at the bottom frame, which belongs to no function. */
static inline LmpCallInfo *frames_caller(const LmpCallInfo *ci) {
    return (LmpCallInfo *)frames_word(ci, LMP_AT_CI_PREVIOUS); /* NOLINT */
}
static inline unsigned frames_status(const LmpCallInfo *ci) {
    LmpCallStatus s;
    memcpy(&s, (const char *)ci + LMP_AT_CI_STATUS, sizeof s);
    return s;
}
/* Returns the next instruction of a Lua frame, as it was when last saved: stale in table
 * constructors. */
static inline uintptr_t frames_pc(const LmpCallInfo *ci) {
    return frames_word(ci, LMP_AT_CI_SAVEDPC);
}
/* Returns the function value's slot of a frame; not while the thread's stack is being moved. */
static inline const void *frames_func(const LmpCallInfo *ci) {
    return (const void *)frames_word(ci, LMP_AT_CI_FUNC); /* NOLINT */
}
static inline unsigned frames_tag(const void *slot) {
    return *((const uint8_t *)slot + LMP_AT_SLOT_TAG);
}
/* Returns the identity of a C frame's function: its address; 0 when the slot holds no C function.
 * */
static inline uintptr_t frames_c_function(const void *slot) {
    unsigned tag = frames_tag(slot);
    uintptr_t value = frames_word(slot, 0);
    if (tag == LMP_TAG_LIGHT_C) return value;
    return tag == LMP_TAG_C_CLOSURE ? frames_word((const void *)value, LMP_AT_CLOSURE_CODE) : 0;
}
/* Returns the prototype of a Lua frame's function; NULL when the slot holds no Lua function. */
static inline const void *frames_proto(const void *slot) {
    if (frames_tag(slot) != LMP_TAG_LUA_CLOSURE) return NULL;
    return (const void *)frames_word((const void *)frames_word(slot, 0), LMP_AT_CLOSURE_CODE);
}

/* Returns the instructions of a prototype: where they are, and how many. */
static inline uintptr_t frames_code(const void *proto) {
    return frames_word(proto, LMP_AT_PROTO_CODE);
}
static inline uint32_t frames_code_size(const void *proto) {
    uint32_t size;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    return size;
}
/* Returns true if pc is in the code, or behind all of it. */
static inline bool frames_in_code(const void *proto, uintptr_t pc) {
    uintptr_t at = pc - frames_code(proto);
    return at <= frames_code_size(proto) * (uintptr_t)LMP_INSTRUCTION && at % LMP_INSTRUCTION == 0;
}
/* Returns true if pc is in the code and an instruction stands before it, as before every pc that a
 * frame has saved. */
static inline bool frames_after_instruction(const void *proto, uintptr_t pc) {
    return pc != frames_code(proto) && frames_in_code(proto, pc);
}

/* Returns the innermost frame of a Lua function, from `ci` on; NULL: none. */
static inline LmpCallInfo *frames_lua(LmpCallInfo *ci) {
    while (ci && frames_status(ci) & LMP_CI_C)
        ci = frames_caller(ci);
    return ci;
}

/* Returns the coroutine that the C function on top of L has resumed, if it is a resumer: resume and
 * close have it as first argument, the function made by wrap as first upvalue. NULL: neither is a
 * thread. Not while L's stack is being moved. */
static inline const lua_State *frames_resumed(const lua_State *L) {
    const LmpCallInfo *ci = frames_top(L);
    if (!(frames_status(ci) & LMP_CI_C) || !frames_caller(ci)) return NULL;
    const char *func = frames_func(ci), *first = func + LMP_SLOT;
    if ((uintptr_t)first < frames_word(L, LMP_AT_L_TOP) && frames_tag(first) == LMP_TAG_THREAD)
        return (const lua_State *)frames_word(first, 0); /* NOLINT */
    if (frames_tag(func) != LMP_TAG_C_CLOSURE) return NULL;
    const char *closure = (const char *)frames_word(func, 0); /* NOLINT */
    const char *upvalue = closure + LMP_AT_CLOSURE_UPVALUE;
    if (!closure[LMP_AT_CLOSURE_UPVALUES] || frames_tag(upvalue) != LMP_TAG_THREAD) return NULL;
    return (const lua_State *)frames_word(upvalue, 0); /* NOLINT */
}

/* Returns the C stack address of a thread's innermost protected call; 0: the thread is not active.
 * Of two active threads, the one with the lower address was resumed by the other. */
static inline uintptr_t frames_jump(const lua_State *L) {
    return frames_word(L, frames_bits.at_jump);
}
static inline bool frames_jumps_known(void) {
    return frames_bits.at_jump != 0;
}

/* Returns the block of a thread's stack. From 5.4.5 on, while it is being moved, the thread's
 * frames do not lead to their functions and must not be asked. */
static inline uintptr_t frames_stack(const lua_State *L) {
    return frames_word(L, frames_bits.at_stack);
}

/* Returns true if a thread has yielded, or died of an error. Up to 5.4.3 its to-be-closed variables
 * are closed without a change of its status. */
static inline bool frames_is_idle(const lua_State *L) {
    return __builtin_expect(*((const uint8_t *)L + LMP_AT_L_STATUS) != LUA_OK, 0) &&
           !(frames_jumps_known() && frames_jump(L));
}

/* Returns true if the layout is as above on this interpreter. Found once (thread-safe); may
 * allocate. */
bool frames_known(void);

/* Returns the same for the user's state, asked at start: L is running a C function. */
bool frames_fit(lua_State *L);

/* Returns true if a thread has any function. */
static inline bool frames_has_functions(const lua_State *L) {
    const LmpCallInfo *ci = frames_top(L);
    return ci && frames_caller(ci);
}

/* Returns true if L is active: running, or has resumed another thread. */
static inline bool frames_is_active(const lua_State *L) {
    return !frames_is_idle(L) && frames_has_functions(L);
}

#endif
