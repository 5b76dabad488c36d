/* report_json_ledger.c - sites, functions, tags and leaks for machines, all of them. Keys as in
 * lmp.stats(). A site only lists the types that it made any of; none, where the ledger is brief. */
#include "read/ledger/ledger.h"
#include "report/json.h"
#include "report/report_impl.h"

static void put_types(Json *json, const LmpKindTally kind[LMP_KINDS]) {
    json_begin(json, "types", '{');
    for (unsigned k = 0; kind && k < LMP_KINDS; k++) {
        const LmpTally *t = &kind[k].tally;
        if (!t->allocs && !kind[k].tag_allocs && !t->live_bytes) continue;
        json_begin(json, kind_info[k].name, '{');
        json_figures(json, &kind[k], kind_tally_figures);
        json_end(json, '}');
    }
    json_end(json, '}');
}

static void put_calls(Json *json, const Ledger *l, const LmpSiteRow *s) {
    json_begin(json, "calls", '[');
    for (uint32_t i = 0; i < s->details; i++) {
        const LmpSiteDetail *d = &l->detail[s->first_detail + i];
        if (!*d->name) continue; /* the line itself */
        json_begin(json, NULL, '{');
        json_text(json, "name", d->name);
        json_figures(json, &d->tally, tally_figures);
        json_end(json, '}');
    }
    json_end(json, ']');
}

/* What the program counts beside memory: in a range of time it may be less. */
static void put_number(Json *json, const char *key, uint64_t n) {
    json_change(json, key, (int64_t)n);
}

static void put_place(Json *json, const LmpSiteRow *s) {
    json_text(json, "source", s->raw_source);
    json_text(json, "short_src", s->short_src);
    json_change(json, "line", s->line);
    json_text(json, "func", s->func);
}

