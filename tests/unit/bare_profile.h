/* bare_profile.h - a profile with nothing but its shared state, for suites that call one module by
 * hand and set up what that needs themselves. */
#ifndef LMP_BARE_PROFILE_H
#define LMP_BARE_PROFILE_H

#include <unistd.h>

#include "agent/session/session.h"
#include "agent/state/state.h"
#include "base/os.h"
#include "suite.h"

static LmpProfile *bare_profile(void) {
    LmpIdentity identity = {"test", "Lua 5.4", (uint32_t)getpid(), 1, 100000, 10, 0, 0};
    LmpSession *session = lmp_os->map(sizeof *session, -1, 0, true);
    ck_assert_ptr_nonnull(session);
    session_join(session);
    session->profile.file = OWN_FD_NONE;
    ck_assert_int_eq(state_create(&session->profile, &identity), LMP_OK);
    return &session->profile;
}

/* What the suite has put in is out of it again, or state_release() knows it. */
static void bare_profile_end(LmpProfile *p) {
    state_release(p);
    lmp_os->unmap(session_of(p), sizeof(LmpSession));
}

#endif
