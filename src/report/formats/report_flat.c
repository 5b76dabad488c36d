/* report_flat.c - a table of functions, as lmprof's flat profile and gprof's: what each made with
 * its own lines, what it and all that it called made, how much by allocation, and by call where
 * calls were counted. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/text.h"

typedef struct Flat {
    const LmpReport *report;
    ReportValue value;
    bool calls; /* of any function */
    FILE *out;
} Flat;

static void put_head(const Flat *f) {
    fprintf(f->out, "%6s %18s", "%", "self");
    if (f->report->ledger.stacks) fprintf(f->out, " %6s %18s", "%", "retained");
    fprintf(f->out, " %14s %12s", "allocations", "bytes each");
    if (f->calls) fprintf(f->out, " %14s %12s", "calls", "bytes a call");
    fputs("  function\n", f->out);
}

static void put_mean(FILE *out, uint64_t bytes, uint64_t n) {
    if (n > 0)
        fprintf(out, " %12.1f", (double)bytes / (double)n);
    else
        fprintf(out, " %12s", "-");
}

static void put_row(const Flat *f, const LmpFunctionRow *row) {
    const Ledger *l = &f->report->ledger;
    uint64_t all = value_of(&l->all, f->value), self = value_of(&row->shallow, f->value);
    uint64_t made = value_of(&row->shallow, VALUE_ALLOCATED_BYTES);
    char share[16], number[LMP_NUM + 4], count[LMP_NUM], name[256], where[640];
    fprintf(f->out, "%6s %18s", texthead_share(share, self, all),
            texthead_number(number, self, f->value));
    if (l->stacks) {
        uint64_t retained = value_of(&row->retained, f->value);
        fprintf(f->out, " %6s", texthead_share(share, retained, all));
        fprintf(f->out, " %18s", texthead_number(number, retained, f->value));
    }
    fprintf(f->out, " %14s", text_count(count, row->shallow.allocs, 14));
    put_mean(f->out, made, row->shallow.allocs);
    if (f->calls && row->calls > 0)
        fprintf(f->out, " %14s", text_count(count, row->calls, 14));
    else if (f->calls)
        fprintf(f->out, " %14s", "-");
    if (f->calls)
        put_mean(f->out, l->stacks ? value_of(&row->retained, VALUE_ALLOCATED_BYTES) : made,
                 row->calls);
    fprintf(f->out, "  %s  %s\n", paths_name(name, sizeof name, row->name),
            format_where(where, sizeof where, row->short_src,
                         row->linedefined > 0 ? row->linedefined : -1));
}

LmpErr report_flat(const LmpReport *report, FILE *out) {
    const Ledger *l = &report->ledger;
    Flat f = {report, value_chosen(report), false, out};
    ValueRow *rows = malloc(((size_t)l->functions + 1) * sizeof *rows);
    if (!rows) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < l->functions; i++) {
        rows[i] = (ValueRow){value_of(&l->function[i].shallow, f.value), i};
        f.calls |= l->function[i].calls > 0;
    }
    value_sort(rows, l->functions);
    texthead_put(report, out, "Functions", f.value);
    put_head(&f);
    for (uint32_t i = 0; i < l->functions; i++)
        put_row(&f, &l->function[rows[i].row]);
    free(rows);
    return LMP_OK;
}
