/* locals.c - lua_getlocal pushes, and during an allocator request that is not safe as it is: a Lua
 * function's registers may lie above L->top then, and the interpreter may hold a value in the slot
 * at L->top itself that it has not yet counted. So the top is first set above the registers, as the
 * interpreter does before it calls a debug hook, and both the top and the slot's content are put
 * back: the thread is left as it was, byte for byte. There is always a slot: stacks have five more
 * than their size. The value is only looked at with calls that neither allocate nor convert.
 *
 * To read upvalues, the function has to be pushed first: two slots. There are as many while the top
 * is not above what the running frame has been promised; where the interpreter has put a call to a
 * metamethod together beyond that, only one may be left, and upvalues are not read.
 *
 * A slot never holds a freed value: the collector marks all of a stack below its top, and clears
 * what is above, before it frees anything. */
#include "agent/interp/locals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/frames.h"
#include "agent/interp/stack.h"

/* A thread's stack with room for one value to be pushed, or two. */
typedef struct Lent {
    lua_State *thread;
    LmpCallInfo *ci;
    uintptr_t top, ci_top;
    int slots; /* 1 or 2 */
    unsigned char slot[2 * LMP_SLOT];
    void *at; /* the first of them */
} Lent;

static void set_word(void *base, size_t at, uintptr_t w) {
    memcpy((char *)base + at, &w, sizeof w);
}

/* Returns true if the fields of the running frame agree with the documented API. */
static bool fits(lua_State *thread) {
    lua_Debug ar;
    if (!frames_known() || !lua_getstack(thread, 0, &ar)) return false;
    LmpCallInfo *ci = frames_top(thread);
    if ((const void *)ar.i_ci != (const void *)ci) return false;
    uintptr_t func = (uintptr_t)frames_func(ci), top = frames_word(thread, LMP_AT_L_TOP);
    uintptr_t ci_top = frames_word(ci, LMP_AT_CI_TOP);
    return top > func && top - func == LMP_SLOT * ((uintptr_t)lua_gettop(thread) + 1) &&
           ci_top > func && ci_top - func < (1u << 24) * (uintptr_t)LMP_SLOT &&
           (ci_top - func) % LMP_SLOT == 0;
}

static void lend(Lent *l, lua_State *thread) {
    l->thread = thread;
    l->ci = frames_top(thread);
    l->top = frames_word(thread, LMP_AT_L_TOP);
    l->ci_top = frames_word(l->ci, LMP_AT_CI_TOP);
    uintptr_t top = l->top;
    bool is_lua = !(frames_status(l->ci) & LMP_CI_C);
    if (is_lua && top < l->ci_top) top = l->ci_top;
    l->at = (void *)top; /* NOLINT */
    l->slots = l->top <= l->ci_top ? 2 : 1;
    size_t room = (size_t)l->slots * LMP_SLOT;
    memcpy(l->slot, l->at, room);
    set_word(thread, LMP_AT_L_TOP, top);
    /* interpreters that check their API's use want to see the push below this */
    if (l->ci_top < top + room) set_word(l->ci, LMP_AT_CI_TOP, top + room);
}

static void give_back(const Lent *l) {
    memcpy(l->at, l->slot, (size_t)l->slots * LMP_SLOT);
    set_word(l->ci, LMP_AT_CI_TOP, l->ci_top);
    set_word(l->thread, LMP_AT_L_TOP, l->top);
}

/* The value on top of the stack, in `slot`; its content is only read where it stays as it is. */
static void describe(lua_State *thread, uintptr_t slot, const char *name, LmpLocal *local) {
    int type = lua_type(thread, -1);
    memset(local, 0, sizeof *local);
    snprintf(local->name, sizeof local->name, "%s", name);
    snprintf(local->type, sizeof local->type, "%s", lua_typename(thread, type));
    if (frames_tag((const void *)slot) & LMP_TAG_COLLECTABLE) /* NOLINT */
        local->object = frames_word((const void *)slot, 0);   /* NOLINT */
    switch (type) {
    case LUA_TNIL:
        break;
    case LUA_TBOOLEAN:
        locals_put_boolean(local, lua_toboolean(thread, -1));
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(thread, -1))
            locals_put_integer(local, lua_tointeger(thread, -1));
        else
            locals_put_float(local, lua_tonumber(thread, -1));
        break;
    case LUA_TSTRING: {
        size_t size = 0;
        const char *bytes = lua_tolstring(thread, -1, &size);
        locals_put_bytes(local, bytes, size);
        break;
    }
    default:
        locals_put_address(local, lua_topointer(thread, -1));
    }
}

