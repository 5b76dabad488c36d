/* Tests of the ways to a page and back, without a terminal: from what it amounts to, from lines and
 * frames; and of the editor. */
#include "app_fixture.h"

TEST(the_line_leads_to_its_evidence) {
    show_program(120, 36, true);
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
}

/* What it says stays until something else weighs considerably more. */
TEST(the_line_does_not_jump) {
    show_program(120, 36, true);
    Verdicts *all = &app_model(app)->verdicts;
    Verdict first = all->verdict[0], second = all->verdict[1];
    second.score = first.score * 1.2;
    all->verdict[0] = second;
    all->verdict[1] = first;
    ck_assert(sees("Note  options.lua:12 grows by"));
    all->verdict[0].score = first.score * 1.3;
    ck_assert(sees("Note  options.lua:11 grows by"));
    press("W"); /* chosen: it stays, as long as it is there */
    ck_assert(shows("Note  options.lua:12 grows by"));
    all->verdict[0].score = first.score * 9;
    ck_assert(sees("Note  options.lua:12 grows by"));
    all->count = 1;
    ck_assert(sees("Note  options.lua:11 grows by"));
}

TEST(what_leads_nowhere_says_so) {
    show_program(120, 36, false);
    Verdicts *all = &app_model(app)->verdicts;
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->verdict[i].rule, "unknown") == 0) all->verdict[0] = all->verdict[i];
    all->count = 1;
    ck_assert(sees("Note  which line makes what is not known: lines are off"));
    ck_press("w", "There is nothing to show for it");
}

TEST(enter_opens_the_page) {
    show_program(120, 36, true);
    press("6\n");
    ck_assert(is_on(&panel_site) && !is_on(&panel_heapmap));
    ck_assert(shows("options.lua:12  in main chunk") && shows("Callers") && shows("History"));
    ck_assert_uint_eq(app_parts(app), LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TREE);
    play_key(app, K_ESC);
    draw();
    ck_assert(is_on(&panel_sites) && is_on(&panel_heapmap) && !is_on(&panel_site));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_sites);
}

/* Each page leads back to what it was opened from. */
static void back_to(const Panel *panel) {
    play_key(app, K_ESC);
    draw();
    ck_assert_msg(app_ui(app)->focus == panel && is_on(panel), "%s, not %s",
                  app_ui(app)->focus->title, panel->title);
}

TEST(pages_lead_back) {
    show_program(120, 36, true);
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
    ck_assert(is_on(&panel_sites) && is_on(&panel_heapmap) && !app_ui(app)->over);
}

/* From a frame of the call stack under a pause to the page of its line. */
TEST(enter_on_a_frame_opens_its_page) {
    show_program(120, 36, true);
    ck_press("5", "enter enlarge"); /* nothing is paused */
    ledger_free(&app_model(app)->ledger);
    fixed_pause(app_model(app));
    refresh();
    press("\n"); /* the cursor is on the innermost Lua function */
    ck_assert(is_on(&panel_site) && shows("options.lua:12  in main chunk"));
    back_to(&panel_inspector);
    ck_assert(shows("enter look inside"));
    press("jjj\n");
    ck_assert(is_on(&panel_inspector) && shows("Line 88 has made nothing itself"));
    ck_assert(shows("counts at options.lua:12"));
    press("j\n"); /* of a C function there is nothing to see */
    ck_assert(app_ui(app)->enlarged);
}

/* Whatever was opened over what: a few escapes lead home, and a pause in between changes nothing.
 */
TEST(every_way_leads_home) {
    static const char keys[] = "\n\n\n\n\n?b67890/\x1b \tz";
    const Panel *home[32];
    int homes = 0;
    show_program(120, 36, true);
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
}

TEST(e_opens_the_line) {
    show_program(120, 36, true);
    const Request *asked = &app_ui(app)->requests.of[REQUEST_OPEN];
    ck_press("e", "There is no line of the program here to edit");
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
    ck_press("/cache\ne", "No file to open: cannot read cache.lua: No such file");
    press("/");
    play_key(app, K_CTRL('U'));
    ck_press("(parser)\ne", "(parser) is no line of a file");
    ck_assert(!play_asked(app, REQUEST_OPEN));
}
