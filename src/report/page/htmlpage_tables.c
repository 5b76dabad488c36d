/* htmlpage_tables.c - sites, functions and tags: an array a column. What a table has no room for is
 * one row more, its last, which has the figures of all of them. */
#include <stdlib.h>
#include <string.h>

#include "report/page/htmlpage_impl.h"

enum { CHARTS = 500 }; /* sites with what they held after collections */

/* The tallies of the rows kept, and of the rest together; NULL: no memory. */
static const LmpTally **tallies(const HtmlRows *rows, const HtmlKept *kept, LmpTally *rest) {
    const LmpTally **list = malloc(((size_t)kept->rows + 1) * sizeof *list);
    memset(rest, 0, sizeof *rest);
    if (!list) return NULL;
    for (uint32_t i = 0; i < rows->rows; i++)
        if (kept->place[i] == HTML_NOWHERE) tally_add(rest, rows->tally(rows->of, i));
    for (uint32_t i = 0; i < kept->rows; i++)
        list[i] = rows->tally(rows->of, kept->row[i]);
    list[kept->rows] = rest;
    return list;
}

/* Columns of figures, and "more": how many rows the last one stands for. */
static LmpErr put_figures(HtmlOut *o, const HtmlRows *rows, const HtmlKept *kept) {
    LmpTally rest;
    const LmpTally **list = tallies(rows, kept, &rest);
    if (!list) return LMP_E_NOMEM;
    uint32_t more = rows->rows - kept->rows;
    htmlout_count(o, "more", more);
    htmlcolumns(o, list, kept->rows + (more > 0), HTML_ALL);
    free(list);
    return LMP_OK;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static const LmpTally *site_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->site[i].tally;
}

/* type, bytes live, bytes made, and so on */
static void put_types(HtmlOut *o, const LmpSiteRow *s) {
    htmlout_begin(o, NULL, '[');
    for (unsigned k = 0; s->kind && k < LMP_KINDS; k++) {
        const LmpTally *t = &s->kind[k].tally;
        if (!tally_made(t) && !t->allocs) continue;
        htmlout_count(o, NULL, k);
        htmlout_count(o, NULL, t->live_bytes);
        htmlout_count(o, NULL, tally_made(t));
    }
    htmlout_end(o, ']');
}

static void put_calls(HtmlOut *o, const Ledger *l, const HtmlKept *kept) {
    htmlout_begin(o, "calls", '['); /* site, C function, live, made, allocations */
    for (uint32_t i = 0; i < kept->rows; i++) {
        const LmpSiteRow *s = &l->site[kept->row[i]];
        for (uint32_t d = 0; d < s->details; d++) {
            const LmpSiteDetail *c = &l->detail[s->first_detail + d];
            if (!*c->name) continue;
            htmlout_begin(o, NULL, '[');
            htmlout_count(o, NULL, i);
            htmlout_count(o, NULL, htmlout_word(o, c->name));
            htmlout_count(o, NULL, c->tally.live_bytes);
            htmlout_count(o, NULL, tally_made(&c->tally));
            htmlout_count(o, NULL, c->tally.allocs);
            htmlout_end(o, ']');
        }
    }
    htmlout_end(o, ']');
}

static void put_charts(HtmlOut *o, const Ledger *l, const HtmlKept *kept) {
    htmlout_begin(o, "held", '[');
    for (uint32_t i = 0; i < kept->rows && i < CHARTS; i++) {
        uint64_t even[LMP_LIVE_HISTORY];
        const uint64_t *held = l->site[kept->row[i]].live_history;
        uint32_t n = held ? ledger_live_history_even(l, held, even) : 0;
        htmlout_begin(o, NULL, '[');
        for (uint32_t k = 0; k < n; k++)
            htmlout_count(o, NULL, even[k]);
        htmlout_end(o, ']');
    }
    htmlout_end(o, ']');
}

