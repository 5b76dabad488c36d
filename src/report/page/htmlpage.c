/* htmlpage.c - the page put together, and which rows of many it has. */
#include <stdlib.h>
#include <string.h>

#include "report/page/htmlpage_impl.h"

/* ---- the largest rows ------------------------------------------------------------------------ */

static double share(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static float score_of(const LmpTally *t, const LmpTally *all) {
    const double each[] = {
        share(t->live_bytes, all->live_bytes), share(t->live_blocks, all->live_blocks),
        share(tally_made(t), tally_made(all)), share(t->allocs, all->allocs),
        share(t->peak_bytes, all->peak_bytes), share(t->temporary, all->temporary),
    };
    double most = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (each[i] > most) most = each[i];
    return (float)most;
}

static int by_score(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The score that the last row kept has, and in *ties how many with just this are. */
static float least_score(const float *score, uint32_t rows, uint32_t most, uint32_t *ties) {
    float *sorted = malloc(rows * sizeof *sorted);
    if (!sorted) return -1;
    memcpy(sorted, score, rows * sizeof *sorted);
    qsort(sorted, rows, sizeof *sorted, by_score);
    float least = sorted[most - 1];
    *ties = 0;
    while (*ties < most && sorted[most - 1 - *ties] == least)
        (*ties)++;
    free(sorted);
    return least;
}

/* A row's score is never above its parent's, and parents come first: what is kept hangs together.
 */
static void choose(const HtmlRows *rows, const float *score, float least, uint32_t ties,
                   HtmlKept *kept) {
    for (uint32_t i = 0; i < rows->rows; i++) {
        uint32_t parent = rows->parent ? rows->parent(rows->of, i) : i;
        bool hangs = parent >= i || kept->place[parent] != HTML_NOWHERE;
        bool in = hangs && (score[i] > least || (score[i] == least && ties > 0));
        if (in && score[i] == least) ties--;
        kept->place[i] = in && kept->rows < rows->most ? kept->rows : HTML_NOWHERE;
        if (kept->place[i] != HTML_NOWHERE) kept->row[kept->rows++] = i;
    }
}

bool htmlpage_keep(const HtmlRows *rows, HtmlKept *kept) {
    uint32_t n = rows->rows, ties = UINT32_MAX;
    memset(kept, 0, sizeof *kept);
    if (n == 0) return true;
    kept->row = malloc((n < rows->most ? n : rows->most) * sizeof *kept->row);
    kept->place = malloc(n * sizeof *kept->place);
    float *score = malloc(n * sizeof *score), least = 0;
    if (kept->row && kept->place && score) {
        for (uint32_t i = 0; i < n; i++)
            score[i] = score_of(rows->tally(rows->of, i), rows->all);
        if (n > rows->most) least = least_score(score, n, rows->most, &ties);
        if (least >= 0) choose(rows, score, least, ties, kept);
    }
    bool done = kept->row && kept->place && score && least >= 0;
    free(score);
    return done;
}

void htmlpage_kept_free(HtmlKept *kept) {
    free(kept->row);
    free(kept->place);
    kept->row = kept->place = NULL;
}

/* ---- figures --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at;
} columns[] = {
    {"live", offsetof(LmpTally, live_bytes)},  {"blocks", offsetof(LmpTally, live_blocks)},
    {"allocs", offsetof(LmpTally, allocs)},    {"freed", offsetof(LmpTally, free_bytes)},
    {"frees", offsetof(LmpTally, frees)},      {"peak", offsetof(LmpTally, peak_bytes)},
    {"temp", offsetof(LmpTally, temporary)},   {"short", offsetof(LmpTally, short_lived)},
    {"resizes", offsetof(LmpTally, reallocs)},
};

void htmlpage_columns(HtmlOut *o, const LmpTally *const *tally, uint32_t rows) {
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        htmlout_begin(o, columns[c].name, '[');
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t value;
            memcpy(&value, (const char *)tally[i] + columns[c].at, sizeof value);
            htmlout_count(o, NULL, value);
        }
        htmlout_end(o, ']');
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

LmpErr htmlpage_write(const LmpReport *report, FILE *out) {
    HtmlOut o = {.out = out};
    HtmlAllKept kept = {0};
    fputs(htmlpage_head, out);
    htmlout_begin(&o, NULL, '{');
    htmlpage_facts(&o, report);
    htmlpage_time(&o, report);
    LmpErr err = htmlpage_sites(&o, report, &kept);
    if (!err) err = htmlpage_functions(&o, report, &kept);
    if (!err) err = htmlpage_tags(&o, report, &kept);
    if (!err) err = htmlpage_tree(&o, report, &kept);
    if (!err) err = htmlpage_sources(&o, report, &kept.sites);
    if (!err && report->recording) err = htmlpage_moments(&o, report, &kept);
    htmlout_words(&o, "words");
    htmlout_end(&o, '}');
    fputs(htmlpage_tail, out);
    htmlpage_kept_free(&kept.sites);
    htmlpage_kept_free(&kept.functions);
    htmlpage_kept_free(&kept.tags);
    free(kept.tree_place);
    if (!err && o.failed) err = LMP_E_NOMEM;
    htmlout_free(&o);
    return err;
}
