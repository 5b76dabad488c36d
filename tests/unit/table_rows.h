/* table_rows.h - a table of made-up rows, for suites of tables. */
#ifndef LMP_TABLE_ROWS_H
#define LMP_TABLE_ROWS_H

#include "canvas_dump.h"
#include "widget/panel.h"
#include "widget/shownfigure.h"
#include "widget/table.h"

#define SECOND 1000000000ull
#define ROWS 120

typedef struct Row {
    uint64_t id;
    double size;
    char name[12];
} Row;

static Row rows[ROWS];
static uint32_t count;
static uint64_t serial, next_id;
static Ui ui;
static Model *model;

static inline const Row *row_at(const TableSource *from, uint32_t row) {
    ck_assert_uint_lt(row, from->count);
    return &((const Row *)from->rows)[row];
}
static inline uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_at(from, row)->id;
}
static inline void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    snprintf(out, size, "%s", row_at(from, row)->name);
}
static inline double value_size(const TableSource *from, uint32_t row) {
    return row_at(from, row)->size;
}
static inline int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_at(from, a)->name, row_at(from, b)->name);
}
static inline void cell_size(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, cell->wide ? "%.1f" : "%.0f", row_at(from, row)->size);
}
static inline void cell_name(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, "%s", row_at(from, row)->name);
}
static inline void cell_id(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, "#%llu", (unsigned long long)row_at(from, row)->id);
}

static const TableColumn columns[] = {
    {"size", 6, 9, 0, .cell = cell_size, .value = value_size},
    {"name", 6, 10, 1, .align = TABLE_LEFT, .rising = true, .cell = cell_name, .compare = by_name},
    {"id", 5, 8, 2, .align = TABLE_LEFT, .flex = true, .cell = cell_id}, /* not to sort by */
};
static const TableDef def = {
    .column = columns, .columns = 3, .id = id_of, .words = words_of, .empty = "nothing there"};

static inline TableSource source(void) {
    return (TableSource){.rows = rows, .count = count, .serial = serial, .model = model, .ui = &ui};
}

static inline Row fresh_row(void) {
    Row row = {.id = 1000 - next_id++, .size = (double)suite_below(12)};
    for (int i = 0; i < 3; i++)
        row.name[i] = (char)('a' + suite_below(3));
    return row;
}

static inline void begin(Table *table) {
    count = 0;
    serial = next_id = 0;
    ui = (Ui){.utf8 = true, .now = SECOND};
    model = calloc(1, sizeof *model);
    *table = (Table){0};
    table_init(table, &def);
}

static inline void end(Table *table) {
    table_free(table);
    free(model);
}

#endif
