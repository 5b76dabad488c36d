/* cmd_report.c - `lmp report`: writes a recording, or a heap snapshot, in a format for people or
 * other tools. The file's first bytes say which of the two it is; each has formats of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "command/operands.h"
#include "command/writeout.h"
#include "read/snapshot/suspects.h"
#include "recording/reader/moment.h"
#include "report/snapshot/snapshotreport.h"
#include "reporting/runreport.h"
#include "subcommands/subcommands.h"

/* What an option is for: a report of a run, of a heap, of both. */
enum { OF_BOTH = 0, OF_RUN = 1, OF_SNAPSHOT = 2 };

enum {
    O_OUTPUT,
    O_FROM,
    O_TO,
    O_METRIC,
    O_UNIT,
    O_LEAK_ONLY,
    O_OBJECT,
    O_OLDER,
    O_TOP,
    O_NO_STACKS,
    O_REDACT,
    O_LIST,
    OPTIONS
};

static const Option options[] = {
    [O_OUTPUT] = {"output", "OUT",
                  "write to OUT, which is replaced when all is written (also -o OUT)"},
    [O_FROM] = {"from", "TIME", "of a recording: what happened from then on (see FILE@MOMENT)"},
    [O_TO] = {"to", "TIME", "up to then (default: the end)"},
    [O_METRIC] = {"metric", "METRIC", "live, allocated, peak or temporary: what it is about"},
    [O_UNIT] = {"unit", "UNIT", "bytes or blocks"},
    [O_LEAK_ONLY] = {"leak-only", NULL, "with memprof: only what is held"},
    [O_OBJECT] = {"object", "ADDRESS",
                  "of a heap, with dot: the paths to the object at this address (0x...)"},
    [O_OLDER] = {"older", "FILE",
                 "of a heap, with summary and json: an earlier snapshot of the run, for what grew "
                 "since; several times: for what grew each time"},
    [O_TOP] = {"top", "N", "rows of each table, or nodes of the graph"},
    [O_NO_STACKS] = {"no-stacks", NULL,
                     "with heapsnapshot: without call paths, which VS Code cannot read"},
    [O_REDACT] = {"redact", NULL,
                  "of a heap: hide what strings contain, keys, and all names but Lua's own"},
    [O_LIST] = {"list", NULL, "list the formats"},
    {0},
};

static const unsigned char option_of[OPTIONS] = {
    [O_FROM] = OF_RUN,        [O_TO] = OF_RUN,
    [O_METRIC] = OF_RUN,      [O_UNIT] = OF_RUN,
    [O_LEAK_ONLY] = OF_RUN,   [O_OBJECT] = OF_SNAPSHOT,
    [O_OLDER] = OF_SNAPSHOT,  [O_NO_STACKS] = OF_SNAPSHOT,
    [O_REDACT] = OF_SNAPSHOT,
};

static const Example examples[] = {
    {"lmp report lmp-4711.lmprec", "the summary of a run that was recorded"},
    {"lmp report flat lmp-4711.lmprec@peak", "functions, as they were at the peak"},
    {"lmp report pprof lmp-4711.lmprec -o app.pb.gz", "for `go tool pprof -http=: app.pb.gz`"},
    {"lmp report folded --from=1:00 --metric=allocated lmp-4711.lmprec",
     "what was made after the first minute, for flame graphs"},
    {"lmp report summary lmp-4711-1.heap", "what holds most, and who holds it"},
    {"lmp report treemap lmp-4711-1.heap -o heap.html", "a picture for the browser"},
    {"lmp report heapsnapshot lmp-4711-1.heap -o app.heapsnapshot", "for Chrome: Memory, Load"},
    {"lmp report dot --object=0x55d0c8a3 lmp-4711-1.heap | dot -Tsvg >why.svg",
     "who holds this object"},
    {0},
};

typedef struct Wish {
    const char *format, *file, *out, *older[LMP_STEPS_MOST];
    uint32_t olders;
    SnapshotReport report;
    RunReport run;
    const Option *only[3]; /* an option that only a run, only a heap has (by OF_...) */
    bool list;
} Wish;

typedef struct Job {
    const SnapshotReportKind *kind;
    const SnapshotReport *report;
} Job;

static LmpErr write_job(const void *of, FILE *out) {
    const Job *job = of;
    return job->kind->write(job->report, out);
}

/* ---- formats --------------------------------------------------------------------------------- */

