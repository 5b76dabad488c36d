/* runreport.c - fills one LmpReport from a recording (seeks the frame, or both frames of a range)
 * or from a running program's view, then has the wanted format write it. The words how a run ended
 * come from the wait status, else from the state's own account (view_seen), else from whether the
 * process is alive. */
#include "reporting/runreport.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "base/os.h"
#include "command/command.h"
#include "command/operands.h"
#include "command/writeout.h"
#include "recording/reader/moment.h"

/* ---- how a run ended ------------------------------------------------------------------------- */

void runreport_ending(char *out, size_t size, const LmpView *view, uint32_t ended) {
    int status = ended ? (int)(ended - 1) : 0;
    if (ended && WIFSIGNALED(status)) {
        const char *name = format_signal(WTERMSIG(status));
        snprintf(out, size, "killed by signal %d (%s)", WTERMSIG(status), name ? name : "SIGRT");
    } else if (ended && WEXITSTATUS(status) != 0) {
        snprintf(out, size, "exited with status %d", WEXITSTATUS(status));
    } else if (view_seen(view, true) == LMP_SEEN_FINISHED) {
        snprintf(out, size, ended ? "finished" : "ended");
    } else if (ended) {
        snprintf(out, size, "ended without stopping the profiler");
    } else {
        snprintf(out, size,
                 view->pid && lmp_os->alive(view->pid) ? "still running"
                 : view->header->forked_from           ? "ended without saying how"
                                                       : "killed, or crashed");
    }
}

LedgerWhen runreport_ending_at(char *out, size_t size, LmpRecording *recording, uint32_t frame) {
    snprintf(out, size, "as it was");
    if (!(recording_frame(recording, frame).flags & LMP_FRAME_END)) return LEDGER_THEN;
    runreport_ending(out, size, recording_view(recording), recording_ended(recording));
    return LEDGER_END;
}

uint64_t runreport_clock_at(LmpRecording *recording, uint32_t frame) {
    const LmpView *view = recording_view(recording);
    bool finished = view_seen(view, true) == LMP_SEEN_FINISHED;
    return finished ? view->live->clock : recording_frame(recording, frame).clock;
}

/* ---- one report ------------------------------------------------------------------------------ */

static LmpReport report; /* large */
static KeptTexts *sources;

typedef struct Job {
    const LmpReportKind *kind;
    const LmpReport *report;
} Job;

static LmpErr write_job(const void *of, FILE *out) {
    const Job *job = of;
    return job->kind->write(job->report, out);
}

/* Writes the filled report, and frees it. */
static int put(const RunReport *wish) {
    Job job = {wish->kind, &report};
    report.metric = wish->metric;
    report.unit = wish->unit;
    report.leaks_only = wish->leaks_only;
    if (wish->top) report.top = wish->top;
    if (report.ledger.nodes > 0 && report.moment.apart > report.ledger.all.live_bytes / 100)
        command_say("sums by call path are not quite of one moment: %s", report.moment.said);
    const char *lacks = report_lacks(wish->kind, &report);
    int status = 1;
    if (lacks) {
        command_say("no report %s: %s", wish->kind->name, lacks);
    } else if (!wish->out && wish->kind->flags & REPORT_BINARY && isatty(STDOUT_FILENO)) {
        command_say("%s is not for a terminal: -o FILE", wish->kind->name);
    } else {
        status = writeout(wish->out, write_job, &job);
    }
    report_close(&report);
    return status;
}

static unsigned parts_of(const LmpReportKind *kind, const LmpView *view) {
    bool stacks = view->live->tables.stacks;
    return stacks ? kind->parts : kind->parts & ~(unsigned)(LEDGER_TREE | LEDGER_TREE_KINDS);
}

/* ---- recordings ------------------------------------------------------------------------------ */

static ReportMoment moment; /* of the report that is to be filled */

