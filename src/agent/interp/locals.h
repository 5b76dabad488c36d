/* locals.h - reading the local variables and upvalues of a frame while the program is paused inside
 * an allocator request. */
#ifndef LMP_LOCALS_H
#define LMP_LOCALS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/layout.h"

/* Writes locals, locals_state, locals_frame, locals_more and local[] of op, and the same of
 * upvalues, for op->frame[frame]; stack_inspect has filled op at this same moment. `safe`: stacks
 * may be looked at now. */
void locals_read(lua_State *main, LmpOp *op, uint32_t frame, bool safe);

/* Returns the innermost frame of a Lua function in op->frame; op->frames if there is none. */
uint32_t locals_first(const LmpOp *op);

/* ---- words for values ------------------------------------------------------------------------ */

/* Values as the display gets them: their type and what can be said of them in a few bytes.
 * Allocates nothing and converts nothing. */

/* Puts the bytes of `value`, as many as there is room for; `whole` is set to `size`. */
void locals_put_bytes(LmpLocal *local, const char *bytes, size_t size);
/* Put values as tostring() writes them. */
void locals_put_integer(LmpLocal *local, lua_Integer value);
void locals_put_float(LmpLocal *local, lua_Number value);
void locals_put_boolean(LmpLocal *local, bool value);
void locals_put_address(LmpLocal *local, const void *at);
/* Writes a number that is no value in the same way: "0.5", "2.0". */
void locals_write_number(char *out, size_t size, lua_Number value);

#endif
