/* free_callers.h - who frees parts of objects: the collector, or the program (a table that grows)?
 *
 * Decided by return addresses, as owners are (owner.h): while the private state of
 * saved_regs.c runs programs and collections, the return addresses of all callers that free are
 * noted. Those seen in a collection are the collector's, also where the program frees from there
 * now and then: CallInfos that a thread no longer needs go by the same way after each error. */
#ifndef LMP_FREE_CALLERS_H
#define LMP_FREE_CALLERS_H

#include "agent/interp/saved_regs_plan.h"

enum { LMP_MOST_FREE_CALLERS = 512 };

typedef struct LmpFreeCallers {
    bool collecting; /* it is the collector that frees */
    uint32_t n;
    struct LmpFreeCaller {
        uintptr_t ret, next;
        int32_t at; /* of next, bytes from the stack pointer of the caller */
        bool collector, program;
    } caller[LMP_MOST_FREE_CALLERS];
} LmpFreeCallers;

/* Returns true if a caller's caller may stand so many bytes from where the allocator's own does. */
static inline bool free_caller_near(int64_t at) {
    return at >= 0 && at <= 4096;
}

/* Notes who frees; `cfa` and `ret` are those of the allocator's caller. */
void free_callers_note(LmpFreeCallers *free_callers, uintptr_t cfa, uintptr_t ret);

/* Makes garbage of every kind with parts, and has it collected in every mode. False: the code for
 * it did not compile. L keeps what it had; may raise errors. */
bool free_callers_play(LmpFreeCallers *free_callers, lua_State *L);

/* Enters the callers that are the collector's into the plan. */
void free_callers_enter(const LmpFreeCallers *free_callers, LmpSavedRegsPlan *plan);

#endif
