/* blocks_alike.c - a table (tablepanel.h) over the groups of alike.h: how many blocks, how large,
 * their contents. */
#include "panels/blocks_alike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "widget/bychoice.h"
#include "widget/describe.h"

static const AlikeGroup *row_of(const TableSource *from, uint32_t row) {
    const BlocksAlike *b = from->rows;
    uint32_t count;
    return &alike_groups(b->alike, &count)[row];
}

static void name_group(const AlikeGroup *group, bool ascii, char *out, size_t size) {
    if (!group->read)
        snprintf(out, size, "%s%s, not compared", kind_info[group->kind].name,
                 group->part                                               ? " parts"
                 : group->kind == LMP_USERDATA || group->kind == LMP_OTHER ? ""
                                                                           : "s");
    else if (group->preview.valid == LMP_PREVIEW_SHAPE)
        describe_shape(out, size, &group->preview, ascii);
    else
        describe_preview(out, size, &group->preview, ascii);
}

static void cell_blocks(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    char count[LMP_NUM];
    (void)wide;
    snprintf(cell->text, sizeof cell->text, "%s%s", from->ui->utf8 ? "×" : "x",
             format_count(count, row_of(from, row)->blocks));
    cell->style = STYLE(TONE_STRONG);
}

static void cell_bytes(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    format_bytes(cell->text, row_of(from, row)->bytes);
    cell->style = STYLE(TONE_STRONG);
}

static void cell_each(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const AlikeGroup *group = row_of(from, row);
    (void)wide;
    format_bytes(cell->text, group->bytes / group->blocks);
    cell->style = STYLE(TONE_MUTED);
}

static void cell_contents(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const AlikeGroup *group = row_of(from, row);
    (void)wide;
    name_group(group, !from->ui->utf8, cell->text, sizeof cell->text);
    cell->style = STYLE(!group->read                                ? TONE_MUTED
                        : group->preview.valid == LMP_PREVIEW_SHAPE ? TONE_KIND(group->kind)
                                                                    : TONE_SOURCE);
}

/* Returns NaN, which comes last in any order, for what is not known to be alike. */
static double figure(const AlikeGroup *group, double value) {
    return group->read ? value : (double)NAN;
}
static double value_blocks(const TableSource *from, uint32_t row) {
    const AlikeGroup *group = row_of(from, row);
    return figure(group, (double)group->blocks);
}
static double value_bytes(const TableSource *from, uint32_t row) {
    const AlikeGroup *group = row_of(from, row);
    return figure(group, (double)group->bytes);
}
static double value_each(const TableSource *from, uint32_t row) {
    const AlikeGroup *group = row_of(from, row);
    return figure(group, (double)group->bytes / (double)group->blocks);
}

enum { COL_BLOCKS, COL_BYTES };
static const TableColumn columns[] = {
    [COL_BLOCKS] = {"blocks", 9, 12, 1, .cell = cell_blocks, .value = value_blocks,
                    .help = "how many of them are alike"},
    [COL_BYTES] = {"size", 10, 11, 0, .cell = cell_bytes, .value = value_bytes,
                   .help = "of all of them; of tables without their parts"},
    {"each", 10, 10, 2, .cell = cell_each, .value = value_each,
     .help = "of one of them, on average"},
    {"contents", 13, 13, 0, .align = TABLE_LEFT, .flex = true, .cell = cell_contents,
     .help = "the string's beginning; the table's string keys"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->id;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    name_group(row_of(from, row), !from->ui->utf8, out, size);
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    const BlocksAlike *b = state;
    (void)model;
    (void)ui;
    from->rows = b;
    alike_groups(b->alike, &from->count);
    from->serial = alike_serial(b->alike);
    return true;
}

static bool enter(const TableSource *from, uint32_t row, Ui *ui) {
    BlocksAlike *b = (BlocksAlike *)(uintptr_t)from->rows;
    (void)ui;
    b->entered = row_of(from, row)->id;
    return true;
}

static Rect room(const Ui *ui, Rect rect) {
    (void)ui;
    return bychoice_below(rect);
}

static const TablePanelDef def = {
    .table = {.name = "Alike",
              .column = columns,
              .columns = sizeof columns / sizeof *columns,
              .sort = COL_BYTES,
              .id = id_of,
              .words = words_of,
              .empty = "none so far"},
    .rows = rows,
    .room = room,
    .enter = enter,
};

BlocksAlike *blocks_alike_new(void) {
    BlocksAlike *b = tablepanel_new(&def, sizeof *b);
    if (b) b->alike = alike_new();
    if (b && b->alike) return b;
    blocks_alike_free(b);
    return NULL;
}

void blocks_alike_free(BlocksAlike *b) {
    if (!b) return;
    alike_free(b->alike);
    tablepanel_free(b);
}

void blocks_alike_note(const BlocksAlike *b, AlikeBy by, const Ui *ui, char *out, size_t size) {
    char read[LMP_NUM], all[LMP_NUM], groups[LMP_NUM];
    const char *dot = ui->utf8 ? "·" : "-";
    const char *what = by == ALIKE_CONTENT ? "string" : "table";
    const char *alike = by == ALIKE_CONTENT ? "content" : "set";
    AlikeSum sum = alike_sum(b->alike);
    format_count(groups, sum.groups);
    if (sum.compared < sum.wanted)
        snprintf(out, size, "%s of %s %ss compared %s %s %s%s%s %s esc back",
                 format_count(read, sum.compared), format_count(all, sum.wanted), what, dot, groups,
                 alike, sum.groups == 1 ? "" : "s", by == ALIKE_KEYS ? " of keys" : "", dot);
    else
        snprintf(out, size, "%s %s%s %s %s %s%s%s %s esc back", format_count(all, sum.wanted), what,
                 sum.wanted == 1 ? "" : "s", dot, groups, alike, sum.groups == 1 ? "" : "s",
                 by == ALIKE_KEYS ? " of keys" : "", dot);
}

void blocks_alike_name(const BlocksAlike *b, uint64_t id, bool ascii, char *out, size_t size) {
    uint32_t count;
    const AlikeGroup *group = alike_groups(b->alike, &count);
    out[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (group[i].id == id) name_group(&group[i], ascii, out, size);
}
