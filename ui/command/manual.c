/* manual.c - prints roff and Markdown. The prose of the man pages is in this file; commands,
 * options, keys, configuration, figures, verdict rules and limits come from their tables. */
#include "command/manual.h"

#include <ctype.h>
#include <string.h>

#include "base/kind.h"
#include "gate/limits.h"
#include "read/ledger/ledger.h"
#include "read/verdict/verdict.h"
#include "screen/action.h"
#include "screen/config.h"
#include "shared/start_options.h"

/* ---- the man page ---------------------------------------------------------------------------- */

#define MINUS "−"

/* Writes text with roff's special characters escaped; an empty line begins a paragraph, and text in
 * backquotes is bold. */
static void put(FILE *out, const char *text) {
    bool bold = false;
    for (const char *c = text; *c; c++) {
        if (*c == '`')
            fputs((bold = !bold) ? "\\fB" : "\\fR", out);
        else if (strncmp(c, MINUS, sizeof MINUS - 1) == 0)
            fputs("\\-", out), c += sizeof MINUS - 2;
        else if (*c == '\\')
            fputs("\\e", out);
        else if (*c == '-')
            fputs("\\-", out);
        else if (c[0] == '\n' && c[1] == '\n')
            fputs("\n.PP", out);
        else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            fprintf(out, "\\&%c", *c);
        else
            fputc(*c, out);
    }
}

static void put_macro(FILE *out, const char *macro, const char *text) {
    fprintf(out, "%s", macro);
    put(out, text);
    fputc('\n', out);
}

static void put_option(FILE *out, const Option *o) {
    fputs(".TP\n\\fB", out);
    put(out, "--");
    put(out, o->name);
    fputs("\\fR", out);
    if (o->arg && o->arg[0] == '[')
        fprintf(out, "[=\\fI%.*s\\fR]", (int)strlen(o->arg) - 2, o->arg + 1);
    else if (o->arg)
        fprintf(out, "=\\fI%s\\fR", o->arg);
    fputc('\n', out);
    put(out, o->help);
    fputs(".\n", out);
}

/* What a command does; its options follow, below a heading of their own if there is one. */
static void put_command(FILE *out, const Command *c, const char *options) {
    put(out, c->help);
    fputs(".\n", out);
    if (c->details) {
        fputs(".PP\n", out);
        put(out, c->details);
        fputc('\n', out);
    }
    for (const Option *o = c->options; o && o->name; o++) {
        if (!o->help) continue;
        fputs(options, out);
        options = "";
        put_option(out, o);
    }
}

static void put_usage(FILE *out, const Command *c) {
    for (int i = 0; i < 3 && c->usage[i]; i++) {
        fprintf(out, "\\fBlmp %s\\fR%s", c->name, c->usage[i][0] ? " " : "");
        put(out, c->usage[i]);
        fputc('\n', out);
    }
}

