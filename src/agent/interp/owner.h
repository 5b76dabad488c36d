/* owner.h - to whom blocks without a tag belong. */
#ifndef LMP_OWNER_H
#define LMP_OWNER_H

#include "agent/interp/return_addr.h"
#include "agent/interp/saved_regs_plan.h"

/* What the rules go by. */
typedef struct LmpOwnerRules {
    uint8_t last; /* class of the last request */
    bool parsing;
} LmpOwnerRules;

/* The call sites of this process's Lua, found once (thread-safe) in a private state; NULL when they
 * could not be told apart on this interpreter (no unwind tables, say). Lives as long as the
 * process. May allocate and call the system: only at start. */
const LmpReturnAddrs *owner_return_addrs(void);

/* Adds to them where the asking thread stands (LmpReturnAddr.at_thread), once per process. */
void owner_note_threads(const LmpSavedRegsPlan *plan);

/* The class of a request where the call sites are not known: `cls` is the class by tag or 0. Told
 * by what was asked for just before; what stays doubtful is LMP_C_OTHER. */
unsigned owner_by_rules(LmpProfile *p, unsigned cls, size_t size);

#endif
