/* ptydrain.h - empties a pseudo terminal: all that was written to its slave, and where it ends.
 *
 * Reading a master until it would block proves nothing: the kernel hands bytes over from slave to
 * master in its own time. A random word written to the slave and awaited at the master does. */
#ifndef LMP_PTYDRAIN_H
#define LMP_PTYDRAIN_H

#include <stdbool.h>
#include <stddef.h>

/* Takes `size` bytes; false: they could not be taken (draining goes on all the same). */
typedef bool (*LmpSink)(void *context, const void *bytes, size_t size);

/* Is an LmpSink that writes to the descriptor that `context` points to. */
bool pty_sink_fd(void *context, const void *bytes, size_t size);

/* Opens the slave of `master` (O_NOCTTY, close-on-exec, plus `flags`), -1 on failure. */
int pty_open_slave(int master, int flags);

/* Gives to `sink` all that had been written to the slave of `master` before the call, in order,
 * and what came meanwhile. `master` must not block. Does not allocate. Returns false when the end
 * could not be proved (no slave to be had, or nothing came for a second): what there was has been
 * given to the sink even so. */
bool pty_drain(int master, LmpSink sink, void *context);

#endif