static void put_sites(Json *json, const Ledger *l) {
    json_begin(json, "sites", '[');
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        json_begin(json, NULL, '{');
        put_place(json, s);
        json_figures(json, &s->tally, tally_figures);
        json_begin(json, "here", '{');
        json_figures(json, s, here_figures);
        json_end(json, '}');
        if (l->counts & LMP_COUNTS_INSTRUCTIONS) put_number(json, "instructions", s->instructions);
        put_types(json, s->kind);
        put_calls(json, l, s);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_tally(Json *json, const char *key, const LmpTally *tally) {
    json_begin(json, key, '{');
    json_figures(json, tally, tally_figures);
    json_end(json, '}');
}

static void put_functions(Json *json, const Ledger *l) {
    json_begin(json, "functions", '[');
    for (uint32_t i = 0; i < l->functions; i++) {
        const LmpFunctionRow *f = &l->function[i];
        json_begin(json, NULL, '{');
        json_text(json, "source", f->raw_source);
        json_text(json, "short_src", f->short_src);
        json_change(json, "linedefined", f->linedefined);
        json_text(json, "func", f->name);
        put_tally(json, "shallow", &f->shallow);
        if (l->counts & LMP_COUNTS_CALLS) put_number(json, "calls", f->calls);
        if (l->stacks) put_tally(json, "retained", &f->retained);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_tags(Json *json, const Ledger *l) {
    json_begin(json, "tags", '[');
    for (uint32_t i = 0; i < l->tags; i++) {
        json_begin(json, NULL, '{');
        json_text(json, "name", l->tag[i].name);
        json_figures(json, &l->tag[i].tally, tally_figures);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_edges(Json *json, const Ledger *l) {
    if (!(l->counts & LMP_COUNTS_CALLS)) return;
    json_begin(json, "edges", '[');
    for (uint32_t i = 0; i < l->edges; i++) {
        const LmpEdgeRow *edge = &l->edge[i];
        const LmpFunctionRow *caller = &l->function[edge->caller];
        const LmpFunctionRow *callee = &l->function[edge->callee];
        json_begin(json, NULL, '{');
        json_text(json, "source", caller->raw_source);
        json_text(json, "short_src", caller->short_src);
        json_text(json, "func", caller->name);
        json_change(json, "line", edge->line);
        json_text(json, "callee", callee->name);
        json_text(json, "callee_source", callee->raw_source);
        json_change(json, "callee_linedefined", callee->linedefined);
        put_number(json, "calls", edge->calls);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_overrides(Json *json, const Ledger *l) {
    if (!(l->counts & LMP_COUNTS_OVERRIDES)) return;
    json_begin(json, "overrides", '[');
    for (uint32_t i = 0; i < l->overrides; i++) {
        const LmpOverrideRow *o = &l->override[i];
        const struct {
            const char *name;
            uint32_t site;
        } place[] = {{"made", o->made}, {"here", o->here}};
        json_begin(json, NULL, '{');
        for (int k = 0; k < 2; k++) {
            json_begin(json, place[k].name, '{');
            put_place(json, &l->site[place[k].site]);
            json_end(json, '}');
        }
        put_number(json, "frees", o->frees);
        put_number(json, "free_bytes", o->free_bytes);
        put_number(json, "reallocs", o->reallocs);
        json_change(json, "realloc_bytes", o->realloc_bytes);
        put_number(json, "realloc_old", o->realloc_old);
        json_end(json, '}');
    }
    json_end(json, ']');
}

/* Of nodes there may be a million, and most of their figures are 0. */
static void put_node_tally(Json *json, const char *key, const LmpTally *tally) {
    json_begin(json, key, '{');
    json_node_figures(json, tally, tally_figures);
    json_end(json, '}');
}

/* An array, not objects within objects: a path can be 200 000 calls deep, and most JSON readers
 * recurse. Callers come before those that they call. Names are in `functions`: there they are once.
 */
static void put_tree(Json *json, const Ledger *l) {
    if (!l->stacks || !l->nodes) return;
    json_begin(json, "tree", '[');
    for (uint32_t i = 0; i < l->nodes; i++) {
        const LmpTreeRow *node = &l->tree[i];
        json_begin(json, NULL, '{');
        if (i > 0) json_count(json, "function", node->function);
        json_change(json, "line", node->line);
        if (i > 0) json_count(json, "parent", node->parent);
        if (node->flags & LMP_NODE_TAIL) json_flag(json, "tail", true);
        if (node->flags & LMP_NODE_COROUTINE) json_flag(json, "coroutine", true);
        put_node_tally(json, "shallow", &node->shallow);
        if (node->children > 0) put_node_tally(json, "retained", &node->retained);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_leaks(Json *json, const LmpReport *r) {
    static const char *const growth[] = {
        [LMP_GROWTH_UNKNOWN] = "unknown",
        [LMP_GROWTH_WAIT] = "cannot tell yet",
        [LMP_GROWTH_NONE] = "none",
        [LMP_GROWTH_FOUND] = "found",
    };
    const LmpJudgement *v = &r->judgement;
    json_begin(json, "leaks", '{');
    json_text(json, "growth", growth[v->growth]);
    json_count(json, "full_cycles", v->cycles);
    json_count(json, "missing", v->missing);
    json_count(json, "growing", v->steady);
    json_count(json, "lately", v->lately);
    json_text(json, "verdict", v->words);
    json_begin(json, "sites", '[');
    for (uint32_t i = 0; i < v->leaks && i < r->leaks; i++) {
        const LmpLeak *leak = &r->leak[i];
        json_begin(json, NULL, '{');
        put_place(json, &r->ledger.site[leak->site]);
        json_number(json, "bytes_per_cycle", leak->bytes_per_cycle);
        json_number(json, "bytes_per_second", leak->bytes_per_second);
        json_count(json, "grown", leak->gain);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
}

void json_ledger(Json *json, const LmpReport *r) {
    const Ledger *l = &r->ledger;
    put_sites(json, l);
    put_functions(json, l);
    put_tags(json, l);
    put_edges(json, l);
    put_overrides(json, l);
    put_tree(json, l);
    if (!json->range) put_leaks(json, r);
}
