/* cmd_top.c - `lmp top`: attaches to a program that is being profiled, or lists them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "command/attached.h"
#include "command/operands.h"
#include "read/discover.h"
#include "report/report.h"
#include "subcommands/subcommands.h"

static const Option options[] = {
    {"fps", "N",
     "repaints a second while the program runs (default " LMP_FPS_WORD(LMP_FPS_DEFAULT) ")"},
    {"list", NULL, "only list the profiled programs"},
    {0},
};

static const Example examples[] = {
    {"lmp top", "attach to the profiled program, or list them when there are several"},
    {"lmp top 4711", "attach to process 4711, with totals from before the attach"},
    {"lmp top 4711:2", "attach to the second Lua state of that process"},
    {0},
};

static const char *const seen_names[] = {
    [LMP_SEEN_RUNNING] = "RUNNING",
    [LMP_SEEN_PAUSED] = "PAUSED",
    [LMP_SEEN_FINISHED] = "ENDED",
    [LMP_SEEN_KILLED] = "KILLED",
};

static bool several_states(const LmpFound *list, size_t count, uint32_t pid) {
    int states = 0;
    for (size_t i = 0; i < count; i++)
        states += list[i].pid == pid;
    return states > 1;
}

static void name_of(char out[32], const LmpFound *list, size_t count, const LmpFound *one) {
    if (several_states(list, count, one->pid))
        snprintf(out, 32, "%u:%u", one->pid, one->serial);
    else
        snprintf(out, 32, "%u", one->pid);
}

static void print_list(const LmpFound *list, size_t count) {
    printf("%-12s %-9s %12s %10s  %s\n", "PID", "STATE", "LIVE", "ELAPSED", "PROGRAM");
    for (size_t i = 0; i < count; i++) {
        char pid[32], live[LMP_NUM], elapsed[LMP_NUM], program[256];
        name_of(pid, list, count, &list[i]);
        printf("%-12s %-9s %12s %10s  %s\n", pid, seen_names[list[i].seen],
               format_bytes(live, list[i].live_bytes), format_clock(elapsed, list[i].elapsed),
               format_text(program, sizeof program, list[i].program, 0));
    }
}

/* ---- attached -------------------------------------------------------------------------------- */

static LmpView view;

static int attach(uint32_t pid, uint32_t serial, double fps) {
    if (!operand_state(pid, serial, &view)) return 1;
    ViewerOptions viewer = {.view = &view, .fps = fps};
    const ViewerResult *result;
    int status = attached_show(&viewer, "; the program goes on", &result);
    if (status == 0 && result->end == VIEWER_KILLED) {
        static LmpReport report;
        command_say("process %u was killed or crashed", view.header->pid);
        report_fill(&report, view.header, view.live, &view.tables, view.live->clock,
                    "killed, or crashed");
        report_summary(&report, stdout);
        report_close(&report);
    }
    view_close(&view);
    return status;
}

static int run(Parse *p) {
    const Option *o;
    double fps = command_fps(0);
    bool list_only = false;
    while ((o = options_next(p))) {
        if (strcmp(o->name, "list") == 0) list_only = true;
        if (strcmp(o->name, "fps") == 0 && option_fps(p, &fps)) return EXIT_USAGE;
    }
    if (p->over) return p->status;
    if (p->argc - p->at > 1) return command_wrong(p, "takes one process at a time");
    uint32_t pid, serial;
    if (p->at < p->argc) {
        if (!operand_parse_state(p->argv[p->at], &pid, &serial))
            return command_wrong(p, "%s is not a process: PID or PID:SERIAL was expected",
                                 p->argv[p->at]);
        return attached_possible() ? attach(pid, serial, fps) : 1;
    }
    bool terminal = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
    LmpFound *list;
    size_t count;
    LmpErr err = discover_list(&list, &count);
    if (err) {
        command_say("%s", err_message(err));
        return 1;
    }
    int status = 0;
    if (count == 0) {
        command_say("no profiled program is running (start one with: lmp run SCRIPT.lua)");
        status = 1;
    } else if (count == 1 && terminal && !list_only) {
        status = attach(list[0].pid, list[0].serial, fps);
    } else {
        print_list(list, count);
        if (terminal && !list_only) {
            char name[32];
            name_of(name, list, count, &list[0]);
            printf("\nChoose one: lmp top %s\n", name);
        }
    }
    free(list);
    return status;
}

const Command cmd_top = {
    .name = "top",
    .usage = {"[OPTIONS] [PID[:SERIAL]]"},
    .help = "Attaches the display to a program that is being profiled, from any terminal",
    .details = "Without PID it attaches to the profiled program if there is one, and lists them if "
               "there are\nseveral. Leaving the display (q) leaves the program alone; attach again "
               "as often as you like.",
    .options = options,
    .examples = examples,
    .run = run,
    .takes = TAKES_STATE,
};
