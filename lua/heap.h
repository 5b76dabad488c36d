/* heap.h - the functions of the module that look at the heap: size, total_size, retained,
 * references, paths. */
#ifndef LMP_LUA_HEAP_H
#define LMP_LUA_HEAP_H

#include <lua.h>

/* Adds them to the table at the top of the stack. */
void heap_register(lua_State *L);

#endif
