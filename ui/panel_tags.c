/* panel_tags.c - what the program made under each name that it gave with lmp.tag(): a request, a
 * level, a plugin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "tallycell.h"

typedef struct Tags {
    Table table;
} Tags;

static const LmpTagRow *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpTagRow *)from->rows)[row];
}

static double share_of(const TableSource *from, uint32_t row) {
    uint64_t heap = from->model->stats.live_bytes;
    return heap ? (double)row_of(from, row)->tally.live_bytes / (double)heap : 0;
}

static void cell_live(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, row_of(from, row)->tally.live_bytes, STYLE(TONE_STRONG));
}

static void cell_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_share(cell, share_of(from, row));
}

static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    tallycell_bar(canvas, x, y, w, share_of(from, row), 0);
}

static void cell_blocks(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    tallycell_count(cell, row_of(from, row)->tally.live_blocks, wide);
}

static void cell_allocs(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    tallycell_count(cell, row_of(from, row)->tally.allocs, wide);
}

static void cell_bytes(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, tally_made(&row_of(from, row)->tally), STYLE(TONE_TEXT));
}

static void cell_churn(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_churn(cell, &row_of(from, row)->tally);
}

static bool is_tag(const LmpTagRow *row) {
    return row->name[0] != '(';
}

static void cell_name(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpTagRow *r = row_of(from, row);
    (void)wide;
    tallycell_name(cell, from->ui, r->name);
    cell->style = STYLE(is_tag(r) ? TONE_SOURCE : TONE_MUTED);
}

static double value_live(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->tally.live_bytes;
}
static double value_blocks(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->tally.live_blocks;
}
static double value_allocs(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->tally.allocs;
}
static double value_bytes(const TableSource *from, uint32_t row) {
    return (double)tally_made(&row_of(from, row)->tally);
}
static double value_churn(const TableSource *from, uint32_t row) {
    return tally_churn(&row_of(from, row)->tally);
}

static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a)->name, row_of(from, b)->name);
}

static const TableColumn columns[] = {
    {"live", 10, 11, 0, .cell = cell_live, .value = value_live},
    {"%", 6, 6, 2, .cell = cell_share},
    {"", 5, 21, 7, .paint = paint_bar},
    {"blocks", 7, 12, 6, .cell = cell_blocks, .value = value_blocks},
    {"allocs", 7, 13, 3, .cell = cell_allocs, .value = value_allocs},
    {"allocated", 10, 11, 5, .cell = cell_bytes, .value = value_bytes},
    {"churn", 6, 8, 4, .cell = cell_churn, .value = value_churn},
    {"tag", 20, 30, 1, .least = 6, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = cell_name, .compare = by_name},
};

/* Tags have no number; each has another name. */
static uint64_t id_of(const TableSource *from, uint32_t row) {
    uint64_t hash = 1469598103934665603ull;
    for (const char *p = row_of(from, row)->name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
    return hash;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    snprintf(out, size, "%s", row_of(from, row)->name);
}

static const TableDef def = {
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .id = id_of,
    .words = words_of,
};

static void *create(void) {
    Tags *s = calloc(1, sizeof *s);
    if (s) table_init(&s->table, &def);
    return s;
}

static void destroy(void *state) {
    Tags *s = state;
    table_free(&s->table);
    free(s);
}

static TableSource fill(Tags *s, const Model *model, const Ui *ui) {
    TableSource from = {.rows = model->ledger.tag,
                        .count = model->ledger.tags,
                        .serial = model->ledger_serial,
                        .model = model,
                        .ui = ui};
    table_fill(&s->table, &from);
    return from;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Tags *s = state;
    if (!s || rect.w <= 0 || rect.h <= 0) return;
    if (!tallycell_can(model, ui, canvas, rect, NEED_TAGS, LEDGER_TAGS)) return;
    TableSource from = fill(s, model, ui);
    table_draw(&s->table, &from, canvas, rect);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Tags *s = state;
    (void)rect;
    if (!s) return false;
    TableSource from = fill(s, model, ui);
    return table_act(&s->table, &from, ui, action);
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseWhat what, int x, int y,
                  Rect rect) {
    Tags *s = state;
    if (!s) return false;
    TableSource from = fill(s, model, ui);
    return table_mouse(&s->table, &from, what, x, y, rect);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Tags *s = state;
    char count[LMP_NUM];
    if (!s || model->ledger.tags == 0) return;
    table_note(&s->table, ui, out, size);
    if (out[0]) return;
    uint32_t tags = 0;
    for (uint32_t i = 0; i < model->ledger.tags; i++)
        tags += is_tag(&model->ledger.tag[i]);
    snprintf(out, size, "%s tag%s", format_count(count, tags), tags == 1 ? "" : "s");
}

const Panel panel_tags = {.title = "Tags",
                          .number = 10,
                          .ledger = LEDGER_TAGS,
                          .offers = TABLE_OFFERS,
                          .min_w = 14,
                          .min_h = 3,
                          .create = create,
                          .destroy = destroy,
                          .draw = draw,
                          .act = act,
                          .mouse = mouse,
                          .note = note};
