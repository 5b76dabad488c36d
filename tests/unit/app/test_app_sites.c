/* Tests of what keys do in the display of a program whose lines are known, without a terminal:
 * what stands at the bottom, typing a filter, a site's page, the editor; and of source files. */
#include <sys/stat.h>
#include <unistd.h>

#include "app_play.h"
#include "base/format.h"
#include "fake_tables.h"
#include "fixed.h"
#include "suite.h"
#include "widget/source.h"
#include "widget/table.h"

#define SECOND 1000000000ull

static App *app;
static Output *output;
static Canvas *canvas;
static FakeTables *tables;
static LmpView view;
static uint64_t now = SECOND;

static void draw(void) {
    app_draw(app, canvas, now);
}

static void refresh(void) {
    ck_assert(model_fill_ledger(app_model(app), &view, LEDGER_ALL));
    model_fill_verdicts(app_model(app), view.tables.text ? &view.tables : NULL);
    app_fresh(app, now);
    draw();
}

static void set_up(int w, int h, bool lines) {
    output = output_new();
    AppOptions options = {
        .utf8 = true, .colours = 256, .live = true, .can_type = true, .output = output};
    app = app_new(&options);
    canvas = canvas_new(w, h, true);
    tables = fake_tables_new(NULL);
    fake_program(tables, true);
    view.tables = lines ? tables->t : (LmpTables){0};
    fixed_model(app_model(app));
    sources_directory(app_ui(app)->sources, TEST_SOURCES);
    refresh();
}

static void tear_down(void) {
    ledger_free(&app_model(app)->ledger);
    app_free(app);
    canvas_free(canvas);
    output_free(output);
    fake_tables_free(tables);
}

static void press(const char *keys) {
    for (; *keys; keys++) {
        play_key(app, *keys == '\n' ? K_ENTER : (Key)(unsigned char)*keys);
        draw();
    }
}

static bool shows(const char *text) {
    char *dump = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&dump, &size);
    canvas_dump_text(canvas, out);
    fclose(out);
    bool found = strstr(dump, text) != NULL;
    free(dump);
    return found;
}

static bool is_on(const Panel *panel) {
    return app_where(app, panel).w > 0;
}

/* ---- what is held, what is made -------------------------------------------------------------- */

/* One key turns all tables, the callers of a line and the words in title and footer. */
START_TEST(one_switch_for_two_questions) {
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
    tear_down();
}
END_TEST

/* What a program that has ended made a second is over its run, and that is said. */
START_TEST(an_ended_program_has_rates_over_its_run) {
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
    tear_down();
}
END_TEST

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
START_TEST(a_mark_counts_everywhere) {
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
    tear_down();
}
END_TEST

/* ---- what stands at the bottom --------------------------------------------------------------- */

START_TEST(sites_stand_at_the_bottom) {
    set_up(120, 36, true);
    ck_assert(is_on(&panel_sites) && is_on(&panel_heap) && is_on(&panel_timeline));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_heap);
    ck_assert(shows("options.lua:12") && shows("exact, by line"));
    ck_assert_uint_eq(app_parts(app), LEDGER_SITES);
    press("4");
    ck_assert(is_on(&panel_output));
    refresh();
    ck_assert(is_on(&panel_output)); /* chosen, so it stays */
    ck_assert_uint_eq(app_parts(app), 0);
    tear_down();
    set_up(120, 36, false);
    ck_assert(is_on(&panel_output) && !is_on(&panel_sites));
    press("6");
    ck_assert(shows("Lines are off"));
    tear_down();
}
END_TEST

/* Where the types would have to go for them they wait until they are asked for. */
START_TEST(sites_push_out_nothing) {
    set_up(60, 15, true);
    ck_assert(is_on(&panel_types) && !is_on(&panel_sites));
    press("6");
    ck_assert(is_on(&panel_sites) && !is_on(&panel_types));
    tear_down();
}
END_TEST

