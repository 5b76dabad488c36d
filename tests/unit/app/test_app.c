/* Tests of what keys do, without a terminal: requests to the program, filters, typing, the end. */
#include "app_fixture.h"

static void begin(void) {
    show_display(120, 36, true);
}
BEFORE_TESTS(begin)

/* What waits for the viewer, which takes all of it. */
static const Request *taken[REQUESTS];
static void take(void) {
    const Request *request;
    memset(taken, 0, sizeof taken);
    while ((request = request_take(&app_ui(app)->requests)) != NULL)
        taken[request->kind] = request;
}

static bool took_pause(bool pause) {
    take();
    return taken[REQUEST_PAUSE] && taken[REQUEST_PAUSE]->pause == pause;
}

TEST(map_may_be_incomplete) {
    show_display(160, 40, true);
    ck_assert(!shows("map incomplete"));
    app_model(app)->stats.hidden_regions = 2;
    ck_assert(sees("map incomplete (the program closed its file)"));
    app_model(app)->stats.hidden_regions = 0;
    app_model(app)->stats.lines_end_seconds = app_model(app)->stats.seconds - 1;
    ck_assert(!sees("figures by line end"));
    app_model(app)->stats.lines_end_seconds = 1.5;
    ck_assert(sees("figures by line end after 1.5 s (snapshot)"));
}

TEST(space_pauses_and_resumes) {
    ck_assert(shows("RUNNING"));
    press(" ");
    ck_assert(took_pause(true));
    ck_assert(shows("PAUSING"));
    become(LMP_SEEN_PAUSED);
    ck_assert(shows("PAUSED"));
    ck_assert(shows("space resume"));
    ck_assert(is_on(&panel_inspector));
    ck_assert(!is_on(&panel_output));
    press(" ");
    ck_assert(took_pause(false));
    become(LMP_SEEN_RUNNING);
    ck_assert(is_on(&panel_output));
}

TEST(steps_only_while_paused) {
    press("n"); /* nothing: the program runs on, and how to step is said */
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    ck_assert(shows("space pauses it, then n steps"));
    press(" n"); /* a pause is on its way */
    ck_assert(took_pause(true));
    ck_assert_ptr_null(taken[REQUEST_STEP]);
    become(LMP_SEEN_PAUSED);
    press("nnn");
    take();
    ck_assert_uint_eq(taken[REQUEST_STEP]->steps, 3);
    ck_assert_ptr_null(taken[REQUEST_PAUSE]);
    become(LMP_SEEN_RUNNING); /* seen between two steps: n is held down */
    press("n");
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    ck_assert(!shows("then n steps"));
}

static void wait_for_what(const char *words, bool input, bool ours, bool busy) {
    UiWait *wait = &app_ui(app)->wait;
    *wait = (UiWait){.input = input, .ours = ours, .busy = busy};
    snprintf(wait->words, sizeof wait->words, "%s", words);
    draw();
}

/* What the program waits for stands beside its state; and why a pause does not come, once that has
 * taken a while, and no longer than that. */
TEST(what_it_waits_for) {
    ck_assert(!shows("waits") && !shows(" i input"));
    wait_for_what("waits for input", true, true, false);
    ck_assert(shows("RUNNING, waits for input, i to type"));
    ck_assert(shows(" i input"));
    wait_for_what("waits for input", true, false, false); /* at a terminal of its own */
    ck_assert(shows("RUNNING, waits for input") && !shows("i to type"));
    wait_for_what("sleeps (nanosleep)", false, false, false);
    ck_assert(shows("RUNNING, sleeps (nanosleep)"));
    press(" ");
    ck_assert(shows("PAUSING, sleeps (nanosleep)") && !shows("Pausing: "));
    uint64_t before = now;
    now += SECOND;
    ck_assert(sees("Pausing: the program sleeps (nanosleep) and asks for no memory until then"));
    wait_for_what("", false, false, true);
    ck_assert(shows("Pausing: the program asks for no memory; it is at work"));
    wait_for_what("", false, false, false);
    ck_assert(shows("Pausing: the program asks for no memory; it stops"));
    become(LMP_SEEN_PAUSED);
    ck_assert(!shows("Pausing: "));
    wait_for_what("sleeps (nanosleep)", false, false, false); /* while it runs only */
    ck_assert(!shows("nanosleep"));
    now = before;
}

