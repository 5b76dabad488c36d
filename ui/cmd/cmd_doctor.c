/* cmd_doctor.c - `lmp doctor`: is what lmp says right on this interpreter? Starts it with the part
 * of doctor that plays programs in it (src/agent/doctor/doctor.c), reads what that says, and makes
 * a table of it. An interpreter that crashes or hangs over one program is started again for the
 * next.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "cmd/cmd.h"
#include "cmd/compiler.h"
#include "cmd/inherited.h"
#include "cmd/program.h"
#include "shared/launch.h"
#include "shared/layout.h"

enum { EXIT_TROUBLE = 1, EXIT_DIFFERENT = 3 };
enum { MOST_JOBS = 1000, MOST_FALLS = 20 };

/* What is counted of a job, as src/agent/doctor/doctor.c writes it. */
typedef enum Figure {
    F_BLOCKS,
    F_LINES,
    F_LINES_WRONG,
    F_PATHS,
    F_PATHS_WRONG,
    F_OWNERS,
    F_OWNERS_WRONG,
    F_TOTALS,
    F_TOTALS_WRONG,
    F_UNTOLD,
    F_UNPROVEN,
    F_OWNERS_UNPROVEN,
    F_UNKNOWN,
    F_BEHAVED,
    F_SAID_LINES,
    F_SAID_STACKS,
    F_SAID_OWNERS,
    F_SAID_SAMPLES,
    FIGURES
} Figure;

typedef enum Health { H_NONE, H_RIGHT, H_SAID, H_WRONG, H_FELL } Health;

typedef struct Job {
    char program[48], mode[24];
    uint64_t f[FIGURES];
    char first[700]; /* difference or trouble */
    Health health;
} Job;

typedef struct Doctor {
    Program program;
    char module[4096];
    char lua[64], code[4096], build_id[128];
    Job job[MOST_JOBS];
    int jobs, falls;
    int at;            /* the job that is played, -1: none so far */
    bool ended;        /* all has been said */
    bool spoke;        /* anything at all */
    char refused[300]; /* why the module cannot be loaded; "": it can */
    long patience;     /* seconds for one job */
    uint64_t sum[FIGURES];
    const char *only, *modes, *own;
} Doctor;

/* ---- what is said ---------------------------------------------------------------------------- */

/* The health of a job by its figures: what lmp says itself to be uncertain is no fault. */
static Health judge_row(const Job *j) {
    const uint64_t *f = j->f;
    bool exact = f[F_SAID_LINES] == LMP_LINES_EXACT;
    if (!f[F_BEHAVED] || f[F_TOTALS_WRONG] ||
        (f[F_SAID_OWNERS] && f[F_OWNERS_WRONG] > f[F_OWNERS_UNPROVEN]))
        return H_WRONG;
    if (exact && f[F_LINES_WRONG] > f[F_UNPROVEN]) return H_WRONG;
    if (exact && f[F_PATHS_WRONG] > f[F_UNPROVEN]) return H_WRONG;
    return f[F_LINES_WRONG] || f[F_PATHS_WRONG] || f[F_OWNERS_WRONG] ? H_SAID : H_RIGHT;
}

static void hear_row(Doctor *d, Job *j, char *words) {
    for (int i = 0; i < FIGURES; i++) {
        char *word = strsep(&words, "\t");
        j->f[i] = word ? strtoull(word, NULL, 10) : 0;
        d->sum[i] += j->f[i];
    }
    j->health = judge_row(j);
}

static void hear(Doctor *d, char *line) {
    char *what = strsep(&line, "\t");
    Job *j = d->at >= 0 ? &d->job[d->at] : NULL;
    if (!line) line = "";
    d->spoke = true;
    if (!strcmp(what, "refused")) {
        format_text(d->refused, sizeof d->refused, line, 0);
    } else if (!strcmp(what, "lua")) {
        format_text(d->lua, sizeof d->lua, line, 0);
    } else if (!strcmp(what, "code")) {
        format_text(d->code, sizeof d->code, strsep(&line, "\t"), 0);
        format_text(d->build_id, sizeof d->build_id, line ? line : "", 0);
    } else if (!strcmp(what, "job") && d->at + 1 < MOST_JOBS) {
        strsep(&line, "\t");
        j = &d->job[++d->at];
        d->jobs = d->at + 1;
        char *program = strsep(&line, "\t");
        format_text(j->program, sizeof j->program, program ? program : "", 0);
        format_text(j->mode, sizeof j->mode, line ? line : "", 0);
    } else if (!strcmp(what, "row") && j) {
        hear_row(d, j, line);
    } else if (!strcmp(what, "diff") && j) {
        format_text(j->first, sizeof j->first, line, 0);
    } else if (!strcmp(what, "trouble") && j) {
        format_text(j->first, sizeof j->first, line, 0);
        j->health = H_FELL;
    } else if (!strcmp(what, "end")) {
        d->ended = true;
    }
}