START_TEST(news_of_the_output_are_seen) {
    set_up(120, 36, true);
    ck_assert(shows(" 4 Output  "));
    output_feed(output, "hello\n", 6);
    draw();
    ck_assert(shows(" 4 Output• "));
    press("4");
    ck_assert(shows("hello"));
    press("6");
    ck_assert(shows(" 4 Output  "));
    tear_down();
}
END_TEST

START_TEST(a_pause_lends_the_bottom) {
    set_up(120, 36, true);
    Model *model = app_model(app);
    model->seen = LMP_SEEN_PAUSED;
    refresh();
    ck_assert(is_on(&panel_inspector) && !is_on(&panel_sites));
    model->seen = LMP_SEEN_RUNNING;
    refresh();
    ck_assert(is_on(&panel_sites));
    tear_down();
}
END_TEST

/* What is not exact is said on small screens too. */
START_TEST(the_header_says_how_lines_are_known) {
    set_up(80, 24, true);
    app_model(app)->ledger.stacks = false;
    app_model(app)->ledger.lines = LMP_LINES_APPROXIMATE;
    draw();
    ck_assert(shows("lines: approximate"));
    app_model(app)->ledger.lines = LMP_LINES_EXACT;
    app_model(app)->ledger.sample = 512 * 1024;
    draw();
    ck_assert(shows("sampled every 512 KiB"));
    tear_down();
    set_up(60, 24, true);
    Ledger *ledger = &app_model(app)->ledger;
    ledger->lines = LMP_LINES_APPROXIMATE;
    ledger->sample = 512 * 1024;
    draw();
    ck_assert(shows(" sampled") && !shows("exact"));
    tear_down();
}
END_TEST

/* In short where there is no room for more; never "exact" alone where it is not all. */
START_TEST(the_header_says_exact_on_small_screens) {
    static const int width[] = {60, 80, 100, 200};
    static const char *const name[] = {"options.lua", "a/path/to/a/server-of-prices.lua"};
    static const LmpSeen seen[] = {LMP_SEEN_RUNNING, LMP_SEEN_PAUSED};
    for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
        set_up(width[i / 8], 24, true);
        Model *model = app_model(app);
        strcpy(model->program, name[i % 2]);
        model->seen = seen[i / 2 % 2];
        app_ui(app)->frozen = i / 4 % 2;
        draw();
        ck_assert(width[i / 8] > 100 ? shows("exact, by line and call path") : shows("exact"));
        model->ledger.unproven = 7;
        draw();
        ck_assert(shows("exact but for 7") == (width[i / 8] > 60 || shows("exact")));
        ck_assert(width[i / 8] < 80 || shows("exact but for 7"));
        tear_down();
    }
}
END_TEST

/* So is what was asked for and cannot be had, at any width. */
START_TEST(the_header_says_what_cannot_be_had) {
    static const int width[] = {60, 80, 160};
    for (int i = 0; i < 3; i++) {
        set_up(width[i], 24, true);
        LmpStats *s = &app_model(app)->stats;
        ck_assert(!shows("not sampled") && !shows("no call paths") && !shows("no lines"));
        s->sample_why = LMP_WHY_ENTRY;
        draw();
        ck_assert(shows(i == 2 ? "not sampled: not possible on this processor" : "not sampled"));
        s->stacks_why = LMP_WHY_FRAMES;
        draw();
        ck_assert(shows("not sampled") && shows("no call paths"));
        s->sample_why = s->stacks_why = LMP_WHY_NOT;
        s->lines = LMP_LINES_OFF;
        s->why = LMP_WHY_MEMORY;
        draw();
        ck_assert(shows(i == 2 ? "no lines: no memory for tables" : "no lines"));
        tear_down();
    }
}
END_TEST

