/* run_options.c - the tables of the options and examples of `lmp run`, and the reader that fills
 * RunOptions: one switch over the options, then the checks that need several of them. */
#include "run/run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "base/nearest.h"
#include "command/shellwords.h"
#include "shared/breaks.h"
#include "shared/launch.h"
#include "shared/layout.h"

enum {
    O_LIVE,
    O_NO_LIVE,
    O_LINES,
    O_NO_LINES,
    O_STACKS,
    O_SAMPLE,
    O_CALLS,
    O_INSTRUCTIONS,
    O_OVERRIDES,
/* reports with an option of their own; the others come by --report */
#define REPORT_OPTION_ID_OWN(ID) O_##ID,
#define REPORT_OPTION_ID_LISTED(ID)
#define REPORT_OPTION_ID(ID, name, help, how, ...) REPORT_OPTION_ID_##how(ID)
    REPORT_KINDS(REPORT_OPTION_ID) O_REPORT,
    O_FOLLOW,
    O_NO_SUMMARY,
    O_TOP,
    O_BREAK,
    O_SNAPSHOT,
    O_SNAPSHOT_WHEN,
    O_RECORD,
    O_RECORD_LIMIT,
    O_LIMIT,
    O_JUNIT,
    O_FPS,
    O_HOLD,
    O_NO_HOLD,
    O_NAME
};

#define REPORT_OPTION_OWN(ID, name, arg, help) [O_##ID] = {#name, arg, help},
#define REPORT_OPTION_LISTED(ID, name, arg, help)
#define REPORT_OPTION(ID, name, what, how, arg, help, ...) REPORT_OPTION_##how(ID, name, arg, help)
const Option run_options[] = {
    [O_LIVE] = {"live", NULL, "show the display (the default on a terminal, also with >file)"},
    [O_NO_LIVE] = {"no-live", NULL, "no display, only the summary at the end"},
    [O_LINES] = {"lines", NULL, "charge every block to the line that made it (the default)"},
    [O_NO_LINES] = {"no-lines", NULL, "only totals, types and the heap map: a little faster"},
    [O_STACKS] = {"stacks", NULL, "charge every block to its whole call path, too"},
    [O_SAMPLE] = {"sample", "SIZE",
                  "lines and paths by samples, one in SIZE bytes, such as 512KiB"},
    [O_CALLS] = {"calls", NULL, "count every call of every function, too, by who calls"},
    [O_INSTRUCTIONS] = {"instructions", NULL,
                        "count the interpreter's instructions by line, too: slow"},
    [O_OVERRIDES] = {"overrides", NULL, "keep whose blocks each line frees and resizes, too"},
    REPORT_KINDS(REPORT_OPTION)[O_REPORT] = {"report", "FORMAT[:FILE]",
                                             "a report in a format of `lmp report --list`; may be "
                                             "repeated"},
    [O_FOLLOW] = {"follow-forks", NULL,
                  "profile forked children, too, each as a program of its own"},
    [O_NO_SUMMARY] = {"no-summary", NULL, "no summary"},
    [O_TOP] = {"top", "N", "rows of the summary's tables, 0 to 1000 (default 10)"},
    [O_BREAK] = {"break", "CONDITION",
                 "pause there, such as \"size 64KiB\" or \"at main.lua:12\"; may be repeated"},
    [O_SNAPSHOT] = {"snapshot", "FILE", "write a snapshot of the heap when the program ends"},
    [O_SNAPSHOT_WHEN] = {"snapshot-when", "CONDITION",
                         "write one then, such as \"heap 64MiB\" or \"peak\"; may be repeated"},
    [O_RECORD] = {"record", "[FILE]",
                  "keep the run in FILE (default lmp-PID.lmprec), for lmp replay and lmp report"},
    [O_RECORD_LIMIT] = {"record-limit", "SIZE",
                        "size of that file at most, 1MiB or more (default 64MiB)"},
    [O_LIMIT] = {"limit", "LIMIT",
                 "exit status 3 if it is broken, such as \"peak 64MiB\"; may be repeated"},
    [O_JUNIT] = {"junit", "FILE", "write what became of the limits to FILE, as JUnit's XML"},
    [O_FPS] = {"fps", "N",
               "repaints a second, " LMP_FPS_RANGE " (default " LMP_FPS_WORD(LMP_FPS_DEFAULT) ")"},
    [O_HOLD] = {"hold", NULL, "at the end, the display waits for q (the default)"},
    [O_NO_HOLD] = {"no-hold", NULL, "at the end, the display leaves at once"},
    [O_NAME] = {"name", "NAME", "show NAME in place of the script's name"},
    {0},
};

