/* diff_runs.c - opens each recording at its moment, fills a report from it and closes it again;
 * then compares the two ledgers (rundiff) and writes the result in the wanted format. */
#include "reporting/diff_runs.h"

#include <stdio.h>

#include "command/command.h"
#include "command/operands.h"
#include "command/writeout.h"
#include "recording/reader/moment.h"
#include "reporting/runreport.h"

/* One of the two runs. The recording is closed as soon as the report is filled, and of the ledger's
 * tree only the figures that are compared stay: two trees of a million paths are large. */
typedef struct Side {
    LmpReport report;
    RunPaths paths;
    KeptTexts *sources;
    bool filled;
    char ending[64], damage[LMP_REC_DAMAGE];
} Side;

typedef struct Job {
    const DiffReportKind *kind;
    const DiffReport *report;
} Job;

static LmpErr write_job(const void *of, FILE *out) {
    const Job *job = of;
    return job->kind->write(job->report, out);
}

static bool say_cannot(const char *name, const char *what) {
    command_say("%s: %s", name, what);
    return false;
}

static LmpErr fill(Side *side, LmpRecording *r, uint32_t frame, unsigned parts) {
    const char *damage = recording_damage(r);
    LmpErr err = recording_seek(r, frame);
    if (err) return err;
    LedgerWhen when = runreport_ending_at(side->ending, sizeof side->ending, r, frame);
    uint64_t clock = runreport_clock_at(r, frame);
    LmpView *view = recording_spend(r);
    report_fill_with(&side->report, view->header, view->live, &view->tables, parts, clock,
                     side->ending, when);
    snprintf(side->damage, sizeof side->damage, "%s", damage ? damage : "");
    if (damage) side->report.damage = side->damage;
    side->report.sources = side->sources = recording_take_sources(r);
    side->filled = true;
    return LMP_OK;
}

/* Returns false if that failed; a line has said why. */
static bool open_side(Side *side, const char *name, unsigned parts) {
    LmpRecording *r;
    LmpMoment moment;
    if (!operand_recording_at(&r, name, &moment)) return false;
    LmpErr err = fill(side, r, moment.tables, parts);
    snprintf(side->report.moment.said, sizeof side->report.moment.said, "%s", moment.said);
    report_set_apart(&side->report, recording_tables_read(r).moved);
    recording_close(r);
    if (err) return say_cannot(name, "it is damaged there: another moment may be readable");
    err = side->report.ledger_error;
    if (err != LMP_E_NOMEM) err = runpaths_take(&side->paths, &side->report.ledger);
    return err == LMP_E_NOMEM ? say_cannot(name, "not enough memory to read it") : true;
}

static void close_side(Side *side) {
    if (side->filled) report_close(&side->report);
    runpaths_free(&side->paths);
    kepttexts_free(side->sources);
}

static int compare(const DiffRuns *wish, Side side[2]) {
    RunDiff diff;
    const Ledger *old = &side[0].report.ledger, *newer = &side[1].report.ledger;
    DiffReport report = {.old = {&side[0].report, wish->file[0]},
                         .newer = {&side[1].report, wish->file[1]},
                         .diff = &diff,
                         .top = wish->top,
                         .noise = wish->noise,
                         .fail = wish->fail,
                         .by_metric = wish->by_metric};
    if (report.noise == UINT64_MAX)
        report.noise = diffreport_noise(&side[0].report, &side[1].report, wish->metric);
    RunPaths paths[2] = {side[0].paths, side[1].paths};
    side[0].paths = side[1].paths = (RunPaths){0};
    if (rundiff_make_of(&diff, old, newer, paths, wish->metric, report.noise)) {
        command_say("not enough memory to compare them");
        return 1;
    }
    int status = writeout(wish->out, write_job, &(Job){wish->kind, &report});
    if (status == 0 && diffreport_fails(&report)) status = EXIT_DIFFERENT;
    rundiff_free(&diff);
    return status;
}

int diff_runs(const DiffRuns *wish) {
    static Side side[2]; /* large */
    int status = 1;
    unsigned parts = wish->kind->parts | LEDGER_BRIEF;
    if (open_side(&side[0], wish->file[0], parts) && open_side(&side[1], wish->file[1], parts))
        status = compare(wish, side);
    close_side(&side[0]);
    close_side(&side[1]);
    return status;
}