/* The head of a page, which is about `what`. */
static void put_head(FILE *out, const char *name, const char *what) {
    fputs(".\\\" Made by `lmp help` from the tables in the source.\n.TH ", out);
    for (const char *c = name; *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fputs(" 1 \"\" \"lmp " LMP_VERSION "\" \"User Commands\"\n.SH NAME\n", out);
    put(out, name);
    fprintf(out, " \\- %s\n.SH SYNOPSIS\n.nf\n", what);
}

/* Writes the name of a command's page: "lmp-record-cut". */
static const char *page_name(char *out, size_t size, const Command *c) {
    snprintf(out, size, "lmp-%s", c->name);
    for (char *blank = out; (blank = strchr(blank, ' '));)
        *blank = '-';
    return out;
}

static const char description[] =
    "lmp shows the memory of a running program of Lua 5.4 or 5.5 in the terminal: how much, of "
    "what type, "
    "where\nin the heap, and which line, function and call path made it, as it changes. The "
    "program "
    "can be\npaused inside an allocation, stepped from one operation to the next, and looked into; "
    "in the\nend a summary is printed.\n\n"
    "A script can start the profiler itself:";

static const struct Row {
    const char *term, *text;
} environment[] = {
    {"LUA_INIT_5_4, LUA_INIT_5_5, LUA_INIT",
     "Run in every Lua state as ever; lmp run puts its own start before yours"},
    {"LMP_COMMAND", "Path of the command lmp, where the Lua module cannot find it"},
    {"LMP_START",
     "Options as lmp.start has them, NAME=VALUE: under liblmp-preload.so every state of "
     "Lua is profiled with these (docs/host.md)"},
    {"LMP_CACHE",
     "Directory for what a start has learned of an interpreter, so that the next one is "
     "faster, and for the modules of a command that has them inside ($XDG_CACHE_HOME/lmp, or "
     "~/.cache/lmp); off: none"},
    {"TERM, NO_COLOR, LANG", "What the terminal can do, whether colours are wanted, and whether it "
                             "shows UTF-8"},
    {"LMP_THEME",
     "light or dark, as the terminal's ground is; okabe-ito, okabe-ito-light for the colour-blind; "
     "mono for no colours"},
    {"LMP_ASCII", "Set to 1: no character beyond ASCII"},
    {"TMPDIR", "Where output goes that the program prints during the display, beyond 64 MiB"},
};

static const struct Row exits[] = {
    {"lmp run", "That of the program; if a signal killed it, lmp run ends by the same signal. 126: "
                "the program cannot be run, 127: there is no such program"},
    {"3",
     "What was found is not as it should be: a program that has ended well has broken a limit, "
     "lmp diff --fail-on-increase an increase, lmp doctor a difference"},
    {"2", "Wrong usage of lmp"},
    {"1", "Another mistake, told in one line on standard error"},
};

static void put_rows(FILE *out, const char *title, const struct Row *rows, size_t n) {
    fprintf(out, ".SH %s\n", title);
    for (size_t i = 0; i < n; i++) {
        put_macro(out, ".TP\n.B ", rows[i].term);
        put(out, rows[i].text);
        fputs(".\n", out);
    }
}

/* Returns the key as people write it; of a type's keys only the letter, as the footer shows them
 * all together. NULL: another row has it. */
static const char *key_shown(const ActionInfo *info, char letter[2]) {
    if (!info->shown || !info->help) return NULL;
    int kind = action_kind(info->action);
    if (kind < 0) return info->shown;
    letter[0] = kind_info[kind].letter;
    letter[1] = 0;
    return letter;
}

static void put_keys(FILE *out) {
    fputs(".SH KEYS\n", out);
    for (int a = ACT_NONE + 1; a < ACTIONS; a++) {
        char letter[2];
        const char *key = key_shown(&action_info[a], letter);
        if (!key) continue;
        put_macro(out, ".TP\n.B ", key);
        put(out, action_info[a].help);
        fputc('\n', out);
    }
}

/* Which tables of figures `lmp help` prints, rather than all their rows. */
static void put_figures(FILE *out) {
    fputs(".SH FIGURES\nThe fields of \\fB\\-\\-json\\fR and, in a script, of stats(). "
          "\\fBlmp help \\-\\-table=NAME\\fR\nexplains those of:\n",
          out);
    for (const LmpFigureList *l = figure_lists; l->name; l++) {
        put_macro(out, ".TP\n.B ", l->name);
        put(out, l->title);
        fputs(".\n", out);
    }
}

#define ROWS(rows) (rows), sizeof(rows) / sizeof *(rows)

void manual_page(const Command *const *commands, FILE *out) {
    put_head(out, "lmp", "real\\-time memory profiler for Lua 5.4 and 5.5");
    for (const Command *const *c = commands; *c; c++)
        if (!(*c)->internal) put_usage(out, *c);
    fputs(".fi\n.SH DESCRIPTION\n", out);
    put(out, description);
    fputs("\n.PP\n.nf\n    require(\"luamemprofiler\").start(true)\n.fi\n", out);
    fputs(".SH COMMANDS\n", out);
    for (const Command *const *c = commands; *c; c++) {
        if ((*c)->internal) continue;
        fprintf(out, ".SS lmp %s\n", (*c)->name);
        put_command(out, *c, "");
    }
    fputs(".PP\nEvery command takes \\fB\\-\\-help\\fR, which also has examples.\n", out);
    put_keys(out);
    put_figures(out);
    put_rows(out, "ENVIRONMENT", ROWS(environment));
    put_rows(out, "EXIT STATUS", ROWS(exits));
    fputs(".SH SEE ALSO\nEvery command has a page of its own, such as\n.BR lmp\\-run (1).\n", out);
}

static void put_command_page(FILE *out, const Command *c, const char *name) {
    char what[200];
    snprintf(what, sizeof what, "%c%s", tolower((unsigned char)c->help[0]), c->help + 1);
    put_head(out, name, what);
    put_usage(out, c);
    fputs(".fi\n.SH DESCRIPTION\n", out);
    put_command(out, c, ".SH OPTIONS\n");
    if (c->examples) fputs(".SH EXAMPLES\n", out);
    for (const Example *e = c->examples; e && e->line; e++) {
        put_macro(out, ".TP\n.B ", e->line);
        put(out, e->help);
        fputs(".\n", out);
    }
    fputs(".SH SEE ALSO\n.BR lmp (1)\n", out);
}

bool manual_command_page(const Command *const *commands, const char *name, FILE *out) {
    char page[80];
    for (const Command *const *c = commands; *c; c++) {
        if ((*c)->internal || strcmp(page_name(page, sizeof page, *c), name) != 0) continue;
        put_command_page(out, *c, page);
        return true;
    }
    return false;
}

void manual_page_names(const Command *const *commands, FILE *out) {
    char name[80];
    for (const Command *const *c = commands; *c; c++)
        if (!(*c)->internal) fprintf(out, "%s\n", page_name(name, sizeof name, *c));
}

/* ---- tables of the documents ----------------------------------------------------------------- */

static void add(char *text, size_t size, const char *quote, const char *word) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s%s", used ? ", " : "", quote, word, quote);
}

