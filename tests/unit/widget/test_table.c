/* Tests of tables (table.h): columns at every width; the held order; the mouse; what is typed.
 * Against a naive model: test_table_model.c. */
#include "table_rows.h"

RELEASE_AT(canvas_free)

/* ---- single rules ---------------------------------------------------------------------------- */

static void some_rows(uint32_t n) {
    for (count = 0; count < n; count++)
        rows[count] =
            (Row){.id = count + 1, .size = (double)(n - count), .name = {'r', (char)('a' + count)}};
    serial++;
}

TEST(the_order_is_held_while_one_moves) {
    Table table;
    begin(&table);
    some_rows(5);
    TableSource from = source();
    table_fill(&table, &from);
    table_act(&table, &from, &ui, ACT_DOWN);
    rows[4].size = 99; /* would be the first */
    serial++;
    from = source();
    table_fill(&table, &from);
    ck_assert_uint_eq(rows[table.order[0]].id, 1);
    ck_assert(table_is_held(&table, &ui));
    char note[64];
    table_note(&table, note, sizeof note);
    ck_assert_str_eq(note, "order held · Home sorts");
    ui.now += TABLE_HOLD;
    table_fill(&table, &from);
    ck_assert_uint_eq(rows[table.order[0]].id, 5);
    ck_assert_uint_eq(rows[table_selected(&table)].id, 2); /* the cursor keeps to its row */
    table_act(&table, &from, &ui, ACT_DOWN);
    rows[3].size = 100;
    serial++;
    from = source();
    table_act(&table, &from, &ui, ACT_HOME); /* sorts at once, and is on the first */
    ck_assert_uint_eq(rows[table_selected(&table)].id, 4);
    rows[2].size = 101;
    serial++;
    from = source();
    table_fill(&table, &from);
    ck_assert_uint_eq(rows[table_selected(&table)].id, 3); /* whichever that is */
    end(&table);
}

/* The cursor's row stays on its line of the screen when the order changes. */
TEST(the_row_keeps_its_line) {
    Table table;
    OWN(canvas_free_at) Canvas *canvas = canvas_new(30, 8, true);
    begin(&table);
    some_rows(26);
    TableSource from = source();
    table_fill(&table, &from);
    table_draw(&table, &from, canvas, (Rect){0, 0, 30, 8});
    for (int i = 0; i < 10; i++)
        table_act(&table, &from, &ui, ACT_DOWN);
    table_draw(&table, &from, canvas, (Rect){0, 0, 30, 8});
    uint64_t line = table.list.cursor - table.list.top;
    ui.now += TABLE_HOLD;
    for (int i = 20; i < 26; i++)
        rows[i].size += 1000;
    serial++;
    from = source();
    table_fill(&table, &from);
    ck_assert_uint_eq(table.list.cursor, 16);
    ck_assert_uint_eq(table.list.cursor - table.list.top, line);
    end(&table);
}

static void type(Table *table, const TableSource *from, const char *text) {
    ck_assert(table_act(table, from, &ui, ACT_FILTER));
    ck_assert_ptr_eq(ui.edit, &table->filter);
    for (; *text; text++)
        edit_key(ui.edit, (Key)(unsigned char)*text);
    table_fill(table, from);
}

TEST(a_filter_is_typed_and_cleared) {
    Table table;
    char note[64];
    begin(&table);
    some_rows(20);
    TableSource from = source();
    table_fill(&table, &from);
    type(&table, &from, "RC");
    ck_assert_uint_eq(table.list.count, 1);
    table_note(&table, note, sizeof note);
    ck_assert_str_eq(note, "1 of 20 match \"RC\"");
    ui.edit->done(ui.edit, &ui, true); /* enter keeps it */
    table_fill(&table, &from);
    ck_assert_uint_eq(table.list.count, 1);
    ck_assert(table_act(&table, &from, &ui, ACT_BACK)); /* esc clears it */
    ck_assert_uint_eq(table.list.count, 20);
    ck_assert(!table_act(&table, &from, &ui, ACT_BACK)); /* and then closes */
    type(&table, &from, "rd");
    ui.edit->done(ui.edit, &ui, false);
    table_fill(&table, &from);
    ck_assert_uint_eq(table.list.count, 20);
    end(&table);
}

