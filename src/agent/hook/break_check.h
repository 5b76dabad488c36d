/* break_check.h - break conditions inside the profiled process: takes over the list that a viewer
 * has written and tells which of its conditions an operation meets. Only called on the slow path
 * (trap.c), which every operation takes while there is a condition to look for. */
#ifndef LMP_BREAK_CHECK_H
#define LMP_BREAK_CHECK_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/interp/frames.h"
#include "shared/breaks.h"

struct LmpProfile;

/* What is kept of the list, in LmpProfile. A condition that is switched on is armed; once met, one
 * that waits for the heap to grow above a size is disarmed until the heap has fallen again, and a
 * one-shot one for good. */
typedef struct LmpBreakCheck {
    uint32_t on;    /* bit i: row i is to be checked; 0: there is nothing to check */
    uint32_t armed; /* bit i: and may be met; subset of `on` */
    uint32_t count;
    uint64_t cycles[LMP_BREAKS]; /* collector cycles finished when a row was armed (count) */
    bool viewers; /* a viewer has written the list, or what is before the program's own */
    LmpBreak row[LMP_BREAKS];
    /* The program's own, for snapshots: in force as long as no viewer's list has the same. */
    uint32_t owns;
    LmpBreak own[LMP_BREAKS];
} LmpBreakCheck;

/* One operation under watch: the request and its result. */
typedef struct LmpCheckedOp {
    const void *ptr;
    size_t old_size, nsize;
    LmpSavedRegs regs; /* NULL: not known */
    unsigned cls;      /* of the block that was there, LMP_C_NONE: none */
    bool safe;         /* the stack may be looked at */
    uint32_t met;      /* bit i: row i. Zero before the call, like all below */
    uint32_t taken;    /* the same of those that take a snapshot */
    uint64_t ceiling;  /* the heap's high-water mark before it, bytes */
    uint64_t size;     /* bytes asked for; 0: nothing is, it is a free or makes a block smaller */
} LmpCheckedOp;

/* Sets, at start, conditions for snapshots (`lines` as in breaks_parse_lines; others are passed
 * over). */
void break_check_own(struct LmpProfile *p, const char *lines);

/* Takes over the list if a viewer has written a new one. True: whether all operations must take the
 * slow path may have changed. */
bool break_check_take(struct LmpProfile *p);

/* Call now and then: drops the conditions if the viewer that wrote the list is gone (true). */
bool break_check_lapse(struct LmpProfile *p);

/* Add to w->met what can be told before an operation is done, and after, when it has given `r`.
 * Nothing but *w and what is armed changes; not to be called for operations of LmpProfile.own. */
void break_check_before(struct LmpProfile *p, LmpCheckedOp *w);
void break_check_after(struct LmpProfile *p, LmpCheckedOp *w, const void *r);

/* Conditions for snapshots were met (w->taken is not 0): counts them, and switches off the one-shot
 * ones (true: operations may not need the slow path any more). */
bool break_check_snapshots(struct LmpProfile *p, const LmpCheckedOp *w);

/* Conditions were met (w->met is not 0) and the program is going to pause: writes which ones to op,
 * counts them, and switches off the one-shot ones (true: operations may not need the slow path any
 * more). */
bool break_check_pause(struct LmpProfile *p, const LmpCheckedOp *w, LmpOp *op);

#endif
