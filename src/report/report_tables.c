/* report_tables.c - the summary's tables: sites, functions and tags with most memory, and which
 * sites grow. At most 100 columns. */
#include <stdarg.h>
#include <string.h>

#include "base/format.h"
#include "report/report_impl.h"
#include "report/text.h"

enum { WIDTH = 100, WHERE_MOST = 36, LEAKS_SHOWN = 5 };

/* ---- cells ----------------------------------------------------------------------------------- */

/* The last cell of a line, in at most `width` columns. */
static void put_last(FILE *out, const char *text, int width, bool tail) {
    text_put_most(out, text, width, tail);
    fputc('\n', out);
}

/* Live bytes, their share, all that was ever there (growth of blocks included), and churn: the
 * freed share of that. */
static void put_figures(FILE *out, const LmpTally *t, uint64_t live_total) {
    char live[LMP_NUM], total[LMP_NUM];
    uint64_t freed = t->free_bytes, all = freed + t->live_bytes;
    fprintf(out, "  %10s %3u%%  %10s  %4u%%  ", format_bytes(live, t->live_bytes),
            text_percent(t->live_bytes, live_total), format_bytes(total, all),
            text_percent(freed, all));
}

#define FIGURES_HEAD "        live    %       total  churn  "
enum { FIGURES_WIDTH = sizeof FIGURES_HEAD - 1 };

static int wider(int width, const char *text) {
    int n = text_columns(text);
    return n > width ? n : width;
}

static uint32_t rows_of(const LmpReport *r, uint32_t all) {
    return r->top < all ? r->top : all;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static int where_width(const LmpReport *r, uint32_t rows) {
    char where[256];
    int width = (int)strlen("site");
    for (uint32_t i = 0; i < rows; i++) {
        const LmpSiteRow *s = &r->ledger.site[i];
        width = wider(width, format_where(where, sizeof where, s->short_src, s->line));
    }
    return width < WHERE_MOST ? width : WHERE_MOST;
}

/* The function, and what it called there if that holds most: "main chunk, gmatch [C]". */
static void function_words(char *out, size_t size, const Ledger *l, const LmpSiteRow *s) {
    const char *called = s->details > 0 ? l->detail[s->first_detail].name : "";
    snprintf(out, size, *called ? "%s, %s" : "%s", s->func, called);
}

static void put_sites(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    uint32_t rows = rows_of(r, l->sites);
    int width = where_width(r, rows), rest = WIDTH - FIGURES_WIDTH - width - 2;
    char text[640], a[LMP_NUM];
    fprintf(out, "\n%s%-*s  function\n", FIGURES_HEAD, width, "site");
    uint64_t left = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        if (i >= rows) {
            left += s->tally.live_bytes;
            continue;
        }
        put_figures(out, &s->tally, r->stats.live_bytes);
        text_put(out, format_where(text, sizeof text, s->short_src, s->line), width, true);
        function_words(text, sizeof text, l, s);
        fputs("  ", out);
        put_last(out, text, rest, false);
    }
    if (l->sites > rows)
        fprintf(out, "  %10s%*s%u more\n", format_bytes(a, left), FIGURES_WIDTH - 12, "",
                l->sites - rows);
}

/* The line of a condition, the next one; the first is set off from what stands above if that is no
 * table. */
__attribute__((format(printf, 4, 5))) static void
put_condition(const LmpReport *r, FILE *out, uint32_t *shown, const char *format, ...) {
    va_list args;
    if ((*shown)++ == 0 && r->top == 0) fputc('\n', out);
    va_start(args, format);
    fputs("  (", out);
    vfprintf(out, format, args);
    fputs(")\n", out);
    va_end(args);
}

/* The conditions under which lines must be read, in tables and in sentences: so without tables,
 * too. */
void report_summary_conditions(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    char a[LMP_NUM], b[LMP_NUM];
    uint32_t n = 0;
    if (l->lines == LMP_LINES_APPROXIMATE)
        put_condition(r, out, &n, "lines: approximate: %s", stats_why_words[r->stats.why]);
    else if (l->unproven > 0)
        put_condition(r, out, &n, "lines: exact but for %s request%s that no known way explains",
                      text_count(a, l->unproven, 11), l->unproven == 1 ? "" : "s");
    if (l->sample > 0)
        put_condition(r, out, &n, "sampled: one block in every %s; what sites hold is estimated",
                      format_bytes(a, l->sample));
    uint64_t live = 0;
    for (uint32_t i = 0; i < l->sites; i++)
        if (strcmp(l->site[i].short_src, "(others)") == 0) live += l->site[i].tally.live_bytes;
    if (l->folded > 0)
        put_condition(r, out, &n,
                      "(others): %s allocations that found no room in the tables, %s live",
                      text_count(a, l->folded, 15), format_bytes(b, live));
    if (l->pathless > 0)
        put_condition(r, out, &n,
                      "call paths of %s allocations, %s live, found no room: retained is without",
                      text_count(a, l->pathless, 15), format_bytes(b, l->pathless_bytes));
}

