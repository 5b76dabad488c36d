/* progress.h - how far something that takes long has come, told to whoever waits for it, who may
 * stop it. */
#ifndef LMP_PROGRESS_H
#define LMP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LmpProgress {
    /* `step`: what is done now, a few words; `share`: of all, 0 to 1. It comes every few
     * milliseconds and must not take long. False: stop; then it is not told again. */
    bool (*tell)(struct LmpProgress *progress, const char *step, double share);
    uint32_t part, parts; /* of several alike, such as files: which one; 0 of 0: the only one */
} LmpProgress;

/* Tells the share of one part as one of the whole; `progress` NULL: nobody waits. */
static inline bool progress_tell(LmpProgress *progress, const char *step, double share) {
    if (!progress) return true;
    double parts = progress->parts > 0 ? progress->parts : 1;
    return progress->tell(progress, step, (progress->part + share) / parts);
}

#endif
