/* pairing_nodes.c - nodes of two call trees that are the same: by their paths from the root. */
#include <stdlib.h>

#include "base/keymap.h"
#include "read/rundiff/pairing.h"

enum { SIBLINGS = 64 }; /* of an older node, looked at one by one */

/* A child of an older node, by what tells it from the others there. */
static uint64_t key_of(uint32_t parent, uint32_t function, uint32_t flags, int32_t line) {
    return (uint64_t)parent << 44 | (uint64_t)(function & 0xffff) << 28 |
           (uint64_t)(flags & 3) << 26 | ((uint32_t)line & 0x3ffffff);
}

typedef struct Nodes {
    const Ledger *old, *newer;
    const uint32_t *function, *site;
    KeyMap children;  /* key_of to rows of the older tree */
    KeyMap site_rows; /* ids of the newer sites to their rows */
    unsigned char *used;
    uint32_t *out;
} Nodes;

/* Where a newer node's line stood: as its site has been paired, else as far from the beginning of
 * its function as now. */
static int32_t older_line(const Nodes *n, const LmpTreeRow *node, uint32_t function) {
    uint32_t row = keymap_get(&n->site_rows, node->site, LEDGER_NO_ROW);
    uint32_t paired = row != LEDGER_NO_ROW ? n->site[row] : LEDGER_NO_ROW;
    if (paired != LEDGER_NO_ROW) return n->old->site[paired].line;
    int32_t was = n->old->function[function].linedefined;
    int32_t is = n->newer->function[node->function].linedefined;
    return node->line < 0 || was <= 0 || is <= 0 ? node->line
                                                 : (int32_t)((int64_t)node->line - is + was);
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

static uint32_t older_node(const Nodes *n, const LmpTreeRow *node) {
    uint32_t parent = n->out[node->parent], function = n->function[node->function];
    if (parent == LEDGER_NO_ROW || function == LEDGER_NO_ROW) return LEDGER_NO_ROW;
    uint64_t key = key_of(parent, function, node->flags, older_line(n, node, function));
    uint32_t found = keymap_get(&n->children, key, LEDGER_NO_ROW);
    if (found == LEDGER_NO_ROW) found = only_one(n, parent, function);
    return found != LEDGER_NO_ROW && !n->used[found] ? found : LEDGER_NO_ROW;
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
    return n->used != NULL;
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
    free(n.used);
    return enough ? LMP_OK : LMP_E_NOMEM;
}
