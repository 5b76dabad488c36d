/* snapshot_opening.h - what a person sees while a snapshot's file is read, and how they stop it. */
#ifndef LMP_VIEWER_SNAPSHOT_OPENING_H
#define LMP_VIEWER_SNAPSHOT_OPENING_H

#include "base/progress.h"
#include "screen/action.h"

#define SNAPSHOT_OPENING_KEYS 32
#define SNAPSHOT_OPENING_LINE 192

/* A file that is being read. Keys that mean nothing meanwhile are kept for afterwards. */
typedef struct SnapshotOpening {
    LmpProgress progress;
    uint64_t shown; /* clock: when the screen was drawn last */
    bool stopped;   /* by a person, or the terminal is gone */
    char what[120]; /* "lmp-1-1.heap, 320.5 MiB" */
    Event later[SNAPSHOT_OPENING_KEYS];
    unsigned laters, taken; /* kept; given back */
} SnapshotOpening;

/* Handles an event that comes meanwhile. */
void snapshot_opening_event(SnapshotOpening *wait, Event event);
/* Returns the next event that was kept; K_NONE: there is none. */
Event snapshot_opening_later(SnapshotOpening *wait);
/* Writes "Reading lmp-1-1.heap, 320.5 MiB  ━━━━━───── 48 %  finding what is held  esc stops it",
 * cut to `width` columns by leaving out what matters less. Returns out (SNAPSHOT_OPENING_LINE). */
const char *snapshot_opening_words(const SnapshotOpening *wait, const char *step, double share,
                                   bool utf8, int width, char *out);

#endif
