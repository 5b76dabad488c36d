/* htmlpage_tables.c - sites, functions and tags: an array a column. What a table has no room for is
 * one row more, its last, which has the figures of all of them. */
#include <stdlib.h>
#include <string.h>

#include "report/page/htmlpage_impl.h"

enum { CHARTS = 500 }; /* sites with what they held after collections */

/* Columns of figures, and "more": how many rows the last one stands for. */
static LmpErr put_figures(Json *json, const HtmlRows *rows, const HtmlKept *kept) {
    json_count(json, "more", rows->rows - kept->rows);
    return htmlkeep_columns(json, rows, kept, LMP_COLUMN_OF_RUN);
}

/* ---- sites ----------------------------------------------------------------------------------- */

static const LmpTally *site_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->site[i].tally;
}

/* type, bytes live, bytes made, and so on */
static void put_types(Json *json, const LmpSiteRow *s) {
    json_begin(json, NULL, '[');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        const LmpTally *t = &ledger_kind(s, k)->tally;
        if (!tally_made(t) && !t->allocs) continue;
        json_count(json, NULL, k);
        json_count(json, NULL, t->live_bytes);
        json_count(json, NULL, tally_made(t));
    }
    json_end(json, ']');
}

static void put_calls(Json *json, const Ledger *l, const HtmlKept *kept) {
    json_begin(json, "calls", '['); /* site, C function, live, made, allocations */
    for (uint32_t i = 0; i < kept->rows; i++) {
        const LmpSiteRow *s = &l->site[kept->row[i]];
        for (uint32_t d = 0; d < s->details; d++) {
            const LmpSiteDetail *c = &l->detail[s->first_detail + d];
            if (!*c->name) continue;
            json_begin(json, NULL, '[');
            json_count(json, NULL, i);
            json_word(json, c->name);
            json_count(json, NULL, c->tally.live_bytes);
            json_count(json, NULL, tally_made(&c->tally));
            json_count(json, NULL, c->tally.allocs);
            json_end(json, ']');
        }
    }
    json_end(json, ']');
}

static void put_charts(Json *json, const Ledger *l, const HtmlKept *kept) {
    json_begin(json, "held", '[');
    for (uint32_t i = 0; i < kept->rows && i < CHARTS; i++) {
        uint64_t even[LMP_LIVE_HISTORY];
        const uint64_t *held = l->site[kept->row[i]].live_history;
        uint32_t n = held ? ledger_live_history_even(l, held, even) : 0;
        JSON_LIST(json, NULL, k, n, json_count(json, NULL, even[k]));
    }
    json_end(json, ']');
}

static void put_leaks(Json *json, const LmpReport *r, const HtmlKept *kept) {
    json_begin(json, "grows", '['); /* site, bytes a full collection, bytes */
    for (uint32_t i = 0; i < r->judgement.leaks && i < r->leaks; i++) {
        uint32_t site = r->leak[i].site;
        if (site >= r->ledger.sites || kept->place[site] == HTML_NOWHERE) continue;
        json_begin(json, NULL, '[');
        json_count(json, NULL, kept->place[site]);
        json_number(json, NULL, r->leak[i].bytes_per_cycle);
        json_count(json, NULL, r->leak[i].gain);
        json_end(json, ']');
    }
    json_end(json, ']');
}

static void put_places(Json *json, const Ledger *l, const HtmlKept *kept) {
    JSON_LIST(json, "id", i, kept->rows, json_count(json, NULL, l->site[kept->row[i]].id));
    JSON_LIST(json, "src", i, kept->rows, json_word(json, l->site[kept->row[i]].short_src));
    JSON_LIST(json, "line", i, kept->rows, json_change(json, NULL, l->site[kept->row[i]].line));
    JSON_LIST(json, "func", i, kept->rows, json_word(json, l->site[kept->row[i]].func));
    JSON_LIST(json, "types", i, kept->rows, put_types(json, &l->site[kept->row[i]]));
}

LmpErr htmlpage_sites(Json *json, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    HtmlKept *kept = &all->sites;
    const HtmlRows rows = {l, site_tally, NULL, &l->all, l->sites, all->rows_most, NULL};
    if (!htmlkeep(&rows, kept)) return LMP_E_NOMEM;
    json_begin(json, "sites", '{');
    put_places(json, l, kept);
    put_calls(json, l, kept);
    put_charts(json, l, kept);
    put_leaks(json, r, kept);
    LmpErr err = put_figures(json, &rows, kept);
    json_end(json, '}');
    return err;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const LmpTally *function_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->function[i].shallow;
}

static const LmpTally *function_retained(const void *of, uint32_t i) {
    return &((const Ledger *)of)->function[i].retained;
}

static void put_functions(Json *json, const Ledger *l, const HtmlKept *kept) {
    JSON_LIST(json, "src", i, kept->rows, json_word(json, l->function[kept->row[i]].short_src));
    JSON_LIST(json, "line", i, kept->rows,
              json_change(json, NULL, l->function[kept->row[i]].linedefined));
    JSON_LIST(json, "func", i, kept->rows, json_word(json, l->function[kept->row[i]].name));
    JSON_LIST(json, "calls", i, kept->rows,
              json_count(json, NULL, l->function[kept->row[i]].calls));
}

LmpErr htmlpage_functions(Json *json, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    HtmlKept *kept = &all->functions;
    const HtmlRows own = {l, function_tally, NULL, &l->all, l->functions, all->rows_most, NULL};
    const HtmlRows with = {l, function_retained, NULL, &l->all, l->functions, all->rows_most, NULL};
    if (!htmlkeep(l->stacks ? &with : &own, kept)) return LMP_E_NOMEM;
    json_begin(json, "functions", '{');
    put_functions(json, l, kept);
    json_begin(json, "own", '{');
    LmpErr err = put_figures(json, &own, kept);
    json_end(json, '}');
    json_begin(json, "with", '{');
    if (!err && l->stacks) err = put_figures(json, &with, kept);
    json_end(json, '}');
    json_end(json, '}');
    return err;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static const LmpTally *tag_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->tag[i].tally;
}

LmpErr htmlpage_tags(Json *json, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    HtmlKept *kept = &all->tags;
    const HtmlRows rows = {l, tag_tally, NULL, &l->all, l->tags, all->rows_most, NULL};
    if (!htmlkeep(&rows, kept)) return LMP_E_NOMEM;
    json_begin(json, "tags", '{');
    JSON_LIST(json, "func", i, kept->rows, json_word(json, l->tag[kept->row[i]].name));
    LmpErr err = put_figures(json, &rows, kept);
    json_end(json, '}');
    return err;
}
