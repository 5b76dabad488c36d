/* break_check.h - break conditions inside the profiled process: takes over the list that a viewer
 * has written and tells which of its conditions an operation meets. Only called on the slow path
 * (trap.c), which every operation takes while there is a condition to look for, and none else. */
#ifndef LMP_BREAK_CHECK_H
#define LMP_BREAK_CHECK_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/interp/frames.h"
#include "shared/breaks.h"

struct LmpProfile;

/* What is kept of the list, in LmpProfile. A condition that is switched on is armed; one that waits
 * for the heap to grow above something is disarmed by being met until the heap has fallen again,
 * one for once for good. */
typedef struct LmpBreakCheck {
    uint32_t on;    /* bit i: row i is to be looked at; 0: nothing is to be looked for at all */
    uint32_t armed; /* bit i: and may be met; subset of `on` */
    uint32_t count;
    uint64_t cycles[LMP_BREAKS]; /* collector cycles finished when a row was armed (count) */
    LmpBreak row[LMP_BREAKS];
} LmpBreakCheck;

/* One operation under watch: what is asked for, and what comes of it. */
typedef struct LmpCheckedOp {
    const void *ptr;
    size_t osize, nsize;
    LmpSavedRegs words; /* NULL: not known */
    unsigned cls;       /* of the block that was there, LMP_C_NONE: none */
    bool safe;          /* the stack may be looked at */
    uint32_t met;       /* bit i: row i. From here on all zeroes before */
    uint64_t ceiling;   /* the heap's high-water mark before it, bytes */
    uint64_t size;      /* bytes asked for; 0: nothing is, it is a free or makes a block smaller */
} LmpCheckedOp;

/* Takes over the list if a viewer has written a new one. True: whether all operations must come the
 * slow way may have changed. */
bool break_check_take(struct LmpProfile *p);

/* Now and then: if the viewer is gone that wrote the list, so are its conditions (true). */
bool break_check_lapse(struct LmpProfile *p);

/* What can be told before an operation is done, and after, when it has given `r`: adds to w->met.
 * Nothing but *w and what is armed changes; operations of LmpProfile.own are not to be shown here.
 */
void break_check_before(struct LmpProfile *p, LmpCheckedOp *w);
void break_check_after(struct LmpProfile *p, LmpCheckedOp *w, const void *r);

/* Conditions were met (w->met is not 0) and the program is going to pause: writes which ones to op,
 * counts them, and switches off those for once (true: operations need not come the slow path any
 * more, perhaps). */
bool break_check_pause(struct LmpProfile *p, const LmpCheckedOp *w, LmpOp *op);

#endif