/* Finds the frame of a moment that has tables, and notes what the report says of that moment. The
 * end that nobody asked for is mentioned only if it was not recorded. Returns false if there is no
 * such moment; a line has said so. */
static bool find(LmpRecording *r, const char *text, bool asked, uint32_t *frame) {
    LmpMoment m;
    if (!operand_moment(r, "", text, &m)) return false;
    *frame = m.tables;
    if (!asked && m.late == 0) return true;
    size_t n = strlen(moment.said);
    snprintf(moment.said + n, sizeof moment.said - n, "%s%s", n ? "; " : "", m.said);
    moment.late = (double)m.late / 1e9;
    moment.more = m.more;
    return true;
}

static bool seek(const RunReport *wish, LmpRecording *r, uint32_t frame) {
    LmpErr err = recording_seek(r, frame);
    if (err)
        command_say("%s: %s", wish->file,
                    err == LMP_E_NOMEM ? "not enough memory to read it"
                                       : "it is damaged there: another moment may be readable");
    return !err;
}

static bool take_before(const RunReport *wish, LmpRecording *r, uint32_t from,
                        ReportBefore *before) {
    if (!seek(wish, r, from)) return false;
    const LmpView *view = recording_view(r);
    LmpErr err = report_before(before, view->live, &view->tables, parts_of(wish->kind, view),
                               view->live->clock);
    moment.apart = recording_tables_read(r).moved;
    if (err) command_say("not enough memory to read what was there before");
    return !err;
}

/* Returns true if the page may offer other moments, for which the recording stays open. That takes
 * memory, so not for large trees. */
static bool seeks(const RunReport *wish, const LmpView *view) {
    return wish->kind->flags & REPORT_SEEKS && tables_nodes(&view->tables) <= REPORT_SEEKS_NODES;
}

/* Returns the frame with tables, within the range, at which the heap was highest. */
static uint32_t highest(const LmpRecording *r, uint32_t from, uint32_t to) {
    uint32_t top = to;
    for (uint32_t i = from + 1; i < to; i++) {
        LmpFrameInfo info = recording_frame(r, i);
        if (info.flags & LMP_FRAME_TABLES && info.live_bytes > recording_frame(r, top).live_bytes)
            top = i;
    }
    return top;
}

/* Fills the report of the moment that the recording is at, and copies what it needs, unless it
 * seeks. */
static void fill(const RunReport *wish, LmpRecording *r, ReportBefore *before, bool last) {
    static char ending[64], again[LMP_REC_AGAIN], damage[LMP_REC_DAMAGE];
    LmpView *view = recording_view(r);
    bool stays = seeks(wish, view);
    LedgerWhen when = runreport_ending_at(ending, sizeof ending, r, recording_now(r));
    if (recording_again(r)) snprintf(again, sizeof again, "%s", recording_again(r));
    if (recording_damage(r)) snprintf(damage, sizeof damage, "%s", recording_damage(r));
    uint64_t apart = moment.apart + recording_tables_read(r).moved;
    uint64_t clock = runreport_clock_at(r, recording_now(r));
    if (last && !stays) recording_spend(r);
    report_fill_since(&report, before, view->header, view->live, &view->tables,
                      parts_of(wish->kind, view), clock, ending, when);
    report.moment = moment;
    report_set_apart(&report, apart);
    if (*again) report.again = again;
    if (*damage) report.damage = damage;
    report.recording = stays ? r : NULL;
    report.sources = sources = recording_take_sources(r);
}

/* Uses the recorder's clock: the program's stands still while it sleeps. */
static void set_range(LmpRecording *r, uint32_t from, uint32_t to) {
    LmpFrameInfo begun = recording_frame(r, from), end = recording_frame(r, to);
    report_set_range(&report, begun.clock, end.clock, begun.live_bytes);
}

