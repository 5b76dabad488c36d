/* owners.h - to whom blocks without a type tag belong, found by looking for their addresses in the
 * objects that could hold them: it shares nothing with the profiler's method.
 *
 * Facts of Lua used here: the type tags of requests; CallInfo.previous at 16, next at 24; a
 * thread's top at 16; the metatable of a userdata at 24, its bytes at 32; the pointers to parts of
 * a table from 16 to 32, of a prototype from 56 to 112; and of Lua 5.5, that a table's lead behind
 * an array's values and a word of the nodes, where strings of 48 bytes have their bytes, and that
 * the main thread is the end of its block. Memory that was never written holds a pattern (arena.h),
 * so that a stale word there does not pass for a pointer. */
#ifndef LMP_DOCTOR_OWNERS_H
#define LMP_DOCTOR_OWNERS_H

#include <lua.h>

#include "agent/doctor/arena.h"

typedef struct Owners {
    Arena *arena;
    size_t thread_size; /* bytes of a thread; beside the main one is the global state */
    const void *box;    /* metatable of the boxes of luaL_Buffer, NULL: not known */
    uint32_t *object;   /* rows of blocks that may own others */
    uint32_t objects, objects_room;
    uint32_t *part; /* rows of parts whose owner is not known so far */
    uint32_t parts, parts_room;
    uint32_t wait; /* blocks to be made before the next look */
    bool failed;   /* no memory */
} Owners;

void owners_reset(Owners *o, Arena *arena);
void owners_free(Owners *o);
/* Call once the libraries are there: may allocate in L. */
void owners_learn(Owners *o, lua_State *L);

/* Notes a block that has been made: call owners_look first, so that the block before has its owner.
 * */
void owners_made(Owners *o, ArenaBlock *b);
/* Notes that a block is to be freed, or moved. */
void owners_gone(Owners *o, ArenaBlock *b);
/* Looks for owners, if it is time. `now`: in any case. */
void owners_look(Owners *o, bool now);

#endif
