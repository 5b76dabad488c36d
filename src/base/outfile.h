/* outfile.h - opens a file that a report is written to, which may be a FIFO without a reader. */
#ifndef LMP_OUTFILE_H
#define LMP_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Returns true if it can be written, as far as one can tell without waiting; else sets errno. The
 * file is created if it does not exist. */
bool outfile_writable(const char *path);

/* Returns true if a file could be made beside what is there and then take its place; else errno
 * says why not: what is there and is no plain file stays. A name that ends in "/" means a file in
 * that directory. */
bool outfile_replaceable(const char *path);

/* Opens a file for writing, from its beginning; NULL with errno (ENXIO: a FIFO has no reader, and
 * got none within a moment). */
FILE *outfile_open(const char *path);

/* Describes the errno of either in words. */
const char *outfile_problem(int error);

#endif
