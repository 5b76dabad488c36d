/* panel_objects.c - sums up a snapshot's objects by class, by type, by the line that made them, or
 * by age. What a group holds is what all of its objects hold together: nothing is counted twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "heap/heap_open.h"
#include "heap/heapcell.h"
#include "widget/bychoice.h"
#include "widget/tablepanel.h"
#include "widget/tallycell.h"

typedef struct Objects {
    TablePanel panel;
    LmpHeapBy by;
    uint64_t asked;
} Objects;

static const char *const by_words[LMP_BYS] = {"class", "type", "line", "path", "age"};
static const ByChoice choice = {by_words, LMP_BYS};

static const LmpHeapGroup *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpHeapGroup *)from->rows)[row];
}

static const LmpSnapshot *heap_of(const TableSource *from) {
    return &from->model->heap->now;
}

/* ---- columns --------------------------------------------------------------------------------- */

static LmpKind kind_of(const TableSource *from, uint32_t row) {
    const OpenedHeap *heap = from->model->heap;
    const LmpHeapGroups *groups = NULL;
    for (int by = 0; by < LMP_BYS && !groups; by++)
        if (heap->groups[by].group == from->rows) groups = &heap->groups[by];
    const LmpHeapGroup *group = row_of(from, row);
    if (!groups || group->objects == 0) return LMP_OTHER;
    return snapshot_kind(&heap->now, groups->member[group->first]);
}

static void cell_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    heapcell_percent(cell, heapcell_share(heap_of(from), row_of(from, row)->retained));
}

static void cell_retained(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, row_of(from, row)->retained, STYLE(TONE_STRONG));
}

static void cell_size(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, row_of(from, row)->size, STYLE(TONE_TEXT));
}

static void cell_objects(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint32_t count = row_of(from, row)->objects;
    if (wide)
        format_count(cell->text, count);
    else
        format_short(cell->text, count);
}

static void cell_each(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpHeapGroup *group = row_of(from, row);
    (void)wide;
    tallycell_bytes(cell, group->objects ? group->size / group->objects : 0, STYLE(TONE_MUTED));
}

static void cell_name(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    format_text(cell->text, sizeof cell->text, row_of(from, row)->name, !from->ui->utf8);
    cell->style = STYLE(TONE_KIND(kind_of(from, row)));
}

/* Draws what all of the group hold, lit up to the size of the objects themselves. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const LmpHeapGroup *group = row_of(from, row);
    double held = heapcell_share(heap_of(from), group->retained);
    double own = heapcell_share(heap_of(from), group->size);
    tallycell_bar(canvas, x, y, w, own < held ? own : held, held);
}

static double value_retained(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->retained;
}
static double value_size(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->size;
}
static double value_objects(const TableSource *from, uint32_t row) {
    return row_of(from, row)->objects;
}
static double value_each(const TableSource *from, uint32_t row) {
    const LmpHeapGroup *group = row_of(from, row);
    return group->objects ? (double)group->size / group->objects : 0;
}
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a)->name, row_of(from, b)->name);
}

enum { COL_SHARE, COL_HELD };

static const TableColumn columns[] = {
    [COL_SHARE] = {"%", 6, 6, 3, .cell = cell_share, .help = "of the heap: what they retain"},
    [COL_HELD] = {"retains", 10, 11, 0, .cell = cell_retained, .value = value_retained,
                  .help = "what would be freed if all of them were gone"},
    {"", 5, 21, 9, .paint = paint_bar,
     .help = "what they retain as a part of the heap; lit: what they are themselves"},
    {"size", 10, 11, 2, .cell = cell_size, .value = value_size,
     .help = "bytes of the objects themselves, with their parts"},
    {"objects", 8, 12, 1, .cell = cell_objects, .value = value_objects, .help = "how many"},
    {"each", 10, 10, 6, .cell = cell_each, .value = value_each,
     .help = "size of one of them, on average"},
    {"name", 20, 30, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = cell_name, .compare = by_name,
     .help = "class: the name in the metatable, where that lives, or a table's keys"},
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

static bool skips(const TableSource *from, uint32_t row) {
    return !UI_SHOWS(from->ui, kind_of(from, row));
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    const Objects *o = state;
    OpenedHeap *heap = model->heap;
    if (!heap) return false;
    const LmpHeapGroups *groups = opened_groups(heap, o->by);
    if (!groups) return false;
    from->rows = groups->group;
    from->count = groups->groups;
    from->serial = heap->serial * 64 + ui->kinds;
    return true;
}

static bool look_inside(const TableSource *from, uint32_t row, Ui *ui) {
    OpenedHeap *heap = from->model->heap;
    const LmpHeapGroup *group = row_of(from, row);
    for (int by = 0; by < LMP_BYS; by++)
        if (heap->groups[by].group == from->rows)
            ui_open_members(ui, heap, heap->groups[by].member + group->first, group->objects,
                            group->name);
    return true;
}

static bool place(const TableSource *from, uint32_t row, PanelPlace *out) {
    OpenedHeap *heap = from->model->heap;
    const LmpHeapGroup *group = row_of(from, row);
    const LmpHeapGroups *lines = &heap->groups[LMP_BY_LINE], *paths = &heap->groups[LMP_BY_PATH];
    const LmpHeapGroups *of = from->rows == lines->group   ? lines
                              : from->rows == paths->group ? paths
                                                           : NULL;
    if (!of || group->objects == 0) return false;
    return heapcell_place(&heap->now, of->member[group->first], out);
}

/* Leaves the first line to the choice of what to sum up by. */
static Rect room(const Ui *ui, Rect rect) {
    (void)ui;
    return bychoice_below(rect);
}

