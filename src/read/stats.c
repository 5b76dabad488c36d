/* stats.c - derives the figures a person reads from the counters of a shared state. */
#include "read/stats.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/format.h"
#include "shared/counters.h"

/* ---- the figures ----------------------------------------------------------------------------- */

/* A new one is a field in stats.h, its row here, and its line in stats_derive. */

static const char *const gc_modes[] = {
    [LMP_GC_UNKNOWN] = "unknown",
    [LMP_GC_INCREMENTAL] = "incremental",
    [LMP_GC_GENERATIONAL] = "generational",
};

static const char *const lines_words[] = {
    [LMP_LINES_OFF] = "off",
    [LMP_LINES_EXACT] = "exact",
    [LMP_LINES_APPROXIMATE] = "approximate",
};

/* `...`: what explains it, then what else there is to say. */
#define ROW(key, sort, field, word, ...)                                                           \
    { .name = key, .kind = sort, .at = offsetof(STRUCT, field), .unit = word, .help = __VA_ARGS__ }
#define COUNT(field, text) ROW(#field, LMP_FIG_COUNT, field, "count", text)
#define BYTES(field, text) ROW(#field, LMP_FIG_COUNT, field, "bytes", text)
#define MOMENT(field, text) ROW(#field, LMP_FIG_COUNT, field, "bytes", text, .moment = true)
#define CHANGE(field, text) ROW(#field, LMP_FIG_CHANGE, field, "bytes", text)
#define SECONDS(field, text) ROW(#field, LMP_FIG_SECONDS, field, "seconds", text)
#define FLAG(field, text) ROW(#field, LMP_FIG_FLAG, field, "boolean", text)
#define WORDS(list) .words = list, .word_count = sizeof(list) / sizeof *(list)
#define WHY(key, field, text) ROW(key, LMP_FIG_WHY, field, "string", text, WORDS(stats_why_words))

#define STRUCT LmpStats

