/* Tests of time as a slider: at every moment the model says what there was, and a range what
 * happened in between. */
#include "replay/player.h"

#include "read/verdict/verdict.h"
#include "record_fixture.h"
#include "recording/reader/moment.h"
#include "recording/writer/framewriter.h"

enum { FRAMES = 90, SITES = 512 };

/* What there was at a frame: of every line of the program, by LmpSiteRow.id. */
typedef struct Known {
    uint64_t clock, live, mallocs;
    bool tables;
    uint32_t marks, tags;
    LmpTally site[SITES], tag[LMP_TAGS];
    LmpTally all, root;
} Known;

static Known known[FRAMES];
static LmpRecording *recording;
static Player *player;
static Model model;
static int fd;
static uint64_t start;

/* The figures of now, from the state itself. */
static void know(Known *k, const Recorded *s, bool tables) {
    static Model now;
    static Ledger ledger;
    ledger_free(&ledger);
    ck_assert_int_eq(ledger_refresh(&ledger, &s->view.tables, LEDGER_ALL, 1), LMP_OK);
    *k = (Known){.clock = record_clock - start, .tables = tables};
    model_fill_live(&now, s->view.live, k->clock);
    k->live = now.stats.live_bytes;
    k->mallocs = now.stats.mallocs;
    k->marks = now.marks;
    k->all = ledger.all;
    if (ledger.nodes) k->root = ledger.tree[0].retained;
    for (uint32_t i = 0; i < ledger.sites; i++)
        k->site[ledger.site[i].id] = ledger.site[i].tally;
    k->tags = ledger.tags;
    for (uint32_t i = 0; i < ledger.tags; i++)
        k->tag[ledger.tag[i].id] = ledger.tag[i].tally;
}

/* Into `fd`, from `start` on. */
static LmpRecorder *record_begin(Recorded *s) {
    LmpRecorder *r;
    fd = record_memfd();
    start = record_clock;
    LmpRecorderOptions o = {.fd = fd};
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    return r;
}

static void close_run(void) {
    ledger_free(&model.ledger);
    memset(&model, 0, sizeof model);
    player_free(player);
    recording_close(recording);
    close(fd);
}

