/* owner.h - to whom blocks without a type tag belong: which part of Lua requested one, decided by
 * the call site.
 *
 * A raw request carries no type. But a table's parts are all requested from one call site in the
 * interpreter, a thread's stack from another, and so on. owner.c finds these call sites once per
 * process by making a private Lua state do known things; the hook then compares return addresses:
 * its own caller's (luaM_malloc_, luaM_realloc_ ...) and, where that one serves many, the caller's
 * caller's, and so on, each at a constant distance from our frame. */
#ifndef LMP_OWNER_H
#define LMP_OWNER_H

#include "agent/interp/callclasses.h"
#include "agent/interp/saved_regs_plan.h"
#include "agent/state/profile.h"

/* The state of the rules. */
typedef struct LmpOwnerRules {
    uint8_t last; /* class of the last request */
    bool parsing;
} LmpOwnerRules;

/* Returns the call sites of this process's Lua, found once (thread-safe) in a private state; NULL
 * when they could not be told apart on this interpreter (no unwind tables, say). Lives as long as
 * the process. May allocate and call the system: only at start. */
const LmpCallClasses *owner_classes(void);

/* Adds to them where the requesting thread is kept (LmpReturnAddr.at_thread), once per process. */
void owner_note_threads(const LmpSavedRegsPlan *plan);

/* Returns the class of a request where the call sites are not known: `cls` is the class by type tag
 * or 0. Decided by the request just before; in doubt LMP_C_OTHER. */
unsigned owner_by_rules(LmpProfile *p, unsigned cls, size_t size);

#endif
