/* modules.h - the program and its libraries in memory, by which a snapshot's reader names functions
 * of C. In the program itself: a child has no loader that could be asked. */
#ifndef LMP_AGENT_OBJECTS_MODULES_H
#define LMP_AGENT_OBJECTS_MODULES_H

#include "shared/objectgraph.h"

/* Fills out[LMP_OBJECT_MODULES], which is all zeroes. */
void modules_list(LmpObjectModule *out);

#endif
