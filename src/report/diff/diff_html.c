/* diff_html.c - what differs between two runs, as one page for a browser: what is compared, totals,
 * types and verdict. Tables and call paths are in files of their own; the page is diffpage.html
 * with the scripts beside it and those of the page of a run (report/page). */
#include "report/diff/diff_html_impl.h"

static void put_side(HtmlOut *o, const char *key, const DiffSide *side) {
    const LmpReport *r = side->report;
    htmlout_begin(o, key, '{');
    htmlout_text(o, "file", side->name);
    htmlout_text(o, "program", r->program);
    htmlout_text(o, "lua", r->lua);
    htmlout_text(o, "ending", r->ending ? r->ending : "");
    htmlout_text(o, "error", r->error ? r->error : "");
    if (r->damage) htmlout_text(o, "damage", r->damage);
    if (*r->moment.said) htmlout_text(o, "moment", r->moment.said);
    htmlout_number(o, "seconds", r->stats.seconds);
    htmlout_count(o, "sample", r->ledger.sample);
    htmlout_count(o, "stacks", r->ledger.stacks);
    htmlout_count(o, "lines", r->ledger.lines != LMP_LINES_OFF);
    htmlout_count(o, "approximate", r->ledger.lines == LMP_LINES_APPROXIMATE);
    htmlout_count(o, "folded", r->ledger.folded);
    htmlout_end(o, '}');
}

static void put_total(HtmlOut *o, const DiffReport *r, const DiffTotal *t) {
    htmlout_begin(o, NULL, '{');
    htmlout_text(o, "key", t->key);
    htmlout_text(o, "title", t->title);
    htmlout_count(o, "bytes", t->bytes);
    htmlout_count(o, "was", t->was);
    htmlout_count(o, "is", t->is);
    htmlout_count(o, "broken", diffreport_broken(r, t));
    htmlout_end(o, '}');
}

static void put_totals(HtmlOut *o, const DiffReport *r) {
    DiffTotal total[DIFF_TOTALS];
    diffreport_totals(r, total);
    htmlout_begin(o, "totals", '[');
    for (int i = 0; i < DIFF_TOTALS; i++)
        put_total(o, r, &total[i]);
    htmlout_end(o, ']');
    if (r->fail < 0) return;
    htmlout_begin(o, "limit", '{'); /* what --fail-on-increase lets pass, and of what */
    htmlout_number(o, "percent", r->fail);
    htmlout_begin(o, "of", '[');
    for (int i = 0; i < DIFF_TOTALS; i++)
        if (diffreport_judged(r, &total[i])) htmlout_text(o, NULL, total[i].title);
    htmlout_end(o, ']');
    htmlout_end(o, '}');
}

/* One type, by the four figures that runs are compared by. */
static void put_type(HtmlOut *o, const char *key, const LmpKindStats *k) {
    htmlout_begin(o, key, '[');
    htmlout_count(o, NULL, k->live_bytes);
    htmlout_count(o, NULL, k->made_bytes);
    htmlout_count(o, NULL, k->peak_bytes);
    htmlout_count(o, NULL, k->allocs);
    htmlout_end(o, ']');
}

static void put_types(HtmlOut *o, const DiffReport *r) {
    htmlout_begin(o, "types", '[');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        htmlout_begin(o, NULL, '{');
        htmlout_text(o, "name", kind_info[k].name);
        put_type(o, "was", &r->old.report->stats.kind[k]);
        put_type(o, "is", &r->newer.report->stats.kind[k]);
        htmlout_end(o, '}');
    }
    htmlout_end(o, ']');
}

static void put_facts(HtmlOut *o, const DiffReport *r) {
    DiffDoubts doubts = diff_doubts(r);
    const Ledger *old = &r->old.report->ledger, *newer = &r->newer.report->ledger;
    htmlout_text(o, "program", r->newer.report->program);
    put_side(o, "old", &r->old);
    put_side(o, "new", &r->newer);
    htmlout_count(o, "lines", old->lines != LMP_LINES_OFF || newer->lines != LMP_LINES_OFF);
    htmlout_begin(o, "doubts", '[');
    for (uint32_t i = 0; i < doubts.lines; i++)
        htmlout_text(o, NULL, doubts.line[i]);
    htmlout_end(o, ']');
    htmlout_count(o, "metric", r->diff->metric);
    htmlout_begin(o, "noise", '[');
    for (int m = 0; m < RUNDIFF_METRICS; m++)
        htmlout_count(o, NULL,
                      m == (int)r->diff->metric
                          ? r->noise
                          : diffreport_noise(r->old.report, r->newer.report, (RunDiffMetric)m));
    htmlout_end(o, ']');
    put_totals(o, r);
    put_types(o, r);
}

LmpErr diff_html(const DiffReport *r, FILE *out) {
    HtmlOut o = {.out = out};
    HtmlKept sites = {0};
    fputs(diffpage_head, out);
    htmlout_begin(&o, NULL, '{');
    put_facts(&o, r);
    LmpErr err = diff_html_tables(&o, r, &sites);
    if (!err) err = diff_html_paths(&o, r, &sites);
    htmlout_words(&o, "words");
    htmlout_end(&o, '}');
    fputs(diffpage_tail, out);
    htmlkept_free(&sites);
    if (!err && o.failed) err = LMP_E_NOMEM;
    htmlout_free(&o);
    return err;
}
