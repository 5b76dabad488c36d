/* heapopen.h - opens snapshot files for a command, and says what is wrong with one. */
#ifndef LMP_HEAPOPEN_H
#define LMP_HEAPOPEN_H

#include "read/snapshot/growth.h"

/* False: it cannot be read; why was said on stderr, in one line. */
bool heapopen(LmpSnapshot *snapshot, const char *file);
/* Files in the order in which they were taken, as far as they can be read. */
void heapopen_sort(const char **file, uint32_t files);
/* The earlier ones of a series, sorted: growth among them, and the last one. */
bool heapopen_older(LmpHeapGrowth *growth, LmpSnapshot *last, const char **file, uint32_t files);

#endif
