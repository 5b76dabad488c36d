/* manual.h - the man pages, from the tables of commands, options, keys and figures; and the tables
 * of README.md and docs/ that derive from tables of the source, in Markdown. Tests compare both
 * with the documents (tests/term/run.sh: help, readme). */
#ifndef LMP_MANUAL_H
#define LMP_MANUAL_H

#include <stdio.h>

#include "command/command.h"

/* Prints the source of docs/lmp.1 (roff). `commands` ends with NULL. */
void manual_page(const Command *const *commands, FILE *out);

/* Prints the source of the page of that name, about one command; false: there is none. */
bool manual_command_page(const Command *const *commands, const char *name, FILE *out);
/* Prints the names of these pages, a line each: "lmp-run", "lmp-record-cut". */
void manual_page_names(const Command *const *commands, FILE *out);

/* Prints the table of that name; false: there is none. */
bool manual_table(const char *name, FILE *out);
/* Prints the names, a line each. */
void manual_table_names(FILE *out);

#endif