/* A run of a state that changes at random, with a line of output at each frame. */
static void record_run(bool marks) {
    suite_closes(close_run);
    Recorded *s = recorded_new();
    LmpRecorder *r = record_begin(s);
    uint64_t next = 0;
    record_clock += SECOND;
    for (uint32_t i = 0; i < FRAMES; i++) {
        char line[64];
        for (uint64_t n = suite_below(5); n > 0; n--)
            recorded_change(s);
        LmpLive *live = s->tables->live;
        if (!marks) live->marks = live->marked = 0;
        for (uint32_t k = 0; k < live->marks && k < LMP_MARKS; k++)
            if (live->mark[k].clock == 0) live->mark[k].clock = record_clock - start;
        int n = snprintf(line, sizeof line, "frame %u.\nstep ", i);
        ck_assert_int_eq(recorder_output(r, record_clock - start, line, (size_t)n), LMP_OK);
        if (suite_below(2))
            ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        else
            ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        know(&known[i], s, true);
        record_clock += SECOND / 10 + suite_below(2 * SECOND);
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    recorded_free(s);
    ck_assert_int_eq(recording_open_fd(&recording, fd), LMP_OK);
    ck_assert_uint_eq(recording_frames(recording), FRAMES);
    player = player_new(recording);
    ck_assert_ptr_nonnull(player);
}

static void fill(void) {
    ck_assert_int_eq(player_fill(player, &model, LEDGER_ALL), LMP_OK);
}

/* The frame whose tables a frame has. */
static uint32_t tables_of(uint32_t i) {
    while (!(recording_frame(recording, i).flags & LMP_FRAME_TABLES))
        i--;
    return i;
}

static bool same(const LmpTally *a, const LmpTally *b) {
    return a->allocs == b->allocs && a->live_bytes == b->live_bytes &&
           a->live_blocks == b->live_blocks && tally_made(a) == tally_made(b);
}

/* Was that what there was then? */
static bool then(const LmpThen *mark, const LmpTally *t) {
    return mark->allocs == t->allocs && mark->made == tally_made(t) && mark->live == t->live_bytes;
}

static void check_tables(uint32_t at, const Known *from) {
    const Ledger *l = &model.ledger;
    const Known *k = &known[tables_of(at)];
    ck_assert(same(&l->all, &k->all));
    ck_assert(same(&l->tree[0].retained, &k->root));
    ck_assert(model.ledger_marked == (from != NULL));
    for (uint32_t i = 0; i < l->sites; i++) {
        ck_assert(same(&l->site[i].tally, &k->site[l->site[i].id]));
        if (from) ck_assert(then(&l->site[i].tally.mark, &from->site[l->site[i].id]));
    }
    for (uint32_t i = 0; from && i < l->tags; i++)
        if (from->tags) /* else what has no tag has no row either */
            ck_assert(then(&l->tag[i].tally.mark, &from->tag[l->tag[i].id]));
    if (from) ck_assert(then(&l->all.mark, &from->all));
    if (from) ck_assert(then(&l->tree[0].retained.mark, &from->root));
}

TEST(any_moment_is_as_it_was) {
    record_run(false);
    for (int n = 0; n < 400; n++) {
        uint32_t i = (uint32_t)suite_below(FRAMES);
        if (n % 4 == 1) /* a film */
            player_step(player, 1);
        else
            player_go(player, known[i].clock + suite_below(SECOND / 20));
        i = player_state(player).frame;
        fill();
        ck_assert_uint_eq(model.clock, player_state(player).clock);
        ck_assert_uint_eq(model.stats.live_bytes, known[i].live);
        ck_assert_uint_eq(model.stats.mallocs, known[i].mallocs);
        ck_assert_ptr_null(model.view);
        check_tables(i, NULL);
    }
}

/* What cannot be told yet at a moment never will be: no more comes of it. */
TEST(the_past_is_not_waited_for) {
    Recorded *s = recorded_new();
    LmpRecorder *r = record_begin(s);
    for (int i = 0; i < 3; i++) {
        record_clock += SECOND;
        ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
    }
    record_clock += SECOND;
    atomic_store(&s->tables->live->state, LMP_FINISHED);
    ck_assert_int_eq(recorder_close(r, &s->view, 1), LMP_OK);
    recorded_free(s);
    ck_assert_int_eq(recording_open_fd(&recording, fd), LMP_OK);
    player = player_new(recording);
    player_go(player, 0);
    fill();
    ck_assert_int_eq(model.ledger.when, LEDGER_THEN);
    player_go(player, UINT64_MAX);
    fill();
    ck_assert_int_eq(model.ledger.when, LEDGER_END);
    uint64_t serial = model.ledger_serial;
    player_step(player, -1);
    fill();
    ck_assert_int_eq(model.ledger.when, LEDGER_THEN);
    ck_assert_uint_gt(model.ledger_serial, serial); /* it is judged anew */
}

/* A recording some of whose frames have tables of their own: bit i of `with` says it of frame i. */
static void record_some_tables(uint32_t frames, uint32_t with) {
    Recorded *s = recorded_new();
    RecFile file;
    FrameWriter *f;
    fd = record_memfd();
    start = record_clock;
    ck_assert_int_eq(recfile_begin(&file, fd, 0), LMP_OK);
    ck_assert_int_eq(framewriter_open(&f, (RecSink){recfile_put, &file}), LMP_OK);
    ck_assert_int_eq(framewriter_begin(f, &s->view, NULL, NULL), LMP_OK);
    uint32_t function = fake_function(s->tables, LMP_F_MAIN, "@leak.lua", 0, "main chunk");
    FakeSpot leak = {fake_site(s->tables, function, 7, 0), 0, LMP_C_TABLE, 0};
    for (int i = 0; i < 14; i++) { /* of which sentences say what part of the heap it holds */
        record_clock += SECOND;
        fake_made(s->tables, leak, 100, 4000000);
        fake_grown(s->tables, record_clock - start);
    }
    for (uint32_t i = 0; i < frames; i++) {
        for (int n = 0; n < 20; n++)
            recorded_change(s);
        record_clock += SECOND / 5;
        LmpLive *live = s->tables->live; /* a figure of the frame, not of tables */
        live->gc.ring[live->gc.cycles++ % LMP_GC_RING] =
            (LmpGcCycle){.freed_bytes = (i + 1) * live->counters.live_bytes / 8,
                         .live_bytes = live->counters.live_bytes};
        framewriter_take(f, &s->view, false);
        RecPart part = {.clock = record_clock - start,
                        .live_bytes = s->view.live->counters.live_bytes,
                        .flags = with >> i & 1 ? LMP_FRAME_TABLES : 0};
        know(&known[i], s, with >> i & 1);
        known[i].clock = part.clock;
        ck_assert_int_eq(framewriter_put(f, &s->view, &part, with >> i & 1), LMP_OK);
    }
    ck_assert_int_eq(framewriter_end(f, record_clock - start, 0, 0), LMP_OK);
    ck_assert_int_eq(recfile_end(&file), LMP_OK);
    framewriter_close(f);
    recfile_free(&file);
    recorded_free(s);
    ck_assert_int_eq(recording_open_fd(&recording, fd), LMP_OK);
    player = player_new(recording);
}

/* Where a frame has no tables, those of another one are shown, and of which moment they are is
 * known: before the first ones these, never what was shown before. */
TEST(tables_of_another_moment_are_known_for_it) {
    enum { WITH = 1 << 2 | 1 << 5 };
    record_some_tables(8, WITH);
    for (int n = 0; n < 60; n++) {
        uint32_t i = n < 2 ? 7 * (uint32_t)n : (uint32_t)suite_below(8), t = i < 5 ? 2 : 5;
        player_go(player, known[i].clock);
        fill();
        ck_assert_uint_eq(model.stats.live_bytes, known[i].live);
        ck_assert_uint_eq(model.tables_clock, known[t].clock);
        ck_assert(same(&model.ledger.all, &known[t].all));
        for (uint32_t k = 0; k < model.ledger.sites; k++)
            ck_assert(same(&model.ledger.site[k].tally, &known[t].site[model.ledger.site[k].id]));
        /* sentences on lines are of the lines' moment */
        static Verdicts expected;
        LmpStats stats = model.stats;
        ledger_totals(&model.ledger, &stats);
        ck_assert_uint_eq(stats.live_bytes, known[t].live);
        const VerdictInput input = {&stats,
                                    &model.gc,
                                    &model.history,
                                    &model.ledger,
                                    &recording_view(recording)->tables,
                                    model.rss,
                                    model.own_bytes};
        verdicts_make(&input, &expected);
        ck_assert_uint_eq(model.verdicts.count, expected.count);
        for (uint32_t k = 0; k < expected.count; k++) {
            const Verdict *is = &model.verdicts.verdict[k], *wanted = &expected.verdict[k];
            ck_assert_str_eq(is->text, wanted->text);
            ck_assert(is->score == wanted->score);
            for (uint32_t v = 0; v < VERDICT_FIGURES; v++)
                ck_assert(is->figure[v].value == wanted->figure[v].value);
        }
    }
    player_no_range(player);
    player_go(player, 0); /* a range that begins before the first: all was made in it */
    player_range(player);
    player_go(player, known[7].clock);
    fill();
    ck_assert(model.ledger_marked);
}

/* The tables of a range are the difference of two frames' tables, whichever is chosen first, open
 * or ended, wherever the playhead is then. */
TEST(ranges_are_differences) {
    record_run(true);
    for (int n = 0; n < 300; n++) {
        uint32_t from = (uint32_t)suite_below(FRAMES), to = (uint32_t)suite_below(FRAMES);
        player_no_range(player);
        player_go(player, known[from].clock);
        if (suite_below(2)) fill();
        player_range(player);
        if (suite_below(2)) fill();
        player_go(player, known[to].clock);
        uint32_t first = from < to ? from : to, last = from < to ? to : from;
        if (suite_below(2)) {
            player_range(player);
            if (suite_below(2)) fill();
            player_go(player, known[suite_below(FRAMES)].clock);
        }
        fill();
        PlayerState state = player_state(player);
        ck_assert(state.range);
        ck_assert_uint_eq(state.from, recording_frame(recording, first).clock);
        ck_assert_uint_eq(state.to, recording_frame(recording, last).clock);
        check_tables(last, &known[tables_of(first)]);
        ck_assert_int_eq(model.since_mark.total_bytes,
                         (int64_t)(known[last].live - known[first].live));
        ck_assert_int_eq(model.since_mark.total_allocs,
                         (int64_t)(known[last].mallocs - known[first].mallocs));
        ck_assert_uint_eq(model.stats.live_bytes, known[state.frame].live);
    }
}

/* Both ends at once, as a drag of the mouse gives them. */
TEST(a_span_is_a_range) {
    record_run(true);
    uint64_t from = recording_frame(recording, 3).clock;
    uint64_t to = recording_frame(recording, FRAMES - 2).clock;
    player_range(player); /* another one, which is open */
    ck_assert(player_span(player, from, to));
    PlayerState state = player_state(player);
    ck_assert(state.range && !state.open);
    ck_assert_uint_eq(state.from, from);
    ck_assert_uint_eq(state.to, to);
    ck_assert_uint_eq(state.clock, state.to);
    fill();
    check_tables(FRAMES - 2, &known[tables_of(3)]);
}

/* Without a range tables count from the mark that the person has chosen, else from the last one. */
TEST(marks_are_counted_from) {
    record_run(true);
    for (int n = 0; n < 100; n++) {
        player_go(player, known[suite_below(FRAMES)].clock);
        uint32_t i = player_state(player).frame;
        fill();
        if (known[i].marks == 0) {
            check_tables(i, NULL);
            continue;
        }
        uint32_t from = 0;
        while (known[from].marks < known[i].marks)
            from++;
        check_tables(i, &known[tables_of(from)]);
    }
}

/* After a jump there are rates as there were when it was live. */
TEST(rates_come_from_frames) {
    record_run(false);
    uint32_t n = 0;
    for (uint32_t i = FRAMES - 1; i > 5; i--) {
        player_go(player, known[i].clock);
        fill();
        uint32_t before = recording_at(recording, known[i].clock - SECOND);
        double seconds = (double)(known[i].clock - known[before].clock) / 1e9;
        double rate = (double)(known[i].mallocs - known[before].mallocs) / seconds;
        ck_assert_double_eq_tol(model.allocs_per_s, rate, 1 + rate / 1000);
        n += model.ledger.since > 0;
    }
    ck_assert_uint_gt(n, FRAMES / 2); /* tables have them, too */
}

TEST(the_playhead_moves) {
    record_run(true);
    player_go(player, 0);
    ck_assert_uint_eq(player_state(player).frame, 0);
    for (uint32_t i = 1; i < FRAMES; i++) { /* however little is asked for, one frame */
        player_move(player, 1);
        ck_assert_uint_eq(player_state(player).frame, i);
    }
    player_move(player, 1);
    ck_assert_uint_eq(player_state(player).frame, FRAMES - 1);
    player_move(player, -(int64_t)(known[FRAMES - 1].clock - known[30].clock));
    ck_assert_uint_eq(player_state(player).frame, 30);
    player_move(player, INT64_MIN);
    ck_assert_uint_eq(player_state(player).frame, 0);
    int64_t part = (int64_t)(known[FRAMES - 1].clock / 7 + 3); /* frames are in between */
    player_move(player, part);
    uint64_t once = player_state(player).clock;
    player_move(player, part);
    player_move(player, -part);
    ck_assert_uint_eq(player_state(player).clock, once);
    player_move(player, INT64_MAX);
    player_step(player, 5);
    ck_assert_uint_eq(player_state(player).frame, FRAMES - 1);
    player_step(player, -1);
    ck_assert_uint_eq(player_state(player).frame, FRAMES - 2);
    player_step(player, -2 * FRAMES);
    ck_assert_uint_eq(player_state(player).frame, 0);
    uint32_t marks = 0;
    while (player_jump(player, 1, LMP_FRAME_MARK)) {
        uint32_t i = player_state(player).frame;
        ck_assert_uint_gt(known[i].marks, known[i - 1].marks);
        marks++;
    }
    while (player_jump(player, -1, LMP_FRAME_MARK))
        marks--;
    ck_assert_uint_le(marks, 1); /* the first may be at the very beginning */
}

TEST(it_plays) {
    record_run(false);
    uint64_t now = 77 * SECOND, end = known[FRAMES - 1].clock;
    for (unsigned speed = 0; speed < PLAYER_SPEEDS; speed++) {
        player_go(player, 0);
        uint64_t first = player_state(player).clock;
        player_play(player, true, now);
        ck_assert_uint_eq(player_state(player).speed, player_speeds[speed]);
        uint64_t began = now;
        while (player_state(player).playing) {
            uint64_t due = player_due(player, now);
            now += due < SECOND / 2 ? due + 1 : SECOND / 2;
            player_tick(player, now);
            PlayerState state = player_state(player);
            ck_assert_uint_eq(state.frame, recording_at(recording, state.clock));
        }
        uint64_t took = (now - began) * player_speeds[speed];
        ck_assert_uint_ge(took + SECOND, end - first);
        ck_assert_uint_le(took, end - first + 60 * SECOND);
        ck_assert_uint_eq(player_due(player, now), UINT64_MAX);
        player_faster(player);
    }
    player_play(player, true, now); /* at the end: from the beginning */
    ck_assert_uint_eq(player_state(player).frame, 0);
    player_tick(player, now + 3600 * SECOND); /* asleep: nobody has seen that time pass */
    ck_assert_uint_le(player_state(player).clock, known[0].clock + SECOND);
    player_play(player, false, now);
    ck_assert(!player_tick(player, now + SECOND));
}

TEST(words_are_found) {
    record_run(false);
    player_go(player, 0);
    for (uint32_t i = 1; i < FRAMES; i += 7) {
        char text[32];
        snprintf(text, sizeof text, "FRAME %u.", i);
        ck_assert(player_find(player, text));
        /* its line began with the "step " of the frame before */
        ck_assert_uint_le(player_state(player).frame, i);
        ck_assert_uint_ge(player_state(player).frame, i - 1);
    }
    ck_assert(player_find(player, "frame 0.")); /* after the last one the first */
    for (uint32_t i = 0; i + 2 < FRAMES; i++) { /* again and again: the next, then the first */
        uint32_t was = player_state(player).frame;
        ck_assert(player_find(player, "step frame"));
        ck_assert_uint_gt(player_state(player).frame + (i == 0), was);
    }
    ck_assert(!player_find(player, "never printed"));
    ck_assert(!player_find(player, ""));
    ck_assert(player_find(player, "peak"));
    uint64_t peak = recording_frame(recording, player_state(player).frame).live_bytes;
    for (uint32_t i = 0; i < FRAMES; i++)
        ck_assert_uint_le(recording_frame(recording, i).live_bytes, peak);
    ck_assert(player_find(player, "end"));
    ck_assert_uint_eq(player_state(player).frame, FRAMES - 1);
    ck_assert(player_find(player, "-10s"));
    ck_assert_uint_lt(player_state(player).frame, FRAMES - 1);
}

/* A copy of the recording that is torn somewhere, or has rubbish in it. */
static int damaged(bool whole) {
    off_t size = lseek(fd, 0, SEEK_END);
    char *bytes = malloc((size_t)size);
    ck_assert_int_eq(pread(fd, bytes, (size_t)size, 0), size);
    int other = record_memfd();
    off_t cut = whole ? size : (off_t)suite_below((uint64_t)size);
    ck_assert_int_eq(pwrite(other, bytes, (size_t)cut, 0), cut);
    for (int k = 0; whole && k < 20; k++) {
        char rubbish = (char)suite_random();
        ck_assert_int_eq(pwrite(other, &rubbish, 1, (off_t)suite_below((uint64_t)size)), 1);
    }
    free(bytes);
    return other;
}

static void check_damaged_marks(void) {
    for (int n = 0; n < 60; n++) {
        RecordedMark *mark;
        uint32_t marks;
        LmpRecording *r;
        OWN(close_at) int other = damaged(n % 2);
        if (recording_open_fd(&r, other) == LMP_OK) {
            if (recording_marks(r, &mark, &marks)) ck_assert(!mark && !marks);
            ck_assert_uint_le(marks, LMP_RECORDED_MARKS);
            for (uint32_t i = 1; i < marks; i++)
                ck_assert_uint_gt(mark[i].number, mark[i - 1].number);
            free(mark);
            recording_close(r);
        }
    }
}

/* More marks than a frame knows: each is found by its number and by its name, as reports do it. */
TEST(all_marks_are_found) {
    enum { MOST = 400 };
    static uint64_t at[MOST + 1];
    uint32_t marks = 0;
    LmpMoment moment;
    char problem[MOMENT_PROBLEM], text[32];
    Recorded *s = recorded_new();
    LmpRecorder *r = record_begin(s);
    while (marks < MOST) {
        uint64_t come = suite_below(10) ? suite_below(4) : suite_below(LMP_MARKS);
        for (; come > 0 && marks < MOST; come--) {
            LmpLive *live = s->tables->live;
            fake_mark(s->tables);
            LmpMark *mark = &live->mark[marks % LMP_MARKS];
            snprintf(mark->name, sizeof mark->name, "job %u", ++marks);
            mark->clock = at[marks] = record_clock - start;
            record_clock += SECOND / 100;
        }
        ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        record_clock += SECOND;
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    recorded_free(s);
    ck_assert_int_eq(recording_open_fd(&recording, fd), LMP_OK);
    player = player_new(recording);
    for (uint32_t i = 1; i <= marks; i++) {
        for (int named = 0; named < 2; named++) {
            snprintf(text, sizeof text, named ? "job %u" : "mark %u", i);
            ck_assert_msg(moment_find(recording, text, &moment, problem), "%s: %s", text, problem);
            ck_assert_uint_ge(recording_frame(recording, moment.frame).clock, at[i]);
            ck_assert(moment.frame == 0 ||
                      recording_frame(recording, moment.frame - 1).clock < at[i]);
            ck_assert_msg(player_find(player, text), "%s", text);
            ck_assert_uint_eq(player_state(player).frame, moment.frame);
        }
        fill();
        ck_assert_uint_eq(model.clock, recording_frame(recording, moment.frame).clock);
    }
    ck_assert(player_find(player, "mark") && moment_find(recording, "mark", &moment, problem));
    ck_assert_uint_eq(player_state(player).frame, moment.frame);
    ck_assert(!moment_find(recording, "mark 401", &moment, problem));
    ck_assert(!player_find(player, "mark 401"));
    check_damaged_marks();
}

/* Of rubbish, and of every torn end, the display shows what there is, or nothing. */
TEST(damage_is_borne) {
    record_run(true);
    for (int n = 0; n < 60; n++) {
        OWN(close_at) int other = damaged(n % 2);
        LmpRecording *r;
        if (recording_open_fd(&r, other) == LMP_OK) {
            Player *p = recording_frames(r) ? player_new(r) : NULL;
            static Model m;
            for (int k = 0; p && k < 20; k++) {
                player_go(p, suite_below(200 * SECOND));
                if (suite_below(3) == 0) player_range(p);
                player_fill(p, &m, LEDGER_ALL);
                player_find(p, "frame 7");
            }
            ledger_free(&m.ledger);
            memset(&m, 0, sizeof m);
            player_free(p);
            recording_close(r);
        }
    }
}

/* A recording that is still being written: what came since is there, and the playhead where it was.
 */
TEST(it_grows) {
    Recorded *s = recorded_new();
    LmpRecorder *r = record_begin(s);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 10; i++) {
            recorded_change(s);
            ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
            record_clock += SECOND;
        }
        if (round == 0) {
            ck_assert_int_eq(recording_open_fd(&recording, fd), LMP_OK);
            player = player_new(recording);
            player_go(player, 5 * SECOND);
        } else {
            ck_assert_int_eq(recording_refresh(recording), LMP_OK);
            player_grown(player);
        }
        PlayerState state = player_state(player);
        ck_assert_uint_eq(state.frames, recording_frames(recording));
        ck_assert_uint_eq(state.frames, (unsigned)(round + 1) * 10);
        ck_assert_uint_eq(state.frame, 4); /* at 5 s, less than what looking at the clock takes */
        fill();
        ck_assert_uint_eq(model.clock, state.clock);
        ck_assert_uint_eq(player_whole(player)->clock, state.end);
    }
    recorder_close(r, NULL, 0);
    recorded_free(s);
}

