/* copies.h - a second copy of what a recording's file says only once, so that damage to one part of
 * that costs nothing. Where it would be much beside the rest of the file, there is none. */
#ifndef LMP_RECORD_COPIES_H
#define LMP_RECORD_COPIES_H

#include "record/format/recfile.h"

#define COPIES_SHARE 50u /* they take at most this part of the file */

/* Adds copies of the schema, the header and how the program was started, if there are none, and of
 * all rows that came since the copy before. What prevents that (no memory, little room below the
 * file's limit, a part that cannot be read) is no error: there is no copy then. Errors: FILE, where
 * it could not be written. */
LmpErr copies_put(RecFile *file, uint64_t clock);

#endif