START_TEST(the_header_says_who_else_calls) {
    set_up(160, 24, true);
    LmpStats *s = &app_model(app)->stats;
    draw();
    ck_assert(!shows("not counted") && !shows("counted in") && !shows("covered"));
    s->other_states = 1;
    draw();
    ck_assert(shows("1 other state not counted"));
    s->other_states = 12;
    s->mixed_states = 1;
    draw();
    ck_assert(shows("12 other states not counted") && shows("1 other state counted in"));
    s->other_states = s->mixed_states = 0;
    s->passed_requests = 4711;
    draw();
    ck_assert(shows("4,711 requests of other threads not counted"));
    s->passed_requests = 0;
    s->covered = true;
    draw();
    ck_assert(shows("allocator covered by another"));
    tear_down();
    set_up(80, 24, true); /* on small screens, too */
    s = &app_model(app)->stats;
    s->other_states = 3;
    draw();
    ck_assert(shows("3 other states not counted"));
    tear_down();
}
END_TEST

/* All tables show the change since the mark; also where it was set before the reader came. */
START_TEST(sites_since_the_mark) {
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
    tear_down();
}
END_TEST

/* ---- filter, sorting ------------------------------------------------------------------------- */

START_TEST(keys_go_into_the_filter) {
    set_up(120, 36, true);
    press("6/");
    ck_assert(shows(" filter> "));
    press("normal q mz"); /* none of these is a command meanwhile */
    ck_assert(!play_asked(app, REQUEST_QUIT) && !play_asked(app, REQUEST_MARK) &&
              !app_ui(app)->frozen);
    ck_assert(shows("nothing matches"));
    play_key(app, K_CTRL('U'));
    press("NORMAL new");
    ck_assert(shows("2 of 25 match \"NORMAL new\""));
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
    draw();
    ck_assert(shows("cache.lua:14"));
    press("/zzz");
    play_key(app, K_ESC); /* while typing: clears */
    draw();
    ck_assert(shows("cache.lua:14"));
    tear_down();
}
END_TEST

START_TEST(typing_ends_with_the_focus) {
    set_up(120, 36, true);
    press("6/nor");
    play_mouse(app, MOUSE_CLICK, 80, 8); /* the types */
    draw();
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_types);
    ck_assert(app_ui(app)->edit == NULL);
    press("/ser"); /* the types have a filter of their own */
    ck_assert(shows("1 of 6 match \"ser\""));
    tear_down();
}
END_TEST

START_TEST(types_are_sorted_too) {
    set_up(120, 36, true);
    press("2");
    ck_assert(shows("live▾"));
    press("<");
    ck_assert(shows("type▴"));
    press("r");
    ck_assert(shows("type▾"));
    press(">>>");
    ck_assert(shows("blocks▾"));
    tear_down();
}
END_TEST

START_TEST(types_shown_count_in_the_sites) {
    set_up(120, 36, true);
    press("6cu"); /* userdata alone */
    ck_assert(shows("(host)") && shows("scheduler.lua:57"));
    ck_assert(!shows("options.lua:12  ")); /* as in a table: the line under the header stays */
    press("a");
    ck_assert(shows("options.lua:12  "));
    tear_down();
}
END_TEST

/* ---- what it amounts to ---------------------------------------------------------------------- */

START_TEST(the_line_leads_to_its_evidence) {
    set_up(120, 36, true);
    ck_assert(shows("Note  options.lua:12 grows by"));
    press("w");
    ck_assert(is_on(&panel_site));
    ck_assert(shows("● grows by"));          /* the page says it of its line */
    ck_assert(shows("→ less is taken out")); /* and what to change */
    press("\033W");
    ck_assert(!shows("Note  options.lua:12"));
    ck_assert(shows("Note  options.lua:11 grows by"));
    play_mouse(app, MOUSE_CLICK, 20, 3);
    draw();
    ck_assert(is_on(&panel_site));
    for (uint32_t i = 1; i < app_model(app)->verdicts.count; i++)
        press("W");
    ck_assert(shows("Note  options.lua:12 grows by")); /* all round */
    tear_down();
}
END_TEST

