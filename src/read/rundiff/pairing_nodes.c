/* pairing_nodes.c - nodes of two call trees that are the same: by their paths from the root. The
 * children of two nodes that are a pair are looked at together, in the order of function and line,
 * so that it costs n log n however many there are. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/keymap.h"
#include "base/order.h"
#include "read/rundiff/rundiff_impl.h"

enum {
    NEAR = 16, /* children of an older node, to either side of a line, that are compared closer */
    CALLEES = 12, /* of a node, that are compared */
    FEW = 24      /* children that are sorted in the simplest way */
};

/* A child of an older node, by what tells it from the others there: its function, flags and line.
 * Several may be alike. */
typedef struct Child {
    uint64_t kind; /* function and flags */
    int32_t line;
    uint32_t row;
} Child;

/* How far a line that is known in both has moved: a measure for those around it. */
typedef struct Shift {
    uint32_t function; /* row of the newer ledger */
    int32_t line, by;  /* in the newer file; newer - older */
} Shift;

/* The same of where a function begins. */
typedef struct Begin {
    const char *source;
    int32_t line, by;
} Begin;

typedef struct Nodes {
    const Ledger *old_ledger, *newer_ledger;
    const RunPaths *old, *newer;
    const uint32_t *function, *site;
    KeyMap site_rows; /* ids of the newer sites to their rows */
    KeyMap paired;    /* ids of the older sites that have a pair */
    Shift *shift;     /* by function and line */
    uint32_t shifts;
    Begin *begin; /* by source and line */
    uint32_t begins;
    Child *child; /* of the older node whose children are looked for */
    uint32_t children;
    uint32_t *skip; /* by place in child[]: how many like it, from there on, are used */
    unsigned char *used;
    uint32_t *out;
} Nodes;

/* ---- the children of an older node ----------------------------------------------------------- */

static uint64_t kind_of(uint32_t function, uint32_t flags) {
    return (uint64_t)function << 8 | (flags & 255);
}

