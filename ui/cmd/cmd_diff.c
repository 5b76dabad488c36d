/* cmd_diff.c - `lmp diff`: what changed between two heap snapshots. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/heapopen.h"
#include "report/heap/heapreport.h"

static const Option options[] = {
    {"json", NULL, "as JSON"},
    {"top", "N", "rows of each table (default 20; of JSON: all)"},
    {0},
};

static const Example examples[] = {
    {"lmp diff lmp-4711-1.heap lmp-4711-2.heap", "what is new, what is gone, what was kept"},
    {0},
};

static int write_diff(const HeapDiff *d) {
    errno = 0;
    LmpErr err = heapdiff_write(d, stdout);
    if (!err && (fflush(stdout) != 0 || ferror(stdout))) err = LMP_E_FILE;
    return heapopen_wrote(err, NULL);
}

static int diff(const char *old, const char *newer, HeapDiff *d) {
    static LmpSnapshot a, b;
    int status = 1;
    if (!heapopen(&a, old)) return 1;
    if (heapopen(&b, newer)) {
        d->old = &a;
        d->newer = &b;
        status = write_diff(d);
        snapshot_close(&b);
    }
    snapshot_close(&a);
    return status;
}

static int run(const Command *command, int argc, char **argv) {
    Parse p = {.command = command, .argc = argc, .argv = argv, .at = 1};
    HeapDiff d = {0};
    const char *file[2] = {NULL, NULL};
    int files = 0;
    while (p.at < argc || p.at == 1) {
        const Option *o;
        double top;
        while (!p.dashes && (o = options_next(&p))) {
            if (strcmp(o->name, "json") == 0) d.json = true;
            if (strcmp(o->name, "top") != 0) continue;
            if (!parse_number(p.value, 1, 100000, &top))
                return command_wrong(command, "--top=%s: a number from 1 to 100000 was expected",
                                     p.value);
            d.top = (uint32_t)top;
        }
        if (p.help || p.failed) return p.failed ? EXIT_USAGE : 0;
        if (p.at >= argc) break;
        if (files == 2) return command_wrong(command, "takes two files");
        file[files++] = argv[p.at++];
    }
    if (files < 2) return command_wrong(command, "takes two files, the older one first");
    return diff(file[0], file[1], &d);
}

const Command cmd_diff = {
    .name = "diff",
    .usage = {"[OPTIONS] OLD NEW"},
    .help = "Compares two heap snapshots of one run",
    .details = "An object is the same if it is of the same type, at the same address and was made "
               "at the same time.\nOf files of two runs only classes and lines are compared.",
    .options = options,
    .examples = examples,
    .run = run,
};
