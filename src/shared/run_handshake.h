/* run_handshake.h - a message to `lmp run` (LmpHandshake in launch.h), with or without descriptors.
 */
#ifndef LMP_RUN_HANDSHAKE_H
#define LMP_RUN_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Sends one handshake message from this process. `what`: LMP_HANDSHAKE_...; `serial` of the state,
 * 0 if it is about none; `fd` is passed along (stays the caller's), -1: none. False: it could not
 * be sent. */
bool handshake_send(int socket, uint32_t what, uint32_t serial, int fd);

/* Sends LMP_HANDSHAKE_DISPLAY: `fd[N]` is LMP_FD_N, -1: there is none. */
bool handshake_send_display(int socket, const int *fd);

#endif
