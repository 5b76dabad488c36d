/* limit.h - a size of the heap above which the host's own function is called: at the next
 * instruction of the program after the tick that notices, where any call of the Lua API is safe. */
#ifndef LMP_HOOK_LIMIT_H
#define LMP_HOOK_LIMIT_H

#include "agent/state/profile.h"

/* May end the profile, and may raise an error of Lua. */
typedef void LmpLimitReached(lua_State *L, uint64_t live_bytes, void *ud);

typedef struct LmpLimit {
    uint64_t bytes; /* 0: none */
    LmpLimitReached *reached;
    void *ud;
    bool armed;      /* the heap was below since the last call, or there was none */
    uint64_t cycles; /* of the collector, finished at the last tick (count) */
    LmpErrand errand;
} LmpLimit;

/* Sets one in place of any other; 0 bytes: none. */
void limit_set(LmpProfile *p, uint64_t bytes, LmpLimitReached *reached, void *ud);
/* Looks at the heap: from the tick. */
void limit_tick(LmpProfile *p);
/* Calls the function if the tick has noticed, and the heap is still above; between two instructions
 * of L. The last thing that is done there. */
void limit_between(LmpProfile *p, lua_State *L);

#endif
