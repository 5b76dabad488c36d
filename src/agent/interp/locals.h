/* locals.h - reading the local variables and upvalues of a frame while the program is paused inside
 * an allocator request. */
#ifndef LMP_LOCALS_H
#define LMP_LOCALS_H

#include <lua.h>
#include <stdbool.h>

#include "shared/layout.h"

/* Writes locals, locals_state, locals_frame, locals_more and local[] of op, and the same of
 * upvalues, for op->frame[frame]; stack_inspect has filled op at this same moment. `safe`: stacks
 * may be looked at now. */
void locals_read(lua_State *main, LmpOp *op, uint32_t frame, bool safe);

/* The innermost frame of a Lua function in op->frame; op->frames if there is none. */
uint32_t locals_first(const LmpOp *op);

#endif
