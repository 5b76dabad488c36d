/* table.c - rows in order: filters them, sorts them by keys computed once, holds the order while a
 * person moves, and finds the cursor's row again. Drawing, keys and mouse: table_draw.c; which
 * columns there are: table_columns.c. */
#include "widget/table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rowindex.h"
#include "widget/shownfigure.h"

void table_init(Table *table, const TableDef *def) {
    *table = (Table){
        .def = def,
        .sort = def->sort,
        .order_of = {{{def->sort, false}, {def->sort_range, false}, {def->sort_since, false}},
                     {{def->sort_makes, false},
                      {def->sort_range, false},
                      {def->sort_since, false}}},
        .sorted_by = -1,
        .begun = true};
    table->filter.prompt = "filter";
    table->filter.help = "enter keep  esc clear";
}

void table_free(Table *table) {
    free(table->order);
    free(table->ids);
    free(table->keys);
    free(table->spare);
    *table = (Table){0};
}

/* Makes room for `count` rows. Returns false: no memory, and nothing has changed. */
static bool make_room(Table *t, uint32_t count) {
    if (count <= t->room && t->room > 0) return true; /* never copy from or to NULL */
    uint32_t room = count < 64 ? 64 : count + count / 4;
    uint32_t *order = malloc(room * sizeof *order), *spare = malloc(room * sizeof *spare);
    uint64_t *ids = malloc(room * sizeof *ids);
    double *keys = malloc(room * sizeof *keys);
    if (!order || !spare || !ids || !keys) {
        free(order);
        free(spare);
        free(ids);
        free(keys);
        return false;
    }
    if (t->list.count > 0) {
        memcpy(order, t->order, t->list.count * sizeof *order);
        memcpy(ids, t->ids, t->list.count * sizeof *ids);
    }
    free(t->order);
    free(t->spare);
    free(t->ids);
    free(t->keys);
    t->order = order;
    t->spare = spare;
    t->ids = ids;
    t->keys = keys;
    t->room = room;
    return true;
}

/* ---- filter ---------------------------------------------------------------------------------- */

static bool holds_word(const char *text, const char *word, size_t n) {
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == n) return true;
    }
    return n == 0;
}

bool table_words_match(const char *words, const char *text) {
    for (const char *word = words;;) {
        word += strspn(word, " ");
        size_t n = strcspn(word, " ");
        if (n == 0) return true;
        if (!holds_word(text, word, n)) return false;
        word += n;
    }
}

static bool is_filtered(const Table *t) {
    return t->filter.text[strspn(t->filter.text, " ")] != 0;
}

/* Returns a row's struct, which columns have fields of. */
static const void *table_row(const TableSource *from, uint32_t row) {
    return from->row ? from->row(from, row) : (const char *)from->rows + row * from->row_size;
}

static bool has_text(const TableColumn *column) {
    return column->field.type == FIELD_TEXT || column->field.type == FIELD_CHARS;
}

const char *table_text(const TableSource *from, const TableColumn *column, uint32_t row) {
    if (!has_text(column)) return NULL;
    const char *at = (const char *)table_row(from, row) + column->field.at;
    return column->field.type == FIELD_CHARS ? at : *(const char *const *)(const void *)at;
}

/* Returns the first column with a field of text; NULL: there is none. */
static const TableColumn *text_column(const Table *t) {
    for (int i = 0; i < t->def->columns; i++)
        if (has_text(&t->def->column[i])) return &t->def->column[i];
    return NULL;
}

static bool passes(const Table *t, const TableSource *from, uint32_t row) {
    char words[1024] = "";
    if (!t->def->words)
        return table_words_match(t->filter.text, table_text(from, text_column(t), row));
    t->def->words(from, row, words, sizeof words);
    return table_words_match(t->filter.text, words);
}

/* ---- order ----------------------------------------------------------------------------------- */

static const TableColumn *sort_column(const Table *t) {
    return t->sort >= 0 && t->sort < t->def->columns ? &t->def->column[t->sort] : NULL;
}

const LmpTally *table_tally(const TableSource *from, const TableColumn *column, uint32_t row) {
    if (column->tally) return column->tally(from, row);
    return from->tally ? from->tally(from, row) : NULL;
}

