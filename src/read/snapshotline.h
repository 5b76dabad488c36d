/* snapshotline.h - what came of a snapshot of the heap, in a line for people.
 */
#ifndef LMP_SNAPSHOTLINE_H
#define LMP_SNAPSHOTLINE_H

#include <stddef.h>

#include "shared/layout.h"

/* "snapshot 1: 12,345 objects, stood 12 ms, slowest operation 3 ms: lmp-4242-1.heap", or why there
 * is none; of one that nobody has asked for no file, which is gone with the display. Safe to print.
 * `s`: written or failed. Returns out. */
char *snapshotline_say(char *out, size_t size, const LmpSnapshotLive *s);

#endif
