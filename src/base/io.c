/* io.c - reads and writes in a loop, waiting for a descriptor that takes nothing at the moment;
 * sends descriptors as ancillary data of one sendmsg. */
#include "base/io.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATIENCE_MS 1000 /* between checks of a descriptor that takes nothing */

bool io_write_all(int fd, const void *bytes, size_t size) {
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

bool io_send_fds(int socket, const void *bytes, size_t size, const int *fd, size_t count,
                 int flags) {
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union {
        char bytes[CMSG_SPACE(IO_SEND_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    memset(&control, 0, sizeof control);
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof *fd);
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = (socklen_t)CMSG_LEN(count * sizeof *fd);
        memcpy(CMSG_DATA(c), fd, count * sizeof *fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, flags);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

size_t io_read_at(int fd, uint64_t at, void *out, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, (char *)out + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

void io_close_range(unsigned first, unsigned last) {
#ifdef SYS_close_range
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
    struct rlimit limit; /* Linux before 5.9 */
    rlim_t most = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
    if (most > 1 << 20) most = 1 << 20;
    for (unsigned fd = first; fd <= last && fd < most; fd++)
        close((int)fd);
}

void io_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}
