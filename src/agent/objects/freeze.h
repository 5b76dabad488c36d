/* freeze.h - shadow map and tables as they were in the moment of a snapshot, while the program goes
 * on changing them.
 *
 * They are shared memory, which a fork does not copy. So the program works meanwhile on a private
 * mapping of the same file, beside the shared one: no copying, and the hot path is unchanged, which
 * reads where they are in any case. What the program changes goes to pages of its own; the file
 * keeps the moment, for the child (which inherits the private mapping, in which nothing has changed
 * yet) and for viewers. When the child has ended, pages that have become the program's own are
 * copied to the shared mapping, some at a time, until in one go nothing is left of a part; from
 * then on the program works on the shared mapping of that part again.
 *
 * The shared mapping stays where it is all the time, and nothing is ever mapped over something else
 * (kernels before 6.12 unmap what was there before they refuse): what the system refuses leaves
 * everything as it was, and merging needs no descriptor, which the program may have closed. Header,
 * control and live are never frozen; leaves that are new meanwhile are shared as always. */
#ifndef LMP_AGENT_OBJECTS_FREEZE_H
#define LMP_AGENT_OBJECTS_FREEZE_H

#include "agent/state/profile.h"

enum { FREEZE_LOOK = 512 /* pages at once; a multiple of 64 */ };

typedef struct LmpFreeze {
    bool on;
    bool lost; /* pages have to be compared, and the program has closed the file: viewers keep the
                  moment */
    bool checked, compare; /* does the system tell whose pages are; else they are compared */
    char *own_map;         /* the private mapping, NULL: none */
    uint64_t own_size;     /* bytes */
    char *shared[2];       /* overflow table and tables; leaves: LmpLeaves.shared */
    uint32_t leaves;       /* that are frozen, the first ones */
    uint32_t region;       /* those before it are shared again */
    uint32_t passes;       /* over it so far */
    uint64_t at;           /* and of it, the bytes before have been merged in this pass */
    uint64_t page;         /* bytes of one */
    uint64_t bytes;        /* copied back since it was frozen */
    uint64_t own[FREEZE_LOOK / 64];
} LmpFreeze;

/* Freezes. Returns false if it cannot be done (the program has closed the file, or the system
 * refuses), and nothing has changed. */
bool freeze_begin(LmpProfile *p, LmpFreeze *f);

/* Goes on with merging; stops when about so many bytes were copied. True: all is shared again. */
bool freeze_merge(LmpProfile *p, LmpFreeze *f, uint64_t bytes);

/* Merges the rest in one go, before figures become final. The private mapping stays, as another
 * thread may be running the state. */
void freeze_end(LmpProfile *p, LmpFreeze *f);

/* Gives the private mapping back when nothing is frozen any more. */
void freeze_release(LmpFreeze *f);
/* Ends it without merging: what the program has changed is gone. Call before the state's memory is
 * gone, and in a child that the program has forked. */
void freeze_forget(LmpProfile *p, LmpFreeze *f);

#endif
