/* saved_regs_plan.h - the locations that saved_regs.h finds, as the hot path looks them up: which
 * word holds the caller's thread, which a table constructor's program counter, and which callers
 * free for the collector.
 */
#ifndef LMP_SAVED_REGS_PLAN_H
#define LMP_SAVED_REGS_PLAN_H

#include "agent/interp/frames.h"

enum {
    LMP_ASKERS = 128,
    LMP_ASKER_BITS = 9,
    LMP_NEWTABLES = 15,
    LMP_FREE_CALLER_BITS = 10,
    LMP_FREE_BITS = 8
};

/* A call site in the interpreter that requests memory: a return address, and the index of the word
 * that holds its thread. */
typedef struct LmpAsker {
    uintptr_t ret;
    int32_t at_thread;
    bool again; /* asks only after a request that was refused */
} LmpAsker;

/* A call chain from OP_NEWTABLE to the allocator: the return addresses into the function that calls
 * that and into the loop, where the latter stands, and where the program counter does, which is
 * `ahead` bytes too large there. */
typedef struct LmpNewtable {
    uintptr_t ret, loop;
    int32_t at_loop, at_pc, ahead;
} LmpNewtable;

/* A call site that frees blocks: a return address, and on whose behalf. */
typedef enum LmpFreeWho { LMP_FREE_PROGRAM, LMP_FREE_COLLECTOR, LMP_FREE_BY_CALLER } LmpFreeWho;
typedef struct LmpFreeSite {
    uintptr_t ret;
    int32_t next; /* bytes above the stack pointer that our caller had: its own caller's address */
    uint32_t who; /* LmpFreeWho */
} LmpFreeSite;

typedef struct LmpSavedRegsPlan {
    uint32_t askers, free_callers;
    LmpFreeSite free_site[1 << LMP_FREE_BITS]; /* from saved_regs_free_home on; ret 0: none */
    LmpFreeSite by_caller; /* the last of those that free for both; ret 0: none does */
    /* Of these, the collector's callers. */
    uint64_t free_caller_factor; /* for saved_regs_free_caller_home: no two keys have the same */
    uintptr_t caller[1 << LMP_FREE_CALLER_BITS]; /* saved_regs_free_caller_key, by
                                                    saved_regs_free_caller_home; 0: none */
    LmpAsker asker[1 << LMP_ASKER_BITS];         /* from saved_regs_asker_home on; ret 0: none */
    LmpAsker objects, resizer; /* who asks for most objects; who resizes most blocks; ret 0: none */
    /* The ways to the table itself, and to its parts. ret 0: the end. */
    LmpNewtable object[LMP_NEWTABLES + 1], part[LMP_NEWTABLES + 1];
    /* How many of those that the study met have a proven place; what the rest asks for is charged
     * by the documented API, and counted. */
    uint32_t askers_met, newtables_met, newtables;
    uint32_t checked, differed; /* in the rehearsal */
} LmpSavedRegsPlan;

/* Reads the interpreter's stack and registers: hidden from AddressSanitizer. */
#define LMP_READS_REGS __attribute__((no_sanitize("address")))

static inline uint32_t saved_regs_asker_home(uintptr_t ret) {
    return (uint32_t)((ret * 0x9e3779b97f4a7c15ull) >> (64 - LMP_ASKER_BITS));
}

/* Returns who asks, by the return address; NULL: not known. */
static inline const LmpAsker *saved_regs_asker(const LmpSavedRegsPlan *plan, uintptr_t ret) {
    for (uint32_t i = saved_regs_asker_home(ret);; i = (i + 1) & ((1 << LMP_ASKER_BITS) - 1)) {
        const LmpAsker *asker = &plan->asker[i];
        if (asker->ret == ret || !asker->ret) return asker->ret ? asker : NULL;
    }
}

/* Returns the pc of the OP_NEWTABLE that asks for its table or, not `object`, for a part of it; 0:
 * not known. The caller knows that a Lua function runs, and not in a debug hook. */
LMP_READS_REGS static inline uintptr_t saved_regs_newtable(const LmpSavedRegsPlan *plan,
                                                           LmpSavedRegs regs, bool object) {
    uintptr_t ret = regs[LMP_REGS_RET];
    for (const LmpNewtable *n = object ? plan->object : plan->part; n->ret; n++)
        if (n->ret == ret && n->loop == cpu_address(regs[n->at_loop]))
            return regs[n->at_pc] - (uintptr_t)n->ahead;
    return 0;
}

static inline uint32_t saved_regs_free_home(uintptr_t ret) {
    return (uint32_t)((ret * 0x9e3779b97f4a7c15ull) >> (64 - LMP_FREE_BITS));
}

static inline uintptr_t saved_regs_free_caller_key(uintptr_t ret, uintptr_t next) {
    return next ^ ret << 1;
}

static inline uint32_t saved_regs_free_caller_home(const LmpSavedRegsPlan *plan, uintptr_t key) {
    return (uint32_t)((key * plan->free_caller_factor) >> (64 - LMP_FREE_CALLER_BITS));
}

/* Returns true if the collector frees through `site`, which frees for both. */
LMP_READS_REGS static inline bool
saved_regs_collector_calls(const LmpSavedRegsPlan *plan, const LmpFreeSite *site, LmpFrom from) {
    uintptr_t next;
    memcpy(&next, from.cfa + site->next, sizeof next);
    uintptr_t key = saved_regs_free_caller_key(site->ret, cpu_address(next));
    return plan->caller[saved_regs_free_caller_home(plan, key)] == key;
}

/* Returns true if the collector frees this part of an object, and in doubt. */
LMP_READS_REGS static inline bool saved_regs_collects(const LmpSavedRegsPlan *plan, LmpFrom from) {
    uintptr_t ret = cpu_ret(from);
    for (uint32_t i = saved_regs_free_home(ret);; i = (i + 1) & ((1 << LMP_FREE_BITS) - 1)) {
        const LmpFreeSite *site = &plan->free_site[i];
        if (!site->ret) return true;
        if (site->ret != ret) continue;
        if (site->who != LMP_FREE_BY_CALLER) return site->who == LMP_FREE_COLLECTOR;
        return saved_regs_collector_calls(plan, site, from);
    }
}

/* Returns true if the collector frees it in the usual way. */
LMP_READS_REGS static inline bool saved_regs_collects_usual(const LmpSavedRegsPlan *plan,
                                                            LmpFrom from) {
    const LmpFreeSite *site = &plan->by_caller;
    return cpu_ret(from) == site->ret && saved_regs_collector_calls(plan, site, from);
}

#endif
