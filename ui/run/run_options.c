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

/* Functions that read an option return 0, or EXIT_USAGE if its value is wrong; a line has said so.
 */

static int read_sample(const Parse *p, RunOptions *want) {
    uint64_t bytes = 0;
    bool size = format_parse_size(p->value, &bytes);
    want->sample = bytes;
    return option_check(
        p, size && (bytes == 0 || (bytes >= LMP_SAMPLE_MIN && bytes <= LMP_SAMPLE_MAX)),
        "a size from 1KiB on was expected, such as 512KiB");
}

/* `when`: the condition is for a snapshot, whatever its text says. */
static int read_break(const Parse *p, RunOptions *want, bool when) {
    char problem[160], text[BREAKS_TEXT];
    LmpBreak b;
    size_t used = strlen(want->breaks);
    if (!breaks_parse(p->value, &b, problem, sizeof problem))
        return command_wrong(p, "--%s: %s", p->name, problem);
    if (when) b.action = LMP_BREAK_SNAPSHOT;
    if (b.action == LMP_BREAK_PAUSE) want->pauses = true;
    snprintf(want->breaks + used, sizeof want->breaks - used, "%s\n",
             breaks_text(text, sizeof text, &b));
    return 0;
}

/* Leaves room for what must be in the file. */
int option_record_limit(const Parse *p, uint64_t *limit) {
    return option_check(p, format_parse_size(p->value, limit) && *limit >= RECORD_LIMIT_MIN,
                        "a size from 1MiB on was expected, such as 64MiB");
}

static int read_limit(const Parse *p, RunOptions *want) {
    char problem[320];
    LmpLimit *limits = realloc(want->limit, (want->limits + 1) * sizeof *limits);
    if (!limits) return command_wrong(p, "--limit: not enough memory");
    want->limit = limits;
    if (!limits_parse(p->value, &limits[want->limits], problem, sizeof problem))
        return command_wrong(p, "--limit: %s", problem);
    want->limits++;
    return 0;
}

static int read_top(const Parse *p, RunOptions *want) {
    double n = 0;
    bool number = parse_number(p->value, 0, LMP_TOP_MAX, &n);
    want->top = (unsigned)n;
    return option_check(p, number && n == want->top, "a whole number from 0 to 1000 was expected");
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
static int read_format(const Parse *p, RunOptions *want) {
    char name[32];
    const char *value = p->value;
    size_t n = strcspn(value, ":");
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, value);
    const LmpReportKind *kind = report_find(name);
    const char *file = value[n] && value[n + 1] ? value + n + 1 : NULL;
    Nearest near = {.typed = name};
    for (size_t i = 0; !kind && i < REPORTS; i++)
        nearest_offer(&near, report_kinds[i].name);
    if (!kind && near.word)
        return command_wrong(p, "there is no format %.*s; did you mean %s?", (int)n, value,
                             near.word);
    if (!kind)
        return command_wrong(p, "there is no format %.*s (see lmp report --list)", (int)n, value);
    if (kind->flags & REPORT_BINARY && !file)
        return command_wrong(p, "%s is not for a terminal: --report=%s:FILE", name, name);
    read_report(want, (unsigned)(kind - report_kinds), file);
    return 0;
}

/* Reads the name of a file, or NULL if the option may stand without one. */
static int read_file(const Parse *p, const char **file) {
    *file = p->value;
    if (!p->value || *p->value) return 0;
    return command_wrong(p, "--%s= needs the name of a file", p->name);
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
        if (!command_add_word(want->again, sizeof want->again, words[i]))
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

static int read_option(const Parse *p, const Option *o, RunOptions *want) {
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
    case O_CALLS:
        want->counts |= LMP_COUNTS_CALLS;
        break;
    case O_INSTRUCTIONS:
        want->counts |= LMP_COUNTS_INSTRUCTIONS;
        break;
    case O_OVERRIDES:
        want->counts |= LMP_COUNTS_OVERRIDES;
        break;
    case O_FOLLOW:
        want->follow = true;
        break;
    case O_NO_SUMMARY:
        want->no_summary = true;
        break;
    case O_NAME:
        want->name = p->value;
        break;
    case O_SAMPLE:
        return read_sample(p, want);
    case O_TOP:
        return read_top(p, want);
    case O_BREAK:
    case O_SNAPSHOT_WHEN:
        return read_break(p, want, o != &run_options[O_BREAK]);
    case O_SNAPSHOT:
        return read_file(p, &want->snapshot);
    case O_RECORD:
        want->record = true;
        return read_file(p, &want->record_file);
    case O_RECORD_LIMIT:
        return option_record_limit(p, &want->record_limit);
    case O_LIMIT:
        return read_limit(p, want);
    case O_JUNIT:
        return read_file(p, &want->junit);
    case O_REPORT:
        return read_format(p, want);
    case O_FPS:
        return option_fps(p, &want->fps);
#define READ_OPTION_OWN(ID)                                                                        \
    case O_##ID:                                                                                   \
        read_report(want, REPORT_##ID, p->value);                                                  \
        break;
#define READ_OPTION_LISTED(ID)
#define READ_OPTION(ID, name, help, how, ...) READ_OPTION_##how(ID)
        REPORT_KINDS(READ_OPTION)
    }
    return 0;
}

/* Options that exclude each other are a mistake before the run, not at its end. */
static int check(const RunOptions *want, const Parse *p) {
    if (!want->lines && (want->stacks || want->sample || want->counts))
        return command_wrong(p, "--%s needs lines: leave out --no-lines", needs_lines(want));
    if (want->sample && want->counts & LMP_COUNTS_OVERRIDES)
        return command_wrong(p, "--overrides needs every block: leave out --sample");
    if (want->junit && !want->limits) return command_wrong(p, "--junit needs a --limit");
    for (uint32_t i = 0; i < want->limits; i++)
        if (!want->lines && limits_need_lines(&want->limit[i]))
            return command_wrong(p, "--limit='%s' needs lines: leave out --no-lines",
                                 want->limit[i].text);
    if (want->pauses && !want->live)
        return command_wrong(p, "--break needs the display, from which the program goes on");
    if (p->at >= p->argc) return command_wrong(p, "what is to be run? SCRIPT.lua or -- COMMAND");
    return 0;
}

int run_options_read(RunOptions *want, Parse *p) {
    int before = p->at, status;
    want->hold = true;
    want->fps = command_fps(LMP_FPS_DEFAULT);
    want->lines = true;
    want->top = LMP_TOP_DEFAULT;
    want->live = wants_display();
    for (const Option *o; (o = options_next(p)); before = p->at) {
        if (is_said_again(o)) say_again(want, p->argv + before, p->at - before);
        if ((status = read_option(p, o, want))) return status;
    }
    if (p->over) return p->status;
    if ((status = check(want, p))) return status;
    if (p->dashes) say_again(want, (char *[]){"--"}, 1);
    say_again(want, p->argv + p->at, p->argc - p->at);
    if (want->again[0] == '\n') want->again[0] = 0;
    return RUN_OPTIONS_READ;
}
