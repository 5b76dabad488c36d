/* pairing.c - lines, tags and functions of two ledgers that are the same, though their files were
 * edited: functions by source and name; of those that share one, or have none, by where they
 * begin. */
#include "read/rundiff/rundiff_impl.h"

#include <stdlib.h>
#include <string.h>

static int by_number(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static void none(uint32_t *out, uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++)
        out[i] = LEDGER_NO_ROW;
}

/* ---- sites ----------------------------------------------------------------------------------- */

typedef struct SiteEntry {
    uint64_t group; /* the same for sites whose functions are paired */
    uint64_t text;  /* 0: not known */
    const LmpSiteRow *s;
    int64_t offset; /* of its line from where its function begins */
    uint32_t row;
    bool newer, paired;
} SiteEntry;

static int by_group(const SiteEntry *a, const SiteEntry *b) {
    return (a->group > b->group) - (a->group < b->group);
}

/* What must be the same for two sites to be one: first the most that can be, then less. */
typedef int SameSite(const SiteEntry *a, const SiteEntry *b);

static int same_text_and_offset(const SiteEntry *a, const SiteEntry *b) {
    int c = by_group(a, b);
    if (c == 0) c = (a->text > b->text) - (a->text < b->text);
    return c ? c : by_number(a->offset, b->offset);
}

static int same_text(const SiteEntry *a, const SiteEntry *b) {
    int c = by_group(a, b);
    return c ? c : (a->text > b->text) - (a->text < b->text);
}

static int same_offset(const SiteEntry *a, const SiteEntry *b) {
    int c = by_group(a, b);
    return c ? c : by_number(a->offset, b->offset);
}

/* Their functions are not the same, but they stand at the same place. */
static int same_place(const SiteEntry *a, const SiteEntry *b) {
    int c = strcmp(a->s->raw_source, b->s->raw_source);
    return c ? c : by_number(a->s->line, b->s->line);
}

static const struct {
    SameSite *same;
    bool texts; /* only of those whose text is known */
} ways[] = {
    {same_text_and_offset, true}, {same_text, true}, {same_offset, false}, {same_place, false}};

static SameSite *sorting; /* qsort has no argument to hand on */

static int by_way(const void *pa, const void *pb) {
    const SiteEntry *a = pa, *b = pb;
    int c = sorting(a, b);
    if (c == 0) c = by_number(a->newer, b->newer);
    if (c == 0) c = by_number(a->s->line, b->s->line);
    return c ? c : by_number(a->row, b->row);
}

/* Of those that are the same by this way the first is paired with the first, and so on. */
static void pair_run(SiteEntry *old, uint32_t olds, uint32_t newers, uint32_t *out) {
    SiteEntry *newer = old + olds;
    for (uint32_t i = 0; i < olds && i < newers; i++) {
        out[newer[i].row] = old[i].row;
        old[i].paired = newer[i].paired = true;
    }
}

static uint32_t pair_by(SiteEntry *entry, uint32_t all, size_t way, uint32_t *out) {
    uint32_t used = 0, left = 0;
    for (uint32_t i = 0; i < all; i++) { /* what cannot be told by this way goes to the end */
        SiteEntry e = entry[i];
        if (ways[way].texts && e.text == 0) continue;
        entry[i] = entry[used];
        entry[used++] = e;
    }
    sorting = ways[way].same;
    qsort(entry, used, sizeof *entry, by_way);
    for (uint32_t from = 0, to; from < used; from = to) {
        uint32_t olds = 0;
        for (to = from; to < used && sorting(&entry[from], &entry[to]) == 0; to++)
            olds += !entry[to].newer;
        pair_run(entry + from, olds, to - from - olds, out);
    }
    for (uint32_t i = 0; i < all; i++)
        if (!entry[i].paired) entry[left++] = entry[i];
    return left;
}

static SiteEntry site_entry(const Ledger *ledger, uint32_t row, bool newer,
                            const uint32_t *function, uint32_t old_functions) {
    const LmpSiteRow *s = &ledger->site[row];
    const LmpFunctionRow *f = &ledger->function[s->function];
    SiteEntry e = {.s = s, .row = row, .newer = newer, .group = s->function, .text = s->text};
    if (newer) {
        uint32_t paired = function[s->function];
        e.group = paired != LEDGER_NO_ROW ? paired : (uint64_t)old_functions + s->function;
    }
    e.offset = (int64_t)s->line - (f->linedefined > 0 ? f->linedefined : 0);
    return e;
}