TEST(a_pause_by_another_viewer_can_be_ended) {
    show_display(120, 36, false);
    become(LMP_SEEN_PAUSED);
    press(" ");
    ck_assert(took_pause(false));
}

TEST(the_inspector_stays_if_it_was_chosen) {
    press("5");
    become(LMP_SEEN_PAUSED);
    become(LMP_SEEN_RUNNING);
    ck_assert(is_on(&panel_inspector));
    press("4");
    ck_assert(is_on(&panel_output));
    become(LMP_SEEN_PAUSED);
    press("4");
    ck_assert(is_on(&panel_output)); /* chosen during the pause */
    become(LMP_SEEN_RUNNING);
    ck_assert(is_on(&panel_output));
}

TEST(freeze_is_not_pause) {
    press("z");
    take();
    ck_assert_ptr_null(taken[REQUEST_PAUSE]);
    ck_assert(app_ui(app)->frozen);
    ck_assert(shows("FROZEN") && shows("program running"));
    app_seen(app, LMP_SEEN_PAUSED);
    ck_assert(sees("FROZEN") && shows("program paused"));
    press("z");
    ck_assert(!app_ui(app)->frozen);
    app_ui(app)->frozen = true;
    app_seen(app, LMP_SEEN_KILLED); /* the end thaws */
    ck_assert(sees("KILLED"));
}

TEST(filters) {
    unsigned all = (1u << LMP_KINDS) - 1;
    ck_assert_uint_eq(app_ui(app)->kinds, all);
    for (int kind = 0; kind < LMP_KINDS; kind++) {
        char key[2] = {kind_info[kind].letter, 0};
        press(key);
        ck_assert_uint_eq(app_ui(app)->kinds, all & ~(1u << kind));
        press(key);
        ck_assert_uint_eq(app_ui(app)->kinds, all);
    }
    press("c");
    ck_assert_uint_eq(app_ui(app)->kinds, 0);
    press("s");
    ck_assert_uint_eq(app_ui(app)->kinds, 1u << LMP_STRING);
    press("a");
    ck_assert_uint_eq(app_ui(app)->kinds, all);
}

TEST(typing_a_line) {
    press("iheq\tz");
    ck_assert(!play_asked(app, REQUEST_QUIT));
    ck_assert(shows("input>"));
    play_key(app, K_BACKSPACE);
    play_key(app, 0xe9);
    play_key(app, K_BACKSPACE);
    press("!\n");
    ck_assert(play_asked(app, REQUEST_SEND));
    ck_assert_str_eq(app_ui(app)->requests.of[REQUEST_SEND].line, "heq\t!\n");
    for (int i = 0; i < 2000; i++)
        play_key(app, 0x65e5); /* more than fits */
    draw();
    press("\n");
    ck_assert_uint_lt(strlen(app_ui(app)->requests.of[REQUEST_SEND].line), REQUEST_LINE);
    play_key(app, K_CTRL('C')); /* is still for the program */
    ck_assert(play_asked(app, REQUEST_INTERRUPT));
    play_key(app, K_ESC);
    ck_assert(!sees("input>"));
    show_display(120, 36, false);
    press("i");
    ck_assert(!shows("input>"));
    ck_assert(shows("its own terminal"));
}

/* Who types to the program does not see it end: what follows is text, too, and no keys. */
TEST(typing_over_the_end) {
    press("i");
    become(LMP_SEEN_FINISHED);
    ck_assert(shows("has ended") && shows("enter or esc"));
    press("quit\tp");
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    ck_assert(shows("has ended"));
    press("\n"); /* sends nothing */
    ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
    ck_assert(!shows("enter or esc"));
    press("q");
    ck_assert(play_asked(app, REQUEST_QUIT));
    show_display(120, 36, true);
    press("i");
    become(LMP_SEEN_KILLED);
    ck_assert(shows("has been killed"));
    play_key(app, K_ESC);
    ck_assert(!sees("enter or esc"));
    press("i"); /* does not begin after the end */
    ck_assert(!shows("enter or esc"));
}

TEST(ctrl_c_quits_lmp_top) {
    show_display(80, 24, false);
    play_key(app, K_CTRL('C'));
    ck_assert(play_asked(app, REQUEST_QUIT));
    ck_assert(!play_asked(app, REQUEST_INTERRUPT));
    show_display(80, 24, true);
    play_key(app, K_CTRL('C'));
    ck_assert(!play_asked(app, REQUEST_QUIT));
    ck_assert(play_asked(app, REQUEST_INTERRUPT));
}

