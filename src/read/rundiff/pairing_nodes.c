/* pairing_nodes.c - nodes of two call trees that are the same: by their paths from the root. */
#include <stdlib.h>

#include "base/keymap.h"
#include "read/rundiff/pairing.h"

enum {
    SIBLINGS = 64, /* of an older node, looked at one by one */
    NEAR = 16,     /* the same, where each is compared closer */
    CALLEES = 12   /* of a node, that are compared */
};

/* A child of an older node, by what tells it from the others there. */
static uint64_t key_of(uint32_t parent, uint32_t function, uint32_t flags, int32_t line) {
    return (uint64_t)parent << 44 | (uint64_t)(function & 0xffff) << 28 |
           (uint64_t)(flags & 3) << 26 | ((uint32_t)line & 0x3ffffff);
}

/* How far a line that is known in both has moved: a measure for those around it. */
typedef struct Shift {
    uint32_t function; /* row of the newer ledger */
    int32_t line, by;  /* in the newer file; newer - older */
} Shift;

typedef struct Nodes {
    const Ledger *old, *newer;
    const uint32_t *function, *site;
    KeyMap children;  /* key_of to rows of the older tree */
    KeyMap site_rows; /* ids of the newer sites to their rows */
    KeyMap paired;    /* ids of the older sites that have a pair */
    Shift *shift;     /* by function and line */
    uint32_t shifts;
    unsigned char *used;
    uint32_t *out;
} Nodes;

/* The first shift of a function at a line or below it. */
static uint32_t shift_from(const Nodes *n, uint32_t function, int32_t line) {
    uint32_t from = 0, to = n->shifts;
    while (from < to) {
        uint32_t at = from + (to - from) / 2;
        const Shift *s = &n->shift[at];
        if (s->function < function || (s->function == function && s->line < line))
            from = at + 1;
        else
            to = at;
    }
    return from;
}

static int32_t moved_back(int32_t line, int64_t by) {
    int64_t was = line - by;
    return was > 0 && was <= INT32_MAX ? (int32_t)was : -1;
}

/* Where a newer node's line may have stood, the best guess first: as the line before it in its
 * function has moved, as the beginning of that has, as the line after it has, not at all. */
enum { GUESSES = 4 };
static unsigned guess_lines(const Nodes *n, const LmpTreeRow *node, uint32_t function,
                            int32_t guess[GUESSES]) {
    unsigned guesses = 0;
    uint32_t at = shift_from(n, node->function, node->line);
    int32_t was = n->old->function[function].linedefined;
    int32_t is = n->newer->function[node->function].linedefined;
    if (at > 0 && n->shift[at - 1].function == node->function)
        guess[guesses++] = moved_back(node->line, n->shift[at - 1].by);
    if (was > 0 && is > 0) guess[guesses++] = moved_back(node->line, (int64_t)is - was);
    if (at < n->shifts && n->shift[at].function == node->function)
        guess[guesses++] = moved_back(node->line, n->shift[at].by);
    guess[guesses++] = node->line;
    return guesses;
}

/* The only child of that function, if its line is not what it was expected to be. */
static uint32_t only_one(const Nodes *n, uint32_t parent, uint32_t function) {
    const LmpTreeRow *p = &n->old->tree[parent];
    uint32_t found = LEDGER_NO_ROW;
    if (p->children > SIBLINGS) return LEDGER_NO_ROW;
    for (uint32_t i = p->first; i < p->first + p->children; i++) {
        if (n->old->tree[i].function != function) continue;
        if (found != LEDGER_NO_ROW) return LEDGER_NO_ROW;
        found = i;
    }
    return found;
}

static uint32_t child_at(const Nodes *n, const LmpTreeRow *node, uint32_t function, int32_t line) {
    uint64_t key = key_of(n->out[node->parent], function, node->flags, line);
    uint32_t found = keymap_get(&n->children, key, LEDGER_NO_ROW);
    if (found == LEDGER_NO_ROW || n->used[found]) return LEDGER_NO_ROW;
    const LmpTreeRow *old = &n->old->tree[found]; /* of very large trees keys are not unique */
    return old->parent == n->out[node->parent] && old->function == function ? found : LEDGER_NO_ROW;
}

/* What is a guess must not take what is known to be another line. */
static bool is_free(const Nodes *n, uint32_t old) {
    return !n->used[old] &&
           keymap_get(&n->paired, n->old->tree[old].site, LEDGER_NO_ROW) == LEDGER_NO_ROW;
}

/* Does a function that the newer node calls stand below the older one, too? */
static bool calls_same(const Nodes *n, const LmpTreeRow *node, const LmpTreeRow *old) {
    uint32_t end = node->first + (node->children < CALLEES ? node->children : CALLEES);
    uint32_t old_end = old->first + (old->children < CALLEES ? old->children : CALLEES);
    for (uint32_t i = node->first; i < end; i++)
        for (uint32_t j = old->first; j < old_end; j++)
            if (n->function[n->newer->tree[i].function] == n->old->tree[j].function) return true;
    return false;
}

