/* diff_html_tables.c - lines, functions and tags of the page of a comparison: an array a column,
 * and "was" with the same columns of the older run. What a table has no room for is one row more,
 * its last, which has the figures of all of them. */
#include <stdlib.h>
#include <string.h>

#include "report/diff/diff_html_impl.h"
#include "report/page/linesnow.h"

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

/* How much a row's figures have changed, by what the whole has of them. */
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
    json_begin(json, "how", '['); /* RunDiffHow */
    for (uint32_t i = 0; i < kept->rows; i++)
        json_count(json, NULL, r->table->row[kept->row[i]].how);
    json_end(json, ']');
    json_begin(json, "func", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        json_word(json, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).name);
    json_end(json, ']');
    if (r->by == RUNDIFF_TAGS) return;
    json_begin(json, "src", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        json_word(json, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).short_src);
    json_end(json, ']');
    json_begin(json, "line", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        json_change(json, NULL, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).line);
    json_end(json, ']');
    json_begin(json, "from", '['); /* the line that it was; -1: it has not moved */
    for (uint32_t i = 0; i < kept->rows; i++)
        json_change(json, NULL, diff_what(r->report, r->by, &r->table->row[kept->row[i]]).was_line);
    json_end(json, ']');
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

/* The tallies of the rows kept, and of the rest together; NULL: no memory. */
static const LmpTally **tallies(const Rows *r, const HtmlKept *kept, bool was, LmpTally *rest) {
    const LmpTally **list = malloc(((size_t)kept->rows + 1) * sizeof *list);
    memset(rest, 0, sizeof *rest);
    if (!list) return NULL;
    for (uint32_t i = 0; i < r->table->rows; i++) {
        const LmpTally *t = was ? &r->table->row[i].was : &r->table->row[i].is;
        if (kept->place[i] == HTML_NOWHERE)
            tally_add(rest, t);
        else
            list[kept->place[i]] = t;
    }
    list[kept->rows] = rest;
    return list;
}

static LmpErr put_figures(Json *json, const Rows *r, const HtmlKept *kept) {
    LmpTally rest;
    for (int was = 0; was < 2; was++) {
        const LmpTally **list = tallies(r, kept, was, &rest);
        if (!list) return LMP_E_NOMEM;
        if (was) json_begin(json, "was", '{');
        htmlcolumns(json, list, kept->rows + (r->table->rows > kept->rows), LMP_PAGE_RUN_AND_DIFF);
        if (was) json_end(json, '}');
        free(list);
    }
    return LMP_OK;
}

static LmpErr put_table(Json *json, const Rows *r, const char *key, HtmlKept *kept) {
    uint32_t top = r->report->top;
    const HtmlRows rows = {.of = r,
                           .rows = r->table->rows,
                           .most = top && top < HTML_ROWS ? top : HTML_ROWS,
                           .score = score_of};
    if (!htmlkeep(&rows, kept)) return LMP_E_NOMEM;
    json_begin(json, key, '{');
    put_words(json, r, kept);
    if (r->by == RUNDIFF_SITES) put_texts(json, r, kept);
    json_count(json, "more", r->table->rows - kept->rows);
    LmpErr err = put_figures(json, r, kept);
    json_end(json, '}');
    return err;
}

LmpErr diff_html_tables(Json *json, const DiffReport *report, HtmlKept *sites) {
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
