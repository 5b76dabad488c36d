/* Tests of `/`, n and N in help, output and a source, without a terminal: what is lit up, where
 * they go, and that n steps while the program is paused. */
#include <ctype.h>

#include "app_fixture.h"
#include "widget/search.h"

/* Places lit up in a panel, and the row of the one that is lit up most (-1). All of them must be
 * the text, whatever its case. */
static int lit(const Panel *panel, const char *text, int *here) {
    Rect r = app_where(app, panel);
    int n = 0, w = (int)strlen(text);
    *here = -1;
    for (int y = r.y; y < r.y + r.h; y++) {
        for (int x = r.x; x < r.x + r.w; x++) {
            unsigned attr = style_attr(canvas_at(canvas, x, y)->style);
            if (!(attr & (ATTR_REVERSE | ATTR_UNDERLINE))) continue;
            if (attr & ATTR_REVERSE) *here = y - r.y;
            for (int i = 0; i < w; i++)
                ck_assert_int_eq(tolower((int)canvas_at(canvas, x + i, y)->glyph), text[i]);
            n++;
            x += w - 1;
        }
    }
    return n;
}

TEST(the_output_is_searched) {
    int here;
    show_program(120, 40, true);
    for (int i = 0; i < 300; i++) {
        char line[64];
        snprintf(line, sizeof line, "line %d%s\n", i, i % 50 == 7 ? " has the Needle" : "");
        output_feed(output, line, strlen(line));
    }
    ck_press("4", " / find");
    ck_assert_int_eq(lit(&panel_output, "needle", &here), 0);
    press("/needle"); /* lit up while it is typed: the first one from here on, round the end */
    ck_assert(shows("find>"));
    ck_assert(shows("line 7 has the Needle"));
    ck_assert_int_eq(lit(&panel_output, "needle", &here), 1);
    ck_assert_int_ge(here, 0);
    press("\n");
    ck_assert(shows(" n N match") && !shows("n step"));
    press("n");
    ck_assert(shows("line 57 has the Needle") && shows("in line 58"));
    ck_press("nn", "line 157 has the Needle");
    ck_press("N", "line 107 has the Needle");
    press("nnnn"); /* 157, 207, 257, and round the end */
    ck_assert(shows("line 7 has the Needle") && shows("in line 8"));
    ck_press("N", "line 257 has the Needle");
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0); /* nothing was asked of the program */
    press("\033");                                       /* given up: n says what it always does */
    ck_assert_int_eq(lit(&panel_output, "needle", &here), 0);
    ck_press("n", "space pauses it, then n steps");
    /* what is not there, until it comes */
    ck_press("/thread 9\n", "\"thread 9\" is not here");
    press("n");
    output_feed(output, "thread 9 is here\n", 17);
    ck_assert(sees("thread 9 is here") && shows("in line 301"));
}

/* While it is paused n steps, as everywhere, and the footer says which. */
TEST(n_steps_while_paused) {
    int here;
    show_program(120, 40, true);
    output_feed(output, "one\ntwo one\nthree\none\n", 22);
    press("4/one\n");
    ck_assert_int_eq(lit(&panel_output, "one", &here), 3);
    ck_assert_int_eq(here, 0);
    become(LMP_SEEN_PAUSED);
    press("4");
    ck_assert(shows("n step") && !shows("n N match"));
    press("n");
    ck_assert(request_waits(&app_ui(app)->requests, REQUEST_STEP));
    lit(&panel_output, "one", &here);
    ck_assert_int_eq(here, 0);
    press("N"); /* has no other meaning */
    lit(&panel_output, "one", &here);
    ck_assert_int_eq(here, 3);
    while (request_take(&app_ui(app)->requests))
        ;
    become(LMP_SEEN_RUNNING);
    press("4n");
    ck_assert_int_eq(lit(&panel_output, "one", &here), 3);
    ck_assert_int_eq(here, 0);
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    become(LMP_SEEN_FINISHED); /* and after the end */
    press("n");
    lit(&panel_output, "one", &here);
    ck_assert_int_eq(here, 1);
}