LmpErr pairing_sites(const Ledger *old, const Ledger *newer, const uint32_t *function,
                     uint32_t *out) {
    uint32_t olds = old->sites, all = olds + newer->sites;
    SiteEntry *entry = malloc((all ? all : 1) * sizeof *entry);
    if (!entry) return LMP_E_NOMEM;
    none(out, newer->sites);
    for (uint32_t i = 0; i < all; i++)
        entry[i] = site_entry(i < olds ? old : newer, i < olds ? i : i - olds, i >= olds, function,
                              old->functions);
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++)
        all = pair_by(entry, all, way, out);
    free(entry);
    return LMP_OK;
}

/* ---- tags ------------------------------------------------------------------------------------ */

LmpErr pairing_tags(const Ledger *old, const Ledger *newer, uint32_t *out) {
    /* there are at most LMP_TAGS, which need no index */
    for (uint32_t i = 0; i < newer->tags; i++) {
        out[i] = LEDGER_NO_ROW;
        for (uint32_t j = 0; j < old->tags && out[i] == LEDGER_NO_ROW; j++)
            if (strcmp(old->tag[j].name, newer->tag[i].name) == 0) out[i] = j;
    }
    return LMP_OK;
}

/* ---- functions ------------------------------------------------------------------------------- */

typedef struct FunctionEntry {
    const LmpFunctionRow *f;
    const char *name; /* `length` bytes */
    size_t length;
    uint32_t row;
    bool newer, paired;
} FunctionEntry;

/* What stays of a name: its last word. How a traceback words it depends on who called first
 * ("local 'load'"), and where it lives ("pricing.file.load") may be found late. A function without
 * a name is named after the line where it begins, which may have moved. */
static void set_name(FunctionEntry *e) {
    const char *from = strchr(e->f->name, '\''), *to = from ? strrchr(e->f->name, '\'') : NULL;
    e->name = e->f->name;
    e->length = strncmp(e->f->name, "function <", 10) == 0 ? 0 : strlen(e->f->name);
    if (!from || to <= from) return;
    for (const char *c = ++from; c < to; c++)
        if (*c == '.' || *c == ':') from = c + 1;
    e->name = from;
    e->length = (size_t)(to - from);
}

static int same_function(const FunctionEntry *a, const FunctionEntry *b) {
    int c = strcmp(a->f->raw_source, b->f->raw_source);
    if (c == 0) c = (a->length > b->length) - (a->length < b->length);
    return c ? c : memcmp(a->name, b->name, a->length);
}

/* What has another name, but begins where it began. */
static int same_beginning(const FunctionEntry *a, const FunctionEntry *b) {
    int c = strcmp(a->f->raw_source, b->f->raw_source);
    return c ? c : by_number(a->f->linedefined, b->f->linedefined);
}

static int by_beginning(const void *pa, const void *pb) {
    const FunctionEntry *a = pa, *b = pb;
    int c = same_beginning(a, b);
    if (c == 0) c = by_number(a->newer, b->newer);
    return c ? c : by_number(a->row, b->row);
}

static int by_function(const void *pa, const void *pb) {
    const FunctionEntry *a = pa, *b = pb;
    int c = same_function(a, b);
    if (c == 0) c = by_number(a->newer, b->newer);
    if (c == 0) c = by_number(a->f->linedefined, b->f->linedefined);
    return c ? c : by_number(a->row, b->row);
}

static void pair_functions(FunctionEntry *a, FunctionEntry *b, uint32_t *out) {
    out[b->row] = a->row;
    a->paired = b->paired = true;
}

/* ---- of one name ----------------------------------------------------------------------------- */

/* Where as many came as went, functions of one name are paired in order. Where not, that would push
 * all below one that was added one further. But an edit moves all that stands below it by the same
 * number of lines: so those are paired that have moved as most have, then in the same way what
 * stands between two pairs. Tried are the moves of the first ones and of the last. */
enum { ENDS = 8, DEPTH = 12 };

typedef struct Group { /* both by line */
    FunctionEntry *old, *newer;
    uint32_t olds, newers;
} Group;

static int64_t moved(const FunctionEntry *old, const FunctionEntry *newer) {
    return (int64_t)newer->f->linedefined - old->f->linedefined;
}

/* Finds, from *i and *j on, the first two that have moved by so many lines. Returns false if there
 * are none. */
