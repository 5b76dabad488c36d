/* cmd_attach.c - `lmp attach` and `lmp detach`: a profile of a program that runs already and that
 * nobody prepared, begun and ended from outside. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/attach.h"
#include "base/format.h"
#include "base/outfile.h"
#include "command/attached.h"
#include "command/operands.h"
#include "read/discover.h"
#include "recorder/recname.h"
#include "run/program.h"
#include "shared/launch.h"
#include "shared/rows.h"
#include "shared/start_options.h"
#include "subcommands/subcommands.h"

enum { O_NO_LIVE, O_DETACH, O_NO_LINES, O_STACKS, O_SAMPLE, O_CALLS, O_RECORD, O_WAIT, O_FPS };

#define WAIT_HELP "wait so long for the program's next instruction of Lua (default 10)"

static const Option attach_options[] = {
    [O_NO_LIVE] = {"no-live", NULL, "no display: the profile runs until lmp detach, or the end"},
    [O_DETACH] = {"detach", NULL, "end the profile when the display is left"},
    [O_NO_LINES] = {"no-lines", NULL, "only totals, types and the heap map"},
    [O_STACKS] = {"stacks", NULL, "charge every block to its whole call path, too"},
    [O_SAMPLE] = {"sample", "SIZE", "lines and paths by samples, one in SIZE bytes"},
    [O_CALLS] = {"calls", NULL, "count every call of every function, too"},
    [O_RECORD] = {"record", "[FILE]", "keep the run in FILE (default lmp-PID.lmprec)"},
    [O_WAIT] = {"wait", "SECONDS", WAIT_HELP},
    [O_FPS] = {"fps", "N", "repaints a second"},
    {0},
};

static const Option detach_options[] = {{"wait", "SECONDS", WAIT_HELP}, {0}};

static const Example attach_examples[] = {
    {"lmp attach 4711", "see what process 4711 makes of its memory from now on"},
    {"lmp attach --stacks --detach 4711", "with call paths, and only for as long as you look"},
    {"lmp attach --no-live --record 4711", "keep the run in a file, for lmp replay"},
    {0},
};

static const Example detach_examples[] = {
    {"lmp detach 4711", "the program goes on as if lmp had never been there"},
    {0},
};

typedef struct Wish {
    bool show, detach, lines, stacks;
    uint64_t sample;
    unsigned counts;
    bool record;
    const char *file;
    double wait, fps;
} Wish;

static LmpView view; /* large */

/* Returns true if a state of the process is being profiled. */
static bool is_profiled(uint32_t pid) {
    LmpFound *found;
    size_t count;
    bool any = false;
    if (discover_list(&found, &count)) return false;
    for (size_t i = 0; i < count; i++)
        any |= found[i].pid == pid &&
               (found[i].seen == LMP_SEEN_RUNNING || found[i].seen == LMP_SEEN_PAUSED);
    free(found);
    return any;
}

/* Has it done, and says what was not. */
static bool attach(uint32_t pid, const char *options, double wait, AttachResult *result) {
    static ProgramModules modules;
    const char *problem;
    if (!program_find_modules(LMP_MODULE_FILE, &modules, &problem)) {
        command_say("%s", problem);
        return false;
    }
    AttachWish wish = {.pid = (pid_t)pid, .options = options, .wait = wait};
    for (int i = 0; i < LMP_LUAS; i++)
        wish.module[i] = modules.path[i];
    bool done = attach_run(&wish, result);
    if (result->why[0]) command_say("%s", result->why);
    if (done && result->done < result->globals)
        command_say("%u of %u Lua states; the others have run nothing meanwhile", result->done,
                    result->globals);
    if (done && result->more)
        command_say("there are more Lua states than the %u that lmp attaches to", result->globals);
    return done;
}

static int end_profile(uint32_t pid, double wait) {
    AttachResult result;
    if (!is_profiled(pid)) {
        command_say("process %u is not being profiled", pid);
        return 1;
    }
    if (!attach(pid, "", wait, &result)) return 1;
    printf("lmp: process %u goes on without a profile\n", pid);
    return 0;
}

/* The profile's options, as in LMP_RUN. */
static bool write_options(char *out, size_t size, const Wish *want, uint32_t pid) {
    char file[RECNAME_MOST] = "";
    if (want->record && !recname_choose(file, sizeof file, want->file, pid)) {
        command_say("cannot write %s: %s", want->file ? want->file : "a file here",
                    outfile_problem(errno));
        return false;
    }
    int n =
        snprintf(out, size, "lines=%d stacks=%d sample=%llu calls=%d", want->lines, want->stacks,
                 (unsigned long long)want->sample, (want->counts & LMP_COUNTS_CALLS) != 0);
    return n > 0 && (size_t)n < size &&
           (!want->record || start_options_add(out, size, "record", file));
}

