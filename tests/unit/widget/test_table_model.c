/* Tests of tables (table.h) against a naive model, at every step of random histories: order, filter
 * and cursor. */
#include "table_rows.h"

typedef struct Naive {
    int sort;
    bool reverse, chosen, held;
    char words[EDIT_MAX];
    uint64_t id, moved;
    uint64_t order[ROWS];
    uint32_t shown, cursor;
} Naive;

static bool holds(const char *name, const char *words) {
    char copy[EDIT_MAX], low[EDIT_MAX];
    snprintf(copy, sizeof copy, "%s", words);
    for (size_t i = 0; i <= strlen(name); i++)
        low[i] = (char)((name[i] >= 'A' && name[i] <= 'Z') ? name[i] + 32 : name[i]);
    for (char *p = copy; *p; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p + 32);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        if (!strstr(low, word)) return false;
    return true;
}

/* Does x come before y? */
static bool comes_first(const Naive *n, const Row *x, const Row *y) {
    bool less, more;
    if (n->sort == 0) {
        less = x->size > y->size; /* largest first */
        more = x->size < y->size;
    } else {
        less = strcmp(x->name, y->name) < 0;
        more = strcmp(x->name, y->name) > 0;
    }
    if (less || more) return n->reverse ? more : less;
    return x->id < y->id;
}

static const Row *row_of_id(uint64_t id) {
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id == id) return &rows[i];
    return NULL;
}

static bool among(const uint64_t *ids, uint32_t n, uint64_t id) {
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] == id) return true;
    return false;
}

static void naive_fill(Naive *n, bool keep) {
    uint64_t now[ROWS];
    uint32_t kept = 0;
    n->held = n->moved && ui.now - n->moved < TABLE_HOLD;
    if (!n->held) n->moved = 0;
    for (uint32_t i = 0; n->held && keep && i < n->shown; i++) {
        const Row *row = row_of_id(n->order[i]);
        if (row && holds(row->name, n->words)) now[kept++] = row->id;
    }
    uint32_t shown = kept;
    for (uint32_t i = 0; i < count; i++) { /* insertion, behind those that were kept */
        if (!holds(rows[i].name, n->words) || among(now, kept, rows[i].id)) continue;
        uint32_t at = shown++;
        for (; at > kept && comes_first(n, &rows[i], row_of_id(now[at - 1])); at--)
            now[at] = now[at - 1];
        now[at] = rows[i].id;
    }
    memcpy(n->order, now, shown * sizeof *now);
    n->shown = shown;
    uint32_t cursor = n->chosen ? n->cursor : 0;
    for (uint32_t i = 0; n->chosen && i < shown; i++)
        if (now[i] == n->id) cursor = i;
    if (cursor >= shown) cursor = shown ? shown - 1 : 0;
    n->cursor = cursor;
    if (n->chosen && shown) n->id = now[cursor];
}

static void compare(const Table *table, const Naive *n, const char *after) {
    ck_assert_msg(table->list.count == n->shown, "%s: %u rows, not %u", after,
                  (unsigned)table->list.count, n->shown);
    for (uint32_t i = 0; i < n->shown; i++)
        ck_assert_msg(rows[table->order[i]].id == n->order[i], "%s: row %u is %llu, not %llu",
                      after, i, (unsigned long long)rows[table->order[i]].id,
                      (unsigned long long)n->order[i]);
    uint32_t row = table_selected(table);
    ck_assert_msg((row == TABLE_NONE) == (n->shown == 0), "%s: a cursor in nothing", after);
    if (row != TABLE_NONE)
        ck_assert_msg(rows[row].id == n->order[n->cursor], "%s: cursor on %llu, not %llu", after,
                      (unsigned long long)rows[row].id, (unsigned long long)n->order[n->cursor]);
    ck_assert_uint_le(table->list.top, table->list.cursor);
}

static void change_rows(void) {
    serial++;
    for (uint32_t i = 0; i < count; i++)
        if (suite_below(3) == 0) rows[i].size = (double)suite_below(12);
    for (uint64_t i = suite_below(6); i > 0 && count < ROWS; i--)
        rows[count++] = fresh_row();
    for (uint64_t i = suite_below(5); i > 0 && count > 0; i--) {
        rows[suite_below(count)] = rows[count - 1];
        count--;
    }
}

/* One random thing, to the table and to the model. */
static const char *do_something(Table *table, Naive *n) {
    static const char *const words[] = {"", "a", "B", "ab", "a b", " c  A", "zz"};
    TableSource from = source();
    bool keep = true;
    const char *what;
    switch (suite_below(9)) {
    case 0:
        what = "sort right";
        table_act(table, &from, &ui, ACT_SORT_RIGHT);
        n->sort = 1 - n->sort;
        n->reverse = keep = false;
        break;
    case 1:
        what = "reverse";
        table_act(table, &from, &ui, ACT_REVERSE);
        n->reverse = !n->reverse;
        keep = false;
        break;
    case 2: {
        what = "filter";
        const char *text = words[suite_below(7)];
        keep = strcmp(text, n->words) == 0;
        edit_set(&table->filter, text);
        snprintf(n->words, sizeof n->words, "%s", text);
        break;
    }
    case 3:
    case 4:
        what = "down";
        if (!table_act(table, &from, &ui, ACT_DOWN)) ck_abort_msg("down is not taken");
        if (n->shown && n->cursor + 1 < n->shown) n->cursor++;
        n->chosen = n->shown > 0;
        n->moved = ui.now;
        if (n->chosen) n->id = n->order[n->cursor];
        break;
    case 5:
        what = "home";
        table_act(table, &from, &ui, ACT_HOME);
        n->chosen = false;
        n->moved = 0;
        n->cursor = 0;
        break;
    case 6:
        what = "time";
        ui.now += suite_below(4) * SECOND;
        break;
    default:
        what = "rows";
        change_rows();
    }
    from = source();
    table_fill(table, &from);
    naive_fill(n, keep);
    return what;
}

TEST(as_the_naive_table) {
    for (uint64_t round = 0; round < 60; round++) {
        if (round == 0) suite_again();
        Table table;
        Naive n = {0};
        begin(&table);
        TableSource from = source();
        table_fill(&table, &from);
        for (int step = 0; step < 200; step++)
            compare(&table, &n, do_something(&table, &n));
        end(&table);
    }
}
