/* flamestate.h - what a flame graph shows: the figure, what is zoomed to, selected and sought;
 * brings bars, layout and matches up to date when the figures or any of that have changed. Keys
 * and drawing: panel_flame.c. */
#ifndef LMP_FLAMESTATE_H
#define LMP_FLAMESTATE_H

#include "panels/flame/flamedraw.h"
#include "panels/flame/flamefind.h"

#define FLAME_PARTS (LEDGER_TREE | LEDGER_FUNCTIONS | LEDGER_TREE_KINDS)

/* What the bars and the layout were made for. */
typedef struct FlameMade {
    uint64_t serial; /* of model->ledger; 0: none */
    FlameMetric metric;
    bool inverted;
    FlameView view;
} FlameMade;

typedef struct Flame {
    FlameTree *tree;
    FlamePlan layout;
    FlameMetric metric; /* as chosen; some are not available without a mark */
    FlameMetric ranged; /* the same in a range of time (Model.held) */
    FlameMetric since;  /* the same while survivors are shown (Model.since) */
    FlameColour colour;
    bool against; /* the difference between two runs has been chosen, once */
    bool inverted;
    FlameZoom zoom[FLAME_ZOOMS]; /* the first one is everything */
    int zooms;                   /* the last one is on the screen */
    FlamePlace chosen;           /* the bar that is selected ... */
    bool rest;                   /* ... or its children that are too narrow */
    bool follow;                 /* the selection has moved: bring its row onto the screen */
    int top;                     /* the first row on the screen */
    int tall;                    /* lines of a row ... */
    uint64_t tall_of;            /* ... for this zoom */

    LineEdit edit; /* what to seek: words ... */
    uint32_t same; /* ... or one function, its LmpFunctionRow.id + 1; 0: none */
    FlameFind find;
    uint8_t *match; /* by function: sought */
    uint32_t match_room;
    char sought[EDIT_MAX]; /* what `find` is about */
    uint32_t sought_same;
    uint64_t sought_zoom;
    bool found;        /* `find` is up to date for these */
    uint32_t in_sight; /* hits that have a block */
    uint32_t place;    /* number of the hit that n went to; 0: none */

    FlameMade made;
    bool failed;             /* no memory */
    uint32_t root, selected; /* bars: zoomed to, selected */
    uint32_t at;             /* the selection's block; FLAME_NONE */
    bool hidden;             /* the selection has no block of its own: `at` is one around it */
} Flame;

/* As in Panel. */
bool flamestate_begin(void *state);
void flamestate_end(void *state);
/* Returns true if call paths have been read. `s` may be NULL. */
bool flamestate_there(const Flame *s, const Model *model);
/* Return what is shown, which is not always what was chosen: some figures need a mark. */
FlameMetric *flamestate_chosen(Flame *s, const Model *model);
FlameMetric flamestate_metric(const Flame *s, const Model *model);
FlameColour flamestate_colour(const Flame *s, const Model *model);
/* Returns the figure's name. */
const char *flamestate_name(FlameMetric metric, const Model *model);
/* Returns true if anything is sought. */
bool flamestate_seeks(const Flame *s);
FlameZoom *flamestate_zoom(Flame *s);
/* Returns the lines of the graph itself in a panel's rect. */
int flamestate_rows(Rect rect);
/* Brings everything up to date. Returns false: nothing to show. */
bool flamestate_sync(Flame *s, const Model *model, Rect rect);

extern const Panel panel_flame;

#endif
