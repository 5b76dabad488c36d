/* doctable.h - the tables of README.md and docs/ that derive from tables of the source, in
 * Markdown. A test (tests/term/run.sh, readme) compares those documents with what these print. */
#ifndef LMP_DOCTABLE_H
#define LMP_DOCTABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "read/figure.h"
#include "screen/action.h"

/* Prints the table of that name; false: there is none. */
bool doctable_print(const char *name, FILE *out);
/* The names, a line each. */
void doctable_names(FILE *out);

/* ---- for the man page, which has the same rows ----------------------------------------------- */

/* The key as people write it, NULL: it belongs to another row. `letter` has room for a type's key.
 */
const char *doctable_key(const ActionInfo *info, char letter[2]);

/* A row: figures that are explained together. Returns the first one of the next row. */
typedef struct DocRow {
    char names[160], units[80];
    const char *help;
} DocRow;
const LmpFigure *doctable_row(const LmpFigure *first, const char *quote, DocRow *row);

#endif
