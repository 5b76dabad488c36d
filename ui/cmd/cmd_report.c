/* cmd_report.c - `lmp report`: writes a heap snapshot in a format for people or other tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "cmd/cmd.h"
#include "cmd/heapopen.h"
#include "read/snapshot/suspects.h"
#include "report/heap/heapreport.h"
#include "report/save.h"

static const Option options[] = {
    {"output", "OUT", "write to OUT, which is replaced when all is written (also -o OUT)"},
    {"object", "ADDRESS", "with dot: the paths to the object at this address (0x...)"},
    {"older", "FILE",
     "with summary and json: an earlier snapshot of the run, for what grew since; several times: "
     "for "
     "what grew each time"},
    {"top", "N", "rows of each table, or nodes of the graph"},
    {"no-stacks", NULL, "with heapsnapshot: without call paths, which VS Code cannot read"},
    {"redact", NULL, "hide what strings contain, and keys that are no names in the program's code"},
    {0},
};

static const Example examples[] = {
    {"lmp report summary lmp-4711-1.heap", "what holds most, and who holds it"},
    {"lmp report treemap lmp-4711-1.heap -o heap.html", "a picture for the browser"},
    {"lmp report heapsnapshot lmp-4711-1.heap -o app.heapsnapshot", "for Chrome: Memory, Load"},
    {"lmp report dot --object=0x55d0c8a3 lmp-4711-1.heap | dot -Tsvg >why.svg",
     "who holds this object"},
    {0},
};

typedef struct Wish {
    const char *format, *file, *out, *older[LMP_GROWTH_STEPS];
    uint32_t olders;
    HeapReport report;
} Wish;

typedef struct Job {
    const HeapReportKind *kind;
    const HeapReport *report;
} Job;

static LmpErr write_job(const void *of, FILE *out) {
    const Job *job = of;
    return job->kind->write(job->report, out);
}

static int no_such_format(const Command *command, const char *name) {
    Nearest near = {.typed = name};
    for (size_t i = 0; i < HEAP_REPORT_KINDS; i++)
        nearest_offer(&near, heapreport_kinds[i].name);
    if (near.word)
        return command_wrong(command, "there is no format %s; did you mean %s?", name, near.word);
    return command_wrong(command, "there is no format %s", name);
}

static int write_report(const HeapReportKind *kind, const Wish *wish) {
    Job job = {kind, &wish->report};
    if (wish->out) return heapopen_wrote(save_file(wish->out, write_job, &job), wish->out);
    errno = 0;
    LmpErr err = write_job(&job, stdout);
    if (!err && (fflush(stdout) != 0 || ferror(stdout))) err = LMP_E_FILE;
    return heapopen_wrote(err, NULL);
}

static int report(const HeapReportKind *kind, Wish *wish) {
    static LmpSnapshot snapshot, older;
    int status = 1;
    if (!heapopen(&snapshot, wish->file)) return 1;
    LmpHeapGrowth before = {.by = suspects_growth_by(&snapshot)};
    bool opened = wish->olders == 0 || heapopen_older(&before, &older, wish->older, wish->olders);
    wish->report.s = &snapshot;
    wish->report.old = wish->olders > 0 && opened ? &older : NULL;
    wish->report.before = &before;
    const char *lacks = opened ? heapreport_lacks(kind, &wish->report) : NULL;
    if (lacks)
        command_say("no report %s: %s", kind->name, lacks);
    else if (opened)
        status = write_report(kind, wish);
    if (wish->report.old) snapshot_close(&older);
    growth_free(&before);
    snapshot_close(&snapshot);
    return status;
}

/* -o is what all tools call it; options may stand before and after the operands. */
static bool set_option(const Command *command, const Option *o, const char *value, Wish *wish) {
    char *end;
    double top;
    if (strcmp(o->name, "output") == 0) wish->out = value;
    if (strcmp(o->name, "older") == 0 && wish->olders == LMP_GROWTH_STEPS) {
        command_wrong(command, "--older=%s: at most %u of them", value, LMP_GROWTH_STEPS);
        return false;
    }
    if (strcmp(o->name, "older") == 0) wish->older[wish->olders++] = value;
    if (strcmp(o->name, "no-stacks") == 0) wish->report.no_stacks = true;
    if (strcmp(o->name, "redact") == 0) wish->report.redact = true;
    if (strcmp(o->name, "object") == 0) {
        errno = 0;
        wish->report.address = strtoull(value, &end, 16);
        if (errno || end == value || *end || !wish->report.address) {
            command_wrong(command, "--object=%s: an address was expected", value);
            return false;
        }
    }
    if (strcmp(o->name, "top") == 0) {
        if (!parse_number(value, 1, 100000, &top)) {
            command_wrong(command, "--top=%s: a number from 1 to 100000 was expected", value);
            return false;
        }
        wish->report.top = (uint32_t)top;
    }
    return true;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static int run(const Command *command, int argc, char **argv) {
    static char output[] = "--output";
    Parse p = {.command = command, .argc = argc, .argv = argv, .at = 1};
    Wish wish = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-o") == 0) argv[i] = output;
    while (p.at < argc || p.at == 1) {
        const Option *o;
        while (!p.dashes && (o = options_next(&p)))
            if (!set_option(command, o, p.value, &wish)) return EXIT_USAGE;
        if (p.help || p.failed) return p.failed ? EXIT_USAGE : 0;
        if (p.at >= argc) break;
        const char **operand = !wish.format ? &wish.format : &wish.file;
        if (*operand) return command_wrong(command, "takes one file at a time");
        *operand = argv[p.at++];
    }
    if (!wish.format) return command_wrong(command, "which format, of which file?");
    const HeapReportKind *kind = heapreport_find(wish.format);
    if (!kind) return no_such_format(command, wish.format);
    if (!wish.file) return command_wrong(command, "%s of which file?", wish.format);
    if (is_same_file(wish.file, wish.out))
        return command_wrong(command, "-o %s: that is the snapshot itself", wish.out);
    return report(kind, &wish);
}

#define FORMAT(ID, name, help) "\n  " #name ": " help

const Command cmd_report = {
    .name = "report",
    .usage = {"[OPTIONS] FORMAT FILE [-o OUT]"},
    .help = "Writes a heap snapshot as text, as a page, or for other tools",
    .details = "FILE is a snapshot that lmp wrote. FORMAT is one of:\n" HEAP_REPORTS(FORMAT),
    .options = options,
    .examples = examples,
    .run = run,
};
