/* cmd_run.c - `lmp run`: profiles an unchanged program and prints the result. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/outfile.h"
#include "base/own.h"
#include "report/save.h"
#include "run/collect.h"
#include "run/program.h"
#include "run/run_gate.h"
#include "run/run_options.h"
#include "shared/launch.h"
#include "shared/start_options.h"
#include "subcommands/subcommands.h"
#include "viewer/viewer.h"

#define EXIT_CANNOT 126
#define EXIT_NOT_FOUND 127

typedef struct Run {
    RunOptions want;
    Program program;
    ProgramModules modules;
    Collect collect;
    CollectEnd end;
    Recorders recorders;
    RunGate gate;
    int signals;
    sigset_t mask; /* that we inherited */
} Run;

/* Returns false if a report or a snapshot cannot be written: better said now than after hours. */
static bool all_writable(const RunOptions *want, const Recorders *recorders) {
    const char *file = want->snapshot;
    bool writable = !file || outfile_replaceable(file);
    if (writable) writable = recorders_writable(recorders, &file);
    if (writable && want->junit) {
        file = want->junit;
        writable = save_possible(file);
    }
    for (unsigned kind = 0; kind < REPORTS && writable; kind++) {
        file = want->file[kind];
        writable = !file || (report_kinds[kind].own ? outfile_writable(file) : save_possible(file));
    }
    if (!writable) command_say("cannot write %s: %s", file, outfile_problem(errno));
    return writable;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void catch_signals(Run *run) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGUSR1, SIGUSR2};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaddset(&set, caught[i]);
    sigprocmask(SIG_BLOCK, &set, &run->mask);
    run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A child of the program writes its snapshot to another file. */
static void set_snapshot_pid(void) {
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv(LMP_ENV_SNAPSHOT_PID, pid, 1);
}

/* Starts the program. Returns 0, or the errno of what failed. */
static int launch(Run *run, int socket) {
    int failure[2], error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) return errno;
    run->end.pid = fork();
    if (run->end.pid == 0) {
        fcntl(socket, F_SETFD, 0);
        sigprocmask(SIG_SETMASK, &run->mask, NULL);
        set_snapshot_pid();
        program_give_back_inherited();
        execv(run->program.path, run->program.argv);
        error = errno;
        (void)!write(failure[1], &error, sizeof error);
        _exit(EXIT_NOT_FOUND);
    }
    if (run->end.pid < 0) error = errno;
    close(failure[1]);
    if (run->end.pid > 0 && read(failure[0], &error, sizeof error) != sizeof error) error = 0;
    close(failure[0]);
    return error;
}

/* Returns true if another lmp of this job sent the signal; that one sent it to the program as
 * well. */
static bool from_display(pid_t sender) {
    char path[64], theirs[4096], ours[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)sender);
    ssize_t n = readlink(path, theirs, sizeof theirs);
    return getpgid(sender) == getpgrp() && n > 0 &&
           n == readlink("/proc/self/exe", ours, sizeof ours) && !memcmp(ours, theirs, (size_t)n);
}

/* The program gets directly what the terminal sends; pass on what was sent to us alone. The same
 * holds for a hangup if we are the session leader: only the leader gets it. */
static void pass_signal(const Run *run, const struct signalfd_siginfo *info) {
    bool ours_alone = info->ssi_signo == SIGHUP && getsid(0) == getpid();
    if (info->ssi_signo == SIGCHLD || (info->ssi_code == SI_KERNEL && !ours_alone) ||
        from_display((pid_t)info->ssi_pid))
        return;
    kill(run->end.pid, (int)info->ssi_signo);
}

/* Returns when the program has ended. */
static void follow(Run *run) {
    for (;;) {
        struct pollfd p[] = {{.fd = run->signals, .events = POLLIN},
                             {.fd = run->collect.socket, .events = POLLIN},
                             {.fd = collect_display_fd(&run->collect), .events = POLLIN}};
        struct signalfd_siginfo info;
        pid_t pid = waitpid(run->end.pid, &run->end.status, WNOHANG);
        if (pid == run->end.pid || (pid < 0 && errno == ECHILD)) break;
        if (poll(p, 3, collect_look(&run->collect)) < 0) continue;
        if (p[1].revents) collect_receive(&run->collect);
        if (p[2].revents) collect_displays(&run->collect);
        while (read(run->signals, &info, sizeof info) == sizeof info)
            pass_signal(run, &info);
    }
    collect_receive(&run->collect);
}