static int by_kind_and_line(const void *pa, const void *pb) {
    const Child *a = pa, *b = pb;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void sort_children(Child *child, uint32_t n) {
    if (n > FEW) {
        qsort(child, n, sizeof *child, by_kind_and_line);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        Child c = child[i];
        uint32_t k = i;
        for (; k > 0 && by_kind_and_line(&child[k - 1], &c) > 0; k--)
            child[k] = child[k - 1];
        child[k] = c;
    }
}

static void open_children(Nodes *n, uint32_t parent) {
    const RunNode *p = &n->old->node[parent];
    n->children = p->children;
    for (uint32_t i = 0; i < p->children; i++) {
        const RunNode *c = &n->old->node[p->first + i];
        n->child[i] = (Child){kind_of(c->function, c->flags), c->line, p->first + i};
        n->skip[i] = 0;
    }
    sort_children(n->child, n->children);
}

/* Returns the place of the first child that is not before it. */
static uint32_t child_from(const Nodes *n, uint64_t kind, int32_t line) {
    const Child *c = n->child;
    uint32_t from = 0;
    BISECT(from, n->children, i, c[i].kind < kind || (c[i].kind == kind && c[i].line < line));
    return from;
}

/* Of those alike the first that is free: the trees of one program have them in one order. */
static uint32_t child_at(const Nodes *n, const RunNode *node, uint32_t function, int32_t line) {
    uint64_t kind = kind_of(function, node->flags);
    uint32_t first = child_from(n, kind, line);
    for (uint32_t i; (i = first + (first < n->children ? n->skip[first] : 0)) < n->children;
         n->skip[first]++) {
        if (n->child[i].kind != kind || n->child[i].line != line) break;
        if (!n->used[n->child[i].row]) return n->child[i].row;
    }
    return LEDGER_NO_ROW;
}

/* Returns the only child of that function, if its line is not what it was expected to be. */
static uint32_t only_one(const Nodes *n, uint32_t function) {
    uint32_t at = child_from(n, kind_of(function, 0), INT32_MIN);
    if (at >= n->children || n->child[at].kind >> 8 != function) return LEDGER_NO_ROW;
    if (at + 1 < n->children && n->child[at + 1].kind >> 8 == function) return LEDGER_NO_ROW;
    return n->child[at].row;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the first shift of a function at a line or below it. */
static uint32_t shift_from(const Nodes *n, uint32_t function, int32_t line) {
    const Shift *s = n->shift;
    uint32_t from = 0;
    BISECT(from, n->shifts, i,
           s[i].function < function || (s[i].function == function && s[i].line < line));
    return from;
}

static uint32_t begin_from(const Nodes *n, const char *source, int32_t line) {
    const Begin *b = n->begin;
    uint32_t from = 0;
    int c;
    BISECT(from, n->begins, i,
           (c = strcmp(b[i].source, source)) < 0 || (c == 0 && b[i].line < line));
    return from;
}

/* As the functions before and after it in its file have moved. */
static unsigned guess_by_begins(const Nodes *n, const RunNode *node, int64_t guess[2]) {
    const char *source = n->newer_ledger->function[node->function].raw_source;
    uint32_t at = begin_from(n, source, node->line);
    unsigned guesses = 0;
    if (at > 0 && strcmp(n->begin[at - 1].source, source) == 0)
        guess[guesses++] = n->begin[at - 1].by;
    if (at < n->begins && strcmp(n->begin[at].source, source) == 0)
        guess[guesses++] = n->begin[at].by;
    return guesses;
}

static int32_t moved_back(int32_t line, int64_t by) {
    int64_t was = line - by;
    return was > 0 && was <= INT32_MAX ? (int32_t)was : -1;
}

/* Where a newer node's line may have stood, the best guess first: as the line before it in its
 * function has moved, as the beginning of that has, as the line after it has; in the main chunk,
 * which has no beginning, as the functions around it have; not at all. */
enum { GUESSES = 6 };
static unsigned guess_lines(const Nodes *n, const RunNode *node, uint32_t function,
                            int32_t guess[GUESSES]) {
    unsigned guesses = 0;
    int64_t by[2];
    uint32_t at = shift_from(n, node->function, node->line);
    int32_t was = n->old_ledger->function[function].linedefined;
    int32_t is = n->newer_ledger->function[node->function].linedefined;
    if (at > 0 && n->shift[at - 1].function == node->function)
        guess[guesses++] = moved_back(node->line, n->shift[at - 1].by);
    if (was > 0 && is > 0) guess[guesses++] = moved_back(node->line, (int64_t)is - was);
    if (at < n->shifts && n->shift[at].function == node->function)
        guess[guesses++] = moved_back(node->line, n->shift[at].by);
    unsigned around = was > 0 && is > 0 ? 0 : guess_by_begins(n, node, by);
    for (unsigned i = 0; i < around; i++)
        guess[guesses++] = moved_back(node->line, by[i]);
    guess[guesses++] = node->line;
    return guesses;
}

/* ---- a node ---------------------------------------------------------------------------------- */

/* What is a guess must not take what is known to be another line. */
static bool is_free(const Nodes *n, uint32_t old) {
    return !n->used[old] &&
           keymap_get(&n->paired, n->old->node[old].site, LEDGER_NO_ROW) == LEDGER_NO_ROW;
}

/* Returns true if a function that the newer node calls stands below the older one, too. */
static bool calls_same(const Nodes *n, const RunNode *node, const RunNode *old) {
    uint32_t end = node->first + (node->children < CALLEES ? node->children : CALLEES);
    uint32_t old_end = old->first + (old->children < CALLEES ? old->children : CALLEES);
    for (uint32_t i = node->first; i < end; i++)
        for (uint32_t j = old->first; j < old_end; j++)
            if (n->function[n->newer->node[i].function] == n->old->node[j].function) return true;
    return false;
}

static uint32_t distance(int32_t a, int32_t b) {
    return a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a;
}

/* Returns the nearest line of that function that calls the same. */
static uint32_t nearest(const Nodes *n, const RunNode *node, uint32_t function, int32_t line) {
    uint64_t kind = kind_of(function, node->flags);
    uint32_t at = child_from(n, kind, line), found = LEDGER_NO_ROW;
    uint32_t from = at > NEAR ? at - NEAR : 0;
    uint32_t to = n->children - at > NEAR ? at + NEAR : n->children;
    int32_t there = 0;
    for (uint32_t i = from; i < to; i++) {
        const Child *c = &n->child[i];
        if (c->kind != kind || !is_free(n, c->row)) continue;
        if (!calls_same(n, node, &n->old->node[c->row])) continue;
        if (found != LEDGER_NO_ROW && distance(c->line, line) >= distance(there, line)) continue;
        found = c->row;
        there = c->line;
    }
    return found;
}

/* Of a line that has no pair. What it calls tells it from its neighbours. */
static uint32_t guess_node(const Nodes *n, const RunNode *node, uint32_t function) {
    int32_t guess[GUESSES];
    if (node->line < 1) return child_at(n, node, function, node->line);
    unsigned guesses = guess_lines(n, node, function, guess);
    for (unsigned i = 0; i < guesses; i++) {
        uint32_t found = child_at(n, node, function, guess[i]);
        if (found == LEDGER_NO_ROW || !is_free(n, found)) continue;
        const RunNode *old = &n->old->node[found];
        bool few = node->children <= CALLEES && old->children <= CALLEES; /* all are compared */
        bool calls = node->children > 0 || old->children > 0;
        if (!calls || !few || calls_same(n, node, old)) return found;
    }
    return nearest(n, node, function, guess[0]);
}

/* Returns the older row of its line; LEDGER_NO_ROW: it has no pair. */
static uint32_t older_site(const Nodes *n, const RunNode *node) {
    uint32_t row = keymap_get(&n->site_rows, node->site, LEDGER_NO_ROW);
    return row != LEDGER_NO_ROW ? n->site[row] : LEDGER_NO_ROW;
}

static uint32_t older_node(const Nodes *n, const RunNode *node, bool known) {
    uint32_t function = n->function[node->function], site = older_site(n, node);
    if (function == LEDGER_NO_ROW || known != (site != LEDGER_NO_ROW)) return LEDGER_NO_ROW;
    uint32_t found = known ? child_at(n, node, function, n->old_ledger->site[site].line)
                           : guess_node(n, node, function);
    if (found == LEDGER_NO_ROW) found = only_one(n, function);
    return found != LEDGER_NO_ROW && !n->used[found] ? found : LEDGER_NO_ROW;
}

/* ---- what is known of both ------------------------------------------------------------------- */

ORDER_SMALLEST(by_line, Shift, function, line)

static int by_source(const void *pa, const void *pb) {
    const Begin *a = pa, *b = pb;
    int c = strcmp(a->source, b->source);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

static bool find_shifts(Nodes *n) {
    uint32_t sites = n->newer_ledger->sites;
    n->shift = malloc((sites ? sites : 1) * sizeof *n->shift);
    if (!n->shift) return false;
    for (uint32_t i = 0; i < sites; i++) {
        const LmpSiteRow *is = &n->newer_ledger->site[i];
        if (n->site[i] == LEDGER_NO_ROW) continue;
        const LmpSiteRow *was = &n->old_ledger->site[n->site[i]];
        if (!keymap_set(&n->paired, was->id, i)) return false;
        if (is->line < 1 || was->line < 1) continue;
        n->shift[n->shifts++] = (Shift){is->function, is->line, is->line - was->line};
    }
    qsort(n->shift, n->shifts, sizeof *n->shift, by_line);
    return true;
}

static bool find_begins(Nodes *n) {
    uint32_t functions = n->newer_ledger->functions;
    n->begin = malloc((functions ? functions : 1) * sizeof *n->begin);
    if (!n->begin) return false;
    for (uint32_t i = 0; i < functions; i++) {
        const LmpFunctionRow *is = &n->newer_ledger->function[i];
        if (n->function[i] == LEDGER_NO_ROW) continue;
        const LmpFunctionRow *was = &n->old_ledger->function[n->function[i]];
        if (is->linedefined < 1 || was->linedefined < 1) continue;
        n->begin[n->begins++] =
            (Begin){is->raw_source, is->linedefined, is->linedefined - was->linedefined};
    }
    qsort(n->begin, n->begins, sizeof *n->begin, by_source);
    return true;
}

static bool prepare(Nodes *n) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < n->old->nodes; i++)
        if (n->old->node[i].children > most) most = n->old->node[i].children;
    for (uint32_t i = 0; i < n->newer_ledger->sites; i++)
        if (!keymap_set(&n->site_rows, n->newer_ledger->site[i].id, i)) return false;
    n->used = calloc(n->old->nodes, 1);
    n->child = malloc(((size_t)most + 1) * sizeof *n->child);
    n->skip = malloc(((size_t)most + 1) * sizeof *n->skip);
    return n->used && n->child && n->skip && find_shifts(n) && find_begins(n);
}

/* Those whose line is known come before those whose line is a guess. */
static void pair_children(Nodes *n, uint32_t parent) {
    const RunNode *p = &n->newer->node[parent];
    for (int known = 1; known >= 0; known--)
        for (uint32_t i = p->first; i < p->first + p->children; i++) {
            if (n->out[i] != LEDGER_NO_ROW) continue;
            uint32_t found = older_node(n, &n->newer->node[i], known);
            n->out[i] = found;
            if (found != LEDGER_NO_ROW) n->used[found] = 1;
        }
}

/* Parents before their children: rows of a tree are in that order. */
static void pair(Nodes *n) {
    for (uint32_t i = 0; i < n->newer->nodes; i++)
        n->out[i] = LEDGER_NO_ROW;
    n->out[0] = 0;
    for (uint32_t i = 0; i < n->newer->nodes; i++) {
        if (n->out[i] == LEDGER_NO_ROW || n->newer->node[i].children == 0) continue;
        open_children(n, n->out[i]);
        if (n->children > 0) pair_children(n, i);
    }
}

LmpErr pairing_nodes(const PairedRuns *runs, const uint32_t *function, const uint32_t *site,
                     uint32_t *out) {
    Nodes n = {.old_ledger = runs->old,
               .newer_ledger = runs->newer,
               .old = runs->old_paths,
               .newer = runs->newer_paths,
               .function = function,
               .site = site,
               .out = out};
    bool enough = prepare(&n);
    if (enough) pair(&n);
    keymap_free(&n.site_rows);
    keymap_free(&n.paired);
    free(n.shift);
    free(n.begin);
    free(n.child);
    free(n.skip);
    free(n.used);
    return enough ? LMP_OK : LMP_E_NOMEM;
}