/* What it says stays until something else weighs considerably more. */
START_TEST(the_line_does_not_jump) {
    set_up(120, 36, true);
    Verdicts *all = &app_model(app)->verdicts;
    Verdict first = all->verdict[0], second = all->verdict[1];
    second.score = first.score * 1.2;
    all->verdict[0] = second;
    all->verdict[1] = first;
    draw();
    ck_assert(shows("Note  options.lua:12 grows by"));
    all->verdict[0].score = first.score * 1.3;
    draw();
    ck_assert(shows("Note  options.lua:11 grows by"));
    press("W"); /* chosen: it stays, as long as it is there */
    ck_assert(shows("Note  options.lua:12 grows by"));
    all->verdict[0].score = first.score * 9;
    draw();
    ck_assert(shows("Note  options.lua:12 grows by"));
    all->count = 1;
    draw();
    ck_assert(shows("Note  options.lua:11 grows by"));
    tear_down();
}
END_TEST

START_TEST(what_leads_nowhere_says_so) {
    set_up(120, 36, false);
    Verdicts *all = &app_model(app)->verdicts;
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->verdict[i].rule, "unknown") == 0) all->verdict[0] = all->verdict[i];
    all->count = 1;
    draw();
    ck_assert(shows("Note  which line makes what is not known: lines are off"));
    press("w");
    ck_assert(shows("There is nothing to show for it"));
    tear_down();
}
END_TEST

/* ---- the page, the editor -------------------------------------------------------------------- */

START_TEST(enter_opens_the_page) {
    set_up(120, 36, true);
    press("6\n");
    ck_assert(is_on(&panel_site) && !is_on(&panel_heap));
    ck_assert(shows("options.lua:12  in main chunk") && shows("Callers") && shows("History"));
    ck_assert_uint_eq(app_parts(app), LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TREE);
    play_key(app, K_ESC);
    draw();
    ck_assert(is_on(&panel_sites) && is_on(&panel_heap) && !is_on(&panel_site));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_sites);
    tear_down();
}
END_TEST

static void back_to(const Panel *panel) {
    play_key(app, K_ESC);
    draw();
    ck_assert_msg(app_ui(app)->focus == panel && is_on(panel), "%s, not %s",
                  app_ui(app)->focus->title, panel->title);
}

/* Each page leads back to what it was opened from. */
START_TEST(pages_lead_back) {
    set_up(120, 36, true);
    press("7\n");
    ck_assert(is_on(&panel_function));
    press("\n");
    ck_assert(is_on(&panel_site) && !is_on(&panel_function));
    press("?");
    ck_assert(is_on(&panel_help));
    press("?");
    ck_assert(is_on(&panel_site));
    press("b");
    ck_assert(is_on(&panel_breaks) && app_ui(app)->edit);
    play_key(app, K_ESC); /* the line that is typed */
    back_to(&panel_site);
    back_to(&panel_function);
    back_to(&panel_functions);
    press("\n\n6"); /* another panel closes all of them */
    ck_assert(is_on(&panel_sites) && is_on(&panel_heap) && !app_ui(app)->over);
    tear_down();
}
END_TEST

/* From a frame of the call stack under a pause to the page of its line. */
START_TEST(enter_on_a_frame_opens_its_page) {
    set_up(120, 36, true);
    press("5");
    ck_assert(shows("enter enlarge")); /* nothing is paused */
    ledger_free(&app_model(app)->ledger);
    fixed_pause(app_model(app));
    refresh();
    press("\n"); /* the cursor is on the innermost Lua function */
    ck_assert(is_on(&panel_site) && shows("options.lua:12  in main chunk"));
    back_to(&panel_inspector);
    ck_assert(shows("enter look inside"));
    press("jjj\n");
    ck_assert(is_on(&panel_inspector) && shows("Line 88 has made nothing so far"));
    press("j\n"); /* of a C function there is nothing to see */
    ck_assert(app_ui(app)->enlarged);
    tear_down();
}
END_TEST

