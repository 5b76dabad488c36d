/* Tests of the mouse, without a terminal: keys in the footer, tabs, titles, types, headings; and of
 * keys that come faster than frames. */
#include "app_fixture.h"

static void set_up(int w, int h) {
    suite_close();
    output = output_new();
    fixed_output(output);
    start_program(w, h);
}

/* The text of a line, a byte for each cell: what is not ASCII is '?'. */
static void line_of(int y, char *out) {
    for (int x = 0; x < canvas->w; x++) {
        uint32_t glyph = canvas_at(canvas, x, y)->glyph;
        out[x] = glyph >= ' ' && glyph < 127 ? (char)glyph : '?';
    }
    out[canvas->w] = 0;
}

/* Where a text stands for the first time from line `from` on; it must be there. */
static void find(const char *text, int from, int *x, int *y) {
    char line[1001];
    for (*y = from; *y < canvas->h; ++*y) {
        line_of(*y, line);
        const char *at = strstr(line, text);
        if (!at) continue;
        *x = (int)(at - line);
        return;
    }
    ck_abort_msg("'%s' is not on the screen", text);
}

/* A click on the first, or the last, letter of a text. */
static void click(MouseWhat what, const char *text, int from, bool last) {
    int x, y;
    find(text, from, &x, &y);
    play_mouse(app, what, x + (last ? (int)strlen(text) - 1 : 0), y);
    draw();
}

static void footer(const char *text, bool last) {
    click(MOUSE_CLICK, text, canvas->h - 1, last);
}

static const Request *take(RequestKind kind) {
    const Request *request, *found = NULL;
    while ((request = request_take(&app_ui(app)->requests)) != NULL)
        if (request->kind == kind) found = request;
    return found;
}

/* On the key and on the word behind it, whose label then says what it does next. */
TEST(keys_in_the_footer_are_keys) {
    set_up(160, 40);
    footer("space pause", false);
    ck_assert(take(REQUEST_PAUSE) && app_ui(app)->requests.of[REQUEST_PAUSE].pause);
    footer("space resume", true);
    ck_assert(take(REQUEST_PAUSE) && !app_ui(app)->requests.of[REQUEST_PAUSE].pause);
    footer("z freeze", true);
    ck_assert(app_ui(app)->frozen);
    footer("z thaw", false);
    ck_assert(!app_ui(app)->frozen);
    footer("tab panel", true);
    ck_assert_ptr_ne(app_ui(app)->focus, &panel_heapmap);
    footer("? help", true);
    ck_assert(is_on(&panel_help));
    footer("? close help", false);
    ck_assert(!is_on(&panel_help));
    click(MOUSE_CLICK, "? help", 0, true); /* in the header */
    ck_assert(is_on(&panel_help));
    footer("q back", false);
    ck_assert(!is_on(&panel_help));
    footer("q quit", true); /* asks, as the last one was "back" */
    ck_assert(!take(REQUEST_QUIT));
    play_key(app, 'q');
    ck_assert(take(REQUEST_QUIT));
}

/* Of "+ - zoom" either sign is its own key, and the word is none of them. */
TEST(several_keys_are_each_their_own) {
    set_up(250, 40);
    int x, y;
    unsigned all = app_ui(app)->kinds;
    find("s f u r t o types", canvas->h - 1, &x, &y);
    for (int i = 0; i < 6; i++) {
        play_mouse(app, MOUSE_CLICK, x + 2 * i, y);
        ck_assert_uint_eq(app_ui(app)->kinds, all & ~(1u << action_kind((Action)(ACT_STRING + i))));
        play_mouse(app, MOUSE_DOUBLE, x + 2 * i, y); /* the second of two quick ones: back again */
        ck_assert_uint_eq(app_ui(app)->kinds, all);
    }
    footer("o types", true);
    ck_assert_uint_eq(app_ui(app)->kinds, all);
    play_key(app, '6');
    draw();
    footer("G holds/makes", true);
    ck_assert(app_ui(app)->makes);
    footer("G holds/makes", false);
    ck_assert(!app_ui(app)->makes);
}

/* A click on nothing is nothing; on a notice it is read; while a line is typed keys are for it. */
TEST(the_rest_of_the_footer_is_no_key) {
    set_up(160, 40);
    app_say(app, "This is a notice");
    draw();
    footer("This is", false);
    ck_assert(!shows("This is a notice"));
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    play_mouse(app, MOUSE_WHEEL_DOWN, 2, 39);
    play_mouse(app, MOUSE_CLICK, 159, 39);
    play_mouse(app, MOUSE_CLICK, 0, 1);
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    play_key(app, 'i');
    draw();
    click(MOUSE_CLICK, "? help", 0, true);
    ck_assert(!is_on(&panel_help));
    ck_assert(shows("input>"));
    ck_assert(!shows("input> ?"));
}

