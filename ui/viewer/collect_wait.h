/* collect_wait.h - a full collection that was wished and does not come: it runs between two
 * instructions of the program, and a program that is inside a C function comes to none. */
#ifndef LMP_COLLECT_WAIT_H
#define LMP_COLLECT_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CollectWait {
    uint64_t since; /* clock when it was first seen open; 0: none is */
    bool said;
} CollectWait;

typedef enum CollectTurn {
    COLLECT_QUIET,
    COLLECT_SAY,    /* it takes long: once for each */
    COLLECT_GIVE_UP /* it is to be withdrawn */
} CollectTurn;

/* `open`: one is wished and has not come; `runs`: the program is not paused, which is no reason to
 * give up; `now`: nanoseconds. */
CollectTurn collect_wait_look(CollectWait *watch, bool open, bool runs, uint64_t now);
/* What is to be said then. `noticed`: the program knows of the request. */
const char *collect_wait_words(CollectTurn turn, bool noticed);

#endif
