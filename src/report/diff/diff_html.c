/* diff_html.c - what differs between two runs, as one page for a browser: what is compared, totals,
 * types, and the tables. Call paths are in a file of their own; the page is diff.html with the
 * scripts beside it and those of the page of a run (report/page). */
#include <stdlib.h>
#include <string.h>

#include "report/diff/diffreport_impl.h"
#include "report/page/sourcelines.h"
#include "report/webpage.h"

/* ---- lines, functions, tags ------------------------------------------------------------------ */

/* An array a column, and "was" with the same columns of the older run. What a table has no room for
 * is one row more, its last, which has the figures of all of them. */

enum { TEXT = 160, TEXTS = 2 << 20 }; /* bytes of a line's text; of all */

typedef struct Rows {
    const DiffReport *report;
    const RunDiffTable *table;
    RunDiffBy by;
} Rows;

static double share(int64_t change, uint64_t was, uint64_t is) {
    uint64_t all = was > is ? was : is;
    return all ? (change < 0 ? -(double)change : (double)change) / (double)all : 0;
}

/* Returns how much a row's figures have changed, by what the whole has of them. */
static float score_of(const void *of, uint32_t i) {
    const Rows *r = of;
    const RunDiffRow *row = &r->table->row[i];
    double most = 0;
    for (int m = 0; m < RUNDIFF_METRICS; m++) {
        RunDiffMetric metric = (RunDiffMetric)m;
        double s =
            share(rundiff_change(row, metric), rundiff_figure(&r->report->diff->old->all, metric),
                  rundiff_figure(&r->report->diff->newer->all, metric));
        if (s > most) most = s;
    }
    return (float)most;
}

static void put_words(Json *json, const Rows *r, const HtmlKept *kept) {
    JSON_LIST(json, "how", i, kept->rows,
              json_count(json, NULL, r->table->row[kept->row[i]].how)); /* RunDiffHow */
    JSON_LIST(json, "func", i, kept->rows,
              json_word(json, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).name));
    if (r->by == RUNDIFF_TAGS) return;
    JSON_LIST(json, "src", i, kept->rows,
              json_word(json, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).short_src));
    JSON_LIST(
        json, "line", i, kept->rows,
        json_change(json, NULL, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).line));
    JSON_LIST(json, "from", i, kept->rows,
              json_change(json, NULL,
                          diff_what(r->report, r->by, &r->table->row[kept->row[i]])
                              .was_line)); /* the line that it was; -1: it has not moved */
}

static const LmpSiteRow *site_of(const Rows *r, const RunDiffRow *row) {
    return row->newer != LEDGER_NO_ROW ? &r->report->diff->newer->site[row->newer]
                                       : &r->report->diff->old->site[row->old];
}

/* The text of each line, where its recording or the file still has it; else "". */
static void put_texts(Json *json, const Rows *r, const HtmlKept *kept) {
    LinesNow *lines = linesnow_new(r->report->newer.report->sources);
    size_t left = TEXTS;
    json_begin(json, "text", '[');
    for (uint32_t i = 0; i < kept->rows; i++) {
        size_t n = 0;
        const RunDiffRow *row = &r->table->row[kept->row[i]];
        const char *text = left > 0 ? linesnow_text(lines, site_of(r, row), &n) : NULL;
        bool whole = n <= TEXT;
        while (n > TEXT || (!whole && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80))
            n--; /* between characters */
        left -= n < left ? n : left;
        json_bytes(json, NULL, text ? text : "", n);
    }
    json_end(json, ']');
    linesnow_free(lines);
}

static const LmpTally *tally_is(const void *of, uint32_t i) {
    return &((const Rows *)of)->table->row[i].is;
}

static const LmpTally *tally_was(const void *of, uint32_t i) {
    return &((const Rows *)of)->table->row[i].was;
}

