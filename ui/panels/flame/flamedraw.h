/* flamedraw.h - draws a flame graph: the colours and names of its blocks, and the lines below it
 * about the selected block. */
#ifndef LMP_FLAMEDRAW_H
#define LMP_FLAMEDRAW_H

#include "panels/flame/flamefind.h"
#include "widget/panel.h"

typedef enum FlameColour {
    FLAME_BY_LIVES,  /* what share of the bytes made still lives */
    FLAME_BY_TYPE,   /* the type that has most bytes */
    FLAME_BY_CHANGE, /* live bytes now less those at the mark: grown, shrunk */
    FLAME_COLOURS
} FlameColour;

enum { FLAME_TALL = 3 };

typedef struct FlameLook {
    FlameTree *tree;
    const FlamePlan *layout;
    const FlameFind *find; /* lights up what matches; NULL: nothing is sought */
    FlameMetric metric;
    FlameColour colour;
    bool range;        /* figures since the mark are those of a range of time */
    uint32_t root;     /* the bar that is zoomed to */
    uint32_t selected; /* bar */
    uint32_t at;       /* the selected bar's block; FLAME_NONE */
    int tall;     /* lines of a block, up to FLAME_TALL: its name, its figure, its share of all */
    bool against; /* two runs are compared, in place of now and a mark */
    bool rest;    /* the selection is the children of `selected` that are too narrow */
} FlameLook;

/* Returns the lines below the graph in a panel of h lines. */
int flamedraw_lines(int h);
/* Draws the rows of the layout from rect's first line on. */
void flamedraw_graph(const FlameLook *look, const Ui *ui, Canvas *canvas, Rect rect);
/* Draws the lines below, at most `lines` from rect's first on. */
void flamedraw_below(const FlameLook *look, const Ui *ui, Canvas *canvas, Rect rect, int lines);
/* Returns the word behind a figure; `range`: as in FlameLook. */
const char *flamedraw_word(FlameMetric metric, bool range);
/* Writes a figure of the metric: "12.3 MiB", "1,204". `out` has LMP_NUM bytes. */
char *flamedraw_figure(char *out, FlameMetric metric, uint64_t value);

#endif
