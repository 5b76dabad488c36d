/* unreadable.h - what is said of a file of lmp's that cannot be read. */
#ifndef LMP_UNREADABLE_H
#define LMP_UNREADABLE_H

#include "base/err.h"

/* What it should have been. */
typedef enum Unreadable {
    UNREADABLE_RECORDING,
    UNREADABLE_SNAPSHOT,
    UNREADABLE_EITHER,
    UNREADABLES
} Unreadable;

/* One line on stderr; `why`: errno of then, 0: not known. Returns the exit status, 1. */
int unreadable(Unreadable what, const char *file, LmpErr err, int why);

#endif
