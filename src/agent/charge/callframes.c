/* callframes.c - a hash table of frames' addresses: open addressing, doubled when half full.
 *
 * base/rowindex.h has hashes and row numbers alone. Here address and site are the whole row and
 * stand in the slot itself: with an index over an array of them each entered function that makes
 * tail calls would cost a second line of the cache, and a comparison more. */
#include "agent/charge/callframes.h"

#include <stddef.h>

#include "base/os.h"

enum { FIRST_SLOTS = 256 };

static LmpCallFrame *search(const LmpCallFrames *frames, uintptr_t ci) {
    uint32_t at = (uint32_t)(ci * 0x9e3779b97f4a7c15ull >> 32);
    for (;; at++) {
        LmpCallFrame *slot = &frames->slot[at & (frames->slots - 1)];
        if (!slot->ci || slot->ci == ci) return slot;
    }
}

bool callframes_open(LmpCallFrames *frames) {
    *frames = (LmpCallFrames){.slot = lmp_os->map(FIRST_SLOTS * sizeof *frames->slot, -1, 0, true)};
    if (frames->slot) frames->slots = FIRST_SLOTS;
    return frames->slot != NULL;
}

void callframes_close(LmpCallFrames *frames) {
    if (frames->slot) lmp_os->unmap(frames->slot, frames->slots * sizeof *frames->slot);
    *frames = (LmpCallFrames){0};
}

static bool grow(LmpCallFrames *frames) {
    LmpCallFrames more = {.slots = 2 * frames->slots, .used = frames->used};
    more.slot = lmp_os->map(more.slots * sizeof *more.slot, -1, 0, true);
    if (!more.slot) return false;
    for (uint32_t i = 0; i < frames->slots; i++)
        if (frames->slot[i].ci) *search(&more, frames->slot[i].ci) = frames->slot[i];
    lmp_os->unmap(frames->slot, frames->slots * sizeof *frames->slot);
    *frames = more;
    return true;
}

void callframes_put(LmpCallFrames *frames, uintptr_t ci, uint32_t site) {
    LmpCallFrame *slot = search(frames, ci);
    if (!slot->ci) {
        if (frames->used >= frames->slots / 2 && !frames->refused) {
            frames->refused = !grow(frames);
            slot = search(frames, ci);
        }
        if (frames->used >= frames->slots / 8 * 7) return;
        slot->ci = ci;
        frames->used++;
    }
    slot->site = site;
}

uint32_t callframes_find(const LmpCallFrames *frames, uintptr_t ci) {
    return search(frames, ci)->site; /* of a free one: 0 */
}
