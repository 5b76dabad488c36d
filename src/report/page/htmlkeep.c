/* htmlkeep.c - a row's score is its largest share of any figure; those of the highest scores stay,
 * as many as there is room for. */
#include "report/page/htmlkeep.h"

#include <stdlib.h>
#include <string.h>

/* ---- the largest rows ------------------------------------------------------------------------ */

static double share(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

float htmlkeep_score(const LmpTally *t, const LmpTally *all) {
    static const LmpTallyFigure each[] = {TALLY_LIVE_BYTES, TALLY_LIVE_BLOCKS, TALLY_MADE,
                                          TALLY_ALLOCS,     TALLY_PEAK_BYTES,  TALLY_TEMPORARY};
    double most = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        double part = share(tally_number(t, each[i]), tally_number(all, each[i]));
        if (part > most) most = part;
    }
    return (float)most;
}

static int by_score(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Returns the score that the last row kept has, and in *ties how many with just this score are
 * kept. */
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

/* Chooses the rows. A row's score is never above its parent's, and parents come first: so the kept
 * rows hang together. */
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

bool htmlkeep(const HtmlRows *rows, HtmlKept *kept) {
    uint32_t n = rows->rows, ties = UINT32_MAX;
    memset(kept, 0, sizeof *kept);
    if (n == 0) return true;
    kept->row = malloc((n < rows->most ? n : rows->most) * sizeof *kept->row);
    kept->place = malloc(n * sizeof *kept->place);
    float *score = malloc(n * sizeof *score), least = 0;
    if (kept->row && kept->place && score) {
        for (uint32_t i = 0; i < n; i++)
            score[i] = rows->score ? rows->score(rows->of, i)
                                   : htmlkeep_score(rows->tally(rows->of, i), rows->all);
        if (n > rows->most) least = least_score(score, n, rows->most, &ties);
        if (least >= 0) choose(rows, score, least, ties, kept);
    }
    bool done = kept->row && kept->place && score && least >= 0;
    free(score);
    return done;
}

void htmlkept_free(HtmlKept *kept) {
    free(kept->row);
    free(kept->place);
    kept->row = kept->place = NULL;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Returns the figure that is the page's column at a place (from 1); NULL: there are no more. */
static const LmpFigure *column_at(unsigned place) {
    for (const LmpFigure *f = tally_figures; f < tally_figures + TALLY_FIGURES; f++)
        if (f->page.place == place) return f;
    return NULL;
}

void htmlkeep_figures(Json *json, const LmpTally *const *tally, uint32_t rows, LmpFigureColumn of) {
    const LmpFigure *figure;
    for (unsigned place = 1; (figure = column_at(place)); place++) {
        if (figure->page.of < of) continue;
        json_begin(json, figure->page.name, '[');
        for (uint32_t i = 0; i < rows; i++)
            json_count(json, NULL, figure_number(figure, tally[i]));
        json_end(json, ']');
    }
}

LmpErr htmlkeep_columns(Json *json, const HtmlRows *rows, const HtmlKept *kept,
                        LmpFigureColumn of) {
    const LmpTally **list = malloc(((size_t)kept->rows + 1) * sizeof *list);
    LmpTally rest = {0};
    if (!list) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < rows->rows; i++) {
        const LmpTally *t = rows->tally(rows->of, i);
        if (kept->place[i] == HTML_NOWHERE)
            tally_add(&rest, t);
        else
            list[kept->place[i]] = t;
    }
    list[kept->rows] = &rest;
    htmlkeep_figures(json, list, kept->rows + (rows->rows > kept->rows), of);
    free(list);
    return LMP_OK;
}
