/* Tests of what keys do in the display of a program whose lines are known, without a terminal:
 * what stands at the bottom, marks, typing a filter, sorting, columns. */
#include "app_fixture.h"
#include "base/format.h"
#include "widget/table.h"

static void set_up(int w, int h, bool lines) {
    open_program(w, h);
    if (!lines) tables->live->tables = (LmpTablesUsed){0};
    sources_directory(app_ui(app)->sources, TEST_SOURCES);
    refresh();
}

/* ---- what is held, what is made -------------------------------------------------------------- */

/* One key turns all tables, the callers of a line and the words in title and footer. */
TEST(one_switch_for_two_questions) {
    set_up(140, 40, true);
    press("6");
    ck_assert(shows("6 Sites: holds") && shows("churn") && !shows("at once"));
    ck_assert(shows("G holds/makes"));
    press("G");
    ck_assert(shows("6 Sites: makes") && shows("at once") && !shows("churn"));
    press("7");
    ck_assert(shows("7 Functions: makes") && shows("at once"));
    press("8");
    ck_assert(shows("8 Tree: makes") && shows("made/s"));
    press("0");
    ck_assert(shows("0 Tags: makes") && shows("made/s"));
    press("9");
    ck_assert(shows("9 Leaks") && !shows("Leaks: ") && !shows("G holds"));
    press("6/cache.lua:14\n\n");
    ck_assert(shows("Site: makes") && shows("what was made for them here"));
    ck_assert(!shows("and is live"));
    press("G");
    ck_assert(shows("Site: holds") && shows("what was made for them here, and is live"));
}

/* What a program that has ended made a second is over its run, and that is said. */
TEST(an_ended_program_has_rates_over_its_run) {
    set_up(140, 40, true);
    press("6G");
    ck_assert(shows("made/s") && !shows("over the whole run"));
    app_model(app)->seen = LMP_SEEN_FINISHED;
    refresh();
    ck_assert(shows("mean/s") && !shows("made/s "));
    ck_assert(shows("mean/s: over the whole run"));
    press(">");
    const Model *m = app_model(app);
    char rate[LMP_NUM];
    const LmpSiteRow *most = &m->ledger.site[0];
    for (uint32_t i = 0; i < m->ledger.sites; i++)
        if (tally_made(&m->ledger.site[i].tally) > tally_made(&most->tally))
            most = &m->ledger.site[i];
    double seconds = (double)m->clock / 1e9;
    format_bytes(rate, (uint64_t)((double)tally_made(&most->tally) / seconds + 0.5));
    ck_assert(shows(rate));
}

/* The marks of the tables, as the model has them. */
static void take_marks(void) {
    Model *model = app_model(app);
    const LmpLive *live = tables->t.live;
    model->marks = live->marks;
    model->marks_all = live->marks;
    model->marks_kept = live->marked;
    memcpy(model->mark, live->mark, sizeof model->mark);
    model->marked = model->marks > 0;
    model->base = model->marks - 1;
    refresh();
}

/* A mark counts in every table, the tree and the tags too. */
TEST(a_mark_counts_everywhere) {
    set_up(140, 40, true);
    Model *m = app_model(app);
    fake_mark(tables);
    take_marks();
    FakeSpot spot = {.site = FAKE_OTHERS,
                     .node = FAKE_OTHERS,
                     .cls = LMP_C_TABLE,
                     .tag = fake_tag(tables, "(others)")};
    fake_made(tables, spot, 1, 77 << 20);
    m->clock += SECOND;
    refresh();
    static const char *const panels[] = {"6", "7", "88", "0"};
    for (int i = 0; i < 4; i++) {
        press(panels[i]);
        refresh(); /* with the parts that it needs */
        ck_assert_msg(shows("Δ mark") && shows("+77.0 MiB"), "panel %s", panels[i]);
    }
    press("G");
    ck_assert(shows("since mark") && shows(" 77.0 MiB"));
}

/* ---- what stands at the bottom --------------------------------------------------------------- */

