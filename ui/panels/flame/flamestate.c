/* flamestate.c - brings a flame graph up to date: makes the tree anew if the ledger or the figure
 * has changed, finds zoom and selection again by their places, lays out, finds the selection's
 * block, and searches. */
#include "panels/flame/flamestate.h"

#include <stdlib.h>
#include <string.h>

#include "widget/describe.h"
#include "widget/shownfigure.h"
#include "widget/table.h"

static void ended(LineEdit *edit, Ui *ui, bool entered) {
    (void)ui;
    if (!entered) edit_clear(edit);
}

bool flamestate_begin(void *state) {
    Flame *s = state;
    s->tree = flametree_new();
    s->zooms = 1;
    s->ranged = FLAME_MADE_SINCE;
    s->since = FLAME_SURVIVE;
    s->edit = (LineEdit){.prompt = "find", .help = "enter keep  esc clear", .done = ended};
    return s->tree != NULL;
}

void flamestate_end(void *state) {
    Flame *s = state;
    flametree_free(s->tree);
    flameplan_free(&s->layout);
    flamefind_free(&s->find);
    for (int i = 0; i < FLAME_ZOOMS; i++)
        flameplace_free(&s->zoom[i].place);
    flameplace_free(&s->chosen);
    free(s->match);
}

bool flamestate_there(const Flame *s, const Model *model) {
    return s && model->ledger.stacks && model->ledger.nodes > 0 &&
           (model->ledger_parts & FLAME_PARTS) == FLAME_PARTS;
}

FlameMetric *flamestate_chosen(Flame *s, const Model *model) {
    return shownfigure_in_range(model)   ? &s->ranged
           : shownfigure_in_since(model) ? &s->since
                                         : &s->metric;
}

FlameMetric flamestate_metric(const Flame *s, const Model *model) {
    FlameMetric metric = shownfigure_in_range(model)   ? s->ranged
                         : shownfigure_in_since(model) ? s->since
                                                       : s->metric;
    const FlameMetricInfo *info = &flame_metric[metric];
    bool none = (info->marked && !model->ledger_marked) ||
                (info->compared && !model->against.name) ||
                (info->since && !shownfigure_in_since(model));
    return none ? FLAME_LIVE : metric;
}

const char *flamestate_name(FlameMetric metric, const Model *model) {
    const FlameMetricInfo *info = &flame_metric[metric];
    if (shownfigure_in_range(model) && info->ranged) return info->ranged;
    return model->against.name && info->compared_name ? info->compared_name : info->name;
}

/* Chooses, once, what differs if two runs are compared. */
static void flamestate_compare(Flame *s, const Model *model) {
    if (s->against || !model->against.name) return;
    s->against = true;
    s->metric = FLAME_EITHER;
    s->colour = FLAME_BY_CHANGE;
}

FlameColour flamestate_colour(const Flame *s, const Model *model) {
    return s->colour == FLAME_BY_CHANGE && !model->ledger_marked ? FLAME_BY_LIVES : s->colour;
}

bool flamestate_seeks(const Flame *s) {
    return (s->edit.used > 0 || s->same);
}

FlameZoom *flamestate_zoom(Flame *s) {
    return &s->zoom[s->zooms - 1];
}

int flamestate_rows(Rect rect) {
    return rect.h - flamedraw_lines(rect.h);
}

/* ---- what is sought -------------------------------------------------------------------------- */

static bool mark_matches(Flame *s, const Ledger *ledger) {
    if (ledger->functions > s->match_room || !s->match) {
        free(s->match);
        s->match_room = ledger->functions + ledger->functions / 4 + 1;
        s->match = malloc(s->match_room);
        if (!s->match) return false;
    }
    for (uint32_t i = 0; i < ledger->functions; i++) {
        const LmpFunctionRow *f = &ledger->function[i];
        char text[512];
        describe_words(text, sizeof text, f->name, f->short_src, f->linedefined);
        s->match[i] = s->same ? f->id + 1 == s->same : table_words_match(s->edit.text, text);
    }
    return true;
}

