/* io.h - descriptors: reading and writing all of something, sending some, closing. */
#ifndef LMP_IO_H
#define LMP_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes everything to `fd` (tries again after EINTR, waits after EAGAIN). False: it does
 * not take it; errno says why. */
bool io_write_all(int fd, const void *bytes, size_t size);

/* Sends a message with descriptors, IO_SEND_FDS at most, through a socket (tries again after
 * EINTR). `flags` as of sendmsg. Returns false if it could not be sent; errno says why. */
enum { IO_SEND_FDS = 16 };
bool io_send_fds(int socket, const void *bytes, size_t size, const int *fd, size_t count,
                 int flags);

/* Reads `size` bytes at a place of a file (tries again after EINTR). Returns how many there are. */
size_t io_read_at(int fd, uint64_t at, void *out, size_t size);

/* Closes all descriptors from `first` to `last`, both included; none if `first` is greater. */
void io_close_range(unsigned first, unsigned last);

/* Closes *fd, unless it is negative, and makes it -1. */
void io_close(int *fd);

#endif