const Example run_examples[] = {
    {"lmp run script.lua data.txt", "watch script.lua in the terminal; the summary at the end"},
    {"lmp run --stacks script.lua", "who called the line that made it"},
    {"lmp run --break='size 1MiB' script.lua", "pause where a block of more is asked for"},
    {"lmp run --snapshot=end.heap script.lua", "who holds what is there when it ends"},
    {"lmp run --record=night.lmprec server.lua", "keep all of the run: lmp replay night.lmprec"},
    {"lmp run --limit='peak 64MiB' --limit='leaks 0' test.lua", "fail the build where it is more"},
    {"lmp run --sample=512KiB server.lua", "at next to no cost, for days"},
    {"lmp run --no-live --json=heap.json script.lua", "no display; figures for machines"},
    {"lmp run --follow-forks server.lua",
     "the workers of a server that forks, each with a summary"},
    {"lmp run -- lua5.4 script.lua", "any command that runs Lua 5.4"},
    {"lmp run -- lua5.4 /usr/bin/busted", "a tool that would take another Lua"},
    {0},
};

static bool read_sample(RunOptions *want, const Command *command, const char *value, int *status) {
    uint64_t bytes = 0;
    bool size = format_parse_size(value, &bytes);
    if (size && (bytes == 0 || (bytes >= LMP_SAMPLE_MIN && bytes <= LMP_SAMPLE_MAX))) {
        want->sample = bytes;
        return true;
    }
    *status = command_wrong(command,
                            "--sample=%s: a size from 1KiB on was expected, such as 512KiB", value);
    return false;
}

/* `when`: the condition is for a snapshot, whatever its text says. */
static bool read_break(RunOptions *want, const Command *command, const char *value, bool when,
                       int *status) {
    char problem[160], text[BREAKS_TEXT];
    LmpBreak b;
    size_t used = strlen(want->breaks);
    if (!breaks_parse(value, &b, problem, sizeof problem)) {
        *status = command_wrong(command, "--%s: %s", when ? "snapshot-when" : "break", problem);
        return false;
    }
    if (when) b.action = LMP_BREAK_SNAPSHOT;
    if (b.action == LMP_BREAK_PAUSE) want->pauses = true;
    snprintf(want->breaks + used, sizeof want->breaks - used, "%s\n",
             breaks_text(text, sizeof text, &b));
    return true;
}

/* Reads a size that bounds a file, and leaves room for what must be in it. */
static bool read_record_limit(RunOptions *want, const Command *command, const char *value,
                              int *status) {
    if (format_parse_size(value, &want->record_limit) && want->record_limit >= RECORD_LIMIT_MIN)
        return true;
    *status = command_wrong(
        command, "--record-limit=%s: a size from 1MiB on was expected, such as 64MiB", value);
    return false;
}

static bool read_limit(RunOptions *want, const Command *command, const char *value, int *status) {
    char problem[320];
    LmpLimit *limits = realloc(want->limit, (want->limits + 1) * sizeof *limits);
    if (!limits) {
        *status = command_wrong(command, "--limit: not enough memory");
        return false;
    }
    want->limit = limits;
    if (limits_parse(value, &limits[want->limits], problem, sizeof problem)) {
        want->limits++;
        return true;
    }
    *status = command_wrong(command, "--limit: %s", problem);
    return false;
}

