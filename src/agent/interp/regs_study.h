/* regs_study.h - the study behind saved_regs.h: a private state does all kinds of work, and at each
 * request its allocator checks which of the saved registers and the stack's words above them hold
 * what they should.
 *
 * For the thread: only words that are the asking function's own count, by the unwind tables (a
 * register that an outer function happens to use, or a slot that is unused, may hold the right
 * thread today and anything tomorrow). Of those, the ones that were right at every request. Work is
 * done by several threads in turn, so that what is left over from the last request is wrong.
 *
 * For the program counter: of the words up to the end of the loop's own frame those that were right
 * (or off by the same amount each time) at every request of constructors in several functions; then
 * each is tried: another address is put there, in a run of its own, and counts if the loop goes on
 * at that one.
 *
 * Last, some of the work is done under a debug hook that makes the interpreter save its pc at every
 * instruction, and what the plan says is compared with that.
 *
 * Everything is done twice, the second time with each request refused once, because Lua retries
 * from another call site. */
#ifndef LMP_REGS_STUDY_H
#define LMP_REGS_STUDY_H

#include "agent/interp/free_callers.h"
#include "agent/interp/saved_regs_plan.h"
#include "agent/interp/unwind.h"

enum {
    LMP_WAYS = 48,
    LMP_CONSTRUCTORS = 4,
    LMP_AHEAD = 5,     /* a compiler may keep the pc 8 or 4 bytes off, either way */
    LMP_LOCATIONS = 16 /* proven ones of a way that are kept */
};

/* A bit for each saved register and each word of the stack above. */
typedef struct LmpRegsSet {
    uint64_t bits[LMP_REGS_SEEN / 64];
} LmpRegsSet;

typedef struct LmpAskerStudy {
    uintptr_t ret;
    LmpRegsSet right;
    const lua_State *first; /* the thread that was met first */
    uint32_t seen, others;  /* requests; those of other threads */
    bool object, resizes, first_try;
    uint32_t refusals;
    const lua_State *refuser; /* the last thread that was refused here */
} LmpAskerStudy;

typedef struct LmpLocation {
    int32_t at, ahead;
} LmpLocation;

/* A call chain from OP_NEWTABLE to the allocator. */
typedef struct LmpWayStudy {
    uintptr_t ret, loop;
    int32_t at_loop, end; /* end: index behind the loop's frame */
    bool object, refused; /* asks for the table itself; was met with refusals */
    int shape; /* a constructor, the last of its function, that came this way; -1: none */
    uint32_t seen;
    LmpRegsSet right[LMP_AHEAD];
    uint32_t proven;
    LmpLocation location[LMP_LOCATIONS];
} LmpWayStudy;

/* The constructors that the running function is going to execute, in order. */
typedef struct LmpConstructing {
    bool now;
    int shape;
    uint32_t count, at;
    struct {
        uintptr_t pc;   /* while its OP_NEWTABLE is executed */
        uint32_t parts; /* requests that it makes for parts */
    } table[LMP_CONSTRUCTORS];
    uint32_t parts_left;
    uintptr_t elsewhere; /* where its code goes on that is not reached after the last one */
} LmpConstructing;

typedef struct LmpRegsStudy {
    LmpFreeCallers free_callers;
    const lua_State *running; /* NULL: not noting */
    bool refuse, refused;     /* each request once; this one is asked again */
    bool broken;
    uint32_t askers, ways;
    LmpAskerStudy asker[LMP_ASKERS];
    LmpWayStudy way[LMP_WAYS];
    uint32_t lost_ways; /* that could not be told apart or found */
    LmpConstructing constructing;
    LmpUnwindRow probe; /* functions above a C function that Lua has called: the loop is one */
    /* While a location is tried: */
    const LmpWayStudy *trying;
    LmpLocation tried[2];
    uint32_t tries;
    /* What the plan says is compared with what the interpreter does, once there is one: */
    const LmpSavedRegsPlan *(*make_plan)(const struct LmpRegsStudy *study);
    const LmpSavedRegsPlan *plan; /* NULL: not now */
    uint32_t checked, differed;
} LmpRegsStudy;

/* By how many bytes a word may be ahead of the pc. */
extern const int32_t regs_study_ahead[LMP_AHEAD];

/* Is the allocator of the private state; its ud is the study. */
void *regs_study_alloc(void *ud, void *ptr, size_t osize, size_t nsize);

/* Plays everything (regs_play.c). Returns false if that was not possible. */
bool regs_play_all(LmpRegsStudy *study, lua_State *L);

#endif