static void unblock(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Ends in the same way as the program did: a shell must see the same. */
static int end_alike(const Run *run) {
    if (!WIFSIGNALED(run->end.status)) return WEXITSTATUS(run->end.status);
    int sig = WTERMSIG(run->end.status);
    struct rlimit none = {0, 0};
    fflush(NULL);
    setrlimit(RLIMIT_CORE, &none); /* the program's own core file stays the only one */
    signal(sig, SIG_DFL);
    unblock(sig);
    raise(sig);
    return 128 + sig;
}

/* The program's own failure comes before a broken limit. */
static int end_of(const Run *run, bool kept) {
    int status = end_alike(run);
    return status == 0 && !kept ? EXIT_DIFFERENT : status;
}

/* ---- reports --------------------------------------------------------------------------------- */

typedef struct ReportFile {
    const Run *run;
    unsigned kind;
    size_t which;
} ReportFile;

static LmpErr write_one(const void *of, FILE *out) {
    const ReportFile *f = of;
    collect_report(&f->run->collect, &f->run->end, &report_kinds[f->kind], f->which, out);
    return LMP_OK;
}

/* Writes to a file named by an option of its own, over whatever is there. */
static bool write_to(const Run *run, const char *file, unsigned kind) {
    FILE *out = outfile_open(file);
    if (out) collect_report(&run->collect, &run->end, &report_kinds[kind], 0, out);
    return out && fclose(out) == 0;
}

/* The file of the second state has .2 after its name, and so on. */
static bool write_file(const Run *run, const char *file, unsigned kind) {
    char name[4096];
    bool written = true;
    if (report_kinds[kind].own) return write_to(run, file, kind);
    for (size_t i = 0; i < collect_files(&run->collect, &report_kinds[kind]) && written; i++) {
        ReportFile one = {run, kind, i};
        int n = snprintf(name, sizeof name, i ? "%s.%zu" : "%s", file, i + 1);
        errno = ENAMETOOLONG;
        written = (size_t)n < sizeof name && save_file(name, write_one, &one) == LMP_OK;
    }
    return written;
}

/* Writes to the terminal in one piece: all of it or nothing, except for a kill at that very
 * moment. */
static bool write_out(const Run *run, unsigned kind) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) collect_report(&run->collect, &run->end, &report_kinds[kind], 0, out);
    bool written = out && fclose(out) == 0 && io_write_all(STDERR_FILENO, text, size);
    free(text);
    return written;
}

static void write_report(const Run *run, const char *file, unsigned kind) {
    if (file && !report_kinds[kind].own && run->collect.count == 0) {
        command_say("no report in %s: nothing was profiled", file);
        return;
    }
    if (file ? write_file(run, file, kind) : write_out(run, kind)) return;
    command_say("cannot write %s: %s", file ? file : "the summary", outfile_problem(errno));
}

static void report(const Run *run) {
    bool none = run->collect.count == 0 && run->collect.lost == 0;
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone does not change how we end */
    unblock(SIGTERM);         /* nor do we wait for one that does not read */
    if (none && run->collect.refused > 0) {
        /* the program has already said why */
    } else if (none && program_ignores_init(&run->program)) {
        command_say("%s -E ignores the environment, which is how lmp comes in; run it without -E, "
                    "or call lmp.start() in the script",
                    run->program.name);
    } else if (none) {
        char hint[4200];
        program_hint(&run->program, hint, sizeof hint);
        command_say("%s never started a state of %s; to run it with lua5.4: lmp run -- %s",
                    run->program.name, program_luas(&run->modules), hint);
    } else if (!run->want.no_summary) {
        collect_summary_begun(&run->collect);
        write_report(run, run->want.file[REPORT_SUMMARY], run->want.first);
        collect_summary_done(&run->collect);
    }
    collect_snapshots(&run->collect, run->want.snapshot != NULL, run->gate.directory.path);
    for (unsigned kind = REPORT_SUMMARY + 1; kind < REPORTS; kind++)
        if (run->want.file[kind]) write_report(run, run->want.file[kind], kind);
}

/* Tells where a remaining process writes the summary (only that) if we are killed. */
static void set_summary_place(const Run *run) {
    char place[8192] = "-";
    const char *file = run->want.file[REPORT_SUMMARY];
    if (run->want.no_summary || run->want.first != REPORT_SUMMARY) place[0] = 0;
    if (file) recname_whole(place, sizeof place, file);
    program_setenv(LMP_ENV_SUMMARY, place);
}

static void set_snapshot(const Run *run) {
    char place[8192];
    const char *file = run->want.snapshot ? run->want.snapshot : run_gate_snapshot(&run->gate);
    bool whole = file && recname_whole(place, sizeof place, file);
    program_setenv(LMP_ENV_SNAPSHOT, whole ? place : file);
}

