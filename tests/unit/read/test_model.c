/* Tests of the model: rates, marks, what it does with a state, right or damaged. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "fixed.h"
#include "suite.h"

#define SECOND 1000000000ull

static Model model;
static LmpLive live;

static void clear(void) {
    memset(&model, 0, sizeof model);
    memset(&live, 0, sizeof live);
}
BEFORE_TESTS(clear)

/* One class has all that the program does here. */
static void allocate(uint64_t blocks, uint64_t bytes) {
    live.counters.count[LMP_C_TABLE].allocs += blocks;
    live.counters.count[LMP_C_TABLE].alloc_bytes += bytes;
}

static void release(uint64_t blocks, uint64_t bytes) {
    live.counters.count[LMP_C_TABLE].frees += blocks;
    live.counters.count[LMP_C_TABLE].free_bytes += bytes;
}

static void close_to(double got, double want) {
    ck_assert_msg(got > want * 0.98 - 0.01 && got < want * 1.02 + 0.01, "%g, not %g", got, want);
}

TEST(rates_of_a_steady_program) {
    for (int fps = 1; fps <= 60; fps += 7) {
        clear();
        uint64_t clock = 5 * SECOND;
        for (int i = 0; i < fps * 4; i++) {
            allocate(6000 / (unsigned)fps, 600000 / (unsigned)fps);
            release(3000 / (unsigned)fps, 300000 / (unsigned)fps);
            clock += SECOND / (unsigned)fps;
            model_fill_live(&model, &live, clock);
        }
        double steps = (double)(6000 / (unsigned)fps * (unsigned)fps);
        close_to(model.allocs_per_s, steps);
        close_to(model.frees_per_s, (double)(3000 / (unsigned)fps * (unsigned)fps));
        close_to(model.alloc_bytes_per_s, (double)(600000 / (unsigned)fps * (unsigned)fps));
        close_to((double)model.per_s.blocks[LMP_TABLE],
                 (double)((6000 / (unsigned)fps - 3000 / (unsigned)fps) * (unsigned)fps));
        close_to((double)model.per_s.made[LMP_TABLE], model.alloc_bytes_per_s);
        close_to((double)model.per_s.total_made, model.alloc_bytes_per_s);
        ck_assert_uint_le(model.past_used, MODEL_PAST);
        /* nothing more happens: a second and a half later the rates are zero */
        for (int i = 0; i < fps + fps / 2 + 2; i++) {
            clock += SECOND / (unsigned)fps;
            model_fill_live(&model, &live, clock);
        }
        close_to(model.allocs_per_s, 0);
        close_to((double)model.per_s.total_bytes, 0);
    }
}

/* More moments come than are kept: the rate is over those that are, and what is older is gone. */
TEST(rates_of_many_moments) {
    uint64_t clock = 5 * SECOND;
    allocate(1000000, 1000000); /* at once, before the first moment */
    for (int i = 0; i < 3000; i++) {
        allocate(i < 1500 ? 9 : 2, i < 1500 ? 900 : 200);
        clock += SECOND / 1000;
        model_fill_live(&model, &live, clock);
        ck_assert_uint_le(model.past_used, MODEL_PAST);
        if (i == 0) ck_assert(model.allocs_per_s == 0 && model.per_s.total_blocks == 0);
        if (i > 1 && i < 1500) close_to(model.allocs_per_s, 9000);
        if (i > 2700) close_to(model.alloc_bytes_per_s, 200000);
        if (i > 2700) close_to((double)model.per_s.blocks[LMP_TABLE], 2000);
    }
}

/* Figures of a damaged state, or of another one at this place: no rate is better than a wild one.
 */
TEST(rates_of_figures_that_jump) {
    allocate(5000, 500000);
    model_fill_live(&model, &live, 5 * SECOND);
    allocate(100, 10000);
    model_fill_live(&model, &live, 5 * SECOND); /* the clock stands */
    ck_assert(model.allocs_per_s == 0 && model.per_s.total_bytes == 0);
    live.counters.count[LMP_C_TABLE].allocs -= 2000; /* backwards */
    model_fill_live(&model, &live, 6 * SECOND);
    ck_assert(model.allocs_per_s == 0);
    ck_assert_int_eq(model.per_s.blocks[LMP_TABLE], -1900);
    live.counters.count[LMP_C_TABLE].alloc_bytes += UINT64_MAX / 2;
    model_fill_live(&model, &live, 6 * SECOND + SECOND / 100);
    ck_assert_int_eq(model.per_s.bytes[LMP_TABLE], 0);
}

