/* doctable.c - prints each table as Markdown, directly from the source's own tables: keys, options,
 * configuration, figures, verdict rules, limits. */
#include "command/doctable.h"

#include <string.h>

#include "gate/limits.h"
#include "read/ledger/tallies.h"
#include "read/verdict/verdict.h"
#include "screen/config.h"
#include "shared/start_options.h"

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

static void print_figures(const LmpFigure *f, FILE *out) {
    fputs("| field | unit | meaning |\n| --- | --- | --- |\n", out);
    while (f->name) {
        DocRow row;
        f = figure_row(f, &row);
        fprintf(out, "| %s | %s%s| %s |\n", row.names, row.units, *row.units ? " " : "", row.help);
    }
}

static void print_start_options(FILE *out) {
    fputs("| option | type | default | meaning |\n| --- | --- | --- | --- |\n", out);
    for (const LmpStartOption *o = start_options; o < start_options + STARTS; o++)
        fprintf(out, "| `%s` | %s | %s | %s |\n", o->name, o->type, o->otherwise, o->help);
}

static void print_config(FILE *out) {
    fputs("| name | value | meaning |\n| --- | --- | --- |\n", out);
    for (const ConfigRow *r = config_rows; r->name; r++) {
        bool many = r->name[strlen(r->name) - 1] == '.';
        fprintf(out, "| `%s%s` | %s | %s |\n", r->name, many ? "PANEL" : "", r->values, r->help);
    }
}

static void print_lines(const char *text, FILE *out) {
    for (; *text; text++)
        fputs(*text == '\n' ? "<br>" : (char[]){*text, 0}, out);
}

static void print_verdicts(FILE *out) {
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
        print_lines(r.says, out);
        fprintf(out, " | %s%s|\n", r.advice, *r.advice ? " " : "");
    }
}

static void print_limits(FILE *out) {
    fputs("| figure | most | of a part, too | meaning |\n| --- | --- | --- | --- |\n", out);
    for (int i = 0; i < LIMIT_FIGURE_COUNT; i++) {
        const LmpLimitInfo *l = &limit_figures[i];
        fprintf(out, "| `%s` | %s | %s| %s |\n", l->word, l->bytes ? "size" : "number",
                l->scopes ? "yes " : "", l->help);
    }
}

static void print_limit_parts(FILE *out) {
    fputs("| before the figure | meaning |\n| --- | --- |\n", out);
    for (int i = LIMIT_AT; i < LIMIT_SCOPES; i++)
        fprintf(out, "| `%s %s` | %s |\n", limit_scopes[i].word, limit_scopes[i].argument,
                limit_scopes[i].help);
}

bool doctable_print(const char *name, FILE *out) {
    bool start = strcmp(name, "start") == 0;
    bool config = strcmp(name, "config") == 0, verdicts = strcmp(name, "verdicts") == 0;
    bool limits = strcmp(name, "limits") == 0, parts = strcmp(name, "limit-parts") == 0;
    if (limits) print_limits(out);
    if (parts) print_limit_parts(out);
    if (config) print_config(out);
    if (verdicts) print_verdicts(out);
    if (start) print_start_options(out);
    for (const LmpFigureList *l = figure_lists; l->name; l++) {
        if (strcmp(name, l->name) != 0) continue;
        print_figures(l->figures, out);
        return true;
    }
    return start || config || verdicts || limits || parts;
}

void doctable_names(FILE *out) {
    fputs("start\nconfig\nverdicts\nlimits\nlimit-parts\n", out);
    for (const LmpFigureList *l = figure_lists; l->name; l++)
        fprintf(out, "%s\n", l->name);
}