/* Reads until the pipe's end. False: nothing came for too long. */
static bool listen(Doctor *d, int fd) {
    char text[4096];
    size_t used = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, (int)d->patience * 1000);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        ssize_t n = read(fd, text + used, sizeof text - 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        used += (size_t)n;
        text[used] = '\0';
        char *line = text, *end;
        while ((end = strchr(line, '\n'))) {
            *end = '\0';
            hear(d, line);
            line = end + 1;
        }
        used = strlen(line);
        if (used == sizeof text - 1) used = 0; /* no line of ours is that long */
        memmove(text, line, used);
    }
}

/* ---- the interpreter ------------------------------------------------------------------------- */

/* In the child. */
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

/* Plays jobs from d->at + 1 on. False: the interpreter cannot be used at all, and why has been
 * said.
 */
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
        inherited_give_back();
        become(d, theirs);
    }
    close(theirs);
    bool heard = pid > 0 && listen(d, pair[0]);
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
            command_say("%s never started a Lua 5.4 state", d->program.name);
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

/* ---- the table ------------------------------------------------------------------------------- */

static const char *const mode_name[] = {"default", "stacks", "generational", "sampled", "refused"};
enum { MODE_NAMES = sizeof mode_name / sizeof *mode_name };

static uint64_t wrong_of(const Job *j) {
    return j->f[F_LINES_WRONG] > j->f[F_PATHS_WRONG] ? j->f[F_LINES_WRONG] : j->f[F_PATHS_WRONG];
}

/* "120", "3 of 120" where something differs, "crash". */
static void cell(const Job *j) {
    char text[80], all[LMP_NUM], wrong[LMP_NUM];
    uint64_t other = j->f[F_OWNERS_WRONG] + j->f[F_TOTALS_WRONG];
    format_count(all, j->f[F_LINES] + j->f[F_LINES_WRONG]);
    if (j->health == H_FELL) {
        snprintf(text, sizeof text, "FELL");
    } else if (j->health == H_NONE) {
        snprintf(text, sizeof text, "-");
    } else if (!j->f[F_BEHAVED]) {
        snprintf(text, sizeof text, "OTHER");
    } else if (wrong_of(j) || other) {
        format_count(wrong, wrong_of(j) ? wrong_of(j) : other);
        snprintf(text, sizeof text, "%s/%s", wrong, all);
    } else {
        snprintf(text, sizeof text, "%s", all);
    }
    printf("  %13s", text);
}

static const Job *job_of(const Doctor *d, const char *program, const char *mode) {
    for (int i = 0; i < d->jobs; i++)
        if (!strcmp(d->job[i].program, program) && !strcmp(d->job[i].mode, mode)) return &d->job[i];
    return NULL;
}

static bool has_mode(const Doctor *d, const char *mode) {
    for (int i = 0; i < d->jobs; i++)
        if (!strcmp(d->job[i].mode, mode)) return true;
    return false;
}

static void print_programs(const Doctor *d) {
    printf("\n%-22s", "blocks, or differ/blocks");
    for (int m = 0; m < MODE_NAMES; m++)
        if (has_mode(d, mode_name[m])) printf("  %13s", mode_name[m]);
    printf("\n");
    for (int i = 0; i < d->jobs; i++) {
        const Job *first = &d->job[i];
        if (strcmp(first->mode, d->job[0].mode) != 0) break;
        printf("%-24s", first->program);
        for (int m = 0; m < MODE_NAMES; m++) {
            static const Job none;
            if (!has_mode(d, mode_name[m])) continue;
            const Job *j = job_of(d, first->program, mode_name[m]);
            cell(j ? j : &none);
        }
        printf("\n");
    }
}

