/* kill_rounds.c - kills lmp's own processes, any of them at any moment, and looks what comes to
 * harm. A round is one program with a live display, or one `lmp top`, on a pseudo terminal, with
 * some of relay, viewer, `lmp run` and program as victims. Afterwards:
 *     all that the program wrote stands on the main screen, in order and once;
 *     the terminal is as it was: settings, screen, cursor, mouse, keys;
 *     the program ended with the status of its own, and `lmp run` with the same;
 *     there was a summary, and no process is left;
 *     a recording or snapshot that was asked for can be read, and is there if its writer lived.
 *
 * The job is started by a process that does what a shell does, and no more: it gives the terminal
 * to the job, waits for its first process, and takes the terminal back.
 *
 *     kill_rounds [--rounds=N] [--part=K/N] [--seed=S] [--jobs=J] [--one=ROUND] [--kind=NAME] [-v]
 *         [--again]   a round that fails is told and played once more, and counts if it fails then:
 *                     some few in a thousand depend on a moment that does not come again
 *
 * Environment: LMP_BUILD (directory of lmp and the module), LUA, LMP_PRELOAD. The seed is printed;
 * --one=ROUND with it plays one round again. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "kill_check.h"
#include "kill_plan.h"
#include "kill_process.h"
#include "kill_screen.h"

#define PATIENCE_MS 60000 /* for a round; only a failure takes them */

static const char *build, *lua, *preload;
static bool verbose;

/* ---- a round --------------------------------------------------------------------------------- */

static const char script[] =
    "local lines, ms, status, hold, live, record, snapshot = ...\n"
    "lines, ms, status = tonumber(lines), tonumber(ms), tonumber(status)\n"
    "local lmp = (live == 'live' or snapshot) and require 'luamemprofiler'\n"
    "if live == 'live' then\n"
    "  lmp.start {live = true, hold = hold == 'hold', record = record ~= '' and record}\n"
    "end\n"
    "io.stdout:setvbuf 'no'\n"
    "local count = assert(io.open('count', 'w'))\n"
    "count:setvbuf 'no'\n"
    "local each, kept = lines // 20 + 1, {}\n"
    "for i = 1, lines do\n"
    "  io.write(('L%06d '):format(i), string.char(97 + i % 26):rep(i % 37), '$\\n')\n"
    "  count:seek('set', 0) count:write(i)\n"
    "  kept[i % 100] = {i}\n"
    "  if snapshot and i == lines // 2 + 1 then\n"
    "    for k = 1, 20000 do kept[-k] = {k} end\n"
    "    lmp.snapshot(snapshot)\n"
    "  end\n"
    "  if i % each == 0 then\n"
    "    local t = os.clock() + ms / 20000\n"
    "    repeat local x = {} until os.clock() >= t\n"
    "  end\n"
    "end\n"
    "local done = assert(io.open('done', 'w')) done:close()\n"
    "os.exit(status, true)\n";

static const char endless[] = "require 'luamemprofiler'.start()\n"
                              "local up = assert(io.open('up', 'w')) up:close()\n"
                              "while true do local x = {} end\n";

static void write_file(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", kill_work, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) abort();
}

/* All that a round may leave, and parts of files whose writer was killed. */
static void remove_files(void) {
    DIR *dir = opendir(kill_work);
    for (struct dirent *e; dir && (e = readdir(dir));)
        unlinkat(dirfd(dir), e->d_name, 0);
    if (dir) closedir(dir);
}

static void environment(void) {
    char path[400];
    snprintf(path, sizeof path, "%s/?.so", build);
    setenv("LUA_CPATH", path, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    if (*preload) setenv("LD_PRELOAD", preload, 1);
    if (*preload) setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_abort=0", 1);
}

static _Noreturn void be_job(const Plan *p, pid_t top) {
    char lmp[400], n[4][24];
    snprintf(lmp, sizeof lmp, "%s/lmp", build);
    snprintf(n[0], sizeof n[0], "%u", p->lines);
    snprintf(n[1], sizeof n[1], "%u", p->pause_ms);
    snprintf(n[2], sizeof n[2], "%d", p->status);
    snprintf(n[3], sizeof n[3], "%d", (int)top);
    const char *hold = p->hold ? "hold" : "leave", *record = p->record ? KILL_RECORDING : "";
    const char *snapshot = p->snapshot ? KILL_SNAPSHOT : NULL;
    environment();
    if (p->kind == K_RUN) {
        setenv("LD_PRELOAD", preload, 1);
        execl(lmp, "lmp", "run", p->hold ? "--hold" : "--no-hold",
              p->record ? "--record=" KILL_RECORDING : "--lines", "--", lua, "s.lua", n[0], n[1],
              n[2], hold, "run", record, snapshot, (char *)NULL);
    }
    if (p->kind == K_START)
        execl("/usr/bin/env", "env", lua, "s.lua", n[0], n[1], n[2], hold, "live", record, snapshot,
              (char *)NULL);
    execl(lmp, "lmp", "top", n[3], (char *)NULL);
    _exit(126);
}

typedef struct Told {
    pid_t job;
    int status;
} Told;

/* What a shell does; then it waits until the driver has looked at everything. */
static _Noreturn void be_shell(const Plan *p, int tty, int report, pid_t top) {
    Told told = {0, 0};
    setsid();
    ioctl(tty, TIOCSCTTY, 0);
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (int i = 0; i < 3; i++)
        dup2(tty, i);
    if (chdir(kill_work) != 0) _exit(1);
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0) _exit(1);
    told.job = fork();
    if (told.job == 0) {
        char byte;
        setpgid(0, 0);
        if (read(gate[0], &byte, 1) != 1) _exit(1);
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        be_job(p, top);
    }
    setpgid(told.job, told.job);
    tcsetpgrp(tty, told.job);
    (void)!write(report, &told, sizeof told);
    (void)!write(gate[1], "", 1);
    while (waitpid(told.job, &told.status, WUNTRACED) < 0 && errno == EINTR)
        ;
    tcsetpgrp(tty, getpgrp());
    (void)!write(report, &told, sizeof told);
    for (;;)
        pause();
}

