/* manpage.h - the man page, from the tables of commands and options, and README's table of keys. */
#ifndef LMP_MANPAGE_H
#define LMP_MANPAGE_H

#include <stdio.h>

/* The source of docs/lmp.1 (roff). A test compares the two. */
void manpage_print(FILE *out);
/* The keys as a table in Markdown, for README.md. A test compares the two. */
void manpage_print_keys(FILE *out);

#endif
