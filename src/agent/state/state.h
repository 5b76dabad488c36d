/* state.h - making and releasing the shared state of one profile (the writer's side; readers use
 * view.h). */
#ifndef LMP_STATE_H
#define LMP_STATE_H

#include "agent/state/profile.h"
#include "base/err.h"

typedef struct LmpIdentity {
    const char *program; /* name to show; cut to fit */
    const char *lua;     /* "Lua 5.4.4" */
    uint32_t pid, serial;
    uint32_t interval_us; /* between repaints, microseconds */
    uint32_t top;         /* rows of the summary's tables */
    uint32_t forked_from; /* as in LmpHeader */
    uint64_t before;
} LmpIdentity;

/* Makes the memory file, its directory and the pointers in p. Errors: MEMFD, NOMEM; p is then as it
 * was. */
LmpErr state_create(LmpProfile *p, const LmpIdentity *identity);

/* Unmaps and closes all that state_create and the hook have mapped. */
void state_release(LmpProfile *p);

/* Returns true if the viewer that the control block names is still alive (LMP_VIEWER_LOCKED in
 * layout.h). */
bool state_viewer_lives(LmpProfile *p, uint32_t viewer);

#endif
