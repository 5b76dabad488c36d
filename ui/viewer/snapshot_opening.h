/* heap_wait.h - what a person sees while a snapshot's file is read, and how they stop it. */
#ifndef LMP_HEAP_WAIT_H
#define LMP_HEAP_WAIT_H

#include "base/progress.h"
#include "screen/action.h"

#define HEAP_WAIT_KEYS 32
#define HEAP_WAIT_LINE 192

/* A file that is being read. Keys that mean nothing meanwhile are kept for afterwards. */
typedef struct HeapWait {
    LmpProgress progress;
    uint64_t shown; /* clock: when the screen was drawn last */
    bool stopped;   /* by a person, or the terminal is gone */
    char what[120]; /* "lmp-1-1.heap, 320.5 MiB" */
    Event later[HEAP_WAIT_KEYS];
    unsigned laters, taken; /* kept; given back */
} HeapWait;

/* Handles an event that comes meanwhile. */
void heap_wait_event(HeapWait *wait, Event event);
/* Returns the next event that was kept; K_NONE: there is none. */
Event heap_wait_later(HeapWait *wait);
/* Writes "Reading lmp-1-1.heap, 320.5 MiB  ━━━━━───── 48 %  finding what is held  esc stops it",
 * cut to `width` columns by leaving out what matters less. Returns out (HEAP_WAIT_LINE). */
const char *heap_wait_words(const HeapWait *wait, const char *step, double share, bool utf8,
                            int width, char *out);

#endif
