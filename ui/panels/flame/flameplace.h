/* flameplace.h - places in a flame graph that outlive a refresh, such as the zooms: the functions
 * on the way from the root to a frame. */
#ifndef LMP_FLAMEPLACE_H
#define LMP_FLAMEPLACE_H

#include "panels/flame/flamefind.h"

#define FLAME_ZOOMS 64 /* zooms that escape goes back through */

typedef struct FlamePlace {
    uint32_t *id; /* LmpFunctionRow.id of each function, from the outermost on */
    uint32_t n, room;
} FlamePlace;

typedef struct FlameZoom {
    FlamePlace place;
    bool paged; /* shows a rest of the frame's children (FlameView) */
    uint32_t skip;
} FlameZoom;

/* Return false: no memory, and the place is unchanged. */
bool flameplace_set(FlamePlace *place, const FlameTree *tree, uint32_t frame);
bool flameplace_of_hit(FlamePlace *place, const FlameTree *tree, const FlameHit *hit);
bool flameplace_copy(FlamePlace *place, const FlamePlace *from);
void flameplace_free(FlamePlace *place);
/* Returns the frame of a place, or the innermost frame around it that exists now; *whole: it is the
 * frame itself. */
uint32_t flameplace_find(const FlamePlace *place, FlameTree *tree, bool *whole);

#endif