TEST(lines_are_edited) {
    LineEdit edit = {0};
    edit_set(&edit, "one zwei drei");
    ck_assert_int_eq(edit_key(&edit, K_CTRL('W')), EDIT_TAKEN);
    ck_assert_str_eq(edit.text, "one zwei ");
    ck_assert_int_eq(edit_key(&edit, 0xe4), EDIT_TAKEN);
    ck_assert_str_eq(edit.text, "one zwei \xc3\xa4");
    edit_key(&edit, K_BACKSPACE);
    ck_assert_str_eq(edit.text, "one zwei ");
    ck_assert_int_eq(edit_key(&edit, K_DOWN), EDIT_OTHER);
    ck_assert_int_eq(edit_key(&edit, K_TAB), EDIT_OTHER);
    ck_assert_int_eq(edit_key(&edit, K_ENTER), EDIT_ENTERED);
    ck_assert_int_eq(edit_key(&edit, K_ESC), EDIT_ESCAPED);
    edit_key(&edit, K_CTRL('U'));
    ck_assert_str_eq(edit.text, "");
    for (int i = 0; i < 300; i++)
        edit_key(&edit, 0x20ac); /* three bytes each */
    ck_assert_uint_lt(strlen(edit.text), EDIT_MAX);
    ck_assert_uint_eq(strlen(edit.text) % 3, 0);
}

/* ---- on the screen --------------------------------------------------------------------------- */

static char *drawn(Table *table, const TableSource *from, int w, int h, bool utf8) {
    Canvas *canvas = canvas_new(w, h, utf8);
    canvas_clear(canvas, STYLE(TONE_NONE));
    table_fill(table, from);
    table_draw(table, from, canvas, (Rect){0, 0, w, h});
    char *text = canvas_dump(canvas);
    canvas_free(canvas);
    return text;
}

/* ---- what is held, what is made -------------------------------------------------------------- */

static LmpTally tally[ROWS];

static const LmpTally *tally_at(const TableSource *from, uint32_t row) {
    ck_assert_uint_lt(row, from->count);
    return &tally[row];
}
static void cell_share(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, "%.0f", table_share(from, row) * 100);
}

enum { COL_SHARE, COL_LIVE, COL_BLOCKS, COL_MADE, COL_EACH, COL_ID };
static const TableColumn modal_columns[] = {
    [COL_SHARE] = {"%", 4, 4, 0, .cell = cell_share},
    [COL_LIVE] = {NULL, 10, 10, 0, HOLDS(M_LIVE)},
    [COL_BLOCKS] = {NULL, 8, 8, 0, HOLDS(M_BLOCKS)},
    [COL_MADE] = {NULL, 10, 10, 0, MAKES(M_MADE)},
    [COL_EACH] = {NULL, 8, 8, 0, MAKES(M_EACH)},
    [COL_ID] = {"id", 5, 8, 0, .align = TABLE_LEFT, .flex = true, .cell = cell_id},
};
static const TableDef modal = {
    .column = modal_columns, .columns = 6, .sort = COL_LIVE, .sort_makes = COL_MADE, .id = id_of};

