/* heap_diff.c - what changed between two snapshots, as text or JSON: made, gone and kept by class,
 * and by line where lines are known. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects.h"
#include "report/heap/heapreport_impl.h"
#include "report/json.h"
#include "report/text.h"

enum { TOP = 20, NAME = 40, WIDTH = 12 };

static int64_t growth(const LmpHeapChange *c) {
    return (int64_t)c->made_bytes - (int64_t)c->gone_bytes + c->grown_bytes;
}

/* Of different runs nothing is kept: there only what is more or less is a change. */
static bool changed(const HeapDiff *d, const LmpHeapChange *c) {
    if (!compare_same_run(d->old, d->newer)) return c->made != c->gone || growth(c) != 0;
    return c->made || c->gone || c->grown_bytes;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_row(const LmpHeapChange *c, FILE *out) {
    char made[LMP_NUM], gone[LMP_NUM], kept[LMP_NUM], bytes[LMP_NUM];
    fputs("  ", out);
    text_put(out, c->name, NAME, false);
    fprintf(out, " %*s %*s %*s %*s\n", WIDTH, text_count(made, c->made, WIDTH), WIDTH,
            text_count(gone, c->gone, WIDTH), WIDTH, text_count(kept, c->kept, WIDTH), WIDTH,
            format_delta_bytes(bytes, growth(c)));
}

static void put_table(const HeapDiff *d, const LmpHeapCompare *compare, const char *title,
                      FILE *out) {
    uint32_t most = d->top ? d->top : TOP, shown = 0, more = 0;
    fprintf(out, "\n  %-*s %*s %*s %*s %*s\n", NAME, title, WIDTH, "made", WIDTH, "gone", WIDTH,
            "kept", WIDTH, "growth");
    for (uint32_t i = 0; i < compare->changes; i++) {
        if (!changed(d, &compare->change[i])) continue;
        if (shown < most) {
            put_row(&compare->change[i], out);
            shown++;
        } else {
            more++;
        }
    }
    if (more > 0) fprintf(out, "  %u more\n", more);
    if (shown == 0) fputs("  nothing changed\n", out);
    LmpHeapChange all = compare->all;
    snprintf(all.name, sizeof all.name, "all");
    put_row(&all, out);
}

static void put_head(const HeapDiff *d, FILE *out) {
    char program[300], a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], from[LMP_NUM], to[LMP_NUM];
    int64_t change = (int64_t)d->newer->info.live_bytes - (int64_t)d->old->info.live_bytes;
    fprintf(out, "Heap of %s: from snapshot %u (%s) to %u (%s)\n",
            format_text(program, sizeof program, d->newer->info.program, 0), d->old->info.number,
            format_clock(from, d->old->info.clock), d->newer->info.number,
            format_clock(to, d->newer->info.clock));
    fprintf(out, "%s live, now %s: %s\n", format_bytes(a, d->old->info.live_bytes),
            format_bytes(b, d->newer->info.live_bytes), format_delta_bytes(c, change));
    if (!compare_same_run(d->old, d->newer))
        fputs("They are of different runs: no object is the same, only classes and lines are\n",
              out);
}

static void put_growth(const LmpSuspects *suspects, FILE *out) {
    bool first = true;
    for (uint32_t i = 0; i < suspects->rows; i++) {
        const LmpSuspect *row = &suspects->row[i];
        bool about = row->rule == LMP_SUSPECT_GROWTH || strstr(row->words, " grew by ");
        if (!about || !row->fired) continue;
        fprintf(out, "%s  %s\n", first ? "\n" : "", row->words);
        if (*row->path) fprintf(out, "      %s\n", row->path);
        first = false;
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_change(Json *json, const char *key, const LmpHeapChange *c) {
    json_begin(json, key, '{');
    json_text(json, "name", c->name);
    json_text(json, "type", heapgraph_kind(c->kind));
    json_count(json, "made", c->made);
    json_count(json, "made_bytes", c->made_bytes);
    json_count(json, "gone", c->gone);
    json_count(json, "gone_bytes", c->gone_bytes);
    json_count(json, "kept", c->kept);
    json_count(json, "kept_bytes", c->kept_bytes);
    json_change(json, "kept_grown_bytes", c->grown_bytes);
    json_change(json, "growth_bytes", growth(c));
    json_end(json, '}');
}

static void put_changes(Json *json, const HeapDiff *d, const LmpHeapCompare *compare,
                        const char *key) {
    uint32_t most = d->top ? d->top : compare->changes;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < compare->changes && most > 0; i++)
        if (changed(d, &compare->change[i])) {
            put_change(json, NULL, &compare->change[i]);
            most--;
        }
    json_end(json, ']');
}

static void put_json_head(Json *json, const HeapDiff *d) {
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

static LmpErr put_by(Json *json, const HeapDiff *d, LmpHeapBy by, FILE *out) {
    LmpHeapCompare compare;
    bool line = by == LMP_BY_LINE;
    LmpErr err = compare_same_run(d->old, d->newer) ? compare_make(&compare, d->old, d->newer, by)
                                                    : compare_runs(&compare, d->old, d->newer, by);
    if (err) return err;
    if (json && !line) put_change(json, "all", &compare.all);
    if (json)
        put_changes(json, d, &compare, line ? "sites" : "classes");
    else
        put_table(d, &compare, line ? "Line" : "Class", out);
    compare_free(&compare);
    return LMP_OK;
}

LmpErr heapdiff_write(const HeapDiff *d, FILE *out) {
    Json json = {.out = out}, *to = d->json ? &json : NULL;
    LmpSuspects *suspects = malloc(sizeof *suspects);
    LmpErr err = suspects ? suspects_make(suspects, d->newer, d->old) : LMP_E_NOMEM;
    if (to) json_begin(to, NULL, '{');
    if (to) put_json_head(to, d);
    if (!to) put_head(d, out);
    if (!err && !to) put_growth(suspects, out);
    free(suspects);
    if (!err) err = put_by(to, d, LMP_BY_CLASS, out);
    bool lines = d->newer->ledger.lines != LMP_LINES_OFF && d->old->ledger.lines != LMP_LINES_OFF;
    if (!err && lines) err = put_by(to, d, LMP_BY_LINE, out);
    if (to) {
        json_end(to, '}');
        fputc('\n', out);
    }
    return err;
}
