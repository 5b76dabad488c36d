/* heapfile_check.h - is a graph that somebody else made one? */
#ifndef LMP_SHARED_HEAPFILE_CHECK_H
#define LMP_SHARED_HEAPFILE_CHECK_H

#include "shared/heapgraph.h"

/* Every index in it is within bounds and says what it should, sections ascend, kinds are known and
 * as many as is said, lengths fit. Columns have the rows that the counts say. */
bool heapfile_check(const LmpHeapGraph *graph);

#endif
