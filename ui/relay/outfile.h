/* outfile.h - opens a file that a report is written to, which may be a FIFO that nobody reads. */
#ifndef LMP_OUTFILE_H
#define LMP_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Could it be written, as far as that can be seen without waiting? Else errno. It is made if it is
 * not there. */
bool outfile_writable(const char *path);

/* For writing, from its beginning; NULL with errno (ENXIO: a FIFO has no reader, and did not get
 * one for a moment). */
FILE *outfile_open(const char *path);

/* Of the errno of both, in words. */
const char *outfile_problem(int error);

#endif
