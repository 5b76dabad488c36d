/* cmd_diff.c - `lmp diff`: what changed between two runs, or between heap snapshots. */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/fps.h"
#include "command/attached.h"
#include "command/operands.h"
#include "command/writeout.h"
#include "report/snapshot/snapshotreport.h"
#include "reporting/diff_runs.h"
#include "subcommands/subcommands.h"

#define FILES (LMP_STEPS_MOST + 1)

/* Formats come first, in their order in DIFF_REPORTS. */
enum { O_TOP = DIFF_KINDS, O_OUTPUT, O_METRIC, O_NOISE, O_FAIL, O_SHOW };

static const Option options[] = {
#define FORMAT(ID, name, parts, help) [DIFF_##ID] = {#name, NULL, help},
    DIFF_REPORTS(FORMAT)
#undef FORMAT
        [O_TOP] = {"top", "N",
                   "rows of each table (default 20; of JSON: all; of the page: 20,000)"},
    [O_OUTPUT] =
        {"output", "OUT",
         "of recordings: write to OUT, which is replaced when all is written (also -o OUT)"},
    [O_METRIC] = {"metric", "METRIC",
                  "of recordings: live, allocated, peak or allocs, by which tables are sorted "
                  "(default live)"},
    [O_NOISE] =
        {"noise", "SIZE",
         "of recordings: smaller changes are one line (default: a thousandth of the total)"},
    [O_FAIL] = {"fail-on-increase", "PERCENT",
                "of recordings: exit status 3 if peak, live or allocated bytes, or the metric that "
                "was named, grew by more"},
    [O_SHOW] = {"show", NULL, "of recordings: in the display, at any moment of NEW"},
    {0},
};

static const Example examples[] = {
    {"lmp diff yesterday.lmprec today.lmprec", "which lines hold more than they did"},
    {"lmp diff --show yesterday.lmprec today.lmprec", "the same in the display"},
    {"lmp diff app.lmprec@mark app.lmprec@peak", "two moments of one run"},
    {"lmp diff --html -o diff.html old.lmprec new.lmprec", "the same in a browser, with a graph"},
    {"lmp diff --fail-on-increase=5 main.lmprec branch.lmprec", "for CI: status 3 if it grew"},
    {"lmp diff lmp-4711-1.heap lmp-4711-2.heap", "what is new, what is gone, what was kept"},
    {"lmp diff lmp-4711-1.heap lmp-4711-2.heap lmp-4711-3.heap", "and what grew each time"},
    {0},
};

static LmpErr write_diff(const void *of, FILE *out) {
    return snapshotdiff_write(of, out);
}

/* Opens all of them: first and last are compared, and each with the next. */
static int diff(const char *const *file, uint32_t files, SnapshotDiff *d) {
    static LmpSnapshot s[FILES];
    const LmpSnapshot *between[FILES];
    uint32_t open = 0;
    int status = 1;
    while (open < files && operand_snapshot(&s[open], file[open])) {
        between[open] = &s[open];
        open++;
    }
    if (open == files) {
        d->old = &s[0];
        d->newer = &s[files - 1];
        d->between = between + 1;
        d->betweens = files - 2;
        status = writeout(NULL, write_diff, d);
    }
    for (uint32_t i = 0; i < open; i++)
        snapshot_close(&s[i]);
    return status;
}

typedef struct Wish {
    SnapshotDiff heap;
    DiffRuns runs;
    int format;       /* DIFF_ */
    const char *only; /* an option for recordings only */
    const char *text; /* an option for reports only */
    bool show;
    const char *file[FILES];
    uint32_t files;
} Wish;

static int set_metric(const Parse *p, DiffRuns *runs) {
    int m = 0;
    while (m < RUNDIFF_METRICS && strcmp(p->value, rundiff_metric_names[m]) != 0)
        m++;
    runs->metric = (RunDiffMetric)m;
    runs->by_metric = true;
    return option_check(p, m < RUNDIFF_METRICS, "live, allocated, peak or allocs was expected");
}