static void seek(Flame *s, const Ledger *ledger, bool fresh) {
    if (!flamestate_seeks(s)) {
        s->found = false;
        s->place = 0;
        return;
    }
    uint64_t zoom = flametree_call(s->tree, s->root)->key;
    bool same = s->found && !fresh && s->sought_zoom == zoom && s->sought_same == s->same &&
                strcmp(s->sought, s->edit.text) == 0;
    if (!same) {
        s->found =
            mark_matches(s, ledger) && flamefind_update(&s->find, s->tree, s->match, s->root);
        s->sought_zoom = zoom;
        if (s->sought_same != s->same || strcmp(s->sought, s->edit.text) != 0) s->place = 0;
        s->sought_same = s->same;
        memcpy(s->sought, s->edit.text, sizeof s->sought);
    }
    s->in_sight = 0;
    for (uint32_t i = 0; i < s->layout.row[s->layout.rows] && s->found; i++) {
        const FlameBlock *block = &s->layout.block[i];
        s->in_sight += !block->rest && flamefind_has(&s->find, s->tree, block->node);
    }
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* The block in `row` of a bar, or of its children that are too narrow. */
static uint32_t block_of(const Flame *s, int row, uint32_t bar, bool rest) {
    int i = row - s->layout.top;
    if (i < 0 || i >= s->layout.rows) return FLAME_NONE;
    for (uint32_t b = s->layout.row[i]; b < s->layout.row[i + 1]; b++)
        if (s->layout.block[b].node == bar && (s->layout.block[b].rest > 0) == rest) return b;
    return FLAME_NONE;
}

static int row_of_bar(const Flame *s, uint32_t bar) {
    return (int)(flametree_call(s->tree, bar)->depth - flametree_call(s->tree, s->root)->depth);
}

static void make_screenplan(Flame *s, Rect rect, bool fresh) {
    int h = flamestate_rows(rect);
    FlameView view = {.root = s->root,
                      .paged = flamestate_zoom(s)->paged,
                      .skip = flamestate_zoom(s)->skip,
                      .w = rect.w,
                      .h = h};
    view.top = s->top;
    const FlameView *was = &s->made.view;
    bool same = !fresh && was->root == view.root && was->paged == view.paged &&
                was->skip == view.skip && was->w == view.w && was->h == view.h &&
                was->top == view.top;
    s->made.view = view;
    if (same) return;
    FlameNodes nodes = flametree_nodes(s->tree);
    flameplan_make(&s->layout, &nodes, &view);
    if (s->layout.rows > 0 || s->top == 0 || s->layout.failed) return;
    s->top =
        s->layout.depth > h ? s->layout.depth - h : 0; /* the tree has not so many rows any more */
    s->made.view.top = view.top = s->top;
    flameplan_make(&s->layout, &nodes, &view);
}

/* Chooses the lines of a row: if all rows are on the screen, they share its lines. While a person
 * looks at the same bar, rows get lower as more come, but not higher again, so that the picture
 * does not jump. */
static void choose_tall(Flame *s, int h, bool other) {
    const FlamePlan *layout = &s->layout;
    uint64_t zoom = flametree_call(s->tree, s->root)->key;
    bool all = layout->top == 0 && !layout->deeper && layout->rows > 0;
    int most = all ? h / layout->rows : 1;
    if (most > FLAME_TALL) most = FLAME_TALL;
    if (other || zoom != s->tall_of || most < s->tall) s->tall = most;
    s->tall_of = zoom;
}

/* Finds the selection's block: its own, or that of the rest it is among, or else that of the
 * innermost bar around it that has one. */
static void find_block(Flame *s) {
    s->at = block_of(s, row_of_bar(s, s->selected) + s->rest, s->selected, s->rest);
    s->hidden = s->at == FLAME_NONE;
    for (uint32_t bar = s->selected; s->at == FLAME_NONE;
         bar = flametree_call(s->tree, bar)->parent) {
        int row = row_of_bar(s, bar);
        s->at = block_of(s, row, bar, false);
        if (s->at == FLAME_NONE || bar == s->selected) {
            if (bar == s->root || row <= 0) break;
            continue;
        }
        uint32_t rest = block_of(s, row + 1, bar, true);
        if (rest != FLAME_NONE) s->at = rest;
    }
}

static void find_bars(Flame *s) {
    bool whole, zoomed;
    s->root = flameplace_find(&flamestate_zoom(s)->place, s->tree, &zoomed);
    s->selected = flameplace_find(&s->chosen, s->tree, &whole);
    uint32_t up = s->selected;
    while (flametree_call(s->tree, up)->depth > flametree_call(s->tree, s->root)->depth)
        up = flametree_call(s->tree, up)->parent;
    if (up != s->root) s->selected = s->root;
}

bool flamestate_sync(Flame *s, const Model *model, Rect rect) {
    flamestate_compare(s, model);
    FlameMetric metric = flamestate_metric(s, model);
    bool other = s->made.metric != metric || s->made.inverted != s->inverted ||
                 s->made.view.w != rect.w || s->made.view.h != flamestate_rows(rect);
    bool fresh = s->made.serial != model->ledger_serial || s->made.metric != metric ||
                 s->made.inverted != s->inverted || s->failed;
    if (fresh) {
        s->made.serial = model->ledger_serial;
        s->made.metric = metric;
        s->made.inverted = s->inverted;
        s->failed = !flametree_update(s->tree, &model->ledger, metric, s->inverted);
    }
    if (s->failed) return false;
    find_bars(s);
    int row = row_of_bar(s, s->selected) + s->rest, h = flamestate_rows(rect);
    if (s->follow && row < s->top) s->top = row;
    if (s->follow && h > 0 && row >= s->top + h) s->top = row - h + 1;
    s->follow = false;
    make_screenplan(s, rect, fresh);
    if (s->layout.failed || s->layout.rows == 0) return false;
    choose_tall(s, h, other);
    find_block(s);
    seek(s, &model->ledger, fresh);
    return true;
}
