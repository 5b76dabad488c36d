/* Tests of stats.c: the figures equal those of a naive model that keeps every block; whatever the
 * counters hold, nothing bad happens. */
#include <errno.h>
#include <string.h>

#include "read/ledger/ledger.h"
#include "read/stats.h"
#include "shared/counters.h"
#include "suite.h"

/* The model: blocks in an array, figures by going through all of them. */
typedef struct Block {
    unsigned cls; /* 0: free */
    uint64_t size;
} Block;

#define BLOCKS 300

static LmpLive live;
static Block block[BLOCKS];

/* What the hook does to the counters: mostly one packed word, folded when it is full or at any
 * time; sometimes the full counters. */
static void fold(void) {
    counters_fold(&live.counters, 1 + (uint32_t)suite_below(50));
}

static void count_alloc(unsigned cls, uint64_t size) {
    LmpCounters *c = &live.counters;
    if (cls < LMP_C_COUNTED) c->live_bytes += size;
    if (suite_below(20) == 0) {
        c->count[cls].allocs++;
        c->count[cls].alloc_bytes += size;
    } else if (counters_pack(&c->alloc_now[cls], size)) {
        fold();
    }
}

static void before_less(void) {
    LmpCounters *c = &live.counters;
    if (c->live_bytes > c->peak_bytes) counters_note_peak(c, 0);
}

static void count_free(unsigned cls, uint64_t size) {
    LmpCounters *c = &live.counters;
    before_less();
    c->live_bytes -= size;
    if (suite_below(20) == 0) {
        c->count[cls].frees++;
        c->count[cls].free_bytes += size;
    } else if (counters_pack(&c->free_now[cls], size)) {
        fold();
    }
}

static void count_realloc(unsigned cls, uint64_t old_size, uint64_t new_size) {
    LmpCounters *c = &live.counters;
    if (new_size < old_size) before_less();
    c->live_bytes += new_size - old_size;
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(new_size - old_size);
}

TEST(equals_the_model) {
    fold();
    uint64_t peak = 0, peak_kind[LMP_KINDS] = {0}, mallocs = 0, frees = 0, reallocs = 0;
    int64_t resized = 0;
    uint64_t allocs_tag[LMP_KINDS] = {0}, allocs_owner[LMP_KINDS] = {0};
    for (int round = 0; round < 20000; round++) {
        Block *b = &block[suite_below(BLOCKS)];
        uint64_t size = 1 + suite_below(round % 7 ? 100 : 100000);
        if (b->cls == 0) {
            b->cls = 1 + (unsigned)suite_below(LMP_C_COUNTED - 1);
            b->size = size;
            count_alloc(b->cls, size);
            mallocs++;
            allocs_tag[class_tag(b->cls)]++;
            allocs_owner[class_owner(b->cls)]++;
        } else if (suite_below(3) == 0) {
            count_realloc(b->cls, b->size, size);
            reallocs++;
            resized += (int64_t)(size - b->size);
            b->size = size;
        } else {
            count_free(b->cls, b->size);
            frees++;
            b->cls = 0;
        }
        /* blocks of the profiler's own are in no figure */
        count_alloc(LMP_C_OWN, size);
        if (suite_below(1000) == 0) fold();

        uint64_t bytes = 0, blocks = 0;
        uint64_t owner[LMP_KINDS] = {0}, tag[LMP_KINDS] = {0}, owners[LMP_KINDS] = {0};
        for (int i = 0; i < BLOCKS; i++) {
            if (block[i].cls == 0) continue;
            bytes += block[i].size;
            blocks++;
            owner[class_owner(block[i].cls)] += block[i].size;
            owners[class_owner(block[i].cls)]++;
            tag[class_tag(block[i].cls)] += block[i].size;
        }
        if (bytes > peak) {
            peak = bytes;
            memcpy(peak_kind, owner, sizeof owner);
        }
        LmpStats s;
        stats_derive(&live, 1500000000, &s);
        ck_assert_msg(s.mallocs == mallocs, "round %d", round);
        ck_assert_msg(s.frees == frees, "round %d", round);
        ck_assert_msg(s.reallocs == reallocs, "round %d", round);
        ck_assert_msg(s.realloc_bytes == resized, "round %d", round);
        ck_assert_msg(s.live_blocks == blocks, "round %d", round);
        ck_assert_msg(s.live_bytes == bytes, "round %d", round);
        ck_assert_msg(s.malloc_bytes + (uint64_t)s.realloc_bytes - s.free_bytes == bytes,
                      "round %d", round);
        ck_assert_msg(s.peak_bytes == peak, "round %d", round);
        uint64_t tags = 0, peaks = 0;
        for (unsigned k = 0; k < LMP_KINDS; k++) {
            ck_assert_msg(s.kind[k].allocs == allocs_owner[k], "round %d", round);
            ck_assert_msg(s.kind[k].tag_allocs == allocs_tag[k], "round %d", round);
            ck_assert_msg(s.kind[k].live_blocks == owners[k], "round %d", round);
            ck_assert_msg(s.kind[k].live_bytes == owner[k], "round %d", round);
            ck_assert_msg(s.kind[k].tag_live_bytes == tag[k], "round %d", round);
            if (bytes != peak)
                ck_assert_msg(s.kind[k].peak_bytes == peak_kind[k], "round %d", round);
            tags += s.kind[k].tag_live_bytes;
            peaks += s.kind[k].peak_bytes;
        }
        ck_assert_msg(tags == s.live_bytes, "round %d", round);
        ck_assert_msg(peaks == s.peak_bytes, "round %d", round);
        ck_assert_msg(s.seconds == 1.5, "round %d", round);
    }
}