TEST(sites_stand_at_the_bottom) {
    set_up(120, 36, true);
    ck_assert(is_on(&panel_sites) && is_on(&panel_heapmap) && is_on(&panel_timeline));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_heapmap);
    ck_assert(shows("options.lua:12") && shows("exact, by line"));
    ck_assert_uint_eq(app_parts(app), LEDGER_SITES);
    press("4");
    ck_assert(is_on(&panel_output));
    refresh();
    ck_assert(is_on(&panel_output)); /* chosen, so it stays */
    ck_assert_uint_eq(app_parts(app), 0);
    set_up(120, 36, false);
    ck_assert(is_on(&panel_output) && !is_on(&panel_sites));
    press("6");
    refresh();
    ck_assert(shows("Lines are off"));
}

/* Where the types would have to go for them they wait until they are asked for. */
TEST(sites_push_out_nothing) {
    set_up(60, 15, true);
    ck_assert(is_on(&panel_types) && !is_on(&panel_sites));
    press("6");
    ck_assert(is_on(&panel_sites) && !is_on(&panel_types));
}

TEST(news_of_the_output_are_seen) {
    set_up(120, 36, true);
    ck_assert(shows(" 4 Output  "));
    output_feed(output, "hello\n", 6);
    ck_assert(sees(" 4 Output• "));
    ck_press("4", "hello");
    ck_press("6", " 4 Output  ");
}

TEST(a_pause_lends_the_bottom) {
    set_up(120, 36, true);
    Model *model = app_model(app);
    model->seen = LMP_SEEN_PAUSED;
    refresh();
    ck_assert(is_on(&panel_inspector) && !is_on(&panel_sites));
    model->seen = LMP_SEEN_RUNNING;
    refresh();
    ck_assert(is_on(&panel_sites));
}

/* All tables show the change since the mark; also where it was set before the reader came. */
TEST(sites_since_the_mark) {
    set_up(120, 36, true);
    Model *model = app_model(app);
    press("6");
    refresh();
    ck_assert(!model->ledger_marked && shows("Δ/s"));
    fake_mark(tables);
    take_marks();
    ck_assert(model->ledger_marked && shows("Δ mark"));
    LmpRecord *record = &tables->t.record[2];
    record->use.allocs += 7;
    record->use.bytes += 3 << 20;
    refresh();
    ck_assert(shows("+3.0 MiB"));
    static const char *const all[] = {"6", "7", "8", "9", "0"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        press(all[i]);
        refresh();
        ck_assert_msg(shows("Δ mark"), "panel %s", all[i]);
    }
    press("6");
    fake_mark(tables); /* from here on anew */
    take_marks();
    ck_assert(!shows("+3.0 MiB"));
}

/* ---- filter, sorting ------------------------------------------------------------------------- */

TEST(keys_go_into_the_filter) {
    set_up(120, 36, true);
    ck_press("6/", " filter> ");
    press("normal q mz"); /* none of these is a command meanwhile */
    ck_assert(!play_asked(app, REQUEST_QUIT) && !play_asked(app, REQUEST_MARK) &&
              !app_ui(app)->frozen);
    ck_assert(shows("nothing matches"));
    play_key(app, K_CTRL('U'));
    ck_press("NORMAL new", "2 of 25 match \"NORMAL new\"");
    ck_assert(shows("pricing/normal.lua:30") && !shows("cache.lua:14"));
    play_key(app, K_DOWN); /* moves in the table while it is typed */
    draw();
    ck_assert(app_ui(app)->edit != NULL);
    ck_assert(shows("normal.lua:29 │"));
    press("\n"); /* keeps it */
    ck_assert(app_ui(app)->edit == NULL && !shows("filter> "));
    ck_assert(shows("2 of 25 match"));
    play_key(app, K_ESC);
    draw();
    ck_assert(!shows("match \"") && shows("normal.lua:29 │")); /* the cursor is where it was */
    play_key(app, K_HOME);
    ck_assert(sees("cache.lua:14"));
    press("/zzz");
    play_key(app, K_ESC); /* while typing: clears */
    ck_assert(sees("cache.lua:14"));
}

