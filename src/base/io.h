/* io.h - descriptors: writing all of something, closing once. */
#ifndef LMP_IO_H
#define LMP_IO_H

#include <stdbool.h>
#include <stddef.h>

/* Writes everything to `fd` (tries again after EINTR, waits after EAGAIN). False: it does
 * not take it; errno says why. */
bool write_all(int fd, const void *bytes, size_t size);

/* Closes *fd, unless it is negative, and makes it -1. */
void close_fd(int *fd);

#endif
