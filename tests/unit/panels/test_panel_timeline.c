/* The timeline, drawn from a history made by hand. */
#include "heap_fixture.h"
#include "panel_draw.h"

#define SECOND 1000000000ull
#define MIB (1ull << 20)

/* A heap that grows and is collected every `cycle` seconds, `seconds` long. */
static Model *run(uint64_t seconds, uint64_t cycle) {
    Model *m = heap_fixture_model(NULL);
    m->clock = seconds * SECOND;
    m->history.interval = seconds * SECOND / 1000 + 1;
    m->history.used = 1000;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t at = i * m->history.interval, since = at % (cycle * SECOND);
        uint64_t live = 20 * MIB + i * 40 * MIB / 1000 +
                        (uint64_t)(since / 1000) * 100 * MIB / (cycle * SECOND / 1000);
        m->history.samples[i] = (LmpHistoryPoint){
            .max_bytes = live,
            .min_bytes = live,
            .last_bytes = live,
            .held_bytes = {[LMP_TABLE] = at >= cycle * SECOND ? live - live / 3 : 0},
            .kind_bytes = {[LMP_TABLE] = live / 2, [LMP_STRING] = live / 3},
            .gc_cycles = (uint32_t)((at + m->history.interval) / (cycle * SECOND)),
        };
    }
    for (uint64_t end = cycle; end < seconds; end += cycle) {
        LmpGcCycle *c = &m->gc.ring[m->gc.cycles++ % LMP_GC_RING];
        c->start = end * SECOND - SECOND / 10;
        c->end = end * SECOND;
    }
    m->stats.live_bytes = m->history.samples[999].last_bytes;
    return m;
}

static void mark(Model *m, uint64_t clock, const char *name) {
    LmpMark *mark = &m->mark[m->marks++];
    mark->clock = clock;
    snprintf(mark->name, sizeof mark->name, "%s", name);
    m->marks_all++;
}

static void golden(Model *m, const char *name) {
    OWN(stage_free_at) Stage *s = stage_named(&panel_timeline, m, name);
    if (strstr(name, "-60s")) stage_act(s, ACT_ZOOM_IN);
    stage_golden(s, name);
}

TEST(test_sizes) {
    OWN(free_at) Model *m = run(102, 20);
    mark(m, 31 * SECOND, "loaded");
    mark(m, 70 * SECOND, "prices, first pass");
    mark(m, 73 * SECOND, "x");
    golden(m, "timeline-46x13.txt");
    golden(m, "timeline-46x13-60s.txt");
    golden(m, "timeline-100x30.txt");
    golden(m, "timeline-26x6.txt");
    golden(m, "timeline-8x3.txt");
    golden(m, "timeline-46x13-mono-ascii.txt");
    golden(m, "timeline-46x13-mono.txt");
    golden(m, "timeline-46x7.txt");
}

/* A heap that all but stands still, and one with thousands of collections. */
TEST(test_flat_and_dense) {
    OWN(free_at) Model *m = run(102, 20);
    for (uint32_t i = 0; i < 1000; i++) {
        LmpHistoryPoint *p = &m->history.samples[i];
        p->max_bytes = p->last_bytes = 100 * MIB + (i % 50) * MIB / 50 + i * 2000;
        p->min_bytes = p->max_bytes - MIB / 40;
        p->held_bytes[LMP_TABLE] = 100 * MIB + i * 2000;
    }
    m->stats.live_bytes = m->history.samples[999].last_bytes;
    golden(m, "timeline-flat-46x13.txt");
    golden(m, "timeline-flat-46x13-mono-ascii.txt");
    free(m);
    m = run(102, 20);
    for (uint32_t i = 0; i < 1000; i++)
        m->history.samples[i].gc_cycles = i * 20 + (i > 500) * (i - 500) * 40;
    golden(m, "timeline-dense-46x13.txt");
    golden(m, "timeline-dense-46x13-mono-ascii.txt");
}

/* Drawn once before a key: columns are those of the screen. */
static bool key(Stage *s, Action action) {
    stage_draw(s);
    return stage_act(s, action);
}

static bool says(Stage *s, const char *what) {
    char *text = stage_text(s);
    bool is = strstr(text, what) != NULL;
    free(text);
    return is;
}