/* Of the marks that a viewer knows, what rows had is there for the last LMP_MARKED ones. */
TEST(marks_whose_rows_are_kept) {
    static const struct {
        uint32_t rows, all;
        bool kept;
    } cases[] = {{0, 5, false},
                 {1, 1, true},
                 {5, 5, true},
                 {6, 5, false},
                 {5, 4 + LMP_MARKED, true},
                 {5, 5 + LMP_MARKED, false},
                 {1, 0, false},
                 {0, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model.mark[3].rows = cases[i].rows;
        model.marks_kept = cases[i].all;
        ck_assert_msg(model_mark_kept(&model, 3) == cases[i].kept, "case %zu", i);
    }
}

TEST(no_rates_while_nothing_runs) {
    for (uint64_t i = 1; i < 20; i++) {
        allocate(10, 1000);
        model_fill_live(&model, &live, i * SECOND / 10);
    }
    ck_assert(model.allocs_per_s > 0);
    model.seen = LMP_SEEN_PAUSED;
    model_fill_live(&model, &live, 2 * SECOND);
    ck_assert(model.allocs_per_s == 0);
    ck_assert_int_eq(model.per_s.total_blocks, 0);
}

TEST(change_since_the_last_mark) {
    allocate(10, 1000);
    model_fill_live(&model, &live, SECOND);
    ck_assert(!model.marked);
    for (uint32_t i = 0; i < 70; i++) { /* more than are kept */
        LmpMark *mark = &live.mark[live.marks % LMP_MARKS];
        memset(mark->name, 'x', sizeof mark->name); /* not ended */
        mark->clock = i;
        mark->class_live[LMP_C_TABLE] = 600;
        mark->class_blocks[LMP_C_TABLE] = 12;
        mark->class_allocs[LMP_C_TABLE] = 4;
        mark->class_made[LMP_C_TABLE] = 700;
        live.marks++;
    }
    model_fill_live(&model, &live, SECOND);
    ck_assert(model.marked);
    ck_assert_uint_eq(model.marks, LMP_MARKS);
    ck_assert_uint_eq(model.marks_all, 70);
    for (uint32_t i = 0; i < model.marks; i++) {
        ck_assert_uint_eq(model.mark[i].clock, i + 6);
        ck_assert_uint_lt(strlen(model.mark[i].name), sizeof model.mark[i].name);
    }
    ck_assert_int_eq(model.since_mark.blocks[LMP_TABLE], -2);
    ck_assert_int_eq(model.since_mark.allocs[LMP_TABLE], 6);
    ck_assert_int_eq(model.since_mark.made[LMP_TABLE], 300);
    ck_assert_int_eq(model.since_mark.total_made, 300);
    ck_assert_int_eq(model.since_mark.total_bytes, model.since_mark.bytes[LMP_TABLE]);
}

/* `n` frames of the program's own, which make `bytes` each. */
static void run_frames(uint64_t n, uint64_t bytes) {
    LmpLap lap;
    for (uint64_t i = 0; i < n; i++) {
        LmpLapMoment now = live.laps.began;
        now.clock += SECOND / 100;
        now.alloc_bytes += bytes;
        laps_end(&live.laps, &now, NULL, &lap);
    }
}

TEST(frames_of_the_last_second) {
    model_fill_live(&model, &live, SECOND);
    ck_assert(model.laps_per_s == 0 && model.lap_bytes == 0);
    run_frames(101, 7000);
    uint64_t clock = 5 * SECOND;
    for (int i = 0; i < 30; i++) {
        run_frames(6, 1000);
        model_fill_live(&model, &live, clock += SECOND / 10);
    }
    close_to(model.laps_per_s, 60);
    ck_assert_uint_eq(model.lap_bytes, 1000);
    ck_assert_uint_eq(model.stats.frames, 100 + 30 * 6);
    ck_assert_uint_eq(model.stats.frame_mean_bytes, (100 * 7000 + 180 * 1000) / 280);
    for (int i = 0; i < 30; i++) /* no frame any more: all of them */
        model_fill_live(&model, &live, clock += SECOND / 10);
    ck_assert(model.laps_per_s == 0);
    ck_assert_uint_eq(model.lap_bytes, model.stats.frame_mean_bytes);
    run_frames(5, 500);
    model_fill_live(&model, &live, clock += SECOND / 10);
    ck_assert_uint_eq(model.lap_bytes, 500);
    run_frames(5, 500);
    live.laps.bytes = 1000; /* damaged: all of them have made less than before */
    model_fill_live(&model, &live, clock += SECOND / 10);
    ck_assert(model.laps_per_s == 0);
    ck_assert_uint_eq(model.lap_bytes, model.stats.frame_mean_bytes);
    model.seen = LMP_SEEN_FINISHED;
    model_fill_live(&model, &live, clock);
    ck_assert(model.laps_per_s == 0);
    ck_assert_uint_eq(model.lap_bytes, model.stats.frame_mean_bytes);
}

TEST(frames_since_the_mark) {
    run_frames(11, 100);
    live.mark[0].laps = 10;
    live.marks = 1;
    model_fill_live(&model, &live, SECOND);
    ck_assert_uint_eq(model.laps_since_mark, 0);
    run_frames(7, 100);
    model_fill_live(&model, &live, SECOND);
    ck_assert_uint_eq(model.laps_since_mark, 7);
    live.mark[0].laps = 1000; /* damaged */
    model_fill_live(&model, &live, SECOND);
    ck_assert_uint_eq(model.laps_since_mark, 0);
    model.wanted.count_from = MODEL_NO_MARK;
    live.mark[0].laps = 10;
    model_fill_live(&model, &live, SECOND);
    ck_assert_uint_eq(model.laps_since_mark, 0);
}

TEST(cycles_by_age) {
    ck_assert_ptr_null(model_gc_cycle(&model, 0));
    model.gc.cycles = 300;
    for (uint32_t i = 0; i < 300; i++)
        model.gc.ring[i % LMP_GC_RING].start = i;
    ck_assert_uint_eq(model_gc_cycle(&model, 0)->start, 299);
    ck_assert_uint_eq(model_gc_cycle(&model, 255)->start, 44);
    ck_assert_ptr_null(model_gc_cycle(&model, 256));
    ck_assert_ptr_null(model_gc_cycle(&model, UINT64_MAX));
}

/* What panels rely on (model.h), whatever stood in the state. */
static void check_promises(const Model *m) {
    ck_assert_uint_le(m->marks, LMP_MARKS);
    ck_assert_uint_le(m->history.used, LMP_HISTORY);
    ck_assert_uint_gt(m->history.interval, 0);
    ck_assert_uint_le(m->op.op, LMP_OP_FREE);
    ck_assert_uint_lt(m->op.cls, LMP_CLASSES);
    ck_assert_uint_le(m->op.frames, LMP_FRAMES);
    ck_assert_uint_le(m->op.frames, m->op.depth);
    ck_assert_uint_le(m->op.cut_at, m->op.frames);
    for (uint32_t i = 0; i < m->op.frames; i++) {
        ck_assert_ptr_nonnull(memchr(m->op.frame[i].name, 0, sizeof m->op.frame[i].name));
        ck_assert_ptr_nonnull(memchr(m->op.frame[i].source, 0, sizeof m->op.frame[i].source));
    }
    ck_assert_uint_le(m->preview_count, LMP_PREVIEWS);
    for (uint32_t i = 0; i < m->preview_count; i++) {
        ck_assert_uint_le(m->preview[i].shown, LMP_PREVIEW_BYTES);
    }
    ck_assert_uint_le(m->op.locals, LMP_LOCALS);
    ck_assert_uint_le(m->op.locals_state, LMP_LOCALS_NOT_NOW);
    ck_assert_uint_le(m->op.hit, LMP_BREAKS);
    ck_assert_uint_le(m->breaks.count, LMP_BREAKS);
    ck_assert_uint_le(m->gc.mode, LMP_GC_GENERATIONAL);
    ck_assert_ptr_nonnull(memchr(m->program, 0, sizeof m->program));
    ck_assert_ptr_nonnull(memchr(m->lua, 0, sizeof m->lua));
    ck_assert_uint_le(m->past_used, MODEL_PAST);
}

static LmpView view;
static LmpHeader header;
static LmpControl control;
static LmpLive state;

static void begin(void) {
    memset(&header, 0, sizeof header);
    memset(&control, 0, sizeof control);
    memset(&state, 0, sizeof state);
    view = (LmpView){.fd = -1, .header = &header, .control = &control, .live = &state};
}

/* Random bytes in the live part and the header's texts: the promises hold. */
TEST(a_damaged_state) {
    begin();
    uint64_t *words = (uint64_t *)&state;
    for (int round = 0; round < 60; round++) {
        unsigned zeroes = (unsigned)suite_below(4);
        for (size_t i = 0; i < sizeof state / 8; i++) {
            words[i] = suite_below(4) < zeroes ? 0 : suite_random() >> suite_below(64);
        }
        atomic_store(&state.history.seq, 2 * (uint32_t)suite_below(9));
        atomic_store(&state.op.seq, (uint32_t)suite_below(9));
        state.leaves = 0;
        for (size_t i = 0; i < sizeof header.program; i++)
            header.program[i] = (char)suite_random();
        for (size_t i = 0; i < sizeof header.lua; i++)
            header.lua[i] = (char)suite_random();
        header.start_clock = suite_random() >> suite_below(64);
        ModelInput input = {suite_random() >> suite_below(64),
                            suite_below(2) != 0,
                            suite_random(),
                            suite_random(),
                            NULL,
                            NULL};
        model_fill(&model, &view, &input);
        check_promises(&model);
    }
}

TEST(the_clock_stands_in_a_pause) {
    begin();
    header.start_clock = 100 * SECOND;
    atomic_store(&state.state, LMP_RUNNING);
    model_fill(&model, &view, &(ModelInput){107 * SECOND, true, 0, 0, NULL, NULL});
    ck_assert_uint_eq(model.clock, 7 * SECOND);
    atomic_store(&state.state, LMP_PAUSED);
    model_fill(&model, &view, &(ModelInput){108 * SECOND, true, 0, 0, NULL, NULL});
    model_fill(&model, &view, &(ModelInput){150 * SECOND, true, 0, 0, NULL, NULL});
    ck_assert_uint_eq(model.clock, 8 * SECOND);
    ck_assert_int_eq(model.seen, LMP_SEEN_PAUSED);
    state.op.number++; /* a step */
    model_fill(&model, &view, &(ModelInput){151 * SECOND, true, 0, 0, NULL, NULL});
    ck_assert_uint_eq(model.clock, 51 * SECOND);
    model_fill(&model, &view, &(ModelInput){152 * SECOND, false, 0, 0, NULL, NULL});
    ck_assert_int_eq(model.seen, LMP_SEEN_KILLED);
    ck_assert_uint_eq(model.clock, 51 * SECOND);
    state.clock = 53 * SECOND;
    atomic_store(&state.state, LMP_FINISHED);
    model_fill(&model, &view, &(ModelInput){170 * SECOND, false, 0, 0, NULL, NULL});
    ck_assert_int_eq(model.seen, LMP_SEEN_FINISHED);
    ck_assert_uint_eq(model.clock, 53 * SECOND);
}

/* What is as it should be reaches the panels as it is. */
TEST(what_is_right_stays) {
    begin();
    header.pid = 77;
    state.op.seq = 2;
    state.op.op = LMP_OP_REALLOC;
    state.op.cls = LMP_CLASSES - 1;
    state.op.depth = 1000;
    state.op.frames = LMP_FRAMES - 1;
    state.op.cut_at = LMP_FRAMES - 2;
    state.op.hit = LMP_BREAKS - 1;
    state.op.locals = LMP_LOCALS - 1;
    state.op.locals_state = 1;
    memset(state.op.hit_words, 'x', sizeof state.op.hit_words - 1);
    for (uint32_t i = 0; i < LMP_FRAMES; i++)
        memset(state.op.frame[i].name, 'x', sizeof state.op.frame[i].name - 1);
    for (uint32_t i = 0; i < LMP_LOCALS; i++)
        state.op.local[i].size = LMP_LOCAL_BYTES - 1;
    state.history.seq = 2;
    state.history.used = LMP_HISTORY - 1;
    state.history.interval = 7;
    state.preview_count = LMP_PREVIEWS - 1;
    for (uint32_t i = 0; i < LMP_PREVIEWS - 1; i++)
        state.preview[i].shown = LMP_PREVIEW_BYTES - 1;
    state.breaks.count = LMP_BREAKS - 1;
    state.gc.mode = LMP_GC_INCREMENTAL;
    model_fill(&model, &view, &(ModelInput){SECOND, true, 0, 0, NULL, NULL});
    ck_assert_int_eq(memcmp(&model.op, &state.op, sizeof model.op), 0);
    ck_assert_int_eq(memcmp(&model.history, &state.history, sizeof model.history), 0);
    ck_assert_uint_eq(model.preview_count, LMP_PREVIEWS - 1);
    ck_assert_int_eq(
        memcmp(model.preview, state.preview, model.preview_count * sizeof *model.preview), 0);
    ck_assert_uint_eq(model.breaks.count, LMP_BREAKS - 1);
    ck_assert_uint_eq(model.gc.mode, LMP_GC_INCREMENTAL);
    ck_assert_uint_eq(model.pid, 77);
    view.pid = 5; /* as discovery has found it */
    model_fill(&model, &view, &(ModelInput){SECOND, true, 0, 0, NULL, NULL});
    ck_assert_uint_eq(model.pid, 5);
}

/* A block that grows is bytes made, one that shrinks bytes given back. */
TEST(rates_of_blocks_that_are_resized) {
    for (int grows = 0; grows < 2; grows++) {
        clear();
        for (uint64_t i = 1; i < 20; i++) {
            live.counters.count[LMP_C_TABLE].realloc_bytes += grows ? 100 : -100;
            model_fill_live(&model, &live, i * SECOND / 10);
        }
        close_to(model.alloc_bytes_per_s, grows ? 1000 : 0);
        close_to(model.free_bytes_per_s, grows ? 0 : 1000);
    }
}

TEST(memory_outside_lua) {
    begin();
    model_fill(&model, &view, &(ModelInput){SECOND, true, 5000, 1500, NULL, NULL});
    ck_assert_uint_eq(model.outside, 3500);
    model_fill(&model, &view, &(ModelInput){SECOND, true, 500, 1500, NULL, NULL});
    ck_assert_uint_eq(model.outside, 0);
    /* A heap that swings under a resident set that stands (the allocator keeps what is freed):
     * after one round the figure stands, at what is there beside the largest heap. Then 700 more
     * are had outside, and it tells so when the seconds before are over. */
    uint64_t at = 100 * SECOND;
    for (int i = 0; i < 300; i++, at += SECOND / 10) {
        uint64_t heap = 1000 + (uint64_t)(i * 37 % 23) * 100, largest = 1000 + 22 * 100;
        state.counters.live_bytes = state.counters.count[LMP_C_TABLE].alloc_bytes = heap;
        uint64_t more = i >= 150 ? 700 : 0;
        model_fill(&model, &view,
                   &(ModelInput){at, true, largest + 1000 + 4000 + more, 1000, NULL, NULL});
        ck_assert_uint_ge(model.outside, 4000);
        ck_assert_uint_le(model.outside, largest + 1000 + 4000 + more - heap - 1000);
        if (i > 23 && i < 150) ck_assert_uint_eq(model.outside, 4000);
        if (i > 150 + (int)MODEL_OUTSIDE_SECONDS * 10 + 23) ck_assert_uint_eq(model.outside, 4700);
    }
    /* gone: there is none to tell */
    model_fill(&model, &view, &(ModelInput){at, false, 0, 0, NULL, NULL});
    ck_assert_uint_eq(model.outside, 0);
}

static uint64_t again;
static unsigned looks;

static uint64_t read_again(void *program) {
    ck_assert_ptr_eq(program, &looks);
    looks++;
    return again;
}

/* The resident set is read before the heap. If the heap is above it, that has grown in between: it
 * is read once more, and what is larger counts. */
TEST(resident_set_of_the_heaps_moment) {
    static const struct {
        uint64_t rss, again, heap, want;
        unsigned looks;
    } cases[] = {{5000, 9000, 4999, 5000, 0}, {5000, 9000, 5000, 5000, 0},
                 {5000, 9000, 5001, 9000, 1}, {5000, 3000, 7000, 5000, 1}, /* swapped out */
                 {5000, 0, 7000, 5000, 1},                                 /* gone by then */
                 {0, 9000, 7000, 0, 0}};
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(&model, 0, sizeof model);
        looks = 0;
        again = cases[i].again;
        state.counters.live_bytes = state.counters.count[LMP_C_TABLE].alloc_bytes = cases[i].heap;
        ModelInput input = {SECOND, true, cases[i].rss, 0, read_again, &looks};
        model_fill(&model, &view, &input);
        ck_assert_uint_eq(model.rss, cases[i].want);
        ck_assert_uint_eq(looks, cases[i].looks);
        input.rss_again = NULL;
        model_fill(&model, &view, &input);
        ck_assert_uint_eq(model.rss, cases[i].rss);
    }
}

