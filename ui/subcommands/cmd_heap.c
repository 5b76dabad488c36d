/* cmd_heap.c - `lmp heap`: opens the file of a heap snapshot in the display. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/attached.h"
#include "command/command.h"
#include "command/operands.h"
#include "subcommands/subcommands.h"

static const Option options[] = {{0}};

static const Example examples[] = {
    {"lmp heap lmp-4711-1.heap", "who holds what, and why every object is alive"},
    {"lmp heap lmp-4711-2.heap lmp-4711-1.heap", "and what has changed since the older one"},
    {"lmp heap lmp-4711-3.heap lmp-4711-1.heap lmp-4711-2.heap", "and what grew each time"},
    {0},
};

static bool readable(const char *file) {
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        command_say("%s: %s", file, strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

static int show(const char *file, const char **older, uint32_t olders) {
    ViewerOptions viewer = {.heap = file, .snapshot_older = older, .snapshot_olders = olders};
    const ViewerResult *result;
    int status = attached_show(&viewer, "", &result);
    if (status == 0 && result->problem[0]) { /* of the file */
        command_say("%s", result->problem);
        status = 1;
    }
    return status;
}

static int run(Parse *p) {
    while (options_next(p)) {
    }
    if (p->over) return p->status;
    if (p->at == p->argc) return command_wrong(p, "needs the file of a snapshot");
    const char *file = p->argv[p->at], *older[LMP_STEPS_MOST];
    uint32_t olders = (uint32_t)(p->argc - p->at - 1);
    if (olders > LMP_STEPS_MOST)
        return command_wrong(p, "takes a snapshot, and %u older ones at most", LMP_STEPS_MOST);
    if (!readable(file)) return 1;
    for (uint32_t i = 0; i < olders; i++)
        if (!readable(older[i] = p->argv[p->at + 1 + (int)i])) return 1;
    operand_sort_snapshots(older, olders);
    return attached_possible() ? show(file, older, olders) : 1;
}

const Command cmd_heap = {
    .name = "heap",
    .usage = {"FILE [OLDER...]"},
    .help = "Opens a heap snapshot: who holds what, and why every object is alive",
    .details = "FILE was written by the display (S), lmp snapshot, lmp run --snapshot or "
               "lmp.snapshot. With the\nfile of an older snapshot of the same run it also shows "
               "what is new, gone and kept; with\nseveral, what grew each time.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_SNAPSHOT,
};