TEST(copies_the_rest) {
    live.counters.failed = 3;
    live.counters.before_frees = 4;
    live.counters.before_free_bytes = 5;
    live.counters.before_reallocs = 6;
    live.counters.before_realloc_bytes = -7;
    live.counters.dropped = 8;
    live.counters.dropped_bytes = 9;
    live.strange.other_sizes = 12;
    live.gc.cycles = 10;
    live.gc.freed_bytes = 11;
    live.gc.mode = LMP_GC_GENERATIONAL;
    LmpStats s;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.failed, 3);
    ck_assert_uint_eq(s.before_frees, 4);
    ck_assert_uint_eq(s.before_free_bytes, 5);
    ck_assert_uint_eq(s.before_reallocs, 6);
    ck_assert_int_eq(s.before_realloc_bytes, -7);
    ck_assert_uint_eq(s.dropped, 8);
    ck_assert_uint_eq(s.dropped_bytes, 9);
    ck_assert_uint_eq(s.gc_cycles, 10);
    ck_assert_uint_eq(s.gc_freed_bytes, 11);
    ck_assert_uint_eq(s.gc_mode, LMP_GC_GENERATIONAL);
    ck_assert_uint_eq(s.other_sizes, 12);
}

TEST(any_bytes) {
    for (int round = 0; round < 2000; round++) {
        unsigned char *p = (unsigned char *)&live;
        for (size_t i = 0; i + 8 <= offsetof(LmpLive, mark); i += 8) {
            uint64_t word = suite_random();
            memcpy(p + i, &word, sizeof word);
        }
        LmpStats s;
        stats_derive(&live, suite_random(), &s);
    }
}