static void put_list(void) {
    puts("Of a recording, or of a program that runs:");
    for (size_t i = 0; i < REPORTS; i++)
        printf("  %-13s %s\n", report_kinds[i].name, report_kinds[i].help);
    puts("Of a heap snapshot:");
    for (size_t i = 0; i < SNAPSHOT_REPORT_KINDS; i++)
        printf("  %-13s %s\n", snapshotreport_kinds[i].name, snapshotreport_kinds[i].help);
}

static int no_such_format(const Parse *p, const char *name) {
    Nearest near = {.typed = name};
    for (size_t i = 0; i < REPORTS; i++)
        nearest_offer(&near, report_kinds[i].name);
    for (size_t i = 0; i < SNAPSHOT_REPORT_KINDS; i++)
        nearest_offer(&near, snapshotreport_kinds[i].name);
    if (near.word)
        return command_wrong(p, "there is no format %s; did you mean %s?", name, near.word);
    return command_wrong(p, "there is no format %s", name);
}

/* Returns false if a format or an option belongs to the other kind of file; a line has said so. */
static bool fits(const Wish *wish, bool run) {
    const char *is = run ? "a run" : "a heap snapshot", *other = run ? "heap snapshots" : "runs";
    const Option *o = wish->only[run ? OF_SNAPSHOT : OF_RUN];
    bool format = !wish->format || (run ? report_find(wish->format) != NULL
                                        : snapshotreport_find(wish->format) != NULL);
    if (!format)
        command_say("%s is of %s, and %s is of %s (see: lmp report --list)", wish->format, other,
                    wish->file, is);
    else if (o)
        command_say("--%s is for %s, and %s is of %s", o->name, other, wish->file, is);
    return format && !o;
}

/* ---- of a heap ------------------------------------------------------------------------------- */

static int report_snapshot(const SnapshotReportKind *kind, Wish *wish) {
    static LmpSnapshot snapshot, older;
    int status = 1;
    if (!operand_snapshot(&snapshot, wish->file)) return 1;
    LmpSnapshotSteps before = {.by = suspects_steps_by(&snapshot)};
    bool opened = wish->olders == 0 || operand_steps(&before, &older, wish->older, wish->olders);
    wish->report.s = &snapshot;
    wish->report.old = wish->olders > 0 && opened ? &older : NULL;
    wish->report.before = &before;
    const char *lacks = opened ? snapshotreport_lacks(kind, &wish->report) : NULL;
    if (lacks)
        command_say("no report %s: %s", kind->name, lacks);
    else if (opened)
        status = writeout(wish->out, write_job, &(Job){kind, &wish->report});
    if (wish->report.old) snapshot_close(&older);
    compare_free_steps(&before);
    snapshot_close(&snapshot);
    return status;
}

/* ---- options --------------------------------------------------------------------------------- */

static int set_object(const Parse *p, Wish *wish) {
    char *end;
    errno = 0;
    wish->report.address = strtoull(p->value, &end, 16);
    return option_check(p, !errno && end != p->value && !*end && wish->report.address,
                        "an address was expected");
}

static int set_older(const Parse *p, Wish *wish) {
    if (wish->olders == LMP_STEPS_MOST)
        return command_wrong(p, "--older=%s: at most %u of them", p->value, LMP_STEPS_MOST);
    wish->older[wish->olders++] = p->value;
    return 0;
}

static int set_top(const Parse *p, Wish *wish) {
    double top = 0;
    int status = option_check(p, parse_number(p->value, 1, 100000, &top),
                              "a number from 1 to 100000 was expected");
    wish->report.top = (uint32_t)top;
    wish->run.top = top < REPORT_TOP_MOST ? (uint32_t)top : REPORT_TOP_MOST;
    return status;
}

static int set_metric(const Parse *p, Wish *wish) {
    int metric = report_metric_find(p->value);
    wish->run.metric = (uint32_t)metric;
    return option_check(p, metric >= 0, "live, allocated, peak or temporary was expected");
}

static int set_unit(const Parse *p, Wish *wish) {
    int unit = report_unit_find(p->value);
    wish->run.unit = (uint32_t)unit;
    return option_check(p, unit >= 0, "bytes or blocks was expected");
}

