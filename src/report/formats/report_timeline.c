/* report_timeline.c - the heap over time: a row for each interval that the program has kept. */
#include "base/kind.h"
#include "report/formats/formats_impl.h"
#include "report/text.h"

uint64_t timeline_end_ms(const LmpReport *report, uint32_t interval) {
    uint64_t end = (interval + 1) * (report->history->interval / 1000) / 1000;
    uint64_t now = report->clock / 1000000;
    return end < now ? end : now;
}

/* Also those that have only an end of the range in them. */
bool timeline_within(const LmpReport *report, uint32_t interval) {
    return (interval + 1) * report->history->interval > report->from;
}

LmpErr report_timeline(const LmpReport *report, FILE *out) {
    const LmpHistory *h = report->history;
    if (!h) return LMP_E_NOMEM;
    fputs(
        "ms,live_bytes,max_live_bytes,min_live_bytes,allocs,alloc_bytes,frees,free_bytes,gc_cycles",
        out);
    for (unsigned k = 0; k < LMP_KINDS; k++)
        fprintf(out, ",%s_bytes", kind_info[k].name);
    fputc('\n', out);
    for (uint32_t i = 0; i < h->used && i < LMP_HISTORY; i++) {
        const LmpHistoryPoint *p = &h->samples[i];
        if (!timeline_within(report, i)) continue;
        text_digits(out, timeline_end_ms(report, i));
        text_csv_number(out, p->last_bytes);
        text_csv_number(out, p->max_bytes);
        text_csv_number(out, p->min_bytes);
        text_csv_number(out, p->allocs);
        text_csv_number(out, p->alloc_bytes);
        text_csv_number(out, p->frees);
        text_csv_number(out, p->free_bytes);
        text_csv_number(out, p->gc_cycles);
        for (unsigned k = 0; k < LMP_KINDS; k++)
            text_csv_number(out, p->kind_bytes[k]);
        fputc('\n', out);
    }
    return LMP_OK;
}
