/* stack.c - finds the threads that run from the main thread on, each through the C function that
 * has resumed the next, and reads their frames from the innermost outwards, leaving out the middle
 * of a deep stack. */
#include "agent/interp/stack.h"

#include <stdio.h>
#include <string.h>

enum { OUTERMOST = 40, INNERMOST = LMP_FRAMES - OUTERMOST };

/* Returns the coroutine that the C function on top of `thread` has resumed, if it is a resumer:
 * resume and close have it as first argument, the function made by wrap as first upvalue. */
static lua_State *resumed_by(lua_State *thread, lua_Debug *ar) {
    if (!lua_getstack(thread, 0, ar)) return NULL;
    lua_getinfo(thread, "S", ar);
    if (*ar->what != 'C') return NULL;
    lua_State *child = lua_tothread(thread, 1);
    if (!child) child = lua_tothread(thread, lua_upvalueindex(1));
    if (!child || lua_status(child) != LUA_OK || !lua_getstack(child, 0, ar)) return NULL;
    return child;
}

int stack_chain(lua_State *main, lua_State *chain[LMP_CHAIN]) {
    lua_Debug ar;
    int n = 0;
    chain[n++] = main;
    while (n < LMP_CHAIN) {
        lua_State *child = resumed_by(chain[n - 1], &ar);
        for (int i = 0; child && i < n; i++)
            if (chain[i] == child) child = NULL;
        if (!child) break;
        chain[n++] = child;
    }
    return n;
}

/* How many frames a thread has: doubling, then halving, as luaL_traceback does. */
static uint32_t depth_of(lua_State *thread) {
    lua_Debug ar;
    int low = 0, high = 1;
    if (!lua_getstack(thread, 0, &ar)) return 0;
    while (high < 1 << 28 && lua_getstack(thread, high, &ar)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (lua_getstack(thread, middle, &ar)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)high;
}

static bool has_call_name(const lua_Debug *ar, char *out, size_t size) {
    const char *what = ar->namewhat;
    if (!*what || !ar->name) return false;
    if (!strcmp(what, "global") || !strcmp(what, "field")) what = "function";
    snprintf(out, size, "%s '%s'", what, ar->name);
    return true;
}

bool stack_function_name(const lua_Debug *ar, char *out, size_t size) {
    if (*ar->what == 'm') {
        snprintf(out, size, "main chunk");
    } else if (!strcmp(ar->namewhat, "for iterator")) { /* its name is the same once more */
        snprintf(out, size, "for iterator");
    } else if (has_call_name(ar, out, size)) {
        return true;
    } else if (*ar->what == 'C') {
        snprintf(out, size, "?");
        return false;
    } else {
        snprintf(out, size, "function <%s:%d>", ar->short_src, ar->linedefined);
        return false;
    }
    return true;
}

static void describe(lua_State *thread, int level, LmpFrame *f) {
    lua_Debug ar;
    memset(f, 0, sizeof *f);
    if (!lua_getstack(thread, level, &ar) || !lua_getinfo(thread, "Slnt", &ar)) return;
    stack_function_name(&ar, f->name, sizeof f->name);
    snprintf(f->source, sizeof f->source, "%s", ar.short_src);
    f->line = ar.currentline;
    f->linedefined = ar.linedefined;
    f->tail = ar.istailcall ? 1 : 0;
    f->is_c = *ar.what == 'C';
}

void stack_inspect(lua_State *main, LmpOp *op) {
    lua_State *chain[LMP_CHAIN];
    uint32_t depth[LMP_CHAIN], total = 0;
    int threads = stack_chain(main, chain);
    for (int i = 0; i < threads; i++)
        total += depth[i] = depth_of(chain[i]);
    op->coroutines = (uint32_t)threads;
    op->depth = total;
    op->frames = total < LMP_FRAMES ? total : LMP_FRAMES;
    op->cut_at = total <= LMP_FRAMES ? op->frames : INNERMOST;
    uint32_t number = 0, kept = 0; /* frames from the innermost outwards */
    for (int i = threads - 1; i >= 0; i--) {
        for (uint32_t level = 0; level < depth[i]; level++, number++) { /* NOLINT: i < LMP_CHAIN */
            if (total > LMP_FRAMES && number >= INNERMOST && number < total - OUTERMOST) {
                uint32_t skip = total - OUTERMOST - number, left = depth[i] - level;
                if (skip > left) skip = left;
                level += skip - 1;
                number += skip - 1;
                continue;
            }
            describe(chain[i], (int)level, &op->frame[kept++]);
        }
    }
}

bool stack_find(lua_State *main, const LmpOp *op, uint32_t frame, lua_State **thread, int *level) {
    lua_State *chain[LMP_CHAIN];
    if (frame >= op->frames) return false;
    uint32_t number = frame < op->cut_at ? frame : op->depth - (op->frames - frame);
    for (int i = stack_chain(main, chain) - 1; i >= 0; i--) {
        uint32_t depth = depth_of(chain[i]);
        if (number < depth) {
            *thread = chain[i];
            *level = (int)number;
            return true;
        }
        number -= depth;
    }
    return false;
}