/* In the inspector a frame that matches gets the cursor, a variable is scrolled to; N goes round
 * all of them, and n steps. */
TEST(the_inspector_is_searched) {
    int here;
    show_program(80, 24, true);
    become(LMP_SEEN_PAUSED);
    press("5/load\n");
    ck_assert_int_ge(lit(&panel_inspector, "load", &here), 1);
    ck_assert_int_ge(here, 0);
    ck_assert(request_waits(&app_ui(app)->requests, REQUEST_LOCALS)); /* of that frame */
    ck_assert(shows("\"load\" lit up"));
    press("\033/fnum\n"); /* an upvalue, below what fits */
    ck_assert_int_eq(lit(&panel_inspector, "fnum", &here), 1);
    ck_assert_int_ge(here, 0);
    int first = here;
    press("N");
    lit(&panel_inspector, "fnum", &here);
    ck_assert_int_eq(here, first);
    ck_assert(shows("n step") && !shows("n N match"));
    press("n");
    ck_assert(request_waits(&app_ui(app)->requests, REQUEST_STEP));
    ck_press("\033/nosuch\n", "\"nosuch\" is not here");
    press("\033");
    ck_assert(!shows("nosuch"));
    become(LMP_SEEN_RUNNING); /* there is nothing to find */
    ck_press("5/x\nn", "space pauses the program inside");
}

TEST(the_help_is_searched) {
    int here, before = -1, seen = 0;
    show_program(80, 24, true);
    press("?");
    ck_assert(!shows("okabe"));
    press("/PICTURE"); /* far below */
    ck_assert(shows("save a picture"));
    ck_assert_int_ge(lit(&panel_help, "picture", &here), 1);
    ck_assert_int_ge(here, 0);
    press("\033");
    ck_assert_int_eq(lit(&panel_help, "picture", &here), 0);
    ck_assert(shows("save a picture")); /* it stays there, and open */
    press("g/the\n");
    for (int i = 0; i < 200; i++) { /* each is on the screen; round and round */
        ck_assert_int_ge(lit(&panel_help, "the", &here), 1);
        ck_assert_int_ge(here, 0);
        seen += here != before;
        before = here;
        press(i % 3 ? "n" : "N");
    }
    ck_assert_int_gt(seen, 20);
    press("\033\033");
    ck_assert_int_eq(app_where(app, &panel_help).w, 0);
}

TEST(a_source_is_searched) {
    int here;
    show_program(160, 45, true);
    press("6/options.lua:12\n\n");
    ck_assert_int_gt(app_where(app, &panel_site).w, 0);
    const char *key = "local";
    const SourceText *text = sources_get(app_ui(app)->sources, "@options.lua", now);
    ck_assert_ptr_null(text->problem);
    uint32_t with = 0, lines = text->lines;
    char line[256], want[64];
    for (uint32_t i = 1; i <= lines; i++)
        with +=
            strstr(sources_line(app_ui(app)->sources, i, false, line, sizeof line), key) != NULL;
    ck_assert_uint_gt(with, 1);
    press("/local\n");
    uint32_t different = 0, last = 0;
    for (uint32_t i = 0; i < with; i++) { /* each line that has it, once */
        ck_assert_int_ge(lit(&panel_site, "local", &here), 1);
        ck_assert_int_ge(here, 0);
        for (uint32_t n = 1; n <= lines; n++) {
            snprintf(want, sizeof want, "\"local\" in line %u ", n);
            if (!shows(want)) continue;
            ck_assert(strstr(sources_line(app_ui(app)->sources, n, false, line, sizeof line), key));
            different += n != last;
            last = n;
        }
        press("n");
    }
    ck_assert_uint_eq(different, with);
    press("\033");
    ck_assert_int_eq(lit(&panel_site, "local", &here), 0);
    ck_assert_int_gt(app_where(app, &panel_site).w, 0);
}

/* ---- against the plain way ------------------------------------------------------------------- */

#define LINES 40
static char lines_text[LINES][8];

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    (void)context;
    snprintf(out, size, "%s", lines_text[line % LINES]);
}

