/* verdict.c - sums up what rules look at, evaluates them for each line that matters, then for the
 * whole, and sorts the verdicts. Their texts are in the files of the rules. */
#include "read/verdict/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "read/verdict/verdict_impl.h"

/* ---- the name of a line ---------------------------------------------------------------------- */

/* A sentence names a line by the end of its path, as short as no other file of the program is
 * called. */

enum { SITES_MOST = 2000, PATH_MOST = 60 /* bytes */ };

/* Returns true if another source ends as this one does from `end` on, at a folder's boundary. */
static bool is_shared(const Ledger *l, const LmpSiteRow *row, const char *end) {
    size_t length = strlen(end);
    uint32_t sites = l->sites < SITES_MOST ? l->sites : SITES_MOST;
    for (uint32_t i = 0; i < sites; i++) {
        const char *other = l->site[i].short_src;
        size_t n = strlen(other);
        if (l->site[i].line < 0 || n < length || strcmp(other + n - length, end) != 0) continue;
        bool boundary = n == length || other[n - length - 1] == '/';
        if (boundary && strcmp(l->site[i].source, row->source) != 0) return true;
    }
    return false;
}

static const char *shortest(const Ledger *l, const LmpSiteRow *row) {
    const char *path = row->short_src, *end = path + strlen(path);
    if (*row->source != '@') return path;
    while (end > path) {
        do
            end--;
        while (end > path && end[-1] != '/');
        if (end[0] && !is_shared(l, row, end)) break;
    }
    if (strlen(end) <= PATH_MOST) return end;
    end += strlen(end) - PATH_MOST;
    const char *slash = strchr(end, '/');
    if (slash && slash[1]) return slash + 1;
    while (((unsigned char)*end & 0xc0) == 0x80) /* not in the middle of a character */
        end++;
    return end;
}

const char *verdict_name(char out[VERDICT_NAME], const Ledger *l, const LmpSiteRow *row) {
    return format_where(out, VERDICT_NAME, shortest(l, row), row->line);
}

/* ---- growth that nobody has judged ----------------------------------------------------------- */

/* Lines that hold most of a heap that rises, and have freed nothing of it: they are told of before
 * what is freed, although there were too few full collections to judge them by. */

#define SECONDS_LEAST 5.0 /* or it is the program's start */
#define BYTES_LEAST (1u << 20)
#define MAP_PART 0.1    /* of the heap, of one line, at least ... */
#define FREED_PART 0.02 /* ... that has freed no more than this of its blocks */
/* The heap rises when the least of its last quarter is so many times the most of its first half. */
#define RISES 1.25
enum { MOMENTS_LEAST = 8 };

static bool rises(const LmpHistory *h) {
    uint32_t n = h ? (h->used < LMP_HISTORY ? h->used : LMP_HISTORY) : 0;
    uint64_t most = 0, least = UINT64_MAX;
    if (n < MOMENTS_LEAST) return false;
    for (uint32_t i = 0; i < n / 2; i++)
        if (h->samples[i].max_bytes > most) most = h->samples[i].max_bytes;
    for (uint32_t i = n - n / 4; i < n; i++)
        if (h->samples[i].min_bytes < least) least = h->samples[i].min_bytes;
    return (double)least >= RISES * (double)most;
}

/* Adds lines that hold most and have freed nothing, if growth cannot be told. */
static void verdict_find_unfreed(VerdictFacts *f) {
    const Ledger *l = f->in->ledger;
    bool found = false;
    double heap = (double)f->in->stats->live_bytes, seconds = f->in->stats->seconds;
    if (f->growth->growth != LMP_GROWTH_WAIT || l->sample > 0 || seconds < SECONDS_LEAST ||
        heap < BYTES_LEAST || !rises(f->in->history))
        return;
    for (uint32_t i = 0; i < l->sites && f->leak_count < VERDICT_LEAKS; i++) {
        const LmpTally *t = &l->site[i].tally;
        if (l->site[i].line < 0 || (double)t->live_bytes < MAP_PART * heap ||
            (double)t->frees > FREED_PART * (double)t->allocs || verdict_leak(f, i))
            continue;
        f->leaks[f->leak_count++] = (LmpLeak){.site = i,
                                              .bytes_per_second = (double)t->live_bytes / seconds,
                                              .gain = t->live_bytes,
                                              .seconds = seconds,
                                              .multiplies = true,
                                              .steady = true};
        found = true;
    }
    if (!found) return;
    f->growth->growth = LMP_GROWTH_FOUND;
    f->told = true; /* its words would have one wait */
}

/* Less than this in all is no problem: an interpreter's start and a small script make it. */
#define BULK (1u << 20)
/* Of the whole: bytes made, allocations, bytes held now or at the peak. A line below all of these
 * is skipped, so at most a few hundred are left. */
#define MATTERS 0.02

enum { LINES_MOST = 4 * (int)(1 / MATTERS) + VERDICT_LEAKS };

void verdict_text(Verdict *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->text, sizeof v->text, format, args);
    va_end(args);
}

void verdict_advise(Verdict *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->advice, sizeof v->advice, format, args);
    va_end(args);
}

void verdict_figure(Verdict *v, const char *name, double value) {
    for (uint32_t i = 0; i < VERDICT_FIGURES; i++) {
        if (v->figure[i].name) continue;
        v->figure[i] = (VerdictFigure){name, value};
        return;
    }
}

unsigned verdict_percent(double share) {
    unsigned percent = (unsigned)(share * 100 + 0.5);
    return percent >= 100 && share < 1 ? 99 : percent; /* all is all */
}

uint64_t verdict_bytes(const LmpTally *t) {
    return t->bytes + (t->realloc_bytes > 0 ? (uint64_t)t->realloc_bytes : 0);
}

