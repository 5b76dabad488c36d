/* cmd_doctor.c - `lmp doctor`: checks that what lmp says is right on this interpreter. Starts the
 * interpreter with the part of doctor that runs programs inside it (src/agent/doctor/doctor.c). An
 * interpreter that crashes or hangs on one program is restarted for the next. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "run/program.h"
#include "shared/launch.h"
#include "subcommands/subcommands.h"

enum { MOST_FALLS = 20 };

/* ---- the interpreter ------------------------------------------------------------------------- */

/* Runs in the child. */
static void become(const Doctor *d, int fd) {
    struct rlimit none = {0, 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    setrlimit(RLIMIT_CORE, &none);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    fcntl(fd, F_SETFD, 0);
    execv(d->program.path, d->program.argv);
    _exit(127);
}

static void fell(Doctor *d, const char *format, int n, const char *text) {
    Job *j = &d->job[d->at];
    j->health = H_FELL;
    snprintf(j->first, sizeof j->first, format, n, text);
    d->falls++;
}

/* Runs jobs from d->at + 1 on. Returns false if the interpreter cannot be used at all; the reason
 * has been printed. */
static bool play(Doctor *d) {
    int pair[2], status = 0, before = d->at;
    char request[64];
    if (pipe2(pair, O_CLOEXEC) != 0) {
        command_say("cannot start: %s", strerror(errno));
        return false;
    }
    int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 200);
    if (theirs < 0) theirs = dup(pair[1]);
    close(pair[1]);
    snprintf(request, sizeof request, "%d from=%d", theirs, d->at + 1);
    setenv(LMP_ENV_DOCTOR, request, 1);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        program_give_back_inherited();
        become(d, theirs);
    }
    close(theirs);
    bool heard = pid > 0 && doctor_listen(d, pair[0]);
    close(pair[0]);
    if (pid < 0) {
        command_say("cannot start: %s", strerror(errno));
        return false;
    }
    if (!heard) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (d->ended) return true;
    if (d->refused[0]) {
        command_say("the module cannot be loaded by %s: %s", d->program.name, d->refused);
        return false;
    }
    if (!d->spoke) {
        if (program_ignores_init(&d->program)) {
            command_say("%s -E ignores the environment, which is how doctor comes in",
                        d->program.name);
        } else if (WIFSIGNALED(status) && heard) {
            command_say("%s: ended by signal %d (%s) before it began", d->program.name,
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
        } else {
            const char *option = d->program.argv[1];
            bool odd = option && option[0] == '-';
            command_say("%s%s%s never started a state of %s", d->program.name, odd ? " " : "",
                        odd ? option : "", program_luas(&d->modules));
        }
        return false;
    }
    if (d->at < 0 || (d->at == before && d->falls > 0)) {
        command_say("%s: it ended before the first program", d->program.name);
        return false;
    }
    if (!heard) {
        fell(d, "no end within %d seconds%s", (int)d->patience, "");
    } else if (WIFSIGNALED(status)) {
        fell(d, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        fell(d, "ended with status %d%s", WEXITSTATUS(status), "");
    }
    return true;
}

/* ---- the command ----------------------------------------------------------------------------- */

enum { O_MODES, O_ONLY, O_PROGRAM, O_REPORT, O_PATIENCE };

static const Option options[] = {
    [O_MODES] = {"modes", "LIST",
                 "only these, such as default,stacks (others: generational, sampled, refused)"},
    [O_ONLY] = {"only", "LIST", "only these programs, such as constructors.lua"},
    [O_PROGRAM] = {"program", "FILE",
                   "play this script in place of them; it must do the same each time"},
    [O_REPORT] = {"report", NULL,
                  "say versions and the system, too, and name no folder: for a report of a fault"},
    [O_PATIENCE] = {"patience", "SECONDS", NULL},
    {0},
};

static const Example examples[] = {
    {"lmp doctor", "the interpreter that lmp run would choose"},
    {"lmp doctor /opt/lua/bin/lua", "any other"},
    {"lmp doctor --report", "what the report of a fault is to begin with"},
    {0},
};

/* Says why, where play() listens. */
static const char refusal[] =
    "local p = io.open(\"/proc/self/fd/\" .. os.getenv(\"" LMP_ENV_DOCTOR
    "\"):match(\"%d+\"), \"w\") "
    "if p then p:write(\"refused\\t\", e, \"\\n\") p:close() end os.exit(1)";

static int run(Parse *p) {
    static Doctor d = {.at = -1, .patience = 60};
    const Option *o;
    const char *problem;
    double seconds;
    while ((o = options_next(p))) {
        if (o == &options[O_MODES]) d.modes = p->value;
        if (o == &options[O_ONLY]) d.only = p->value;
        if (o == &options[O_PROGRAM]) d.own = p->value;
        if (o == &options[O_REPORT]) d.shared = true;
        if (o == &options[O_PATIENCE] && parse_number(p->value, 1, 3600, &seconds))
            d.patience = (long)seconds;
    }
    if (p->over) return p->status;
    if (d.shared && d.own)
        return command_wrong(p, "--report and --program: a report is of lmp's own programs");
    bool chosen = p->at < p->argc;
    for (int i = p->at + 1; i < p->argc && !p->dashes; i++)
        if (option_called(p->command, p->argv[i]))
            return command_wrong(p,
                                 "%s stands after %s, which would get it: options come "
                                 "first, or -- before %s if it is meant",
                                 p->argv[i], p->argv[p->at], p->argv[p->at]);
    if (!program_find_interpreter(&d.program, p->argc - p->at, p->argv + p->at, &problem)) {
        command_say("%s", problem);
        return EXIT_TROUBLE;
    }
    if (!d.program.path[0]) {
        command_say("cannot run %s: no such command", chosen ? p->argv[p->at] : "lua5.4");
        return EXIT_TROUBLE;
    }
    if (!program_find_modules(LMP_DOCTOR_FILE, &d.modules, &problem)) {
        command_say("%s", problem);
        return EXIT_TROUBLE;
    }
    if (d.modes) setenv(LMP_ENV_DOCTOR_MODES, d.modes, 1);
    if (d.only) setenv(LMP_ENV_DOCTOR_ONLY, d.only, 1);
    if (d.own && access(d.own, R_OK) != 0) {
        command_say("cannot read %s: %s", d.own, strerror(errno));
        return EXIT_TROUBLE;
    }
    program_setenv(LMP_ENV_DOCTOR_PROGRAM, d.own);
    program_setenv(LMP_ENV_RUN, NULL);
    signal(SIGCHLD, SIG_DFL);
    if (!program_set_init(&d.modules, LMP_DOCTOR_ENTRY, refusal)) {
        command_say("cannot start: %s", strerror(ENOMEM));
        return EXIT_TROUBLE;
    }
    if (d.shared) doctor_about();
    while (!d.ended)
        if (d.falls >= MOST_FALLS || !play(&d)) break;
    int status = d.jobs > 0 ? doctor_report(&d) : EXIT_TROUBLE;
    if (!d.jobs && d.ended) command_say("there is no such program or mode");
    free(d.program.argv);
    return status;
}

const Command cmd_doctor = {
    .name = "doctor",
    .usage = {"[OPTIONS] [[--] COMMAND [ARGS...]]"},
    .help = "Tries whether lmp is right on an interpreter, block by block",
    .details =
        "Plays some thirty programs in the interpreter, each in five modes, and compares what "
        "lmp\nsays of every block with what Lua's own API says: line, call path, owner, totals. "
        "Exit\nstatus 0: all agree, or what differs is said to be approximate; 3: something "
        "differs; 1:\nit could not be tried, or it crashed.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_PROGRAM,
};