TEST(after_the_end) {
    static const LmpSeen ends[] = {LMP_SEEN_FINISHED, LMP_SEEN_KILLED};
    for (int i = 0; i < 2; i++) {
        show_display(120, 36, true);
        become(ends[i]);
        ck_assert(shows(i ? "KILLED" : "ENDED"));
        press("mCn");
        ck_assert_uint_eq(app_ui(app)->requests.waiting, 0);
        ck_assert(!play_asked(app, REQUEST_QUIT));
        press("\n \033xg\n"); /* looks inside, goes back: it stays until q */
        ck_assert(!play_asked(app, REQUEST_QUIT));
        press("?q"); /* out of a page */
        ck_assert(!play_asked(app, REQUEST_QUIT));
        ck_assert(app_ui(app)->over != &panel_help);
        press("?Q"); /* from anywhere */
        ck_assert(play_asked(app, REQUEST_QUIT));
        show_display(120, 36, true);
        become(ends[i]);
        press("q");
        ck_assert(play_asked(app, REQUEST_QUIT));
    }
}

/* m counts from the new mark, x from none and then again from the last one; L lists them, and
 * closes the list; e there names a mark and opens no editor. */
TEST(keys_of_marks) {
    Ui *ui = app_ui(app);
    press("x");
    ck_assert(ui->marks.count_from == MODEL_NO_MARK && (take(), taken[REQUEST_REFRESH]));
    press("x");
    ck_assert_uint_eq(ui->marks.count_from, 0);
    press("xm");
    ck_assert(ui->marks.count_from == 0 && (take(), taken[REQUEST_MARK]));
    app_model(app)->marks = 1;
    app_model(app)->mark[0].number = 1;
    press("L");
    ck_assert_ptr_eq(ui->over, &panel_marks);
    draw();
    press("e");
    ck_assert(ui->edit && !(take(), taken[REQUEST_OPEN]));
    press("\n");
    press("d");
    ck_assert(ui->marks.edit[1].gone);
    press("L");
    ck_assert_ptr_null(ui->over);
}

static bool took_since(unsigned what) {
    take();
    return taken[REQUEST_SINCE] && taken[REQUEST_SINCE]->since.what == what;
}

/* y marks, shows what has come since, and ends it: then tables count from what they did before; so
 * does esc, when there is nothing else to leave. */
TEST(keys_of_since) {
    show_display(160, 36, true);
    Ui *ui = app_ui(app);
    Model *m = app_model(app);
    for (int with_esc = 0; with_esc < 2; with_esc++) {
        m->marks = 2;
        m->marks_all = 7; /* the last two are kept, and tables count from the older one */
        m->mark[0].number = 6;
        m->base = 0;
        m->marked = true;
        app_fresh(app, now);
        press("y");
        ck_assert(took_since(SINCE_BEGIN) && taken[REQUEST_MARK]);
        ck_assert_uint_eq(ui->marks.count_from, 0);
        m->since = (ModelSince){.on = true, .now = true, .from = 20 * SECOND, .to = 24 * SECOND};
        m->marks_all = 8;
        app_fresh(app, now);
        ck_assert(sees("since 00:00:20, y shows what came"));
        ck_assert(shows("Since mark 8: do it"));
        press("y");
        ck_assert(took_since(SINCE_SHOW) && taken[REQUEST_REFRESH]);
        ck_assert_uint_eq(ui->marks.count_from, 8);
        m->since.shown = true;
        ck_assert(sees("since 00:00:20, 4.0 s"));
        press(with_esc ? "6" : "7");
        press("?");
        press(with_esc ? "\033" : "?");
        take(); /* the help was closed */
        press(with_esc ? "\033" : "y");
        ck_assert(took_since(SINCE_END) && taken[REQUEST_REFRESH]);
        ck_assert_uint_eq(ui->marks.count_from, 6);
        m->since = (ModelSince){0};
    }
    m->since = (ModelSince){.on = true, .shown = true, .from = 10 * SECOND, .to = 20 * SECOND};
    ck_assert(sees("survivors of 00:00:10–00:00:20"));
    ui->marks.count_from = 3;
    press("y");
    ck_assert(took_since(SINCE_END));
    ck_assert_uint_eq(ui->marks.count_from, 3); /* it has nothing to do with marks */
    m->since = (ModelSince){0};
    become(LMP_SEEN_FINISHED);
    press("y");
    take();
    ck_assert(!taken[REQUEST_SINCE]);
}

