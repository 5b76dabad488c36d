/* collect_wait.c - notes when a request was first seen, says after 2 s that it takes long, and
 * gives up after 30 s. A pause starts the time anew. */
#include "viewer/collect_wait.h"

#include <stddef.h>

#define LONG 2000000000ull      /* nanoseconds */
#define TOO_LONG 30000000000ull /* nanoseconds */

CollectTurn collect_wait_look(CollectWait *watch, bool open, bool runs, uint64_t now) {
    if (!open) {
        *watch = (CollectWait){0, false};
    } else if (watch->since == 0 || !runs) {
        watch->since = now;
    } else if (now - watch->since >= TOO_LONG) {
        *watch = (CollectWait){0, false};
        return COLLECT_GIVE_UP;
    } else if (now - watch->since >= LONG && !watch->said) {
        watch->said = true;
        return COLLECT_SAY;
    }
    return COLLECT_QUIET;
}

const char *collect_wait_words(CollectTurn turn, bool noticed) {
    if (turn == COLLECT_QUIET) return NULL;
    if (turn == COLLECT_SAY)
        return noticed ? "No collection yet: the program is inside a C function"
                       : "No collection yet: the program has asked for no memory since";
    return noticed ? "No collection: given up, the program stayed inside a C function for 30 s"
                   : "No collection: given up, the program asked for no memory for 30 s";
}
