/* Tests of where panels stand, without a terminal: by tab and number, enlarged, on small screens.
 */
#include "app_fixture.h"

/* To the next panel that has a number; of others there may be any. */
static void tab(Key key) {
    for (int i = 0; i == 0 || (i < 50 && app_ui(app)->focus->number == 0); i++) {
        play_key(app, key);
        draw();
    }
}

/* However narrow: the title of the panel that tab brings next stands in the frame at the bottom. */
TEST(the_next_tab_is_shown) {
    const Panel *order[] = {&panel_output, &panel_inspector, &panel_sites, &panel_functions,
                            &panel_tree,   &panel_leaks,     &panel_tags};
    for (int w = 60; w < 130; w += 7) {
        show_display(w, 24, true);
        press("4");
        for (size_t i = 1; i < sizeof order / sizeof *order; i++) {
            ck_assert_msg(shows(order[i]->title), "%s at %d columns", order[i]->title, w);
            tab('\t');
            ck_assert_ptr_eq(app_ui(app)->focus, order[i]);
        }
        bool round; /* the last one at the bottom, whichever that is, shows the first one */
        do {
            round = shows(panel_output.title);
            play_key(app, '\t');
            draw();
        } while (app_ui(app)->focus != &panel_heapmap);
        ck_assert(round);
    }
}

TEST(panels_by_tab_and_number) {
    show_display(120, 36, true);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_heapmap);
    const Panel *order[] = {&panel_types, &panel_timeline,  &panel_output, &panel_inspector,
                            &panel_sites, &panel_functions, &panel_tree,   &panel_leaks,
                            &panel_tags,  &panel_heapmap};
    for (int i = 0; i < 10; i++) {
        tab('\t');
        ck_assert_ptr_eq(app_ui(app)->focus, order[i]);
        ck_assert(is_on(order[i]));
    }
    tab(K_BACK_TAB);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_tags);
    for (int i = 0; i < 10; i++) {
        char key[2] = {(char)('0' + (i + 2) % 10), 0};
        press(key);
        ck_assert_ptr_eq(app_ui(app)->focus, order[i]);
        ck_assert(is_on(order[i]));
    }
}

TEST(enlarge_and_back) {
    show_display(120, 36, true);
    press("2\n");
    ck_assert(app_ui(app)->enlarged);
    ck_assert(is_on(&panel_types) && !is_on(&panel_heapmap));
    ck_assert_int_eq(app_where(app, &panel_types).w, 118);
    press("\t"); /* the next one, enlarged as well */
    ck_assert(is_on(&panel_timeline) && !is_on(&panel_types));
    play_key(app, K_ESC);
    draw();
    ck_assert(is_on(&panel_types) && is_on(&panel_heapmap));
    ck_assert(!play_asked(app, REQUEST_QUIT));
}

TEST(help_opens_and_closes) {
    show_display(120, 36, true);
    press("?");
    ck_assert(is_on(&panel_help) && !is_on(&panel_heapmap));
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) { /* it tells every key */
        if (action_info[i].help) ck_assert_msg(action_info[i].help[0] != 0, "row %d", i);
    }
    ck_assert(shows("ask for a full garbage collection"));
    press("?");
    ck_assert(!is_on(&panel_help) && is_on(&panel_heapmap));
    press("?");
    play_key(app, K_ESC);
    draw();
    ck_assert(is_on(&panel_heapmap));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_heapmap);
    press("?2"); /* a panel's number closes it too */
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_types);
    ck_assert(is_on(&panel_heapmap));
}

/* What has the keys is on the screen, at every size and whatever is pressed. */
TEST(the_focus_is_always_on_the_screen) {
    static const char keys[] = " nzsfurtoachl12345\t\n\033?mgM+-jk\t\t\n";
    show_display(120, 36, true);
    for (int i = 0; i < 4000; i++) {
        if (suite_below(7) == 0) {
            canvas_resize(canvas, 20 + (int)suite_below(180), 5 + (int)suite_below(60));
        }
        if (suite_below(20) == 0) become((LmpSeen)suite_below(2));
        play_key(app, (Key)(unsigned char)keys[suite_below(sizeof keys - 1)]);
        if (suite_below(9) == 0) {
            play_mouse(app, (MouseWhat)suite_below(4), (int)suite_below(200), (int)suite_below(60));
        }
        app_draw(app, canvas, now += SECOND / 10);
        ck_assert_msg(is_on(app_ui(app)->focus), "%s is not there at %dx%d",
                      app_ui(app)->focus->title, canvas->w, canvas->h);
        /* but for a notice, or a line that a click on the footer has begun */
        bool typing = app_ui(app)->edit || shows("input>");
        ck_assert(shows(" q ") || app_restless(app) || typing);
    }
}

/* Panels have room for something inside their border, on any screen from 20x5 on. */
TEST(panels_have_their_least_room) {
    static const struct {
        const Panel *panel;
        int w, h;
    } panels[] = {{&panel_heapmap, 8, 2},   {&panel_types, 14, 3},  {&panel_timeline, 8, 2},
                  {&panel_output, 10, 1},   {&panel_blocks, 20, 3}, {&panel_help, 20, 1},
                  {&panel_inspector, 20, 3}};
    static const char *const keys[] = {"1", "2", "3", "4", "5", "?", "1\n"};
    show_display(20, 5, true);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        press(keys[k]);
        for (int w = 20; w <= 130; w++) {
            for (int h = 5; h <= 50; h++) {
                canvas_resize(canvas, w, h);
                draw();
                for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
                    Rect room = app_where(app, panels[i].panel);
                    if (room.w == 0) continue;
                    ck_assert_msg(room.w >= panels[i].w && room.h >= panels[i].h,
                                  "%s has %dx%d at %dx%d", panels[i].panel->title, room.w, room.h,
                                  w, h);
                }
            }
        }
        play_key(app, K_ESC);
    }
}

/* Whether anything grows: more can come, and be asked for, only while there is a program. */
TEST(who_has_ended_is_asked_for_nothing) {
    open_display(120, 36, (AppOptions){.live = true});
    tables = fake_tables_new(NULL);
    tables->live->gc.mode = LMP_GC_INCREMENTAL;
    uint32_t f = fake_function(tables, LMP_F_MAIN, "@a.lua", 0, "main chunk");
    fake_made(tables, (FakeSpot){fake_site(tables, f, 1, 0), 0, LMP_C_TABLE, 0}, 10, 1000);
    view.tables = tables->t;
    refresh();
    press("9");
    ck_assert(shows("cannot tell yet: 8 more full cycles") && shows("C asks for one"));
    app_model(app)->ledger.when = LEDGER_END;
    refresh();
    ck_assert(shows("the run was too short to tell: 0 of 8 full cycles"));
    ck_assert(!shows("asks for") && !shows("yet"));
}

/* What is wrong with the config is on the screen for half a minute, which the program begins. */
TEST(what_is_wrong_with_the_config_waits) {
    static const Config config = {
        .problem = "config, line 2: there is no \"thme\"", .count = 1, .line = {{"mouse", "off"}}};
    now = 100 * SECOND; /* the machine has been up for longer than a notice stays */
    open_display(120, 36, (AppOptions){.live = true, .config = &config});
    ck_assert(sees(config.problem)); /* no figures have come */
    /* nor does the viewer, which begins with the mouse as it is here, say anything of that */
    ck_assert(!play_asked(app, REQUEST_MOUSE) && !app_ui(app)->mouse);
    refresh();
    now += 29 * SECOND;
    ck_assert(sees(config.problem));
    now += 2 * SECOND;
    ck_assert(!sees(config.problem));
    now = SECOND;
}