/* Whatever was opened over what: a few escapes lead home, and a pause in between changes nothing.
 */
START_TEST(every_way_leads_home) {
    static const char keys[] = "\n\n\n\n\n?b67890/\x1b \tz";
    const Panel *home[32];
    int homes = 0;
    suite_seed();
    set_up(120, 36, true);
    do { /* whatever tab comes by */
        home[homes++] = app_ui(app)->focus;
        press("\t");
    } while (app_ui(app)->focus != home[0] && homes < 32);
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 12; i++) {
            press((const char[]){keys[suite_below(sizeof keys - 1)], 0});
            if (suite_below(8) == 0) {
                Model *model = app_model(app);
                bool paused = model->seen == LMP_SEEN_PAUSED;
                model->seen = paused ? LMP_SEEN_RUNNING : LMP_SEEN_PAUSED;
                refresh();
            }
            const Ui *ui = app_ui(app);
            ck_assert(is_on(ui->focus));
            ck_assert(!ui->over || ui->over == ui->focus);
            ck_assert_int_le(ui->unders, UI_UNDER);
            for (int k = 0; k < ui->unders; k++)
                ck_assert_ptr_ne(ui->under[k], ui->over);
        }
        for (int i = 0; i < UI_UNDER + 4; i++) {
            play_key(app, K_ESC);
            draw();
        }
        int at = 0;
        while (at < homes && app_ui(app)->focus != home[at])
            at++;
        ck_assert(!app_ui(app)->over && at < homes);
    }
    tear_down();
}
END_TEST

START_TEST(e_opens_the_line) {
    set_up(120, 36, true);
    const Request *asked = &app_ui(app)->requests.of[REQUEST_OPEN];
    press("e");
    ck_assert(shows("There is no line of the program here to edit"));
    ck_assert(!play_asked(app, REQUEST_OPEN));
    press("6e");
    ck_assert(play_asked(app, REQUEST_OPEN));
    ck_assert_str_eq(asked->file.path, TEST_SOURCES "/options.lua");
    ck_assert_int_eq(asked->file.line, 12);
    app_ui(app)->requests.waiting = 0;
    press("\ne"); /* from its page as well */
    ck_assert(play_asked(app, REQUEST_OPEN));
    ck_assert_str_eq(asked->file.path, TEST_SOURCES "/options.lua");
    app_ui(app)->requests.waiting = 0;
    play_key(app, K_ESC);
    press("/cache\ne");
    ck_assert(shows("No file to open: cannot read cache.lua: No such file"));
    press("/");
    play_key(app, K_CTRL('U'));
    press("(parser)\ne");
    ck_assert(shows("(parser) is no line of a file"));
    ck_assert(!play_asked(app, REQUEST_OPEN));
    tear_down();
}
END_TEST

/* ---- source files ---------------------------------------------------------------------------- */

static const char *line_of(Sources *sources, uint32_t line) {
    static char text[64];
    return sources_line(sources, line, true, text, sizeof text);
}

