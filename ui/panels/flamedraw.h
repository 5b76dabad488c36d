/* flamedraw.h - how a flame graph looks: the colours and names of its blocks, and the lines below
 * it about the one that is selected. */
#ifndef LMP_FLAMEDRAW_H
#define LMP_FLAMEDRAW_H

#include "panels/flamefind.h"
#include "widget/panel.h"

typedef enum FlameColour {
    FLAME_BY_LIVES,  /* what share of the bytes made still lives */
    FLAME_BY_TYPE,   /* the type that has most of it */
    FLAME_BY_CHANGE, /* live bytes now less those at the mark: grown, shrunk */
    FLAME_COLOURS
} FlameColour;

enum { FLAME_TALL = 3 };

typedef struct FlameLook {
    FlameTree *tree;
    const FlameLayout *layout;
    const FlameFind *find; /* what matches is lit; NULL: nothing is sought */
    FlameMetric metric;
    FlameColour colour;
    bool range;        /* figures since the mark are those of a range of time */
    uint32_t root;     /* frame that is zoomed to */
    uint32_t selected; /* frame */
    uint32_t at;       /* the block that stands for it; FLAME_NONE */
    int tall;     /* lines of a block, up to FLAME_TALL: its name, its figure, its share of all */
    bool against; /* two runs are compared, in place of now and a mark */
    bool rest;    /* selected are children of `selected` that are too narrow */
} FlameLook;

/* Lines below the graph in a panel of h lines. */
int flamedraw_lines(int h);
/* Draws the rows of the layout from rect's first line on. */
void flamedraw_graph(const FlameLook *look, const Ui *ui, Canvas *canvas, Rect rect);
/* Draws the lines below, at most `lines` from rect's first on. */
void flamedraw_below(const FlameLook *look, const Ui *ui, Canvas *canvas, Rect rect, int lines);
/* The name of a frame, as it is on its block: safe to draw. The root: "all". */
void flamedraw_name(const FlameTree *tree, uint32_t frame, bool utf8, char *out, size_t size);
/* The word behind a figure; `range`: as in FlameLook. */
const char *flamedraw_word(FlameMetric metric, bool range);
/* A figure of the metric: "12.3 MiB", "1,204". `out` has LMP_NUM bytes. */
char *flamedraw_figure(char *out, FlameMetric metric, uint64_t value);

#endif
