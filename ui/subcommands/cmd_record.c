/* cmd_record.c - `lmp record`: keeps the run of a program that is being profiled already. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "command/command.h"
#include "command/operands.h"
#include "recorder/recname.h"
#include "run/run_options.h"
#include "subcommands/subcommands.h"

enum { O_LIMIT };

static const Option options[] = {
    [O_LIMIT] = {"record-limit", "SIZE", "size of the file at most, 1MiB or more (default 64MiB)"},
    {0},
};

static const Example examples[] = {
    {"lmp record 4711", "into lmp-4711.lmprec here, until ctrl-C or the program's end"},
    {"lmp record 4711 night.lmprec", "into this file; then: lmp replay night.lmprec"},
    {"lmp record 4711:2", "the second Lua state of that process"},
    {0},
};

static LmpView view; /* large */

static int record(uint32_t pid, uint32_t serial, const char *given, uint64_t limit) {
    char file[RECNAME_MOST], line[2 * RECNAME_MOST + 200];
    if (!operand_state(pid, serial, &view)) return 1;
    if (!recname_choose(file, sizeof file, given, pid)) {
        command_say("cannot write %s: %s", given ? given : "a file here", outfile_problem(errno));
        return 1;
    }
    if (!outfile_replaceable(file)) {
        command_say("cannot write %s: %s", recname_short(file), outfile_problem(errno));
        return 1;
    }
    RecJob job = {.state = view.fd,
                  .pid = pid,
                  .file = file,
                  .limit = limit,
                  .output = -1,
                  .foreground = true};
    if (isatty(STDERR_FILENO))
        command_say("recording process %u into %s, until it ends or ctrl-C", pid,
                    recname_short(file));
    RecEnd end = recjob_run(&job, -1);
    bool fine = end.why == RECJOB_ENDED || end.why == RECJOB_ASKED;
    recname_say(line, sizeof line, file, &end);
    if (fine)
        printf("%s\n", line);
    else
        command_say("%s", line);
    view_close(&view);
    return fine ? 0 : 1;
}

static int run(Parse *p) {
    uint64_t limit = 0;
    uint32_t pid, serial;
    const char *file;
    if (p->argc > 1 && strcmp(p->argv[1], "cut") == 0)
        return command_run(&cmd_record_cut, p->argc - 1, p->argv + 1);
    while (options_next(p))
        if (option_record_limit(p, &limit)) return EXIT_USAGE;
    int status = operands_state_and_file(p, &pid, &serial, &file);
    if (status != OPERANDS_READ) return status;
    return record(pid, serial, file, limit);
}

const Command cmd_record = {
    .name = "record",
    .usage = {"[OPTIONS] PID[:SERIAL] [FILE]"},
    .help = "Keeps the run of a profiled program in a file, from now on",
    .details =
        "Until ctrl-C, or until the program ends, which goes on as if nobody were there. FILE is "
        "readable\nby its owner only; without it the name is lmp-PID.lmprec, in this directory. "
        "lmp run --record\nrecords from the first instruction on, and R does in the display.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_STATE,
};