TEST(frames) {
    memset(&live, 0, sizeof live);
    LmpStats s;
    LmpLap lap;
    LmpLapMoment now = {.clock = 500000000};
    stats_derive(&live, 0, &s);
    ck_assert(s.frames == 0 && s.frame_mean_bytes == 0 && s.worst_frames.count == 0);
    for (uint64_t i = 0; i <= 100; i++) {
        laps_end(&live.laps, &now, i == 7 ? "seven" : NULL, &lap);
        now.clock += 10000000;
        now.allocs += 2;
        now.alloc_bytes += i == 6 ? 5000 : i % 2 ? 0 : 40;
        now.cycles += i == 6;
    }
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.frames, 100);
    ck_assert_uint_eq(s.frame_bytes, 5000 + 49 * 40);
    ck_assert_uint_eq(s.frame_allocs, 200);
    ck_assert(s.frame_seconds > 0.999 && s.frame_seconds < 1.001);
    ck_assert_uint_eq(s.frame_mean_bytes, 69);
    ck_assert_uint_eq(s.frame_median_bytes, 0);
    ck_assert_uint_eq(s.frame_p99_bytes, 43); /* 40 and its neighbours */
    ck_assert_uint_eq(s.frame_last_bytes, 0);
    ck_assert_uint_eq(s.worst_frames.count, LMP_LAPS_WORST);
    const LmpLapStats *worst = s.worst_frames.row;
    ck_assert_uint_eq(worst->number, 7);
    ck_assert_uint_eq(worst->bytes, 5000);
    ck_assert_uint_eq(worst->allocs, 2);
    ck_assert_uint_eq(worst->gc_cycles, 1);
    ck_assert_str_eq(worst->name, "seven");
    ck_assert(worst->at > 0.5599 && worst->at < 0.5601);
    ck_assert(worst->seconds > 0.0099 && worst->seconds < 0.0101);
    ck_assert_uint_eq(worst[1].number, 1); /* of equals the first */
    ck_assert_uint_eq(worst[2].number, 3);
    LmpLap *row = live.laps.worst; /* in whatever order they are kept; and one that ends too soon */
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        row[i] = (LmpLap){.number = (i * 7 + 5) % LMP_LAPS_WORST + 1, .bytes = 100};
    row[3].start = 9000000000;
    row[3].end = 1000000000;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.worst_frames.count, LMP_LAPS_WORST);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++) {
        ck_assert_uint_eq(worst[i].number, i + 1);
        ck_assert(worst[i].seconds == 0 && worst[i].at == (worst[i].number == row[3].number) * 9.0);
    }
}

/* Of a game with 1 KiB a frame: eight times that, 256 KiB, and 60 frames are what it takes. */
TEST(frames_that_stand_out) {
    LmpStats s = {.frames = 60, .frame_median_bytes = 1024};
    ck_assert_uint_eq(stats_spikes(&s), 0);
    for (uint32_t i = 0; i < 3; i++)
        s.worst_frames.row[s.worst_frames.count++].bytes = (512u << 10) - i * (256u << 10) / 2;
    s.worst_frames.row[2].bytes--; /* less than half of the first */
    ck_assert_uint_eq(stats_spikes(&s), 2);
    s.worst_frames.row[2].bytes++;
    ck_assert_uint_eq(stats_spikes(&s), 3);
    s.frames = 59;
    ck_assert_uint_eq(stats_spikes(&s), 0);
    s.frames = 60;
    s.frame_median_bytes = 64u << 10;
    ck_assert_uint_eq(stats_spikes(&s), 3);
    s.frame_median_bytes++;
    ck_assert_uint_eq(stats_spikes(&s), 0);
    s.frame_median_bytes = 0;
    s.worst_frames.row[0].bytes = 256u << 10;
    ck_assert_uint_eq(stats_spikes(&s), 3);
    s.worst_frames.row[0].bytes--;
    ck_assert_uint_eq(stats_spikes(&s), 0);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        s.worst_frames.row[i].bytes = 1u << 20;
    s.worst_frames.count = LMP_LAPS_WORST;
    ck_assert_uint_eq(stats_spikes(&s), LMP_LAPS_WORST);
    s.worst_frames.count = 0;
    ck_assert_uint_eq(stats_spikes(&s), 0);
}

