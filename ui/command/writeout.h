/* writeout.h - writes a command's result to a file or to standard output. If that fails, one line
 * says why and the status is 1. */
#ifndef LMP_WRITEOUT_H
#define LMP_WRITEOUT_H

#include "report/save.h"

/* Writes what `of` says to the file, all of it or nothing; NULL: to standard output. Says what is
 * wrong. Returns the exit status. */
int writeout(const char *file, SaveWriter *writer, const void *of);

/* Flushes what the command has printed. If that fails, says why, unless that was said before or the
 * reader has merely read enough. Returns `status`, or 1 in place of 0. */
int writeout_end(int status);

#endif
