/* run_handshake.c - one sendmsg with the descriptors as ancillary data; a display's come in the
 * order of their bits. */
#include "shared/run_handshake.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/launch.h"

static bool send_with(int socket, LmpHandshake handshake, const int *fd, size_t count) {
    struct iovec part = {&handshake, sizeof handshake};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union {
        char bytes[CMSG_SPACE(LMP_HANDSHAKE_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    memset(&control, 0, sizeof control);
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fd);
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(count * sizeof *fd);
        memcpy(CMSG_DATA(c), fd, count * sizeof *fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof handshake;
}

bool handshake_send(int socket, uint32_t what, uint32_t serial, int fd) {
    LmpHandshake handshake = {LMP_HANDSHAKE_MAGIC, what, (uint32_t)getpid(), serial, 0};
    return send_with(socket, handshake, &fd, fd >= 0);
}

bool handshake_send_display(int socket, const int *fd) {
    LmpHandshake handshake = {LMP_HANDSHAKE_MAGIC, LMP_HANDSHAKE_DISPLAY, (uint32_t)getpid(), 0, 0};
    int along[LMP_HANDSHAKE_FDS];
    size_t count = 0;
    for (int to = LMP_FD_STATE; to < LMP_FD_END; to++)
        if (fd[to] >= 0) {
            handshake.fds |= 1u << to;
            along[count++] = fd[to];
        }
    return send_with(socket, handshake, along, count);
}
