/* report_frames.c - frames of the program's own, for people: what they make, and the worst of them.
 * At most 80 columns. */
#include "base/format.h"
#include "report/report_impl.h"
#include "report/text.h"

enum { WORST_SHOWN = 5, NAME_MOST = 14 };

/* A rate in at most five characters; below ten with its tenths. */
static const char *rate_text(char *out, double rate) {
    if (rate < 9.95)
        snprintf(out, LMP_NUM, "%.1f", rate);
    else
        format_short(out, rate < 1e18 ? (uint64_t)(rate + 0.5) : (uint64_t)1e18);
    return out;
}

void summary_frames(const LmpReport *r, FILE *out) {
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

void summary_worst_frames(const LmpReport *r, FILE *out) {
    const LmpLapList *worst = &r->stats.worst_frames;
    if (worst->count == 0 || r->top == 0) return;
    fprintf(out, "\n  %11s %10s %12s %7s %6s  %8s\n", "worst frame", "made", "allocations", "took",
            "cycles", "at");
    for (uint32_t i = 0; i < worst->count && i < r->top && i < WORST_SHOWN; i++)
        put_worst(&worst->row[i], out);
}