/* The row of the cursor in a table, by the ground of its line. */
static int cursor_row(const Panel *panel) {
    Rect r = app_where(app, panel);
    for (int y = r.y; y < r.y + r.h; y++)
        if (canvas_at(canvas, r.x, y)->glyph == G_RIGHT) return y - r.y;
    return -1;
}

TEST(a_call_tree_is_searched) {
    int here;
    show_program(120, 40, true);
    press("88");
    ck_assert_int_eq(lit(&panel_tree, "price", &here), 0);
    ck_press("/price\n", "main chunk"); /* the way to it stays */
    int matches = lit(&panel_tree, "price", &here);
    ck_assert_int_ge(matches, 1);
    ck_assert(shows("n N match"));
    press("g");
    int first = cursor_row(&panel_tree);
    press("n");
    int at = cursor_row(&panel_tree);
    ck_assert_int_gt(at, first);
    Rect r = app_where(app, &panel_tree); /* one of those lit up */
    bool found = false;
    for (int x = r.x; x < r.x + r.w; x++)
        found = found || (style_attr(canvas_at(canvas, x, r.y + at)->style) & ATTR_UNDERLINE);
    ck_assert(found);
    press("g"); /* round the beginning: to the last one, and on to the first */
    press("N");
    int last = cursor_row(&panel_tree);
    ck_assert_int_ge(last, at);
    press("n");
    ck_assert_int_eq(cursor_row(&panel_tree), at);
    become(LMP_SEEN_PAUSED);
    ck_assert(shows("n step") && !shows("n N match"));
}

TEST(what_a_filter_matches_is_lit_up) {
    int here;
    show_program(120, 40, true);
    press("66/cache\n");
    ck_assert_int_ge(lit(&panel_sites, "cache", &here), 2);
    ck_assert_int_eq(here, -1);
    press("\033/1\n"); /* in texts, not in figures */
    Rect r = app_where(app, &panel_sites);
    for (int y = r.y + 1; y < r.y + 5; y++)
        for (int x = r.x; x < r.x + 40; x++)
            ck_assert(!(style_attr(canvas_at(canvas, x, y)->style) & ATTR_UNDERLINE));
}

TEST(every_match_in_order) {
    static Ui ui;
    for (int round = 0; round < 300; round++) {
        Search s = {0};
        char word[4] = "";
        uint64_t first = suite_below(10), count = suite_below(LINES - 10), at[LINES];
        uint32_t n = 0;
        for (int i = 0; i < 1 + (int)suite_below(2); i++)
            word[i] = (char)('a' + suite_below(2));
        for (int i = 0; i < LINES; i++)
            for (int c = 0; c < 7; c++)
                lines_text[i][c] = c < 4 ? (char)("abcAB"[suite_below(5)]) : 0;
        for (uint64_t i = first; i < first + count; i++) {
            char low[8] = "";
            for (int c = 0; lines_text[i % LINES][c]; c++)
                low[c] = (char)tolower(lines_text[i % LINES][c]);
            if (strstr(low, word)) at[n++] = i;
        }
        SearchLines lines = {first, first + count, text_of, NULL};
        edit_set(&s.edit, word);
        ck_assert(search_follow(&s, &lines, first) == (n > 0));
        ck_assert(!search_follow(&s, &lines, first)); /* nothing new */
        uint32_t place = 0;
        for (int i = 0; i < 30; i++) {
            ck_assert(s.found == (n > 0));
            if (n == 0) break;
            ck_assert_uint_eq(s.at, at[place]);
            bool back = suite_below(2);
            ck_assert(search_act(&s, &ui, back ? ACT_MATCH_BEFORE : ACT_NEXT_MATCH, &lines));
            place = back ? (place + n - 1) % n : (place + 1) % n;
        }
        ck_assert(search_act(&s, &ui, ACT_BACK, &lines));
        ck_assert(!search_act(&s, &ui, ACT_BACK, &lines));
        ck_assert(!search_on(&s));
    }
}
