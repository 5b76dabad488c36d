/* snapshot_diff.c - what changed between two snapshots, as text or JSON: made, gone and kept by
 * class, and by line and call path where these are known. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects.h"
#include "report/json.h"
#include "report/snapshot/snapshotreport_impl.h"
#include "report/text.h"

enum { TOP = 20, NAME = 40, NAME_STEPS = 32, WIDTH = 12 };

/* Of different runs nothing is kept: there only what is more or less is a change. */
static bool changed(const SnapshotDiff *d, const LmpSnapshotChange *c) {
    if (!compare_same_run(d->old, d->newer)) return c->made != c->gone || compare_steps(c) != 0;
    return c->made || c->gone || c->grown_bytes;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Snapshot i of the series: the oldest, those between, the newest. */
static const LmpSnapshot *nth(const SnapshotDiff *d, uint32_t i) {
    return i == 0 ? d->old : i <= d->betweens ? d->between[i - 1] : d->newer;
}

static int64_t step_all(const SnapshotDiff *d, uint32_t step) {
    return (int64_t)(nth(d, step + 1)->reachable_bytes - nth(d, step)->reachable_bytes);
}

/* The first `steps` of them. */
static LmpErr make_steps(LmpSnapshotSteps *growth, const SnapshotDiff *d, uint32_t steps) {
    LmpErr err = LMP_OK;
    for (uint32_t i = 0; i < steps && !err; i++)
        err = compare_add_step(growth, nth(d, i), nth(d, i + 1));
    return err;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_name(const LmpSnapshotChange *c, int width, FILE *out) {
    char made[LMP_NUM], gone[LMP_NUM];
    fputs("  ", out);
    text_put_whole(out, c->name, 2, width);
    fprintf(out, " %*s %*s", WIDTH, text_count(made, c->made, WIDTH), WIDTH,
            text_count(gone, c->gone, WIDTH));
}

static void put_row(const LmpSnapshotChange *c, FILE *out) {
    char kept[LMP_NUM], bytes[LMP_NUM];
    put_name(c, NAME, out);
    fprintf(out, " %*s %*s\n", WIDTH, text_count(kept, c->kept, WIDTH), WIDTH,
            format_delta_bytes(bytes, compare_steps(c)));
}

/* Step by step; `all`: the sum of the table, whose steps are those of the whole heap. */
static void put_steps(const SnapshotDiff *d, const LmpSnapshotSteps *growth,
                      const LmpSnapshotChange *c, bool all, FILE *out) {
    char bytes[LMP_NUM];
    put_name(c, NAME_STEPS, out);
    for (uint32_t i = 0; i < growth->steps; i++)
        fprintf(out, " %*s", WIDTH,
                format_delta_bytes(bytes, all ? step_all(d, i) : compare_grown_by(growth, c, i)));
    fprintf(out, " %*s\n", WIDTH, format_delta_bytes(bytes, compare_steps(c)));
}

static void put_titles(const SnapshotDiff *d, const LmpSnapshotSteps *growth, const char *title,
                       FILE *out) {
    char step[32];
    bool steps = growth->steps > 1;
    fprintf(out, "\n  %-*s %*s %*s", steps ? NAME_STEPS : NAME, title, WIDTH, "made", WIDTH,
            "gone");
    if (!steps) fprintf(out, " %*s", WIDTH, "kept");
    for (uint32_t i = 0; steps && i < growth->steps; i++) {
        snprintf(step, sizeof step, "%u to %u", nth(d, i)->info.number, nth(d, i + 1)->info.number);
        fprintf(out, " %*s", WIDTH, step);
    }
    fprintf(out, " %*s\n", WIDTH, "growth");
}

static void put_table(const SnapshotDiff *d, const LmpSnapshotCompare *compare,
                      const LmpSnapshotSteps *growth, const char *title, FILE *out) {
    uint32_t most = d->top ? d->top : TOP, shown = 0, more = 0;
    bool steps = growth->steps > 1;
    put_titles(d, growth, title, out);
    for (uint32_t i = 0; i < compare->changes; i++) {
        const LmpSnapshotChange *c = &compare->change[i];
        if (!changed(d, c)) continue;
        if (shown++ >= most)
            more++;
        else if (steps)
            put_steps(d, growth, c, false, out);
        else
            put_row(c, out);
    }
    if (more > 0) fprintf(out, "  %u more\n", more);
    if (shown == 0) fputs("  nothing changed\n", out);
    LmpSnapshotChange all = compare->all;
    snprintf(all.name, sizeof all.name, "all");
    if (steps)
        put_steps(d, growth, &all, true, out);
    else
        put_row(&all, out);
}

static void put_head(const SnapshotDiff *d, FILE *out) {
    char program[300], a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], from[LMP_NUM], to[LMP_NUM];
    int64_t change = (int64_t)d->newer->info.live_bytes - (int64_t)d->old->info.live_bytes;
    fprintf(out, "Heap of %s: from snapshot %u (%s) to %u (%s)\n",
            format_text(program, sizeof program, d->newer->info.program, 0), d->old->info.number,
            format_clock(from, d->old->info.clock), d->newer->info.number,
            format_clock(to, d->newer->info.clock));
    fprintf(out, "%s live, now %s: %s\n", format_bytes(a, d->old->info.live_bytes),
            format_bytes(b, d->newer->info.live_bytes), format_delta_bytes(c, change));
    if (d->old->garbage_bytes || d->newer->garbage_bytes)
        fprintf(out, "of it garbage %s, now %s, which is in no row below\n",
                format_bytes(a, d->old->garbage_bytes), format_bytes(b, d->newer->garbage_bytes));
    for (uint32_t i = 0; i < d->betweens; i++)
        fprintf(out, "%s snapshot %u (%s), %s live%s", i > 0 ? "," : "By way of",
                d->between[i]->info.number, format_clock(from, d->between[i]->info.clock),
                format_bytes(a, d->between[i]->info.live_bytes), i + 1 == d->betweens ? "\n" : "");
    if (!compare_same_run(d->old, d->newer))
        fputs("They are of different runs: no object is the same, only classes and lines are\n",
              out);
}

static void put_grown(const LmpSuspects *suspects, FILE *out) {
    bool first = true;
    for (uint32_t i = 0; i < suspects->rows; i++) {
        const LmpSuspect *row = &suspects->row[i];
        bool about = row->rule == LMP_SUSPECT_GROWN || strstr(row->words, " grew by ");
        if (!about || !row->fired) continue;
        fprintf(out, "%s  %s\n", first ? "\n" : "", row->words);
        if (*row->path) fprintf(out, "      %s\n", row->path);
        first = false;
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_json_steps(Json *json, const SnapshotDiff *d, const LmpSnapshotSteps *growth,
                           const LmpSnapshotChange *c, bool all) {
    bool each = true;
    if (growth->steps < 2) return;
    json_begin(json, "steps_growth_bytes", '[');
    for (uint32_t i = 0; i < growth->steps; i++) {
        int64_t bytes = all ? step_all(d, i) : compare_grown_by(growth, c, i);
        json_change(json, NULL, bytes);
        each = each && bytes > 0;
    }
    json_end(json, ']');
    json_flag(json, "grew_each_time", each);
}

static void put_change(Json *json, const SnapshotDiff *d, const LmpSnapshotSteps *growth,
                       const char *key, const LmpSnapshotChange *c) {
    json_begin(json, key, '{');
    json_text(json, "name", c->name);
    json_text(json, "type", objectgraph_kind(c->kind));
    json_count(json, "made", c->made);
    json_count(json, "made_bytes", c->made_bytes);
    json_count(json, "gone", c->gone);
    json_count(json, "gone_bytes", c->gone_bytes);
    json_count(json, "kept", c->kept);
    json_count(json, "kept_bytes", c->kept_bytes);
    json_change(json, "kept_grown_bytes", c->grown_bytes);
    json_change(json, "growth_bytes", compare_steps(c));
    put_json_steps(json, d, growth, c, key != NULL);
    json_end(json, '}');
}

static void put_changes(Json *json, const SnapshotDiff *d, const LmpSnapshotSteps *growth,
                        const LmpSnapshotCompare *compare, const char *key) {
    uint32_t most = d->top ? d->top : compare->changes;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < compare->changes && most > 0; i++)
        if (changed(d, &compare->change[i])) {
            put_change(json, d, growth, NULL, &compare->change[i]);
            most--;
        }
    json_end(json, ']');
}

static void put_json_head(Json *json, const SnapshotDiff *d) {
    json_text(json, "format", "lmp-heap-diff");
    json_count(json, "version", 1);
    json_text(json, "program", d->newer->info.program);
    json_flag(json, "same_run", compare_same_run(d->old, d->newer));
    json_count(json, "old_snapshot", d->old->info.number);
    json_count(json, "new_snapshot", d->newer->info.number);
    json_count(json, "old_live_bytes", d->old->info.live_bytes);
    json_count(json, "new_live_bytes", d->newer->info.live_bytes);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* What both are compared by; `key` of the JSON. The first has the sums, too. */
static const struct {
    LmpSnapshotBy by;
    const char *title, *key;
} tables[] = {{LMP_BY_CLASS, "Class", "classes"},
              {LMP_BY_LINE, "Line", "sites"},
              {LMP_BY_PATH, "Call path", "paths"}};

static LmpErr put_by(Json *json, const SnapshotDiff *d, size_t table, FILE *out) {
    LmpSnapshotBy by = tables[table].by;
    LmpSnapshotCompare compare;
    LmpSnapshotSteps growth = {.by = by};
    LmpErr err = compare_any(&compare, d->old, d->newer, by);
    if (err) return err;
    if (d->betweens > 0) err = make_steps(&growth, d, d->betweens + 1);
    if (!err && json && table == 0) put_change(json, d, &growth, "all", &compare.all);
    if (!err && json) put_changes(json, d, &growth, &compare, tables[table].key);
    if (!err && !json) put_table(d, &compare, &growth, tables[table].title, out);
    compare_free_steps(&growth);
    compare_free(&compare);
    return err;
}

static LmpErr make_suspects(LmpSuspects *out, const SnapshotDiff *d) {
    LmpSnapshotSteps before = {.by = suspects_steps_by(d->newer)};
    LmpErr err = make_steps(&before, d, d->betweens);
    if (!err) err = suspects_make(out, d->newer, nth(d, d->betweens), &before);
    compare_free_steps(&before);
    return err;
}

/* Returns true if all of the snapshots know it. */
static bool known(const SnapshotDiff *d, LmpSnapshotBy by) {
    for (uint32_t i = 0; i <= d->betweens + 1; i++) {
        const Ledger *ledger = &nth(d, i)->ledger;
        if (by == LMP_BY_LINE && ledger->lines == LMP_LINES_OFF) return false;
        if (by == LMP_BY_PATH && !ledger->stacks) return false;
    }
    return true;
}

LmpErr snapshotdiff_write(const SnapshotDiff *d, FILE *out) {
    Json json = {.out = out}, *to = d->json ? &json : NULL;
    LmpSuspects *suspects = malloc(sizeof *suspects);
    LmpErr err = suspects ? make_suspects(suspects, d) : LMP_E_NOMEM;
    if (to) json_begin(to, NULL, '{');
    if (to) put_json_head(to, d);
    if (!to) put_head(d, out);
    if (!err && !to) put_grown(suspects, out);
    free(suspects);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !err; i++)
        if (known(d, tables[i].by)) err = put_by(to, d, i, out);
    if (to) {
        json_end(to, '}');
        fputc('\n', out);
    }
    return err;
}