typedef struct Round {
    const Plan *plan;
    Screen screen;
    int master, tty, report;
    struct termios before;
    pid_t shell, job;
    bool job_ended;
    int job_status;
    pid_t killed[VICTIMS];
    bool early, after;
    bool pending[VICTIMS];
    pid_t program;      /* once seen */
    int program_status; /* as seen when it was left to us; -1 */
} Round;

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void read_terminal(Round *r) {
    char bytes[1 << 15];
    ssize_t n;
    size_t most = r->plan->slow_reader ? 700 : sizeof bytes;
    for (int i = 0; i < (r->plan->slow_reader ? 1 : 20); i++) {
        n = read(r->master, bytes, most);
        if (n <= 0) return;
        screen_feed(&r->screen, bytes, (size_t)n);
    }
}

/* Whoever has lost its parent is our child. */
static void reap(Round *r) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == r->program) r->program_status = status;
}

static void kill_victims(Round *r, uint64_t since) {
    const Plan *p = r->plan;
    for (int i = 0; i < VICTIMS; i++) {
        if (!r->pending[i] || since < p->at_ms[i]) continue;
        if (i == RUN && r->job_ended) r->pending[i] = false;
        pid_t pid = process_find(p, i, r->shell, r->job);
        if (pid == 0) continue;
        if (!check_file("count")) r->early = true;
        kill(pid, SIGKILL);
        if (check_file("done")) r->after = true; /* looked at before, it might come in between */
        r->killed[i] = pid;
        r->pending[i] = false;
    }
}

