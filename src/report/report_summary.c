/* report_summary.c - the figures for people: plain text of at most 80 columns, no colours. The
 * tables of sites and functions are in report_tables.c. */
#include <ctype.h>
#include <string.h>

#include "base/format.h"
#include "report/report_impl.h"
#include "report/text.h"

#define WIDTH 80

/* ---- what it amounts to ---------------------------------------------------------------------- */

enum { SHOWN = 4, OF_ONE_RULE = 2 }; /* sentences */

/* The best, but not the same rule again and again, and what is merely good to know only if there is
 * nothing to fix. */
static bool is_shown(const Verdicts *list, uint32_t at, uint32_t shown) {
    uint32_t alike = 0;
    for (uint32_t i = 0; i < at; i++)
        alike += list->verdict[i].rule == list->verdict[at].rule;
    bool to_do = *list->verdict[at].advice != 0;
    return shown < SHOWN && alike < OF_ONE_RULE && (to_do || shown == 0);
}

/* Words in lines of at most WIDTH columns (characters, rather), each begun with `indent` blanks. */
static void put_wrapped(FILE *out, const char *text, int indent) {
    int used = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        int columns = 0;
        for (size_t i = 0; i < word; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (used > 0 && indent + used + 1 + columns > WIDTH) {
            fputc('\n', out);
            used = 0;
        }
        if (used == 0) fprintf(out, "%*s", indent, "");
        fprintf(out, "%s%.*s", used > 0 ? " " : "", (int)word, text);
        used += columns + (used > 0);
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

static void put_verdicts(const LmpReport *r, FILE *out) {
    const Verdicts *list = &r->verdicts;
    char text[320];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!is_shown(list, i, shown)) continue;
        const Verdict *v = &list->verdict[i];
        if (shown++ == 0) fputc('\n', out);
        verdict_sentence(text, sizeof text, v);
        put_wrapped(out, text, 2);
        if (!*v->advice) continue;
        snprintf(text, sizeof text, "-> %s", v->advice);
        put_wrapped(out, text, 5);
    }
}

/* ---- figures --------------------------------------------------------------------------------- */

static void put_head(const LmpReport *r, FILE *out) {
    char name[1024], lua[40], about[80], ending[48], clock[LMP_NUM];
    int length = snprintf(about, sizeof about, " (%s, pid %u)",
                          format_text(lua, sizeof lua, r->lua, 0), r->pid);
    fputs("Memory of ", out);
    text_put_most(out, format_text(name, sizeof name, r->program, 0),
                  WIDTH - (int)strlen("Memory of ") - length, true);
    fprintf(out, "%s\n", about);
    format_text(ending, sizeof ending, r->ending, 0);
    ending[0] = (char)toupper((unsigned char)ending[0]);
    fprintf(out, "%s after %s\n", ending, format_clock(clock, (uint64_t)(r->stats.seconds * 1e9)));
    if (r->error) fprintf(out, "  %s\n", r->error);
    if (r->damage) fprintf(out, "  Damaged: %s\n", r->damage);
    if (*r->moment.said) fprintf(out, "  Of %s\n", r->moment.said);
    if (r->forked_from)
        fprintf(out, "Forked from pid %u; the %s that it had by then are \"from before start\"\n",
                r->forked_from, format_bytes(clock, r->before));
}

/* One line of the operations; `count` and `sign` are "" where the line has none. */
static void put_line(FILE *out, const char *name, const char *count, const char *what,
                     const char *sign, uint64_t bytes) {
    char digits[LMP_NUM], exact[LMP_NUM + 4], rounded[LMP_NUM];
    snprintf(exact, sizeof exact, "%s%s B", sign, format_count(digits, bytes));
    if (strlen(exact) > 18) exact[0] = '\0'; /* then the rounded size must do */
    fprintf(out, "  %-19s %14s   %-10s %18s %11s\n", name, count, what, exact,
            format_bytes(rounded, bytes));
}

static void put_operations(const LmpReport *r, FILE *out) {
    const LmpStats *s = &r->stats;
    char count[LMP_NUM];
    bool shrunk = s->realloc_bytes < 0;
    uint64_t resized = shrunk ? 0 - (uint64_t)s->realloc_bytes : (uint64_t)s->realloc_bytes;
    fputc('\n', out);
    put_line(out, "Number of mallocs", text_count(count, s->mallocs, 14), "total size", "",
             s->malloc_bytes);
    put_line(out, "Number of reallocs", text_count(count, s->reallocs, 14), "total size",
             shrunk ? "-" : "", resized);
    put_line(out, "Number of frees", text_count(count, s->frees, 14), "total size", "",
             s->free_bytes);
    put_line(out, "Live blocks", text_count(count, s->live_blocks, 14), "total size", "",
             s->live_bytes);
    put_line(out, "Maximum memory used", "", "", "", s->peak_bytes);
}

static void put_type(FILE *out, const char *name, const LmpKindStats *k, uint64_t live_total) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM], e[LMP_NUM];
    fprintf(out, "  %-8s %14s %14s %11s %10s %4u%% %10s\n", name, text_count(a, k->tag_allocs, 14),
            text_count(b, k->allocs, 14), text_count(c, k->live_blocks, 11),
            format_bytes(d, k->live_bytes), text_percent(k->live_bytes, live_total),
            format_bytes(e, k->peak_bytes));
}

