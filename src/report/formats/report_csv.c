/* report_csv.c - a row for each line of the program, with all figures. Without words of its own:
 * the column `sampled` says how many bytes a sample stands for, 0 where all is exact. */
#include "read/ledger/ledger.h"
#include "report/formats/formats_impl.h"
#include "report/text.h"

/* Over a range of time figures can be negative, all of them. */
static void put_number(FILE *out, uint64_t n) {
    bool negative = (int64_t)n < 0;
    fputs(negative ? ",-" : ",", out);
    text_digits(out, negative ? 0 - n : n);
}

static void put_figures(FILE *out, const void *of, const LmpFigure *list) {
    for (const LmpFigure *f = list; f->name; f++)
        put_number(out, figure_number(f, of));
}

static void put_names(FILE *out, const LmpFigure *list, const char *before) {
    for (const LmpFigure *f = list; f->name; f++)
        fprintf(out, ",%s%s", before, f->name);
}

LmpErr report_csv(const LmpReport *report, FILE *out) {
    const Ledger *l = &report->ledger;
    fputs("file,line,function", out);
    put_names(out, tally_figures, "");
    put_names(out, here_figures, "here_");
    fputs(",sampled\n", out);
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        text_csv(out, s->source[0] == '@' ? s->source + 1 : s->short_src);
        fputc(',', out);
        if (s->line >= 0) text_digits(out, (uint64_t)s->line);
        fputc(',', out);
        text_csv(out, s->func);
        put_figures(out, &s->tally, tally_figures);
        put_figures(out, s, here_figures);
        put_number(out, l->sample);
        fputc('\n', out);
    }
    return LMP_OK;
}