static int run_program(Run *run) {
    char text[1200];
    const char *problem;
    int pair[2];
    if (!program_find_modules(LMP_MODULE_FILE, &run->modules, &problem)) {
        command_say("%s", problem);
        return EXIT_CANNOT;
    }
    LmpOwnFd theirs = OWN_FD_NONE; /* out of the way of programs that expect to get 3, 4, ... */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0)
        theirs = own_fd_take(pair[1]);
    if (theirs.fd < 0) {
        command_say("cannot start: %s", strerror(errno));
        return EXIT_CANNOT;
    }
    collect_open(&run->collect, pair[0], run->want.live);
    run->collect.recorders = &run->recorders;
    snprintf(text, sizeof text,
             "live=%d hold=%d fps=%u.%03u lines=%d stacks=%d sample=%llu calls=%d instructions=%d "
             "overrides=%d top=%u follow=%d",
             run->want.live, run->want.hold, (unsigned)run->want.fps,
             (unsigned)(run->want.fps * 1000) % 1000, run->want.lines, run->want.stacks,
             (unsigned long long)run->want.sample, (run->want.counts & LMP_COUNTS_CALLS) != 0,
             (run->want.counts & LMP_COUNTS_INSTRUCTIONS) != 0,
             (run->want.counts & LMP_COUNTS_OVERRIDES) != 0, run->want.top, run->want.follow);
    if (run->want.name) start_options_add(text, sizeof text, "name", run->want.name);
    catch_signals(run);
    program_setenv(LMP_ENV_BREAKS, run->want.breaks[0] ? run->want.breaks : NULL);
    program_setenv(LMP_ENV_RECORD, run->recorders.wanted ? "1" : NULL);
    set_summary_place(run);
    run_gate_open(&run->gate, &run->want, run->program.name);
    set_snapshot(run);
    int error =
        program_set_environment(&run->modules, &theirs, text) && program_set_preload(&run->program)
            ? launch(run, theirs.fd)
            : ENOMEM;
    own_fd_close(&theirs);
    if (error) {
        command_say("cannot run %s: %s", run->program.name, strerror(error));
        collect_close(&run->collect);
        run_gate_close(&run->gate);
        return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT;
    }
    run->recorders.main = (uint32_t)run->end.pid;
    run->collect.main = run->end.pid;
    follow(run);
    collect_ended(&run->collect, &run->end);
    recorders_ended(&run->recorders);
    collect_wait_displays(&run->collect);
    if (run->collect.open_line && isatty(STDERR_FILENO) && !run->want.no_summary &&
        !run->want.file[REPORT_SUMMARY])
        fputc('\n', stderr);
    report(run);
    recorders_say(&run->recorders);
    bool kept = run_gate_judge(&run->gate, &run->collect, &run->end);
    collect_reported(&run->collect);
    collect_close(&run->collect);
    run_gate_close(&run->gate);
    recorders_close(&run->recorders);
    return end_of(run, kept);
}

static int run(Parse *p) {
    static Run state;
    const char *problem;
    int status = run_options_read(&state.want, p);
    if (status != RUN_OPTIONS_READ) {
        free(state.want.limit);
        return status;
    }
    state.end.again = state.want.again[0] ? state.want.again : NULL;
    state.recorders = (Recorders){.wanted = state.want.record,
                                  .given = state.want.record_file,
                                  .limit = state.want.record_limit,
                                  .again = state.end.again};
    if (!all_writable(&state.want, &state.recorders)) return EXIT_CANNOT;
    if (!program_find(&state.program, p->argc - p->at, p->argv + p->at, &problem)) {
        command_say("%s", problem);
        status = EXIT_NOT_FOUND;
    } else if (!state.program.path[0]) {
        command_say("cannot run %s: no such command", p->argv[p->at]);
        status = EXIT_NOT_FOUND;
    } else {
        status = run_program(&state);
    }
    free(state.program.argv);
    free(state.want.limit);
    return status;
}

const Command cmd_run = {
    .name = "run",
    .usage = {"[OPTIONS] [--] SCRIPT.lua [ARGS...]", "[OPTIONS] -- COMMAND [ARGS...]"},
    .help = "Profiles an unchanged program, live on a terminal, and prints the summary",
    .details =
        "The program may be a Lua script or any command that runs Lua 5.4 or 5.5; its exit status "
        "is that "
        "of\nlmp run. The display is left with q, and the program goes on. Your own LUA_INIT is "
        "run as ever.\n\nA program that has ended well and broken a --limit gives exit status 3. A "
        "limit is "
        "FIGURE\nMOST: peak, live, bytes, held or frame with a size, allocs, blocks or leaks with "
        "a "
        "number;\nor of a part: at FILE:LINE FIGURE MOST, type TYPE FIGURE MOST, tag NAME FIGURE "
        "MOST.",
    .options = run_options,
    .examples = run_examples,
    .run = run,
    .takes = TAKES_SCRIPT | TAKES_PROGRAM,
};