char *verdict_sentence(char *out, size_t size, const Verdict *v) {
    snprintf(out, size, "%s%s%s", v->where, v->where[0] ? " " : "", v->text);
    return out;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void keep(Verdicts *list, const Verdict *v) {
    uint32_t at = list->count < VERDICTS ? list->count++ : VERDICTS - 1;
    if (at == VERDICTS - 1 && list->verdict[at].rule && list->verdict[at].score >= v->score) return;
    for (; at > 0 && list->verdict[at - 1].score < v->score; at--)
        list->verdict[at] = list->verdict[at - 1];
    list->verdict[at] = *v;
}

static bool may_ask(const VerdictRule *rule, const VerdictFacts *f, unsigned taken) {
    if (((rule->needs & NEEDS_LINE) != 0) != (f->row != NULL)) return false;
    if (rule->needs & NEEDS_MAKES && !f->makes) return false;
    if (rule->needs & NEEDS_BULK && f->made < BULK) return false;
    if (rule->needs & NEEDS_EXACT && f->in->ledger->sample > 0) return false;
    return !(rule->about & taken);
}

/* Evaluates all applicable rules. Returns the subjects of those that hold. */
static unsigned ask(const VerdictFacts *f, Verdicts *out) {
    unsigned taken = 0;
    for (const VerdictRule *rule = verdict_rules; rule->name; rule++) {
        if (!may_ask(rule, f, taken)) continue;
        double share = rule->holds(f);
        if (!(share > 0)) continue;
        taken |= rule->about;
        Verdict v = {.rule = rule->name,
                     .place = rule->place,
                     .score = share * rule->weight,
                     .source = "",
                     .short_src = "",
                     .func = "",
                     .line = -1};
        verdict_advise(&v, "%s", rule->advice);
        if (f->row) {
            v.site = f->row->id;
            v.source = f->row->raw_source;
            v.short_src = f->row->short_src;
            v.func = f->row->func;
            v.line = f->row->line;
            verdict_name(v.where, f->in->ledger, f->row);
        }
        rule->say(f, &v);
        keep(out, &v);
    }
    return taken;
}

/* ---- the facts ------------------------------------------------------------------------------- */

static void sum_up(VerdictFacts *f) {
    const Ledger *l = f->in->ledger;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpTally *t = &l->site[i].tally;
        f->made += verdict_bytes(t);
        f->allocs += t->allocs;
        f->garbage += t->free_bytes;
        f->frees += t->frees;
        f->short_lived += t->short_lived;
    }
    if (l->sites > 0) return;
    f->made = f->in->stats->malloc_bytes;
    f->allocs = f->in->stats->mallocs;
    f->garbage = f->in->stats->free_bytes;
}

static bool matters(const VerdictFacts *f, const LmpSiteRow *row) {
    const LmpTally *t = &row->tally;
    const LmpStats *s = f->in->stats;
    return row->line >= 0 && ((double)verdict_bytes(t) >= MATTERS * (double)f->made ||
                              (double)t->allocs >= MATTERS * (double)f->allocs ||
                              (double)t->live_bytes >= MATTERS * (double)s->live_bytes ||
                              (double)t->peak_bytes >= MATTERS * (double)s->peak_bytes);
}

const LmpLeak *verdict_leak(const VerdictFacts *f, uint32_t row) {
    for (uint32_t i = 0; i < f->leak_count; i++)
        if (f->leaks[i].site == row && f->leaks[i].steady) return &f->leaks[i];
    return NULL;
}

static const VerdictHolder *holder_at(const VerdictKeepers *all, uint32_t row) {
    for (uint32_t i = 0; i < all->count; i++)
        if (all->holder[i].row == row && all->holder[i].leaks > 0) return &all->holder[i];
    return NULL;
}

static void ask_lines(VerdictFacts *f, Verdicts *out) {
    const Ledger *l = f->in->ledger;
    LmpMakes makes;
    uint32_t asked = 0, first = f->leak_count > 0 ? f->leaks[0].site : LEDGER_NO_ROW;
    for (uint32_t i = 0; i < l->sites && asked < LINES_MOST; i++) {
        const LmpSiteRow *row = &l->site[i];
        f->holder = holder_at(f->holders, i);
        f->leak = keepers_keep(f->holders, i) ? NULL : verdict_leak(f, i);
        if (row->line < 0 || (!f->leak && !f->holder && !matters(f, row))) continue;
        asked++;
        f->row = row;
        f->makes = NULL;
        if (f->in->tables) {
            ledger_makes(l, f->in->tables, i, &makes);
            f->makes = &makes;
        }
        unsigned taken = ask(f, out);
        bool of_first = first == i || (f->holder && keepers_keep(f->holders, first) == f->holder);
        f->told |= of_first && taken & ABOUT_GROWTH;
    }
    f->row = NULL;
    f->makes = NULL;
    f->leak = NULL;
    f->holder = NULL;
}

void verdicts_make(const VerdictInput *input, Verdicts *out) {
    LmpLeak leak[VERDICT_LEAKS];
    LmpJudgement growth;
    VerdictKeepers holders;
    memset(out, 0, sizeof *out);
    VerdictFacts facts = {.in = input, .growth = &growth, .holders = &holders, .leaks = leak};
    ledger_leaks(input->ledger, leak, VERDICT_LEAKS_FOUND, &facts.leak_count, &growth);
    sum_up(&facts);
    verdict_find_unfreed(&facts);
    keepers_find(&facts, &holders);
    ask_lines(&facts, out);
    ask(&facts, out);
    if (out->count > 0) return;
    growth.growth = LMP_GROWTH_WAIT; /* what references tell of was too little to be named */
    ask(&facts, out);
}
