/* The timeline, drawn from a history made by hand. */
#include "fake_scene.h"
#include "panel_draw.h"

#define SECOND 1000000000ull
#define MIB (1ull << 20)

/* A heap that grows and is collected every `cycle` seconds, `seconds` long. */
static Model *run(uint64_t seconds, uint64_t cycle) {
    Model *m = scene_model(NULL);
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

static void golden(Model *m, int w, int h, bool utf8, int colours, int zoom, const char *name) {
    Stage *s = stage_new(&panel_timeline, m, w, h, utf8, colours);
    for (int i = 0; i < zoom; i++)
        stage_act(s, ACT_ZOOM_IN);
    stage_golden(s, name);
    stage_free(s);
}

START_TEST(test_sizes) {
    Model *m = run(102, 20);
    mark(m, 31 * SECOND, "loaded");
    mark(m, 70 * SECOND, "prices, first pass");
    mark(m, 73 * SECOND, "x");
    golden(m, 46, 13, true, 256, 0, "timeline-46x13.txt");
    golden(m, 46, 13, true, 256, 1, "timeline-46x13-60s.txt");
    golden(m, 100, 30, true, 256, 0, "timeline-100x30.txt");
    golden(m, 26, 6, true, 256, 0, "timeline-26x6.txt");
    golden(m, 8, 3, true, 256, 0, "timeline-8x3.txt");
    golden(m, 46, 13, false, 0, 0, "timeline-46x13-ascii.txt");
    free(m);
}
END_TEST

/* From a second to many hours: whole run, always over the whole width. */
START_TEST(test_stretches) {
    static const uint64_t lengths[] = {1, 10, 60, 600, 7200, 90000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        Model *m = run(lengths[i], lengths[i] > 5 ? lengths[i] / 5 : 1);
        Stage *s = stage_new(&panel_timeline, m, 60, 12, true, 256);
        stage_draw(s);
        for (int x = 1; x < 59; x++) {
            const Cell *cell = canvas_at(s->canvas, x, 10);
            ck_assert_msg(cell->glyph > G_BRAILLE && cell->glyph < G_BRAILLE + 256,
                          "%llu s: nothing in column %d", (unsigned long long)lengths[i], x);
        }
        stage_free(s);
        free(m);
    }
}
END_TEST

/* + goes down to ten seconds, - back to the whole run; spans longer than the run are left out. */
START_TEST(test_zoom) {
    Model *m = run(102, 20);
    Stage *s = stage_new(&panel_timeline, m, 60, 12, true, 256);
    static const char *const in[] = {"whole run · 00:01:42", "last 60 s", "last 30 s", "last 10 s",
                                     "last 10 s"};
    char note[64];
    for (int i = 0; i < 5; i++) {
        panel_timeline.note(s->state, m, &s->ui, note, sizeof note);
        ck_assert_str_eq(note, in[i]);
        ck_assert(stage_act(s, ACT_ZOOM_IN));
    }
    for (int i = 3; i >= 0; i--) {
        panel_timeline.note(s->state, m, &s->ui, note, sizeof note);
        ck_assert_str_eq(note, in[i]);
        ck_assert(stage_act(s, ACT_ZOOM_OUT));
    }
    ck_assert(!stage_act(s, ACT_LEFT));
    stage_free(s);
    free(m);
}
END_TEST

/* Whatever stands in the history, and at every size: no crash, and what is drawn stays inside. */
START_TEST(test_hostile) {
    suite_seed();
    Model *m = scene_model(NULL);
    for (int round = 0; round < 300; round++) {
        m->clock = suite_random() >> suite_below(64);
        m->history.used = (uint32_t)suite_below(LMP_HISTORY + 1);
        m->history.interval = 1 + (suite_random() >> suite_below(64)) / 2;
        for (uint32_t i = 0; i < m->history.used; i++)
            m->history.samples[i].max_bytes = suite_random() >> suite_below(64);
        m->marks = (uint32_t)suite_below(LMP_MARKS + 1);
        for (uint32_t i = 0; i < m->marks; i++) {
            m->mark[i].clock = suite_random() >> suite_below(64);
            snprintf(m->mark[i].name, sizeof m->mark[i].name, "m%u\033[31m\xff", i);
        }
        m->gc.cycles = suite_random() >> suite_below(64);
        for (uint32_t i = 0; i < LMP_GC_RING; i++)
            m->gc.ring[i].end = suite_random() >> suite_below(64);
        m->stats.live_bytes = suite_random() >> suite_below(64);
        Stage *s = stage_new(&panel_timeline, m, 1 + (int)suite_below(150),
                             1 + (int)suite_below(40), suite_below(2), 256);
        for (uint64_t i = suite_below(9); i > 0; i--)
            stage_act(s, ACT_ZOOM_IN);
        stage_draw(s);
        stage_free(s);
    }
    free(m);
}
END_TEST

START_TEST(test_empty) {
    Model *m = calloc(1, sizeof *m);
    m->history.interval = 1;
    Stage *s = stage_new(&panel_timeline, m, 40, 8, true, 256);
    char *text = stage_text(s, false);
    ck_assert_ptr_nonnull(strstr(text, "0 B peak"));
    free(text);
    stage_free(s);
    free(m);
}
END_TEST

SUITE("panel_timeline", test_sizes, test_stretches, test_zoom, test_hostile, test_empty)
