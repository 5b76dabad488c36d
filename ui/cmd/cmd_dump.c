/* cmd_dump.c - `lmp dump`: prints a file of lmp's as it is, part by part. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "cmd/cmd.h"
#include "record/dump.h"

enum { O_PARTS };

static const Option options[] = {
    [O_PARTS] = {"parts", NULL, "the parts alone: what each is, its moment, where and how long"},
    {0},
};

static const Example examples[] = {
    {"lmp dump --parts lmp-4711.lmprec", "which frames a recording has"},
    {"lmp dump lmp-4711.lmprec | less", "all that is in it"},
    {0},
};

static int say(LmpErr err, const char *file, int why) {
    char name[1024];
    format_text(name, sizeof name, file, 0);
    switch (err) {
    case LMP_E_FILE:
        command_say("%s: %s", name, strerror(why));
        break;
    case LMP_E_FOREIGN:
        command_say("%s is not a recording", name);
        break;
    case LMP_E_VERSION:
        command_say("%s was written by another version of lmp", name);
        break;
    case LMP_E_DAMAGED:
        command_say("%s is damaged", name);
        break;
    default:
        command_say("%s: %s", name, err_message(err));
    }
    return 1;
}

static int run(const Command *command, int argc, char **argv) {
    Parse p = {.command = command, .argc = argc, .argv = argv, .at = 1};
    bool heads = false;
    while (options_next(&p))
        heads = true;
    if (p.help || p.failed) return p.failed ? EXIT_USAGE : 0;
    if (argc - p.at != 1) return command_wrong(command, "of which file? One at a time");
    int fd = open(argv[p.at], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return say(LMP_E_FILE, argv[p.at], errno);
    LmpErr err = recording_dump(fd, heads, stdout);
    close(fd);
    if (err) return say(err, argv[p.at], errno);
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    command_say("standard output: cannot be written: %s", strerror(errno));
    return 1;
}

const Command cmd_dump = {
    .name = "dump",
    .usage = {"[OPTIONS] FILE"},
    .help = "Prints what is in a recording, part by part",
    .details = "As it lies there: figures of a frame are told as differences from the first frame "
               "of its\nchunk, as row:difference. docs/formats.md explains them.",
    .options = options,
    .examples = examples,
    .run = run,
};