/* Limits that cannot be judged are a mistake before the run, not at its end. */
static bool check_limits(const RunOptions *want, const Command *command, int *status) {
    if (want->junit && !want->limits) {
        *status = command_wrong(command, "--junit needs a --limit");
        return false;
    }
    for (uint32_t i = 0; i < want->limits; i++) {
        if (want->lines || !limits_need_lines(&want->limit[i])) continue;
        *status = command_wrong(command, "--limit='%s' needs lines: leave out --no-lines",
                                want->limit[i].text);
        return false;
    }
    return true;
}

static bool read_top(RunOptions *want, const Command *command, const char *value, int *status) {
    double n;
    if (parse_number(value, 0, LMP_TOP_MAX, &n) && n == (unsigned)n) {
        want->top = (unsigned)n;
        return true;
    }
    *status = command_wrong(command, "--top=%s: a whole number from 0 to 1000 was expected", value);
    return false;
}

/* The last option of a kind wins: a file of its own, or the summary's place. */
static void read_report(RunOptions *want, unsigned kind, const char *file) {
    want->file[kind] = file;
    if (kind == REPORT_SUMMARY) return;
    if (!file)
        want->first = kind;
    else if (want->first == kind)
        want->first = REPORT_SUMMARY;
}

/* Reads FORMAT, or FORMAT:FILE. */
static bool read_format(RunOptions *want, const Command *command, const char *value, int *status) {
    char name[32];
    size_t n = strcspn(value, ":");
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, value);
    const LmpReportKind *kind = report_find(name);
    const char *file = value[n] && value[n + 1] ? value + n + 1 : NULL;
    if (!kind) {
        Nearest near = {.typed = name};
        for (size_t i = 0; i < REPORTS; i++)
            nearest_offer(&near, report_kinds[i].name);
        *status = near.word
                      ? command_wrong(command, "there is no format %.*s; did you mean %s?", (int)n,
                                      value, near.word)
                      : command_wrong(command, "there is no format %.*s (see lmp report --list)",
                                      (int)n, value);
        return false;
    }
    if (kind->flags & REPORT_BINARY && !file) {
        *status = command_wrong(command, "%s is not for a terminal: --report=%s:FILE", name, name);
        return false;
    }
    read_report(want, (unsigned)(kind - report_kinds), file);
    return true;
}

/* Returns true for the options that say what is profiled, and how. */
static bool is_said_again(const Option *o) {
    static const unsigned char said[] = {O_LINES, O_NO_LINES,      O_STACKS,    O_SAMPLE, O_TOP,
                                         O_CALLS, O_INSTRUCTIONS,  O_OVERRIDES, O_BREAK,  O_FPS,
                                         O_NAME,  O_SNAPSHOT_WHEN, O_FOLLOW};
    return memchr(said, (int)(o - run_options), sizeof said) != NULL;
}

static void say_again(RunOptions *want, char **words, int count) {
    for (int i = 0; i < count && want->again[0] != '\n'; i++)
        if (!shellwords_add(want->again, sizeof want->again, words[i]))
            strcpy(want->again, "\n"); /* cannot be expressed */
}

/* A display is for someone at the terminal. If the output goes to a file the person may still be
 * there, which the other streams tell; if it is piped into another program, the person watches that
 * one. */
static bool wants_display(void) {
    const char *term = getenv("TERM");
    struct stat st;
    int tty = STDOUT_FILENO;
    if (!term || !*term || strcmp(term, "dumb") == 0) return false;
    if (fstat(tty, &st) == 0 && S_ISREG(st.st_mode))
        tty = isatty(STDIN_FILENO) ? STDIN_FILENO : STDERR_FILENO;
    return isatty(tty) && tcgetpgrp(tty) == getpgrp();
}

static const char *needs_lines(const RunOptions *want) {
    if (want->stacks) return "stacks";
    if (want->sample) return "sample";
    if (want->counts & LMP_COUNTS_CALLS) return "calls";
    return want->counts & LMP_COUNTS_INSTRUCTIONS ? "instructions" : "overrides";
}