TEST(tabs_and_titles) {
    set_up(160, 40);
    ck_assert(is_on(&panel_sites));
    click(MOUSE_CLICK, "4 Output", 4, true);
    ck_assert(is_on(&panel_output) && !is_on(&panel_sites));
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_output);
    click(MOUSE_CLICK, "6 Sites", 4, false);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_sites);
    click(MOUSE_CLICK, "2 Types", 3, false);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_types);
    ck_assert(!app_ui(app)->enlarged);
    click(MOUSE_DOUBLE, "2 Types", 3, false); /* as enter does there */
    ck_assert(app_ui(app)->enlarged && !is_on(&panel_heapmap));
    click(MOUSE_DOUBLE, "2 Types", 3, false);
    ck_assert(!app_ui(app)->enlarged && is_on(&panel_heapmap));
    /* a title is no row: the page of the line under the cursor stays closed */
    click(MOUSE_CLICK, "6 Sites", 4, false);
    click(MOUSE_DOUBLE, "6 Sites", 4, false);
    ck_assert(app_ui(app)->enlarged && !is_on(&panel_site));
}

TEST(types_are_shown_and_hidden) {
    set_up(160, 40);
    unsigned all = app_ui(app)->kinds;
    Rect types = app_where(app, &panel_types);
    int x, y;
    for (int k = 0; k < LMP_KINDS; k++) {
        for (y = types.y, x = -1; y < types.y + types.h && x < 0; y++)
            if (canvas_at(canvas, types.x + 3, y)->glyph == (uint32_t)kind_info[k].letter)
                x = types.x + 3;
        ck_assert_int_ge(x, 0);
        play_mouse(app, MOUSE_CLICK, x + 8, y - 1);
        ck_assert_uint_eq(app_ui(app)->kinds, all & ~(1u << k));
        play_mouse(app, MOUSE_DOUBLE, x + 8, y - 1);
        ck_assert_uint_eq(app_ui(app)->kinds, all);
    }
    play_key(app, 's');
    draw();
    find("total", types.y, &x, &y);
    play_mouse(app, MOUSE_CLICK, x, y);
    ck_assert_uint_eq(app_ui(app)->kinds, all);
}

/* Every table sorts by the heading that is clicked, again: the other way round; quick clicks count
 * each and open nothing. */
TEST(headings_sort) {
    static const struct {
        Key key;
        const char *heading;
        const Panel *panel;
    } table[] = {{'2', "allocs", &panel_types},
                 {'6', "blocks", &panel_sites},
                 {'7', "function", &panel_functions},
                 {'8', "own", &panel_tree},
                 {'0', "blocks", &panel_tags}};
    set_up(160, 40);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int x, y;
        char line[1001];
        play_key(app, table[i].key);
        draw();
        ck_assert(is_on(table[i].panel));
        Rect where = app_where(app, table[i].panel);
        find(table[i].heading, where.y, &x, &y);
        if (table[i].panel == &panel_types)
            while (x < where.x) { /* the heading of another table */
                line_of(y, line);
                x = (int)(strstr(line + where.x, table[i].heading) - line);
            }
        int w = (int)strlen(table[i].heading);
        play_mouse(app, MOUSE_CLICK, x + w - 1, y);
        draw();
        uint32_t first = canvas_at(canvas, x + w, y)->glyph;
        ck_assert_msg(first == G_SORT_DOWN || first == G_SORT_UP, "%s", table[i].heading);
        play_mouse(app, MOUSE_DOUBLE, x + w - 1, y);
        draw();
        ck_assert_uint_eq(canvas_at(canvas, x + w, y)->glyph,
                          first == G_SORT_DOWN ? G_SORT_UP : G_SORT_DOWN);
        ck_assert_ptr_eq(app_ui(app)->focus, table[i].panel);
    }
}

/* Keys that come in one piece, with no frame between them, are each an action. */
TEST(a_burst_of_keys) {
    set_up(120, 36);
    UiBreaks *breaks = &app_ui(app)->breaks;
    play_key(app, 'b');
    for (int i = 0; i < 6; i++) {
        char text[32];
        snprintf(text, sizeof text, "size %dKiB", i + 1);
        if (i > 0) play_key(app, 'b');
        for (const char *p = text; *p; p++)
            play_key(app, (Key)*p);
        play_key(app, K_ENTER);
    }
    draw();
    ck_assert_uint_eq(breaks->count, 6);
    for (int i = 0; i < 5; i++)
        play_key(app, 'd');
    ck_assert_uint_eq(breaks->count, 1);
    play_key(app, 'd');
    play_key(app, 'd'); /* there is none left */
    ck_assert_uint_eq(breaks->count, 0);
}

TEST(any_click_is_borne) {
    set_up(160, 40);
    for (int i = 0; i < 3000; i++) {
        play_mouse(app, (MouseWhat)suite_below(4), (int)suite_below(180) - 10,
                   (int)suite_below(50) - 5);
        take(REQUEST_QUIT);
        if (suite_below(3) == 0) draw();
        if (suite_below(50) == 0) play_key(app, K_ESC);
    }
}