START_TEST(sources_of_each_kind) {
    Sources *sources = sources_new();
    char dir[] = "/tmp/lmp-source-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.lua", dir);
    FILE *file = fopen(path, "w");
    fputs("\tone\r\ntwo\x01\n\nlast without an end", file);
    fclose(file);
    sources_directory(sources, dir);
    const SourceText *text = sources_get(sources, "@a.lua", 0);
    ck_assert_ptr_null(text->problem);
    ck_assert_uint_eq(text->lines, 4);
    ck_assert_str_eq(line_of(sources, 1), "    one");
    ck_assert_str_eq(line_of(sources, 2), "two?");
    ck_assert_str_eq(line_of(sources, 3), "");
    ck_assert_str_eq(line_of(sources, 4), "last without an end");
    ck_assert_str_eq(line_of(sources, 5), "");
    ck_assert_str_eq(line_of(sources, 0), "");
    ck_assert_str_eq(sources_get(sources, "@./a.lua", 0)->path, path);

    file = fopen(path, "w"); /* changes on the disk are seen, after a while */
    fputs("new\n", file);
    fclose(file);
    text = sources_get(sources, "@a.lua", 3 * SECOND);
    ck_assert_uint_eq(text->lines, 1);
    ck_assert_str_eq(line_of(sources, 1), "new");
    unlink(path);
    text = sources_get(sources, "@a.lua", 6 * SECOND);
    ck_assert_str_eq(text->problem, "cannot read a.lua: No such file or directory");

    text = sources_get(sources, "return 1,\n 2", 0);
    ck_assert_ptr_null(text->problem);
    ck_assert_ptr_null(text->path);
    ck_assert_str_eq(line_of(sources, 2), " 2");
    ck_assert_ptr_nonnull(sources_get(sources, "=stdin", 0)->problem);
    ck_assert_ptr_nonnull(sources_get(sources, "=(host)", 0)->problem);
    ck_assert_str_eq(sources_get(sources, "@/dev/zero", 0)->problem, "not a file");
    ck_assert_str_eq(sources_get(sources, "@.", 0)->problem, "not a file");
    ck_assert_ptr_nonnull(sources_get(sources, "\033Lua", 0)->problem);
    ck_assert_uint_eq(sources_get(sources, "", 0)->lines, 0);
    for (int i = 0; i < 40; i++) { /* more than are kept */
        char chunk[32];
        snprintf(chunk, sizeof chunk, "chunk %d", i);
        sources_get(sources, chunk, (uint64_t)i);
        ck_assert_str_eq(line_of(sources, 1), chunk);
    }
    rmdir(dir);
    sources_free(sources);
    ck_assert_ptr_nonnull(sources_get(NULL, "@a.lua", 0)->problem);
}
END_TEST

/* The columns of a table: one is switched off and on again, what is chosen goes to the config, and
 * what stands there is taken by the next display. */
START_TEST(columns_can_be_chosen) {
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
    tear_down();

    config.count = 1;
    snprintf(config.line[0].name, sizeof config.line[0].name, "columns.Sites");
    snprintf(config.line[0].value, sizeof config.line[0].value, "%s, nonsense", chosen);
    set_up(200, 60, true);
    app_ui(app)->config = &config;
    press("6");
    refresh();
    ck_assert(shows("live"));
    ck_assert(!shows("churn "));
    tear_down();
    snprintf(config.line[0].value, sizeof config.line[0].value,
             "nonsense"); /* none would be left */
    set_up(200, 60, true);
    app_ui(app)->config = &config;
    press("6");
    refresh();
    ck_assert(shows("churn "));
    tear_down();
}
END_TEST

SUITE("app_sites", columns_can_be_chosen, one_switch_for_two_questions,
      an_ended_program_has_rates_over_its_run, a_mark_counts_everywhere, sites_stand_at_the_bottom,
      sites_push_out_nothing, news_of_the_output_are_seen, a_pause_lends_the_bottom,
      the_header_says_how_lines_are_known, the_header_says_exact_on_small_screens,
      the_header_says_what_cannot_be_had, the_header_says_who_else_calls, sites_since_the_mark,
      keys_go_into_the_filter, typing_ends_with_the_focus, types_are_sorted_too,
      types_shown_count_in_the_sites, the_line_leads_to_its_evidence, the_line_does_not_jump,
      what_leads_nowhere_says_so, enter_opens_the_page, pages_lead_back,
      enter_on_a_frame_opens_its_page, every_way_leads_home, e_opens_the_line, sources_of_each_kind)