static void put_leaks(HtmlOut *o, const LmpReport *r, const HtmlKept *kept) {
    htmlout_begin(o, "grows", '['); /* site, bytes a full collection, bytes */
    for (uint32_t i = 0; i < r->judgement.leaks && i < r->leaks; i++) {
        uint32_t site = r->leak[i].site;
        if (site >= r->ledger.sites || kept->place[site] == HTML_NOWHERE) continue;
        htmlout_begin(o, NULL, '[');
        htmlout_count(o, NULL, kept->place[site]);
        htmlout_number(o, NULL, r->leak[i].bytes_per_cycle);
        htmlout_count(o, NULL, r->leak[i].gain);
        htmlout_end(o, ']');
    }
    htmlout_end(o, ']');
}

static void put_places(HtmlOut *o, const Ledger *l, const HtmlKept *kept) {
    htmlout_begin(o, "id", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, l->site[kept->row[i]].id);
    htmlout_end(o, ']');
    htmlout_begin(o, "src", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->site[kept->row[i]].short_src));
    htmlout_end(o, ']');
    htmlout_begin(o, "line", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_change(o, NULL, l->site[kept->row[i]].line);
    htmlout_end(o, ']');
    htmlout_begin(o, "func", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->site[kept->row[i]].func));
    htmlout_end(o, ']');
    htmlout_begin(o, "types", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        put_types(o, &l->site[kept->row[i]]);
    htmlout_end(o, ']');
}

LmpErr htmlpage_sites(HtmlOut *o, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    HtmlKept *kept = &all->sites;
    const HtmlRows rows = {l, site_tally, NULL, &l->all, l->sites, HTML_ROWS, NULL};
    if (!htmlkeep(&rows, kept)) return LMP_E_NOMEM;
    htmlout_begin(o, "sites", '{');
    put_places(o, l, kept);
    put_calls(o, l, kept);
    put_charts(o, l, kept);
    put_leaks(o, r, kept);
    LmpErr err = put_figures(o, &rows, kept);
    htmlout_end(o, '}');
    return err;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const LmpTally *function_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->function[i].shallow;
}

static const LmpTally *function_retained(const void *of, uint32_t i) {
    return &((const Ledger *)of)->function[i].retained;
}

static void put_functions(HtmlOut *o, const Ledger *l, const HtmlKept *kept) {
    htmlout_begin(o, "src", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->function[kept->row[i]].short_src));
    htmlout_end(o, ']');
    htmlout_begin(o, "line", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_change(o, NULL, l->function[kept->row[i]].linedefined);
    htmlout_end(o, ']');
    htmlout_begin(o, "func", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->function[kept->row[i]].name));
    htmlout_end(o, ']');
    htmlout_begin(o, "calls", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, l->function[kept->row[i]].calls);
    htmlout_end(o, ']');
}

LmpErr htmlpage_functions(HtmlOut *o, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    HtmlKept *kept = &all->functions;
    const HtmlRows own = {l, function_tally, NULL, &l->all, l->functions, HTML_ROWS, NULL};
    const HtmlRows with = {l, function_retained, NULL, &l->all, l->functions, HTML_ROWS, NULL};
    if (!htmlkeep(l->stacks ? &with : &own, kept)) return LMP_E_NOMEM;
    htmlout_begin(o, "functions", '{');
    put_functions(o, l, kept);
    htmlout_begin(o, "own", '{');
    LmpErr err = put_figures(o, &own, kept);
    htmlout_end(o, '}');
    htmlout_begin(o, "with", '{');
    if (!err && l->stacks) err = put_figures(o, &with, kept);
    htmlout_end(o, '}');
    htmlout_end(o, '}');
    return err;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static const LmpTally *tag_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->tag[i].tally;
}

LmpErr htmlpage_tags(HtmlOut *o, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    HtmlKept *kept = &all->tags;
    const HtmlRows rows = {l, tag_tally, NULL, &l->all, l->tags, HTML_ROWS, NULL};
    if (!htmlkeep(&rows, kept)) return LMP_E_NOMEM;
    htmlout_begin(o, "tags", '{');
    htmlout_begin(o, "func", '[');
    for (uint32_t i = 0; i < kept->rows; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->tag[kept->row[i]].name));
    htmlout_end(o, ']');
    LmpErr err = put_figures(o, &rows, kept);
    htmlout_end(o, '}');
    return err;
}