TEST(notices_go_away) {
    press("C");
    ck_assert((take(), taken[REQUEST_COLLECT]));
    ck_assert(shows("full collection"));
    ck_assert(app_restless(app));
    app_draw(app, canvas, now += 10 * SECOND);
    ck_assert(!shows("full collection"));
    ck_assert(!app_restless(app));
    press("Sy");
    ck_assert((take(), taken[REQUEST_SNAPSHOT]));
    press("R");
    ck_assert((take(), taken[REQUEST_RECORD]));
    press("m");
    ck_assert((take(), taken[REQUEST_MARK]));
    app_model(app)->marks_all = app_model(app)->marks = 1;
    app_model(app)->marked = true;
    app_fresh(app, now);
    ck_assert(sees("Mark 1 set"));
    ck_assert(shows("Δ mark"));
}

/* Nothing that a model can hold makes a panel draw outside its place or fall over. */
TEST(any_figures_can_be_drawn) {
    for (int round = 0; round < 300; round++) {
        Model *model = app_model(app);
        fixed_pause(model);
        uint64_t *words = (uint64_t *)&model->stats;
        for (size_t i = 0; i < sizeof model->stats / 8; i++) {
            if (suite_below(2)) words[i] = suite_random() >> suite_below(64);
        }
        model->stats.covered = suite_below(2) == 1; /* has but two values */
        model->stats.partial_map = suite_below(2) == 1;
        model->stats.stacks = suite_below(2) == 1;
        model->clock = suite_random() >> suite_below(64);
        model->seen = (LmpSeen)suite_below(4);
        model->gc.cycles = suite_random() >> suite_below(64);
        model->gc.mode = (uint32_t)suite_below(3);
        model->rss = suite_random();
        model->alloc_bytes_per_s = 1e19;
        canvas_resize(canvas, 1 + (int)suite_below(220), 1 + (int)suite_below(70));
        app_fresh(app, now);
        draw();
    }
}

TEST(break_conditions) {
    UiBreaks *breaks = &app_ui(app)->breaks;
    press("b"); /* an empty list: at once a new one */
    ck_assert(is_on(&panel_breaks));
    ck_assert(shows("break>"));
    press("size 10KiB\n");
    ck_assert(!shows("break>"));
    ck_assert(shows("block larger than 10 KiB"));
    ck_assert(shows("break: 1 on"));
    take();
    ck_assert_ptr_nonnull(taken[REQUEST_BREAKS]);
    press(" "); /* off, no pause */
    ck_assert(!shows("break: 1 on"));
    take();
    ck_assert(taken[REQUEST_BREAKS] && !taken[REQUEST_PAUSE]);
    ck_press("\n", "break: 1 on");
    press("b"); /* another */
    ck_assert(shows("break>"));
    play_key(app, K_ESC);
    ck_assert(!sees("break>") && is_on(&panel_breaks));
    fixed_break(app_model(app)); /* it is met: the inspector is there to say so */
    app_fresh(app, now);
    draw();
    ck_assert(!is_on(&panel_breaks) && is_on(&panel_inspector));
    ck_assert(shows("break 1: block larger than 10 KiB: 16,384 B"));
    take();
    press(" ");
    ck_assert(took_pause(false));
    app_model(app)->op.number++; /* met again before it was seen to run */
    app_fresh(app, now);
    press(" ");
    ck_assert(took_pause(false));
    become(LMP_SEEN_RUNNING);
    play_key(app, 'b');
    draw();
    ck_assert(!shows("break>")); /* there is a list to look at */
    press("d");
    ck_assert_uint_eq(breaks->count, 0);
    take();
    ck_assert_ptr_nonnull(taken[REQUEST_BREAKS]);
    press("b");
    become(LMP_SEEN_KILLED);
    play_key(app, K_ESC);
    play_key(app, K_ESC);
    press("b");
    ck_assert(!is_on(&panel_breaks)); /* nothing can be asked of it any more */
}
