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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "base/io.h"
#include "base/ownfd.h"
#include "cmd/cmd.h"
#include "cmd/collect.h"
#include "cmd/inherited.h"
#include "cmd/program.h"
#include "cmd/shellwords.h"
#include "relay/outfile.h"
#include "report/report.h"
#include "shared/breaks.h"
#include "shared/launch.h"
#include "viewer/viewer.h"

#define EXIT_CANNOT 126
#define EXIT_NOT_FOUND 127

typedef struct Run {
    bool live, hold;
    double fps;
    bool lines, stacks;
    uint64_t sample; /* bytes; 0: exact */
    unsigned top;
    char breaks[4096];    /* conditions, one a line */
    bool pauses;          /* one of them is to pause at */
    const char *snapshot; /* file for one at the end, NULL: none */
    const char *name;
    const char *file[REPORTS]; /* the summary's, NULL: standard error; others add to it */
    bool no_summary;
    unsigned first;   /* REPORT_*: what takes the summary's place */
    char again[1024]; /* words to repeat this, except what is shown and written where */
    Program program;
    Collect collect;
    CollectEnd end;
    int signals;
    sigset_t mask; /* that we inherited */
} Run;

/* ---- options --------------------------------------------------------------------------------- */

enum {
    O_LIVE,
    O_NO_LIVE,
    O_LINES,
    O_NO_LINES,
    O_STACKS,
    O_SAMPLE,
    O_REPORT, /* the first of them */
    O_NO_SUMMARY = O_REPORT + REPORTS,
    O_TOP,
    O_BREAK,
    O_SNAPSHOT,
    O_SNAPSHOT_WHEN,
    O_FPS,
    O_HOLD,
    O_NO_HOLD,
    O_NAME
};

#define REPORT_OPTION(ID, name, arg, help, ...) [O_REPORT + REPORT_##ID] = {#name, arg, help},
static const Option options[] = {
    [O_LIVE] = {"live", NULL, "show the display (the default on a terminal, also with >file)"},
    [O_NO_LIVE] = {"no-live", NULL, "no display, only the summary at the end"},
    [O_LINES] = {"lines", NULL, "charge every block to the line that made it (the default)"},
    [O_NO_LINES] = {"no-lines", NULL, "only totals, types and the heap map: a little faster"},
    [O_STACKS] = {"stacks", NULL, "charge every block to its whole call path, too"},
    [O_SAMPLE] = {"sample", "SIZE",
                  "lines and paths by samples, one in SIZE bytes, such as 512KiB"},
    REPORT_KINDS(REPORT_OPTION)[O_NO_SUMMARY] = {"no-summary", NULL, "no summary"},
    [O_TOP] = {"top", "N", "rows of the summary's tables, 0 to 1000 (default 10)"},
    [O_BREAK] = {"break", "CONDITION",
                 "pause there, such as \"size 64KiB\" or \"at main.lua:12\"; may be repeated"},
    [O_SNAPSHOT] = {"snapshot", "FILE", "write a snapshot of the heap when the program ends"},
    [O_SNAPSHOT_WHEN] = {"snapshot-when", "CONDITION",
                         "write one then, such as \"heap 64MiB\" or \"peak\"; may be repeated"},
    [O_FPS] = {"fps", "N",
               "repaints a second, " LMP_FPS_RANGE " (default " LMP_FPS_WORD(LMP_FPS_DEFAULT) ")"},
    [O_HOLD] = {"hold", NULL, "at the end, the display waits for q (the default)"},
    [O_NO_HOLD] = {"no-hold", NULL, "at the end, the display leaves at once"},
    [O_NAME] = {"name", "NAME", "show NAME in place of the script's name"},
    {0},
};

static const Example examples[] = {
    {"lmp run script.lua data.txt", "watch script.lua in the terminal; the summary at the end"},
    {"lmp run --stacks script.lua", "who called the line that made it"},
    {"lmp run --break='size 1MiB' script.lua", "pause where a block of more is asked for"},
    {"lmp run --snapshot=end.heap script.lua", "who holds what is there when it ends"},
    {"lmp run --sample=512KiB server.lua", "at next to no cost, for days"},
    {"lmp run --no-live --json=heap.json script.lua", "no display; figures for machines"},
    {"lmp run -- lua5.4 script.lua", "any command that runs Lua 5.4"},
    {"lmp run -- lua5.4 /usr/bin/busted", "a tool that would take another Lua"},
    {0},
};

