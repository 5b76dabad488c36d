/* snapshot_json.c - a snapshot as JSON: its totals, the verdict, classes, types, lines, and Lua's
 * usual suspects. Sizes in bytes, times in seconds. */
#include <stdlib.h>
#include <string.h>

#include "read/snapshot/suspects.h"
#include "report/json.h"
#include "report/snapshot/snapshotreport_impl.h"

enum { TOP = 1000 };

static void put_info(Json *json, const LmpSnapshot *s) {
    json_text(json, "format", "lmp-heap");
    json_count(json, "version", 1);
    json_text(json, "program", s->info.program);
    json_text(json, "lua", s->info.lua);
    json_text(json, "lmp", s->info.lmp);
    json_count(json, "pid", s->info.pid);
    json_count(json, "state", s->info.serial);
    json_count(json, "snapshot", s->info.number);
    json_number(json, "seconds", (double)s->info.clock / 1e9);
    json_number(json, "stop_seconds", (double)s->info.stop / 1e9);
    json_number(json, "walk_seconds", (double)s->info.walk / 1e9);
    json_flag(json, "forked", s->info.taken == LMP_TAKEN_FORKED);
    json_text(json, "why_in_place", s->info.why_in_place);
    json_flag(json, "collected_before", s->info.collected != 0);
    json_flag(json, "paused", s->info.paused != 0);
    json_flag(json, "lines", s->ledger.lines != LMP_LINES_OFF);
    json_flag(json, "stacks", s->ledger.stacks);
    json_count(json, "sample", s->ledger.sample);
}

static void put_totals(Json *json, const LmpSnapshot *s) {
    json_count(json, "live_bytes", s->info.live_bytes);
    json_count(json, "live_blocks", s->info.live_blocks);
    json_count(json, "objects", s->g.objects ? s->g.objects - 1 : 0);
    json_count(json, "references", s->g.edges);
    json_count(json, "reachable_objects", s->reachable_objects);
    json_count(json, "reachable_bytes", s->reachable_bytes);
    json_count(json, "garbage_objects", s->garbage_objects);
    json_count(json, "garbage_bytes", s->garbage_bytes);
    json_count(json, "before_objects", s->before_objects);
    json_count(json, "before_bytes", s->before_bytes);
}

static void put_verdict(Json *json, const LmpSuspects *suspects, const LmpSnapshot *s) {
    static const char *const rule[LMP_SUSPECT_RULES] = {"holder",  "class",      "line",
                                                        "growth",  "strings",    "slots",
                                                        "garbage", "coroutines", "references"};
    char address[32];
    json_begin(json, "verdict", '[');
    for (uint32_t i = 0; i < suspects->rows; i++) {
        const LmpSuspect *row = &suspects->row[i];
        json_begin(json, NULL, '{');
        json_text(json, "rule", rule[row->rule]);
        json_flag(json, "fired", row->fired);
        json_count(json, "bytes", row->bytes);
        json_text(json, "words", row->words);
        json_text(json, "path", row->path);
        if (row->object != LMP_OBJECT_NONE) {
            snprintf(address, sizeof address, "0x%llx", (unsigned long long)s->g.addr[row->object]);
            json_text(json, "address", address);
        }
        json_end(json, '}');
    }
    json_end(json, ']');
}

static LmpErr put_groups(Json *json, const SnapshotReport *report, const char *key,
                         LmpSnapshotBy by) {
    LmpObjectGroups groups;
    uint32_t most = report->top ? report->top : TOP;
    LmpErr err = groups_make(&groups, report->s, by, false);
    if (err) return err;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < groups.groups && i < most; i++) {
        const LmpObjectGroup *g = &groups.group[i];
        json_begin(json, NULL, '{');
        json_text(json, "name", g->name);
        json_text(json, "type", objectgraph_kind(g->kind));
        json_count(json, "objects", g->objects);
        json_count(json, "bytes", g->size);
        json_count(json, "retained", g->retained);
        json_end(json, '}');
    }
    json_end(json, ']');
    groups_free(&groups);
    return LMP_OK;
}

static void put_row(Json *json, const LmpSuspectTable *t, uint32_t row) {
    for (uint32_t c = 0; c < SUSPECTS_COLUMNS && t->page->column[c].title; c++) {
        const LmpSuspectColumn *column = &t->page->column[c];
        if (column->cell == LMP_CELL_TEXT)
            json_text(json, column->name, t->row[row].text[c]);
        else
            json_count(json, column->name, t->row[row].number[c]);
    }
}

static LmpErr put_page(Json *json, const SnapshotReport *report, LmpSuspectPage page) {
    LmpSuspectTable t;
    uint32_t most = report->top ? report->top : TOP;
    LmpErr err = suspects_page_make(&t, report->s, page);
    if (err) return err;
    json_begin(json, t.page->name, '{');
    json_count(json, "bytes", t.all_bytes);
    json_count(json, "more_rows", t.more + (t.rows > most ? t.rows - most : 0));
    JSON_OBJECTS(json, "rows", i, t.rows < most ? t.rows : most, put_row(json, &t, i));
    json_end(json, '}');
    suspects_page_free(&t);
    return LMP_OK;
}

LmpErr snapshot_json(const SnapshotReport *report, FILE *out) {
    Json json = {.out = out};
    LmpSuspects *suspects = malloc(sizeof *suspects);
    LmpErr err =
        suspects ? suspects_make(suspects, report->s, report->old, report->before) : LMP_E_NOMEM;
    if (!err) {
        json_begin(&json, NULL, '{');
        put_info(&json, report->s);
        put_totals(&json, report->s);
        put_verdict(&json, suspects, report->s);
        err = put_groups(&json, report, "classes", LMP_BY_CLASS);
        if (!err) err = put_groups(&json, report, "types", LMP_BY_TYPE);
        if (!err) err = put_groups(&json, report, "sites", LMP_BY_LINE);
        if (!err && report->s->ledger.stacks) err = put_groups(&json, report, "paths", LMP_BY_PATH);
        for (uint32_t page = 0; page < LMP_PAGES && !err; page++)
            err = put_page(&json, report, (LmpSuspectPage)page);
        json_end(&json, '}');
        fputc('\n', out);
    }
    free(suspects);
    return err;
}