static void read_locals(Lent *lent, lua_Debug *ar, LmpOp *op) {
    const char *name;
    op->locals_state = LMP_LOCALS_READ;
    for (int i = 1; (name = lua_getlocal(lent->thread, ar, i)); i++) {
        bool temporary = strcmp(name, "(temporary)") == 0; /* so are all after it */
        if (*name != '(') {                                /* else a loop's own */
            if (op->locals < LMP_LOCALS) {
                describe(lent->thread, (uintptr_t)lent->at, name, &op->local[op->locals++]);
            } else {
                op->locals_more++;
            }
        }
        set_word(lent->thread, LMP_AT_L_TOP, (uintptr_t)lent->at); /* popped */
        if (temporary) break;
    }
}

/* Leaves out _ENV, which nearly every function has and which says nothing, and upvalues whose names
 * were stripped. */
static void read_upvalues(Lent *lent, lua_Debug *ar, LmpOp *op) {
    const char *name;
    op->upvalues_state = LMP_LOCALS_NOT_NOW;
    if (lent->slots < 2 || !lua_getinfo(lent->thread, "f", ar)) return;
    op->upvalues_state = LMP_LOCALS_READ;
    for (int i = 1; (name = lua_getupvalue(lent->thread, -1, i)); i++) {
        if (*name != '(' && strcmp(name, "_ENV") != 0) {
            if (op->upvalues < LMP_UPVALUES) {
                describe(lent->thread, (uintptr_t)lent->at + LMP_SLOT, name,
                         &op->upvalue[op->upvalues++]);
            } else {
                op->upvalues_more++;
            }
        }
        set_word(lent->thread, LMP_AT_L_TOP, (uintptr_t)lent->at + LMP_SLOT);
    }
    set_word(lent->thread, LMP_AT_L_TOP, (uintptr_t)lent->at);
}

static void read_frame(lua_State *thread, int level, LmpOp *op) {
    lua_Debug ar;
    Lent lent;
    if (!fits(thread) || !lua_getstack(thread, level, &ar)) return;
    lend(&lent, thread);
    read_locals(&lent, &ar, op);
    read_upvalues(&lent, &ar, op);
    give_back(&lent);
}

uint32_t locals_first(const LmpOp *op) {
    uint32_t i = 0;
    while (i < op->frames && op->frame[i].is_c)
        i++;
    return i;
}

void locals_read(lua_State *main, LmpOp *op, uint32_t frame, bool safe) {
    lua_State *thread;
    int level;
    op->locals = op->locals_more = op->upvalues = op->upvalues_more = 0;
    op->locals_state = op->upvalues_state = safe ? LMP_LOCALS_NONE : LMP_LOCALS_NOT_NOW;
    op->locals_frame = frame;
    if (!safe || frame >= op->frames || op->frame[frame].is_c) return;
    op->locals_state = op->upvalues_state = LMP_LOCALS_UNKNOWN;
    if (stack_find(main, op, frame, &thread, &level)) read_frame(thread, level, op);
}

/* ---- words for values ------------------------------------------------------------------------ */

void locals_put_bytes(LmpLocal *local, const char *bytes, size_t size) {
    local->whole = size;
    local->size = (uint32_t)(size < LMP_LOCAL_BYTES ? size : LMP_LOCAL_BYTES);
    memcpy(local->value, bytes, local->size);
}

static void set_text(LmpLocal *local, const char *text) {
    locals_put_bytes(local, text, strnlen(text, LMP_LOCAL_BYTES));
}

void locals_write_number(char *out, size_t size, lua_Number value) {
    snprintf(out, size, LUA_NUMBER_FMT, value);
#ifdef LUA_NUMBER_FMT_N /* from 5.5 on, where that reads back as another number */
    if (lua_str2number(out, NULL) != value) snprintf(out, size, LUA_NUMBER_FMT_N, value);
#endif
    size_t n = strlen(out);
    if (out[strspn(out, "-0123456789")] == 0 && n + 3 < size) memcpy(out + n, ".0", 3);
}

void locals_put_integer(LmpLocal *local, lua_Integer value) {
    char text[LMP_LOCAL_BYTES];
    snprintf(text, sizeof text, LUA_INTEGER_FMT, value);
    set_text(local, text);
}

void locals_put_float(LmpLocal *local, lua_Number value) {
    char text[LMP_LOCAL_BYTES];
    locals_write_number(text, sizeof text, value);
    set_text(local, text);
}

void locals_put_boolean(LmpLocal *local, bool value) {
    set_text(local, value ? "true" : "false");
}

void locals_put_address(LmpLocal *local, const void *at) {
    char text[LMP_LOCAL_BYTES];
    snprintf(text, sizeof text, "%p", at);
    set_text(local, text);
}