TEST(typing_ends_with_the_focus) {
    set_up(120, 36, true);
    press("6/nor");
    play_mouse(app, MOUSE_CLICK, 80, 8); /* the types */
    draw();
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_types);
    ck_assert(app_ui(app)->edit == NULL);
    press("/ser"); /* the types have a filter of their own */
    ck_assert(shows("1 of 6 match \"ser\""));
}

TEST(types_are_sorted_too) {
    set_up(120, 36, true);
    ck_press("2", "live▾");
    ck_press("<", "type▴");
    ck_press("O", "type▾");
    ck_press(">>", "blocks▾");
    press("G"); /* what is made of each, in an order of its own */
    ck_assert(shows("2 Types: makes") && shows("made▾"));
    press("G");
    ck_assert(shows("2 Types: holds") && shows("blocks▾"));
}

TEST(types_shown_count_in_the_sites) {
    set_up(120, 36, true);
    press("6cu"); /* userdata alone */
    ck_assert(shows("(host)") && shows("scheduler.lua:57"));
    ck_assert(!shows("options.lua:12  ")); /* as in a table: the line under the header stays */
    ck_press("a", "options.lua:12  ");
}

/* The columns of a table: one is switched off and on again, what is chosen goes to the config, and
 * what stands there is taken by the next display. */
TEST(columns_can_be_chosen) {
    static Config config;
    set_up(200, 60, true);
    press("6|");
    ck_assert_ptr_eq(app_ui(app)->over, &panel_columns);
    ck_assert(shows("of Sites"));
    ck_assert(shows("churn"));
    const Table *table = app_ui(app)->columns_of;
    int churn = 0;
    while (strcmp(table_column_name(&table->def->column[churn]), "churn") != 0)
        churn++;
    int before = 0; /* columns of this mode above it */
    for (int i = 0; i < churn; i++)
        before += table->def->column[i].mode != TABLE_MAKES &&
                  table_column_name(&table->def->column[i]) != NULL;
    press("g");
    for (int i = 0; i < before; i++)
        press("j");
    press(" ");
    ck_assert(!table_column_shown(table, churn));
    const Request *request = &app_ui(app)->requests.of[REQUEST_REMEMBER];
    ck_assert(play_asked(app, REQUEST_REMEMBER));
    ck_assert_str_eq(request->remember.name, "columns.Sites");
    ck_assert_ptr_nonnull(strstr(request->remember.value, "live, "));
    ck_assert_ptr_null(strstr(request->remember.value, "churn"));
    char chosen[140];
    snprintf(chosen, sizeof chosen, "%.139s", request->remember.value);
    press("q");
    ck_assert(!shows("churn "));
    press("|");
    int refused = 0;
    for (int i = 0; i < table->def->columns; i++)
        refused += !table_column_show((Table *)table, i, false);
    ck_assert_int_gt(refused, 0);
    press("g");
    for (int i = 0; i < 40 && !shows("One column stays"); i++)
        press(i % 2 ? "j" : "  "); /* off and on again, but the one that is left */
    ck_assert(shows("One column stays"));
    for (int i = 0; i < table->def->columns; i++)
        ck_assert(table_column_show((Table *)table, i, true) ||
                  !table_column_name(&table->def->column[i]));
    ck_assert_uint_eq(table->off, 0);
    press("\n"); /* one off ... */
    press("\n"); /* and on: nothing is chosen any more */
    ck_assert_str_eq(request->remember.value, "");
    suite_close();

    config.count = 1;
    snprintf(config.line[0].name, sizeof config.line[0].name, "columns.Sites");
    snprintf(config.line[0].value, sizeof config.line[0].value, "%s, nonsense", chosen);
    set_up(200, 60, true);
    app_ui(app)->config = &config;
    press("6");
    refresh();
    ck_assert(shows("live"));
    ck_assert(!shows("churn "));
    suite_close();
    snprintf(config.line[0].value, sizeof config.line[0].value,
             "nonsense"); /* none would be left */
    set_up(200, 60, true);
    app_ui(app)->config = &config;
    press("6");
    refresh();
    ck_assert(shows("churn "));
}
