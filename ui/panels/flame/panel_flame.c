/* panel_flame.c - keys and mouse of the call tree as a flame graph that hangs from the top: each
 * bar as wide as its share, below it the functions it called; or inverted. F in the tree opens
 * it. Bars: flametree.c; places: flameplan.c; search: flamefind.c; drawing: flamedraw.c;
 * selection and zoom: flamestate.c. */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/flame/flamestate.h"
#include "widget/shownfigure.h"
#include "widget/tallycell.h"

#define LEGIBLE 8 /* columns for a match that is brought into view */

static bool seeks(const void *state) {
    return state && flamestate_seeks(state);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static FlameLook look_of(Flame *s, const Model *model) {
    return (FlameLook){.tree = s->tree,
                       .layout = &s->layout,
                       .find = s->found ? &s->find : NULL,
                       .metric = flamestate_metric(s, model),
                       .colour = flamestate_colour(s, model),
                       .range = shownfigure_in_range(model),
                       .root = s->root,
                       .selected = s->selected,
                       .at = s->at,
                       .tall = s->tall,
                       .against = model->against.name != NULL,
                       .rest = s->rest && !s->hidden};
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Flame *s = state;
    if (!s || rect.w <= 0 || rect.h <= 0) return;
    if (!tallycell_can(model, ui, canvas, rect, NEED_STACKS, FLAME_PARTS) ||
        !flamestate_there(s, model))
        return;
    if (!flamestate_sync(s, model, rect)) {
        char text[128];
        snprintf(text, sizeof text,
                 s->failed || s->layout.failed ? "no memory for the graph"
                                               : "%s: nothing now; %% shows another figure",
                 flamestate_name(flamestate_metric(s, model), model));
        canvas_text(canvas, rect.x + (rect.w > 30), rect.y, rect.w - 1, STYLE(TONE_MUTED), text);
        return;
    }
    FlameLook look = look_of(s, model);
    flamedraw_graph(&look, ui, canvas, rect);
    int lines = flamedraw_lines(rect.h);
    Rect below = {rect.x, rect.y + rect.h - lines, rect.w, lines};
    flamedraw_below(&look, ui, canvas, below, lines);
}

/* Writes "walk": 12.3 % · 3 of 17 bars, 4 more too narrow. */
static void note_found(const Flame *s, const Ui *ui, char *out, size_t size) {
    char what[64], count[LMP_NUM], place[LMP_NUM + 8] = "", hidden[LMP_NUM + 40] = "";
    uint64_t all = flametree_value(s->tree, FLAME_ROOT);
    double percent = all ? (double)s->find.value / (double)all * 100 : 0;
    uint32_t unseen = s->find.inside > s->in_sight ? s->find.inside - s->in_sight : 0;
    bool deep = s->layout.deeper || s->layout.top > 0;
    if (s->same)
        snprintf(what, sizeof what, "the same function");
    else
        format_text(what, sizeof what, s->edit.text, !ui->utf8);
    if (s->place) snprintf(place, sizeof place, "%s of ", format_count(count, s->place));
    if (unseen)
        snprintf(hidden, sizeof hidden, ", %s %s%s", format_count(count, unseen),
                 s->in_sight ? "more " : "", deep ? "out of sight" : "too narrow");
    snprintf(out, size, "%s%s%s: %s%.1f %% · %s%s%s frame%s%s", s->same ? "" : "\"", what,
             s->same ? "" : "\"", s->find.cut ? "at least " : "", percent, place,
             format_count(count, s->find.hits), s->find.cut ? "+" : "",
             s->find.hits == 1 ? "" : "s", hidden);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    Flame *s = state;
    char figure[LMP_NUM];
    if (!flamestate_there(s, model) || s->failed || s->made.serial == 0) return;
    FlameMetric metric = flamestate_metric(s, model);
    if (flamestate_seeks(s) && s->found) {
        note_found(s, ui, out, size);
        return;
    }
    static const char *const colours[] = {"what lives", "types", "change"};
    snprintf(out, size, "%s%s%s%s%s · %% %s · T %s · I %s",
             flametree_fold(s->tree)->cut ? "cut short, "
             : model->ledger.sample       ? "sampled, "
                                          : "",
             flamedraw_figure(figure, metric, flametree_value(s->tree, s->root)),
             flame_metric[metric].bytes ? " " : "", flame_metric[metric].bytes ? "" : " ",
             flame_metric[metric].bytes ? flamedraw_word(metric, shownfigure_in_range(model))
                                        : flamestate_name(metric, model),
             flamestate_name(metric, model), colours[flamestate_colour(s, model)],
             s->inverted ? "callees" : "callers");
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static void choose(Flame *s, uint32_t block) {
    if (block >= s->layout.row[s->layout.rows]) return;
    const FlameBlock *b = &s->layout.block[block];
    if (!flameplace_set(&s->chosen, s->tree, b->node)) return;
    s->rest = b->rest > 0;
    s->follow = true;
}

static void sideways(Flame *s, int step) {
    if (s->at == FLAME_NONE) return;
    int i = flameplan_row_of(&s->layout, s->at) - s->layout.top;
    if (step < 0 && s->at > s->layout.row[i]) choose(s, s->at - 1);
    if (step > 0 && s->at + 1 < s->layout.row[i + 1]) choose(s, s->at + 1);
}

/* Scrolls so that there is a row above (-1) or below (1) the row of `at` on the screen. */
static void scroll_to(Flame *s, const Model *model, Rect rect, int step) {
    int row = s->at == FLAME_NONE ? 0 : flameplan_row_of(&s->layout, s->at) + step;
    bool beyond = step > 0 ? row >= s->layout.top + s->layout.rows && s->layout.deeper
                           : row < s->layout.top && row >= 0;
    if (!beyond) return;
    s->top += step;
    flamestate_sync(s, model, rect);
}

static void up(Flame *s, const Model *model, Rect rect) {
    scroll_to(s, model, rect, -1);
    if (s->at != FLAME_NONE) choose(s, s->layout.block[s->at].up);
}

/* Goes to the widest child; of two alike the left one. */
static void down(Flame *s, const Model *model, Rect rect) {
    scroll_to(s, model, rect, 1);
    if (s->at == FLAME_NONE) return;
    int i = flameplan_row_of(&s->layout, s->at) - s->layout.top + 1;
    uint32_t most = FLAME_NONE;
    if (i >= s->layout.rows) return;
    for (uint32_t b = s->layout.row[i]; b < s->layout.row[i + 1]; b++) {
        const FlameBlock *block = &s->layout.block[b];
        if (block->up == s->at && (most == FLAME_NONE || block->w > s->layout.block[most].w))
            most = b;
    }
    choose(s, most);
}

static void zoom_to(Flame *s, const FlamePlace *place, bool paged, uint32_t skip) {
    if (s->zooms == FLAME_ZOOMS) { /* the oldest but the first is forgotten */
        FlameZoom second = s->zoom[1];
        memmove(s->zoom + 1, s->zoom + 2, (FLAME_ZOOMS - 2) * sizeof second);
        s->zoom[FLAME_ZOOMS - 1] = second;
        s->zooms--;
    }
    FlameZoom *zoom = &s->zoom[s->zooms];
    if (!flameplace_copy(&zoom->place, place)) return;
    zoom->paged = paged;
    zoom->skip = skip;
    s->zooms++;
    s->top = 0;
    s->follow = true;
}

static uint32_t children_shown(const Flame *s) {
    uint32_t n = 0;
    if (s->layout.top > 0 || s->layout.rows < 2) return 0;
    for (uint32_t b = s->layout.row[1]; b < s->layout.row[2]; b++)
        n += s->layout.block[b].rest == 0;
    return n;
}

/* Zooms into the bar of the selection's block; into a rest that has the whole screen already, by
 * its next page. */
static bool zoom_in(Flame *s) {
    if (s->at == FLAME_NONE) return true;
    FlameBlock block = s->layout.block[s->at];
    FlamePlace place = {0};
    bool root = block.node == s->root, own = s->hidden && !block.rest;
    s->rest = false;
    if (!flameplace_set(&place, s->tree, own ? s->selected : block.node)) return true;
    if (block.rest && root)
        zoom_to(s, &place, true, flamestate_zoom(s)->skip + children_shown(s));
    else if (own || !root)
        zoom_to(s, &place, false, 0);
    flameplace_free(&place);
    return true;
}

static bool zoom_out(Flame *s) {
    if (s->zooms <= 1) return false;
    s->zooms--;
    s->top = 0;
    s->follow = true;
    return true;
}

static void zoom_out_all(Flame *s) {
    s->zooms = 1;
    s->top = 0;
    s->chosen.n = 0;
    s->rest = false;
}

/* Goes down the path of the largest, as long as a child has at least half. */
static void hottest(Flame *s) {
    uint32_t bar = s->selected;
    for (uint32_t next = bar; next != FLAME_NONE;) {
        uint32_t first, n = flametree_children(s->tree, bar, &first);
        uint64_t most = 0;
        next = FLAME_NONE;
        for (uint32_t i = first; i < first + n; i++) {
            uint64_t value = flametree_value(s->tree, i);
            if (value <= most || value < flametree_value(s->tree, bar) / 2) continue;
            most = value;
            next = i;
        }
        if (next != FLAME_NONE) bar = next;
    }
    if (flameplace_set(&s->chosen, s->tree, bar)) s->rest = false;
    s->follow = true;
}

static bool in_view(Flame *s, const Model *model, Rect rect, int columns) {
    s->follow = true;
    return flamestate_sync(s, model, rect) && !s->hidden && s->at != FLAME_NONE &&
           s->layout.block[s->at].w >= columns;
}

/* Goes to the next match: selects it if it can be seen from here, else zooms to where it can. */
static bool next_match(Flame *s, const Model *model, Rect rect, int step) {
    if (!s->found) return false;
    uint32_t place;
    FlameHit hit;
    bool any = flamefind_next(&s->find, s->tree, s->selected, step, &hit, &place);
    if (!any || !flameplace_of_hit(&s->chosen, s->tree, &hit)) return true;
    s->place = place;
    s->rest = false;
    bool far = s->root != FLAME_ROOT;
    uint64_t key = hit.key;
    if (in_view(s, model, rect, 1) && flametree_call(s->tree, s->selected)->key == key) return true;
    bool whole;
    FlamePlace up = {0};
    uint32_t bar = flameplace_find(&s->chosen, s->tree, &whole);
    if (far) zoom_to(s, &s->zoom[0].place, false, 0);
    if (far && in_view(s, model, rect, LEGIBLE)) return true;
    if (far) zoom_out(s);
    if (whole && flameplace_set(&up, s->tree, flametree_call(s->tree, bar)->parent)) {
        zoom_to(s, &up, false, 0);
        if (!in_view(s, model, rect, LEGIBLE)) {
            zoom_out(s);
            zoom_to(s, &s->chosen, false, 0);
        }
    }
    flameplace_free(&up);
    return true;
}

static void next_metric(Flame *s, const Model *model) {
    FlameMetric *metric = flamestate_chosen(s, model);
    *metric = flamestate_metric(s, model);
    do
        *metric = (FlameMetric)((*metric + 1) % FLAME_METRICS);
    while (flamestate_metric(s, model) != *metric);
}

static void next_colour(Flame *s, const Model *model) {
    s->colour = flamestate_colour(s, model);
    do
        s->colour = (FlameColour)((s->colour + 1) % FLAME_COLOURS);
    while (flamestate_colour(s, model) != s->colour);
}

/* Lights up the same function everywhere; again: ends that. */
static void light_same(Flame *s, const Model *model) {
    uint32_t function = flametree_call(s->tree, s->selected)->function;
    if (function == FLAME_NONE) return;
    uint32_t id = model->ledger.function[function].id + 1;
    s->same = s->same == id ? 0 : id;
    edit_clear(&s->edit);
}

static bool back(Flame *s) {
    if (zoom_out(s)) return true;
    bool sought = flamestate_seeks(s);
    edit_clear(&s->edit);
    s->same = 0;
    return sought;
}

static void scroll(Flame *s, int rows) {
    int most = s->layout.deeper ? s->top + rows : s->top;
    s->top = s->top + rows < 0 ? 0 : rows < 0 ? s->top + rows : most;
}

static bool act_graph(Flame *s, const Model *model, Action action, Rect rect) {
    switch (action) {
    case ACT_LEFT:
    case ACT_RIGHT:
        sideways(s, action == ACT_LEFT ? -1 : 1);
        return true;
    case ACT_UP:
        up(s, model, rect);
        return true;
    case ACT_DOWN:
        down(s, model, rect);
        return true;
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
        scroll(s, (action == ACT_PAGE_UP ? -1 : 1) * flamestate_rows(rect) / 2);
        return true;
    case ACT_ENTER:
    case ACT_ZOOM_IN:
        return zoom_in(s);
    case ACT_HOTTEST:
        hottest(s);
        return true;
    case ACT_SAME:
        light_same(s, model);
        return true;
    case ACT_NEXT_MATCH:
    case ACT_MATCH_BEFORE:
        return next_match(s, model, rect, action == ACT_NEXT_MATCH ? 1 : -1);
    default:
        return false;
    }
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Flame *s = state;
    if (action == ACT_FLAME) {
        ui_close(ui);
        return true;
    }
    if (!s || !flamestate_there(s, model)) return false;
    bool shown = flamestate_sync(s, model, rect);
    switch (action) {
    case ACT_WIDTH:
        next_metric(s, model);
        return true;
    case ACT_COLOUR:
        next_colour(s, model);
        return true;
    case ACT_INVERT:
        s->inverted = !s->inverted;
        zoom_out_all(s);
        return true;
    case ACT_FILTER:
        s->same = 0;
        ui_edit(ui, &s->edit);
        return true;
    case ACT_HOME:
        zoom_out_all(s);
        return true;
    case ACT_ZOOM_OUT:
        zoom_out(s);
        return true;
    case ACT_BACK:
        return back(s);
    default:
        return shown && act_graph(s, model, action, rect);
    }
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    (void)ui;
    Flame *s = state;
    if (!flamestate_there(s, model) || !flamestate_sync(s, model, rect)) return false;
    if (event.what == MOUSE_WHEEL_UP || event.what == MOUSE_WHEEL_DOWN) {
        scroll(s, event.what == MOUSE_WHEEL_UP ? -1 : 1);
        return true;
    }
    if (event.y < 0 || event.y >= flamestate_rows(rect)) return true;
    uint32_t block = flameplan_at(&s->layout, event.x, s->layout.top + event.y / s->tall);
    if (block == FLAME_NONE) return true;
    choose(s, block);
    return event.what == MOUSE_CLICK; /* twice: enter */
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)ui;
    Flame *s = state;
    if (!flamestate_there(s, model) || s->failed || s->made.serial != model->ledger_serial)
        return false;
    uint32_t function = flametree_call(s->tree, s->selected)->function;
    if (function == FLAME_NONE) return false;
    const LmpFunctionRow *f = &model->ledger.function[function];
    int32_t line = flametree_line(s->tree, s->selected);
    *out = (PanelPlace){.source = f->raw_source,
                        .short_src = f->short_src,
                        .line = line > 0 ? line : f->linedefined,
                        .defined = line <= 0};
    return true;
}

const Panel panel_flame = {
    .title = "Flame",
    .about = "The call tree as a picture: each frame is as wide as its share, and whom it called "
             "hangs below it. Arrows and the mouse move, enter zooms, esc goes back, F is the "
             "tree.",
    .all_types = true,
    .ledger = FLAME_PARTS,
    .offers = {ACT_FLAME, ACT_WIDTH, ACT_COLOUR, ACT_SAME, ACT_INVERT, ACT_HOTTEST, ACT_FILTER,
               ACT_NEXT_MATCH, ACT_EDIT, ACT_ENTER, ACT_ZOOM_IN},
    .size = sizeof(Flame),
    .begin = flamestate_begin,
    .end = flamestate_end,
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note,
    .seeks = seeks,
    .place = place};