static bool read_sample(Run *run, const Command *command, const char *value, int *status) {
    uint64_t bytes = 0;
    bool size = format_parse_size(value, &bytes);
    if (size && (bytes == 0 || (bytes >= LMP_SAMPLE_MIN && bytes <= LMP_SAMPLE_MAX))) {
        run->sample = bytes;
        return true;
    }
    *status = command_wrong(command,
                            "--sample=%s: a size from 1KiB on was expected, such as 512KiB", value);
    return false;
}

/* `when`: for a snapshot, whatever it says. */
static bool read_break(Run *run, const Command *command, const char *value, bool when,
                       int *status) {
    char problem[160], text[BREAKS_TEXT];
    LmpBreak b;
    size_t used = strlen(run->breaks);
    if (!breaks_parse(value, &b, problem, sizeof problem)) {
        *status = command_wrong(command, "--%s: %s", when ? "snapshot-when" : "break", problem);
        return false;
    }
    if (when) b.action = LMP_BREAK_SNAPSHOT;
    if (b.action == LMP_BREAK_PAUSE) run->pauses = true;
    snprintf(run->breaks + used, sizeof run->breaks - used, "%s\n",
             breaks_text(text, sizeof text, &b));
    return true;
}

static bool read_top(Run *run, const Command *command, const char *value, int *status) {
    double n;
    if (parse_number(value, 0, LMP_TOP_MAX, &n) && n == (unsigned)n) {
        run->top = (unsigned)n;
        return true;
    }
    *status = command_wrong(command, "--top=%s: a whole number from 0 to 1000 was expected", value);
    return false;
}

/* The last option of a kind wins: a file of its own, or the summary's place. */
static void read_report(Run *run, unsigned kind, const char *file) {
    run->file[kind] = file;
    if (kind == REPORT_SUMMARY) return;
    if (!file)
        run->first = kind;
    else if (run->first == kind)
        run->first = REPORT_SUMMARY;
}

/* Options that say what is profiled, and how. */
static bool is_said_again(const Option *o) {
    static const unsigned char said[] = {O_LINES, O_NO_LINES, O_STACKS, O_SAMPLE,       O_TOP,
                                         O_BREAK, O_FPS,      O_NAME,   O_SNAPSHOT_WHEN};
    return memchr(said, (int)(o - options), sizeof said) != NULL;
}

static void say_again(Run *run, char **words, int count) {
    for (int i = 0; i < count && run->again[0] != '\n'; i++)
        if (!shellwords_add(run->again, sizeof run->again, words[i]))
            strcpy(run->again, "\n"); /* it cannot be expressed */
}

/* A display is for someone at the terminal. If the output goes to a file they may still be there,
 * which the other streams tell; if it is piped into another program they are watching that one. */
static bool wants_display(void) {
    const char *term = getenv("TERM");
    struct stat st;
    int tty = STDOUT_FILENO;
    if (!term || !*term || strcmp(term, "dumb") == 0) return false;
    if (fstat(tty, &st) == 0 && S_ISREG(st.st_mode))
        tty = isatty(STDIN_FILENO) ? STDIN_FILENO : STDERR_FILENO;
    return isatty(tty) && tcgetpgrp(tty) == getpgrp();
}