/* Whatever is in them: no row beyond those there are, every text ends, no time before 0. */
TEST(any_frames) {
    for (int round = 0; round < 2000; round++) {
        unsigned char *p = (unsigned char *)&live.laps;
        unsigned shift = (unsigned)suite_below(64);
        for (size_t i = 0; i + 8 <= sizeof live.laps; i += 8) {
            uint64_t word = suite_below(3) ? suite_random() >> shift : 0;
            memcpy(p + i, &word, sizeof word);
        }
        LmpStats s;
        stats_derive(&live, suite_random(), &s);
        ck_assert_uint_le(s.worst_frames.count, LMP_LAPS_WORST);
        for (uint32_t i = 0; i < s.worst_frames.count; i++) {
            const LmpLapStats *lap = &s.worst_frames.row[i];
            ck_assert_uint_lt(strnlen(lap->name, LMP_LAP_NAME), LMP_LAP_NAME);
            ck_assert(lap->at >= 0 && lap->at < 5e9 && lap->seconds >= 0 && lap->seconds < 5e9);
            ck_assert(lap->number > 0 && lap->bytes > 0);
            if (i > 0) ck_assert_uint_le(lap->bytes, lap[-1].bytes);
        }
    }
}

TEST(frees_seen_before_their_mallocs) {
    live.counters.count[LMP_C_STRING].frees = 2;
    live.counters.count[LMP_C_STRING].allocs = 1;
    LmpStats s;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.live_blocks, 0); /* not 2^64 - 1 */
}

/* Exact is a claim about nearly all requests; what is not is counted. */
TEST(how_lines_are_known) {
    memset(&live, 0, sizeof live);
    LmpStats s;
    live.counters.count[LMP_C_TABLE].allocs = 10000;
    ck_assert_int_eq(stats_lines(&live), LMP_LINES_OFF);
    live.tables.unproven = 5; /* of nothing */
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.lines_unproven, 0);
    live.tables.lines = 99; /* damaged */
    ck_assert_int_eq(stats_lines(&live), LMP_LINES_OFF);
    live.tables.lines = LMP_LINES_EXACT;
    live.tables.unproven = 10;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.lines, LMP_LINES_EXACT);
    ck_assert_uint_eq(s.lines_unproven, 10);
    ck_assert_uint_eq(s.why, LMP_WHY_NOT);
    live.tables.why = LMP_WHY_MEMORY; /* damaged: lines are there */
    ck_assert_int_eq(stats_why(&live), LMP_WHY_NOT);
    live.tables.why = LMP_WHY_NOT;
    live.tables.unproven = 11;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.lines, LMP_LINES_APPROXIMATE);
    ck_assert_uint_eq(s.why, LMP_WHY_UNPROVEN);
    live.counters.count[LMP_C_TABLE_PART].reallocs = 1000;
    ck_assert_int_eq(stats_lines(&live), LMP_LINES_EXACT);
    live.tables.lines = LMP_LINES_APPROXIMATE;
    live.tables.why = LMP_WHY_CHECK;
    ck_assert_int_eq(stats_why(&live), LMP_WHY_CHECK);
    live.tables.why = LMP_WHY_REGS;
    ck_assert_int_eq(stats_why(&live), LMP_WHY_REGS);
    live.tables.why = LMP_WHYS; /* damaged: a word is found for it */
    ck_assert_int_eq(stats_why(&live), LMP_WHY_REGS);
    live.strange.covered = 1;
    ck_assert_int_eq(stats_why(&live), LMP_WHY_COVERED);
    for (int why = 0; why < LMP_WHYS; why++)
        ck_assert_int_eq(*stats_why_words[why] != 0, why != LMP_WHY_NOT);
}

