/* inspect.h - a closer look at a few operations now and then: what strings are made of.
 *
 * Figures tell that a line makes large strings, not whether each is the last one with a little
 * more, or the same one again. So every now and then, after a tick, some dozens of operations take
 * the slow path, and strings that are made in them are examined:
 *
 *     joined   a long string by `..`: which site made its largest operand? Where that leads back to
 *              the line itself, a string is built up, and all of it copied each time
 *     same     has a string the contents of the one that the site made just before?
 *
 * What was seen is kept with the site (LmpSite). Only where every block has its alloc context and
 * frames can be read; elsewhere nothing is examined, and the counts show that. */
#ifndef LMP_INSPECT_H
#define LMP_INSPECT_H

#include "agent/state/profile.h"

typedef struct LmpInspection {
    uint32_t ticks;        /* so far (count) */
    uint32_t allocs, left; /* of this look: allocations and operations to come; 0: none is on */
    uintptr_t block;   /* a string of the last operation, whose contents are there by now; or 0 */
    uint32_t site;     /* its */
    uint64_t bytes;    /* of contents that may still be compared in this look */
    uint64_t sum[256]; /* of the contents of the last string, by site; 0: none */
} LmpInspection;

/* Begins and ends what looks need; without memory there are no looks. Sites are open. */
void inspect_open(LmpProfile *p);
void inspect_close(LmpProfile *p);

/* Returns true while a look is on: then all operations have to take the slow path. */
bool inspect_on(const LmpProfile *p);
/* Call with every tick. Returns true if a look begins. */
bool inspect_due(LmpProfile *p);
/* Call before and after each operation of a look. `r`: the block that was made, or NULL. Returns
 * false after the last one. */
void inspect_before(LmpProfile *p);
bool inspect_after(LmpProfile *p, const void *r, size_t size);

#endif