bool run_options_read(RunOptions *want, const Command *command, Parse *p, int *status) {
    const Option *o;
    int before = p->at;
    want->hold = true;
    want->fps = command_fps(LMP_FPS_DEFAULT);
    want->lines = true;
    want->top = LMP_TOP_DEFAULT;
    want->live = wants_display();
    for (; (o = options_next(p)); before = p->at) {
        if (is_said_again(o)) say_again(want, p->argv + before, p->at - before);
        switch (o - run_options) {
        case O_LIVE:
        case O_NO_LIVE:
            want->live = o == &run_options[O_LIVE];
            break;
        case O_HOLD:
        case O_NO_HOLD:
            want->hold = o == &run_options[O_HOLD];
            break;
        case O_LINES:
        case O_NO_LINES:
            want->lines = o == &run_options[O_LINES];
            break;
        case O_STACKS:
            want->stacks = true;
            break;
        case O_SAMPLE:
            if (!read_sample(want, command, p->value, status)) return false;
            break;
        case O_CALLS:
            want->counts |= LMP_COUNTS_CALLS;
            break;
        case O_INSTRUCTIONS:
            want->counts |= LMP_COUNTS_INSTRUCTIONS;
            break;
        case O_OVERRIDES:
            want->counts |= LMP_COUNTS_OVERRIDES;
            break;
        case O_TOP:
            if (!read_top(want, command, p->value, status)) return false;
            break;
        case O_BREAK:
        case O_SNAPSHOT_WHEN:
            if (!read_break(want, command, p->value, o != &run_options[O_BREAK], status))
                return false;
            break;
        case O_SNAPSHOT:
            want->snapshot = p->value;
            if (*p->value) break;
            *status = command_wrong(command, "--snapshot= needs the name of a file");
            return false;
        case O_RECORD:
            want->record = true;
            want->record_file = p->value;
            if (!p->value || *p->value) break;
            *status = command_wrong(command, "--record= needs the name of a file");
            return false;
        case O_RECORD_LIMIT:
            if (!read_record_limit(want, command, p->value, status)) return false;
            break;
        case O_LIMIT:
            if (!read_limit(want, command, p->value, status)) return false;
            break;
        case O_JUNIT:
            want->junit = p->value;
            if (*p->value) break;
            *status = command_wrong(command, "--junit= needs the name of a file");
            return false;
        case O_REPORT:
            if (!read_format(want, command, p->value, status)) return false;
            break;
#define READ_OPTION_OWN(ID)                                                                        \
    case O_##ID:                                                                                   \
        read_report(want, REPORT_##ID, p->value);                                                  \
        break;
#define READ_OPTION_LISTED(ID)
#define READ_OPTION(ID, name, help, how, ...) READ_OPTION_##how(ID)
            REPORT_KINDS(READ_OPTION)
        case O_FOLLOW:
            want->follow = true;
            break;
        case O_NO_SUMMARY:
            want->no_summary = true;
            break;
        case O_FPS:
            if (!parse_number(p->value, LMP_FPS_MIN, LMP_FPS_MAX, &want->fps)) {
                *status = command_wrong(
                    command, "--fps=%s: a number from " LMP_FPS_RANGE " was expected", p->value);
                return false;
            }
            break;
        case O_NAME:
            want->name = p->value;
            break;
        }
    }
    *status = p->failed ? EXIT_USAGE : 0;
    if (p->failed || p->help) return false;
    if (!want->lines && (want->stacks || want->sample || want->counts)) {
        *status =
            command_wrong(command, "--%s needs lines: leave out --no-lines", needs_lines(want));
        return false;
    }
    if (want->sample && want->counts & LMP_COUNTS_OVERRIDES) {
        *status = command_wrong(command, "--overrides needs every block: leave out --sample");
        return false;
    }
    if (!check_limits(want, command, status)) return false;
    if (want->pauses && !want->live) {
        *status =
            command_wrong(command, "--break needs the display, from which the program goes on");
        return false;
    }
    if (p->at >= p->argc) {
        *status = command_wrong(command, "what is to be run? SCRIPT.lua or -- COMMAND");
        return false;
    }
    if (p->dashes) say_again(want, (char *[]){"--"}, 1);
    say_again(want, p->argv + p->at, p->argc - p->at);
    if (want->again[0] == '\n') want->again[0] = 0;
    return true;
}
