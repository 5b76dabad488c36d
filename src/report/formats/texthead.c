/* texthead.c - the program, how it ended, then a line for each thing that a reader must know:
 * damage, range, sampling, what was not counted. */
#include "base/format.h"
#include "report/formats/formats_impl.h"
#include "report/text.h"

static void put_range(const LmpReport *r, FILE *out) {
    char from[LMP_NUM], to[LMP_NUM];
    if (r->from > 0)
        fprintf(out, "  what happened from %s to %s; live: what is more than before\n",
                text_moment(from, r->from), text_moment(to, r->until));
}

void texthead_put(const LmpReport *r, FILE *out, const char *title, ReportValue value) {
    char name[1024], lua[40], ending[48], clock[LMP_NUM], total[LMP_NUM + 4], sampled[200];
    char lost[STATS_LOST];
    fprintf(out, "%s of %s (%s, pid %u), %s after %s\n", title,
            format_text(name, sizeof name, r->program, 0), format_text(lua, sizeof lua, r->lua, 0),
            r->pid, format_text(ending, sizeof ending, r->ending, 0),
            format_clock(clock, (uint64_t)(r->stats.seconds * 1e9)));
    if (r->damage) fprintf(out, "  damaged: %s\n", r->damage);
    if (*r->moment.said) fprintf(out, "  of %s\n", r->moment.said);
    put_range(r, out);
    if (*value_sampled(sampled, sizeof sampled, r, value))
        fprintf(out, "  %s\n", sampled);
    else
        fprintf(out, "  %s: %s in all\n", report_values[value].name,
                texthead_number(total, value_of(&r->ledger.all, value), value));
    if (*stats_counts_lost(lost, &r->stats)) fprintf(out, "  %s\n", lost);
    if (r->stats.counts_why)
        fprintf(out, "  not all that was asked for is counted: %s\n",
                stats_why_words[r->stats.counts_why]);
    if (!r->ledger.stacks) fputs("  call paths were not kept (lmp run --stacks keeps them)\n", out);
    fputc('\n', out);
}

const char *texthead_number(char *out, uint64_t n, ReportValue value) {
    char count[LMP_NUM];
    bool bytes = value < VALUES && report_values[value].unit == REPORT_BYTES;
    snprintf(out, LMP_NUM + 4, "%s%s", format_count(count, n), bytes ? " B" : "");
    return out;
}

const char *texthead_share(char *out, uint64_t part, uint64_t whole) {
    double share = whole > 0 ? (double)part * 1000 / (double)whole + 0.5 : 0;
    unsigned n = share < 9999 ? (unsigned)share : 9999;
    snprintf(out, 16, "%u.%u", n / 10, n % 10);
    return out;
}
