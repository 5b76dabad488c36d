/* What the footer asks before a snapshot is taken: whether garbage is collected first, once; and
 * whether to take one at all, for somebody who wants to know why something is alive. */
#include "shown_heap.h"

/* Has it been asked for since the last look? What it was then. */
static const Request *asked(RequestKind kind) {
    Requests *requests = &app_ui(app)->requests;
    bool there = play_asked(app, kind);
    while (request_take(requests)) {
    }
    return there ? &requests->of[kind] : NULL;
}

static void begin(const Config *config) {
    open_display(120, 36, (AppOptions){.live = true, .can_type = true, .config = config});
    know_lines();
    refresh();
}

TEST(asks_once) {
    static const char *const values[] = {"off", "on"};
    for (int yes = 0; yes <= 1; yes++) {
        begin(NULL);
        play_key(app, 'S');
        ck_assert(
            sees("Collect first?  y what is left is held  n all, with garbage  esc no snapshot"));
        ck_assert_ptr_null(asked(REQUEST_SNAPSHOT));
        play_key(app, yes ? 'y' : 'n');
        ck_assert(play_asked(app, REQUEST_REMEMBER));
        const Request *request = &app_ui(app)->requests.of[REQUEST_REMEMBER];
        ck_assert_str_eq(request->remember.name, "collect");
        ck_assert_str_eq(request->remember.value, values[yes]);
        request = asked(REQUEST_SNAPSHOT);
        ck_assert(request && request->collect == yes);
        ck_assert(!sees("Collect first?"));
        play_key(app, 'S'); /* it is known now */
        ck_assert(!play_asked(app, REQUEST_REMEMBER));
        request = asked(REQUEST_SNAPSHOT);
        ck_assert(request && request->collect == yes);
        play_key(app, 'A'); /* and can be changed */
        ck_assert(sees("Collect first?"));
        play_key(app, yes ? 'n' : 'y');
        request = asked(REQUEST_SNAPSHOT);
        ck_assert(request && request->collect != yes);
        play_key(app, 'S');
        request = asked(REQUEST_SNAPSHOT);
        ck_assert(request && request->collect != yes);
    }
    begin(NULL);
}

TEST(remembered) {
    static Config config = {.count = 1, .line = {{"collect", "off"}}};
    begin(&config);
    play_key(app, 'S');
    const Request *request = asked(REQUEST_SNAPSHOT);
    ck_assert(request && !request->collect);
    suite_close();
    strcpy(config.line[0].value, "on");
    begin(&config);
    play_key(app, 'S');
    request = asked(REQUEST_SNAPSHOT);
    ck_assert(request && request->collect);
}

TEST(other_keys) {
    begin(NULL);
    play_key(app, 'S');
    play_key(app, K_ESC);
    ck_assert(!sees("Collect first?"));
    play_key(app, 'S');
    play_key(app, 'q'); /* out of the question, not of the display */
    ck_assert(!sees("Collect first?"));
    play_key(app, 'S');
    play_key(app, K_CTRL('L'));
    ck_assert(sees("Collect first?"));
    ck_assert_ptr_null(asked(REQUEST_QUIT));
    play_key(app, '?');
    ck_assert(!sees("Collect first?"));
    ck_assert_ptr_eq(app_ui(app)->over, &panel_help);
    play_key(app, 'y');
    ck_assert(!play_asked(app, REQUEST_SNAPSHOT) && !play_asked(app, REQUEST_REMEMBER));
    play_key(app, K_ESC);
    play_key(app, 'S');
    app_seen(app, LMP_SEEN_FINISHED);
    play_key(app, 'y'); /* too late */
    ck_assert(!play_asked(app, REQUEST_SNAPSHOT) && !play_asked(app, REQUEST_REMEMBER));
    play_key(app, 'S');
    ck_assert(!sees("Collect first?"));
}

TEST(by_mouse_and_narrow) {
    begin(NULL);
    play_key(app, 'S');
    draw();
    int x = 0;
    while (x < 118 && (canvas_at(canvas, x, 35)->glyph != 'n' ||
                       canvas_at(canvas, x + 2, 35)->glyph != 'a')) /* "n all" */
        x++;
    play_mouse(app, MOUSE_CLICK, x + 4, 35); /* its words */
    const Request *request = asked(REQUEST_SNAPSHOT);
    ck_assert(request && !request->collect);
    play_key(app, 'A');
    canvas_resize(canvas, 60, 20);
    ck_assert(sees("Collect first?  y what is left is held  n all, with garbage"));
    canvas_resize(canvas, 24, 8);
    ck_assert(sees("Collect first?  y  n"));
}

/* To the page of a line, and there w; the viewer has no snapshot. */
static void want_to_know(void) {
    play_key(app, '6');
    play_key(app, K_DOWN);
    play_key(app, K_ENTER);
    ck_assert_ptr_eq(app_ui(app)->over, &panel_site);
    play_key(app, 'w');
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT));
    app_offer_taking(app); /* what the viewer does */
}

