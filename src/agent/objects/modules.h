/* modules.h - the program and its libraries in memory, by which a snapshot's reader names functions
 * of C. In the program itself: a child has no loader that could be asked. */
#ifndef LMP_HEAP_MODULES_H
#define LMP_HEAP_MODULES_H

#include "shared/heapgraph.h"

/* Fills out[LMP_HEAP_MODULES], which is all zeroes. */
void modules_list(LmpHeapModule *out);

#endif
