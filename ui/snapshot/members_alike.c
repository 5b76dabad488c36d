/* members_alike.c - a table (tablepanel.h) over the groups that likes_make finds, made once for
 * each list of objects and each way of being alike. */
#include "snapshot/members_alike.h"

#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "snapshot/objectcell.h"

static const void *like_at(const TableSource *from, uint32_t row) {
    return &((const MembersAlike *)from->rows)->likes.row[row];
}

static const LmpLike *row_of(const TableSource *from, uint32_t row) {
    return like_at(from, row);
}

static void cell_name(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpLike *like = row_of(from, row);
    format_text(cell->text, sizeof cell->text, like->name, !from->ui->utf8);
    cell->style = like->alike ? STYLE(objectcell_tone(&from->model->heap->now, like->object))
                              : STYLE(TONE_MUTED);
}

/* Returns NaN, which comes last in any order, for what is not known to be alike. */
static double rank(const TableSource *from, uint32_t row, double figure) {
    return row_of(from, row)->alike ? figure : (double)NAN;
}

static double value_each(const TableSource *from, uint32_t row) {
    const LmpLike *like = row_of(from, row);
    return (double)like->size / like->objects;
}

enum { COL_OBJECTS, COL_SIZE };
static const TableColumn columns[] = {
    [COL_OBJECTS] = {"objects", 9, 12, 1, FIGURE(LmpLike, objects, LOOK_TIMES), .tone = TONE_STRONG,
                     .help = "how many of them are alike"},
    [COL_SIZE] = {"size", 10, 11, 0, FIGURE(LmpLike, size, LOOK_BYTES), .tone = TONE_STRONG,
                  .help = "of all of them, with all their parts"},
    {"each", 10, 10, 2, .value = value_each, .look = LOOK_BYTES, .tone = TONE_MUTED,
     .help = "of one of them, on average"},
    {"object", 20, 26, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .cell = cell_name,
     .help = "the string, the table's string keys; what is neither by its class"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    snprintf(out, size, "%s", row_of(from, row)->name);
}

static bool rows(void *state, TableSource *from) {
    const MembersAlike *m = state;
    if (!m->made || !from->model->heap) return false;
    from->rows = m;
    from->count = m->likes.rows;
    from->serial = m->number * 2 + m->by;
    return true;
}

static bool enter(const TableSource *from, uint32_t row, Ui *ui) {
    (void)ui;
    MembersAlike *m = (MembersAlike *)(uintptr_t)from->rows;
    m->entered = row + 1;
    return true;
}

static const TablePanelDef def = {
    .table = {.name = "Alike objects",
              TABLE_COLUMNS_OF(columns),
              .sort = COL_SIZE,
              .words = words_of,
              .rank = rank,
              .empty = "no objects"},
    .rows = rows,
    .row = like_at,
    .above = 1, /* the choice of the list */
    .enter = enter,
};

MembersAlike *members_alike_new(void) {
    return tablepanel_new(&def, sizeof(MembersAlike));
}

void members_alike_free(MembersAlike *m) {
    if (!m) return;
    likes_free(&m->likes);
    tablepanel_free(m);
}

bool members_alike_made(const MembersAlike *m, const UiObjects *some, LmpLikeBy by) {
    return m->made && m->number == some->number && m->by == by;
}

bool members_alike_make(MembersAlike *m, const LmpSnapshot *s, const UiObjects *some,
                        LmpLikeBy by) {
    if (members_alike_made(m, some, by)) return true;
    likes_free(&m->likes);
    m->made = likes_make(&m->likes, s, some->member, some->count, by) == LMP_OK;
    m->number = some->number;
    m->by = by;
    m->entered = 0;
    tablepanel_reset(&m->panel);
    return m->made;
}

void members_alike_note(const MembersAlike *m, const UiObjects *some, char *out, size_t size) {
    char count[LMP_NUM + 16], alike[LMP_NUM];
    const char *what = m->by == LMP_LIKE_CONTENT ? "content" : "set";
    objectcell_objects(count, some->count);
    snprintf(out, size, "%.60s · %s · %s %s%s%s · esc back", some->name, count,
             format_count(alike, m->likes.alike), what, m->likes.alike == 1 ? "" : "s",
             m->by == LMP_LIKE_KEYS ? " of keys" : "");
}