static bool has_value(const TableColumn *column) {
    return column &&
           (column->value || column->shown_figure || (column->field.type && !has_text(column)));
}

static double field_of(TableField field, const void *row) {
    const char *at = (const char *)row + field.at;
    switch (field.type) {
    case FIELD_U32:
        return *(const uint32_t *)(const void *)at;
    case FIELD_U64:
        return (double)*(const uint64_t *)(const void *)at;
    case FIELD_I64:
        return (double)*(const int64_t *)(const void *)at;
    case FIELD_REAL:
        return *(const double *)(const void *)at;
    default:
        return NAN;
    }
}

double table_value(const TableSource *from, const TableColumn *column, uint32_t row) {
    if (column->value) return column->value(from, row);
    if (column->field.type) return field_of(column->field, table_row(from, row));
    const LmpTally *tally = table_tally(from, column, row);
    return tally && column->shown_figure
               ? shownfigure_value(column->shown_figure, from->model, tally)
               : NAN;
}

uint64_t table_id_of(const char *name, uint32_t kind) {
    uint64_t hash = 1469598103934665603ull + kind;
    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
    return hash;
}

static double key_of(const Table *t, const TableSource *from, const TableColumn *column,
                     uint32_t row) {
    double value = table_value(from, column, row);
    if (column->shown_figure) return shownfigure_key(column->shown_figure, from->model, value);
    return t->def->rank ? t->def->rank(from, row, value) : value;
}

static uint64_t id_of(const Table *t, const TableSource *from, uint32_t row) {
    if (t->def->id) return t->def->id(from, row);
    if (from->site) return from->site(from, row)->id;
    return from->object ? from->object(from, row) : row;
}

static int by_id(const Table *t, const TableSource *from, uint32_t a, uint32_t b) {
    uint64_t x = id_of(t, from, a), y = id_of(t, from, b);
    return x < y ? -1 : x > y;
}

/* Compares two figures; missing ones (NaN) come last. */
static int by_value(double x, double y) {
    if (isnan(x) || isnan(y)) return isnan(x) ? -!isnan(y) : 1;
    return x < y ? -1 : x > y;
}

/* Compares by the chosen order: < 0 if row a comes before row b; ties are broken by id. */
static int table_before(const Table *t, const TableSource *from, uint32_t a, uint32_t b) {
    const TableColumn *column = sort_column(t);
    int order = 0;
    if (has_value(column)) {
        order = by_value(key_of(t, from, column, a), key_of(t, from, column, b));
    } else if (column && has_text(column)) {
        order = strcmp(table_text(from, column, a), table_text(from, column, b));
    } else if (column && column->compare) {
        order = column->compare(from, a, b);
    }
    if (column && !column->rising) order = -order;
    if (t->reverse) order = -order;
    return order ? order : by_id(t, from, a, b);
}

/* Compares as table_before does, by the precomputed figures of all rows. */
static int before(const Table *t, const TableSource *from, uint32_t a, uint32_t b) {
    const TableColumn *column = sort_column(t);
    if (!has_value(column)) return table_before(t, from, a, b);
    int order = by_value(t->keys[a], t->keys[b]);
    if (!column->rising) order = -order;
    if (t->reverse) order = -order;
    return order ? order : by_id(t, from, a, b);
}

/* Merges runs that are in order already, pair by pair: nearly sorted rows, which are usual from
 * refresh to refresh, cost little. */
static void sort_rows(Table *t, const TableSource *from, uint32_t *row, uint32_t count) {
    uint32_t *spare = t->spare;
    for (;;) {
        uint32_t at = 0, runs = 0;
        while (at < count) {
            uint32_t start = at, middle, end;
            for (at++; at < count && before(t, from, row[at - 1], row[at]) <= 0;)
                at++;
            middle = at;
            if (middle < count) {
                for (at++; at < count && before(t, from, row[at - 1], row[at]) <= 0;)
                    at++;
            }
            end = at;
            runs++;
            uint32_t a = start, b = middle, out = start;
            while (a < middle && b < end)
                spare[out++] = before(t, from, row[a], row[b]) <= 0 ? row[a++] : row[b++];
            while (a < middle)
                spare[out++] = row[a++];
            while (b < end)
                spare[out++] = row[b++];
        }
        memcpy(row, spare, count * sizeof *row);
        if (runs <= 1) return;
    }
}

