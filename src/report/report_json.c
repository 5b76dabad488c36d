/* report_json.c - the figures for machines: one JSON object in one line. Its keys are named as in
 * lmp.stats() and stay; new ones may come. A site only lists the types that it made any of; none,
 * where the ledger is brief. */
#include <math.h>

#include "read/ledger/ledger.h"
#include "report/json.h"
#include "report/report_impl.h"

/* ---- what it amounts to ---------------------------------------------------------------------- */

static void put_verdict_figures(Json *json, const Verdict *v) {
    json_begin(json, "figures", '{');
    for (uint32_t i = 0; i < VERDICT_FIGURES && v->figure[i].name; i++) {
        double value = v->figure[i].value;
        if (value == floor(value) && value >= 0 && value < 1e15)
            json_count(json, v->figure[i].name, (uint64_t)value);
        else
            json_number(json, v->figure[i].name, value);
    }
    json_end(json, '}');
}

static void put_place(Json *json, const char *source, const char *short_src, int line,
                      const char *func) {
    json_text(json, "source", source);
    json_text(json, "short_src", short_src);
    json_change(json, "line", line);
    json_text(json, "func", func);
}

static void put_verdict(Json *json, const Verdict *v) {
    char text[320];
    json_text(json, "rule", v->rule);
    json_text(json, "sentence", verdict_sentence(text, sizeof text, v));
    json_text(json, "advice", v->advice);
    if (v->site) put_place(json, v->source, v->short_src, v->line, v->func);
    json_number(json, "score", v->score);
    put_verdict_figures(json, v);
}

/* ---- sites, functions, tags, leaks ----------------------------------------------------------- */

