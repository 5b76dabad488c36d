/* report_json.c - the figures for machines: one JSON object in one line. Its keys are named as in
 * lmp.stats() and stay; new ones may come. */
#include "read/ledger/ledger.h"
#include "report/json.h"
#include "report/report_impl.h"

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
    if (!json.range) json_verdicts(&json, report);
    json_ledger(&json, report);
    json_end(&json, '}');
    fputc('\n', out);
    return LMP_OK;
}
