/* flameplace.h - places in a flame graph that outlive a refresh: the functions on the way from the
 * root to a frame; and the frames that have been zoomed to. */
#ifndef LMP_FLAMEPLACE_H
#define LMP_FLAMEPLACE_H

#include "panels/flamefind.h"

#define FLAME_ZOOMS 64 /* that escape goes back by */

typedef struct FlamePlace {
    uint32_t *id; /* LmpFunctionRow.id of each, from the outermost on */
    uint32_t n, room;
} FlamePlace;

typedef struct FlameZoom {
    FlamePlace place;
    bool paged; /* a rest of its children, as FlameView has it */
    uint32_t skip;
} FlameZoom;

/* False: no memory, and the place is as it was. */
bool flameplace_set(FlamePlace *place, const FlameTree *tree, uint32_t frame);
bool flameplace_of_hit(FlamePlace *place, const FlameTree *tree, const FlameHit *hit);
bool flameplace_copy(FlamePlace *place, const FlamePlace *from);
void flameplace_free(FlamePlace *place);
/* The frame of a place, or the innermost around it that is there now; *whole: it is the one. */
uint32_t flameplace_find(const FlamePlace *place, FlameTree *tree, bool *whole);

#endif
