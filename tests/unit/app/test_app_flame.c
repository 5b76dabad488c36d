/* The flame graph within the display: the keys that lead there, through it and back, and the mouse.
 */
#include "app_fixture.h"

/* As the viewer does: the parts that panels on the screen ask for. */
static void look(void) {
    draw();
    ck_assert(model_fill_ledger(app_model(app), &view, app_parts(app)));
    app_fresh(app, now);
    draw();
}

static void open_flame(void) {
    start_program(120, 36);
    play_key(app, '8');
    look();
    play_key(app, 'F');
    look();
}

TEST(test_there_and_back) {
    open_flame();
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_flame);
    ck_assert(shows("Flame") && shows("F tree") && shows("main chunk"));
    play_key(app, 'F');
    look();
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_tree);
    ck_assert(shows("F flame") || shows("hottest path"));
    play_key(app, 'F');
    look();
    play_key(app, K_DOWN);
    play_key(app, K_ENTER); /* zooms, and does not enlarge */
    ck_assert(sees("all ▸ main chunk"));
    play_key(app, K_ESC);
    ck_assert(!sees("all ▸") && shows("Flame"));
    play_key(app, K_ESC);
    draw();
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_tree);
}

/* n is the next match while the program runs. */
TEST(test_finding) {
    open_flame();
    play_key(app, '/');
    ck_assert(sees("find>"));
    for (const char *p = "insert"; *p; p++)
        play_key(app, (Key)*p);
    ck_assert(sees("\"insert\": "));
    play_key(app, K_ENTER);
    ck_assert(sees("n N match"));
    play_key(app, 'n');
    ck_assert(sees("1 of "));
    ck_assert(!play_asked(app, REQUEST_STEP));
    play_key(app, 'N');
    ck_assert(sees(" of "));
}

TEST(test_mouse) {
    open_flame();
    Rect inside = app_where(app, &panel_flame);
    play_mouse(app, MOUSE_CLICK, inside.x + 5, inside.y + 3);
    ck_assert(sees(" main chunk  options.lua"));
    play_mouse(app, MOUSE_DOUBLE, inside.x + 5, inside.y + 3);
    ck_assert(sees("all ▸ main chunk"));
}

/* Other keys of the display work there as everywhere. */
TEST(test_other_keys) {
    open_flame();
    play_key(app, '?');
    ck_assert(sees("The call tree as a picture"));
    play_key(app, '?');
    draw();
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_flame);
    play_key(app, K_TAB);
    look();
    ck_assert_ptr_ne(app_ui(app)->focus, &panel_flame);
    ck_assert_ptr_null(app_ui(app)->over);
}
