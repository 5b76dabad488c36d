/* hello.h - a message to `lmp run` (LmpHello in launch.h), with or without descriptors. */
#ifndef LMP_HELLO_H
#define LMP_HELLO_H

#include <stdbool.h>
#include <stdint.h>

/* Sends one hello of this process. `what`: LMP_HELLO_...; `serial` of the state, 0 where it is
 * about none; `fd` goes along (stays the caller's), -1: none. False: it could not be sent. */
bool hello_send(int socket, uint32_t what, uint32_t serial, int fd);

/* LMP_HELLO_DISPLAY: `fd[N]` is LMP_FD_N, -1: there is none. */
bool hello_send_display(int socket, const int *fd);

#endif
