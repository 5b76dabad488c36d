/* diff_text.c - what differs between two runs, for people: totals, types, then lines, functions and
 * tags whose figures changed. At most 100 columns. */
#include <string.h>

#include "base/format.h"
#include "report/diff/diffreport_impl.h"
#include "report/text.h"

enum { WIDTH = 100, TOP = 20, NUMBER = 10, FIGURES = 3 * (NUMBER + 2) + 8, WHERE = 34 };

const char *const diff_how_words[] = {[RUNDIFF_KEPT] = "kept",
                                      [RUNDIFF_MOVED] = "moved",
                                      [RUNDIFF_CAME] = "new",
                                      [RUNDIFF_WENT] = "gone"};

DiffWhat diff_what(const DiffReport *report, RunDiffBy by, const RunDiffRow *row) {
    bool here = row->newer != LEDGER_NO_ROW;
    const Ledger *l = here ? report->diff->newer : report->diff->old;
    const Ledger *older = report->diff->old;
    uint32_t i = here ? row->newer : row->old;
    DiffWhat w = {.name = "", .short_src = "", .line = -1, .was_line = -1};
    if (by == RUNDIFF_TAGS) {
        w.name = l->tag[i].name;
    } else if (by == RUNDIFF_SITES) {
        w = (DiffWhat){l->site[i].func, l->site[i].short_src, l->site[i].line, -1};
        if (row->how == RUNDIFF_MOVED) w.was_line = older->site[row->old].line;
    } else {
        const LmpFunctionRow *f = &l->function[i];
        w = (DiffWhat){f->name, f->short_src, f->linedefined > 0 ? f->linedefined : -1, -1};
        if (row->how == RUNDIFF_MOVED) w.was_line = older->function[row->old].linedefined;
    }
    return w;
}

DiffDoubts diff_doubts(const DiffReport *report) {
    const LmpReport *a = report->old.report, *b = report->newer.report;
    DiffDoubts d = {.lines = 0};
    if (strcmp(a->program, b->program) != 0) d.line[d.lines++] = "they are of different programs";
    if (strcmp(a->lua, b->lua) != 0)
        d.line[d.lines++] = "they ran on different versions of Lua, whose objects differ in size";
    if (a->ledger.sample != b->ledger.sample)
        d.line[d.lines++] = "they were not sampled alike: what lines have differs by chance, too";
    else if (a->ledger.sample > 0)
        d.line[d.lines++] = "both are sampled: what lines have is estimated, totals are exact";
    if (a->ledger.lines != b->ledger.lines)
        d.line[d.lines++] =
            "their lines are not known in the same way: one may show an earlier line";
    return d;
}

/* ---- totals ---------------------------------------------------------------------------------- */

static void put_number(FILE *out, uint64_t n, bool bytes) {
    char text[LMP_NUM];
    if (bytes)
        format_bytes(text, n);
    else
        text_count(text, n, NUMBER);
    fprintf(out, "  %*s", NUMBER, text);
}

static void put_change(FILE *out, int64_t change, bool bytes) {
    char text[LMP_NUM];
    fprintf(out, "  %*s", NUMBER,
            bytes ? format_delta_bytes(text, change) : text_change(text, change, NUMBER));
}

/* By how much of what was there: "+12.5 %". From nothing there is no share. */
static void put_percent(FILE *out, uint64_t was, uint64_t is) {
    char text[32] = "";
    double percent = was > 0 ? ((double)is - (double)was) * 100 / (double)was : 0;
    if (is == was)
        snprintf(text, sizeof text, "0 %%");
    else if (was > 0 && percent < 9999.5)
        snprintf(text, sizeof text, "%+.*f %%", percent > -100 && percent < 100, percent);
    else
        snprintf(text, sizeof text, "%s", was > 0 ? "> 100x" : "new");
    fprintf(out, "  %8s", text);
}

static void put_totals(const DiffReport *r, FILE *out) {
    DiffTotal total[DIFF_TOTALS];
    diffreport_totals(r, total);
    fprintf(out, "\n  %-17s  %*s  %*s  %*s\n", "", NUMBER, "old", NUMBER, "new", NUMBER, "change");
    for (int i = 0; i < DIFF_TOTALS; i++) {
        const DiffTotal *t = &total[i];
        fprintf(out, "  %-17s", t->title);
        put_number(out, t->was, t->bytes);
        put_number(out, t->is, t->bytes);
        put_change(out, (int64_t)(t->is - t->was), t->bytes);
        put_percent(out, t->was, t->is);
        if (diffreport_broken(r, t)) fputs("  more than it may", out);
        fputc('\n', out);
    }
}