static uint32_t hash_of_id(uint64_t id) {
    return (uint32_t)rowindex_mix(id, 0);
}

/* Returns the place of an id in a list, counted from 1; 0: not there. */
static uint32_t place_of_id(const LmpRowIndex *index, const uint64_t *ids, uint64_t id) {
    uint32_t hash = hash_of_id(id), at = hash, place;
    while ((place = rowindex_next(index, hash, &at)) && ids[place - 1] != id) {
    }
    return place;
}

/* Makes an index of the places of ids. Returns false: no memory. */
static bool index_ids(LmpRowIndex *index, const uint64_t *ids, uint32_t count) {
    uint32_t slots = 16;
    while (slots / 2 < count)
        slots *= 2;
    if (!rowindex_open(index, slots)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!place_of_id(index, ids, ids[i])) rowindex_add(index, hash_of_id(ids[i]), i + 1);
    return true;
}

/* Puts the rows [0, count) of `row`, which are sorted, into the previous order: rows that were
 * there keep their places, the others follow. Returns false: no memory. */
static bool keep_order(Table *t, const TableSource *from, uint32_t *row, uint32_t count) {
    LmpRowIndex index;
    uint32_t was = (uint32_t)t->list.count, out = 0;
    uint32_t *now = calloc((size_t)was + 1, sizeof *now); /* row + 1 by previous place */
    if (!now || !index_ids(&index, t->ids, was)) {
        free(now);
        return false;
    }
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = place_of_id(&index, t->ids, id_of(t, from, row[i]));
        if (place && !now[place - 1]) {
            now[place - 1] = row[i] + 1;
        } else {
            t->spare[fresh++] = row[i];
        }
    }
    for (uint32_t i = 0; i < was; i++) {
        if (now[i]) row[out++] = now[i] - 1;
    }
    memcpy(row + out, t->spare, fresh * sizeof *row);
    free(now);
    rowindex_close(&index);
    return true;
}

/* Puts the cursor where its row is now, and scrolls so that it stays on its line. */
static void find_cursor(Table *t, uint32_t count) {
    uint64_t line = t->list.cursor - t->list.top;
    if (!t->has_chosen) {
        t->list.cursor = t->list.top = 0;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            if (t->ids[i] != t->chosen) continue;
            t->list.cursor = i;
            t->list.top = i > line ? i - line : 0;
            break;
        }
    }
    list_fit(&t->list, count, t->page);
    /* gone or filtered out: take the row that has its place now */
    if (t->has_chosen && count > 0) t->chosen = t->ids[t->list.cursor];
}

bool table_is_held(const Table *t, const Ui *ui) {
    return t->moved != 0 && ui->now - t->moved < TABLE_HOLD;
}

/* Each mode has its own order. */
void table_follow_mode(Table *t, const Model *model, const Ui *ui) {
    bool makes = ui->makes && t->def->sort_makes;
    unsigned of = model && shownfigure_in_range(model) && t->def->sort_range   ? ORDER_RANGE
                  : model && shownfigure_in_since(model) && t->def->sort_since ? ORDER_SINCE
                                                                               : ORDER_ALL;
    if (t->makes == makes && t->of == of) return;
    t->order_of[t->makes][t->of].sort = t->sort;
    t->order_of[t->makes][t->of].reverse = t->reverse;
    t->makes = makes;
    t->of = of;
    t->sort = t->order_of[makes][of].sort;
    t->reverse = t->order_of[makes][of].reverse;
}

/* Returns the mode's column that shows what differs between two runs; else `otherwise`. */
static int differing(const Table *t, TableMode mode, int otherwise) {
    for (int i = 0; i < t->def->columns; i++) {
        const TableColumn *c = &t->def->column[i];
        if (c->mode == mode && c->shown_figure && shownfigure_differs(c->shown_figure)) return i;
    }
    return otherwise;
}

void table_compare(Table *t, const Model *model) {
    bool against = model->against.name != NULL;
    if (t->against == against) return;
    t->against = against;
    if (!against) return;
    int holds = differing(t, TABLE_HOLDS, t->def->sort);
    int makes = differing(t, TABLE_MAKES, t->def->sort_makes);
    t->order_of[0][0].sort = holds;
    t->order_of[1][0].sort = makes;
    t->order_of[0][0].reverse = t->order_of[1][0].reverse = t->reverse = false;
    t->sort = t->makes ? makes : holds;
}

