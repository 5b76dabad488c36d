/* interval.h - a stretch of the run that is measured by itself: its own high-water mark. Any number
 * may run at once, within each other or overlapping, as coroutines have it; the run's own mark
 * comes out as if there were none. The hot path knows nothing of them.
 *
 * For threads as profiler.h. */
#ifndef LMP_INTERVAL_H
#define LMP_INTERVAL_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

typedef struct LmpInterval {
    struct LmpInterval *next;
    uint32_t serial; /* of the profile */
    uint64_t most;   /* bytes live at one time, so far */
    uint64_t start;  /* bytes live at its beginning */
} LmpInterval;

/* Begins; *interval stays where it is until its end. If nothing is profiled, a profile is started,
 * without display and summary, that ends with the last interval. Errors: as profiler_start's. */
LmpErr interval_begin(lua_State *L, LmpInterval *interval);
/* Starts, if nothing is profiled, such a profile that does not end with an interval, but with the
 * state, or when the script starts one of its own. */
LmpErr interval_keep(lua_State *L);
/* Begins the interval anew. Returns false if the profile has ended since. */
bool interval_again(lua_State *L, LmpInterval *interval);
/* Brings `most` up to date. Returns false if the profile has ended since. */
bool interval_look(lua_State *L, LmpInterval *interval);
/* Ends it, and the profile that was begun for intervals if this was the last one. One that is over,
 * or never began (all zeroes): nothing happens. */
void interval_end(lua_State *L, LmpInterval *interval);

#endif
