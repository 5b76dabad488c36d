/* heapopen.h - opens a snapshot file for a command, and says what is wrong with it. */
#ifndef LMP_HEAPOPEN_H
#define LMP_HEAPOPEN_H

#include "read/snapshot/snapshot.h"

/* False: it cannot be read; why was said on stderr, in one line. */
bool heapopen(LmpSnapshot *snapshot, const char *file);
/* The same for what was made of it and could not be written (`file` NULL: standard output).
 * Returns the exit status. */
int heapopen_wrote(LmpErr err, const char *file);

#endif
