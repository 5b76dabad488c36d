/* profiled_state.h - one state that is profiled until the test is over. */
#ifndef LMP_PROFILED_STATE_H
#define LMP_PROFILED_STATE_H

#include "profiled.h"

static lua_State *L;
static LmpProfile *p;

static inline void end(void) {
    profiler_stop(L, NULL);
    lua_close(L);
}

static inline void begin(bool stacks) {
    suite_closes(end);
    LmpOptions options = profiler_defaults;
    options.stacks = stacks;
    L = new_state();
    p = profiled_start(L, options);
}

#endif
