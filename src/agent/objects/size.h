/* size.h - what objects take, by their layout: for who asks for sizes alone and needs no walk. */
#ifndef LMP_AGENT_OBJECTS_SIZE_H
#define LMP_AGENT_OBJECTS_SIZE_H

#include <lua.h>
#include <stdint.h>

/* Returns bytes of the value at `index` with its own parts: a table's array and hash part, a
 * coroutine's stack and frames; not what it refers to. 0: no object of the heap. Allocates nothing.
 * Only after offsets_known() has said LMP_OK. */
uint64_t object_size(lua_State *L, int index);

/* What a program holds: all its objects, from before a profile or not. Of tables the slots in use
 * count, not those that they have in store; of coroutines that wait the slots and frames in use; of
 * those that run none, nor the interpreter's own. So what grows here has been put there. */
typedef struct LmpObjectHeld {
    uint64_t bytes, blocks;
} LmpObjectHeld;

/* Sums up the state's lists of objects, dead ones too: after a full collection there are none.
 * Allocates nothing. Only after offsets_known() has said LMP_OK. */
LmpObjectHeld object_size_held(lua_State *L);

/* Returns where the block of the value at `index` begins; 0: no object of the heap. */
uintptr_t object_size_block(lua_State *L, int index);

#endif
