/* cmd_complete.c - `lmp complete`: what may stand where the cursor is, for the completions of
 * shells
 * (.package/lmp.bash, .zsh, .fish). Internal. The words typed after `lmp` follow "--", the last one
 * as far as it goes. It prints a line each:
 *
 *     WORD TAB HELP       a word that begins so; a blank is not to follow after one of " =:"
 *     +prefix TEXT        files: their names are what follows TEXT in the last word
 *     +files SUFFIX...    these files, too (without a SUFFIX all of them), and folders
 *     +command N          the words from the Nth on, from 0, are a command line of their own
 *
 * Commands, options and values come from the tables that read them. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/os.h"
#include "gate/limits.h"
#include "read/discover.h"
#include "report/snapshot/snapshotreport.h"
#include "reporting/diff_runs.h"
#include "reporting/runreport.h"
#include "shared/breaks.h"
#include "subcommands/subcommands.h"

#define WORD_MOST 256

/* The word that is completed: `value` is what follows `prefix`, as long as `length`, in it. */
typedef struct Cursor {
    const Command *command; /* NULL: lmp itself */
    int operands;           /* before it */
    const char *prefix, *value;
    int length;
} Cursor;

/* Prints prefix and word, if the word begins as the value does. `after`: what follows it. */
static void offer(const Cursor *at, const char *word, const char *after, const char *help) {
    char said[WORD_MOST];
    if (strncmp(word, at->value, strlen(at->value)) != 0) return;
    printf("%.*s%s%s\t%s\n", at->length, at->prefix, word, after,
           format_text(said, sizeof said, help, 0));
}

static void offer_files(const Cursor *at, const char *suffixes) {
    if (at->length > 0) printf("+prefix %.*s\n", at->length, at->prefix);
    printf("+files%s\n", suffixes);
}

/* ---- values of options ----------------------------------------------------------------------- */

static void value_file(const Cursor *at) {
    offer_files(at, "");
}

/* FORMAT, or FORMAT:FILE. */
static void value_format(const Cursor *at) {
    Cursor file = *at;
    size_t name = strcspn(at->value, ":");
    file.length += (int)name + 1;
    for (size_t i = 0; i < REPORTS; i++)
        offer(at, report_kinds[i].name, report_kinds[i].flags & REPORT_BINARY ? ":" : "",
              report_kinds[i].help);
    if (at->value[name]) offer_files(&file, "");
}

static void value_metric(const Cursor *at) {
    if (at->command == &cmd_diff)
        for (int i = 0; i < RUNDIFF_METRICS; i++)
            offer(at, rundiff_metric_names[i], "", "");
    else
        for (int i = REPORT_ANY_METRIC + 1; i < REPORT_METRICS; i++)
            offer(at, report_metrics[i], "", "");
}

static void value_unit(const Cursor *at) {
    for (int i = REPORT_ANY_UNIT + 1; i < REPORT_UNITS; i++)
        offer(at, report_units[i], "", "");
}

static void value_limit(const Cursor *at) {
    for (int i = LIMIT_PROGRAM + 1; i < LIMIT_SCOPES; i++)
        offer(at, limit_scopes[i].word, " ", limit_scopes[i].help);
    for (int i = 0; i < LIMIT_FIGURE_COUNT; i++)
        offer(at, limit_figures[i].word, " ", limit_figures[i].help);
}

static void value_condition(const Cursor *at) {
    for (int i = LMP_BREAK_NONE + 1; i < LMP_BREAK_KINDS; i++)
        offer(at, break_info[i].name, break_info[i].argument ? " " : "", break_info[i].help);
}

static const struct {
    const char *arg; /* as in Option */
    void (*offer)(const Cursor *at);
} values[] = {
    {"FILE", value_file},     {"[FILE]", value_file},          {"OUT", value_file},
    {"METRIC", value_metric}, {"FORMAT[:FILE]", value_format}, {"UNIT", value_unit},
    {"LIMIT", value_limit},   {"CONDITION", value_condition},
};

static void offer_values(const Cursor *at, const Option *o) {
    for (size_t i = 0; o && o->arg && i < sizeof values / sizeof *values; i++)
        if (strcmp(o->arg, values[i].arg) == 0) values[i].offer(at);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void offer_profiled(const Cursor *at) {
    LmpFound *found;
    size_t count;
    if (discover_list(&found, &count)) return;
    for (size_t i = 0; i < count; i++) {
        char state[32];
        snprintf(state, sizeof state, found[i].serial > 1 ? "%u:%u" : "%u", found[i].pid,
                 found[i].serial);
        offer(at, state, "", found[i].program);
    }
    free(found);
}

/* Reads a file of /proc/PID, blanks in place of NULs; "" if there is none. */
static char *read_proc(const char *pid, const char *name, char *out, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    int64_t n = lmp_os->read_file(path, 0, out, size - 1);
    for (int64_t i = 0; i < n; i++)
        if (!out[i]) out[i] = ' ';
    while (n > 0 && isspace((unsigned char)out[n - 1]))
        n--;
    out[n > 0 ? n : 0] = 0;
    return out;
}

/* Returns true for an interpreter by its name, and for what has Lua's library. */
static bool runs_lua(const char *pid, const char *name) {
    static char maps[1 << 16];
    return strstr(name, "lua") || strstr(read_proc(pid, "maps", maps, sizeof maps), "/liblua");
}

static void offer_processes(const Cursor *at) {
    char name[64], line[WORD_MOST];
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        const char *pid = entry->d_name;
        if (isdigit((unsigned char)*pid) &&
            runs_lua(pid, read_proc(pid, "comm", name, sizeof name)))
            offer(at, pid, "", read_proc(pid, "cmdline", line, sizeof line));
    }
    if (proc) closedir(proc);
}

