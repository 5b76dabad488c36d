/* diff_runs.c - see diff_runs.h. */
#include "cmd/diff_runs.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "cmd/command.h"
#include "cmd/ending.h"
#include "cmd/recopen.h"
#include "cmd/writeout.h"
#include "record/moment.h"

/* One of the two: what its report was made from stays open, for its texts. */
typedef struct Side {
    LmpRecording *recording;
    LmpReport report;
    char ending[64];
} Side;

typedef struct Job {
    const DiffReportKind *kind;
    const DiffReport *report;
} Job;

static LmpErr write_job(const void *of, FILE *out) {
    const Job *job = of;
    return job->kind->write(job->report, out);
}

bool diff_runs_is(const char *name) {
    char file[4096];
    moment_split(file, sizeof file, name);
    return recopen_is(file);
}

static bool say_cannot(const char *name, const char *what) {
    char text[1024];
    command_say("%s: %s", format_text(text, sizeof text, name, 0), what);
    return false;
}

static void fill(Side *side, uint32_t frame, unsigned parts) {
    LmpView *view = recording_view(side->recording);
    if (recording_frame(side->recording, frame).flags & LMP_FRAME_END)
        ending_words(side->ending, sizeof side->ending, view, recording_ended(side->recording));
    else
        snprintf(side->ending, sizeof side->ending, "as it was");
    report_fill_with(&side->report, view->header, view->live, &view->tables, parts,
                     view->live->clock, side->ending);
}

/* False: said. */
static bool open_side(Side *side, const char *name, unsigned parts) {
    uint32_t frame;
    if (!recopen_at(&side->recording, name, &frame, NULL)) {
        side->recording = NULL; /* nothing is open */
        return false;
    }
    if (recording_seek(side->recording, frame))
        return say_cannot(name, "it is damaged there: another moment may be readable");
    fill(side, frame, parts);
    if (side->report.ledger_error == LMP_E_NOMEM)
        return say_cannot(name, "not enough memory to read it");
    return true;
}

static void close_side(Side *side) {
    if (!side->recording) return;
    report_close(&side->report);
    recording_close(side->recording);
}

static int put(const DiffRuns *wish, const DiffReport *report) {
    Job job = {wish->kind, report};
    int status = writeout(wish->out, write_job, &job);
    return status == 0 && diffreport_fails(report) ? EXIT_DIFFERENT : status;
}

static int compare(const DiffRuns *wish, const Side side[2]) {
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
    if (rundiff_make(&diff, old, newer, wish->metric, report.noise)) {
        command_say("not enough memory to compare them");
        return 1;
    }
    int status = put(wish, &report);
    rundiff_free(&diff);
    return status;
}

int diff_runs(const DiffRuns *wish) {
    static Side side[2]; /* large */
    int status = 1;
    if (open_side(&side[0], wish->file[0], wish->kind->parts) &&
        open_side(&side[1], wish->file[1], wish->kind->parts))
        status = compare(wish, side);
    close_side(&side[0]);
    close_side(&side[1]);
    return status;
}