/* Fills a report of what was allocated and freed in the range, and how much more is live. */
static bool fill_between(const RunReport *wish, LmpRecording *r, uint32_t from, uint32_t to) {
    ReportBefore before = {0};
    bool ready = take_before(wish, r, from, &before) && seek(wish, r, to);
    if (ready) fill(wish, r, &before, true);
    if (ready) set_range(r, from, to);
    report_before_free(&before);
    return ready;
}

/* Fills a report of a part of the time, with the rows of its highest moment. */
static bool fill_at_top(const RunReport *wish, LmpRecording *r, uint32_t from, uint32_t to) {
    RunReport rowless = *wish;
    LmpReportKind kind = *wish->kind;
    uint32_t top = highest(r, from, to);
    kind.parts = REPORT_PART_HISTORY;
    rowless.kind = &kind;
    if (!seek(wish, r, to)) return false;
    fill(&rowless, r, NULL, false);
    set_range(r, from, to);
    bool ready = seek(wish, r, top);
    if (ready) {
        const LmpView *view = recording_spend(r);
        report.moment = moment;
        report_set_apart(&report, recording_tables_read(r).moved);
        ready = !report_at_top(&report, view->live, &view->tables, parts_of(wish->kind, view),
                               recording_frame(r, top).clock);
        if (!ready) command_say("not enough memory for its rows");
    }
    if (!ready) report_close(&report);
    return ready;
}

static bool fill_range(const RunReport *wish, LmpRecording *r, uint32_t from, uint32_t to) {
    if (wish->kind->flags & REPORT_AT_TOP) return fill_at_top(wish, r, from, to);
    if (!(wish->kind->flags & REPORT_WHOLE)) return fill_between(wish, r, from, to);
    bool other =
        wish->kind->flags & REPORT_SEEKS; /* a page that can show another range has all of them */
    LmpMoment last = {.tables = to};
    if (other && !operand_moment(r, "", "end", &last)) return false;
    if (!seek(wish, r, last.tables)) return false;
    fill(wish, r, NULL, true);
    set_range(r, from, to);
    return true;
}

/* Finds the frames that were asked for. Returns false if there are none; a line has said why. */
static bool choose(const RunReport *wish, LmpRecording *r, uint32_t *from, uint32_t *to) {
    const char *end = wish->to ? wish->to : wish->moment ? wish->moment : "end";
    operand_say_damage(r, wish->file);
    if (wish->from && !find(r, wish->from, true, from)) return false;
    if (!find(r, end, wish->to || wish->moment, to)) return false;
    if (!wish->from || *from < *to) return true;
    command_say("--from is not before --to, or nothing was recorded in between");
    return false;
}

int runreport_of_recording(const RunReport *wish, LmpRecording *r) {
    uint32_t from = 0, to;
    bool filled = choose(wish, r, &from, &to);
    if (filled && wish->from) {
        filled = fill_range(wish, r, from, to);
    } else if (filled) {
        filled = seek(wish, r, to);
        if (filled) fill(wish, r, NULL, true);
    }
    bool stays = filled && report.recording;
    if (!stays) recording_close(r); /* before writing, which takes memory, too */
    int status = filled ? put(wish) : 1;
    if (stays) recording_close(r);
    kepttexts_free(sources);
    sources = NULL;
    return status;
}

/* ---- programs -------------------------------------------------------------------------------- */

int runreport_of_program(const RunReport *wish, uint32_t pid, uint32_t serial) {
    static LmpView view; /* large */
    if (!operand_state(pid, serial, &view)) return 1;
    if (wish->from || wish->to) {
        command_say("--from and --to are of recordings: lmp record %u", pid);
        view_close(&view);
        return 1;
    }
    report_fill_with(&report, view.header, view.live, &view.tables, parts_of(wish->kind, &view),
                     view_clock(&view), "still running", LEDGER_NOW);
    if (view.pid) report.pid = view.pid;
    report.attached = true;
    view_close(&view); /* the report has copied all of it */
    return put(wish);
}