static int show(uint32_t pid, uint32_t serial, const Wish *want) {
    if (!operand_state(pid, serial, &view)) return 1;
    ViewerOptions viewer = {.view = &view, .fps = want->fps};
    const ViewerResult *result;
    int status =
        attached_show(&viewer, want->detach ? "" : "; the program goes on, profiled", &result);
    view_close(&view);
    return status;
}

static int begin_profile(uint32_t pid, const Wish *want) {
    char options[1200];
    AttachResult result;
    if (is_profiled(pid)) {
        command_say("process %u is being profiled already: lmp top %u", pid, pid);
        return 1;
    }
    if (want->show && !attached_possible()) return 1;
    if (!write_options(options, sizeof options, want, pid)) return 1;
    if (!attach(pid, options, want->wait, &result)) return 1;
    if (!want->show) {
        printf("lmp: process %u is being profiled (it stood for %.0f ms); lmp top %u shows it, lmp "
               "detach %u ends it\n",
               pid, result.held * 1e3, pid, pid);
        return 0;
    }
    int status = show(pid, result.serial, want);
    if (want->detach && is_profiled(pid)) return end_profile(pid, want->wait);
    return status;
}

static bool read_wait(const Parse *p, double *wait) {
    return option_check(p, p->value && parse_number(p->value, 0.1, 86400, wait),
                        "a number of seconds was expected") == 0;
}

/* Reads the one operand. Returns 0, or the exit status. */
static int read_pid(const Parse *p, uint32_t *pid) {
    uint32_t serial = 0;
    if (p->over) return p->status;
    if (p->argc - p->at != 1) return command_wrong(p, "takes one process: its PID");
    if (!operand_parse_state(p->argv[p->at], pid, &serial) || serial)
        return command_wrong(p, "%s is not a process: its PID was expected", p->argv[p->at]);
    return -1;
}

static int run_attach(Parse *p) {
    Wish want = {.show = true, .lines = true, .wait = 10, .fps = command_fps(0)};
    const Option *o;
    uint32_t pid;
    while ((o = options_next(p))) {
        switch (o - attach_options) {
        case O_NO_LIVE:
            want.show = false;
            break;
        case O_DETACH:
            want.detach = true;
            break;
        case O_NO_LINES:
            want.lines = false;
            break;
        case O_STACKS:
            want.stacks = true;
            break;
        case O_SAMPLE:
            if (option_check(p,
                             format_parse_size(p->value, &want.sample) &&
                                 want.sample >= LMP_SAMPLE_MIN && want.sample <= LMP_SAMPLE_MAX,
                             "a size from 1024 bytes on was expected"))
                return EXIT_USAGE;
            break;
        case O_CALLS:
            want.counts |= LMP_COUNTS_CALLS;
            break;
        case O_RECORD:
            want.record = true;
            want.file = p->value;
            break;
        case O_WAIT:
            if (!read_wait(p, &want.wait)) return EXIT_USAGE;
            break;
        case O_FPS:
            if (option_fps(p, &want.fps)) return EXIT_USAGE;
            break;
        default:
            break;
        }
    }
    int status = read_pid(p, &pid);
    return status >= 0 ? status : begin_profile(pid, &want);
}

static int run_detach(Parse *p) {
    double wait = 10;
    uint32_t pid;
    while (options_next(p))
        if (!read_wait(p, &wait)) return EXIT_USAGE;
    int status = read_pid(p, &pid);
    return status >= 0 ? status : end_profile(pid, wait);
}

const Command cmd_attach = {
    .name = "attach",
    .usage = {"[OPTIONS] PID"},
    .help = "Profiles a program that runs already and that nobody has prepared",
    .details =
        "The program needs no option and no module: a script that lua5.4 runs, a server or an\n"
        "editor with Lua 5.4 or 5.5 inside. It stands for some milliseconds, in which its Lua\n"
        "states are found. Before its next instruction of Lua the profile begins, which takes\n"
        "some 50 ms for a heap of 100 MiB.\n\n"
        "Lua's objects that live already are in all figures of the whole, of types and of the\n"
        "map; who made them nobody knows: theirs is the line (before). When the display is left\n"
        "with q, the profile goes on, unless --detach was given.",
    .options = attach_options,
    .examples = attach_examples,
    .run = run_attach,
    .takes = TAKES_PROCESS,
};

const Command cmd_detach = {
    .name = "detach",
    .usage = {"[OPTIONS] PID"},
    .help = "Ends the profile of a program, from outside",
    .details =
        "The program has its own allocator again; lmp's module stays loaded and does nothing.",
    .options = detach_options,
    .examples = detach_examples,
    .run = run_detach,
    .takes = TAKES_STATE,
};