/* The nearest line of that function that calls the same. */
static uint32_t nearest(const Nodes *n, const LmpTreeRow *node, uint32_t function, int32_t line) {
    const LmpTreeRow *parent = &n->old->tree[n->out[node->parent]];
    uint32_t found = LEDGER_NO_ROW, count = parent->children < NEAR ? parent->children : NEAR;
    int64_t least = 0;
    for (uint32_t i = parent->first; i < parent->first + count; i++) {
        const LmpTreeRow *old = &n->old->tree[i];
        int64_t far = old->line > line ? (int64_t)old->line - line : (int64_t)line - old->line;
        if (old->function != function || !is_free(n, i) || !calls_same(n, node, old)) continue;
        if (found == LEDGER_NO_ROW || far < least) {
            found = i;
            least = far;
        }
    }
    return found;
}

/* Of a line that has no pair. What it calls tells it from its neighbours. */
static uint32_t guess_node(const Nodes *n, const LmpTreeRow *node, uint32_t function) {
    int32_t guess[GUESSES];
    if (node->line < 1) return child_at(n, node, function, node->line);
    unsigned guesses = guess_lines(n, node, function, guess);
    for (unsigned i = 0; i < guesses; i++) {
        uint32_t found = child_at(n, node, function, guess[i]);
        if (found == LEDGER_NO_ROW || !is_free(n, found)) continue;
        const LmpTreeRow *old = &n->old->tree[found];
        bool few = node->children <= CALLEES && old->children <= CALLEES; /* all are compared */
        bool calls = node->children > 0 || old->children > 0;
        if (!calls || !few || calls_same(n, node, old)) return found;
    }
    return nearest(n, node, function, guess[0]);
}

static uint32_t older_node(const Nodes *n, const LmpTreeRow *node) {
    uint32_t parent = n->out[node->parent], function = n->function[node->function];
    if (parent == LEDGER_NO_ROW || function == LEDGER_NO_ROW) return LEDGER_NO_ROW;
    uint32_t row = keymap_get(&n->site_rows, node->site, LEDGER_NO_ROW);
    uint32_t paired = row != LEDGER_NO_ROW ? n->site[row] : LEDGER_NO_ROW;
    uint32_t found = paired != LEDGER_NO_ROW
                         ? child_at(n, node, function, n->old->site[paired].line)
                         : guess_node(n, node, function);
    if (found == LEDGER_NO_ROW) found = only_one(n, parent, function);
    return found != LEDGER_NO_ROW && !n->used[found] ? found : LEDGER_NO_ROW;
}

/* ---- what is known of both ------------------------------------------------------------------- */

static int by_line(const void *pa, const void *pb) {
    const Shift *a = pa, *b = pb;
    if (a->function != b->function) return a->function < b->function ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static bool find_shifts(Nodes *n) {
    uint32_t sites = n->newer->sites;
    n->shift = malloc((sites ? sites : 1) * sizeof *n->shift);
    if (!n->shift) return false;
    for (uint32_t i = 0; i < sites; i++) {
        const LmpSiteRow *is = &n->newer->site[i];
        if (n->site[i] == LEDGER_NO_ROW) continue;
        const LmpSiteRow *was = &n->old->site[n->site[i]];
        if (!keymap_set(&n->paired, was->id, i)) return false;
        if (is->line < 1 || was->line < 1) continue;
        n->shift[n->shifts++] = (Shift){is->function, is->line, is->line - was->line};
    }
    qsort(n->shift, n->shifts, sizeof *n->shift, by_line);
    return true;
}

static bool index_both(Nodes *n) {
    for (uint32_t i = 1; i < n->old->nodes; i++) {
        const LmpTreeRow *t = &n->old->tree[i];
        if (!keymap_set(&n->children, key_of(t->parent, t->function, t->flags, t->line), i))
            return false;
    }
    for (uint32_t i = 0; i < n->newer->sites; i++)
        if (!keymap_set(&n->site_rows, n->newer->site[i].id, i)) return false;
    n->used = calloc(n->old->nodes, 1);
    return n->used && find_shifts(n);
}

/* Parents before their children, for what they are paired with is where these are looked for. Rows
 * of a tree are in that order. */
static void pair(Nodes *n) {
    n->out[0] = 0;
    for (uint32_t i = 1; i < n->newer->nodes; i++) {
        uint32_t found =
            n->newer->tree[i].parent < i ? older_node(n, &n->newer->tree[i]) : LEDGER_NO_ROW;
        n->out[i] = found;
        if (found != LEDGER_NO_ROW) n->used[found] = 1;
    }
}

LmpErr pairing_nodes(const Ledger *old, const Ledger *newer, const uint32_t *function,
                     const uint32_t *site, uint32_t *out) {
    Nodes n = {.old = old, .newer = newer, .function = function, .site = site, .out = out};
    bool enough = index_both(&n);
    if (enough) pair(&n);
    keymap_free(&n.children);
    keymap_free(&n.site_rows);
    keymap_free(&n.paired);
    free(n.shift);
    free(n.used);
    return enough ? LMP_OK : LMP_E_NOMEM;
}
