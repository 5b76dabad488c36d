/* flamelayout.h - which block of a flame graph stands where: pure arithmetic, which knows neither
 * what a frame is nor how one is drawn.
 *
 * A row divides the columns of each frame among those it called, by largest remainder, so that they
 * add up to its columns exactly; what is its own is left over at the right. A child that would get
 * less than a column is drawn by none of its own, but none vanishes: such children join one block,
 * the rest, which has at least one column. Of each row only frames that have a column are looked
 * into, so the work is that of what can be seen. */
#ifndef LMP_FLAMELAYOUT_H
#define LMP_FLAMELAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define FLAME_NONE UINT32_MAX

/* What is laid out. `value` of a frame is at least the sum of its children's. */
typedef struct FlameNodes {
    void *context;
    /* Children of a frame: returns how many, numbered from *first on, in any order. */
    uint32_t (*children)(void *context, uint32_t node, uint32_t *first);
    uint64_t (*value)(void *context, uint32_t node);
    /* < 0: a stands left of b. Never 0 for two children of one frame. */
    int (*compare)(void *context, uint32_t a, uint32_t b);
} FlameNodes;

typedef struct FlameBlock {
    int x, w;       /* columns, w > 0 */
    uint32_t node;  /* of the rest: whose children they are */
    uint32_t rest;  /* children in it (count); 0: a frame */
    uint32_t up;    /* block in the row above; FLAME_NONE: none that is laid out */
    uint64_t value; /* of the frame; of the rest: the sum */
} FlameBlock;

typedef struct FlameLayout {
    FlameBlock *block; /* row after row, each from left to right */
    uint32_t *row;     /* row[i] up to row[i + 1] is the row top + i; `rows` of them */
    int top, rows;
    int depth;   /* rows there are from the root on, as far as has been looked: up to top + h */
    bool deeper; /* there are more below the last one */
    bool failed; /* no memory: there are no blocks */
    /* private */
    uint32_t blocks, block_room, row_room;
} FlameLayout;

/* What is laid out, and where. */
typedef struct FlameView {
    uint32_t root;
    bool paged; /* a rest of the root's children: those after the `skip` largest, by shares of
                   those shown */
    uint32_t skip;
    int w, h; /* columns, rows */
    int top;  /* the first row of them: the root's is 0 */
} FlameView;

/* `layout` all zeroes before the first time. */
void flamelayout_make(FlameLayout *layout, const FlameNodes *nodes, const FlameView *view);
void flamelayout_free(FlameLayout *layout);
/* The block at a column of a row (from the root's, 0, on); FLAME_NONE: there is none. */
uint32_t flamelayout_at(const FlameLayout *layout, int x, int row);
/* The row that a block is in. */
int flamelayout_row_of(const FlameLayout *layout, uint32_t block);

/* Divides w columns among value[0] .. value[n - 1], a rest and what is left over: width[i],
 * width[n] and width[n + 1]. The rest gets at least one if it is not 0, and w permits. */
void flamelayout_divide(const uint64_t *value, uint32_t n, uint64_t rest, uint64_t own, int w,
                        int *width);

#endif