const LmpFigure stats_figures[] = {
    COUNT(mallocs, "allocations since start"),
    BYTES(malloc_bytes, NULL),
    COUNT(reallocs, "changes of a block's size; bytes are the sum of new − old, so they may be "
                    "negative"),
    CHANGE(realloc_bytes, NULL),
    COUNT(frees, "blocks freed, at their last size"),
    BYTES(free_bytes, NULL),
    COUNT(failed, "requests that the program's own allocator refused"),
    COUNT(live_blocks, "what is allocated now: `mallocs − frees`, and `malloc_bytes + "
                       "realloc_bytes − free_bytes`"),
    BYTES(live_bytes, NULL),
    MOMENT(peak_bytes, "the most that `live_bytes` ever was"),
    COUNT(before_frees, "blocks from before `start` that were freed since; in no other figure"),
    BYTES(before_free_bytes, NULL),
    COUNT(before_reallocs, "the same for changes of size (new − old)"),
    CHANGE(before_realloc_bytes, NULL),
    COUNT(dropped, "allocations that are in no other figure because the profiler had no memory to "
                   "note them; zero unless memory is short"),
    BYTES(dropped_bytes, NULL),
    COUNT(lines_unproven,
          "requests that no known way explains: they are charged as the debug library has it, "
          "which may be an earlier line. The header then says `exact but for N`"),
    COUNT(owners_unproven, "parts (array parts, stacks, ...) whose owner is not known: they count "
                           "as `other`"),
    COUNT(hidden_regions, "regions of 64 MiB of addresses that are in all figures but on no heap "
                          "map, because the program has closed a descriptor that was lmp's"),
    SECONDS(lines_end_seconds,
            "when the figures by line and the heap map end that others see than the program, since "
            "start: while a snapshot is written, and for good where that was not finished; 0: they "
            "go on"),
    COUNT(other_states, "other Lua states that were made with this one's allocator "
                        "(`lua_getallocf`); counted nowhere"),
    COUNT(mixed_states, "such states that could not be told apart, behind an allocator of their "
                        "own: counted with this one"),
    COUNT(passed_requests, "requests to this allocator in threads that do not run the state; "
                           "counted nowhere"),
    COUNT(clashes, "times that two threads were seen in this Lua state at once, which Lua does not "
                   "allow"),
    COUNT(other_sizes, "blocks that were freed or resized by a caller who said another size than "
                       "they had; they count as what they were asked for"),
    COUNT(gc_cycles, "garbage collections that have ended, and what was freed in them"),
    BYTES(gc_freed_bytes, NULL),
    ROW("gc_mode", LMP_FIG_WORD, gc_mode, "string",
        "how the collector works: `\"incremental\"`, `\"generational\"`; `\"unknown\"` where it "
        "cannot be seen",
        WORDS(gc_modes)),
    SECONDS(seconds, "since start"),
    FLAG(covered, "another allocator was put over the profiler's: it goes on counting, but `lines` "
                  "are `\"approximate\"`"),
    FLAG(partial_map,
         "with `sample`: the heap map lacks blocks, as the heap was too large to enter "
         "all in 50 ms when somebody looked"),
    FLAG(owners_known, "whether owners are told by the call sites in the interpreter that "
                       "request memory; else by rules, and in doubt a part is `other`"),
    ROW("types", LMP_FIG_TYPES, kind, "",
        "a table for each of `string`, `function`, `userdata`, `thread`, `table`, `other`"),
    WHY("lines_why", why, "why lines are approximate, or off though asked for; only then"),
    WHY("stacks_why", stacks_why, "why call paths are not kept, though asked for; only then"),
    WHY("sample_why", sample_why,
        "why every block is accounted for, though samples were asked for; only then"),
    WHY("counts_why", counts_why,
        "why calls, instructions or overrides are not counted, though asked for; only then"),
    COUNT(hook_lost, "how often another debug hook was seen in place of lmp's, and when first, "
                     "since start: `calls` and `instructions` are not all there"),
    SECONDS(hook_lost_seconds, NULL),
    ROW("lines", LMP_FIG_WORD, lines, "string",
        "how it is known who made what: `\"exact\"`; `\"approximate\"`, where a table constructor "
        "may show an earlier line, or more than one request in a thousand is unproven; `\"off\"`",
        WORDS(lines_words)),
    FLAG(stacks, "whether call paths are kept"),
    ROW("sample", LMP_FIG_SIZE, sample, "bytes",
        "between samples on average; `nil`: every block is accounted for"),
    COUNT(folded, "allocations charged to `(others)` because a table was full"),
    COUNT(frames, "frames of the program's own that have ended, see `lmp.frame`; "
                  "bytes and allocations made in all of them, and how long they took together"),
    BYTES(frame_bytes, NULL),
    COUNT(frame_allocs, NULL),
    SECONDS(frame_seconds, NULL),
    BYTES(frame_mean_bytes, "made in one frame: on average; what half of them, and 99 of 100, did "
                            "not exceed (at most an eighth too much); in the last one"),
    MOMENT(frame_median_bytes, NULL),
    MOMENT(frame_p99_bytes, NULL),
    MOMENT(frame_last_bytes, NULL),
    ROW("worst_frames", LMP_FIG_LAPS, worst_frames, "",
        "array of the 16 frames that made most, the most first, see below", .moment = true),
    {0},
};

#undef STRUCT
#define STRUCT LmpKindStats
const LmpFigure kind_figures[] = {
    COUNT(allocs, "by owner: a table's parts are table, upvalues and prototypes function, stacks "
                  "thread, buffers string or userdata"),
    COUNT(live_blocks, NULL),
    BYTES(live_bytes, NULL),
    MOMENT(peak_bytes, "by owner, at the moment of the peak; these sum to the `peak_bytes` of the "
                       "whole"),
    BYTES(made_bytes, "by owner, all that ever were there, growth of blocks included"),
    COUNT(tag_allocs, "by tag: the object itself; all of its parts are `other`"),
    COUNT(tag_live_blocks, NULL),
    BYTES(tag_live_bytes, NULL),
    BYTES(tag_made_bytes, NULL),
    {0},
};

#undef STRUCT
#define STRUCT LmpLapStats
const LmpFigure lap_figures[] = {
    COUNT(number, "which it was, from 1"),
    BYTES(bytes, "made in it, growth of blocks included, and the number of allocations"),
    COUNT(allocs, NULL),
    SECONDS(at,
            "when it began, since start, and how long it took (pauses of the display included)"),
    SECONDS(seconds, NULL),
    COUNT(gc_cycles, "garbage collections that ended in it"),
    ROW("name", LMP_FIG_TEXT, name, "string", "what `lmp.frame` was given; if it was"),
    {0},
};

/* ---- how they come about --------------------------------------------------------------------- */

