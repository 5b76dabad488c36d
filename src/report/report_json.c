/* report_json.c - the figures for machines: one JSON object in one line. Its keys are named as in
 * lmp.stats() and stay; new ones may come. */
#include "report/json.h"
#include "report/report_impl.h"

LmpErr report_json(const LmpReport *report, FILE *out) {
    Json json = {out, false};
    json_begin(&json, NULL, '{');
    json_text(&json, "program", report->program);
    json_count(&json, "pid", report->pid);
    json_text(&json, "lua", report->lua);
    json_text(&json, "ending", report->ending);
    if (report->error) json_text(&json, "error", report->error);
    json_figures(&json, &report->stats, stats_figures);
    json_verdicts(&json, report);
    json_ledger(&json, report);
    json_end(&json, '}');
    fputc('\n', out);
    return LMP_OK;
}
