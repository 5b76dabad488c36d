/* size.h - what one object takes, by its layout: for who asks for a single size and needs no walk.
 */
#ifndef LMP_HEAP_SIZE_H
#define LMP_HEAP_SIZE_H

#include <lua.h>
#include <stdint.h>

/* Bytes of the value at `index` with its own parts: a table's array and hash part, a coroutine's
 * stack and frames; not what it refers to. 0: no object of the heap. Allocates nothing. Only after
 * heaplayout_known() has said LMP_OK. */
uint64_t heapsize_of(lua_State *L, int index);

/* Where the block of the value at `index` begins; 0: no object of the heap. */
uintptr_t heapsize_block(lua_State *L, int index);

#endif