static void print_sum(const Doctor *d, const char *what, const char *said, Figure agreed) {
    char a[LMP_NUM], b[LMP_NUM];
    printf("%-12s %-13s %s agree, %s differ\n", what, said, format_count(a, d->sum[agreed]),
           format_count(b, d->sum[agreed + 1]));
}

static const char *word(const Doctor *d, const char *mode, Figure f, const char *yes,
                        const char *no) {
    bool any = false;
    for (int i = 0; i < d->jobs; i++) {
        const Job *j = &d->job[i];
        if (j->health == H_NONE || j->health == H_FELL || (mode && strcmp(j->mode, mode) != 0))
            continue;
        any = true;
        if (!j->f[f]) return no;
    }
    return any ? yes : "not tried";
}

static const char *lines_word(const Doctor *d) {
    static const char *const name[] = {[LMP_LINES_OFF] = "off",
                                       [LMP_LINES_EXACT] = "exact",
                                       [LMP_LINES_APPROXIMATE] = "approximate"};
    for (int i = 0; i < d->jobs; i++)
        if (d->job[i].health != H_NONE && d->job[i].health != H_FELL)
            return name[d->job[i].f[F_SAID_LINES] % 3];
    return "not known";
}

static void print_interpreter(const Doctor *d) {
    char compiler[256];
    printf("interpreter  %s\n", d->program.path);
    printf("version      %s\n", d->lua);
    if (strcmp(d->code, d->program.path) != 0) printf("code in      %s\n", d->code);
    printf("build id     %s\n", d->build_id[0] ? d->build_id : "none");
    compiler_of(d->code, compiler, sizeof compiler);
    format_text(compiler, sizeof compiler, compiler, 0);
    printf("compiler     %s\n", compiler[0] ? compiler : "not said");
}

static const Job *worst(const Doctor *d, Health health) {
    for (int i = 0; i < d->jobs; i++)
        if (d->job[i].health == health) return &d->job[i];
    return NULL;
}

/* The closing sentence, and the exit status. */
static int conclude(const Doctor *d) {
    char a[LMP_NUM], b[LMP_NUM];
    const Job *fallen = worst(d, H_FELL), *wrong = worst(d, H_WRONG), *said = worst(d, H_SAID);
    if (wrong)
        printf("\nfirst difference: %s, %s: %s\n", wrong->program, wrong->mode, wrong->first);
    printf("\n");
    if (fallen) {
        printf("CRASHED: %s in %s, %s.\n", fallen->first, fallen->program, fallen->mode);
        return EXIT_TROUBLE;
    }
    if (wrong) {
        printf("WRONG: lmp says %s lines, %s owners, and not every block agrees.\n", lines_word(d),
               word(d, NULL, F_SAID_OWNERS, "known", "unknown"));
        return EXIT_DIFFERENT;
    }
    uint64_t lines = d->sum[F_LINES] + d->sum[F_LINES_WRONG];
    if (said && strcmp(lines_word(d), "exact") != 0) {
        printf("Approximate, and said: %s of %s blocks are charged to another line; totals agree, "
               "and owners where they are said to be known.\n",
               format_count(a, d->sum[F_LINES_WRONG]), format_count(b, lines));
        return 0;
    }
    if (said) {
        uint64_t more = d->sum[F_OWNERS_WRONG] > d->sum[F_LINES_WRONG] ? d->sum[F_OWNERS_WRONG]
                                                                       : d->sum[F_LINES_WRONG];
        printf("Right but for %s of %s blocks, of which lmp itself says that it may be wrong.\n",
               format_count(a, more), format_count(b, lines));
        return 0;
    }
    printf("Right: all %s blocks agree, in line, call path, owner and size; lines are %s.\n",
           format_count(a, d->sum[F_LINES]), lines_word(d));
    return 0;
}

