/* report_range.c - the summary of a range of time: what was allocated and freed in it, and how much
 * more is live. Peak, verdicts and leaks are of a whole run and left out, which it says. At most 80
 * columns, tables 100. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/report_impl.h"
#include "report/text.h"

enum { WIDTH = 100, WHERE_MOST = 36 };

static void put_line(FILE *out, const char *name, const char *count, uint64_t bytes, bool change) {
    char exact[LMP_NUM], rounded[LMP_NUM];
    fprintf(out, "  %-19s %14s   %-10s %16s B %11s\n", name, count, "total size",
            change ? text_change(exact, (int64_t)bytes, 16) : text_count(exact, bytes, 16),
            change ? format_delta_bytes(rounded, (int64_t)bytes) : format_bytes(rounded, bytes));
}

static void put_operations(const LmpStats *s, FILE *out) {
    char count[LMP_NUM];
    fputc('\n', out);
    put_line(out, "Number of mallocs", text_count(count, s->mallocs, 14), s->malloc_bytes, false);
    put_line(out, "Number of reallocs", text_count(count, s->reallocs, 14),
             (uint64_t)s->realloc_bytes, true);
    put_line(out, "Number of frees", text_count(count, s->frees, 14), s->free_bytes, false);
    put_line(out, "Change of live", text_change(count, (int64_t)s->live_blocks, 14), s->live_bytes,
             true);
}

static void put_types(const LmpStats *s, FILE *out) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM], e[LMP_NUM];
    fprintf(out, "\n  %-8s %14s %14s %11s %12s %12s\n", "Type", "mallocs by tag", "by owner",
            "live blocks", "live", "made");
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        const LmpKindStats *t = &s->kind[k];
        fprintf(out, "  %-8s %14s %14s %11s %12s %12s\n", kind_info[k].name,
                text_count(a, t->tag_allocs, 14), text_count(b, t->allocs, 14),
                text_change(c, (int64_t)t->live_blocks, 11),
                format_delta_bytes(d, (int64_t)t->live_bytes), format_bytes(e, t->made_bytes));
    }
}

static void put_rest(const LmpStats *s, FILE *out) {
    char a[LMP_NUM], b[LMP_NUM];
    fputc('\n', out);
    if (s->gc_mode == LMP_GC_INCREMENTAL || s->gc_mode == LMP_GC_GENERATIONAL)
        fprintf(out, "  Garbage collection   %s %s, freed %s\n", text_count(a, s->gc_cycles, 15),
                s->gc_cycles == 1 ? "cycle" : "cycles", format_bytes(b, s->gc_freed_bytes));
    if (s->frames)
        fprintf(out, "  Frames               %s, each made %s on average\n",
                text_count(a, s->frames, 14), format_bytes(b, s->frame_mean_bytes));
    if (s->failed) fprintf(out, "  Failed requests      %s\n", text_count(a, s->failed, 14));
    if (s->dropped)
        fprintf(out, "  Not accounted        %s mallocs (%s), no memory for the map\n",
                text_count(a, s->dropped, 11), format_bytes(b, s->dropped_bytes));
    fputs("  (peak, verdicts and leaks are of a whole run: lmp report FILE, FILE@MOMENT)\n", out);
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct Ranked {
    int64_t grown;
    uint64_t made;
    uint32_t row;
} Ranked;

/* What grew most, then what made most. */
static int by_grown(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->grown != y->grown) return x->grown < y->grown ? 1 : -1;
    if (x->made != y->made) return x->made < y->made ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

typedef const LmpTally *TallyOf(const Ledger *l, uint32_t row);

static const LmpTally *of_site(const Ledger *l, uint32_t row) {
    return &l->site[row].tally;
}
static const LmpTally *of_function(const Ledger *l, uint32_t row) {
    return l->stacks ? &l->function[row].retained : &l->function[row].shallow;
}
static const LmpTally *of_tag(const Ledger *l, uint32_t row) {
    return &l->tag[row].tally;
}

/* Returns the rows in which anything has happened, in order; the caller frees them. */
static Ranked *rank(const Ledger *l, TallyOf *tally, uint32_t rows, uint32_t *n) {
    Ranked *list = malloc(((size_t)rows + 1) * sizeof *list);
    *n = 0;
    for (uint32_t i = 0; list && i < rows; i++) {
        const LmpTally *t = tally(l, i);
        if (!t->allocs && !t->frees && !t->reallocs && !t->live_bytes) continue;
        list[(*n)++] = (Ranked){(int64_t)t->live_bytes, tally_made(t), i};
    }
    if (list) qsort(list, *n, sizeof *list, by_grown);
    return list;
}

#define FIGURES_HEAD "      change        made       freed  allocations  "
enum { FIGURES_WIDTH = sizeof FIGURES_HEAD - 1 };

static void put_figures(FILE *out, const LmpTally *t) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM];
    fprintf(out, "  %10s  %10s  %10s  %11s  ", format_delta_bytes(a, (int64_t)t->live_bytes),
            format_bytes(b, tally_made(t)), format_bytes(c, t->free_bytes),
            text_count(d, t->allocs, 11));
}

/* What a row is of: its place in WHERE_MOST columns, and its function. */
static void put_name(const Ledger *l, TallyOf *tally, uint32_t row, FILE *out) {
    char where[640];
    const LmpFunctionRow *f = &l->function[row];
    bool site = tally == of_site;
    if (tally == of_tag) {
        text_put_most(out, l->tag[row].name, WIDTH - FIGURES_WIDTH, false);
        return;
    }
    format_where(where, sizeof where, site ? l->site[row].short_src : f->short_src,
                 site                 ? l->site[row].line
                 : f->linedefined > 0 ? f->linedefined
                                      : -1);
    text_put(out, where, WHERE_MOST - 12, true);
    fputs("  ", out);
    text_put_most(out, site ? l->site[row].func : f->name, WIDTH - FIGURES_WIDTH - WHERE_MOST + 10,
                  false);
}

static void put_table(const LmpReport *r, FILE *out, TallyOf *tally, uint32_t rows,
                      const char *title) {
    uint32_t n;
    Ranked *list = rank(&r->ledger, tally, rows, &n);
    if (n) fprintf(out, "\n" FIGURES_HEAD "%s\n", title);
    for (uint32_t i = 0; i < n && i < r->top; i++) {
        put_figures(out, tally(&r->ledger, list[i].row));
        put_name(&r->ledger, tally, list[i].row, out);
        fputc('\n', out);
    }
    if (n > r->top) fprintf(out, "%*s%u more\n", FIGURES_WIDTH, "", n - r->top);
    free(list);
}

void report_summary_range(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    char from[LMP_NUM], to[LMP_NUM];
    fprintf(out, "What happened from %s to %s; live: what is more than before\n",
            text_moment(from, r->from), text_moment(to, r->until));
    put_operations(&r->range, out);
    put_types(&r->range, out);
    put_rest(&r->range, out);
    if (r->ledger_error) fputs("\n  (no memory for the tables of sites and functions)\n", out);
    if (r->ledger_error || l->lines == LMP_LINES_OFF) return;
    if (r->top > 0) put_table(r, out, of_site, l->sites, "site                      function");
    report_summary_conditions(r, out);
    if (r->top == 0) return;
    put_table(r, out, of_function, l->stacks ? l->functions : 0,
              "defined at                function, with all it called");
    put_table(r, out, of_tag, l->tags, "tag");
}
