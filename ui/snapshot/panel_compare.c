/* panel_compare.c - what has changed since an earlier snapshot: objects that are new, gone and
 * kept, by class, type, line or age; most growth first. */
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/tablepanel.h"

typedef struct Compare {
    TablePanel panel;
    uint64_t asked;
    uint32_t *fresh; /* the new objects of the group that was opened last */
} Compare;

static const char *const by_words[] = {"class", "type", "line", "path"};
static const ByChoice choice = {by_words, sizeof by_words / sizeof *by_words, false};

static const LmpSnapshotChange *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpSnapshotChange *)from->rows)[row];
}

/* ---- columns --------------------------------------------------------------------------------- */

static double value_grown(const TableSource *from, uint32_t row) {
    return (double)compare_steps(row_of(from, row));
}

static const TableColumn columns[] = {
    {"grown by", 11, 12, 0, .value = value_grown, .look = LOOK_CHANGE,
     .help = "bytes that they have more, or less, than in the older snapshot"},
    {"new", 8, 11, 1, FIGURE(LmpSnapshotChange, made, LOOK_COUNT), .tone = TONE_GROWTH,
     .help = "objects that were not there then"},
    {"bytes", 10, 11, 3, FIGURE(LmpSnapshotChange, made_bytes, LOOK_BYTES),
     .help = "of the new ones"},
    {"gone", 8, 11, 2, FIGURE(LmpSnapshotChange, gone, LOOK_COUNT), .tone = TONE_SHRINK,
     .help = "objects that are no longer there"},
    {"bytes", 10, 11, 5, FIGURE(LmpSnapshotChange, gone_bytes, LOOK_BYTES),
     .help = "of those that are gone"},
    {"kept", 8, 11, 4, FIGURE(LmpSnapshotChange, kept, LOOK_COUNT),
     .help = "objects that are in both"},
    {"bytes", 10, 11, 6, FIGURE(LmpSnapshotChange, kept_bytes, LOOK_BYTES),
     .help = "of those in both, as they are now"},
    {"kept grew", 11, 12, 7, FIGURE(LmpSnapshotChange, grown_bytes, LOOK_CHANGE),
     .help = "what those in both have more than then"},
    {"name", 20, 30, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .rising = true,
     FIELD(LmpSnapshotChange, name), .help = "the class, type or line"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return table_id_of(row_of(from, row)->name, row_of(from, row)->kind);
}

static bool rows(void *state, TableSource *from) {
    const Compare *c = state;
    const LmpSnapshotCompare *compare =
        from->model->heap ? opened_compare(from->model->heap, (LmpSnapshotBy)c->panel.by) : NULL;
    if (!compare) return false;
    from->rows = compare->change;
    from->count = compare->changes;
    from->serial = from->model->heap->serial;
    return true;
}

/* Finds the new objects of the row under the cursor; all of them if none can be told from others.
 * Returns how many, 0: none. */
static uint32_t fresh_of(Compare *c, const Model *model, Ui *ui, const LmpSnapshotChange **change) {
    TableSource from;
    OpenedSnapshot *heap = model->heap;
    uint32_t at =
        tablepanel_fill(c, model, ui, &from) ? table_selected(&c->panel.table) : TABLE_NONE;
    const LmpObjectGroups *groups = opened_groups(heap, (LmpSnapshotBy)c->panel.by);
    if (at == TABLE_NONE || !groups) return 0;
    *change = row_of(&from, at);
    const uint32_t *was = opened_compare(heap, (LmpSnapshotBy)c->panel.by)->was;
    if ((*change)->group >= groups->groups) return 0;
    const LmpObjectGroup *group = &groups->group[(*change)->group];
    free(c->fresh);
    c->fresh = malloc((group->objects + 1ull) * sizeof *c->fresh);
    uint32_t count = 0;
    for (uint32_t i = 0; c->fresh && i < group->objects; i++) {
        uint32_t object = groups->member[group->first + i];
        if (!was || was[object] == LMP_OBJECT_NONE) c->fresh[count++] = object;
    }
    return count;
}

static bool look(Compare *c, const Model *model, Ui *ui, bool why) {
    const LmpSnapshotChange *change = NULL;
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

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect;
    if (action != ACT_WHY && action != ACT_ENTER) return false;
    return look(state, model, ui, action == ACT_WHY);
}

static bool can(const Model *model, Canvas *canvas, Rect rect) {
    const OpenedSnapshot *heap = objectcell_opened(model, canvas, rect);
    if (!heap || heap->compared || !canvas) return heap && heap->compared;
    canvas_text(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_TEXT),
                "There is no earlier snapshot to compare with.");
    canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_MUTED),
                "lmp heap NEWER OLDER compares two snapshots of one run.");
    return false;
}

static bool ready(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Compare *c = state;
    LmpSnapshotBy by = (LmpSnapshotBy)c->panel.by;
    if (!opened_has_compare(model->heap, by) &&
        objectcell_wait(model->heap, &c->asked, by, "that are new, gone and kept", ui, canvas,
                        tablepanel_room(&c->panel, ui, rect)))
        return false;
    if (opened_compare(model->heap, by)) return true;
    canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_WRONG),
                "these snapshots cannot be compared");
    return false;
}

static void end(void *state) {
    free(((Compare *)state)->fresh);
}

static const TablePanelDef def = {
    .table = {.name = "Compare",
              TABLE_COLUMNS_OF(columns),
              .id = id_of,
              .empty = "nothing has changed"},
    .rows = rows,
    .row_size = sizeof(LmpSnapshotChange),
    .act = act,
    .choice = &choice,
    .can = can,
    .ready = ready,
};

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Compare *c = state;
    char made[LMP_NUM], gone[LMP_NUM], kept[LMP_NUM];
    if (!c || !model->heap || !opened_has_compare(model->heap, (LmpSnapshotBy)c->panel.by)) return;
    if (tablepanel_noted(&c->panel, out, size)) return;
    const LmpSnapshotCompare *compare = opened_compare(model->heap, (LmpSnapshotBy)c->panel.by);
    if (!compare) return;
    snprintf(out, size, "%s new · %s gone · %s kept", format_count(made, compare->all.made),
             format_count(gone, compare->all.gone), format_count(kept, compare->all.kept));
}

const Panel panel_compare = {
    .title = "Compare",
    .about = "What has changed since an earlier snapshot of the same run; left and right choose by "
             "what it is summed up. enter lists the new objects of a row, w says why they are "
             "alive.",
    .number = 6,
    .all_types = true,
    .offers = {TABLE_OFFERS, ACT_ENTER, ACT_WHY},
    .def = &def,
    .size = sizeof(Compare),
    .end = end,
    .note = note};
