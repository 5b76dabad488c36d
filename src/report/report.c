/* report.c - what all reports are made from. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/ledger/ledger.h"
#include "report/report_impl.h"
#include "shared/counters.h"
#include "shared/history.h"

enum { LEAKS_MOST = 1000 };

/* The parts of the tables that every report has. */
static const unsigned ALWAYS = LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TAGS;

/* Where types are by path, lines need none of their own. */
static unsigned ledger_parts(unsigned parts, const LmpTables *tables) {
    bool stacks = tables && tables->text && tables_used(tables)->stacks == 1;
    if (stacks && parts & LEDGER_TREE_KINDS) parts |= LEDGER_BRIEF;
    return ALWAYS | LEDGER_ONCE | (parts & ~REPORT_PART_HISTORY);
}

static void judge(LmpReport *r, const LmpLive *live, const LmpTables *tables) {
    uint32_t most = r->ledger.sites < LEAKS_MOST ? r->ledger.sites : LEAKS_MOST;
    r->leak = most > 0 ? malloc(most * sizeof *r->leak) : NULL;
    ledger_leaks(&r->ledger, r->leak, r->leak ? most : 0, &r->leaks, &r->judgement);
    const VerdictInput input = {&r->stats, &r->gc,         &live->history,    &r->ledger,
                                tables,    live->resident, live->resident_own};
    if (!r->ledger_error) verdicts_make(&input, &r->verdicts);
}

static void fill_ledger(LmpReport *r, ReportBefore *before, const LmpTables *tables,
                        unsigned parts) {
    if (before) r->ledger.less = &before->nodes;
    r->ledger_error = ledger_refresh(&r->ledger, tables, ledger_parts(parts, tables), r->clock);
    if (!r->ledger_error) ledger_totals(&r->ledger, &r->stats);
    if (before && !r->ledger_error) r->ledger_error = ledger_between(&r->ledger, &before->ledger);
    r->ledger.less = NULL;
}

/* The last sample is of the program's last tick: what came since is added to it. */
static void complete_history(LmpHistory *h, const LmpLive *live) {
    const LmpCounters *c = &live->counters;
    const LmpHistoryPoint *last = &h->samples[h->used - 1];
    LmpClassTotal total[LMP_CLASSES];
    LmpHistoryPoint now = {
        .max_bytes = c->live_bytes, .min_bytes = c->live_bytes, .last_bytes = c->live_bytes};
    counters_read(c, total);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        now.allocs += total[cls].allocs;
        now.frees += total[cls].frees;
        now.alloc_bytes += total[cls].alloc_bytes + (uint64_t)total[cls].realloc_bytes;
        now.free_bytes += total[cls].free_bytes;
        now.kind_bytes[class_owner(cls)] += total[cls].live_bytes;
    }
    if (now.allocs < last->allocs || now.frees < last->frees) return; /* damage */
    now.gc_cycles = (uint32_t)live->gc.cycles;
    memcpy(now.held_bytes, last->held_bytes, sizeof now.held_bytes);
    history_add(h, (h->used - 1) * h->interval, &now);
}

/* Of a running program it may be in the middle of a merge; what is read is in bounds even so. */
static void copy_history(LmpReport *r, const LmpLive *live) {
    r->history = malloc(sizeof *r->history);
    if (!r->history) return;
    memcpy(r->history, &live->history, sizeof *r->history);
    if (r->history->used > LMP_HISTORY) r->history->used = LMP_HISTORY;
    if (r->history->used > 0 && r->history->interval > 0) complete_history(r->history, live);
}

static void copy_marks(LmpReport *r, const LmpLive *live) {
    uint32_t all = live->marks, n = all < LMP_MARKS ? all : LMP_MARKS;
    r->mark = n > 0 ? malloc(n * sizeof *r->mark) : NULL;
    for (r->marks = 0; r->mark && r->marks < n; r->marks++) {
        LmpMark *mark = &r->mark[r->marks];
        *mark = live->mark[(all - n + r->marks) % LMP_MARKS];
        mark->name[sizeof mark->name - 1] = 0;
    }
}

void report_set_range(LmpReport *report, uint64_t from, uint64_t until, uint64_t from_bytes) {
    report->from = from > 0 ? from : 1;
    report->until = until;
    report->from_bytes = from_bytes;
}