static LmpErr put_table(Json *json, const Rows *r, const char *key, HtmlKept *kept) {
    uint32_t top = r->report->top;
    HtmlRows rows = {.of = r,
                     .tally = tally_is,
                     .rows = r->table->rows,
                     .most = top && top < HTML_ROWS ? top : HTML_ROWS,
                     .score = score_of};
    if (!htmlkeep(&rows, kept)) return LMP_E_NOMEM;
    json_begin(json, key, '{');
    put_words(json, r, kept);
    if (r->by == RUNDIFF_SITES) put_texts(json, r, kept);
    json_count(json, "more", r->table->rows - kept->rows);
    LmpErr err = htmlkeep_columns(json, &rows, kept, LMP_COLUMN_OF_BOTH);
    rows.tally = tally_was;
    json_begin(json, "was", '{');
    if (!err) err = htmlkeep_columns(json, &rows, kept, LMP_COLUMN_OF_BOTH);
    json_end(json, '}');
    json_end(json, '}');
    return err;
}

static LmpErr put_tables(Json *json, const DiffReport *report, HtmlKept *sites) {
    static const char *const keys[RUNDIFF_BYS] = {"sites", "functions", "tags"};
    LmpErr err = LMP_OK;
    for (int by = 0; by < RUNDIFF_BYS && !err; by++) {
        HtmlKept kept = {0};
        const Rows rows = {report, &report->diff->table[by], (RunDiffBy)by};
        err = put_table(json, &rows, keys[by], &kept);
        if (by == RUNDIFF_SITES)
            *sites = kept;
        else
            htmlkept_free(&kept);
    }
    return err;
}

/* ---- the page -------------------------------------------------------------------------------- */

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
    json_text(json, "key", t->key);
    json_text(json, "title", t->title);
    json_count(json, "bytes", t->bytes);
    json_count(json, "was", t->was);
    json_count(json, "is", t->is);
    json_count(json, "broken", diffreport_broken(r, t));
}

static void put_totals(Json *json, const DiffReport *r) {
    DiffTotal total[DIFF_TOTALS];
    diffreport_totals(r, total);
    JSON_OBJECTS(json, "totals", i, DIFF_TOTALS, put_total(json, r, &total[i]));
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

static void put_types(Json *json, const DiffReport *r, unsigned k) {
    json_text(json, "name", kind_info[k].name);
    put_type(json, "was", &r->old.report->stats.kind[k]);
    put_type(json, "is", &r->newer.report->stats.kind[k]);
}

static void put_facts(Json *json, const DiffReport *r) {
    DiffDoubts doubts = diff_doubts(r);
    const Ledger *old = &r->old.report->ledger, *newer = &r->newer.report->ledger;
    json_text(json, "program", r->newer.report->program);
    put_side(json, "old", &r->old);
    put_side(json, "new", &r->newer);
    json_count(json, "lines", old->lines != LMP_LINES_OFF || newer->lines != LMP_LINES_OFF);
    JSON_LIST(json, "doubts", i, doubts.lines, json_text(json, NULL, doubts.line[i]));
    json_count(json, "metric", r->diff->metric);
    json_begin(json, "noise", '[');
    for (int m = 0; m < RUNDIFF_METRICS; m++)
        json_count(json, NULL,
                   m == (int)r->diff->metric
                       ? r->noise
                       : diffreport_noise(r->old.report, r->newer.report, (RunDiffMetric)m));
    json_end(json, ']');
    put_totals(json, r);
    JSON_OBJECTS(json, "types", k, LMP_KINDS, put_types(json, r, k));
}

static LmpErr put_data(Json *json, const void *of) {
    const DiffReport *r = of;
    HtmlKept sites = {0};
    put_facts(json, r);
    LmpErr err = put_tables(json, r, &sites);
    if (!err) err = diff_html_paths(json, r, &sites);
    json_words(json, "words");
    htmlkept_free(&sites);
    return err;
}

LmpErr diff_html(const DiffReport *r, FILE *out) {
    return webpage_write(&diff_page, JSON_ON_PAGE, put_data, r, out);
}
