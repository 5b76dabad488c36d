/* changes.h - the figures of a section as a piece of changes (coding.h) against a key, which is a
 * piece, too, the first of its chunk: so nobody needs a second copy of a program's tables. Rows are
 * read once, some at a time, from the memory of a state or from the pieces of a recorded frame. */
#ifndef LMP_RECORDING_WRITER_CHANGES_H
#define LMP_RECORDING_WRITER_CHANGES_H

#include "recording/format/coding.h"

typedef struct Changes Changes;

/* Returns an empty list; NULL: no memory. */
Changes *changes_new(void);
void changes_free(Changes *c);

/* Pieces of one section of files of this build, whole or empty (n 0: all of it is zero). The bytes
 * are the caller's until all groups have been put. `first` and `more`: of a recorded frame, that of
 * its chunk and its own. */
typedef struct ChangesOf {
    const RecBytes *key, *first, *more;
} ChangesOf;

/* Begins a piece; then the groups of its section follow by their numbers. */
void changes_begin(Changes *c, const ChangesOf *of);
/* Adds a group's rows as they are in `now`, NULL: as the frame's pieces say. `same`: nothing has
 * changed, whatever is there. Without memory, or if a piece is none of this build, `out` has
 * failed. */
void changes_put(Changes *c, RecBytes *out, uint32_t group, const RecMemory *now, bool same);

#endif
