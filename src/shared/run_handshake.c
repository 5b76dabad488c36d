/* run_handshake.c - one message with the descriptors (io_send_fds); a display's come in the order
 * of their bits. */
#include "shared/run_handshake.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "shared/launch.h"

_Static_assert((int)LMP_HANDSHAKE_FDS <= (int)IO_SEND_FDS, "all descriptors go along");

static bool send_with(int socket, LmpHandshake handshake, const int *fd, size_t count) {
    return io_send_fds(socket, &handshake, sizeof handshake, fd, count, MSG_NOSIGNAL);
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
