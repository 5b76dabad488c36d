/* save.h - how a report becomes a file: all of it or nothing. */
#ifndef LMP_SAVE_H
#define LMP_SAVE_H

#include <stdio.h>

#include "base/err.h"

/* What a writer writes, as save_file runs it. */
typedef LmpErr SaveWriter(const void *of, FILE *out);

/* Writes a file: beside it first, readable by its owner alone, which then takes its place; so there
 * is never half a file under this name, and a link is replaced, not followed. What is no regular
 * file (a pipe, /dev/stdout) is written to directly. Errors: FILE (errno says why), NOMEM. */
LmpErr save_file(const char *file, SaveWriter *writer, const void *of);

#endif
