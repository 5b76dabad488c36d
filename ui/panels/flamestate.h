/* flamestate.h - what a flame graph shows: the figure, what is zoomed to, selected and sought; and
 * the bringing up to date of frames, layout and matches when the figures or any of that have
 * changed. Keys and drawing: panel_flame.c. */
#ifndef LMP_FLAMESTATE_H
#define LMP_FLAMESTATE_H

#include "panels/flamedraw.h"
#include "panels/flameplace.h"

#define FLAME_PARTS (LEDGER_TREE | LEDGER_FUNCTIONS | LEDGER_TREE_KINDS)

/* What the frames and the layout were made for. */
typedef struct FlameMade {
    uint64_t serial; /* of model->ledger; 0: of none */
    FlameMetric metric;
    bool inverted;
    FlameView view;
} FlameMade;

typedef struct Flame {
    FlameTree *tree;
    FlameLayout layout;
    FlameMetric metric; /* as chosen; without a mark some are not to be had */
    FlameMetric ranged; /* the same while a range of time is looked at (Model.held) */
    FlameMetric since;  /* the same while survivors are shown (Model.since) */
    FlameColour colour;
    bool against; /* what differs between two runs has been chosen, once */
    bool inverted;
    FlameZoom zoom[FLAME_ZOOMS]; /* the first one is everything */
    int zooms;                   /* the last one is on the screen */
    FlamePlace chosen;           /* the frame that is selected ... */
    bool rest;                   /* ... or its children that are too narrow */
    bool follow;                 /* the selection has moved: bring its row onto the screen */
    int top;                     /* the first row on the screen */
    int tall;                    /* lines of a row ... */
    uint64_t tall_of;            /* ... of what is zoomed to */

    LineEdit edit; /* what is sought: words ... */
    uint32_t same; /* ... or one function, its LmpFunctionRow.id + 1; 0: none */
    FlameFind find;
    uint8_t *match; /* by function: it is sought */
    uint32_t match_room;
    char sought[EDIT_MAX]; /* what `find` is of */
    uint32_t sought_same;
    uint64_t sought_zoom;
    bool found;        /* it is up to date but for these */
    uint32_t in_sight; /* hits that have a block */
    uint32_t place;    /* number of the hit that n came to; 0: none */

    FlameMade made;
    bool failed;             /* no memory */
    uint32_t root, selected; /* frames: zoomed to, selected */
    uint32_t at;             /* the selection's block; FLAME_NONE */
    bool hidden;             /* it has none of its own: `at` is one around it */
} Flame;

Flame *flamestate_new(void); /* NULL: no memory */
void flamestate_free(Flame *s);
/* Have call paths been read? `s` may be NULL. */
bool flamestate_there(const Flame *s, const Model *model);
/* What is shown of what was chosen: without a mark some is not to be had. */
FlameMetric *flamestate_chosen(Flame *s, const Model *model);
FlameMetric flamestate_metric(const Flame *s, const Model *model);
FlameColour flamestate_colour(const Flame *s, const Model *model);
/* The figure's name. */
const char *flamestate_name(FlameMetric metric, const Model *model);
/* Where two runs are compared, what differs is shown at first. */
void flamestate_compare(Flame *s, const Model *model);
/* Is anything sought? */
bool flamestate_seeks(const Flame *s);
FlameZoom *flamestate_zoom(Flame *s);
/* Lines of the graph itself in a panel's rect. */
int flamestate_rows(Rect rect);
/* Brings everything up to date. False: there is nothing to show. */
bool flamestate_sync(Flame *s, const Model *model, Rect rect);

#endif
