/* save.h - how a report becomes a file: all of it or nothing. */
#ifndef LMP_SAVE_H
#define LMP_SAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Writes what is to be saved, as save_file runs it. */
typedef LmpErr SaveWriter(const void *of, FILE *out);

/* Returns true if it can be written, as far as can be told beforehand; else sets errno. */
bool save_possible(const char *file);

/* Writes a file: without a name first, readable by its owner alone, which then takes the place of
 * what the name, or a link of that name, stands for; so there is never half a file, nor another one
 * beside it. What is no regular file (a pipe, /dev/stdout) is written to. Errors: FILE (errno says
 * why), NOMEM. */
LmpErr save_file(const char *file, SaveWriter *writer, const void *of);

#endif
