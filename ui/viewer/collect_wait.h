/* collect_wait.h - watches a requested full collection, or a snapshot, that does not come: it
 * begins between two instructions of the program, and a program inside a C function reaches none.
 */
#ifndef LMP_COLLECT_WAIT_H
#define LMP_COLLECT_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CollectWait {
    uint64_t since; /* clock when the request was first seen; 0: there is none */
    bool said;
} CollectWait;

typedef enum CollectTurn {
    COLLECT_QUIET,
    COLLECT_SAY,    /* the collection takes long: said once for each request */
    COLLECT_GIVE_UP /* withdraw the request */
} CollectTurn;

/* Looks at a collection that was asked for. `open`: a request is pending; `runs`: the program is
 * not paused (a pause is no reason to give up); `now`: nanoseconds. */
CollectTurn collect_wait_look(CollectWait *watch, bool open, bool runs, uint64_t now);
/* Returns what to say then. `noticed`: the program knows of the request. */
const char *collect_wait_words(CollectTurn turn, bool noticed);

#endif