static void put_types(const LmpReport *r, FILE *out) {
    const LmpStats *s = &r->stats;
    char a[LMP_NUM];
    LmpKindStats total = {.allocs = s->mallocs,
                          .tag_allocs = s->mallocs,
                          .live_blocks = s->live_blocks,
                          .live_bytes = s->live_bytes,
                          .peak_bytes = s->peak_bytes};
    fprintf(out, "\n  %-8s %14s %14s %11s %10s %5s %10s\n", "Type", "mallocs by tag", "by owner",
            "live blocks", "live", "", "at peak");
    for (unsigned k = 0; k < LMP_KINDS; k++)
        put_type(out, kind_info[k].name, &s->kind[k], s->live_bytes);
    put_type(out, "total", &total, s->live_bytes);
    if (!s->owners_known && !s->covered)
        fputs("  (owners told by rules: this interpreter's own code is not one that lmp knows)\n",
              out);
    else if (s->owners_unproven)
        fprintf(out, "  (owners: of %s parts it is not known whose they are: other)\n",
                text_count(a, s->owners_unproven, 14));
}

static void put_gc(const LmpReport *r, FILE *out) {
    static const char *const mode[] = {
        [LMP_GC_INCREMENTAL] = "incremental",
        [LMP_GC_GENERATIONAL] = "generational",
    };
    const LmpStats *s = &r->stats;
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    fputc('\n', out);
    if (s->gc_mode != LMP_GC_INCREMENTAL && s->gc_mode != LMP_GC_GENERATIONAL) {
        fputs("  Garbage collection   cycles cannot be seen on this interpreter\n", out);
        return;
    }
    char full[64] = "";
    if (s->gc_mode == LMP_GC_GENERATIONAL)
        snprintf(full, sizeof full, " (%s full)", text_count(c, r->gc.full, 10));
    int used = fprintf(out, "  Garbage collection   %s %s%s, freed %s, %s",
                       text_count(a, s->gc_cycles, 15), s->gc_cycles == 1 ? "cycle" : "cycles",
                       full, format_bytes(b, s->gc_freed_bytes), mode[s->gc_mode]);
    if (s->gc_cycles > 0) {
        const LmpGcCycle *last = &r->gc.ring[(s->gc_cycles - 1) % LMP_GC_RING];
        format_span(c, last->end - last->start);
        /* cycles of small heaps are shorter than the interval of clock readings */
        bool told =
            last->end > last->start && used + (int)strlen(", last took ") + (int)strlen(c) <= 80;
        if (told) fprintf(out, ", last took %s", c);
    }
    fputc('\n', out);
}

/* ---- frames ---------------------------------------------------------------------------------- */

enum { WORST_SHOWN = 5, NAME_MOST = 14 }; /* frames of the program's own */

/* Returns a rate in at most five characters; below ten with its tenths. */
static const char *rate_text(char *out, double rate) {
    if (rate < 9.95)
        snprintf(out, LMP_NUM, "%.1f", rate);
    else
        format_short(out, rate < 1e18 ? (uint64_t)(rate + 0.5) : (uint64_t)1e18);
    return out;
}

static void put_laps(const LmpReport *r, FILE *out) {
    const LmpStats *s = &r->stats;
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    if (s->frames == 0) return;
    double rate = s->frame_seconds > 0 ? (double)s->frames / s->frame_seconds : 0;
    fprintf(out, "  Frames               %s, %s/s, each made %s on average\n",
            text_count(a, s->frames, 14), rate_text(b, rate), format_bytes(c, s->frame_mean_bytes));
    if (s->frames > 1)
        fprintf(out, "  %-19s  half at most %s, 99 of 100 at most %s\n", "",
                format_bytes(a, s->frame_median_bytes), format_bytes(b, s->frame_p99_bytes));
}

static void put_worst(const LmpLapStats *lap, FILE *out) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM], e[LMP_NUM], f[LMP_NUM];
    char name[sizeof lap->name * 4];
    fprintf(out, "  %11s %10s %12s %7s %6s  %8s%s", text_count(a, lap->number, 11),
            format_bytes(b, lap->bytes), text_count(c, lap->allocs, 12),
            format_span(d, (uint64_t)(lap->seconds * 1e9)), text_count(e, lap->gc_cycles, 6),
            format_clock(f, (uint64_t)(lap->at * 1e9)), *lap->name ? "  " : "");
    text_put_most(out, format_text(name, sizeof name, lap->name, 0), NAME_MOST, false);
    fputc('\n', out);
}

