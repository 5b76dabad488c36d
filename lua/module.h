/* module.h - what the files of the Lua module share. */
#ifndef LMP_MODULE_H
#define LMP_MODULE_H

#include <lua.h>

#include "base/err.h"

/* Makes our own values for the program: `make` pushes `results` of them, and none of the blocks
 * that it asks for is counted. Protected, so that the end of the own call is not missed: returns a
 * status as lua_pcall does, with the error on the stack. */
int module_own_call(lua_State *L, void (*make)(lua_State *L, void *from), void *from, int results);

/* What the environment has refused: gives the script nil, a message (`why`, or NULL: the error's
 * own) and the error's name. That no profile was started is misuse, and raises an error. */
int module_refuse(lua_State *L, LmpErr err, const char *why);

/* snapshot([file [, {gc = boolean, wait = boolean}]]) */
int module_snapshot(lua_State *L);

#endif
