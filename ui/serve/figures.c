/* figures.c - fills one LmpReport from the program's state, as `lmp report` does, and has it
 * written into memory. The rate is what was made since a moment a second ago or two. */
#include "serve/figures.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/format.h"
#include "base/os.h"
#include "report/formats/formats.h"
#include "report/page/htmlpage.h"
#include "reporting/runreport.h"
#include "serve/livemap.h"

#define SECOND 1000000000ull
/* A program that has ended may still have to be waited for: then it is known how. */
#define PATIENCE SECOND
#define NODES_MOST 300000u /* of a larger call tree no graph is made every second */
#define SHARE 20           /* of the time goes at most one part in so many into a text */

static struct {
    LmpView *view;
    int pidfd;           /* -1: the process is gone, or cannot be seen */
    bool over;           /* it has ended, and how is as known as it will be */
    uint64_t over_since; /* 0: it runs */
    LmpStats stats[2];   /* of a moment, and of one at least a second later */
    uint64_t at[2];      /* when these were; 0: there is none yet */
    char ending[64];
} program;

static LmpReport report; /* large */

static LmpSeen seen(void) {
    struct pollfd one = {.fd = program.pidfd, .events = POLLIN};
    return view_seen(program.view, program.pidfd >= 0 && poll(&one, 1, 0) == 0);
}

static bool gone(void) {
    LmpSeen is = seen();
    return is == LMP_SEEN_FINISHED || is == LMP_SEEN_KILLED;
}

bool figures_begin(LmpView *view) {
    memset(&program, 0, sizeof program);
    program.view = view;
    program.pidfd = view->pid ? (int)syscall(SYS_pidfd_open, (pid_t)view->pid, 0) : -1;
    return !gone();
}

/* Returns nanoseconds since its start, until now or until its end. */
static uint64_t run_clock(void) {
    return program.over_since ? program.view->live->clock : view_clock(program.view);
}

static uint32_t ended(void) {
    return atomic_load(&program.view->control->ended);
}

bool figures_look(uint64_t now) {
    if (now - program.at[1] >= SECOND || program.at[1] == 0) {
        program.stats[0] = program.stats[1];
        program.at[0] = program.at[1];
        stats_derive(program.view->live, run_clock(), &program.stats[1]);
        program.at[1] = now;
    }
    if (!gone())
        program.over_since = 0;
    else if (!program.over_since)
        program.over_since = now;
    program.over = program.over_since && (ended() || now - program.over_since >= PATIENCE);
    return !program.over;
}

static void find_ending(void) {
    if (!program.over && seen() == LMP_SEEN_PAUSED)
        snprintf(program.ending, sizeof program.ending, "paused");
    else
        runreport_ending(program.ending, sizeof program.ending, program.view, ended());
}

const char *figures_say(void) {
    static char line[400];
    char live[LMP_NUM], peak[LMP_NUM], name[160];
    LmpStats stats;
    find_ending();
    stats_derive(program.view->live, run_clock(), &stats);
    snprintf(line, sizeof line, "%s (%u), %s: %s live, %s at the peak",
             format_text(name, sizeof name, program.view->header->program, 0), program.view->pid,
             program.ending, format_bytes(live, stats.live_bytes),
             format_bytes(peak, stats.peak_bytes));
    return line;
}

static unsigned parts_of(FiguresText what) {
    const LmpView *view = program.view;
    bool paths = view->live->tables.stacks && tables_nodes(&view->tables) <= NODES_MOST;
    if (what == FIGURES_METRICS) return 0;
    return REPORT_PART_HISTORY | (paths ? LEDGER_TREE : 0);
}

static void fill(FiguresText what) {
    const LmpView *view = program.view;
    find_ending();
    report_fill_with(&report, view->header, view->live, &view->tables, parts_of(what), run_clock(),
                     program.ending, program.over ? LEDGER_END : LEDGER_NOW);
    report.pid = view->pid;
    report.moment.said[0] = 0; /* it ran on meanwhile, as is known of figures that go on */
    if (program.at[0] && !program.over) {
        LmpStats lately = report.stats;
        stats_between(&lately, &program.stats[0]);
        int64_t made =
            (int64_t)lately.malloc_bytes + (lately.realloc_bytes > 0 ? lately.realloc_bytes : 0);
        report.rate_seconds = (double)(lmp_os->clock() - program.at[0]) / 1e9;
        report.rate_bytes = made > 0 ? (uint64_t)made : 0;
    }
}

char *figures_make(FiguresText what, size_t *size, uint64_t *next) {
    static LmpErr (*const writer[FIGURES_TEXTS])(const LmpReport *, FILE *) = {
        [FIGURES_PAGE] = htmlpage_write_live,
        [FIGURES_DATA] = htmlpage_write_data,
    };
    char *text = NULL;
    uint64_t began = lmp_os->clock();
    FILE *out = open_memstream(&text, size);
    *next = began + SECOND;
    if (!out) return NULL;
    fill(what);
    if (what != FIGURES_METRICS) livemap_look(program.view, &report);
    LmpErr err = what == FIGURES_METRICS ? report_kinds[REPORT_OPENMETRICS].write(&report, out)
                                         : writer[what](&report, out);
    report_close(&report);
    if (fclose(out) != 0 || err) {
        free(text);
        text = NULL;
    }
    uint64_t rest = (lmp_os->clock() - began) * SHARE;
    if (rest > SECOND) *next = began + rest;
    return text;
}
