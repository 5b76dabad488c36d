/* flameplan.h - gives the blocks of a flame graph their places: pure arithmetic, without knowing
 * what a bar is or how it is drawn.
 *
 * A row divides the columns of each bar among those it called, by largest remainder, so that they
 * add up to its columns exactly; the bar's own part is left over at the right. Children that
 * would get less than a column join one block, the rest, which has at least one column: so none
 * vanishes. Only bars that have a column are looked into, so the work is that of what can be
 * seen. */
#ifndef LMP_PANELS_FLAME_FLAMEPLAN_H
#define LMP_PANELS_FLAME_FLAMEPLAN_H

#include <stdbool.h>
#include <stdint.h>

#define FLAME_NONE UINT32_MAX

/* What is laid out. `value` of a bar is at least the sum of its children's. */
typedef struct FlameNodes {
    void *context;
    /* Returns how many children a bar has, numbered from *first on, in any order. */
    uint32_t (*children)(void *context, uint32_t node, uint32_t *first);
    uint64_t (*value)(void *context, uint32_t node);
    /* Returns < 0: a stands left of b. Never 0 for two children of one bar. */
    int (*compare)(void *context, uint32_t a, uint32_t b);
} FlameNodes;

typedef struct FlameBlock {
    int x, w;       /* columns, w > 0 */
    uint32_t node;  /* the bar; for the rest: the children's parent */
    uint32_t rest;  /* children in it (count); 0: a bar */
    uint32_t up;    /* block in the row above; FLAME_NONE: none is laid out */
    uint64_t value; /* of the bar; for the rest: the sum */
} FlameBlock;

typedef struct FlamePlan {
    FlameBlock *block; /* row after row, each from left to right */
    uint32_t *row;     /* row[i] up to row[i + 1] is the row top + i; `rows` of them */
    int top, rows;
    int depth;   /* rows from the root on, as far as looked at: up to top + h */
    bool deeper; /* there are more rows below the last one */
    bool failed; /* no memory: no blocks */
    /* private */
    uint32_t blocks, block_room, row_room;
} FlamePlan;

/* The part to lay out, and the room for it. */
typedef struct FlameView {
    uint32_t root;
    bool paged; /* shows a rest of the root's children: those after the `skip` largest, in shares of
                   the shown ones */
    uint32_t skip;
    int w, h; /* columns, rows */
    int top;  /* the first of these rows: the root's is 0 */
} FlameView;

/* Lays the graph out. `layout`: all zeroes before the first time. */
void flameplan_make(FlamePlan *layout, const FlameNodes *nodes, const FlameView *view);
void flameplan_free(FlamePlan *layout);
/* Returns the block at a column of a row (from the root's, 0, on); FLAME_NONE: none. */
uint32_t flameplan_at(const FlamePlan *layout, int x, int row);
/* Returns the row that a block is in. */
int flameplan_row_of(const FlamePlan *layout, uint32_t block);

/* Divides w columns among value[0] .. value[n - 1], a rest and what is left over: width[i],
 * width[n] and width[n + 1]. The rest gets at least one if it is not 0, and w permits. */
void flameplan_divide(const uint64_t *value, uint32_t n, uint64_t rest, uint64_t own, int w,
                      int *width);

#endif
