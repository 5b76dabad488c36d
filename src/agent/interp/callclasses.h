/* callclasses.h - what a table of return addresses (return_addr.h) says of the usual callers,
 * without a search: for paths on which an instruction counts.
 *
 * The class stands at the caller's address in an array over the interpreter's code. Two functions
 * that call the allocator for many others are known: there it is the next return address that
 * counts. Who is not told so is looked up in the table itself. */
#ifndef LMP_CALLCLASSES_H
#define LMP_CALLCLASSES_H

#include "agent/interp/learned.h"
#include "agent/interp/return_addr.h"

enum { LMP_CALL_THROUGH = 2 };

typedef struct LmpCallClasses {
    uintptr_t through[LMP_CALL_THROUGH];
    int64_t distance[LMP_CALL_THROUGH];           /* of the next return address, from cfa */
    const LmpReturnAddr *asker[LMP_CALL_THROUGH]; /* their rows of `all` */
    uintptr_t base, span;                         /* of the addresses in cls[]; span 0: none */
    uint8_t *cls;                                 /* LMP_C_NONE: not told */
    LmpReturnAddrs all;
} LmpCallClasses;

/* Returns the class by the usual callers; LMP_C_NONE: not told. */
__attribute__((no_sanitize("address"))) static ALWAYS_INLINE unsigned
callclass_usual(const LmpCallClasses *c, const char *cfa, uintptr_t ret) {
    if (ret == c->through[0]) {
        ret = cpu_address(*(const uintptr_t *)(const void *)(cfa + c->distance[0]));
    } else if (ret == c->through[1]) {
        ret = cpu_address(*(const uintptr_t *)(const void *)(cfa + c->distance[1]));
    }
    ret -= c->base;
    return LIKELY(ret < c->span) ? c->cls[ret] : LMP_C_NONE;
}

/* Returns the row of a caller through which others call; NULL: another caller. */
static ALWAYS_INLINE const LmpReturnAddr *callclass_asker(const LmpCallClasses *c, uintptr_t ret) {
    return ret == c->through[0] ? c->asker[0] : ret == c->through[1] ? c->asker[1] : NULL;
}

/* Fills all but `all`, from that table's rows as they are kept (callchains.c). */
void callclasses_fill(LmpCallClasses *c, const LmpLearnedRow *row, uint32_t rows);

#endif
