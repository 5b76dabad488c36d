/* module.h - what the files of the Lua module share.
 */
#ifndef LMP_MODULE_H
#define LMP_MODULE_H

#include <lua.h>

/* Makes our own values for the program: `make` pushes `results` of them, and none of the blocks
 * that it asks for is counted. Protected, so that the end of the own call is not missed: returns a
 * status as lua_pcall does, with the error on the stack. */
int module_own_call(lua_State *L, void (*make)(lua_State *L, void *from), void *from, int results);

/* snapshot([file [, {gc = boolean, wait = boolean}]]) */
int module_snapshot(lua_State *L);

#endif