/* A row: figures that are explained together. */
typedef struct DocRow {
    char names[160], units[80];
    const char *help;
} DocRow;

/* Fills the row that begins with this figure; returns the first figure of the next one. */
static const LmpFigure *figure_row(const LmpFigure *first, DocRow *row) {
    bool alike = true;
    const LmpFigure *f = first;
    *row = (DocRow){.help = first->help};
    do {
        add(row->names, sizeof row->names, "`", f->name);
        add(row->units, sizeof row->units, "", f->unit);
        alike = alike && strcmp(f->unit, first->unit) == 0;
        f++;
    } while (f->name && !f->help);
    if (alike) snprintf(row->units, sizeof row->units, "%s", first->unit);
    return f;
}

static void table_figures(const LmpFigure *f, FILE *out) {
    fputs("| field | unit | meaning |\n| --- | --- | --- |\n", out);
    while (f->name) {
        DocRow row;
        f = figure_row(f, &row);
        fprintf(out, "| %s | %s%s| %s |\n", row.names, row.units, *row.units ? " " : "", row.help);
    }
}

static void table_start_options(FILE *out) {
    fputs("| option | type | default | meaning |\n| --- | --- | --- | --- |\n", out);
    for (const LmpStartOption *o = start_options; o < start_options + STARTS; o++)
        fprintf(out, "| `%s` | %s | %s | %s |\n", o->name, o->type, o->otherwise, o->help);
}

static void table_config(FILE *out) {
    fputs("| name | value | meaning |\n| --- | --- | --- |\n", out);
    for (const ConfigRow *r = config_rows; r->name; r++) {
        bool many = r->name[strlen(r->name) - 1] == '.';
        fprintf(out, "| `%s%s` | %s | %s |\n", r->name, many ? "PANEL" : "", r->values, r->help);
    }
}

static void table_lines(const char *text, FILE *out) {
    for (; *text; text++)
        fputs(*text == '\n' ? "<br>" : (char[]){*text, 0}, out);
}

static void table_verdicts(FILE *out) {
    VerdictRuleInfo r;
    fputs("| rule | needs | holds when | says | and advises |\n"
          "| --- | --- | --- | --- | --- |\n",
          out);
    for (uint32_t i = 0; verdict_rule_info(i, &r); i++) {
        char needs[80] = "";
        if (r.makes || r.line) add(needs, sizeof needs, "", "lines");
        if (r.bulk) add(needs, sizeof needs, "", "1 MiB made");
        if (r.exact) add(needs, sizeof needs, "", "no `--sample`");
        fprintf(out, "| `%s` | %s%s| %s | ", r.name, needs, *needs ? " " : "", r.when);
        table_lines(r.says, out);
        fprintf(out, " | %s%s|\n", r.advice, *r.advice ? " " : "");
    }
}

static void table_limits(FILE *out) {
    fputs("| figure | most | of a part, too | meaning |\n| --- | --- | --- | --- |\n", out);
    for (int i = 0; i < LIMIT_FIGURE_COUNT; i++) {
        const LmpLimitInfo *l = &limit_figures[i];
        fprintf(out, "| `%s` | %s | %s| %s |\n", l->word, l->bytes ? "size" : "number",
                l->scopes ? "yes " : "", l->help);
    }
}

static void table_limit_parts(FILE *out) {
    fputs("| before the figure | meaning |\n| --- | --- |\n", out);
    for (int i = LIMIT_AT; i < LIMIT_SCOPES; i++)
        fprintf(out, "| `%s %s` | %s |\n", limit_scopes[i].word, limit_scopes[i].argument,
                limit_scopes[i].help);
}

static const struct {
    const char *name;
    void (*print)(FILE *out);
} tables[] = {
    {"start", table_start_options},     {"config", table_config},
    {"verdicts", table_verdicts},       {"limits", table_limits},
    {"limit-parts", table_limit_parts},
};
#define TABLES (sizeof tables / sizeof *tables)

bool manual_table(const char *name, FILE *out) {
    for (size_t i = 0; i < TABLES; i++) {
        if (strcmp(name, tables[i].name) != 0) continue;
        tables[i].print(out);
        return true;
    }
    for (const LmpFigureList *l = figure_lists; l->name; l++) {
        if (strcmp(name, l->name) != 0) continue;
        table_figures(l->figures, out);
        return true;
    }
    return false;
}

void manual_table_names(FILE *out) {
    for (size_t i = 0; i < TABLES; i++)
        fprintf(out, "%s\n", tables[i].name);
    for (const LmpFigureList *l = figure_lists; l->name; l++)
        fprintf(out, "%s\n", l->name);
}
