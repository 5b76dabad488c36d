/* panel_objects.c - sums up a snapshot's objects by class, by type, by the line that made them, or
 * by age. What a group holds is what all of its objects hold together: nothing is counted twice. */
#include <stdio.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/tablepanel.h"

typedef struct Objects {
    TablePanel panel;
    uint64_t asked;
} Objects;

static const char *const by_words[LMP_BYS] = {"class", "type", "line", "path", "age"};
static const ByChoice choice = {by_words, LMP_BYS, true};

static const LmpObjectGroup *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpObjectGroup *)from->rows)[row];
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Returns the groups that the rows are of. */
static const LmpObjectGroups *groups_of(const TableSource *from) {
    const LmpObjectGroups *groups = from->model->heap->groups;
    int by = 0;
    while (by < LMP_BYS - 1 && groups[by].group != from->rows)
        by++;
    return &groups[by];
}

static uint32_t first_of(const TableSource *from, uint32_t row) {
    return groups_of(from)->member[row_of(from, row)->first];
}

static LmpKind kind_of_group(const LmpSnapshot *s, const LmpObjectGroups *groups,
                             const LmpObjectGroup *group) {
    return group->objects ? snapshot_kind(s, groups->member[group->first]) : LMP_OTHER;
}

static LmpKind kind_of(const TableSource *from, uint32_t row) {
    return kind_of_group(objectcell_col_whole(from), groups_of(from), row_of(from, row));
}

/* Gives the name the tone of the group's kind. */
static void dress(const TableSource *from, uint32_t row, const TableColumn *column,
                  TableCell *cell) {
    if (column->look == LOOK_WORDS) cell->style = STYLE(TONE_KIND(kind_of(from, row)));
}

/* Draws what all of the group hold, lit up to the size of the objects themselves. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const LmpObjectGroup *group = row_of(from, row);
    double held = objectcell_share(objectcell_col_whole(from), group->retained);
    double own = objectcell_share(objectcell_col_whole(from), group->size);
    tallycell_bar(canvas, x, y, w, own < held ? own : held, held);
}

static double value_each(const TableSource *from, uint32_t row) {
    const LmpObjectGroup *group = row_of(from, row);
    return group->objects ? (double)group->size / group->objects : 0;
}
enum { COL_SHARE, COL_HELD };

static const TableColumn columns[] = {
    [COL_SHARE] = {"%", 6, 6, 3, FIGURE(LmpObjectGroup, retained, LOOK_SHARE),
                   .help = "of the heap: what they retain"},
    [COL_HELD] = {"retains", 10, 11, 0, FIGURE(LmpObjectGroup, retained, LOOK_BYTES),
                  .tone = TONE_STRONG, .help = "what would be freed if all of them were gone"},
    {"", 5, 21, 9, .paint = paint_bar,
     .help = "what they retain as a part of the heap; lit: what they are themselves"},
    {"size", 10, 11, 2, FIGURE(LmpObjectGroup, size, LOOK_BYTES),
     .help = "bytes of the objects themselves, with their parts"},
    {"objects", 8, 12, 1, FIGURE(LmpObjectGroup, objects, LOOK_COUNT), .help = "how many"},
    {"each", 10, 10, 6, .value = value_each, .look = LOOK_BYTES, .tone = TONE_MUTED,
     .help = "size of one of them, on average"},
    {"name", 20, 30, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .rising = true,
     FIELD(LmpObjectGroup, name),
     .help = "class: the name in the metatable, where that lives, or a table's keys"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return table_id_of(row_of(from, row)->name, row_of(from, row)->kind);
}

static bool skips(const TableSource *from, uint32_t row) {
    return !UI_SHOWS(from->ui, kind_of(from, row));
}

static bool rows(void *state, TableSource *from) {
    const Objects *o = state;
    OpenedSnapshot *heap = from->model->heap;
    if (!heap) return false;
    const LmpObjectGroups *groups = opened_groups(heap, (LmpSnapshotBy)o->panel.by);
    if (!groups) return false;
    from->rows = groups->group;
    from->count = groups->groups;
    from->all = objectcell_whole(&heap->now);
    from->serial = heap->serial * 64 + from->ui->kinds;
    return true;
}

static bool look_inside(const TableSource *from, uint32_t row, Ui *ui) {
    const LmpObjectGroup *group = row_of(from, row);
    ui_open_members(ui, from->model->heap, groups_of(from)->member + group->first, group->objects,
                    group->name);
    return true;
}

static bool why(const TableSource *from, uint32_t row, Ui *ui) {
    const LmpObjectGroup *group = row_of(from, row);
    ui_open_why_of(ui, from->model->heap, groups_of(from)->member + group->first, group->objects,
                   group->name);
    return true;
}

static bool place(const TableSource *from, uint32_t row, PanelPlace *out) {
    const LmpObjectGroups *of = groups_of(from), *groups = from->model->heap->groups;
    if (of != &groups[LMP_BY_LINE] && of != &groups[LMP_BY_PATH]) return false;
    return row_of(from, row)->objects > 0 &&
           objectcell_place(objectcell_col_whole(from), first_of(from, row), out);
}

static bool ready(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Objects *o = state;
    LmpSnapshotBy by = (LmpSnapshotBy)o->panel.by;
    return opened_has_groups(model->heap, by) ||
           !objectcell_wait(model->heap, &o->asked, by, "in groups", ui, canvas,
                            tablepanel_room(&o->panel, ui, rect));
}

static const TablePanelDef def = {
    .table = {.name = "Objects",
              TABLE_COLUMNS_OF(columns),
              .sort = COL_HELD,
              .id = id_of,
              .skips = skips,
              .empty = "no objects of the chosen types"},
    .rows = rows,
    .row_size = sizeof(LmpObjectGroup),
    .dress = dress,
    .enter = look_inside,
    .place = place,
    .why = why,
    .choice = &choice,
    .can = objectcell_can,
    .ready = ready,
};

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Objects *o = state;
    char count[LMP_NUM + 16], groups[LMP_NUM];
    uint64_t objects = 0, shown = 0;
    if (!o || !model->heap || tablepanel_noted(&o->panel, out, size)) return;
    LmpSnapshotBy by = (LmpSnapshotBy)o->panel.by;
    if (!opened_has_groups(model->heap, by)) return;
    const LmpObjectGroups *of = opened_groups(model->heap, by);
    for (uint32_t i = 0; i < of->groups; i++) {
        const LmpObjectGroup *group = &of->group[i];
        if (!UI_SHOWS(ui, kind_of_group(&model->heap->now, of, group))) continue;
        objects += group->objects;
        shown++;
    }
    snprintf(out, size, "%s in %s group%s", objectcell_objects(count, objects),
             format_count(groups, shown), shown == 1 ? "" : "s");
}

const Panel panel_objects = {
    .title = "Objects",
    .about = "All objects of the snapshot, summed up by class, type, the line that made them, or "
             "age: left and right choose. What a group retains is what all of its objects hold "
             "together. enter lists them, w says why they are alive.",
    .number = 2,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY},
    .def = &def,
    .size = sizeof(Objects),
    .note = note};