static void put_types(const DiffReport *r, FILE *out) {
    fprintf(out, "\n  %-17s  %*s  %*s  %*s\n", "live, by type", NUMBER, "old", NUMBER, "new",
            NUMBER, "change");
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        uint64_t was = r->old.report->stats.kind[k].live_bytes;
        uint64_t is = r->newer.report->stats.kind[k].live_bytes;
        if (was == 0 && is == 0) continue;
        fprintf(out, "  %-17s", kind_info[k].name);
        put_number(out, was, true);
        put_number(out, is, true);
        put_change(out, (int64_t)(is - was), true);
        put_percent(out, was, is);
        fputc('\n', out);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_row(const DiffReport *r, RunDiffBy by, const RunDiffRow *row, FILE *out) {
    RunDiffMetric metric = r->diff->metric;
    bool bytes = metric != RUNDIFF_ALLOCS;
    DiffWhat w = diff_what(r, by, row);
    char where[360];
    put_change(out, rundiff_change(row, metric), bytes);
    put_number(out, rundiff_figure(&row->was, metric), bytes);
    put_number(out, rundiff_figure(&row->is, metric), bytes);
    fprintf(out, "  %-5s ", row->how == RUNDIFF_KEPT ? "" : diff_how_words[row->how]);
    format_where(where, sizeof where - 40, w.short_src, w.line);
    if (row->how == RUNDIFF_MOVED && w.was_line >= 0)
        snprintf(where + strlen(where), 40, " (was %d)", w.was_line);
    if (by == RUNDIFF_TAGS) {
        text_put_most(out, w.name, WIDTH - FIGURES, false);
    } else {
        text_put(out, where, WHERE, true);
        fputs("  ", out);
        text_put_most(out, w.name, WIDTH - FIGURES - WHERE - 2, false);
    }
    fputc('\n', out);
}

/* What is below the threshold is one line, so that all rows make up the whole. */
static void put_noise(const DiffReport *r, const RunDiffTable *t, uint32_t left, FILE *out) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    bool bytes = r->diff->metric != RUNDIFF_ALLOCS;
    if (left > 0) fprintf(out, "  and %u more\n", left);
    if (t->noise_grown == 0 && t->noise_shrunk == 0) return;
    if (bytes)
        fprintf(out, "  noise, changes below %s each: +%s, -%s\n", format_bytes(a, r->noise),
                format_bytes(b, t->noise_grown), format_bytes(c, t->noise_shrunk));
    else
        fprintf(out, "  noise, changes below %s each: +%s, -%s\n", format_count(a, r->noise),
                format_count(b, t->noise_grown), format_count(c, t->noise_shrunk));
}

static const char *const metrics[RUNDIFF_METRICS] = {"bytes live", "bytes allocated",
                                                     "bytes live at the peak", "allocations"};
static const char *const titles[RUNDIFF_BYS] = {"line", "function", "tag"};

static void put_table(const DiffReport *r, RunDiffBy by, FILE *out) {
    const RunDiffTable *t = &r->diff->table[by];
    uint32_t most = r->top ? r->top : TOP, rows = t->rows - t->noise;
    if (by == RUNDIFF_TAGS && r->diff->old->tags <= 1 && r->diff->newer->tags <= 1) return;
    fprintf(out, "\n  %*s  %*s  %*s        %s, by %s\n", NUMBER, "change", NUMBER, "old", NUMBER,
            "new", titles[by], metrics[r->diff->metric]);
    for (uint32_t i = 0; i < rows && i < most; i++)
        put_row(r, by, &t->row[i], out);
    if (rows == 0) fputs("  nothing changed\n", out);
    put_noise(r, t, rows > most ? rows - most : 0, out);
}

static void put_side(FILE *out, const char *which, const DiffSide *side) {
    char name[1100], program[300], ending[64], clock[LMP_NUM];
    const LmpReport *r = side->report;
    fprintf(out, "  %s  ", which);
    text_put_most(out, format_text(name, sizeof name, side->name, 0), 44, true);
    fprintf(out, "  %s, %s after %s\n", format_text(program, sizeof program, r->program, 0),
            format_text(ending, sizeof ending, r->ending, 0),
            format_clock(clock, (uint64_t)(r->stats.seconds * 1e9)));
    if (r->damage) fprintf(out, "       damaged: %s\n", r->damage);
    if (*r->moment.said) fprintf(out, "       of %s\n", r->moment.said);
}

LmpErr diff_text(const DiffReport *r, FILE *out) {
    DiffDoubts doubts = diff_doubts(r);
    fputs("What changed between two runs\n", out);
    put_side(out, "old", &r->old);
    put_side(out, "new", &r->newer);
    for (uint32_t i = 0; i < doubts.lines; i++)
        fprintf(out, "  (%s)\n", doubts.line[i]);
    put_totals(r, out);
    put_types(r, out);
    for (int by = 0; by < RUNDIFF_BYS; by++)
        put_table(r, (RunDiffBy)by, out);
    return LMP_OK;
}
