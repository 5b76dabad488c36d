/* cmd_snapshot.c - `lmp snapshot`: has a running program take a snapshot of its heap, waits for the
 * end, and says the result in one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "command/command.h"
#include "command/operands.h"
#include "read/stats.h"
#include "recorder/recname.h"
#include "subcommands/subcommands.h"
#include "viewer/collect_wait.h"

#define NS 1000000000ull
#define LOOK_NS 5000000u   /* between two looks */
#define SAY_NS 200000000u  /* without an answer, until why is said */
#define QUIET_NS (20 * NS) /* without progress of the writing child, which is killed before */

static const Option options[] = {
    {"gc", NULL, "collect all garbage before it (the default)"},
    {"no-gc", NULL, "take the heap as it is, with its garbage"},
    {0},
};

static const Example examples[] = {
    {"lmp snapshot 4711", "writes lmp-4711-1.heap here, while the program goes on"},
    {"lmp snapshot 4711 before.heap", "into this file"},
    {"lmp snapshot --no-gc 4711:2", "of the second Lua state of that process"},
    {0},
};

static LmpView view;

static bool is_over(void) {
    uint32_t state = atomic_load(&view.live->state);
    return state == LMP_FINISHED || (view.pid && !lmp_os->alive(view.pid));
}

/* Waits. Returns NULL when *s has the outcome, else what went wrong. */
static const char *wait_for(uint32_t request, LmpSnapshotLive *s) {
    uint64_t moved = lmp_os->clock(), bytes = 0;
    CollectWait wait = {0, false};
    for (;; nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL)) {
        view_copy_snapshot(&view, s);
        uint64_t now = lmp_os->clock();
        bool mine = s->request == request;
        if (atomic_load(&s->busy) == request) return err_message(LMP_E_BUSY);
        if (mine && (s->state == LMP_SNAPSHOT_WRITTEN || s->state == LMP_SNAPSHOT_FAILED))
            return NULL;
        if (view_snapshot_overtaken(s, request))
            return "another one was asked for in the same moment";
        if (mine && s->state == LMP_SNAPSHOT_RUNS) {
            uint64_t beats = atomic_load(&view.beat->beats) + view.beat->bytes;
            if (beats != bytes) moved = now;
            bytes = beats;
            if (now - moved > QUIET_NS) return "the program's child makes no progress";
        } else if (is_over()) {
            view_copy_snapshot(&view, s); /* may have been the program's last work */
            bool written = s->request == request && s->state == LMP_SNAPSHOT_WRITTEN;
            return written ? NULL : "the program has ended";
        } else {
            bool taken = atomic_load(&s->taken) == request;
            CollectTurn turn = collect_wait_look(&wait, true, true, now);
            if (!wait.said && now - wait.since >= SAY_NS) {
                wait.said = true;
                command_say("waiting, for 30 s at most: the program %s",
                            taken ? "is inside a C function"
                                  : "sleeps, or needs no memory just now");
            }
            if (turn != COLLECT_GIVE_UP) continue;
            view_snapshot_no_more(&view, request);
            return taken ? "given up, the program stayed inside a C function for 30 s"
                         : "given up, the program asked for no memory for 30 s";
        }
    }
}

/* The slowest operation becomes known a little later than the file. */
static void wait_merged(LmpSnapshotLive *s) {
    for (int i = 0; i < 100 && s->frozen && !is_over(); i++) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        LmpSnapshotLive now;
        view_copy_snapshot(&view, &now);
        if (now.number != s->number) return;
        *s = now;
    }
}

static int take(uint32_t pid, uint32_t serial, const char *file, bool collect) {
    char path[LMP_SNAPSHOT_FILE], line[1400];
    static LmpSnapshotLive s;
    if (!operand_state(pid, serial, &view)) return 1;
    if (!recname_whole(path, sizeof path, file ? file : "")) { /* the program has another folder */
        command_say("the name of the file is too long");
        return 1;
    }
    const char *problem = is_over() ? "the program has ended" : NULL;
    if (!problem)
        problem = wait_for(
            view_snapshot(&view, path, collect ? LMP_SNAPSHOT_COLLECT : LMP_SNAPSHOT_ALL), &s);
    if (problem) {
        command_say("no snapshot: %s", problem);
    } else {
        if (s.state == LMP_SNAPSHOT_WRITTEN) wait_merged(&s);
        stats_snapshot(line, sizeof line, &s);
        if (s.state == LMP_SNAPSHOT_WRITTEN)
            printf("%s\n", line);
        else
            command_say("%s", line);
    }
    bool written = !problem && s.state == LMP_SNAPSHOT_WRITTEN;
    view_close(&view);
    return written ? 0 : 1;
}

static int run(Parse *p) {
    const Option *o;
    bool collect = true;
    uint32_t pid, serial;
    const char *file;
    while ((o = options_next(p)))
        collect = o == &options[0];
    int status = operands_state_and_file(p, &pid, &serial, &file);
    if (status != OPERANDS_READ) return status;
    return take(pid, serial, file, collect);
}

const Command cmd_snapshot = {
    .name = "snapshot",
    .usage = {"[OPTIONS] PID[:SERIAL] [FILE]"},
    .help = "Has a profiled program write a snapshot of its heap, and goes on",
    .details =
        "The program stands for some milliseconds: a child process walks its own copy of the "
        "heap and\nwrites. Where that cannot be, it is done in place, and the line says why. "
        "FILE is readable by its\nowner only; without it the name is lmp-PID-N.heap, in this "
        "directory.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_STATE,
};
