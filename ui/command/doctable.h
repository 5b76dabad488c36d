/* doctable.h - the tables of README.md and docs/ that derive from tables of the source, in
 * Markdown. A test (tests/term/run.sh, readme) compares those documents with what these print. */
#ifndef LMP_DOCTABLE_H
#define LMP_DOCTABLE_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the table of that name; false: there is none. */
bool doctable_print(const char *name, FILE *out);
/* Prints the names, a line each. */
void doctable_names(FILE *out);

#endif