static int report(const Doctor *d) {
    char a[LMP_NUM];
    print_interpreter(d);
    print_programs(d);
    printf("\n");
    print_sum(d, "lines", lines_word(d), F_LINES);
    print_sum(d, "call paths", word(d, "stacks", F_SAID_STACKS, "kept", "not kept"), F_PATHS);
    print_sum(d, "owners", word(d, NULL, F_SAID_OWNERS, "known", "not known"), F_OWNERS);
    print_sum(d, "totals", "counted", F_TOTALS);
    printf("%-12s %s\n", "samples", word(d, "sampled", F_SAID_SAMPLES, "taken", "not taken"));
    if (d->sum[F_UNPROVEN] + d->sum[F_OWNERS_UNPROVEN])
        printf("%-12s %s of those that differ, by lmp's own count\n", "unproven",
               format_count(a, d->sum[F_UNPROVEN] + d->sum[F_OWNERS_UNPROVEN]));
    return conclude(d);
}

/* ---- the command ----------------------------------------------------------------------------- */

enum { O_MODES, O_ONLY, O_PROGRAM, O_PATIENCE };

static const Option options[] = {
    [O_MODES] = {"modes", "LIST",
                 "only these, such as default,stacks (others: generational, sampled, refused)"},
    [O_ONLY] = {"only", "LIST", "only these programs, such as constructors.lua"},
    [O_PROGRAM] = {"program", "FILE",
                   "play this script in place of them; it must do the same each time"},
    [O_PATIENCE] = {"patience", "SECONDS", NULL},
    {0},
};

static const Example examples[] = {
    {"lmp doctor", "the interpreter that lmp run would choose"},
    {"lmp doctor /opt/lua/bin/lua", "any other"},
    {0},
};

/* Says why, where play() listens. */
static const char refusal[] =
    "local p = io.open(\"/proc/self/fd/\" .. os.getenv(\"" LMP_ENV_DOCTOR
    "\"):match(\"%d+\"), \"w\") "
    "if p then p:write(\"refused\\t\", e, \"\\n\") p:close() end os.exit(1)";

static int run(const Command *command, int argc, char **argv) {
    static Doctor d = {.at = -1, .patience = 60};
    Parse p = {.command = command, .argc = argc, .argv = argv, .at = 1};
    const Option *o;
    const char *problem;
    double seconds;
    while ((o = options_next(&p))) {
        if (o == &options[O_MODES]) d.modes = p.value;
        if (o == &options[O_ONLY]) d.only = p.value;
        if (o == &options[O_PROGRAM]) d.own = p.value;
        if (o == &options[O_PATIENCE] && parse_number(p.value, 1, 3600, &seconds))
            d.patience = (long)seconds;
    }
    if (p.failed || p.help) return p.failed ? EXIT_USAGE : 0;
    bool chosen = p.at < argc;
    if (!program_find_interpreter(&d.program, argc - p.at, argv + p.at, &problem)) {
        command_say("%s", problem);
        return EXIT_TROUBLE;
    }
    if (!d.program.path[0]) {
        command_say("cannot run %s: no such command", chosen ? argv[p.at] : "lua5.4");
        return EXIT_TROUBLE;
    }
    if (!program_find_module(d.module, sizeof d.module)) {
        command_say("the Lua module luamemprofiler.so was not found beside this command");
        return EXIT_TROUBLE;
    }
    if (d.modes) setenv(LMP_ENV_DOCTOR_MODES, d.modes, 1);
    if (d.only) setenv(LMP_ENV_DOCTOR_ONLY, d.only, 1);
    unsetenv(LMP_ENV_DOCTOR_PROGRAM);
    if (d.own && access(d.own, R_OK) != 0) {
        command_say("cannot read %s: %s", d.own, strerror(errno));
        return EXIT_TROUBLE;
    }
    if (d.own) setenv(LMP_ENV_DOCTOR_PROGRAM, d.own, 1);
    unsetenv(LMP_ENV_RUN);
    signal(SIGCHLD, SIG_DFL);
    if (!program_set_init(d.module, LMP_DOCTOR_ENTRY, refusal)) {
        command_say("cannot start: %s", strerror(ENOMEM));
        return EXIT_TROUBLE;
    }
    while (!d.ended)
        if (d.falls >= MOST_FALLS || !play(&d)) break;
    int status = d.jobs > 0 ? report(&d) : EXIT_TROUBLE;
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
};