TEST(test_cursor) {
    OWN(free_at) Model *m = run(102, 20);
    mark(m, 31 * SECOND, "loaded");
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 60, 12, true, 256);
    ck_assert(says(s, " now") && !says(s, "esc: now"));
    ck_assert(!key(s, ACT_BACK));
    for (int i = 0; i < 10; i++)
        ck_assert(key(s, ACT_LEFT));
    ck_assert(says(s, "esc: now") && says(s, "00:01:20"));
    stage_golden(s, "timeline-cursor-60x12.txt");
    m->clock += SECOND; /* time goes on, the cursor stays */
    ck_assert(says(s, "00:01:20"));
    ck_assert(key(s, ACT_UP) && says(s, "00:00:31") && says(s, "  loaded"));
    ck_assert(!key(s, ACT_UP) && !key(s, ACT_DOWN));
    ck_assert(key(s, ACT_HOME) && says(s, "00:00:00"));
    ck_assert(key(s, ACT_END) && !says(s, "esc: now"));
    ck_assert(key(s, ACT_LEFT) && key(s, ACT_BACK) && !says(s, "esc: now"));
    ck_assert(key(s, ACT_RIGHT) && !says(s, "esc: now")); /* there is nothing after now */
}

static void frame(Model *m, uint64_t number, uint64_t bytes, double at, const char *name) {
    LmpLapStats *lap = &m->stats.worst_frames.row[m->stats.worst_frames.count++];
    *lap = (LmpLapStats){.number = number, .bytes = bytes, .at = at};
    snprintf(lap->name, sizeof lap->name, "%s", name);
}

/* Frames that stand out have a tick and a place to go to; others have none. */
TEST(test_frames) {
    OWN(free_at) Model *m = run(102, 20);
    mark(m, 31 * SECOND, "loaded");
    m->stats.frames = 6000;
    m->stats.frame_median_bytes = MIB;
    frame(m, 3120, 14 * MIB, 52, "level 2");
    frame(m, 700, 9 * MIB, 12, "");
    frame(m, 701, 6 * MIB, 80, "not so much");
    golden(m, "timeline-frames-100x30.txt");
    golden(m, "timeline-frames-46x13.txt");
    golden(m, "timeline-frames-46x13-mono-ascii.txt");
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 100, 12, true, 256);
    ck_assert(says(s, " mark") && says(s, " frame") && says(s, "level 2"));
    ck_assert(!says(s, "not so much") && says(s, "frame 700"));
    ck_assert(key(s, ACT_UP) && says(s, "00:00:52") && says(s, "frame 3,120 level 2: 14.0 MiB"));
    ck_assert(key(s, ACT_UP) && says(s, "00:00:31") && says(s, "  loaded"));
    ck_assert(key(s, ACT_UP) && says(s, "00:00:12") && says(s, "frame 700: 9.0 MiB"));
    ck_assert(!key(s, ACT_UP));
    ck_assert(key(s, ACT_DOWN) && says(s, "  loaded"));
    ck_assert(key(s, ACT_DOWN) && says(s, "00:00:52"));
    ck_assert(!key(s, ACT_DOWN));
    m->stats.frame_median_bytes = 2 * MIB; /* then that is nothing unusual */
    ck_assert(!says(s, "level 2"));
}

/* Never more held than there is: what a column of the chart has may be older than the heap. */
TEST(test_held_is_there) {
    OWN(free_at) Model *m = run(102, 20);
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 100, 12, true, 256);
    ck_assert(says(s, " 69.4 MiB now  46.3 MiB held"));
    m->stats.live_bytes = 20 * MIB;
    ck_assert(says(s, " 20.0 MiB now  20.0 MiB held"));
}

/* All frames that are kept are listed where there is room, worst first; a click goes there. */
TEST(test_worst_frames) {
    OWN(free_at) Model *m = run(102, 20);
    m->stats.frames = 6000;
    m->stats.frame_median_bytes = MIB;
    frame(m, 3120, 14 * MIB, 52, "level 2");
    for (uint64_t i = 1; i < LMP_LAPS_WORST; i++)
        frame(m, 700 + i, (9 << 20) - i * 1000, 12 + (double)i, "");
    golden(m, "timeline-worst-100x55.txt");
    golden(m, "timeline-worst-44x16-mono-ascii.txt");
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 100, 55, true, 256);
    ck_assert(says(s, "worst frames") && says(s, "3,120") && says(s, " 715 "));
    int row = 0;
    for (int y = 0; y < 55; y++)
        for (int x = 0; x < 20; x++)
            if (canvas_at(s->canvas, x, y)->glyph == '7' &&
                canvas_at(s->canvas, x + 1, y)->glyph == '0' &&
                canvas_at(s->canvas, x + 2, y)->glyph == '3')
                row = y - s->rect.y;
    ck_assert_int_gt(row, 30);
    ck_assert(panel_timeline.mouse(s->state, m, &s->ui,
                                   (MouseEvent){.what = MOUSE_CLICK, .x = 12, .y = row}, s->rect));
    ck_assert(says(s, "frame 703: 9.0 MiB") && says(s, "esc: now"));
    /* below the chart there is nothing to click but frames */
    ck_assert(!panel_timeline.mouse(
        s->state, m, &s->ui, (MouseEvent){.what = MOUSE_CLICK, .x = 12, .y = row - 4}, s->rect));
    stage_free(s);
    s = stage_new(&panel_timeline, m, 100, 13, true, 256); /* no room: the chart comes first */
    ck_assert(!says(s, "worst frames"));
    stage_free(s);
    m->stats.worst_frames.count = 0;
    s = stage_new(&panel_timeline, m, 100, 55, true, 256);
    ck_assert(!says(s, "worst frames"));
}

