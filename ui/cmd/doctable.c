/* doctable.c - see doctable.h. */
#include "cmd/doctable.h"

#include <string.h>

#include "base/kind.h"
#include "read/ledger/tallies.h"

/* Of a type's key its letter, since the footer shows them all at one. */
const char *doctable_key(const ActionInfo *info, char letter[2]) {
    if (!info->shown || !info->help) return NULL;
    int kind = action_kind(info->action);
    if (kind < 0) return info->shown;
    letter[0] = kind_info[kind].letter;
    letter[1] = 0;
    return letter;
}

static void print_keys(FILE *out) {
    fputs("| key | what it does |\n| --- | --- |\n", out);
    for (int g = 0; g < GROUPS; g++) {
        fprintf(out, "| **%s** | |\n", action_group_title[g]);
        for (int a = ACT_NONE + 1; a < ACTIONS; a++) {
            const ActionInfo *info = &action_info[a];
            char letter[2];
            const char *key = doctable_key(info, letter);
            if (!key || info->group != (ActionGroup)g) continue;
            fprintf(out, "| `%s` | %s |\n", key, info->help);
        }
    }
}

static void add(char *text, size_t size, const char *quote, const char *word) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s%s", used ? ", " : "", quote, word, quote);
}

const LmpFigure *doctable_row(const LmpFigure *first, const char *quote, DocRow *row) {
    bool alike = true;
    const LmpFigure *f = first;
    *row = (DocRow){.help = first->help};
    do {
        add(row->names, sizeof row->names, quote, f->name);
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
        f = doctable_row(f, "`", &row);
        fprintf(out, "| %s | %s%s| %s |\n", row.names, row.units, *row.units ? " " : "", row.help);
    }
}

bool doctable_print(const char *name, FILE *out) {
    bool keys = strcmp(name, "keys") == 0;
    if (keys) print_keys(out);
    for (const LmpFigureList *l = figure_lists; l->name; l++) {
        if (strcmp(name, l->name) != 0) continue;
        print_figures(l->figures, out);
        return true;
    }
    return keys;
}

void doctable_names(FILE *out) {
    fputs("keys\n", out);
    for (const LmpFigureList *l = figure_lists; l->name; l++)
        fprintf(out, "%s\n", l->name);
}
