/* saved_regs.h - what the interpreter has in hand while it asks for memory: which thread it works
 * for, and, when a table constructor makes its table, which instruction it executes.
 *
 * Lua gives its allocator neither. But the function that calls the allocator still needs its thread
 * if that says no, so a compiler keeps it in a register of that function's or on its stack, at
 * every call at the same place; and the interpreter's loop keeps its program counter so.
 * saved_regs_plan() finds these places in a private state, made by the same code (regs_study.h).
 *
 * The program counter is needed because OP_NEWTABLE allocates without saving it, in all of Lua 5.4:
 * what the debug API says there is an earlier line. That a word is the program counter is proven,
 * not inferred: when another address is put there, the loop goes on at that one. (OP_SETLIST does
 * not save it either; but it asks for memory only where it follows an instruction that does.)
 *
 * That a word is the thread cannot be proven so. It is one that was right each time, of those that
 * are the asking function's own; and whoever uses it looks whether it can be true (lines.h). */
#ifndef LMP_SAVED_REGS_H
#define LMP_SAVED_REGS_H

#include "agent/interp/frames.h"
#include "base/kind.h"

enum {
    LMP_ASKERS = 128,
    LMP_ASKER_BITS = 9,
    LMP_NEWTABLES = 15,
    LMP_FREER_BITS = 10,
    LMP_FREE_BITS = 8
};

/* A place in the interpreter that asks for memory: a return address, and the index among the words
 * at which its thread stands. */
typedef struct LmpAsker {
    uintptr_t ret;
    int32_t at_thread;
    bool again; /* asks only after a request that was refused */
} LmpAsker;

/* A way from OP_NEWTABLE to the allocator: the return addresses into the function that calls that
 * and into the loop, where the latter stands, and where the program counter does, which is `ahead`
 * bytes too large there. */
typedef struct LmpNewtable {
    uintptr_t ret, loop;
    int32_t at_loop, at_pc, ahead;
} LmpNewtable;

/* A place that frees blocks: a return address, and whose doing it is. */
typedef enum LmpFreeWho { LMP_FREE_PROGRAM, LMP_FREE_COLLECTOR, LMP_FREE_BY_CALLER } LmpFreeWho;
typedef struct LmpFreePlace {
    uintptr_t ret;
    int32_t next; /* bytes above the stack pointer that our caller had: its own caller's address */
    uint32_t who; /* LmpFreeWho */
} LmpFreePlace;

typedef struct LmpSavedRegsPlan {
    uint32_t askers, free_callers;
    LmpFreePlace free_place[1 << LMP_FREE_BITS]; /* from saved_regs_free_home on; ret 0: none */
    /* Of places that free for both, the collector's callers. */
    uint64_t freer_factor; /* for saved_regs_freer_home: no two keys have the same */
    uintptr_t
        freer[1 << LMP_FREER_BITS]; /* saved_regs_freer_key, by saved_regs_freer_home; 0: none */
    LmpAsker asker[1 << LMP_ASKER_BITS]; /* from saved_regs_asker_home on; ret 0: none */
    LmpAsker objects, resizer; /* who asks for most objects; who resizes most blocks; ret 0: none */
    /* The ways to the table itself, and to its parts. ret 0: the end. */
    LmpNewtable object[LMP_NEWTABLES + 1], part[LMP_NEWTABLES + 1];
    /* How many of those that the study met have a proven place; what the rest asks for is charged
     * by the documented API, and counted. */
    uint32_t askers_met, newtables_met, newtables;
    uint32_t checked, differed; /* in the rehearsal */
} LmpSavedRegsPlan;

/* Found once per process (thread-safe); NULL when it could not be. Lives as long as the process.
 * May allocate: only at start. */
const LmpSavedRegsPlan *saved_regs_plan(void);

/* For tests: a number in this variable chooses, of the places that were left, others than the first
 * ones, and all of them must do. "off": nothing is studied, as on other processors. "none": nor are
 * frames, and no way in sees words. "wild" and a number: any words are taken, which must do no harm
 * but to lines. */
#define LMP_REGS_SEED "LMP_REGS_SEED"
bool saved_regs_none(void); /* is it "none"? */

/* The words are the interpreter's stack and registers: AddressSanitizer must not mind. */
#define LMP_READS_REGS __attribute__((no_sanitize("address")))

static inline uint32_t saved_regs_asker_home(uintptr_t ret) {
    return (uint32_t)((ret * 0x9e3779b97f4a7c15ull) >> (64 - LMP_ASKER_BITS));
}

/* Who asks, by the return address; NULL: not known. */
static inline const LmpAsker *saved_regs_asker(const LmpSavedRegsPlan *plan, uintptr_t ret) {
    for (uint32_t i = saved_regs_asker_home(ret);; i = (i + 1) & ((1 << LMP_ASKER_BITS) - 1)) {
        const LmpAsker *asker = &plan->asker[i];
        if (asker->ret == ret || !asker->ret) return asker->ret ? asker : NULL;
    }
}

/* The pc of the OP_NEWTABLE that asks for its table or, not `object`, for a part of it; 0: not
 * known. The caller knows that a Lua function runs, and not in a debug hook. */
LMP_READS_REGS static inline uintptr_t saved_regs_newtable(const LmpSavedRegsPlan *plan,
                                                           LmpSavedRegs words, bool object) {
    uintptr_t ret = words[LMP_REGS_RET];
    for (const LmpNewtable *n = object ? plan->object : plan->part; n->ret; n++)
        if (n->ret == ret && n->loop == words[n->at_loop])
            return words[n->at_pc] - (uintptr_t)n->ahead;
    return 0;
}

static inline uint32_t saved_regs_free_home(uintptr_t ret) {
    return (uint32_t)((ret * 0x9e3779b97f4a7c15ull) >> (64 - LMP_FREE_BITS));
}

static inline uintptr_t saved_regs_freer_key(uintptr_t ret, uintptr_t next) {
    return next ^ ret << 1;
}

static inline uint32_t saved_regs_freer_home(const LmpSavedRegsPlan *plan, uintptr_t key) {
    return (uint32_t)((key * plan->freer_factor) >> (64 - LMP_FREER_BITS));
}

/* Is a part of an object that is being freed the collector's doing? `cfa`: the stack pointer that
 * our caller had, above its return address. In doubt it is. */
LMP_READS_REGS static inline bool saved_regs_collects(const LmpSavedRegsPlan *plan,
                                                      const char *cfa) {
    uintptr_t ret, next;
    memcpy(&ret, cfa - sizeof ret, sizeof ret);
    for (uint32_t i = saved_regs_free_home(ret);; i = (i + 1) & ((1 << LMP_FREE_BITS) - 1)) {
        const LmpFreePlace *place = &plan->free_place[i];
        if (!place->ret) return true;
        if (place->ret != ret) continue;
        if (place->who != LMP_FREE_BY_CALLER) return place->who == LMP_FREE_COLLECTOR;
        memcpy(&next, cfa + place->next, sizeof next);
        uintptr_t key = saved_regs_freer_key(ret, next);
        return plan->freer[saved_regs_freer_home(plan, key)] == key;
    }
}

#endif
