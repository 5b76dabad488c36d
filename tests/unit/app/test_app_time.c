/* Tests of the keys that choose which moment is shown, in a replay and in a program's past. */
#include "app_fixture.h"

static Model whole;

/* The display of a recording of 102 s, at `clock`. */
static void open_replay(uint64_t clock) {
    open_display(120, 36, (AppOptions){.hold = true});
    know_lines();
    fixed_model(&whole);
    app_model(app)->clock = clock;
    app_ui(app)->time = (UiTime){.can = true,
                                 .replay = true,
                                 .past = true,
                                 .clock = clock,
                                 .end = whole.clock,
                                 .frames = 1000,
                                 .frame = 500,
                                 .speed = 10,
                                 .whole = &whole};
    refresh();
}

static const TimeWish *asked(void) {
    static TimeWish wish;
    const Request *request = request_take(&app_ui(app)->requests);
    ck_assert_ptr_nonnull(request);
    ck_assert_int_eq(request->kind, REQUEST_TIME);
    wish = request->time;
    return &wish;
}

static void asks(const char *keys, TimeWhat what, int steps) {
    press(keys);
    const TimeWish *wish = asked();
    ck_assert_msg(wish->what == what && wish->steps == steps, "%s: %d %d", keys, (int)wish->what,
                  wish->steps);
}

static void asks_nothing(void) {
    ck_assert_ptr_null(request_take(&app_ui(app)->requests));
}

static int64_t moves(Key key) {
    play_key(app, key);
    const TimeWish *wish = asked();
    ck_assert_int_eq(wish->what, TIME_MOVE);
    return wish->ns;
}

TEST(keys_of_a_replay) {
    open_replay(60 * SECOND);
    asks(" ", TIME_PLAY, 0);
    asks(",", TIME_STEP, -1);
    asks(".", TIME_STEP, 1);
    asks("[", TIME_MARK, -1);
    asks("]", TIME_MARK, 1);
    asks("{", TIME_CYCLE, -1);
    asks("}", TIME_CYCLE, 1);
    asks("V", TIME_RANGE, 0);
    asks("P", TIME_FASTER, 0);
    press("3");
    ck_assert_int_eq(moves(K_LEFT), -5 * (int64_t)SECOND);
    ck_assert_int_eq(moves(K_RIGHT), 5 * (int64_t)SECOND);
    ck_assert_int_eq(moves(K_SHIFT_LEFT), -(int64_t)(whole.clock / 10));
    ck_assert_int_eq(moves(K_SHIFT_RIGHT), (int64_t)(whole.clock / 10));
    press("+++"); /* of a window of ten seconds it is half */
    ck_assert_int_eq(moves(K_LEFT), -5 * (int64_t)SECOND);
    press("+"); /* but it does not leave one of three */
    ck_assert_int_eq(moves(K_RIGHT), (int64_t)(3 * SECOND / 20));
    ck_assert_int_eq(moves(K_SHIFT_LEFT), -(int64_t)(whole.clock / 10));
    play_key(app, K_HOME);
    ck_assert_int_eq(asked()->what, TIME_GO);
    play_key(app, K_END);
    ck_assert_int_eq(asked()->what, TIME_NOW);
    press("1");
    play_key(app, K_LEFT); /* elsewhere arrows are for moving */
    asks_nothing();
    play_key(app, K_SHIFT_LEFT); /* but with shift they are the timeline's everywhere */
    ck_assert_int_eq(asked()->what, TIME_MOVE);
    ck_assert_ptr_eq(app_ui(app)->focus, &panel_timeline);
}

TEST(the_line_takes_a_moment) {
    open_replay(60 * SECOND);
    ck_press(":-5m", "go to> -5m");
    press("\n");
    const TimeWish *wish = asked();
    ck_assert_int_eq(wish->what, TIME_FIND);
    ck_assert_str_eq(wish->text, "-5m");
    press(":x\033");
    asks_nothing();
    press(":\n");
    asks_nothing();
    press(" ");
    ck_assert_int_eq(asked()->what, TIME_PLAY);
}

