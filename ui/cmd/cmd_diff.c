/* cmd_diff.c - `lmp diff`: what changed between heap snapshots. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/heapopen.h"
#include "report/heap/heapreport.h"

#define FILES (LMP_GROWTH_STEPS + 1)

static const Option options[] = {
    {"json", NULL, "as JSON"},
    {"top", "N", "rows of each table (default 20; of JSON: all)"},
    {0},
};

static const Example examples[] = {
    {"lmp diff lmp-4711-1.heap lmp-4711-2.heap", "what is new, what is gone, what was kept"},
    {"lmp diff lmp-4711-1.heap lmp-4711-2.heap lmp-4711-3.heap", "and what grew each time"},
    {0},
};

static int write_diff(const HeapDiff *d) {
    errno = 0;
    LmpErr err = heapdiff_write(d, stdout);
    if (!err && (fflush(stdout) != 0 || ferror(stdout))) err = LMP_E_FILE;
    return heapopen_wrote(err, NULL);
}

/* All of them at once: first and last are compared, and each with the next. */
static int diff(const char *const *file, uint32_t files, HeapDiff *d) {
    static LmpSnapshot s[FILES];
    const LmpSnapshot *between[FILES];
    uint32_t open = 0;
    int status = 1;
    while (open < files && heapopen(&s[open], file[open])) {
        between[open] = &s[open];
        open++;
    }
    if (open == files) {
        d->old = &s[0];
        d->newer = &s[files - 1];
        d->between = between + 1;
        d->betweens = files - 2;
        status = write_diff(d);
    }
    for (uint32_t i = 0; i < open; i++)
        snapshot_close(&s[i]);
    return status;
}

static int run(const Command *command, int argc, char **argv) {
    Parse p = {.command = command, .argc = argc, .argv = argv, .at = 1};
    HeapDiff d = {0};
    const char *file[FILES];
    uint32_t files = 0;
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
        if (files == FILES) return command_wrong(command, "takes at most %u files", FILES);
        file[files++] = argv[p.at++];
    }
    if (files < 2) return command_wrong(command, "takes two files or more, the oldest first");
    return diff(file, files, &d);
}

const Command cmd_diff = {
    .name = "diff",
    .usage = {"[OPTIONS] OLD [BETWEEN...] NEW"},
    .help = "Compares heap snapshots of one run",
    .details =
        "An object is the same if it is of the same type, at the same address and was made "
        "at the same time.\nWith files between the two growth is told step by step, and what grew "
        "each time is named.\nOf files of two runs only classes and lines are compared.",
    .options = options,
    .examples = examples,
    .run = run,
};