static void offer_formats(const Cursor *at) {
    for (size_t i = 0; i < REPORTS; i++)
        offer(at, report_kinds[i].name, "", report_kinds[i].help);
    for (size_t i = 0; i < SNAPSHOT_REPORT_KINDS; i++)
        if (!report_find(snapshotreport_kinds[i].name))
            offer(at, snapshotreport_kinds[i].name, "", snapshotreport_kinds[i].help);
}

/* Commands whose name begins with these words and a blank: the rest of it. */
static void offer_commands(const Cursor *at, const char *words) {
    size_t length = strlen(words);
    for (const Command *const *c = all_commands; *c; c++) {
        bool begins = strncmp((*c)->name, words, length) == 0;
        if ((*c)->internal || !begins || (length > 0 && (*c)->name[length] != ' ')) continue;
        const char *rest = (*c)->name + length + (length > 0);
        if (!strchr(rest, ' ')) offer(at, rest, "", (*c)->help);
    }
}

static void offer_operands(const Cursor *at) {
    unsigned takes = at->command->takes;
    char suffixes[64] = "";
    if (at->operands == 0) {
        offer_commands(at, takes & TAKES_COMMAND ? "" : at->command->name);
        if (takes & TAKES_FORMAT) offer_formats(at);
        if (takes & TAKES_PROCESS) offer_processes(at);
    }
    if (takes & TAKES_STATE && at->operands <= ((takes & TAKES_FORMAT) != 0)) offer_profiled(at);
    if (takes & TAKES_SCRIPT) strcat(suffixes, " .lua");
    if (takes & TAKES_RECORDING) strcat(suffixes, " .lmprec");
    if (takes & TAKES_SNAPSHOT) strcat(suffixes, " .heap");
    if (*suffixes || (takes & TAKES_STATE && at->operands == 1)) offer_files(at, suffixes);
}

/* ---- where the cursor is --------------------------------------------------------------------- */

static void offer_options(const Cursor *at) {
    for (const Option *o = at->command->options; o && o->name; o++) {
        char word[WORD_MOST];
        if (!o->help) continue;
        snprintf(word, sizeof word, "--%s", o->name);
        if (!o->arg || o->arg[0] == '[') offer(at, word, "", o->help);
        if (o->arg) offer(at, word, "=", o->help);
    }
    offer(at, "--help", "", "show this help");
}

/* Returns the command that words begin with, the longest: "record cut", not "record". *words: of
 * how many its name is made. */
static const Command *command_of(int argc, char **argv, int *words) {
    const Command *best = NULL;
    char name[WORD_MOST] = "";
    for (int i = 0; i < argc && i < 2; i++) {
        size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "%s%s", i ? " " : "", argv[i]);
        for (const Command *const *c = all_commands; *c; c++)
            if (strcmp((*c)->name, name) == 0) best = *c, *words = i + 1;
    }
    return best;
}

/* The words before the last one say what that can be. */
static void complete(int argc, char **argv) {
    int last = argc - 1, i = 0;
    Cursor at = {.prefix = argv[last], .value = argv[last]};
    bool options = true;
    at.command = command_of(last, argv, &i);
    if (last == 0) {
        offer_commands(&at, "");
        offer(&at, "--help", "", "show what lmp can do");
        offer(&at, "--version", "", "show the version of lmp");
    }
    if (!at.command) return;
    for (; i < last; i++) {
        const char *word = strcmp(argv[i], "-o") == 0 ? "--output" : argv[i]; /* options_mixed */
        const Option *o = options ? option_called(at.command, word) : NULL;
        bool dashes = options && strcmp(word, "--") == 0;
        if (at.command->takes & TAKES_PROGRAM && (dashes || word[0] != '-')) {
            printf("+command %d\n", i + dashes);
            return;
        }
        if (dashes) {
            options = false;
        } else if (o && o->arg && o->arg[0] != '[' && !strchr(word, '=')) {
            if (++i == last) {
                offer_values(&at, o);
                return;
            }
        } else if (!options || word[0] != '-') {
            at.operands++;
        }
    }
    const char *equals = strchr(at.value, '=');
    if (options && strncmp(at.value, "--", 2) == 0 && equals) {
        at.value = equals + 1;
        at.length = (int)(at.value - at.prefix);
        offer_values(&at, option_called(at.command, at.prefix));
    } else if (options && at.value[0] == '-') {
        offer_options(&at);
    } else if ((at.command->takes & (TAKES_PROGRAM | TAKES_SCRIPT)) == TAKES_PROGRAM) {
        printf("+command %d\n", last);
    } else {
        offer_operands(&at);
    }
}

static int run(Parse *p) {
    options_next(p);
    if (p->over) return p->status;
    if (p->at < p->argc) complete(p->argc - p->at, p->argv + p->at);
    return 0;
}

const Command cmd_complete = {
    .name = "complete",
    .usage = {"-- WORDS..."},
    .help = "Prints what may stand where the cursor is, for shells",
    .run = run,
    .internal = true,
};
