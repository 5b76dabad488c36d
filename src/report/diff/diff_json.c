/* diff_json.c - what differs between two runs, for machines: one JSON object. Its keys stay; new
 * ones may come. */
#include "report/diff/diffreport_impl.h"
#include "report/json.h"

static void put_side(Json *json, const char *key, const DiffSide *side) {
    json_begin(json, key, '{');
    json_text(json, "file", side->name);
    json_text(json, "program", side->report->program);
    json_text(json, "lua", side->report->lua);
    json_text(json, "ending", side->report->ending);
    if (side->report->damage) json_text(json, "damage", side->report->damage);
    if (*side->report->moment.said) json_text(json, "moment", side->report->moment.said);
    json_number(json, "seconds", side->report->stats.seconds);
    json_end(json, '}');
}

static void put_total(Json *json, const DiffReport *r, const DiffTotal *t) {
    json_begin(json, t->key, '{');
    json_count(json, "old", t->was);
    json_count(json, "new", t->is);
    json_change(json, "change", (int64_t)(t->is - t->was));
    json_flag(json, "broken", diffreport_broken(r, t));
    json_end(json, '}');
}

static void put_types(Json *json, const DiffReport *r) {
    json_begin(json, "types", '{');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        uint64_t was = r->old.report->stats.kind[k].live_bytes;
        uint64_t is = r->newer.report->stats.kind[k].live_bytes;
        json_begin(json, kind_info[k].name, '{');
        json_count(json, "old_live_bytes", was);
        json_count(json, "new_live_bytes", is);
        json_change(json, "change", (int64_t)(is - was));
        json_end(json, '}');
    }
    json_end(json, '}');
}

static void put_figures(Json *json, const char *key, const LmpTally *t) {
    json_begin(json, key, '{');
    for (int m = 0; m < RUNDIFF_METRICS; m++)
        json_count(json, rundiff_metric_names[m], rundiff_figure(t, (RunDiffMetric)m));
    json_end(json, '}');
}

static void put_row(Json *json, const DiffReport *r, RunDiffBy by, const RunDiffRow *row) {
    DiffWhat w = diff_what(r, by, row);
    json_begin(json, NULL, '{');
    json_text(json, "name", w.name);
    if (by != RUNDIFF_TAGS) json_text(json, "source", w.short_src);
    if (w.line >= 0) json_count(json, "line", (uint64_t)w.line);
    if (w.was_line >= 0) json_count(json, "old_line", (uint64_t)w.was_line);
    json_text(json, "how", diff_how_words[row->how]);
    json_change(json, "change", rundiff_change(row, r->diff->metric));
    put_figures(json, "old", &row->was);
    put_figures(json, "new", &row->is);
    json_end(json, '}');
}

/* Noise, too, unless fewer rows are asked for: a machine can leave out what it likes. */
static void put_table(Json *json, const DiffReport *r, RunDiffBy by, const char *key) {
    const RunDiffTable *t = &r->diff->table[by];
    uint32_t most = r->top && r->top < t->rows ? r->top : t->rows;
    JSON_LIST(json, key, i, most, put_row(json, r, by, &t->row[i]));
}

LmpErr diff_json(const DiffReport *r, FILE *out) {
    static const char *const keys[RUNDIFF_BYS] = {"sites", "functions", "tags"};
    Json json = {.out = out};
    DiffTotal total[DIFF_TOTALS];
    DiffDoubts doubts = diff_doubts(r);
    diffreport_totals(r, total);
    json_begin(&json, NULL, '{');
    json_text(&json, "format", "lmp-diff");
    json_count(&json, "version", 1);
    put_side(&json, "old", &r->old);
    put_side(&json, "new", &r->newer);
    JSON_LIST(&json, "doubts", i, doubts.lines, json_text(&json, NULL, doubts.line[i]));
    json_text(&json, "metric", rundiff_metric_names[r->diff->metric]);
    json_count(&json, "noise", r->noise);
    json_flag(&json, "failed", diffreport_fails(r));
    json_begin(&json, "totals", '{');
    for (int i = 0; i < DIFF_TOTALS; i++)
        put_total(&json, r, &total[i]);
    json_end(&json, '}');
    put_types(&json, r);
    for (int by = 0; by < RUNDIFF_BYS; by++)
        put_table(&json, r, (RunDiffBy)by, keys[by]);
    json_end(&json, '}');
    fputc('\n', out);
    return LMP_OK;
}
