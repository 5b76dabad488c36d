/* rules_frames.c - verdicts on frames of the program's own (laps.h): which of them made far more
 * than is usual. */
#include "base/format.h"
#include "read/verdict/verdict_impl.h"

double frame_spikes_holds(const VerdictFacts *f) {
    const LmpStats *s = f->in->stats;
    if (stats_spikes(s) == 0) return 0;
    uint64_t worst = s->worst_frames.row[0].bytes;
    return verdict_share((double)(worst - s->frame_median_bytes), (double)worst);
}

void frame_spikes_say(const VerdictFacts *f, Verdict *v) {
    const LmpStats *s = f->in->stats;
    const LmpLapStats *worst = &s->worst_frames.row[0];
    uint32_t n = stats_spikes(s);
    char all[LMP_NUM], most[LMP_NUM], number[LMP_NUM], at[LMP_NUM], usual[LMP_NUM];
    verdict_text(v, "%u%s of %s frames made %s%s (frame %s, at %s): half of them make at most %s",
                 n, n == LMP_LAPS_WORST ? " or more" : "", format_count(all, s->frames),
                 n > 1 ? "up to " : "", format_bytes(most, worst->bytes),
                 format_count(number, worst->number), format_clock(at, (uint64_t)(worst->at * 1e9)),
                 format_bytes(usual, s->frame_median_bytes));
    verdict_figure(v, "frames", (double)s->frames);
    verdict_figure(v, "frame", (double)worst->number);
    verdict_figure(v, "bytes", (double)worst->bytes);
    verdict_figure(v, "usual_bytes", (double)s->frame_median_bytes);
    verdict_figure(v, "seconds", worst->at);
}
