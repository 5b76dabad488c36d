/* report_json.c - the figures for machines: one JSON object in one line. Its keys are named as in
 * lmp.stats() and stay; new ones may come. */
#include <inttypes.h>

#include "base/format.h"
#include "report/report_impl.h"

void json_string(FILE *out, const char *text) {
    fputc('"', out);
    while (*text) {
        uint32_t c = 0;
        size_t n = format_utf8(text, &c);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) /* a terminal obeys both kinds of controls */
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fwrite(text, 1, n, out);
        text += n ? n : 1;
    }
    fputc('"', out);
}

void json_number(FILE *out, double number) {
    /* not %f: the decimal point is the locale's there */
    uint64_t us = number > 0 && number < 1e12 ? (uint64_t)(number * 1e6 + 0.5) : 0;
    fprintf(out, "%" PRIu64 ".%06u", us / 1000000, (unsigned)(us % 1000000));
}

static const char *const gc_modes[] = {
    [LMP_GC_UNKNOWN] = "unknown",
    [LMP_GC_INCREMENTAL] = "incremental",
    [LMP_GC_GENERATIONAL] = "generational",
};

void report_json(const LmpReport *report, FILE *out) {
    const LmpStats *s = &report->stats;
    fputs("{\"program\":", out);
    json_string(out, report->program);
    fprintf(out, ",\"pid\":%" PRIu32 ",\"lua\":", report->pid);
    json_string(out, report->lua);
    fputs(",\"ending\":", out);
    json_string(out, report->ending);
    if (report->error) {
        fputs(",\"error\":", out);
        json_string(out, report->error);
    }

    /* The signed figures are stored as they are in two's complement. */
    const struct {
        const char *key;
        uint64_t value;
        bool negative_too;
    } figure[] = {
        {"mallocs", s->mallocs, false},
        {"malloc_bytes", s->malloc_bytes, false},
        {"reallocs", s->reallocs, false},
        {"realloc_bytes", (uint64_t)s->realloc_bytes, true},
        {"frees", s->frees, false},
        {"free_bytes", s->free_bytes, false},
        {"failed", s->failed, false},
        {"live_blocks", s->live_blocks, false},
        {"live_bytes", s->live_bytes, false},
        {"peak_bytes", s->peak_bytes, false},
        {"before_frees", s->before_frees, false},
        {"before_free_bytes", s->before_free_bytes, false},
        {"before_reallocs", s->before_reallocs, false},
        {"before_realloc_bytes", (uint64_t)s->before_realloc_bytes, true},
        {"dropped", s->dropped, false},
        {"dropped_bytes", s->dropped_bytes, false},
        {"lines_unproven", s->lines_unproven, false},
        {"owners_unproven", s->owners_unproven, false},
        {"hidden_regions", s->hidden_regions, false},
        {"other_states", s->other_states, false},
        {"mixed_states", s->mixed_states, false},
        {"passed_requests", s->passed_requests, false},
        {"gc_cycles", s->gc_cycles, false},
        {"gc_freed_bytes", s->gc_freed_bytes, false},
    };
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
        if (figure[i].negative_too)
            fprintf(out, ",\"%s\":%" PRId64, figure[i].key, (int64_t)figure[i].value);
        else
            fprintf(out, ",\"%s\":%" PRIu64, figure[i].key, figure[i].value);
    }
    fprintf(out, ",\"gc_mode\":\"%s\",\"seconds\":",
            gc_modes[s->gc_mode <= LMP_GC_GENERATIONAL ? s->gc_mode : 0]);
    json_number(out, s->seconds);
    fprintf(out, ",\"covered\":%s", s->covered ? "true" : "false");
    fprintf(out, ",\"owners_known\":%s,\"types\":{", report->owners_known ? "true" : "false");
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        const LmpKindStats *kind = &s->kind[k];
        fprintf(out,
                "%s\"%s\":{\"allocs\":%" PRIu64 ",\"live_blocks\":%" PRIu64
                ",\"live_bytes\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 ",\"tag_allocs\":%" PRIu64
                ",\"tag_live_bytes\":%" PRIu64 "}",
                k ? "," : "", kind_info[k].name, kind->allocs, kind->live_blocks, kind->live_bytes,
                kind->peak_bytes, kind->tag_allocs, kind->tag_live_bytes);
    }
    fputc('}', out);
    json_ledger(report, out);
    fputs("}\n", out);
}