/* True: go on. Else *status is the exit status. */
static bool read_options(Run *run, const Command *command, Parse *p, int *status) {
    const Option *o;
    int before = p->at;
    run->hold = true;
    run->fps = command_fps(LMP_FPS_DEFAULT);
    run->lines = true;
    run->top = LMP_TOP_DEFAULT;
    run->live = wants_display();
    for (; (o = options_next(p)); before = p->at) {
        if (is_said_again(o)) say_again(run, p->argv + before, p->at - before);
        switch (o - options) {
        case O_LIVE:
        case O_NO_LIVE:
            run->live = o == &options[O_LIVE];
            break;
        case O_HOLD:
        case O_NO_HOLD:
            run->hold = o == &options[O_HOLD];
            break;
        case O_LINES:
        case O_NO_LINES:
            run->lines = o == &options[O_LINES];
            break;
        case O_STACKS:
            run->stacks = true;
            break;
        case O_SAMPLE:
            if (!read_sample(run, command, p->value, status)) return false;
            break;
        case O_TOP:
            if (!read_top(run, command, p->value, status)) return false;
            break;
        case O_BREAK:
        case O_SNAPSHOT_WHEN:
            if (!read_break(run, command, p->value, o != &options[O_BREAK], status)) return false;
            break;
        case O_SNAPSHOT:
            run->snapshot = p->value;
            break;
        case O_NO_SUMMARY:
            run->no_summary = true;
            break;
        case O_FPS:
            if (!parse_number(p->value, LMP_FPS_MIN, LMP_FPS_MAX, &run->fps)) {
                *status = command_wrong(
                    command, "--fps=%s: a number from " LMP_FPS_RANGE " was expected", p->value);
                return false;
            }
            break;
        case O_NAME:
            run->name = p->value;
            break;
        default:
            read_report(run, (unsigned)(o - &options[O_REPORT]), p->value);
            break;
        }
    }
    *status = p->failed ? EXIT_USAGE : 0;
    if (p->failed || p->help) return false;
    if (!run->lines && (run->stacks || run->sample)) {
        *status = command_wrong(command, "--%s needs lines: leave out --no-lines",
                                run->stacks ? "stacks" : "sample");
        return false;
    }
    if (run->pauses && !run->live) {
        *status =
            command_wrong(command, "--break needs the display, from which the program goes on");
        return false;
    }
    if (p->at >= p->argc) {
        *status = command_wrong(command, "what is to be run? SCRIPT.lua or -- COMMAND");
        return false;
    }
    if (p->dashes) say_again(run, (char *[]){"--"}, 1);
    say_again(run, p->argv + p->at, p->argc - p->at);
    run->end.again = run->again[0] == '\n' ? NULL : run->again;
    return true;
}

/* Better to learn now than after hours that a report cannot be written. */
static bool writable(const char *file) {
    if (!file) return true;
    if (!outfile_writable(file)) {
        command_say("cannot write %s: %s", file, outfile_problem(errno));
        return false;
    }
    return true;
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
        inherited_give_back();
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

/* Was it sent by another lmp of this job, which sent it to the program as well? */
static bool from_display(pid_t sender) {
    char path[64], theirs[4096], ours[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)sender);
    ssize_t n = readlink(path, theirs, sizeof theirs);
    return getpgid(sender) == getpgrp() && n > 0 &&
           n == readlink("/proc/self/exe", ours, sizeof ours) && !memcmp(ours, theirs, (size_t)n);
}

/* What the terminal sends, the program gets directly; pass on what was sent to us alone. The same
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
        if (poll(p, 3, -1) < 0) continue;
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

/* Ends the same way as the program did: a shell must see the same. */
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

/* ---- reports --------------------------------------------------------------------------------- */

static bool write_file(const Run *run, const char *file, unsigned kind) {
    FILE *out = outfile_open(file);
    if (out) collect_report(&run->collect, &run->end, &report_kinds[kind], out);
    return out && fclose(out) == 0;
}

/* To the terminal in one piece: all of it or nothing, except for a kill at that very moment. */
static bool write_out(const Run *run, unsigned kind) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) collect_report(&run->collect, &run->end, &report_kinds[kind], out);
    bool written = out && fclose(out) == 0 && write_all(STDERR_FILENO, text, size);
    free(text);
    return written;
}

static void write_report(const Run *run, const char *file, unsigned kind) {
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
        command_say("%s never started a Lua 5.4 state; to run it with lua5.4: lmp run -- %s",
                    run->program.name, hint);
    } else if (!run->no_summary) {
        collect_summary_begun(&run->collect);
        write_report(run, run->file[REPORT_SUMMARY], run->first);
        collect_summary_done(&run->collect);
    }
    collect_snapshots(&run->collect, run->snapshot != NULL);
    for (unsigned kind = REPORT_SUMMARY + 1; kind < REPORTS; kind++)
        if (run->file[kind]) write_report(run, run->file[kind], kind);
}