/* Each mode has its columns and its order; shares are of what is sorted by, if that has shares. */
TEST(modes) {
    Table table = {0};
    begin(&table);
    table_init(&table, &modal);
    some_rows(2);
    tally[0] = (LmpTally){.allocs = 10, .live_blocks = 1, .live_bytes = 300, .free_bytes = 100};
    tally[1] = (LmpTally){.allocs = 90, .live_blocks = 3, .live_bytes = 100, .free_bytes = 1500};
    LmpTally all = tally[0];
    tally_add(&all, &tally[1]);
    TableSource from = source();
    from.tally = tally_at;
    from.table = &table;
    from.whole = &all;
    char *text = drawn(&table, &from, 40, 4, true);
    ck_assert_str_eq(text, "    %      live\u25be blocks  id\n"
                           "\u25b8  75     300 B       1  #1\n"
                           "   25     100 B       3  #2\n\n");
    free(text);
    table_act(&table, &from, &ui, ACT_SORT_RIGHT);
    text = drawn(&table, &from, 40, 4, true);
    ck_assert_str_eq(text, "    %      live  blocks\u25be id\n"
                           "\u25b8  75     100 B       3  #2\n"
                           "   25     300 B       1  #1\n\n");
    free(text);
    ui.makes = true;
    text = drawn(&table, &from, 40, 4, true);
    ck_assert_str_eq(text, "    %      made\u25be   each  id\n"
                           "\u25b8  80   1.6 KiB    17 B  #2\n"
                           "   20     400 B    40 B  #1\n\n");
    free(text);
    table_act(&table, &from, &ui,
              ACT_SORT_RIGHT); /* averages have no shares: those of bytes made */
    text = drawn(&table, &from, 40, 4, true);
    ck_assert_str_eq(text, "    %      made    each\u25be id\n"
                           "\u25b8  20     400 B    40 B  #1\n"
                           "   80   1.6 KiB    17 B  #2\n\n");
    free(text);
    table_act(&table, &from, &ui, ACT_SORT_RIGHT); /* round the end, past what is not shown */
    ck_assert_int_eq(table.sort, COL_MADE);
    table_act(&table, &from, &ui, ACT_SORT_RIGHT);
    ui.makes = false;
    free(drawn(&table, &from, 40, 4, true));
    ck_assert_int_eq(table.sort, COL_BLOCKS); /* as it was left */
    ui.makes = true;
    free(drawn(&table, &from, 40, 4, true));
    ck_assert_int_eq(table.sort, COL_EACH);
    end(&table);
}

/* At every width: columns do not overlap, the most important one goes last, a column that is left
 * out had no room, and the last one, with its blank, ends at the column of the scroll bar. */
TEST(columns_at_every_width) {
    Table table;
    begin(&table);
    some_rows(3);
    TableSource from = source();
    for (int w = 1; w <= 60; w++) {
        free(drawn(&table, &from, w, 6, true));
        int end_of = 2, right = w > 24 ? w - 1 : w;
        for (int i = 0; i < 3; i++) {
            if (w > 2) ck_assert_int_gt(table.width[0], 0);
            if (table.width[i] == 0) continue;
            ck_assert_int_ge(table.at[i], end_of);
            ck_assert_int_le(table.at[i], end_of + 1);
            end_of = table.at[i] + table.width[i];
            ck_assert_int_le(end_of, right);
        }
        for (int i = 0; i < 3; i++)
            if (!table.width[i]) ck_assert_int_gt(columns[i].narrow, right - end_of);
        if (table.width[2]) ck_assert_int_eq(end_of, right);
    }
    end(&table);
}

/* A path gets as many columns more as it needs, at most a share of what the text beside it has
 * over, and keeps them when it is scrolled out. */
static void cell_path(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, "%.*s/%s.lua:1", (int)row_at(from, row)->size,
             "a/long/way/to/the/file/that/has/it", row_at(from, row)->name);
}

TEST(paths_take_what_they_need) {
    static const TableColumn tails[] = {
        {"where", 10, 20, 0, .align = TABLE_TAIL, .rising = true, .cell = cell_path,
         .compare = by_name},
        {"text", 20, 20, 1, .align = TABLE_LEFT, .flex = true, .cell = cell_id}};
    static const TableDef tail_def = {
        .column = tails, .columns = 2, .id = id_of, .words = words_of, .empty = "nothing"};
    Table table;
    begin(&table);
    table_free(&table);
    table = (Table){0};
    table_init(&table, &tail_def);
    some_rows(8);
    for (uint32_t i = 0; i < count; i++)
        rows[i].size = 0;
    TableSource from = source();
    free(drawn(&table, &from, 120, 4, true));
    ck_assert_int_eq(table.width[0], 20); /* "/ra.lua:1" */
    rows[7].size = 18;                    /* in the last row, which is not to be seen yet */
    free(drawn(&table, &from, 120, 4, true));
    ck_assert_int_eq(table.width[0], 20);
    table_act(&table, &from, &ui, ACT_END);
    free(drawn(&table, &from, 120, 4, true));
    ck_assert_int_eq(table.width[0], 18 + 9 + 1);
    table_act(&table, &from, &ui, ACT_HOME);
    free(drawn(&table, &from, 120, 4, true));
    ck_assert_int_eq(table.width[0], 18 + 9 + 1);
    rows[0].size = 34;
    free(drawn(&table, &from, 120, 4, true));
    ck_assert_int_eq(table.width[0], 36);
    free(drawn(&table, &from, 66, 4, true)); /* the text is given its columns first */
    ck_assert_int_eq(table.width[0], 20);
    end(&table);
}