void report_set_apart(LmpReport *report, uint64_t bytes) {
    ReportMoment *m = &report->moment;
    char n[LMP_NUM];
    size_t at = strlen(m->said);
    m->apart = bytes;
    if (bytes > 0)
        snprintf(m->said + at, sizeof m->said - at, "%s%s came or went while it was read",
                 at ? "; " : "a program that ran on: ", format_bytes(n, bytes));
}

void report_fill_since(LmpReport *report, ReportBefore *before, const LmpHeader *header,
                       const LmpLive *live, const LmpTables *tables, unsigned parts, uint64_t clock,
                       const char *ending, LedgerWhen when) {
    memset(report, 0, sizeof *report);
    memcpy(report->program, header->program, sizeof report->program);
    memcpy(report->lua, header->lua, sizeof report->lua);
    report->program[sizeof report->program - 1] = report->lua[sizeof report->lua - 1] = 0;
    report->pid = header->pid;
    report->forked_from = header->forked_from;
    report->before = header->before;
    report->ending = ending;
    report->error = NULL;
    report->clock = clock;
    report->ledger.when = when;
    if (parts & REPORT_PART_HISTORY) copy_history(report, live);
    if (parts & REPORT_PART_HISTORY) copy_marks(report, live);
    report->peak_clock = live->counters.peak_clock;
    const LmpCounters begun = live->counters;
    stats_derive(live, clock, &report->stats);
    if (tables && tables->writer) report->stats.lines_end_seconds = 0;
    report->gc = live->gc;
    report->top = header->top < REPORT_TOP_MOST ? header->top : REPORT_TOP_MOST;
    bool known = tables && tables->text;
    if (known) fill_ledger(report, before, tables, parts);
    if (known) report_set_apart(report, counters_moved(&begun, &live->counters));
    if (before) {
        report_set_range(report, before->clock, clock, before->stats.live_bytes);
        report->taken = true;
        report->range = report->stats;
        stats_between(&report->range, &before->stats);
    }
    if (!known) return;
    if (!before && !(ledger_parts(parts, tables) & LEDGER_BRIEF)) judge(report, live, tables);
}

void report_fill_with(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                      const LmpTables *tables, unsigned parts, uint64_t clock, const char *ending,
                      LedgerWhen when) {
    report_fill_since(report, NULL, header, live, tables, parts, clock, ending, when);
}

LmpErr report_at_top(LmpReport *report, const LmpLive *live, const LmpTables *tables,
                     unsigned parts, uint64_t clock) {
    ledger_free(&report->ledger);
    free(report->leak);
    report->leak = NULL;
    report->leaks = 0;
    report->top_clock = clock > 0 ? clock : 1;
    LmpStats stats;
    stats_derive(live, live->clock, &stats);
    report->ledger_error =
        ledger_refresh(&report->ledger, tables, ledger_parts(parts, tables), live->clock);
    if (!report->ledger_error) ledger_totals(&report->ledger, &stats);
    report->top_bytes = stats.live_bytes;
    return report->ledger_error;
}

void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                 const LmpTables *tables, uint64_t clock, const char *ending) {
    report_fill_with(report, header, live, tables, 0, clock, ending, LEDGER_END);
}

void report_close(LmpReport *report) {
    ledger_free(&report->ledger);
    free(report->leak);
    free(report->history);
    free(report->mark);
    report->leak = NULL;
    report->history = NULL;
    report->mark = NULL;
    report->leaks = 0;
}

/* ---- ranges of time -------------------------------------------------------------------------- */

LmpErr report_before(ReportBefore *before, const LmpLive *live, const LmpTables *tables,
                     unsigned parts, uint64_t clock) {
    LmpErr err = LMP_OK;
    memset(before, 0, sizeof *before);
    before->clock = clock;
    stats_derive(live, clock, &before->stats);
    if (!tables || !tables->text) return LMP_OK;
    if (parts & LEDGER_TREE) err = ledger_nodes_keep(&before->nodes, tables);
    parts = ledger_parts(parts, tables) & ~(unsigned)(LEDGER_TREE | LEDGER_TREE_KINDS);
    if (!err) err = ledger_refresh(&before->ledger, tables, parts, clock);
    if (!err) ledger_totals(&before->ledger, &before->stats);
    if (err) report_before_free(before);
    return err;
}

void report_before_free(ReportBefore *before) {
    ledger_free(&before->ledger);
    ledger_nodes_free(&before->nodes);
}