/* A display names marks, hides them, and counts from one of them; in the model alone. */
TEST(marks_as_the_display_has_them) {
    for (uint32_t i = 0; i < 10; i++) { /* numbers 1 to 10 */
        snprintf(live.mark[i].name, sizeof live.mark[i].name, "own %u", i + 1);
        live.mark[i].rows = live.marked = i + 1;
        live.marks++;
    }
    model.wanted.edit[3] = (struct ModelMarkEdit){.number = 3, .name = "third"};
    model.wanted.edit[4] = (struct ModelMarkEdit){.number = 4, .gone = true};
    model.wanted.edit[5] = (struct ModelMarkEdit){.number = 5 + LMP_MARKS, .gone = true};
    model.wanted.edit[6] = (struct ModelMarkEdit){.number = 6}; /* neither */
    model_fill_live(&model, &live, SECOND);
    ck_assert_uint_eq(model.marks_all, 10);
    ck_assert_uint_eq(model.marks, 9);
    static const char *const names[] = {"own 1", "own 2", "third", "own 5", "own 6",
                                        "own 7", "own 8", "own 9", "own 10"};
    for (uint32_t i = 0; i < 9; i++) {
        ck_assert_str_eq(model.mark[i].name, names[i]);
        ck_assert_uint_eq(model.mark[i].number, i < 3 ? i + 1 : i + 2);
    }
    ck_assert(model.marked);
    ck_assert_uint_eq(model.base, 8); /* the last one */
    model.wanted.count_from = 5;
    model_fill_live(&model, &live, SECOND);
    ck_assert(model.marked);
    ck_assert_uint_eq(model.base, 3);
    model.wanted.count_from = 4; /* hidden */
    model_fill_live(&model, &live, SECOND);
    ck_assert(!model.marked);
    model.wanted.count_from = 99;
    model_fill_live(&model, &live, SECOND);
    ck_assert(!model.marked);
    model.wanted.count_from = MODEL_NO_MARK;
    model_fill_live(&model, &live, SECOND);
    ck_assert(!model.marked);
    model.wanted.count_from = 0; /* the last one of those that all tables can count from */
    for (uint32_t i = 7; i < 10; i++)
        live.mark[i].rows = 0;
    model_fill_live(&model, &live, SECOND);
    ck_assert(model.marked);
    ck_assert_uint_eq(model.mark[model.base].number, 7);
    for (uint32_t i = 0; i < 7; i++)
        live.mark[i].rows = 0;
    model_fill_live(&model, &live, SECOND); /* none of them: the last one */
    ck_assert(model.marked);
    ck_assert_uint_eq(model.base, 8);
}
