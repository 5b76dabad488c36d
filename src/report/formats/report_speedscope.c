/* report_speedscope.c - call paths for speedscope: a profile for each figure, of all paths that
 * have some of it. */
#include <stdlib.h>
#include <string.h>

#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/formats/value.h"
#include "report/json.h"

typedef struct Scope {
    const LmpReport *report;
    const Paths *paths;
    char *line;  /* frames of the path, as their numbers, a comma after each */
    size_t *end; /* of each depth, in `line` */
    /* Of each row: rows are large, and there are two walks along them for each figure. */
    uint32_t *depth;
    uint64_t *own; /* of the figure */
} Scope;

static void put_frame(Json *json, const PathFrame *frame, bool last) {
    json_text(json, "name", frame->name);
    if (!last) json_text(json, "file", frame->where);
    if (frame->line > 0) json_change(json, "line", frame->line);
}

enum { NUMBER = 11 }; /* of a frame, with its comma */

static size_t append(const Scope *s, size_t at, uint32_t frame) {
    char digits[NUMBER];
    size_t n = sizeof digits;
    digits[--n] = ',';
    do
        digits[--n] = (char)('0' + frame % 10);
    while ((frame /= 10));
    memcpy(s->line + at, digits + n, sizeof digits - n);
    return at + sizeof digits - n;
}

static void put_stack(Json *json, const Scope *s, size_t end) {
    json_begin(json, NULL, '[');
    fwrite_unlocked(s->line, 1, end - 1, json->out);
    json_end(json, ']');
}

/* Samples, or their weights, in the same order; returns their sum. */
static uint64_t put_samples(Json *json, const Scope *s, ReportValue value, bool weights) {
    const Paths *p = s->paths;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < p->rows; i++) {
        uint32_t row = p->order[i], depth = s->depth[row];
        LmpTally below;
        if (depth > p->deepest) continue;
        if (!weights) s->end[depth] = append(s, s->end[depth - 1], p->frame[row]);
        uint64_t n[2] = {s->own[row], 0};
        if (depth == p->deepest && paths_below(p, row, &below)) n[1] = value_of(&below, value);
        for (uint32_t k = 0; k < 2; k++) {
            if (n[k] == 0) continue;
            if (weights)
                json_count(json, NULL, n[k]);
            else
                put_stack(json, s, k ? append(s, s->end[depth], p->frames - 1) : s->end[depth]);
            sum += n[k];
        }
    }
    return sum;
}

static void put_profile(const Scope *s, Json *json, ReportValue value) {
    char sampled[200], name[256];
    json_begin(json, NULL, '{');
    json_text(json, "type", "sampled");
    value_sampled(sampled, sizeof sampled, s->report, value);
    snprintf(name, sizeof name, "%s%s%s%s", report_values[value].name, *sampled ? " (" : "",
             sampled, *sampled ? ")" : "");
    json_text(json, "name", name);
    json_text(json, "unit", report_values[value].unit == REPORT_BYTES ? "bytes" : "none");
    json_count(json, "startValue", 0);
    for (uint32_t i = 0; i < s->paths->rows; i++) {
        const LmpTally own = ledger_shallow(s->paths->tree, i);
        s->own[i] = value_of(&own, value);
    }
    json_begin(json, "samples", '[');
    put_samples(json, s, value, false);
    json_end(json, ']');
    json_begin(json, "weights", '[');
    uint64_t sum = put_samples(json, s, value, true);
    json_end(json, ']');
    json_count(json, "endValue", sum);
    json_end(json, '}');
}

LmpErr report_speedscope(const LmpReport *report, FILE *out) {
    Paths p;
    LmpErr err = paths_open(&p, report);
    if (err) return err;
    Scope s = {.report = report,
               .paths = &p,
               .line = malloc(((size_t)p.deepest + 2) * NUMBER),
               .end = calloc((size_t)p.deepest + 1, sizeof *s.end),
               .depth = malloc(p.rows * sizeof *s.depth),
               .own = malloc(p.rows * sizeof *s.own)};
    Json json = {.out = out};
    char name[sizeof report->program + sizeof report->moment.said + 4];
    bool made = s.line && s.end && s.depth && s.own;
    for (uint32_t i = 0; made && i < p.rows; i++)
        s.depth[i] = ledger_links(p.tree, i).depth;
    if (made) {
        json_begin(&json, NULL, '{');
        json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
        json_begin(&json, "shared", '{');
        JSON_OBJECTS(&json, "frames", f, p.frames, put_frame(&json, &p.of[f], f + 1 == p.frames));
        json_end(&json, '}');
        json_begin(&json, "profiles", '[');
        for (ReportValue v = 0; v < VALUES; v++)
            put_profile(&s, &json, v);
        json_end(&json, ']');
        bool said = *report->moment.said;
        snprintf(name, sizeof name, "%s%s%s", report->program, said ? " of " : "",
                 report->moment.said);
        json_text(&json, "name", name);
        json_count(&json, "activeProfileIndex", value_chosen(report));
        json_text(&json, "exporter", "lmp@" LMP_VERSION);
        json_end(&json, '}');
        fputc('\n', out);
    }
    free(s.line);
    free(s.end);
    free(s.depth);
    free(s.own);
    paths_close(&p);
    return made ? LMP_OK : LMP_E_NOMEM;
}
