/* words.h - what the interpreter has in hand while it asks for memory: which thread it works for,
 * and, in a table constructor, which instruction it executes.
 *
 * Lua gives its allocator neither. But the function that calls the allocator still needs its thread
 * afterwards, so a compiler keeps it in a register that calls preserve, or on the stack, at every
 * call at the same place; and the interpreter's loop keeps its program counter so. words_plan()
 * finds these places by watching a private state, made by the same code, ask for memory: a place
 * counts only if it held the right word every time. The pc is needed because OP_NEWTABLE and
 * OP_SETLIST allocate without saving it, in all of Lua 5.4: what the debug API says there is an
 * earlier line. */
#ifndef LMP_WORDS_H
#define LMP_WORDS_H

#include "frames.h"
#include "kind.h"

enum { LMP_ASKERS = 16, LMP_CONSTRUCTIONS = 15, LMP_FREER_BITS = 7, LMP_WORDS_SEEN = 128 };

/* A place in the interpreter that asks for memory: a return address, and the index among the words
 * at which its thread stands. */
typedef struct LmpAsker {
    uintptr_t ret;
    int32_t at_thread;
} LmpAsker;

/* A way from a constructor's instruction to the allocator: three return addresses, and the index at
 * which the program counter stands. */
typedef struct LmpConstruction {
    uintptr_t ret, next, third;
    int32_t at_next, at_third, at_pc;
} LmpConstruction;

typedef struct LmpWordsPlan {
    uint32_t askers, freers;
    /* How the collector frees parts of objects: all through one place, `free_ret`, whose caller's
     * return address stands `free_next` bytes above the stack pointer that our caller had. */
    uintptr_t free_ret;
    int32_t free_next;
    uint64_t freer_factor;                /* for words_freer_home: no two addresses have the same */
    uintptr_t freer[1 << LMP_FREER_BITS]; /* those addresses, by words_freer_home; 0: none */
    LmpAsker asker[LMP_ASKERS];           /* the first is the one that asks for objects */
    LmpAsker resizer; /* the one of them that resizes blocks; ret 0: not known */
    /* Those that ask for the table itself, and for its parts. ret 0: the end. */
    LmpConstruction object[LMP_CONSTRUCTIONS + 1], part[LMP_CONSTRUCTIONS + 1];
    /* If not 0: where `third` stands for all parts; and for which of them, the first two. */
    int32_t part_at_third;
    uintptr_t part_third[2];
} LmpWordsPlan;

/* Found once per process (thread-safe); NULL when it could not be. Lives as long as the process.
 * May allocate: only at start. */
const LmpWordsPlan *words_plan(void);

/* The words are the interpreter's stack and registers: AddressSanitizer must not mind. */
#define LMP_READS_WORDS __attribute__((no_sanitize("address")))

/* The thread for which memory is asked, 0: not known at this place. */
LMP_READS_WORDS static inline uintptr_t words_thread(const LmpWordsPlan *plan, LmpWords words) {
    uintptr_t ret = words[LMP_WORDS_RET];
    for (uint32_t i = 0; i < plan->askers; i++)
        if (plan->asker[i].ret == ret) return words[plan->asker[i].at_thread];
    return 0;
}

/* The pc of the constructor that asks for a table or, not `object`, for a part of one; 0: it is
 * none. The caller knows that a Lua function runs, and not in a debug hook. */
LMP_READS_WORDS static inline uintptr_t words_construction(const LmpWordsPlan *plan, LmpWords words,
                                                           bool object) {
    uintptr_t ret = words[LMP_WORDS_RET];
    if (!object && plan->part_at_third) { /* mostly a table grows, and nothing is constructed */
        uintptr_t third = words[plan->part_at_third];
        if (third != plan->part_third[0] && third != plan->part_third[1]) return 0;
    }
    for (const LmpConstruction *c = object ? plan->object : plan->part; c->ret; c++)
        if (c->ret == ret && c->next == words[c->at_next] && c->third == words[c->at_third])
            return words[c->at_pc];
    return 0;
}

static inline uint32_t words_freer_home(const LmpWordsPlan *plan, uintptr_t next) {
    return (uint32_t)((next * plan->freer_factor) >> (64 - LMP_FREER_BITS));
}

/* Is a part of an object that is being freed the collector's doing? `cfa`: the stack pointer that
 * our caller had, above its return address. In doubt it is. */
LMP_READS_WORDS static inline bool words_collects(const LmpWordsPlan *plan, const char *cfa) {
    uintptr_t ret, next;
    memcpy(&ret, cfa - sizeof ret, sizeof ret);
    if (ret != plan->free_ret) return !plan->freers;
    memcpy(&next, cfa + plan->free_next, sizeof next);
    return plan->freer[words_freer_home(plan, next)] == next;
}

#endif
