/* panel_compare.c - what has changed since an earlier snapshot: objects that are new, gone and
 * kept, by class, type, line or age; most growth first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "heap/heap_open.h"
#include "heap/heapcell.h"
#include "widget/bychoice.h"
#include "widget/tablepanel.h"
#include "widget/tallycell.h"

typedef struct Compare {
    TablePanel panel;
    LmpHeapBy by;
    uint64_t asked;
    uint32_t *fresh; /* the new objects of the group that was opened last */
} Compare;

static const char *const by_words[] = {"class", "type", "line", "path"};
static const ByChoice choice = {by_words, sizeof by_words / sizeof *by_words};

static const LmpHeapChange *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpHeapChange *)from->rows)[row];
}

/* ---- columns --------------------------------------------------------------------------------- */

static void put_delta(TableCell *cell, int64_t bytes) {
    format_delta_bytes(cell->text, bytes);
    cell->style = STYLE(bytes > 0 ? TONE_GROWTH : bytes < 0 ? TONE_SHRINK : TONE_FAINT);
}

static void cell_grown(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    put_delta(cell, compare_growth(row_of(from, row)));
}
static void cell_kept_grown(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    put_delta(cell, row_of(from, row)->grown_bytes);
}

static void put_count(TableCell *cell, uint64_t count, bool wide, Tone tone) {
    if (wide)
        format_count(cell->text, count);
    else
        format_short(cell->text, count);
    cell->style = STYLE(count ? tone : TONE_FAINT);
}

static void cell_made(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    put_count(cell, row_of(from, row)->made, wide, TONE_GROWTH);
}
static void cell_gone(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    put_count(cell, row_of(from, row)->gone, wide, TONE_SHRINK);
}
static void cell_kept(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    put_count(cell, row_of(from, row)->kept, wide, TONE_TEXT);
}
static void cell_made_bytes(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, row_of(from, row)->made_bytes, STYLE(TONE_TEXT));
}
static void cell_gone_bytes(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, row_of(from, row)->gone_bytes, STYLE(TONE_TEXT));
}
static void cell_kept_bytes(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, row_of(from, row)->kept_bytes, STYLE(TONE_TEXT));
}
static void cell_name(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    format_text(cell->text, sizeof cell->text, row_of(from, row)->name, !from->ui->utf8);
}

static double value_grown(const TableSource *from, uint32_t row) {
    return (double)compare_growth(row_of(from, row));
}
static double value_made(const TableSource *from, uint32_t row) {
    return row_of(from, row)->made;
}
static double value_gone(const TableSource *from, uint32_t row) {
    return row_of(from, row)->gone;
}
static double value_kept(const TableSource *from, uint32_t row) {
    return row_of(from, row)->kept;
}
static double value_made_bytes(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->made_bytes;
}
static double value_gone_bytes(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->gone_bytes;
}
static double value_kept_bytes(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->kept_bytes;
}
static double value_kept_grown(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->grown_bytes;
}
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a)->name, row_of(from, b)->name);
}

static const TableColumn columns[] = {
    {"grown by", 11, 12, 0, .cell = cell_grown, .value = value_grown,
     .help = "bytes that they have more, or less, than in the older snapshot"},
    {"new", 8, 11, 1, .cell = cell_made, .value = value_made,
     .help = "objects that were not there then"},
    {"bytes", 10, 11, 3, .cell = cell_made_bytes, .value = value_made_bytes,
     .help = "of the new ones"},
    {"gone", 8, 11, 2, .cell = cell_gone, .value = value_gone,
     .help = "objects that are no longer there"},
    {"bytes", 10, 11, 5, .cell = cell_gone_bytes, .value = value_gone_bytes,
     .help = "of those that are gone"},
    {"kept", 8, 11, 4, .cell = cell_kept, .value = value_kept, .help = "objects that are in both"},
    {"bytes", 10, 11, 6, .cell = cell_kept_bytes, .value = value_kept_bytes,
     .help = "of those in both, as they are now"},
    {"kept grew", 11, 12, 7, .cell = cell_kept_grown, .value = value_kept_grown,
     .help = "what those in both have more than then"},
    {"name", 20, 30, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = cell_name, .compare = by_name, .help = "the class, type or line"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    uint64_t hash = 1469598103934665603ull + row_of(from, row)->kind;
    for (const char *p = row_of(from, row)->name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
    return hash;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    snprintf(out, size, "%s", row_of(from, row)->name);
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    const Compare *c = state;
    (void)ui;
    const LmpHeapCompare *compare = model->heap ? opened_compare(model->heap, c->by) : NULL;
    if (!compare) return false;
    from->rows = compare->change;
    from->count = compare->changes;
    from->serial = model->heap->serial;
    return true;
}

static Rect room(const Ui *ui, Rect rect) {
    int above = rect.h >= 5 ? 1 : 0;
    (void)ui;
    return (Rect){rect.x, rect.y + above, rect.w, rect.h - above};
}

static const TablePanelDef def = {
    .table = {.name = "Compare",
              .column = columns,
              .columns = sizeof columns / sizeof *columns,
              .id = id_of,
              .words = words_of,
              .empty = "nothing has changed"},
    .rows = rows,
    .room = room,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void *create(void) {
    return tablepanel_new(&def, sizeof(Compare));
}

static void destroy(void *state) {
    Compare *c = state;
    free(c->fresh);
    tablepanel_free(c);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Compare *c = state;
    TableSource from;
    OpenedHeap *heap = heapcell_heap(model, canvas, rect);
    if (!heap || !c || rect.h <= 0) return;
    if (!heap->compared) {
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_TEXT),
                    "There is no earlier snapshot to compare with.");
        canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_MUTED),
                    "lmp heap NEWER OLDER compares two snapshots of one run.");
        return;
    }
    bychoice_draw(&choice, (int)c->by, canvas, rect);
    if (!opened_has_compare(heap, c->by) &&
        heapcell_wait(heap, &c->asked, c->by, "that are new, gone and kept", ui, canvas,
                      room(ui, rect)))
        return;
    if (!tablepanel_draw(state, model, ui, canvas, rect, &from))
        canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_WRONG),
                    "these snapshots cannot be compared");
}

