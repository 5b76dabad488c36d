/* run_gate.c - judges each state's report, and its snapshot if a limit needs one, against the
 * limits of `lmp run` (gate/gate.h). All text is collected in memory and then written at once, to
 * stderr and to JUnit's file. */
#include "run/run_gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/outfile.h"
#include "gate/gate.h"
#include "report/save.h"

typedef struct Judge {
    const RunGate *gate;
    LmpFinding *finding; /* one for each limit, of the state being judged */
    FILE *text, *junit;  /* junit NULL: not asked for */
    pid_t main;
    bool failed; /* the program itself has failed */
    bool broken;
} Judge;

static bool wants_snapshot(const RunOptions *want) {
    for (uint32_t i = 0; i < want->limits; i++)
        if (want->limit[i].figure == LIMIT_HELD) return true;
    return false;
}

/* The directory is private: a snapshot has the program's strings. */
void run_gate_open(RunGate *g, const RunOptions *want, const char *program) {
    *g = (RunGate){.want = want, .program = program, .directory = {.lock = -1}};
    if (want->snapshot || !wants_snapshot(want)) return;
    g->why = privatedir_open(&g->directory, "lmp-gate");
    if (!g->why) snprintf(g->file, sizeof g->file, "%s/end.heap", g->directory.path);
}

const char *run_gate_snapshot(const RunGate *g) {
    return g->file[0] ? g->file : NULL;
}

void run_gate_close(RunGate *g) {
    privatedir_close(&g->directory);
    g->file[0] = 0;
}

/* ---- one state ------------------------------------------------------------------------------- */

static void say(Judge *j, const LmpGateOf *of) {
    uint32_t limits = j->gate->want->limits;
    for (uint32_t i = 0; i < limits; i++)
        j->broken |= j->finding[i].broken;
    gate_text(of, j->finding, limits, j->text);
    if (j->junit) gate_junit_suite(of, j->finding, limits, j->junit);
}

/* Opens the snapshot of the state's end. Returns NULL if it is open, else why not ("": none is
 * needed). */
static const char *open_snapshot(const Judge *j, LmpView *view, LmpSnapshot *heap) {
    static LmpSnapshotLive s;
    if (!wants_snapshot(j->gate->want)) return "";
    view_copy_snapshot(view, &s);
    s.file[sizeof s.file - 1] = 0;
    if (s.state == LMP_SNAPSHOT_FAILED) return err_message((LmpErr)s.error);
    if (j->gate->why) return outfile_problem(j->gate->why);
    if (s.state != LMP_SNAPSHOT_WRITTEN) return "there is no snapshot of its end";
    LmpErr err = snapshot_open(heap, s.file);
    return err ? err_message(err) : NULL;
}

static void judge_state(void *with, const LmpReport *report, LmpView *view) {
    Judge *j = with;
    const RunOptions *want = j->gate->want;
    static LmpSnapshot heap;
    bool ended = view_seen(view, true) == LMP_SEEN_FINISHED;
    LmpGateInput in = {report, &view->tables, ended, NULL, NULL};
    in.no_snapshot = ended ? open_snapshot(j, view, &heap) : "";
    if (!in.no_snapshot) in.heap = &heap;
    for (uint32_t i = 0; i < want->limits; i++)
        gate_judge(&want->limit[i], &in, &j->finding[i]);
    say(j, &(LmpGateOf){report->program, report->ending, report->pid, report->stats.seconds,
                        j->failed && report->pid == (uint32_t)j->main});
    if (in.heap) snapshot_close(&heap);
}

static void judge_unknown(Judge *j, const char *why) {
    const RunOptions *want = j->gate->want;
    for (uint32_t i = 0; i < want->limits; i++)
        gate_unknown(&want->limit[i], why, &j->finding[i]);
    say(j, &(LmpGateOf){j->gate->program, why, 0, 0, j->failed});
}

/* ---- all ------------------------------------------------------------------------------------- */

typedef struct Text {
    const char *bytes;
    size_t size;
} Text;

static LmpErr write_text(const void *of, FILE *out) {
    const Text *text = of;
    fwrite(text->bytes, 1, text->size, out);
    return LMP_OK; /* save_file sees a failed write */
}

bool run_gate_judge(const RunGate *g, const Collect *c, const CollectEnd *end) {
    const RunOptions *want = g->want;
    char *text = NULL, *xml = NULL;
    size_t text_size = 0, xml_size = 0;
    Judge j = {.gate = g, .main = end->pid, .failed = end->status != 0};
    if (!want || !want->limits) return true;
    j.finding = calloc(want->limits, sizeof *j.finding);
    j.text = open_memstream(&text, &text_size);
    j.junit = want->junit ? open_memstream(&xml, &xml_size) : NULL;
    bool whole = j.finding && j.text && (j.junit || !want->junit);
    if (whole) {
        if (j.junit) gate_junit_begin(j.junit);
        if (collect_each(c, end, judge_state, &j) > 0)
            judge_unknown(&j, "a Lua state could not be read");
        if (c->refused > 0) judge_unknown(&j, "a Lua state ran unprofiled");
        if (!c->count && !c->lost && !c->refused) judge_unknown(&j, "no Lua state was profiled");
        if (j.junit) gate_junit_end(j.junit);
    }
    whole &= j.text && fclose(j.text) == 0;
    if (j.junit) whole &= fclose(j.junit) == 0;
    if (!whole) command_say("the limits cannot be told: not enough memory");
    if (whole) io_write_all(STDERR_FILENO, text, text_size);
    Text junit = {xml, xml_size};
    if (whole && want->junit && save_file(want->junit, write_text, &junit))
        command_say("cannot write %s: %s", want->junit, outfile_problem(errno));
    free(text);
    free(xml);
    free(j.finding);
    return whole && !j.broken;
}
