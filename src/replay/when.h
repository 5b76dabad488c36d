/* when.h - a moment of a run as a person types it: "12:30", "-5m", "peak", "50%", a mark's name. */
#ifndef LMP_REPLAY_WHEN_H
#define LMP_REPLAY_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WhenMark {
    const char *name;
    uint64_t clock, number; /* of all that were ever set, from 1: some may be missing */
} WhenMark;

/* What the words mean in this run. Times are nanoseconds since its start. */
typedef struct WhenScene {
    uint64_t now, end, peak;
    uint32_t marks;
    /* Mark i, the oldest first; NULL: there are none. */
    WhenMark (*mark)(void *context, uint32_t i);
    void *context;
} WhenScene;

/* Returns true for a moment; *clock is it, within the run.
 *
 *     moment = ["+" | "-"] time | number "%" | "start" | "now" | "end" | "peak" | mark
 *     time   = [[hours ":"] minutes ":"] seconds | {number ("h" | "m" | "s" | "ms")}+
 *     mark   = "mark", the last one | "mark " number | its name |
 *              the beginning of its name, if no other mark's begins so
 *
 * Numbers may have a fraction. With a sign the time counts from now. A mark's name as it was given
 * goes before all else; in other letters, or its beginning, after it. */
bool when_parse(const char *text, const WhenScene *scene, uint64_t *clock);

#endif
