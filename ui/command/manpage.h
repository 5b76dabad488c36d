/* manpage.h - the man page, from the tables of commands, options, keys and figures. */
#ifndef LMP_MANPAGE_H
#define LMP_MANPAGE_H

#include <stdio.h>

/* Prints the source of docs/lmp.1 (roff). A test compares the two. */
void manpage_print(FILE *out);

#endif