static void put_worst_laps(const LmpReport *r, FILE *out) {
    const LmpLapList *worst = &r->stats.worst_frames;
    if (worst->count == 0 || r->top == 0) return;
    fprintf(out, "\n  %11s %10s %12s %7s %6s  %8s\n", "worst frame", "made", "allocations", "took",
            "cycles", "at");
    for (uint32_t i = 0; i < worst->count && i < r->top && i < WORST_SHOWN; i++)
        put_worst(&worst->row[i], out);
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* What should be zero, shown only when it is not. */
static void put_exceptions(const LmpReport *r, FILE *out) {
    const LmpStats *s = &r->stats;
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM];
    if (s->lines == LMP_LINES_OFF && s->why)
        fprintf(out, "  No lines             %s\n", stats_why_words[s->why]);
    if (s->stacks_why) fprintf(out, "  No call paths        %s\n", stats_why_words[s->stacks_why]);
    if (s->sample_why)
        fprintf(out, "  Not sampled          %s: all counted\n", stats_why_words[s->sample_why]);
    if (s->counts_why) fprintf(out, "  Not all counted      %s\n", stats_why_words[s->counts_why]);
    if (s->hook_lost)
        fprintf(out, "  %-20s not all there: another debug hook after %s\n",
                s->counts & LMP_COUNTS_CALLS ? "Calls" : "Instructions",
                format_span(a, (uint64_t)(s->hook_lost_seconds * 1e9)));
    if (s->failed)
        fprintf(out, "  Failed requests      %s, refused by the program's own allocator\n",
                text_count(a, s->failed, 14));
    if (s->dropped)
        fprintf(out, "  Not accounted        %s mallocs (%s), no memory for the map\n",
                text_count(a, s->dropped, 11), format_bytes(b, s->dropped_bytes));
    if (s->hidden_regions)
        fprintf(out, "  Heap map             lacks %s x 64 MiB: the program closed lmp's file\n",
                text_count(a, s->hidden_regions, 7));
    if (s->lines_end_seconds > 0)
        fprintf(out, "  Figures by line      as they were after %s: a snapshot was not finished\n",
                format_span(a, (uint64_t)(s->lines_end_seconds * 1e9)));
    if (s->other_states)
        fprintf(out, "  Other Lua states     %s made with the same allocator, counted nowhere\n",
                text_count(a, s->other_states, 11));
    if (s->mixed_states)
        fprintf(out,
                "  Other Lua states     %s behind an allocator of their own: counted in here\n",
                text_count(a, s->mixed_states, 5));
    if (s->passed_requests)
        fprintf(out, "  From other threads   %s requests passed on, counted nowhere\n",
                text_count(a, s->passed_requests, 14));
    if (s->clashes)
        fprintf(out, "  Two threads at once  %s times seen in this Lua state, which Lua forbids\n",
                text_count(a, s->clashes, 14));
    if (s->other_sizes)
        fprintf(out, "  Other sizes          %s %s given back with another size\n",
                text_count(a, s->other_sizes, 14),
                s->other_sizes == 1 ? "block was" : "blocks were");
    if (s->covered)
        fputs("  Allocator covered    by another one: lines and owners are approximate\n", out);
    if (s->before_frees || s->before_reallocs)
        fprintf(out, "  From before start    %s freed (%s), %s resized (%s)\n",
                text_count(a, s->before_frees, 7), format_bytes(b, s->before_free_bytes),
                text_count(c, s->before_reallocs, 7),
                format_delta_bytes(d, s->before_realloc_bytes));
}

/* Returns true if the name can be used in a shell command unquoted. */
static bool is_short_word(const char *program) {
    size_t length = strlen(program);
    return length <= 37 && program[0] != '-' && format_plain_word(program);
}

/* The next step that one would take, each a line to type. */
typedef struct NextStep {
    const char *option, *what;
} NextStep;

static const NextStep next_live = {"--live", "watch it while it runs"};
static const NextStep next_stacks = {"--stacks", "who called these lines"};
static const NextStep next_json = {"--json", "the same for machines"};

static void put_next(const LmpReport *r, FILE *out) {
    const NextStep *steps[3], *const *end = steps;
    size_t count = 0;
    fputc('\n', out);
    if (r->attached) {
        fprintf(out, "  Next:  lmp top %-28u watch it again\n", r->pid);
        return;
    }
    if (!r->watched) steps[count++] = &next_live;
    if (!r->stats.stacks && r->ledger.sites > 0) steps[count++] = &next_stacks;
    steps[count++] = &next_json;
    end += count;
    const char *command = r->again                    ? r->again
                          : is_short_word(r->program) ? r->program
                                                      : "SCRIPT.lua";
    for (const NextStep *const *s = steps; s < end; s++) {
        int width = (int)(strlen((*s)->option) + strlen(command));
        fprintf(out, "  %s  lmp run %s %s%*s  %s\n", s == steps ? "Next:" : "     ", (*s)->option,
                command, width < 26 ? 26 - width : 0, "", (*s)->what);
    }
}

LmpErr report_summary(const LmpReport *report, FILE *out) {
    put_head(report, out);
    if (report->from > 0) {
        report_summary_range(report, out);
        return LMP_OK;
    }
    put_verdicts(report, out);
    put_operations(report, out);
    put_types(report, out);
    put_gc(report, out);
    report_summary_leaks(report, out);
    put_laps(report, out);
    put_exceptions(report, out);
    put_worst_laps(report, out);
    report_summary_tables(report, out);
    put_next(report, out);
    return LMP_OK;
}