static const TablePanelDef def = {
    .table = {.name = "Objects",
              .column = columns,
              .columns = sizeof columns / sizeof *columns,
              .sort = COL_HELD,
              .id = id_of,
              .words = words_of,
              .skips = skips,
              .empty = "no objects of the chosen types"},
    .rows = rows,
    .room = room,
    .enter = look_inside,
    .place = place,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void *create(void) {
    return tablepanel_new(&def, sizeof(Objects));
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Objects *o = state;
    TableSource from;
    OpenedHeap *heap = heapcell_heap(model, canvas, rect);
    if (!heap || !o || rect.h <= 0) return;
    int x = bychoice_draw(&choice, (int)o->by, canvas, rect) + 1;
    if (rect.h >= BYCHOICE_ROOM && rect.w > x + 16)
        canvas_text(canvas, rect.x + x, rect.y, rect.w - x, STYLE(TONE_MUTED),
                    ui->utf8 ? "← →" : "left, right");
    if (!opened_has_groups(heap, o->by) &&
        heapcell_wait(heap, &o->asked, o->by, "in groups", ui, canvas, room(ui, rect)))
        return;
    tablepanel_draw(state, model, ui, canvas, rect, &from);
}

static void turn(Objects *o, int to) {
    o->by = (LmpHeapBy)to;
    table_to_top(&o->panel.table);
}

static bool why(Objects *o, const Model *model, Ui *ui) {
    TableSource from;
    if (!tablepanel_fill(o, model, ui, &from)) return false;
    uint32_t row = table_selected(&o->panel.table);
    if (row == TABLE_NONE) return false;
    const LmpHeapGroup *group = row_of(&from, row);
    const LmpHeapGroups *groups = opened_groups(model->heap, o->by);
    ui_open_why_of(ui, model->heap, groups->member + group->first, group->objects, group->name);
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Objects *o = state;
    if (!o || !model->heap) return false;
    if (action == ACT_WHY) return why(o, model, ui);
    int to = bychoice_act(&choice, (int)o->by, action);
    if (to < 0) return tablepanel_act(state, model, ui, action, rect);
    turn(o, to);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Objects *o = state;
    if (!o || !model->heap) return false;
    int to = (int)o->by;
    if (!bychoice_mouse(&choice, &to, event, rect))
        return tablepanel_mouse(state, model, ui, event, rect);
    if (to != (int)o->by) turn(o, to);
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Objects *o = state;
    char count[LMP_NUM], groups[LMP_NUM];
    if (!o || !model->heap) return;
    table_note(&o->panel.table, ui, out, size);
    if (out[0]) return;
    snprintf(out, size, "%s objects in %s groups", format_count(count, model->heap->now.g.objects),
             format_count(groups, o->panel.table.total));
}

const Panel panel_objects = {
    .title = "Objects",
    .about = "All objects of the snapshot, summed up by class, type, the line that made them, or "
             "age: left and right choose. What a group retains is what all of its objects hold "
             "together. enter lists them, w says why they are alive.",
    .number = 2,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY},
    .min_w = 14,
    .min_h = 3,
    .table = tablepanel_table,
    .create = create,
    .destroy = tablepanel_free,
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note,
    .place = tablepanel_place};
