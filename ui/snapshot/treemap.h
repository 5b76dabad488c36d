/* treemap.h - splits a room of cells among weights: each gets about its share, in a shape as near
 * to a square as possible. Whole cells, that cover the room exactly. */
#ifndef LMP_SNAPSHOT_TREEMAP_H
#define LMP_SNAPSHOT_TREEMAP_H

#include <stdint.h>

#include "screen/canvas.h"

/* A cell is `tall` times as high as it is wide: 1 for halves of characters, 2 for characters. */
typedef struct TreemapRoom {
    Rect rect;
    int tall;
    int least_w, least_h; /* a tile of its own has at least that */
} TreemapRoom;

/* Splits the room among all weights, in their order (largest first looks best). Weights of 0 get
 * nothing; if all are 0, the first has the room. */
void treemap_split(const TreemapRoom *room, const double *weight, uint32_t count, Rect *out);

/* Splits the room so that the first weights have tiles of their own, as many as fit without a tile
 * that is too small. The others join in a last tile along an edge, together with `more`, the weight
 * of those that are not in `weight`; that tile, too, has the least size. `out` has room for count +
 * 1. Returns how many have a tile of their own; out[that] is the last tile (w 0: nothing is
 * left). */
uint32_t treemap_fit(const TreemapRoom *room, const double *weight, uint32_t count, double more,
                     Rect *out);

#endif