/* To the very beginning in a window of ten seconds, and back: every column is passed, the window
 * goes along, and what it says is of the moment that is told. */
TEST(test_back_in_time) {
    OWN(free_at) Model *m = run(102, 20);
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 60, 12, true, 256);
    for (int i = 0; i < 3; i++)
        ck_assert(key(s, ACT_ZOOM_IN));
    ck_assert(says(s, "last 10 s"));
    int steps = 0;
    while (!says(s, "00:00:00") && steps < 2000)
        steps += key(s, ACT_LEFT);
    ck_assert_msg(says(s, "10 s from 00:00:00"), "after %d", steps);
    int columns = steps / 10; /* a hundred seconds are ten windows */
    ck_assert_msg(columns > 45 && columns < 60, "%d", steps);
    while (says(s, "esc: now") && steps > -200)
        steps -= key(s, ACT_RIGHT);
    ck_assert_msg(says(s, "last 10 s") && steps < columns + 3 && steps > -columns, "%d", steps);
}

/* Whatever keys: the cursor is in the window, the window in the run, and zooming loses no moment.
 */
/* Which end of a range goes along with the cursor: its sign points outwards. */
TEST(test_range) {
    static const struct {
        uint64_t clock;
        bool open;
        const char *ends;
    } cases[] = {{70, true, "[>"}, {30, true, "<]"}, {30, false, "[]"}, {30, true, "<]"}};
    OWN(free_at) Model *m = run(102, 20);
    for (int i = 0; i < 4; i++) {
        OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 60, 12, i < 3, i < 3 ? 256 : 0);
        s->ui.time = (UiTime){.can = true,
                              .past = true,
                              .replay = true,
                              .range = true,
                              .open = cases[i].open,
                              .clock = cases[i].clock * SECOND,
                              .end = 102 * SECOND,
                              .from = 30 * SECOND,
                              .to = 70 * SECOND};
        OWN(free_at) char *text = stage_text(s);
        char ends[3] = "";
        for (char *c = strchr(strchr(text, '\n') + 1, '\n'); *c && strlen(ends) < 2; c++)
            if (strchr("<>[]", *c)) ends[strlen(ends)] = *c;
        ck_assert_msg(strcmp(ends, cases[i].ends) == 0, "%s in\n%s", ends, text);
    }
}

TEST(test_any_keys) {
    static const Action keys[] = {ACT_LEFT, ACT_RIGHT,   ACT_PAGE_UP, ACT_PAGE_DOWN, ACT_HOME,
                                  ACT_END,  ACT_ZOOM_IN, ACT_ZOOM_IN, ACT_ZOOM_OUT,  ACT_UP,
                                  ACT_DOWN, ACT_BACK,    ACT_LEFT,    ACT_LEFT};
    for (int round = 0; round < 60; round++) {
        OWN(free_at) Model *m = run(1 + suite_below(9000), 1 + suite_below(60));
        for (uint64_t i = suite_below(5); i > 0; i--)
            mark(m, suite_below(m->clock), "here");
        OWN(stage_free_at)
        Stage *s = stage_new(&panel_timeline, m, 20 + (int)suite_below(100), 12, true, 256);
        char before[16] = "";
        for (int i = 0; i < 60; i++) {
            Action action = keys[suite_below(sizeof keys / sizeof *keys)];
            key(s, action);
            char *text = stage_text(s), *line = strchr(text, '\n');
            int tinted = 0;
            for (int x = 0; x < s->canvas->w; x++)
                tinted += style_bg(canvas_at(s->canvas, x, 4)->style) == TONE_SELECT;
            char note[64];
            panel_timeline.note(s->state, m, &s->ui, note, sizeof note);
            bool looks = strstr(note, "esc: now") != NULL;
            ck_assert_int_eq(tinted, looks);
            const char *clock = line + 1 + strspn(line + 1, " ");
            if (looks && (action == ACT_ZOOM_IN || action == ACT_ZOOM_OUT))
                ck_assert_msg(memcmp(before, clock, 8) == 0, "%.8s, was %.8s", clock, before);
            memcpy(before, clock, 8);
            free(text);
            if (suite_below(4) == 0) m->clock += suite_below(SECOND);
        }
    }
}

