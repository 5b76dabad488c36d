/* parsing.h - whether Lua is compiling a chunk right now. Asked only where no Lua function runs, to
 * tell the parser's work from the host's. */
#ifndef LMP_PARSING_H
#define LMP_PARSING_H

#include <lua.h>
#include <stdbool.h>

/* Finds out how to tell (once, thread-safe; may allocate): only at start. */
void parsing_prepare(void);

/* Returns true if the parser runs, for a request of class cls that is under way in this thread, on
 * behalf of L; `certain`: or of no thread at all, and not perhaps of another one. Takes some
 * instructions for each protected call. Where the calls were not learned, or do not match, the
 * stack is unwound, which takes microseconds; without unwind tables the class alone decides. */
bool parsing_now(unsigned cls, const lua_State *L, bool certain);

/* Return what parsing_now says after it has unwound the stack, and true if there is a way without.
 * */
bool parsing_unwound(void);
bool parsing_is_known(void);

#endif
