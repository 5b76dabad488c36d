/* names_walk.h - one pass of names.h: which functions are reached from package.loaded, from the
 * globals and from registered metatables, and how. */
#ifndef LMP_NAMES_WALK_H
#define LMP_NAMES_WALK_H

#include "agent/state/profile.h"

typedef struct LmpNamed {
    uint32_t row;        /* of functions; 0: a C function that has none yet */
    const void *address; /* of a C function, else NULL */
    const void *object;  /* the function value it was */
    uint32_t rank;       /* of the name: less is better */
    bool several;        /* other closures of the same Lua function were found elsewhere */
    const char *name;    /* good until the next call */
} LmpNamed;

/* Calls `each` for all that was found. Returns false if there is no memory for it, or no room on
 * L's stack. */
bool names_walk(LmpProfile *p, lua_State *L, void (*each)(LmpProfile *p, const LmpNamed *found));

#endif
