/* made.h - the table constructor that was met last: newtable.h reads it, lines.h notes it.
 */
#ifndef LMP_MADE_H
#define LMP_MADE_H

#include <stdint.h>

struct LmpCallInfo;

/* The last OP_NEWTABLE that was met. */
typedef struct LmpMade {
    const struct LmpCallInfo *ci; /* in whose frame */
    uintptr_t pc, proto;          /* where, and of which prototype */
    uint32_t record;              /* of the table */
    uint32_t left; /* requests for parts of its table that are still to come; LMP_MADE_REFUSED */
    uint32_t part; /* record of those, 0: not known */
} LmpMade;

/* In `left`: the last request, if for a part, was refused: it will be retried once. */
#define LMP_MADE_REFUSED 256u

#endif
