/* callframes.h - who has made a tail call: the frame that made it is its callee's then, and nothing
 * in the interpreter says whose it was. So each frame whose function makes tail calls is noted,
 * with the site of these, when it is entered.
 *
 * Frames are never taken out: a thread's are used again, and a new one at the address of an old one
 * is noted anew before it makes a tail call. There are as many as there ever were at once. */
#ifndef LMP_CALLFRAMES_H
#define LMP_CALLFRAMES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LmpCallFrame {
    uintptr_t ci; /* 0: free */
    uint32_t site, spare;
} LmpCallFrame;

typedef struct LmpCallFrames {
    LmpCallFrame *slot;
    uint32_t slots, used; /* slots: a power of two */
    bool refused;         /* the system gives no more */
} LmpCallFrames;

bool callframes_open(LmpCallFrames *frames);
void callframes_close(LmpCallFrames *frames);

/* Notes a frame and the site that called it; without memory for one more, does nothing. */
void callframes_put(LmpCallFrames *frames, uintptr_t ci, uint32_t site);
/* Returns the site of a frame's tail calls; 0: it is not known. */
uint32_t callframes_find(const LmpCallFrames *frames, uintptr_t ci);

#endif