/* Finds the new objects of the row under the cursor; all of them if none can be told from others.
 * Returns how many, 0: none. */
static uint32_t fresh_of(Compare *c, const Model *model, Ui *ui, const LmpHeapChange **change) {
    TableSource from;
    OpenedHeap *heap = model->heap;
    uint32_t at =
        tablepanel_fill(c, model, ui, &from) ? table_selected(&c->panel.table) : TABLE_NONE;
    const LmpHeapGroups *groups = opened_groups(heap, c->by);
    if (at == TABLE_NONE || !groups) return 0;
    *change = row_of(&from, at);
    const uint32_t *was = opened_compare(heap, c->by)->was;
    if ((*change)->group >= groups->groups) return 0;
    const LmpHeapGroup *group = &groups->group[(*change)->group];
    free(c->fresh);
    c->fresh = malloc((group->objects + 1ull) * sizeof *c->fresh);
    uint32_t count = 0;
    for (uint32_t i = 0; c->fresh && i < group->objects; i++) {
        uint32_t object = groups->member[group->first + i];
        if (!was || was[object] == LMP_HEAP_NONE) c->fresh[count++] = object;
    }
    return count;
}

static bool look(Compare *c, const Model *model, Ui *ui, bool why) {
    const LmpHeapChange *change = NULL;
    uint32_t count = fresh_of(c, model, ui, &change);
    if (!change) return false;
    char name[160];
    snprintf(name, sizeof name, "new: %s", change->name);
    if (count == 0)
        ui_say(ui, "None of these are new");
    else if (why)
        ui_open_why_of(ui, model->heap, c->fresh, count, name);
    else
        ui_open_members(ui, model->heap, c->fresh, count, name);
    return true;
}

static void turn(Compare *c, int to) {
    c->by = (LmpHeapBy)to;
    table_to_top(&c->panel.table);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Compare *c = state;
    if (!c || !model->heap || !model->heap->compared) return false;
    if (action == ACT_WHY || action == ACT_ENTER) return look(c, model, ui, action == ACT_WHY);
    int to = bychoice_act(&choice, (int)c->by, action);
    if (to < 0) return tablepanel_act(state, model, ui, action, rect);
    turn(c, to);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Compare *c = state;
    if (!c || !model->heap || !model->heap->compared) return false;
    int to = (int)c->by;
    if (!bychoice_mouse(&choice, &to, event, rect))
        return tablepanel_mouse(state, model, ui, event, rect);
    if (to != (int)c->by) turn(c, to);
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Compare *c = state;
    char made[LMP_NUM], gone[LMP_NUM], kept[LMP_NUM];
    if (!c || !model->heap || !opened_has_compare(model->heap, c->by)) return;
    table_note(&c->panel.table, ui, out, size);
    const LmpHeapCompare *compare = opened_compare(model->heap, c->by);
    if (out[0] || !compare) return;
    const char *dot = ui->utf8 ? "·" : "-";
    snprintf(out, size, "%s new %s %s gone %s %s kept", format_count(made, compare->all.made), dot,
             format_count(gone, compare->all.gone), dot, format_count(kept, compare->all.kept));
}

const Panel panel_compare = {
    .title = "Compare",
    .about = "What has changed since an earlier snapshot of the same run; left and right choose by "
             "what it is summed up. enter lists the new objects of a row, w says why they are "
             "alive.",
    .number = 6,
    .all_types = true,
    .offers = {TABLE_OFFERS, ACT_ENTER, ACT_WHY},
    .min_w = 14,
    .min_h = 3,
    .table = tablepanel_table,
    .create = create,
    .destroy = destroy,
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note};