LmpLines stats_lines(const LmpLive *live) {
    uint32_t lines = live->tables.lines;
    uint64_t unproven = live->tables.unproven, requests = 0;
    LmpClassTotal total[LMP_CLASSES];
    if (lines != LMP_LINES_EXACT) return lines == LMP_LINES_APPROXIMATE ? lines : LMP_LINES_OFF;
    counters_read(&live->counters, total);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        requests += total[cls].allocs + total[cls].reallocs;
    return unproven > requests / 1000 ? LMP_LINES_APPROXIMATE : LMP_LINES_EXACT;
}

const char *const stats_why_words[LMP_WHYS] = {
    [LMP_WHY_NOT] = "",
    [LMP_WHY_REGS] = "table constructors may show an earlier one",
    [LMP_WHY_CHECK] = "the check at start found differences",
    [LMP_WHY_COVERED] = "another allocator was put over lmp's",
    [LMP_WHY_UNPROVEN] = "too many requests come from unknown places",
    [LMP_WHY_MEMORY] = "no memory for tables",
    [LMP_WHY_FRAMES] = "this interpreter keeps calls in an unknown way",
    [LMP_WHY_ENTRY] = "not possible on this processor",
    [LMP_WHY_LINES] = "lines are not exact",
};

LmpWhy stats_why(const LmpLive *live) {
    LmpLines lines = stats_lines(live);
    if (lines == LMP_LINES_OFF && live->tables.why == LMP_WHY_MEMORY) return LMP_WHY_MEMORY;
    if (lines != LMP_LINES_APPROXIMATE) return LMP_WHY_NOT;
    if (live->strange.covered) return LMP_WHY_COVERED;
    if (live->tables.lines == LMP_LINES_EXACT) return LMP_WHY_UNPROVEN;
    return live->tables.why == LMP_WHY_CHECK ? LMP_WHY_CHECK : LMP_WHY_REGS;
}

/* Returns why an option is not there. */
static uint32_t why_not(uint32_t why, bool is_there) {
    return is_there || why >= LMP_WHYS ? LMP_WHY_NOT : why;
}

/* Nanoseconds that a reader can turn into seconds and back. */
#define LATEST (1ull << 62)

static void derive_lap(const LmpLap *lap, LmpLapStats *out) {
    out->number = lap->number;
    out->bytes = lap->bytes;
    out->allocs = lap->allocs;
    out->gc_cycles = lap->cycles;
    out->at = (double)(lap->start < LATEST ? lap->start : LATEST) / 1e9;
    uint64_t took = lap->end > lap->start ? lap->end - lap->start : 0;
    out->seconds = (double)(took < LATEST ? took : LATEST) / 1e9;
    memcpy(out->name, lap->name, sizeof out->name);
    out->name[sizeof out->name - 1] = 0;
}

/* Returns true if a comes before b: it made more, or as much earlier. */
static bool is_worse(const LmpLap *a, const LmpLap *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->number < b->number;
}

static void derive_worst(LmpLaps *laps, LmpLapList *out) {
    for (uint32_t i = 1; i < LMP_LAPS_WORST; i++) {
        LmpLap lap = laps->worst[i];
        uint32_t at = i;
        for (; at > 0 && is_worse(&lap, &laps->worst[at - 1]); at--)
            laps->worst[at] = laps->worst[at - 1];
        laps->worst[at] = lap;
    }
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++) {
        const LmpLap *lap = &laps->worst[i];
        if (lap->bytes > 0 && lap->number > 0) derive_lap(lap, &out->row[out->count++]);
    }
}

static void derive_laps(const LmpLaps *shared, LmpStats *out) {
    LmpLaps laps;
    laps_copy(shared, &laps);
    if (laps.laps == 0) return;
    out->frames = laps.laps;
    out->frame_bytes = laps.bytes;
    out->frame_allocs = laps.allocs;
    out->frame_seconds = (double)laps.duration / 1e9;
    out->frame_mean_bytes = laps.bytes / laps.laps;
    out->frame_median_bytes = laps_percentile(&laps, 50);
    out->frame_p99_bytes = laps_percentile(&laps, 99);
    out->frame_last_bytes = laps.last_bytes;
    derive_worst(&laps, &out->worst_frames);
}

/* What is usual is what half of them do not exceed. Too few are those of a second of a game; what
 * its collector hardly notices is no spike. */
