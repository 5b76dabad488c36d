/* cmd_dump.c - `lmp dump`: prints one of lmp's files as it is, part by part. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "command/operands.h"
#include "recording/reader/recording.h"
#include "report/snapshot/snapshotreport.h"
#include "subcommands/subcommands.h"

enum { O_PARTS, O_OBJECTS };

static const Option options[] = {
    [O_PARTS] = {"parts", NULL, "the parts alone: what each is, its moment, where and how long"},
    [O_OBJECTS] = {"objects", "N", "of a heap snapshot at most N objects, with what they refer to"},
    {0},
};

static const Example examples[] = {
    {"lmp dump --parts lmp-4711.lmprec", "which frames a recording has"},
    {"lmp dump lmp-4711.lmprec | less", "all that is in it"},
    {"lmp dump --objects=1000 end.heap", "a heap snapshot: who made what, its first objects"},
    {0},
};

/* Tells the kinds of file apart by their first bytes. */
static LmpErr dump_file(const SnapshotDump *what, int fd) {
    LmpErr err = snapshotdump_write(what, fd, stdout);
    return err == LMP_E_FOREIGN ? recording_dump(fd, what->heads, stdout) : err;
}

static int run(Parse *p) {
    SnapshotDump what = {.objects = UINT32_MAX};
    double objects;
    for (const Option *o; (o = options_next(p));) {
        if (o == &options[O_PARTS]) what.heads = true;
        if (o != &options[O_OBJECTS]) continue;
        if (!parse_number(p->value, 0, UINT32_MAX, &objects))
            return command_wrong(p, "--objects takes a number, not '%s'", p->value);
        what.objects = (uint32_t)objects;
    }
    if (p->over) return p->status;
    if (p->argc - p->at != 1) return command_wrong(p, "of which file? One at a time");
    int fd = open(p->argv[p->at], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return operand_unreadable(UNREADABLE_EITHER, p->argv[p->at], LMP_E_FILE, errno);
    LmpErr err = dump_file(&what, fd);
    close(fd);
    if (err) {
        fflush(stdout);
        return operand_unreadable(UNREADABLE_EITHER, p->argv[p->at], err, errno);
    }
    return 0;
}

const Command cmd_dump = {
    .name = "dump",
    .usage = {"[OPTIONS] FILE"},
    .help = "Prints what is in a recording or a heap snapshot, part by part",
    .details = "As it lies there: figures of a frame are told as differences from the first frame "
               "of its\nchunk, as row:difference. docs/formats.md explains them. Of a damaged heap "
               "snapshot the parts\nare told up to the damage, and the exit status is 1.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_RECORDING | TAKES_SNAPSHOT,
};
