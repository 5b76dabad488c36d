/* writeout.h - what a command writes, to a file or to standard output, and what is said when it
 * could not be written: one line, and status 1. */
#ifndef LMP_WRITEOUT_H
#define LMP_WRITEOUT_H

#include "report/save.h"

/* Has `of` written to the file, all of it or nothing; NULL: to standard output. What is wrong is
 * said. Returns the exit status. */
int writeout(const char *file, SaveWriter *writer, const void *of);

/* What is printed has been printed: it goes out, whatever the command. Unless it was said before,
 * says why it could not be written; that a reader has read enough is never said. Returns `status`,
 * or 1 in place of 0. */
int writeout_end(int status);

#endif
