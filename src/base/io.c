/* io.c - writes in a loop, waiting for a descriptor that takes nothing at the moment. */
#include "base/io.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define PATIENCE_MS 1000 /* between checks of a descriptor that takes nothing */

bool write_all(int fd, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            poll(&p, 1, PATIENCE_MS);
            if (p.revents & (POLLERR | POLLHUP | POLLNVAL)) return false;
        } else if (n == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}