static bool next_moved(const Group *g, int64_t by, uint32_t *i, uint32_t *j) {
    while (*i < g->olds && *j < g->newers) {
        int64_t is = moved(&g->old[*i], &g->newer[*j]);
        if (is == by) return true;
        if (is < by)
            ++*j;
        else
            ++*i;
    }
    return false;
}

static uint32_t count_moved(const Group *g, int64_t by) {
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; next_moved(g, by, &i, &j); i++, j++)
        n++;
    return n;
}

typedef struct Move {
    int64_t by;
    uint32_t functions;
} Move;

/* Of moves of as many functions the shortest. */
static void try_move(const Group *g, int64_t by, Move *best) {
    int64_t far = by < 0 ? -by : by, best_far = best->by < 0 ? -best->by : best->by;
    uint32_t n = by == best->by ? best->functions : count_moved(g, by);
    if (n < best->functions || (n == best->functions && far >= best_far)) return;
    *best = (Move){by, n};
}

static Move find_move(const Group *g) {
    Move best = {0, count_moved(g, 0)};
    uint32_t olds = g->olds < ENDS ? g->olds : ENDS, newers = g->newers < ENDS ? g->newers : ENDS;
    for (uint32_t i = 0; i < olds; i++)
        for (uint32_t j = 0; j < newers; j++) {
            try_move(g, moved(&g->old[i], &g->newer[j]), &best);
            try_move(g, moved(&g->old[g->olds - 1 - i], &g->newer[g->newers - 1 - j]), &best);
        }
    return best;
}

static void pair_group(Group g, uint32_t *out, unsigned depth) {
    if (g.olds == 0 || g.newers == 0) return;
    if (g.olds == g.newers) {
        for (uint32_t i = 0; i < g.olds; i++)
            pair_functions(&g.old[i], &g.newer[i], out);
        return;
    }
    Move move = find_move(&g);
    bool chance = move.by != 0 && move.functions == 1; /* that one comes to stand there */
    if (depth == 0 || move.functions == 0 || chance) return;
    uint32_t i = 0, j = 0, from_old = 0, from_newer = 0;
    for (; next_moved(&g, move.by, &i, &j); from_old = ++i, from_newer = ++j) {
        pair_functions(&g.old[i], &g.newer[j], out);
        pair_group((Group){g.old + from_old, g.newer + from_newer, i - from_old, j - from_newer},
                   out, depth - 1);
    }
    pair_group(
        (Group){g.old + from_old, g.newer + from_newer, g.olds - from_old, g.newers - from_newer},
        out, depth - 1);
}

/* ---- of other names -------------------------------------------------------------------------- */

/* Lua functions that are left and of which each side has one at that place. */
static void pair_by_beginning(FunctionEntry *entry, uint32_t all, uint32_t *out) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < all; i++)
        if (!entry[i].paired && entry[i].f->linedefined > 0) entry[left++] = entry[i];
    qsort(entry, left, sizeof *entry, by_beginning);
    for (uint32_t i = 0; i + 1 < left; i++) {
        bool two = same_beginning(&entry[i], &entry[i + 1]) == 0;
        bool more = two && i + 2 < left && same_beginning(&entry[i], &entry[i + 2]) == 0;
        if (two && !more && !entry[i].newer && entry[i + 1].newer)
            pair_functions(&entry[i], &entry[i + 1], out);
    }
}

LmpErr pairing_functions(const Ledger *old, const Ledger *newer, uint32_t *out) {
    uint32_t all = old->functions + newer->functions;
    FunctionEntry *entry = malloc((all ? all : 1) * sizeof *entry);
    if (!entry) return LMP_E_NOMEM;
    none(out, newer->functions);
    for (uint32_t i = 0; i < all; i++) {
        bool is_newer = i >= old->functions;
        uint32_t row = is_newer ? i - old->functions : i;
        const LmpFunctionRow *f = is_newer ? &newer->function[row] : &old->function[row];
        entry[i] = (FunctionEntry){.f = f, .row = row, .newer = is_newer};
        set_name(&entry[i]);
    }
    qsort(entry, all, sizeof *entry, by_function);
    for (uint32_t from = 0, to; from < all; from = to) {
        uint32_t olds = 0;
        for (to = from; to < all && same_function(&entry[from], &entry[to]) == 0; to++)
            olds += !entry[to].newer;
        pair_group((Group){entry + from, entry + from + olds, olds, to - from - olds}, out, DEPTH);
    }
    pair_by_beginning(entry, all, out);
    free(entry);
    return LMP_OK;
}