/* Returns 0, or EXIT_USAGE if the value is wrong; a line has said so. */
static int set_option(const Parse *p, const Option *o, Wish *wish) {
    wish->only[option_of[o - options]] = o;
    switch (o - options) {
    case O_METRIC:
        return set_metric(p, wish);
    case O_UNIT:
        return set_unit(p, wish);
    case O_OBJECT:
        return set_object(p, wish);
    case O_OLDER:
        return set_older(p, wish);
    case O_TOP:
        return set_top(p, wish);
    case O_OUTPUT:
        wish->out = p->value;
        break;
    case O_FROM:
        wish->run.from = p->value;
        break;
    case O_TO:
        wish->run.to = p->value;
        break;
    case O_LEAK_ONLY:
        wish->run.leaks_only = true;
        break;
    case O_NO_STACKS:
        wish->report.no_stacks = true;
        break;
    case O_REDACT:
        wish->report.redact = true;
        break;
    default:
        wish->list = true;
    }
    return 0;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Finds out which of the two a file is; the opener of heaps says what cannot be read at all. */
static int report_file(const Parse *p, Wish *wish) {
    char path[4096];
    uint32_t pid, serial;
    LmpRecording *recording = NULL;
    struct stat st;
    const SnapshotReportKind *heap = snapshotreport_find(wish->format ? wish->format : "summary");
    wish->run.kind = report_find(wish->format ? wish->format : "summary");
    wish->run.moment = moment_split(path, sizeof path, wish->file);
    wish->run.file = wish->file;
    wish->run.out = wish->out;
    if (is_same_file(path, wish->out))
        return command_wrong(p, "-o %s: that is the file itself", wish->out);
    if (stat(path, &st) != 0 && operand_parse_state(wish->file, &pid, &serial))
        return fits(wish, true) ? runreport_of_program(&wish->run, pid, serial) : 1;
    errno = 0;
    LmpErr err = recording_open(&recording, path);
    if (!err) {
        if (fits(wish, true)) return runreport_of_recording(&wish->run, recording);
        recording_close(recording);
        return 1;
    }
    if (err == LMP_E_FOREIGN && wish->run.moment) {
        command_say("%s is no recording: only those have moments", path);
        return 1;
    }
    if (err == LMP_E_FOREIGN && snapshot_info(&(LmpObjectInfo){0}, path) != LMP_E_FOREIGN)
        return fits(wish, false) ? report_snapshot(heap, wish) : 1;
    return operand_unreadable(err == LMP_E_FOREIGN ? UNREADABLE_EITHER : UNREADABLE_RECORDING, path,
                              err, errno);
}

static int run(Parse *p) {
    static Wish wish;
    for (const Option *o; options_mixed(p, &o);) {
        if (o && set_option(p, o, &wish)) return EXIT_USAGE;
        if (o) continue;
        const char **operand = !wish.format ? &wish.format : &wish.file;
        if (*operand) return command_wrong(p, "takes one file at a time");
        *operand = p->value;
    }
    if (p->over) return p->status;
    if (wish.list) return put_list(), 0;
    if (!wish.format) return command_wrong(p, "of which file? (formats: lmp report --list)");
    bool known = report_find(wish.format) || snapshotreport_find(wish.format);
    if (!wish.file && known) return command_wrong(p, "%s of which file?", wish.format);
    if (!wish.file) {
        wish.file = wish.format;
        wish.format = NULL;
    } else if (!known) {
        return no_such_format(p, wish.format);
    }
    return report_file(p, &wish);
}

#define FORMAT(ID, name, help) "\n  " #name ": " help
#define RUN_FORMAT(ID, name, help, ...) "\n  " #name ": " help

const Command cmd_report = {
    .name = "report",
    .usage = {"[OPTIONS] [FORMAT] FILE[@MOMENT] [-o OUT]", "[OPTIONS] [FORMAT] PID [-o OUT]",
              "--list"},
    .help = "Writes a recording or a heap snapshot as text, as a page, or for other tools",
    .details = "FILE is what lmp has recorded (lmp run --record, lmp record), as it was at "
               "MOMENT:\n" MOMENT_WORDS ".\n"
               "Or it is a snapshot of the heap. PID is a program that runs under lmp. FORMAT is\n"
               "summary if it is left out.\n\nOf a recording:" REPORT_KINDS(
                   RUN_FORMAT) "\n\nOf a heap snapshot:" SNAPSHOT_REPORTS(FORMAT),
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_FORMAT | TAKES_STATE | TAKES_RECORDING | TAKES_SNAPSHOT,
};
