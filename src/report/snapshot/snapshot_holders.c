/* snapshot_holders.c - bytes by the folded path that holds them, a line each, as flame graph tools
 * read it: steps from the root on, `;` between them, a blank and the bytes. In the order of the
 * alphabet, so that two files can be compared line by line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/snapshot/snapshotreport_impl.h"

/* No `;` in a step, and no blank and digits at its end: readers take these for a second figure. */
static void clean(char *step) {
    size_t n = strlen(step), digits = n;
    for (char *c = step; *c; c++)
        if (*c == ';') *c = ',';
    while (digits > 0 && isdigit((unsigned char)step[digits - 1]))
        digits--;
    if (digits < n && digits > 0 && step[digits - 1] == ' ') step[digits - 1] = '_';
}

enum { STEPS_MOST = 128, STEP_MOST = 120 };

static char *line_of(const SnapshotHolders *h, const SnapshotRedact *r, const LmpSnapshot *s,
                     uint32_t row) {
    char step[STEP_MOST], number[32];
    uint32_t path[STEPS_MOST], steps = 0;
    for (uint32_t i = row; i != 0 && steps < STEPS_MOST; i = h->row[i].parent)
        path[steps++] = i;
    char *line = malloc((size_t)steps * (STEP_MOST + 1) + sizeof "(others)" + sizeof number);
    if (!line) return NULL;
    size_t used = 0;
    if (steps == 0) used = (size_t)sprintf(line, "(others)");
    while (steps > 0) {
        holders_text(h, r, s, path[--steps], step, sizeof step);
        clean(step);
        used += (size_t)sprintf(line + used, "%s%s", step, steps ? ";" : "");
    }
    snprintf(number, sizeof number, " %llu", (unsigned long long)h->row[row].size);
    memcpy(line + used, number, strlen(number) + 1);
    return line;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

LmpErr snapshot_holders(const SnapshotReport *report, FILE *out) {
    SnapshotHolders holders;
    SnapshotRedact redact;
    LmpErr err = objecttext_redact_open(&redact, report);
    if (!err) err = holders_make(&holders, report->s);
    if (err) {
        objecttext_redact_close(&redact);
        return err;
    }
    char **line = malloc(((size_t)holders.rows + 1) * sizeof *line);
    uint32_t lines = 0;
    bool made = line != NULL;
    for (uint32_t row = 0; made && row < holders.rows; row++) {
        if (holders.row[row].size == 0) continue;
        made = (line[lines] = line_of(&holders, &redact, report->s, row)) != NULL;
        lines += made;
    }
    if (made) qsort(line, lines, sizeof *line, by_text);
    for (uint32_t i = 0; i < lines; i++) {
        if (made) fprintf(out, "%s\n", line[i]);
        free(line[i]);
    }
    free(line);
    holders_free(&holders);
    objecttext_redact_close(&redact);
    return made ? LMP_OK : LMP_E_NOMEM;
}
