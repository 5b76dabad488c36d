/* cmd_recorder.c - `lmp recorder`: how the module starts a recording. Internal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "recorder/recname.h"
#include "shared/launch.h"
#include "subcommands/subcommands.h"

static const Option options[] = {
    {"file", "FILE", NULL}, {"pid", "PID", NULL}, {"serial", "N", NULL}, {0}};

static int run(Parse *p) {
    static char file[RECNAME_MOST + 16];
    const char *given = NULL;
    unsigned serial = 1;
    const Option *o;
    RecJob job = {.state = LMP_FD_STATE, .output = LMP_FD_SPOOL};
    while ((o = options_next(p))) {
        if (strcmp(o->name, "file") == 0 && *p->value) given = p->value;
        if (strcmp(o->name, "pid") == 0) job.pid = (uint32_t)strtoul(p->value, NULL, 10);
        if (strcmp(o->name, "serial") == 0) serial = (unsigned)strtoul(p->value, NULL, 10);
    }
    if (p->over) return EXIT_USAGE;
    if (fcntl(LMP_FD_STATE, F_GETFD) < 0)
        return command_wrong(p, "is started by the module, not by hand");
    if (!recname_choose(file, RECNAME_MOST, given, job.pid)) return 1;
    if (given && serial > 1) /* several states of one process */
        snprintf(file + strlen(file), 16, ".%u", serial);
    if (!outfile_replaceable(file)) return 1;
    job.file = file;
    /* The program waits only for this process. */
    int line = recjob_start(&job);
    return line < 0;
}

const Command cmd_recorder = {
    .name = "recorder",
    .usage = {"OPTIONS"},
    .help = "Records the program that started it",
    .options = options,
    .run = run,
    .internal = true,
};
