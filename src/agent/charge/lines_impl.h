/* lines_impl.h - what the files of lines.c share. */
#ifndef LMP_LINES_IMPL_H
#define LMP_LINES_IMPL_H

#include "agent/charge/lines.h"

/* Where a thread is. */
typedef struct LmpWhere {
    lua_State *L;      /* has ci */
    lua_State *runs;   /* has c: L, or what L has resumed, if that has no Lua function */
    LmpCallInfo *ci;   /* of the Lua function whose line it is */
    LmpCallInfo *c;    /* of the C function on top, NULL: the Lua function itself */
    uintptr_t pc, cfn; /* as in a slot */
} LmpWhere;

/* Notes that L is a thread until it dies, which will be noticed. */
static inline void lines_know(LmpLineCache *cache, const lua_State *L) {
    cache->known[lines_known_home(L)] = L;
}

/* Returns the record, from the cache or learned. In a table constructor *constructor is set; where
 * it asks for the table, or for parts that come next to it, that is known already. */
uint32_t lines_record_of(LmpProfile *p, const LmpWhere *w, unsigned cls, uintptr_t *constructor);

#endif