TEST(looks) {
    Table table;
    begin(&table);
    some_rows(3);
    TableSource from = source();
    char *text = drawn(&table, &from, 28, 5, true);
    ck_assert_str_eq(text, "      size▾ name     id\n"
                           "▸      3.0  ra       #1\n"
                           "       2.0  rb       #2\n"
                           "       1.0  rc       #3\n"
                           "\n");
    free(text);
    table_act(&table, &from, &ui, ACT_SORT_RIGHT);
    table_act(&table, &from, &ui, ACT_REVERSE);
    text = drawn(&table, &from, 28, 5, false);
    ck_assert_str_eq(text, "      size  name*    id\n"
                           ">      1.0  rc       #3\n"
                           "       2.0  rb       #2\n"
                           "       3.0  ra       #1\n"
                           "\n");
    free(text);
    rows[2].size = 1234567.8; /* its column has room for eight */
    from.serial++;
    text = drawn(&table, &from, 28, 5, true);
    ck_assert_ptr_nonnull(strstr(text, " 1234567  "));
    free(text);
    edit_set(&table.filter, "zz");
    text = drawn(&table, &from, 60, 4, true);
    ck_assert_ptr_nonnull(strstr(text, "nothing matches \"zz\" (esc clears the filter)"));
    free(text);
    edit_clear(&table.filter);
    some_rows(0);
    from = source();
    text = drawn(&table, &from, 26, 4, true);
    ck_assert_ptr_nonnull(strstr(text, "nothing there"));
    free(text);
    end(&table);
}

TEST(mouse_chooses_and_sorts) {
    Table table;
    Rect rect = {0, 0, 26, 5};
    begin(&table);
    some_rows(9);
    TableSource from = source();
    free(drawn(&table, &from, 26, 5, true));
    ck_assert(table_mouse(&table, &from, (MouseEvent){MOUSE_CLICK, 5, 3}, rect));
    ck_assert_uint_eq(rows[table_selected(&table)].id, 3);
    ck_assert(!table_mouse(&table, &from, (MouseEvent){MOUSE_DOUBLE, 5, 2},
                           rect)); /* the panel's to do */
    ck_assert_uint_eq(rows[table_selected(&table)].id, 2);
    ck_assert(table_mouse(&table, &from, (MouseEvent){MOUSE_WHEEL_DOWN, 5, 2}, rect));
    ck_assert_uint_eq(rows[table_selected(&table)].id, 5);
    ck_assert(!table_mouse(&table, &from, (MouseEvent){MOUSE_CLICK, 5, 7}, rect));
    ck_assert(table_mouse(&table, &from, (MouseEvent){MOUSE_CLICK, 12, 0},
                          rect)); /* the heading "name" */
    ck_assert_int_eq(table.sort, 1);
    ck_assert(table_mouse(&table, &from, (MouseEvent){MOUSE_CLICK, 12, 0}, rect));
    ck_assert(table.reverse);
    ck_assert(!table_mouse(&table, &from, (MouseEvent){MOUSE_CLICK, 22, 0},
                           rect)); /* cannot be sorted by */
    end(&table);
}

TEST(heat_rises) {
    ck_assert_int_eq(table_heat(0), TONE_HEATED(0));
    ck_assert_int_eq(table_heat(0.02), TONE_HEATED(1));
    ck_assert_int_eq(table_heat(0.1), TONE_HEATED(2));
    ck_assert_int_eq(table_heat(1), TONE_HEATED(THEME_HEAT - 1));
}