static void start_round(Round *r, pid_t top) {
    int report[2];
    struct winsize size = {24, 90, 0, 0};
    r->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    grantpt(r->master);
    unlockpt(r->master);
    r->tty = open(ptsname(r->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ioctl(r->tty, TIOCSWINSZ, &size);
    tcgetattr(r->tty, &r->before);
    r->before.c_lflag &= (tcflag_t)~ECHO; /* of our keys that come a little late */
    tcsetattr(r->tty, TCSANOW, &r->before);
    if (pipe2(report, O_CLOEXEC) != 0) abort();
    r->shell = fork();
    if (r->shell == 0) be_shell(r->plan, r->tty, report[1], top);
    close(report[1]);
    r->report = report[0];
    Told told;
    if (read(r->report, &told, sizeof told) != sizeof told) abort();
    r->job = told.job;
    fcntl(r->report, F_SETFL, O_NONBLOCK);
}

/* Until nothing of the job is left. False: it did not come to that. */
static bool follow(Round *r) {
    const Plan *p = r->plan;
    uint64_t start = now_ms(), output_end = 0, key = 0, looked = 0, paused = 0;
    bool resumed = false;
    memcpy(r->pending, p->victim, sizeof r->pending);
    for (;;) {
        uint64_t now = now_ms();
        struct pollfd fd = {.fd = r->master, .events = POLLIN};
        poll(&fd, 1, 1);
        if (p->slow_reader) poll(NULL, 0, 1);
        read_terminal(r);
        Told told;
        if (read(r->report, &told, sizeof told) == sizeof told) {
            r->job_ended = true;
            r->job_status = told.status;
        }
        if (!output_end && check_file("done")) output_end = now;
        if (!r->program && p->kind != K_TOP)
            r->program = process_find(p, V_PROGRAM, r->shell, r->job);
        if (p->pause && !resumed && r->screen.alternate && (!paused || now - paused > 300)) {
            (void)!write(r->master, " ", 1);
            resumed = paused != 0;
            paused = now;
        }
        if (!p->at_end) {
            kill_victims(r, now - start);
        } else if (output_end) {
            kill_victims(r, now - output_end);
        }
        reap(r);
        Process all[64];
        size_t n = 0, alive = 0;
        bool late = now - start >= PATIENCE_MS;
        if (r->job_ended && (late || now - looked > 20)) {
            n = process_list(r->shell, all, 64);
            for (size_t i = 0; i < n; i++)
                alive += all[i].pid != r->shell && !process_is_zombie(&all[i]);
            if (alive == 0) break;
            looked = now;
        } else if (late) {
            n = process_list(r->shell, all, 64);
        }
        /* the display is left when nothing more is to happen to it */
        bool idle = true;
        for (int i = 0; i < VICTIMS; i++)
            idle &= !r->pending[i];
        bool over = p->kind == K_TOP ? idle || now - start > 700 : output_end > 0;
        over |=
            p->pause && now - start > 5000; /* both keys may have come before there was a pause */
        if (r->screen.alternate && over && now - start > 800 && now - key > 200) {
            if (idle || now - (output_end ? output_end : start) > 800) {
                (void)!write(r->master, "q", 1);
                key = now;
            }
        }
        if (!late) continue;
        char names[256] = "";
        for (size_t i = 0; i < n; i++)
            if (all[i].pid != r->shell && !process_is_zombie(&all[i]))
                snprintf(names + strlen(names), sizeof names - strlen(names), " %s(%d)%c",
                         all[i].name, (int)all[i].pid, all[i].state);
        if (getenv("KILL_ROUNDS_WAIT")) pause();
        for (size_t i = 0; i < n; i++)
            if (all[i].pid != r->shell) kill(all[i].pid, SIGKILL);
        return check_wrong("left after %d s:%s", PATIENCE_MS / 1000, names);
    }
    for (int i = 0; i < 3; i++) /* the last of it */
        while (poll(&(struct pollfd){.fd = r->master, .events = POLLIN}, 1, 0) > 0)
            read_terminal(r);
    return true;
}

static bool same_end(int a, int status, bool killed) {
    if (killed && WIFSIGNALED(a) && WTERMSIG(a) == SIGKILL) return true;
    return WIFEXITED(a) && WEXITSTATUS(a) == status; /* a killed one may have been at its end */
}

static bool check_status(const Round *r) {
    const Plan *p = r->plan;
    bool killed = r->killed[V_PROGRAM] != 0;
    if (p->kind == K_RUN && r->killed[RUN]) {
        if (r->program_status < 0) return true; /* it had ended before */
        if (!same_end(r->program_status, p->status, killed))
            return check_wrong("the program's status: %x", r->program_status);
        return true;
    }
    if (p->kind != K_TOP && !same_end(r->job_status, p->status, killed))
        return check_wrong("status of the job: %x", r->job_status);
    return true;
}

/* Can lmp read what a round has left? */
static bool check_readable(const char *file) {
    pid_t pid = fork();
    if (pid == 0) {
        char lmp[400];
        int null = open("/dev/null", O_RDWR);
        snprintf(lmp, sizeof lmp, "%s/lmp", build);
        for (int i = 0; i < 3; i++)
            dup2(null, i);
        if (chdir(kill_work) != 0) _exit(1);
        execl(lmp, "lmp", "report", file, (char *)NULL);
        _exit(126);
    }
    int status;
    waitpid(pid, &status, 0);
    return status == 0 || check_wrong("lmp report %s: status %x", file, status);
}

/* What was asked for and is not there must have lost who writes it. */
static bool check_kept(const Round *r, const char *file, int writer) {
    if (check_file(file)) return check_readable(file);
    bool lost = r->killed[writer] || r->killed[RUN] || r->killed[V_PROGRAM];
    return lost || check_wrong("%s is not there", file);
}

static pid_t start_endless(void) {
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3; i++)
            dup2(null, i);
        if (chdir(kill_work) != 0) _exit(1);
        environment();
        execl("/usr/bin/env", "env", lua, "e.lua", (char *)NULL);
        _exit(126);
    }
    while (!check_file("up"))
        poll(NULL, 0, 5);
    return pid;
}

