/* unreadable.h - the message about one of lmp's files that cannot be read. */
#ifndef LMP_UNREADABLE_H
#define LMP_UNREADABLE_H

#include "base/err.h"

/* What the file should have been. */
typedef enum Unreadable {
    UNREADABLE_RECORDING,
    UNREADABLE_SNAPSHOT,
    UNREADABLE_EITHER,
    UNREADABLES
} Unreadable;

/* Prints one line on stderr; `why` is the errno of the failure, 0: not known. Returns the exit
 * status, 1. */
int unreadable(Unreadable what, const char *file, LmpErr err, int why);

#endif