/* From a second to many hours: whole run, always over the whole width. */
TEST(test_stretches) {
    static const uint64_t lengths[] = {1, 10, 60, 600, 7200, 90000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        OWN(free_at) Model *m = run(lengths[i], lengths[i] > 5 ? lengths[i] / 5 : 1);
        OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 60, 12, true, 256);
        stage_draw(s);
        for (int x = 10; x < 59; x++) { /* beside the scale */
            const Cell *cell = canvas_at(s->canvas, x, 9);
            ck_assert_msg(cell->glyph > G_BRAILLE && cell->glyph < G_BRAILLE + 256,
                          "%llu s: nothing in column %d", (unsigned long long)lengths[i], x);
        }
    }
}

/* + goes down to ten seconds, - back to the whole run; spans longer than the run are left out. */
TEST(test_zoom) {
    OWN(free_at) Model *m = run(102, 20);
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 60, 12, true, 256);
    static const char *const in[] = {"whole run · 00:01:42",
                                     "last 60 s",
                                     "last 30 s",
                                     "last 10 s",
                                     "last 3 s",
                                     "last 1 s",
                                     "last 1 s"};
    char note[64];
    for (int i = 0; i < 7; i++) {
        panel_timeline.note(s->state, m, &s->ui, note, sizeof note);
        ck_assert_str_eq(note, in[i]);
        ck_assert(stage_act(s, ACT_ZOOM_IN));
    }
    for (int i = 5; i >= 0; i--) {
        panel_timeline.note(s->state, m, &s->ui, note, sizeof note);
        ck_assert_str_eq(note, in[i]);
        ck_assert(stage_act(s, ACT_ZOOM_OUT));
    }
    ck_assert(!stage_act(s, ACT_FILTER));
}

/* Whatever stands in the history, and at every size: no crash, and what is drawn stays inside. */
TEST(test_hostile) {
    OWN(free_at) Model *m = heap_fixture_model(NULL);
    for (int round = 0; round < 300; round++) {
        m->clock = suite_random() >> suite_below(64);
        m->history.used = (uint32_t)suite_below(LMP_HISTORY + 1);
        m->history.interval = 1 + (suite_random() >> suite_below(64)) / 2;
        for (uint32_t i = 0; i < m->history.used; i++) {
            m->history.samples[i].max_bytes = suite_random() >> suite_below(64);
            m->history.samples[i].min_bytes = suite_random() >> suite_below(64);
            m->history.samples[i].held_bytes[suite_below(LMP_KINDS)] = suite_random();
            m->history.samples[i].alloc_bytes = suite_random();
            m->history.samples[i].gc_cycles = (uint32_t)suite_random();
        }
        m->marks = (uint32_t)suite_below(LMP_MARKS + 1);
        for (uint32_t i = 0; i < m->marks; i++) {
            m->mark[i].clock = suite_random() >> suite_below(64);
            snprintf(m->mark[i].name, sizeof m->mark[i].name, "m%u\033[31m\xff", i);
        }
        m->gc.cycles = suite_random() >> suite_below(64);
        for (uint32_t i = 0; i < LMP_GC_RING; i++)
            m->gc.ring[i].end = suite_random() >> suite_below(64);
        m->stats.live_bytes = suite_random() >> suite_below(64);
        OWN(stage_free_at)
        Stage *s = stage_new(&panel_timeline, m, 1 + (int)suite_below(150),
                             1 + (int)suite_below(40), suite_below(2), 256);
        for (uint64_t i = suite_below(9); i > 0; i--)
            stage_act(s, suite_below(2) ? ACT_ZOOM_IN : ACT_PAGE_UP);
        stage_draw(s);
        stage_act(s, ACT_LEFT);
        stage_draw(s);
    }
}

TEST(test_empty) {
    OWN(free_at) Model *m = calloc(1, sizeof *m);
    m->history.interval = 1;
    OWN(stage_free_at) Stage *s = stage_new(&panel_timeline, m, 40, 8, true, 256);
    ck_says(s, "0 B now");
}