void table_fill(Table *t, const TableSource *from) {
    table_compare(t, from->model);
    table_follow_mode(t, from->model, from->ui);
    table_columns_read(t, from->ui->config);
    bool held = table_is_held(t, from->ui);
    bool same = t->sorted_by == t->sort && t->sorted_reverse == t->reverse &&
                strcmp(t->sought, t->filter.text) == 0;
    if (!held) t->moved = 0;
    if (same && held == t->held && t->rows == from->rows && t->rows_count == from->count &&
        t->serial == from->serial && !t->no_memory)
        return;
    t->no_memory = !make_room(t, from->count);
    if (t->no_memory) {
        t->list = (List){0};
        return;
    }
    uint32_t count = 0, *row = malloc((from->count + 1ull) * sizeof *row);
    if (!row) {
        t->no_memory = true;
        t->list = (List){0};
        return;
    }
    bool filter = is_filtered(t) && (t->def->words || text_column(t));
    const TableColumn *column = sort_column(t);
    t->total = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        if (t->def->skips && t->def->skips(from, i)) continue;
        t->total++;
        if (filter && !passes(t, from, i)) continue;
        row[count++] = i;
        if (has_value(column)) t->keys[i] = key_of(t, from, column, i);
    }
    if (!t->def->own_order) {
        sort_rows(t, from, row, count);
        /* another filter or sort column asks for another order */
        if (held && same) t->no_memory = !keep_order(t, from, row, count);
    }
    memcpy(t->order, row, count * sizeof *row);
    free(row);
    for (uint32_t i = 0; i < count; i++)
        t->ids[i] = id_of(t, from, t->order[i]);
    find_cursor(t, count);
    t->rows = from->rows;
    t->rows_count = from->count;
    t->serial = from->serial;
    t->sorted_by = t->sort;
    t->sorted_reverse = t->reverse;
    t->held = held;
    memcpy(t->sought, t->filter.text, sizeof t->sought);
}

const TableColumn *table_by(const Table *t) {
    const TableColumn *all = t->def->column;
    bool sorted = t->sort >= 0 && t->sort < t->def->columns;
    const ShownFigure *by = sorted ? all[t->sort].shown_figure : NULL;
    if (by && shownfigure_adds(by) && !(t->against && shownfigure_differs(by)))
        return &all[t->sort];
    const TableColumn *usual = &all[t->of == ORDER_RANGE   ? t->def->sort_range
                                    : t->of == ORDER_SINCE ? t->def->sort_since
                                    : t->makes             ? t->def->sort_makes
                                                           : t->def->sort];
    return usual->shown_figure ? usual : NULL;
}

double table_share(const TableSource *from, uint32_t row) {
    const TableColumn *column = from->table ? table_by(from->table) : NULL;
    if (!column || !from->whole) return 0;
    double part = table_value(from, column, row);
    double all = shownfigure_value(column->shown_figure, from->model, from->whole);
    if (!(part > 0)) return 0;
    return part < all ? part / all : all > 0;
}

uint32_t table_selected(const Table *t) {
    return t->list.cursor < t->list.count && !t->def->no_cursor ? t->order[t->list.cursor]
                                                                : TABLE_NONE;
}

void table_to_top(Table *t) {
    t->moved = 0;
    t->has_chosen = false;
    t->list.cursor = t->list.top = 0;
}

bool table_choose(Table *t, uint64_t id) {
    for (uint64_t i = 0; i < t->list.count; i++) {
        if (t->ids[i] != id) continue;
        t->has_chosen = true;
        t->chosen = id;
        t->list.cursor = i;
        list_fit(&t->list, t->list.count, t->page);
        return true;
    }
    return false;
}

Tone table_heat(double share) {
    static const double from[THEME_HEAT] = {-1, 0.01, 0.05, 0.2};
    int level = 0;
    for (int i = 1; i < THEME_HEAT; i++)
        if (share >= from[i]) level = i;
    return TONE_HEATED(level);
}
