/* report.c - what all reports are made from. */
#include <stdlib.h>
#include <string.h>

#include "report/report_impl.h"

enum { LEAKS_MOST = 1000 };

/* The parts of the tables that every report has. */
static const unsigned ALWAYS = LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TAGS;

static void fill_ledger(LmpReport *r, const LmpTables *tables, uint64_t clock, unsigned parts) {
    r->ledger_error = ledger_refresh(&r->ledger, tables, parts, clock);
    uint32_t most = r->ledger.sites < LEAKS_MOST ? r->ledger.sites : LEAKS_MOST;
    r->leak = most > 0 ? malloc(most * sizeof *r->leak) : NULL;
    ledger_leaks(&r->ledger, r->leak, r->leak ? most : 0, &r->leaks, &r->judgement);
}

/* Of a running program it may be in the middle of a merge; what is read is in bounds all the same.
 */
static void copy_history(LmpReport *r, const LmpLive *live) {
    r->history = malloc(sizeof *r->history);
    if (!r->history) return;
    memcpy(r->history, &live->history, sizeof *r->history);
    if (r->history->used > LMP_HISTORY) r->history->used = LMP_HISTORY;
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

void report_fill_with(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                      const LmpTables *tables, unsigned parts, uint64_t clock, const char *ending) {
    memset(report, 0, sizeof *report);
    memcpy(report->program, header->program, sizeof report->program);
    memcpy(report->lua, header->lua, sizeof report->lua);
    report->program[sizeof report->program - 1] = report->lua[sizeof report->lua - 1] = 0;
    report->pid = header->pid;
    report->ending = ending;
    report->error = NULL;
    report->clock = clock;
    if (parts & REPORT_PART_HISTORY) copy_history(report, live);
    if (parts & REPORT_PART_HISTORY) copy_marks(report, live);
    report->peak_clock = live->counters.peak_clock;
    stats_derive(live, clock, &report->stats);
    report->gc = live->gc;
    report->top = header->top < REPORT_TOP_MOST ? header->top : REPORT_TOP_MOST;
    if (!tables || !tables->text) return;
    fill_ledger(report, tables, clock, ALWAYS | (parts & ~REPORT_PART_HISTORY));
    const VerdictInput input = {&report->stats, &report->gc,    &live->history,    &report->ledger,
                                tables,         live->resident, live->resident_own};
    if (!report->ledger_error) verdicts_make(&input, &report->verdicts);
}

void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                 const LmpTables *tables, uint64_t clock, const char *ending) {
    report_fill_with(report, header, live, tables, 0, clock, ending);
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
