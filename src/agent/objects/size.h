/* size.h - what objects take, by their layout: for who asks for sizes alone and needs no walk. */
#ifndef LMP_AGENT_OBJECTS_SIZE_H
#define LMP_AGENT_OBJECTS_SIZE_H

#include <lua.h>
#include <stdbool.h>
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

/* Calls `each` for every block of the state's objects and their parts, dead ones too, and of the
 * interpreter's own: the main thread, the table of strings. What a host or the parser has asked for
 * is in no list, nor are vectors on their way to an object. Between two memory operations, or
 * before one is carried out; `each` does not ask for memory of the state, and says false if it
 * wants no more. Only after offsets_known() has said LMP_OK. */
typedef bool ObjectSizeBlock(void *of, uintptr_t at, uint64_t size, unsigned cls);
void object_size_blocks(lua_State *main, ObjectSizeBlock *each, void *of);

/* Returns where the block of the value at `index` begins; 0: no object of the heap. */
uintptr_t object_size_block(lua_State *L, int index);

#endif