static bool play(const Plan *p) {
    Round r = {.plan = p, .program_status = -1};
    remove_files();
    check_problem[0] = 0;
    write_file("s.lua", script);
    write_file("e.lua", endless);
    pid_t top = p->kind == K_TOP ? start_endless() : 0;
    start_round(&r, top);
    bool good = follow(&r), nothing_left = false;
    kill(r.shell, SIGKILL);
    waitpid(r.shell, NULL, 0);
    /* Victims that came too late for their time: the program had ended before. */
    Plan done = *p;
    done.early = r.early;
    for (int i = 0; i < VICTIMS; i++)
        done.victim[i] = r.killed[i] != 0;
    /* A program under `lmp run` does not wait for its display: it may have ended before them. */
    if (good && p->kind == K_RUN && r.after && plan_kills_all(&done)) good = nothing_left = true;
    if (good && !nothing_left) good = check_terminal(&r.screen, r.tty, &r.before);
    if (good && !nothing_left && p->kind != K_TOP) good = check_output(&done, &r.screen);
    if (good) good = check_status(&r);
    if (good && p->record) good = check_kept(&r, KILL_RECORDING, V_RECORDER);
    if (good && p->snapshot) good = check_kept(&r, KILL_SNAPSHOT, V_SNAPSHOT);
    if (top) {
        if (good && waitpid(top, NULL, WNOHANG) != 0) good = check_wrong("the program has ended");
        kill(top, SIGKILL);
        waitpid(top, NULL, 0);
    }
    reap(&r);
    close(r.master);
    close(r.tty);
    close(r.report);
    if (!good && verbose)
        fprintf(stderr, "---- the last of %zu bytes\n%s\n----\n", r.screen.used,
                r.screen.text ? r.screen.text + (r.screen.used > 3000 ? r.screen.used - 3000 : 0)
                              : "");
    free(r.screen.text);
    return good;
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef struct Options {
    unsigned rounds, part, parts, jobs;
    uint64_t seed;
    int one, kind;
    bool again;
} Options;

/* Returns the number of rounds that failed. */
static unsigned play_some(const Options *o, unsigned job) {
    unsigned failed = 0;
    char text[300], base[200];
    const char *tmp = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/lmp-kill-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(base)) abort();
    snprintf(kill_work, sizeof kill_work, "%s", base);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (unsigned i = 0; i < o->rounds; i++) {
        if (o->one >= 0 ? i != (unsigned)o->one
                        : i % o->parts != o->part || i / o->parts % o->jobs != job)
            continue;
        Plan p = plan_make(o->seed, i, o->kind);
        plan_describe(text, sizeof text, &p);
        bool good = play(&p);
        if (!good) printf("FAIL round %u: %s: %s\n", i, text, check_problem);
        if (!good && o->again) {
            good = play(&p);
            printf("round %u, once more: %s\n", i, good ? "well" : check_problem);
        }
        failed += !good;
        if (good && verbose) printf("ok   round %u: %s\n", i, text);
        fflush(stdout);
    }
    remove_files();
    rmdir(kill_work);
    return failed;
}

static bool read_options(Options *o, int argc, char **argv) {
    *o = (Options){
        .rounds = 100, .parts = 1, .jobs = 4, .seed = (uint64_t)time(NULL), .one = -1, .kind = -1};
    for (int i = 1; i < argc; i++) {
        unsigned k;
        if (sscanf(argv[i], "--rounds=%u", &o->rounds) == 1) continue;
        if (sscanf(argv[i], "--part=%u/%u", &k, &o->parts) == 2 && k >= 1 && k <= o->parts) {
            o->part = k - 1;
            continue;
        }
        if (sscanf(argv[i], "--seed=%lu", &o->seed) == 1) continue;
        if (sscanf(argv[i], "--jobs=%u", &o->jobs) == 1 && o->jobs > 0) continue;
        if (sscanf(argv[i], "--one=%d", &o->one) == 1) continue;
        if (strcmp(argv[i], "--again") == 0) {
            o->again = true;
            continue;
        }
        if (strcmp(argv[i], "-v") == 0) {
            verbose = true;
            continue;
        }
        for (o->kind = 0; o->kind < KINDS; o->kind++)
            if (strncmp(argv[i], "--kind=", 7) == 0 &&
                strcmp(argv[i] + 7, kill_kinds[o->kind]) == 0)
                break;
        if (o->kind == KINDS) return false;
    }
    if (o->one >= 0) {
        o->rounds = (unsigned)o->one + 1;
        o->jobs = 1;
    }
    return true;
}

int main(int argc, char **argv) {
    Options o;
    build = getenv("LMP_BUILD");
    lua = getenv("LUA") ? getenv("LUA") : "lua5.4";
    preload = getenv("LMP_PRELOAD") ? getenv("LMP_PRELOAD") : "";
    if (!read_options(&o, argc, argv) || !build) {
        fprintf(stderr, "kill_rounds: see the first lines of kill_rounds.c\n");
        return 2;
    }
    printf("kill_rounds: --rounds=%u --seed=%lu\n", o.rounds, o.seed);
    fflush(stdout);
    unsigned failed = 0;
    for (unsigned job = 0; job < o.jobs; job++)
        if (fork() == 0) _exit(play_some(&o, job) > 0);
    for (int status; wait(&status) > 0;)
        failed += status != 0;
    if (!failed) puts("all is well");
    return failed > 0;
}