/* Returns 0, or EXIT_USAGE if the value is wrong; a line has said so. */
static int set_option(const Parse *p, const Option *o, Wish *wish) {
    double number = 0;
    int status = 0;
    if (o > &options[O_TOP] || o == &options[DIFF_HTML]) wish->only = o->name;
    if (o != &options[O_SHOW]) wish->text = o->name;
    switch (o - options) {
    case O_SHOW:
        wish->show = true;
        return 0;
    case O_OUTPUT:
        wish->runs.out = p->value;
        return 0;
    case O_METRIC:
        return set_metric(p, &wish->runs);
    case O_NOISE:
        return option_check(p, format_parse_size(p->value, &wish->runs.noise),
                            "a size was expected, such as 4KiB");
    case O_FAIL:
        return option_check(p, parse_number(p->value, 0, 1e6, &wish->runs.fail),
                            "a number of percent was expected");
    case O_TOP:
        status = option_check(p, parse_number(p->value, 1, 100000, &number),
                              "a number from 1 to 100000 was expected");
        wish->heap.top = (uint32_t)number;
        return status;
    default:
        wish->format = (int)(o - options);
        return 0;
    }
}

/* Shows the newer recording in the display, with the older one as what its tables are compared with
 * (ViewerOptions.against). Each name is FILE or FILE@MOMENT. */
static int show_recordings(const char *old, const char *newer) {
    char name[1024], file[4096];
    bool named = moment_split(file, sizeof file, newer) != NULL;
    LmpMoment before, moment;
    const ViewerResult *result;
    int status = 1;
    ViewerOptions viewer = {.fps = command_fps(LMP_FPS_DEFAULT),
                            .against_name = format_text(name, sizeof name, old, 0)};
    if (!operand_recording_at(&viewer.against, old, &before)) return 1;
    viewer.against_frame = before.tables;
    if (operand_recording_at(&viewer.recording, newer, &moment)) {
        viewer.view = recording_view(viewer.recording);
        viewer.grows = !named && !recording_complete(viewer.recording);
        viewer.at = recording_frame(viewer.recording, moment.tables).clock;
        if (attached_possible()) status = attached_show(&viewer, "", &result);
        recording_close(viewer.recording);
    }
    recording_close(viewer.against);
    return status;
}

static int compare_recordings(const Parse *p, Wish *wish) {
    if (wish->files != 2) return command_wrong(p, "takes two recordings, the older one first");
    if (wish->show && wish->text)
        return command_wrong(p, "--%s has no meaning with --show", wish->text);
    if (wish->show) return show_recordings(wish->file[0], wish->file[1]);
    wish->runs.file[0] = wish->file[0];
    wish->runs.file[1] = wish->file[1];
    wish->runs.top = wish->heap.top;
    wish->runs.kind = &diffreport_kinds[wish->format];
    return diff_runs(&wish->runs);
}

static int run(Parse *p) {
    Wish wish = {.runs = {.noise = UINT64_MAX, .fail = -1}};
    for (const Option *o; options_mixed(p, &o);) {
        if (o && set_option(p, o, &wish)) return EXIT_USAGE;
        if (o) continue;
        if (wish.files == FILES) return command_wrong(p, "takes at most %u files", FILES);
        wish.file[wish.files++] = p->value;
    }
    if (p->over) return p->status;
    if (wish.files < 2) return command_wrong(p, "takes two files or more, the oldest first");
    if (operand_is_recording(wish.file[0]) || operand_is_recording(wish.file[1]))
        return compare_recordings(p, &wish);
    if (wish.only) return command_wrong(p, "--%s is of recordings, and these are none", wish.only);
    wish.heap.json = wish.format == DIFF_JSON;
    return diff(wish.file, wish.files, &wish.heap);
}

const Command cmd_diff = {
    .name = "diff",
    .usage = {"[OPTIONS] OLD NEW", "[OPTIONS] OLD [BETWEEN...] NEW"},
    .help = "Compares two runs, or heap snapshots of one run",
    .details =
        "Of recordings (lmp run --record) OLD and NEW may be FILE@MOMENT: FILE@mark, FILE@peak, "
        "FILE@12:30.\nA line is known again though the file was edited: by its function, and by "
        "how far it is from where\nthat begins. Exactly as much growth as --fail-on-increase "
        "lets pass, passes.\nWith --show tables and the flame graph show NEW less OLD; keys are as "
        "in lmp replay.\nOf heap snapshots an object is the same if it is of the same type, at "
        "the same address and was made\nat the same time. With files between the two growth is "
        "told step by step, and what grew each time\nis named. Of files of two runs only classes "
        "and lines are compared.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_RECORDING | TAKES_SNAPSHOT,
};