TEST(why_without_a_snapshot) {
    begin(NULL);
    want_to_know();
    ck_assert(sees("No snapshot yet. Collect first?  y what is left is held"));
    canvas_resize(canvas, 80, 24);
    ck_assert(sees("No snapshot yet. Collect first?  y what is left is held  n all, with garbage"));
    canvas_resize(canvas, 60, 20);
    ck_assert(sees("Collect first?  y what is left is held  n all, with garbage"));
    play_key(app, 'y');
    ck_assert(play_asked(app, REQUEST_REMEMBER));
    ck_assert_ptr_nonnull(asked(REQUEST_SNAPSHOT));
    play_key(app, 'w'); /* again while it is written */
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT));
    app_offer_taking(app);
    ck_assert(sees("on its way"));
    app_say(app, "enter opens snapshot 1: lmp-1-1.heap");
    app_offer_snapshot(app);
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT)); /* by itself */
    draw();
    open_snapshot(1);
    app_show_snapshot(app, heap);
    ck_assert_int_eq(app_ui(app)->wish.what, WISH_LINE);
    draw();
    ck_assert_ptr_eq(app_ui(app)->over, &panel_why);
    play_key(app, K_ESC);
    ck_assert_ptr_eq(app_ui(app)->over, &panel_site);
    app_say(app, "enter opens snapshot 2: lmp-1-2.heap");
    app_offer_snapshot(app); /* by somebody else: nobody waits for it */
    ck_assert_ptr_null(asked(REQUEST_OPEN_SNAPSHOT));
    close_heap();
}

TEST(why_while_one_is_taken) {
    static const Config config = {.count = 1, .line = {{"collect", "on"}}};
    begin(&config);
    play_key(app, 'S');
    ck_assert_ptr_nonnull(asked(REQUEST_SNAPSHOT));
    want_to_know();
    ck_assert(sees("on its way"));
    app_offer_snapshot(app);
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT)); /* it answers */
    want_to_know();
    ck_assert(sees("No snapshot yet.  y takes one and answers"));
}

TEST(why_and_no_snapshot_comes) {
    static const Config config = {.count = 1, .line = {{"collect", "on"}}};
    begin(&config);
    want_to_know();
    ck_assert(sees("No snapshot yet.  y takes one and answers  esc not now"));
    play_key(app, K_ESC);
    ck_assert_ptr_null(asked(REQUEST_SNAPSHOT));
    ck_assert_int_eq(app_ui(app)->wish.what, WISH_NOTHING);
    ck_assert_ptr_eq(app_ui(app)->over, &panel_site);
    play_key(app, 'w');
    app_offer_taking(app);
    play_key(app, 'n'); /* no answer to this */
    ck_assert_ptr_null(asked(REQUEST_SNAPSHOT));
    play_key(app, 'w');
    app_offer_taking(app);
    play_key(app, 'S');
    const Request *request = asked(REQUEST_SNAPSHOT);
    ck_assert(request && request->collect);
    app_no_snapshot(app);    /* it has failed */
    app_offer_snapshot(app); /* later, another */
    ck_assert_ptr_null(asked(REQUEST_OPEN_SNAPSHOT));
    app_seen(app, LMP_SEEN_FINISHED);
    app_offer_taking(app);
    ck_assert(sees("No snapshot was taken while the program ran"));
}

TEST(an_old_one_is_renewed) {
    static const Config config = {.count = 1, .line = {{"collect", "on"}}};
    begin(&config);
    open_snapshot(1);
    app_offer_snapshot(app);
    play_key(app, '6');
    play_key(app, K_DOWN);
    play_key(app, K_ENTER);
    play_key(app, 'w');
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT));
    UiWish wish = app_ui(app)->wish;
    app_show_snapshot(app, heap);
    ck_assert(sees("This is of 40 s ago; S asks a new snapshot the same"));
    ck_assert(sees("40 s ago"));
    play_key(app, 'S');
    ck_assert_ptr_nonnull(asked(REQUEST_SNAPSHOT));
    draw(); /* the old one has its page until then */
    app_offer_snapshot(app);
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT));
    draw();
    app_model(app)->clock = 63 * SECOND; /* the new one is not old */
    app_say(app, "%s", "");
    app_show_snapshot(app, heap);
    ck_assert_int_eq(app_ui(app)->wish.what, WISH_LINE);
    ck_assert_str_eq(app_ui(app)->wish.line, wish.line);
    ck_assert(!sees("a new snapshot the same"));
    ck_assert_ptr_eq(app_ui(app)->over, &panel_why);
    play_key(app, K_ESC); /* straight back */
    ck_assert_ptr_eq(app_ui(app)->over, &panel_site);
    close_heap();
}

/* Over a snapshot without a wish S takes another, which is offered. */
TEST(another_from_there) {
    begin(NULL);
    open_snapshot(1);
    app_show_snapshot(app, heap);
    play_key(app, 'S');
    ck_assert(sees("Collect first?"));
    play_key(app, 'y');
    ck_assert_ptr_nonnull(asked(REQUEST_SNAPSHOT));
    app_say(app, "enter opens snapshot 2: lmp-1-2.heap");
    app_offer_snapshot(app);
    ck_assert_ptr_null(asked(REQUEST_OPEN_SNAPSHOT));
    ck_assert(sees("SNAPSHOT 1"));
    play_key(app, K_ENTER);
    ck_assert_ptr_nonnull(asked(REQUEST_OPEN_SNAPSHOT));
    close_heap();
}
