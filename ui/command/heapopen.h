/* heapopen.h - opens snapshot files for a command, and says what is wrong with one. */
#ifndef LMP_HEAPOPEN_H
#define LMP_HEAPOPEN_H

#include "read/snapshot/growth.h"

/* Opens a snapshot. Returns false if it cannot be read; one line on stderr has said why. */
bool heapopen(LmpSnapshot *snapshot, const char *file);
/* Sorts the files by the time at which they were taken, as far as they can be read. */
void heapopen_sort(const char **file, uint32_t files);
/* Sorts a series of files and opens it: `growth` from one to the next, `last` the last one. */
bool heapopen_older(LmpHeapGrowth *growth, LmpSnapshot *last, const char **file, uint32_t files);

#endif
