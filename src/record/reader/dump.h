/* dump.h - a recording's file in readable form, part by part, as it lies there: for whoever wants
 * to know what is in it, or reads it with a program of their own. */
#ifndef LMP_RECORD_DUMP_H
#define LMP_RECORD_DUMP_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Writes it to `out`; `heads`: without what is in the parts. Damaged parts are said. Errors:
 * FOREIGN, VERSION, DAMAGED, NOMEM. */
LmpErr recording_dump(int fd, bool heads, FILE *out);

#endif