/* What lmp itself took of the program's memory is known at every moment, so that it is not counted
 * as the program's; what the program has noted at its end stands. */
TEST(own_memory_is_known) {
    enum { PAGES = 20, TOUCHED = 5, NOTED = 4711 };
    Recorded *s = recorded_new();
    LmpLive *live = s->tables->live;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *mapped = os_real.map(PAGES * page, -1, 0, true);
    live->memory.ranges = 1;
    live->memory.range[0] = (LmpOwnRange){(uintptr_t)mapped, PAGES * page};
    s->view.pid = (uint32_t)getpid();
    LmpRecorder *r = record_begin(s);
    for (int i = 0; i < TOUCHED; i++, record_clock += 2 * SECOND) {
        mapped[(size_t)i * 2 * page] = 1;
        if (i == TOUCHED - 1) live->resident_own = NOTED;
        ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    bool said = view_memory(&s->view) > 0;
    recorded_free(s);
    os_real.unmap(mapped, PAGES * page);
    ck_assert_int_eq(recording_open_fd(&recording, fd), LMP_OK);
    player = player_new(recording);
    for (uint32_t i = 0; i < TOUCHED && said; i++) {
        player_go(player, recording_frame(recording, i).clock);
        fill();
        ck_assert_uint_eq(model.own_bytes, i == TOUCHED - 1 ? NOTED : (i + 1) * page);
        ck_assert_uint_gt(model.rss, model.outside);
    }
}