enum { LAPS_LEAST = 60, SPIKE_LEAST = 256 << 10, SPIKE_TIMES = 8 };

uint32_t stats_spikes(const LmpStats *s) {
    const LmpLapList *list = &s->worst_frames;
    uint32_t n = 0;
    if (s->frames < LAPS_LEAST) return 0;
    uint64_t worst = list->row[0].bytes, least = worst / 2;
    if (worst < SPIKE_LEAST || worst / SPIKE_TIMES < s->frame_median_bytes) return 0;
    while (n < list->count && list->row[n].bytes >= least)
        n++;
    return n;
}

const char *stats_counts_lost(char out[STATS_LOST], const LmpStats *s) {
    static const char *const what[] = {"", "calls", "instructions", "calls and instructions"};
    char when[LMP_NUM];
    unsigned by_hook =
        (s->counts & LMP_COUNTS_CALLS ? 1u : 0) | (s->counts & LMP_COUNTS_INSTRUCTIONS ? 2u : 0);
    out[0] = 0;
    if (by_hook && s->hook_lost > 0)
        snprintf(out, STATS_LOST,
                 "%s are not all there: another debug hook stood in place of lmp's "
                 "after %s",
                 what[by_hook], format_span(when, (uint64_t)(s->hook_lost_seconds * 1e9)));
    return out;
}

void stats_set_totals(LmpStats *out, const LmpClassTotal total[LMP_CLASSES]) {
    out->mallocs = out->malloc_bytes = out->reallocs = out->frees = out->free_bytes = 0;
    out->live_blocks = out->live_bytes = 0;
    out->realloc_bytes = 0;
    for (unsigned k = 0; k < LMP_KINDS; k++)
        out->kind[k] = (LmpKindStats){.peak_bytes = out->kind[k].peak_bytes};
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        const LmpClassTotal *t = &total[cls];
        out->mallocs += t->allocs;
        out->malloc_bytes += t->alloc_bytes;
        out->reallocs += t->reallocs;
        out->realloc_bytes = (int64_t)((uint64_t)out->realloc_bytes + (uint64_t)t->realloc_bytes);
        out->frees += t->frees;
        out->free_bytes += t->free_bytes;
        out->live_blocks += t->live_blocks;
        out->live_bytes += t->live_bytes;

        LmpKindStats *owner = &out->kind[class_owner(cls)], *tag = &out->kind[class_tag(cls)];
        owner->allocs += t->allocs;
        owner->live_blocks += t->live_blocks;
        owner->live_bytes += t->live_bytes;
        owner->made_bytes += t->live_bytes + t->free_bytes;
        tag->tag_allocs += t->allocs;
        tag->tag_live_blocks += t->live_blocks;
        tag->tag_live_bytes += t->live_bytes;
        tag->tag_made_bytes += t->live_bytes + t->free_bytes;
    }
    /* A peak is only noted before live bytes fall. */
    if (out->live_bytes < out->peak_bytes) return;
    out->peak_bytes = out->live_bytes;
    for (unsigned k = 0; k < LMP_KINDS; k++)
        out->kind[k].peak_bytes = out->kind[k].live_bytes;
}

