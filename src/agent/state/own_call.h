/* own_call.h - a call of the Lua API that lmp itself makes in the program: its blocks are not
 * charged.
 */
#ifndef LMP_OWN_CALL_H
#define LMP_OWN_CALL_H

#include <lua.h>

typedef struct LmpOwn {
    const void *frame; /* CallInfo of its C function; NULL: none is under way */
    lua_State *thread;
} LmpOwn;

#endif
