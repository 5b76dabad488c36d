/* freeze.h - shadow map and tables as they were in the moment of a snapshot, while the program goes
 * on changing them.
 *
 * They are shared memory, which a fork does not copy. So the program's own mapping of overflow
 * table, tables and leaves is replaced in place by a private one of the same file, at the same
 * addresses: no copying, and the hot path is unchanged. What the program changes from then on goes
 * to pages of its own; the file keeps the moment, for the child (which inherits the private
 * mapping, in which nothing has changed yet) and for viewers. When the child has ended, pages that
 * have become the program's own are written to the file, piece by piece, and each piece is mapped
 * shared again. Header, control and live are never frozen; leaves that are new meanwhile are shared
 * as always. */
#ifndef LMP_FREEZE_H
#define LMP_FREEZE_H

#include "agent/state/profile.h"

enum { FREEZE_PAGE = 4096, FREEZE_LOOK = 512 /* pages at once; a multiple of 64 */ };

typedef struct LmpFreeze {
    bool on;
    bool lost;             /* the program has closed the file: what is own stays so */
    bool checked, compare; /* does the system tell whose pages are; else they are compared */
    uint32_t leaves;       /* that are frozen, the first ones */
    uint32_t region;       /* those before it are shared again */
    uint64_t at;           /* and of it, the bytes before */
    uint64_t pages;        /* written back since it was frozen (count) */
    uint64_t own[FREEZE_LOOK / 64];
    char page[FREEZE_PAGE];
} LmpFreeze;

/* Freezes. False: it cannot be done (the program has closed the file, or the system refuses); what
 * was begun is undone by freeze_merge. */
bool freeze_begin(LmpProfile *p, LmpFreeze *f);

/* Goes on with merging; stops when about so many pages were written. True: all is shared again. If
 * the system refuses something it is tried again at the next call. */
bool freeze_merge(LmpProfile *p, LmpFreeze *f, uint32_t pages);

/* Merges the rest in one go, before figures become final. What cannot be mapped shared again has at
 * least been written. */
void freeze_end(LmpProfile *p, LmpFreeze *f);

#endif