/* What was asked for and cannot be had has a reason; what nobody asked for has none. */
TEST(what_cannot_be_had) {
    memset(&live, 0, sizeof live);
    LmpStats s;
    stats_derive(&live, 0, &s);
    ck_assert(s.why == LMP_WHY_NOT && s.stacks_why == LMP_WHY_NOT && s.sample_why == LMP_WHY_NOT);
    live.tables.why = LMP_WHY_MEMORY;
    live.tables.stacks_why = LMP_WHY_FRAMES;
    live.tables.sample_why = LMP_WHY_ENTRY;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.lines, LMP_LINES_OFF);
    ck_assert(s.why == LMP_WHY_MEMORY && s.stacks_why == LMP_WHY_FRAMES);
    ck_assert_uint_eq(s.sample_why, LMP_WHY_ENTRY);
    live.tables.stacks = 1; /* figures that damage each other: what is there was not refused */
    live.tables.sample = 4096;
    stats_derive(&live, 0, &s);
    ck_assert(s.stacks_why == LMP_WHY_NOT && s.sample_why == LMP_WHY_NOT);
    live.tables.stacks = 0;
    live.tables.sample = 0;
    live.tables.stacks_why = live.tables.sample_why = live.tables.why = 0xffff;
    stats_derive(&live, 0, &s);
    ck_assert(s.why < LMP_WHYS && s.stacks_why < LMP_WHYS && s.sample_why < LMP_WHYS);
}

/* Whoever shows figures goes by the lists: each field once, each explained, none without its unit.
 */
TEST(figures_are_listed) {
    int lists = 0, figures = 0;
    for (const LmpFigureList *l = figure_lists; l->name; l++, lists++) {
        ck_assert_ptr_nonnull(l->figures[0].help);
        for (const LmpFigure *f = l->figures; f->name; f++, figures++) {
            ck_assert_msg(f->unit &&
                              (*f->unit || f->kind == LMP_FIG_TYPES || f->kind == LMP_FIG_LAPS),
                          "%s", f->name);
            bool words = f->kind == LMP_FIG_WORD || f->kind == LMP_FIG_WHY;
            ck_assert_msg(words == (f->word_count > 0), "%s", f->name);
            for (const LmpFigure *g = l->figures; g < f; g++)
                ck_assert_msg(strcmp(f->name, g->name) != 0 && f->at != g->at, "%s", f->name);
        }
    }
    ck_assert_int_ge(lists, 5);
    ck_assert_int_ge(figures, 60);
    LmpStats stats = {.gc_mode = 77};
    for (const LmpFigure *f = stats_figures; f->name; f++)
        if (strcmp(f->name, "gc_mode") == 0)
            ck_assert_str_eq(figure_word(f, &stats), "unknown"); /* a damaged state's */
}

/* ---- the last snapshot ----------------------------------------------------------------------- */

TEST(snapshots_in_words) {
    static const struct Row {
        LmpSnapshotLive s;
        const char *words;
    } rows[] = {
        {{.state = LMP_SNAPSHOT_FAILED, .error = LMP_E_FILE, .os_error = ENOSPC, .file = "a.heap"},
         "no snapshot: a.heap: cannot write the file: No space left on device"},
        {{.state = LMP_SNAPSHOT_FAILED, .error = LMP_E_NOMEM, .file = "a.heap"},
         "no snapshot: no memory for the profiler's own state (a resource limit?)"},
        {{.state = LMP_SNAPSHOT_WRITTEN,
          .number = 2,
          .forked = 1,
          .objects = 1200,
          .stop = 2500000,
          .file = "a.heap"},
         "snapshot 2: 1,200 objects, stood 2.5 ms: a.heap"},
        {{.state = LMP_SNAPSHOT_WRITTEN,
          .number = 3,
          .objects = 7,
          .stop = 1500000000,
          .why_in_place = "no memory",
          .file = "b"},
         "snapshot 3: 7 objects, stood 1.5 s (in place: no memory): b"},
        {{.state = LMP_SNAPSHOT_WRITTEN,
          .number = 4,
          .forked = 1,
          .objects = 1,
          .stop = 900000,
          .slowest = 300000,
          .how = LMP_SNAPSHOT_ITSELF,
          .file = "c"},
         "snapshot 4: 1 objects, stood 0.9 ms, slowest operation 0.3 ms, taken by itself for the "
         "note"},
    };
    char line[400];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(stats_snapshot(line, sizeof line, &rows[i].s), rows[i].words);
}