/* Tables are recorded less often than the rest. */
TEST(titles_say_how_old_tables_are) {
    open_replay(60 * SECOND);
    Model *model = app_model(app);
    press("68");
    ck_assert(!shows(" old"));
    model->tables_clock = model->clock;
    ck_assert(!sees(" old"));
    model->tables_clock = model->clock - 3 * SECOND / 10;
    ck_assert(sees("300 ms old · "));
    app_ui(app)->time.playing = true; /* that would flicker */
    ck_assert(!sees(" old"));
    model->tables_clock = model->clock - 2 * SECOND;
    ck_assert(sees("2.0 s old · "));
    app_ui(app)->time.playing = false;
    model->tables_clock = model->clock - 3 * SECOND / 100;
    ck_assert(sees("30 ms old · "));             /* figures may differ by much within that */
    model->tables_clock = model->clock + SECOND; /* before the first ones these are shown */
    ck_assert(!sees(" old") && shows("1.0 s later · "));
}

TEST(a_recording_asks_no_program) {
    open_replay(60 * SECOND);
    for (const char *key = "nzmCSbiAR"; *key; key++) {
        press((char[]){*key, 0});
        asks_nothing();
        ck_assert_msg(shows("This is a recording: there is no program to ask"), "%c", *key);
        press("\033");
    }
    app_model(app)->seen = LMP_SEEN_PAUSED; /* a recorded pause brings nothing up */
    const Panel *focus = app_ui(app)->focus;
    refresh();
    ck_assert_ptr_eq(app_ui(app)->focus, focus);
    ck_assert(!is_on(&panel_inspector));
    app_model(app)->seen = LMP_SEEN_FINISHED;
    refresh();
    asks(" ", TIME_PLAY, 0); /* its end is not that of the display */
    app_model(app)->seen = LMP_SEEN_RUNNING;
    refresh();
    asks(" ", TIME_PLAY, 0);
}

TEST(header_and_footer_say_which_moment) {
    open_replay(60 * SECOND);
    ck_assert(shows("REPLAY"));
    ck_assert(shows("00:01:00 of 00:01:42"));
    ck_assert(shows("space play"));
    ck_assert(shows("P 10×"));
    ck_assert(!shows("C collect"));
    UiTime *time = &app_ui(app)->time;
    time->playing = true;
    ck_assert(sees("REPLAY 10×"));
    ck_assert(shows("space stop"));
    time->grows = true;
    time->range = time->open = true;
    time->from = 30 * SECOND;
    time->to = 60 * SECOND;
    ck_assert(sees("so far"));
    ck_assert(shows("range 00:00:30–00:01:00"));
    ck_assert(shows("V end range"));
    time->from = 59 * SECOND + SECOND / 2; /* shorter than the clock tells apart */
    ck_assert(sees("range 00:00:59.5–00:01:00.0"));
    asks("x", TIME_NO_RANGE, 0);
    time->range = time->open = false;
    press("x"); /* as always */
    ck_assert(play_asked(app, REQUEST_REFRESH));
}

TEST(panels_without_a_past_say_why) {
    open_replay(60 * SECOND);
    ck_assert(shows("No map was recorded by then."));
    press("1\n+");
    play_mouse(app, MOUSE_CLICK, 5, 8);
    ck_assert_ptr_null(app_ui(app)->over);
    for (int i = 0; i < 12; i++) { /* none needs more than the model */
        play_key(app, K_TAB);
        draw();
        refresh();
    }
}

/* Of a program that runs: the past only where there is one, and the way back. */
TEST(the_past_of_a_program) {
    start_program(120, 36);
    ck_press(",", "No past is kept here");
    asks_nothing();
    UiTime *time = &app_ui(app)->time;
    fixed_model(&whole);
    *time = (UiTime){.can = true, .clock = whole.clock, .end = whole.clock, .speed = 1};
    press("\033");
    press(" ");
    ck_assert(play_asked(app, REQUEST_PAUSE)); /* of the program, as long as it is now */
    request_take(&app_ui(app)->requests);
    press(" ");
    request_take(&app_ui(app)->requests);
    press("3");
    ck_assert_int_eq(moves(K_LEFT), -5 * (int64_t)SECOND);
    time->past = true;
    time->whole = &whole;
    time->clock = whole.clock - 35 * SECOND;
    app_model(app)->clock = time->clock;
    app_seen(app, LMP_SEEN_PAUSED); /* the program's own state is told as always */
    ck_assert(sees("PAST"));
    ck_assert(shows("00:01:07 −35 s"));
    asks(" ", TIME_PLAY, 0);
    ck_press("m", "This is the past: End in the timeline");
    asks_nothing();
    press("3");
    asks("\033", TIME_NOW, 0);
}

