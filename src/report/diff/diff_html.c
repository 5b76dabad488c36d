/* diff_html.c - what differs between two runs, as one page for a browser: what is compared, totals,
 * types and verdict. Tables and call paths are in files of their own; the page is diff.html
 * with the scripts beside it and those of the page of a run (report/page). */
#include "report/diff/diff_html_impl.h"

static void put_side(Json *json, const char *key, const DiffSide *side) {
    const LmpReport *r = side->report;
    json_begin(json, key, '{');
    json_text(json, "file", side->name);
    json_text(json, "program", r->program);
    json_text(json, "lua", r->lua);
    json_text(json, "ending", r->ending ? r->ending : "");
    json_text(json, "error", r->error ? r->error : "");
    if (r->damage) json_text(json, "damage", r->damage);
    if (*r->moment.said) json_text(json, "moment", r->moment.said);
    json_number(json, "seconds", r->stats.seconds);
    json_count(json, "sample", r->ledger.sample);
    json_count(json, "stacks", r->ledger.stacks);
    json_count(json, "lines", r->ledger.lines != LMP_LINES_OFF);
    json_count(json, "approximate", r->ledger.lines == LMP_LINES_APPROXIMATE);
    json_count(json, "folded", r->ledger.folded);
    json_end(json, '}');
}

static void put_total(Json *json, const DiffReport *r, const DiffTotal *t) {
    json_begin(json, NULL, '{');
    json_text(json, "key", t->key);
    json_text(json, "title", t->title);
    json_count(json, "bytes", t->bytes);
    json_count(json, "was", t->was);
    json_count(json, "is", t->is);
    json_count(json, "broken", diffreport_broken(r, t));
    json_end(json, '}');
}

static void put_totals(Json *json, const DiffReport *r) {
    DiffTotal total[DIFF_TOTALS];
    diffreport_totals(r, total);
    json_begin(json, "totals", '[');
    for (int i = 0; i < DIFF_TOTALS; i++)
        put_total(json, r, &total[i]);
    json_end(json, ']');
    if (r->fail < 0) return;
    json_begin(json, "limit", '{'); /* what --fail-on-increase lets pass, and of what */
    json_number(json, "percent", r->fail);
    json_begin(json, "of", '[');
    for (int i = 0; i < DIFF_TOTALS; i++)
        if (diffreport_judged(r, &total[i])) json_text(json, NULL, total[i].title);
    json_end(json, ']');
    json_end(json, '}');
}

/* One type, by the four figures that runs are compared by. */
static void put_type(Json *json, const char *key, const LmpKindStats *k) {
    json_begin(json, key, '[');
    json_count(json, NULL, k->live_bytes);
    json_count(json, NULL, k->made_bytes);
    json_count(json, NULL, k->peak_bytes);
    json_count(json, NULL, k->allocs);
    json_end(json, ']');
}

static void put_types(Json *json, const DiffReport *r) {
    json_begin(json, "types", '[');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        json_begin(json, NULL, '{');
        json_text(json, "name", kind_info[k].name);
        put_type(json, "was", &r->old.report->stats.kind[k]);
        put_type(json, "is", &r->newer.report->stats.kind[k]);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_facts(Json *json, const DiffReport *r) {
    DiffDoubts doubts = diff_doubts(r);
    const Ledger *old = &r->old.report->ledger, *newer = &r->newer.report->ledger;
    json_text(json, "program", r->newer.report->program);
    put_side(json, "old", &r->old);
    put_side(json, "new", &r->newer);
    json_count(json, "lines", old->lines != LMP_LINES_OFF || newer->lines != LMP_LINES_OFF);
    json_begin(json, "doubts", '[');
    for (uint32_t i = 0; i < doubts.lines; i++)
        json_text(json, NULL, doubts.line[i]);
    json_end(json, ']');
    json_count(json, "metric", r->diff->metric);
    json_begin(json, "noise", '[');
    for (int m = 0; m < RUNDIFF_METRICS; m++)
        json_count(json, NULL,
                   m == (int)r->diff->metric
                       ? r->noise
                       : diffreport_noise(r->old.report, r->newer.report, (RunDiffMetric)m));
    json_end(json, ']');
    put_totals(json, r);
    put_types(json, r);
}

static LmpErr put_data(Json *json, const void *of) {
    const DiffReport *r = of;
    HtmlKept sites = {0};
    put_facts(json, r);
    LmpErr err = diff_html_tables(json, r, &sites);
    if (!err) err = diff_html_paths(json, r, &sites);
    json_words(json, "words");
    htmlkept_free(&sites);
    return err;
}

LmpErr diff_html(const DiffReport *r, FILE *out) {
    return webpage_write(&diff_page, JSON_ON_PAGE, put_data, r, out);
}
