/* memory_told.h - what only the program itself can say of its memory (LmpMemory in layout.h): what
 * Lua counts, and which mappings are lmp's own. */
#ifndef LMP_MEMORY_TOLD_H
#define LMP_MEMORY_TOLD_H

#include "agent/state/profile.h"

/* Call when the profile starts: all that Lua counts then is from before. */
void memory_told_begin(LmpProfile *p, lua_State *L);
/* Answers a viewer's request, before the operation in hand is done: what Lua counts is of the same
 * moment as what we count. */
void memory_told_answer(LmpProfile *p, uint32_t request);
/* Tells the mappings, if there are others than at the last tick. */
void memory_told_tick(LmpProfile *p);

#endif