void stats_derive(const LmpLive *live, uint64_t clock, LmpStats *out) {
    const LmpCounters *c = &live->counters;
    LmpClassTotal total[LMP_CLASSES];
    counters_read(c, total);
    memset(out, 0, sizeof *out);
    out->peak_bytes = counters_noted_peak(c);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        out->kind[class_owner(cls)].peak_bytes += c->class_peak[cls];
    stats_set_totals(out, total);
    out->failed = c->failed;
    out->before_frees = c->before_frees;
    out->before_free_bytes = c->before_free_bytes;
    out->before_reallocs = c->before_reallocs;
    out->before_realloc_bytes = c->before_realloc_bytes;
    out->dropped = c->dropped;
    out->dropped_bytes = c->dropped_bytes;
    out->hidden_regions = live->hidden_leaves;
    out->lines_end_seconds = (double)(live->lines_end < LATEST ? live->lines_end : LATEST) / 1e9;
    out->gc_cycles = live->gc.cycles;
    out->gc_freed_bytes = live->gc.freed_bytes;
    out->gc_mode = live->gc.mode;
    out->lines = stats_lines(live);
    out->lines_unproven = live->tables.lines == LMP_LINES_OFF ? 0 : live->tables.unproven;
    out->why = stats_why(live);
    out->owners_unproven = live->owners_unproven;
    out->stacks = live->tables.stacks != 0;
    out->sample = live->tables.sample;
    out->stacks_why = why_not(live->tables.stacks_why, out->stacks);
    out->sample_why = why_not(live->tables.sample_why, out->sample > 0);
    out->counts = live->tables.counts & LMP_COUNTS_ALL;
    out->counts_why = why_not(live->tables.counts_why, out->counts == LMP_COUNTS_ALL);
    bool by_hook = out->counts & (LMP_COUNTS_CALLS | LMP_COUNTS_INSTRUCTIONS);
    out->hook_lost = by_hook ? live->tables.hook_lost : 0;
    out->hook_lost_seconds = out->hook_lost > 0 ? (double)live->tables.hook_lost_clock / 1e9 : 0;
    out->other_states = live->strange.apart;
    out->mixed_states = live->strange.mixed;
    out->passed_requests = live->strange.passed;
    out->clashes = live->strange.clashes;
    out->other_sizes = live->strange.other_sizes;
    out->covered = live->strange.covered != 0;
    out->partial_map = live->strange.partial != 0;
    out->owners_known = live->owners_known == 1;
    out->folded = live->tables.folded;
    out->seconds = (double)clock / 1e9;
    derive_laps(&live->laps, out);
}

/* ---- ranges of time -------------------------------------------------------------------------- */

static void subtract(void *now, const void *then, const LmpFigure *list) {
    for (const LmpFigure *f = list; f->name; f++) {
        uint64_t n = 0, before;
        if (f->kind != LMP_FIG_COUNT && f->kind != LMP_FIG_CHANGE) continue;
        memcpy(&before, (const char *)then + f->at, sizeof before);
        if (!f->moment) n = figure_number(f, now) - before;
        memcpy((char *)now + f->at, &n, sizeof n);
    }
}

void stats_between(LmpStats *now, const LmpStats *then) {
    subtract(now, then, stats_figures);
    for (unsigned k = 0; k < LMP_KINDS; k++)
        subtract(&now->kind[k], &then->kind[k], kind_figures);
    now->frame_seconds -= then->frame_seconds;
    now->frame_mean_bytes = now->frames ? now->frame_bytes / now->frames : 0;
    now->worst_frames.count = 0;
}

/* ---- a snapshot ------------------------------------------------------------------------------ */

/* "0.4 ms", "12 ms", "1.2 s" */
static char *time_words(char *out, uint64_t ns) {
    double ms = (double)ns / 1e6;
    if (ms < 10)
        snprintf(out, LMP_NUM, "%.1f ms", ms);
    else if (ms < 1000)
        snprintf(out, LMP_NUM, "%.0f ms", ms);
    else
        snprintf(out, LMP_NUM, "%.1f s", ms / 1e3);
    return out;
}

char *stats_snapshot(char *out, size_t size, const LmpSnapshotLive *s) {
    char file[2 * sizeof s->file], why[2 * sizeof s->why_in_place], objects[LMP_NUM], stop[LMP_NUM],
        slowest[LMP_NUM], tail[2 * sizeof s->why_in_place + 64] = "";
    format_text(file, sizeof file, s->file, 0);
    if (s->state == LMP_SNAPSHOT_FAILED) {
        const char *system = s->os_error ? err_of_file(s->os_error) : "";
        snprintf(out, size, "no snapshot: %s%s%s%s%s", s->error == LMP_E_FILE ? file : "",
                 s->error == LMP_E_FILE ? ": " : "", err_message((LmpErr)s->error),
                 *system ? ": " : "", system);
        return out;
    }
    if (s->slowest)
        snprintf(tail, sizeof tail, ", slowest operation %s", time_words(slowest, s->slowest));
    if (!s->forked && s->why_in_place[0])
        snprintf(tail, sizeof tail, " (in place: %s)",
                 format_text(why, sizeof why, s->why_in_place, 0));
    bool itself = s->how == LMP_SNAPSHOT_ITSELF;
    snprintf(out, size, "snapshot %u: %s objects, stood %s%s%s%s", s->number,
             format_count(objects, s->objects), time_words(stop, s->stop), tail,
             itself ? ", taken by itself for the note" : ": ", itself ? "" : file);
    return out;
}