/* ---- functions, tags ------------------------------------------------------------------------- */

#define SIZES_HEAD "     shallow    retained    %  "
enum { SIZES_WIDTH = sizeof SIZES_HEAD - 1 };

static void put_functions(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    uint32_t rows = rows_of(r, l->functions);
    char text[320], a[LMP_NUM], b[LMP_NUM];
    int width = (int)strlen("function");
    for (uint32_t i = 0; i < rows; i++)
        width = wider(width, l->function[i].name);
    if (width > WHERE_MOST + 4) width = WHERE_MOST + 4;
    int rest = WIDTH - SIZES_WIDTH - width - 2;
    fprintf(out, "\n%s%-*s  defined at\n", SIZES_HEAD, width, "function");
    for (uint32_t i = 0; i < rows; i++) {
        const LmpFunctionRow *f = &l->function[i];
        fprintf(out, "  %10s  %10s %3u%%  ", format_bytes(a, f->shallow.live_bytes),
                format_bytes(b, f->retained.live_bytes),
                text_percent(f->retained.live_bytes, r->stats.live_bytes));
        text_put(out, f->name, width, false);
        /* a main chunk is defined at line 0 of its source, which is no line */
        format_where(text, sizeof text, f->short_src, f->linedefined > 0 ? f->linedefined : -1);
        fputs("  ", out);
        put_last(out, text, rest, true);
    }
    if (l->functions > rows) fprintf(out, "%*s%u more\n", SIZES_WIDTH, "", l->functions - rows);
}

static void put_tags(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    uint32_t rows = rows_of(r, l->tags);
    int rest = WIDTH - FIGURES_WIDTH;
    fputs("\n" FIGURES_HEAD "tag\n", out);
    for (uint32_t i = 0; i < rows; i++) {
        const char *name = l->tag[i].name;
        put_figures(out, &l->tag[i].tally, r->stats.live_bytes);
        put_last(out, name, rest, false);
    }
    if (l->tags > rows) fprintf(out, "%*s%u more\n", FIGURES_WIDTH, "", l->tags - rows);
}

void report_summary_tables(const LmpReport *r, FILE *out) {
    const Ledger *l = &r->ledger;
    if (r->ledger_error)
        fputs("\n  (no memory for the tables of sites and functions)\n", out);
    else if (l->lines != LMP_LINES_OFF && l->sites > 0) {
        if (r->top > 0) put_sites(r, out);
        report_summary_conditions(r, out);
        if (l->stacks && r->top > 0) put_functions(r, out);
        if (l->tags > 0 && r->top > 0) put_tags(r, out);
    }
}

/* ---- leaks ----------------------------------------------------------------------------------- */

void report_summary_leaks(const LmpReport *r, FILE *out) {
    const LmpJudgement *v = &r->judgement;
    char a[LMP_NUM], b[LMP_NUM], text[256];
    if (r->ledger.lines == LMP_LINES_OFF || r->ledger_error) return;
    fprintf(out, "  Leaks                %s\n", v->words);
    if (v->steady < 2) return;
    for (uint32_t i = 0; i < v->leaks && i < LEAKS_SHOWN; i++) {
        const LmpLeak *leak = &r->leak[i];
        const LmpSiteRow *s = &r->ledger.site[leak->site];
        double rate = leak->bytes_per_second > 0 ? leak->bytes_per_second : 0;
        format_bytes(a, (uint64_t)(leak->bytes_per_cycle < 1e18 ? leak->bytes_per_cycle : 1e18));
        format_bytes(b, (uint64_t)(rate < 1e18 ? rate : 1e18));
        fprintf(out, "%33s a full cycle %10s/s  ", a, b);
        put_last(out, format_where(text, sizeof text, s->short_src, s->line), WHERE_MOST, true);
    }
    if (v->steady > LEAKS_SHOWN) fprintf(out, "%*s%u more\n", 57, "", v->steady - LEAKS_SHOWN);
}