TEST(a_click_goes_there) {
    open_replay(60 * SECOND);
    Rect rect = app_where(app, &panel_timeline);
    play_mouse(app, MOUSE_CLICK, rect.x + rect.w / 2, rect.y + 2);
    const TimeWish *wish = asked();
    ck_assert_int_eq(wish->what, TIME_GO);
    ck_assert_int_gt(wish->ns, 20 * (int64_t)SECOND);
    ck_assert_int_lt(wish->ns, 80 * (int64_t)SECOND);
}

/* Pressed here, let go there: a range of a recording; of a program what it has left of it. */
TEST(a_drag_is_a_range) {
    open_replay(60 * SECOND);
    Rect rect = app_where(app, &panel_timeline);
    int at = rect.x + rect.w / 2, to = at + 10, y = rect.y + 2;
    play_mouse(app, MOUSE_CLICK, at, y);
    int64_t moment = asked()->ns;
    play_mouse(app, MOUSE_RELEASE, at, y); /* a click alone is none */
    asks_nothing();
    play_mouse(app, MOUSE_RELEASE, to, y); /* it was let go */
    asks_nothing();
    for (int back = 0; back < 2; back++) {
        play_mouse(app, MOUSE_CLICK, back ? to : at, y);
        request_take(&app_ui(app)->requests);
        play_mouse(app, MOUSE_RELEASE, back ? at : to, 0); /* anywhere */
        const TimeWish *wish = asked();
        ck_assert_int_eq(wish->what, TIME_SPAN);
        ck_assert_int_le(wish->ns, moment);
        ck_assert_int_gt(wish->ns, moment - 3 * (int64_t)SECOND);
        ck_assert_int_gt(wish->to, wish->ns + 10 * (int64_t)SECOND);
        ck_assert_int_lt(wish->to, 102 * (int64_t)SECOND);
    }
    app_ui(app)->time.replay = false;
    play_mouse(app, MOUSE_CLICK, at, y);
    request_take(&app_ui(app)->requests);
    play_mouse(app, MOUSE_RELEASE, app_where(app, &panel_types).x + 1000, y); /* to the end */
    const Request *request = request_take(&app_ui(app)->requests);
    ck_assert_int_eq(request->kind, REQUEST_SINCE);
    ck_assert_int_eq(request->since.what, SINCE_PIECE);
    ck_assert_uint_le(request->since.from, (uint64_t)moment);
    ck_assert_uint_eq(request->since.to, whole.clock);
    rect = app_where(app, &panel_heapmap); /* other panels have no drags */
    play_mouse(app, MOUSE_CLICK, rect.x + 1, rect.y + 1);
    play_mouse(app, MOUSE_RELEASE, rect.x + 5, rect.y + 1);
    asks_nothing();
}

/* The range that keys have chosen in the past of a program: what is left of it. */
TEST(survivors_of_a_range) {
    open_replay(60 * SECOND);
    UiTime *time = &app_ui(app)->time;
    ck_press("y", "This is a recording");
    time->range = true;
    time->from = 20 * SECOND;
    time->to = 40 * SECOND;
    press("y");
    asks_nothing();
    time->replay = false;
    press("y");
    const Request *request = request_take(&app_ui(app)->requests);
    ck_assert_int_eq(request->kind, REQUEST_SINCE);
    ck_assert_int_eq(request->since.what, SINCE_PIECE);
    ck_assert_uint_eq(request->since.from, 20 * SECOND);
    ck_assert_uint_eq(request->since.to, 40 * SECOND);
    time->range = false;
    ck_press("y", "This is the past");
    asks_nothing();
}

TEST(a_line_of_the_output_has_a_time) {
    output = output_new();
    output_feed_at(output, "one\ntwo\nthr", 11, 10 * SECOND);
    output_feed_at(output, "ee\nfour\n", 8, 20 * SECOND);
    open_display(120, 36, (AppOptions){.live = true, .hold = true});
    app_ui(app)->time = (UiTime){.can = true,
                                 .replay = true,
                                 .past = true,
                                 .clock = 60 * SECOND,
                                 .end = 100 * SECOND,
                                 .speed = 1};
    refresh();
    press("4");
    play_key(app, K_UP);
    ck_assert(sees("printed at 00:00:10"));
    press("\n");
    const TimeWish *wish = asked();
    ck_assert_int_eq(wish->what, TIME_EVENT);
    ck_assert_int_eq(wish->ns, 10 * (int64_t)SECOND);
    output_restart(output, 100, 1000); /* an earlier moment: the line is no longer there */
    output_feed_at(output, "zero\n", 5, SECOND);
    ck_assert(!sees("printed at"));
    ck_assert(shows("101 lines"));
    ck_assert(shows("zero"));
}