static void put_types(Json *json, const LmpSiteRow *s) {
    json_begin(json, "types", '{');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        const LmpKindTally *kind = ledger_kind(s, k);
        if (kind->tally.allocs || kind->tag_allocs || kind->tally.live_bytes)
            json_object(json, kind_info[k].name, kind, kind_tally_figures);
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

static void put_site_place(Json *json, const LmpSiteRow *s) {
    put_place(json, s->raw_source, s->short_src, s->line, s->func);
}

static void put_site(Json *json, const Ledger *l, const LmpSiteRow *s) {
    put_site_place(json, s);
    json_figures(json, &s->tally, tally_figures);
    json_object(json, "here", s, here_figures);
    if (l->counts & LMP_COUNTS_INSTRUCTIONS) put_number(json, "instructions", s->instructions);
    put_types(json, s);
    put_calls(json, l, s);
}

static void put_function(Json *json, const Ledger *l, const LmpFunctionRow *f) {
    json_text(json, "source", f->raw_source);
    json_text(json, "short_src", f->short_src);
    json_change(json, "linedefined", f->linedefined);
    json_text(json, "func", f->name);
    json_object(json, "shallow", &f->shallow, tally_figures);
    if (l->counts & LMP_COUNTS_CALLS) put_number(json, "calls", f->calls);
    if (l->stacks) json_object(json, "retained", &f->retained, tally_figures);
}

static void put_tag(Json *json, const LmpTagRow *tag) {
    json_text(json, "name", tag->name);
    json_figures(json, &tag->tally, tally_figures);
}

static void put_edge(Json *json, const Ledger *l, const LmpEdgeRow *edge) {
    const LmpFunctionRow *caller = &l->function[edge->caller];
    const LmpFunctionRow *callee = &l->function[edge->callee];
    json_text(json, "source", caller->raw_source);
    json_text(json, "short_src", caller->short_src);
    json_text(json, "func", caller->name);
    json_change(json, "line", edge->line);
    json_text(json, "callee", callee->name);
    json_text(json, "callee_source", callee->raw_source);
    json_change(json, "callee_linedefined", callee->linedefined);
    put_number(json, "calls", edge->calls);
}

static void put_override(Json *json, const Ledger *l, const LmpOverrideRow *o) {
    json_begin(json, "made", '{');
    put_site_place(json, &l->site[o->made]);
    json_end(json, '}');
    json_begin(json, "here", '{');
    put_site_place(json, &l->site[o->here]);
    json_end(json, '}');
    json_figures(json, o, override_figures);
}

/* Of nodes there may be a million, and most of their figures are 0. */
static void put_node_tally(Json *json, const char *key, LmpTally tally) {
    json_begin(json, key, '{');
    json_node_figures(json, &tally, tally_figures);
    json_end(json, '}');
}

/* Nodes are an array, not objects within objects: a path can be 200 000 calls deep, and most JSON
 * readers recurse. Callers come before those that they call. Names are in `functions`: there they
 * are once. */
static void put_node(Json *json, const Ledger *l, uint32_t i) {
    LmpTreeRow node;
    ledger_node(l, i, &node);
    if (i) json_count(json, "function", node.function);
    json_change(json, "line", node.line);
    if (i) json_count(json, "parent", node.parent);
    if (node.flags & LMP_NODE_TAIL) json_flag(json, "tail", true);
    if (node.flags & LMP_NODE_COROUTINE) json_flag(json, "coroutine", true);
    put_node_tally(json, "shallow", ledger_shallow(l, i));
    if (node.children > 0) put_node_tally(json, "retained", ledger_retained(l, i));
}

static void put_leak(Json *json, const Ledger *l, const LmpLeak *leak) {
    put_site_place(json, &l->site[leak->site]);
    json_number(json, "bytes_per_cycle", leak->bytes_per_cycle);
    json_number(json, "bytes_per_second", leak->bytes_per_second);
    json_count(json, "grown", leak->gain);
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
    JSON_OBJECTS(json, "sites", i, v->leaks < r->leaks ? v->leaks : r->leaks,
                 put_leak(json, &r->ledger, &r->leak[i]));
    json_end(json, '}');
}

static void put_ledger(Json *json, const LmpReport *r) {
    const Ledger *l = &r->ledger;
    JSON_OBJECTS(json, "sites", i, l->sites, put_site(json, l, &l->site[i]));
    JSON_OBJECTS(json, "functions", i, l->functions, put_function(json, l, &l->function[i]));
    JSON_OBJECTS(json, "tags", i, l->tags, put_tag(json, &l->tag[i]));
    if (l->counts & LMP_COUNTS_CALLS)
        JSON_OBJECTS(json, "edges", i, l->edges, put_edge(json, l, &l->edge[i]));
    if (l->counts & LMP_COUNTS_OVERRIDES)
        JSON_OBJECTS(json, "overrides", i, l->overrides, put_override(json, l, &l->override[i]));
    if (l->stacks && l->nodes) JSON_OBJECTS(json, "tree", i, l->nodes, put_node(json, l, i));
    if (!json->range) put_leaks(json, r);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void put_left_out(Json *json, const LmpFigure *list) {
    for (const LmpFigure *f = list; f->name; f++)
        if (f->moment) json_text(json, NULL, f->name);
}

static void put_moment(Json *json, const ReportMoment *m) {
    json_begin(json, "moment", '{');
    json_text(json, "said", m->said);
    json_number(json, "late", m->late);
    json_number(json, "more_bytes", (double)m->more);
    json_count(json, "apart_bytes", m->apart);
    json_end(json, '}');
}

/* Which range of time all figures are of, and the fields that it has not. */
static void put_range(Json *json, const LmpReport *r) {
    json_begin(json, "range", '{');
    json_number(json, "from", (double)r->from / 1e9);
    json_number(json, "to", (double)r->until / 1e9);
    json_begin(json, "left_out", '[');
    put_left_out(json, stats_figures);
    put_left_out(json, tally_figures);
    json_text(json, NULL, "verdicts");
    json_text(json, NULL, "leaks");
    json_end(json, ']');
    json_end(json, '}');
}

LmpErr report_json(const LmpReport *report, FILE *out) {
    Json json = {.out = out, .range = report->from > 0};
    json_begin(&json, NULL, '{');
    json_text(&json, "program", report->program);
    json_count(&json, "pid", report->pid);
    if (report->forked_from) json_count(&json, "forked_from", report->forked_from);
    if (report->forked_from) json_count(&json, "before_bytes", report->before);
    json_text(&json, "lua", report->lua);
    json_text(&json, "ending", report->ending);
    if (report->error) json_text(&json, "error", report->error);
    if (report->damage) json_text(&json, "damage", report->damage);
    if (*report->moment.said) put_moment(&json, &report->moment);
    if (json.range) put_range(&json, report);
    json_figures(&json, json.range ? &report->range : &report->stats, stats_figures);
    const Verdicts *v = &report->verdicts;
    if (!json.range)
        JSON_OBJECTS(&json, "verdicts", i, v->count, put_verdict(&json, &v->verdict[i]));
    put_ledger(&json, report);
    json_end(&json, '}');
    fputc('\n', out);
    return LMP_OK;
}
