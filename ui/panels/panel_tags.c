/* panel_tags.c - what the program made under each name set with lmp.tag(): a request, a level, a
 * plugin. */
#include <stdio.h>

#include "base/format.h"
#include "panels/opened.h"
#include "widget/tablepanel.h"

static const LmpTagRow *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpTagRow *)from->rows)[row];
}

static const LmpTally *tally_of(const TableSource *from, uint32_t row) {
    return &row_of(from, row)->tally;
}

static bool is_tag(const LmpTagRow *row) {
    return row->name[0] != '(';
}

static void dress(const TableSource *from, uint32_t row, const TableColumn *column,
                  TableCell *cell) {
    if (column->field.type)
        cell->style = STYLE(is_tag(row_of(from, row)) ? TONE_SOURCE : TONE_MUTED);
}

enum { COL_SHARE, COL_LIVE = COL_AFTER_RANGE, COL_MADE };

static const TableColumn columns[] = {
    [COL_SHARE] = {"%", 6, 6, 2, .cell = tallycell_col_share, .help = SHARE_HELP},
    RANGE_COLUMNS,
    [COL_LIVE] = {NULL, 10, 11, 0, HOLDS(M_LIVE)},
    [COL_MADE] = {NULL, 10, 11, 0, MAKES(M_MADE)},
    {"", 5, 21, 9, .paint = tallycell_col_bar, .help = BAR_HELP},
    {NULL, 8, 13, 6, HOLDS(M_BLOCKS)},
    {NULL, 11, 12, 3, HOLDS_NOW(M_CHANGE)},
    {NULL, 11, 12, 3, MAKES_NOW(M_RATE)},
    {NULL, 8, 13, 4, MAKES(M_ALLOCS)},
    {NULL, 9, 10, 8, HOLDS(M_EACH_LIVE)},
    {NULL, 9, 10, 8, MAKES(M_EACH)},
    {NULL, 7, 7, 4, HOLDS(M_CHURN)},
    {NULL, 9, 9, 5, MAKES(M_AT_ONCE)},
    {NULL, 7, 7, 7, MAKES(M_IN_CYCLE)},
    {NULL, 7, 7, 7, MAKES(M_LATER)},
    {"tag", 20, 30, 1, .least = 6, .align = TABLE_LEFT, .flex = true, .rising = true,
     FIELD(LmpTagRow, name), .help = "as the program has named it with lmp.tag"},
};

/* Tags have no number, but each has its own name. */
static uint64_t id_of(const TableSource *from, uint32_t row) {
    return table_id_of(row_of(from, row)->name, 0);
}

static bool rows(void *state, TableSource *from) {
    (void)state;
    from->rows = from->model->ledger.tag;
    from->count = from->model->ledger.tags;
    from->serial = from->model->ledger_serial;
    return true;
}

static bool look_inside(const TableSource *from, uint32_t row, Ui *ui) {
    ui->tag = row_of(from, row)->id;
    ui_open(ui, &panel_tag);
    return true;
}

static const TablePanelDef def = {
    .table = {.name = "Tags",
              TABLE_COLUMNS_OF(columns),
              TALLY_SORTS(COL_LIVE, COL_MADE),
              .id = id_of},
    .rows = rows,
    .row_size = sizeof(LmpTagRow),
    .dress = dress,
    .tally = tally_of,
    .need = NEED_TAGS,
    .enter = look_inside,
};

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const TablePanel *s = state;
    char count[LMP_NUM];
    if (!s || model->ledger.tags == 0 || tablepanel_noted(s, out, size)) return;
    uint32_t tags = 0;
    for (uint32_t i = 0; i < model->ledger.tags; i++)
        tags += is_tag(&model->ledger.tag[i]);
    snprintf(out, size, "%s tag%s", format_count(count, tags), tags == 1 ? "" : "s");
}

const Panel panel_tags = {
    .title = "Tags",
    .about = "What the program has charged to requests, levels or plugins, see lmp.tag.",
    .number = 10,
    .all_types = true,
    .ledger = LEDGER_TAGS,
    .offers = {TABLE_OFFERS_MAKES, ACT_ENTER},
    .def = &def,
    .size = sizeof(TablePanel),
    .note = note};
