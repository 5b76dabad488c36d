/* report_json.c - the figures for machines: one JSON object in one line. Its keys are named as in
 * lmp.stats() and stay; new ones may come. */
#include <inttypes.h>
#include <string.h>

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

static void json_figure(const void *of, const LmpFigure *f, FILE *out);

void json_figures(const void *of, const LmpFigure *list, FILE *out) {
    for (const LmpFigure *f = list; f->name; f++) {
        fprintf(out, "%s\"%s\":", f == list ? "" : ",", f->name);
        json_figure(of, f, out);
    }
}

static void json_types(const LmpKindStats *kind, FILE *out) {
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        fprintf(out, "%c\"%s\":{", k ? ',' : '{', kind_info[k].name);
        json_figures(&kind[k], kind_figures, out);
        fputc('}', out);
    }
    fputc('}', out);
}

static void json_figure(const void *of, const LmpFigure *f, FILE *out) {
    const char *at = (const char *)of + f->at;
    double seconds;
    switch (f->kind) {
    case LMP_FIG_COUNT:
    case LMP_FIG_SIZE:
        fprintf(out, "%" PRIu64, figure_number(f, of));
        break;
    case LMP_FIG_CHANGE:
        fprintf(out, "%" PRId64, (int64_t)figure_number(f, of));
        break;
    case LMP_FIG_SECONDS:
        memcpy(&seconds, at, sizeof seconds);
        json_number(out, seconds);
        break;
    case LMP_FIG_FLAG:
        fputs(*(const bool *)at ? "true" : "false", out);
        break;
    case LMP_FIG_WORD:
    case LMP_FIG_WHY:
        json_string(out, figure_word(f, of));
        break;
    case LMP_FIG_TYPES:
        json_types((const LmpKindStats *)at, out);
        break;
    }
}

void report_json(const LmpReport *report, FILE *out) {
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
    fputc(',', out);
    json_figures(&report->stats, stats_figures, out);
    json_ledger(report, out);
    fputs("}\n", out);
}