/* The name from everywhere. */
static void whole_path(char *out, size_t size, const char *file) {
    char here[4096];
    bool relative = file[0] != '/' && getcwd(here, sizeof here);
    snprintf(out, size, "%s%s%s", relative ? here : "", relative ? "/" : "", file);
}

/* If we are killed, whoever is left writes it there; only the summary. */
static void set_summary_place(const Run *run) {
    char place[8192] = "-";
    const char *file = run->file[REPORT_SUMMARY];
    if (run->no_summary || run->first != REPORT_SUMMARY) place[0] = 0;
    if (file) whole_path(place, sizeof place, file);
    setenv(LMP_ENV_SUMMARY, place, 1);
}

static void set_snapshot(const Run *run) {
    char place[8192];
    unsetenv(LMP_ENV_SNAPSHOT);
    if (!run->snapshot) return;
    whole_path(place, sizeof place, run->snapshot);
    setenv(LMP_ENV_SNAPSHOT, place, 1);
}

static int run_program(Run *run) {
    char module[4096], text[512];
    int pair[2];
    if (!program_find_module(module, sizeof module)) {
        command_say("the Lua module luamemprofiler.so was not found beside this command");
        return EXIT_CANNOT;
    }
    LmpOwnFd theirs = OWNFD_NONE; /* out of the way of programs that expect to get 3, 4, ... */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0)
        theirs = ownfd_take(pair[1]);
    if (theirs.fd < 0) {
        command_say("cannot start: %s", strerror(errno));
        return EXIT_CANNOT;
    }
    collect_open(&run->collect, pair[0], run->live);
    snprintf(text, sizeof text,
             "live=%d hold=%d fps=%u.%03u lines=%d stacks=%d sample=%llu top=%u%s%.200s", run->live,
             run->hold, (unsigned)run->fps, (unsigned)(run->fps * 1000) % 1000, run->lines,
             run->stacks, (unsigned long long)run->sample, run->top, run->name ? " name=" : "",
             run->name ? run->name : "");
    catch_signals(run);
    if (run->breaks[0]) {
        setenv(LMP_ENV_BREAKS, run->breaks, 1);
    } else {
        unsetenv(LMP_ENV_BREAKS);
    }
    set_summary_place(run);
    set_snapshot(run);
    int error = program_set_environment(module, &theirs, text) ? launch(run, theirs.fd) : ENOMEM;
    ownfd_close(&theirs);
    if (error) {
        command_say("cannot run %s: %s", run->program.name, strerror(error));
        collect_close(&run->collect);
        return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT;
    }
    follow(run);
    collect_ended(&run->collect, &run->end);
    collect_wait_displays(&run->collect);
    if (run->collect.open_line && isatty(STDERR_FILENO) && !run->no_summary &&
        !run->file[REPORT_SUMMARY])
        fputc('\n', stderr);
    report(run);
    collect_reported(&run->collect);
    collect_close(&run->collect);
    return end_alike(run);
}

static int run(const Command *command, int argc, char **argv) {
    static Run state;
    Parse p = {.command = command, .argc = argc, .argv = argv, .at = 1};
    const char *problem;
    int status;
    if (!read_options(&state, command, &p, &status)) return status;
    for (unsigned kind = 0; kind < REPORTS; kind++)
        if (!writable(state.file[kind])) return EXIT_CANNOT;
    if (!program_find(&state.program, argc - p.at, argv + p.at, &problem)) {
        command_say("%s", problem);
        status = EXIT_NOT_FOUND;
    } else if (!state.program.path[0]) {
        command_say("cannot run %s: no such command", argv[p.at]);
        status = EXIT_NOT_FOUND;
    } else {
        status = run_program(&state);
    }
    free(state.program.argv);
    return status;
}

const Command cmd_run = {
    .name = "run",
    .usage = {"[OPTIONS] [--] SCRIPT.lua [ARGS...]", "[OPTIONS] -- COMMAND [ARGS...]"},
    .help = "Profiles an unchanged program, live on a terminal, and prints the summary",
    .details =
        "The program may be a Lua script or any command that runs Lua 5.4; its exit status is that "
        "of\nlmp run. The display is left with q, and the program goes on. Your own LUA_INIT is "
        "run as ever.",
    .options = options,
    .examples = examples,
    .run = run,
};
