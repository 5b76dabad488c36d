/* ledger_tree.c - the call tree: what each function retains, and the rows (ledger_impl.h).
 *
 * A node's row is above its parent's, so one pass from the last row to the first sums everything up
 * and no path is too deep. A parent that is not lower is damage; such nodes hang under the root. */
#include <string.h>

#include "read/ledger/ledger.h"
#include "read/ledger/ledger_impl.h"

static bool wanted(const LmpTables *t, unsigned parts) {
    return parts & LEDGER_TREE ||
           (parts & LEDGER_FUNCTIONS && read_once32(&tables_used(t)->stacks) == 1);
}

bool tree_reserve(Ledger *ledger, const LmpTables *t, unsigned parts) {
    LedgerStore *s = ledger->store;
    if (!wanted(t, parts)) {
        s->nodes = 0;
        return true;
    }
    if (s->nodes == 0) s->nodes = 1; /* the root */
    uint32_t n = s->nodes;
    if (!ledger_pile_reserve(&s->parent, n, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->node_site, n, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->node_function, n, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->first, n + 1, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->next, n + 1, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->order, n, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->on_path, s->functions, sizeof(uint32_t)))
        return false;
    if (!(parts & LEDGER_TREE)) return true;
    s->tree_kinds = parts & LEDGER_TREE_KINDS;
    return ledger_pile_reserve(&s->child, n, sizeof(uint32_t)) &&
           ledger_pile_reserve(&s->node_live, n, sizeof(uint64_t)) &&
           ledger_pile_reserve(&s->pairs, 2 * (size_t)n, sizeof(SortPair)) &&
           (!s->tree_kinds || (ledger_pile_reserve(&s->node_kinds, n, sizeof(uint32_t)) &&
                               ledger_pile_reserve(&s->node_kind, n, sizeof(uint8_t)))) &&
           nodes_reserve(ledger, parts);
}

static void read_nodes(LedgerStore *s, const LmpTables *t) {
    uint32_t *parent = PILE(s->parent, uint32_t), *node_site = PILE(s->node_site, uint32_t);
    parent[0] = node_site[0] = 0;
    s->others_used = false;
    for (uint32_t i = 1; i < s->nodes; i++) {
        const LmpNode *n = &t->node[i];
        uint32_t up = read_once32(&n->parent), site = read_once32(&n->site);
        uint32_t flags = read_once32(&n->flags) & (LMP_NODE_TAIL | LMP_NODE_COROUTINE);
        parent[i] = up < i ? up : 0;
        node_site[i] = (site < s->rows ? site : 0) << 2 | flags;
        s->others_used |= parent[i] == LEDGER_OTHERS;
    }
    LmpUsage room;
    if (s->nodes > LEDGER_OTHERS)
        s->others_used |= read_once64(&tables_node_usage(t, LEDGER_OTHERS, &room)->allocs) != 0;
}

/* What lives of each node and below; the tree's rows are in its order. */
static void sum_live(LedgerStore *s, const LmpTables *t) {
    const uint32_t *parent = PILE(s->parent, const uint32_t);
    uint64_t *live = PILE(s->node_live, uint64_t);
    live[0] = 0;
    for (uint32_t i = 1; i < s->nodes; i++)
        live[i] = nodes_live(s, t, i);
    for (uint32_t i = s->nodes; i-- > 1;)
        live[parent[i]] += live[i];
}

/* ---- what functions retain ------------------------------------------------------------------- */

/* Puts the nodes in depth-first order: order[i] is the i-th, and next[i] the place after all below
 * it. */
static void walk_order(LedgerStore *s) {
    const uint32_t *parent = s->parent.data;
    uint32_t *size = PILE(s->first, uint32_t), *free_at = PILE(s->next, uint32_t);
    uint32_t *order = PILE(s->order, uint32_t), n = s->nodes;
    for (uint32_t i = 0; i < n; i++)
        size[i] = 1;
    for (uint32_t i = n; i-- > 1;)
        size[parent[i]] += size[i];
    free_at[0] = 1; /* the first free place below each node */
    order[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t at = free_at[parent[i]];
        free_at[parent[i]] += size[i];
        free_at[i] = at + 1;
        order[at] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        free_at[i] = i + size[order[i]];
}

/* Walks the tree with a sum of all that was passed. What a function retains is what the sum grows
 * by while the function is on the path; only its outermost frame there looks at the sum, so what
 * recursion makes is counted once. */
static void sum_functions(LedgerStore *s, const LmpTables *t) {
    walk_order(s);
    const uint32_t *order = s->order.data, *next = s->next.data;
    const uint32_t *node_site = s->node_site.data;
    uint32_t *function = PILE(s->node_function, uint32_t);
    uint32_t *on_path = PILE(s->on_path, uint32_t);
    uint32_t *open = PILE(s->first, uint32_t), depth = 0; /* places of the nodes on the path */
    LmpTally *retained = PILE(s->retained, LmpTally), sum = {0};
    LedgerPeak peak = sum_peak(t->live);
    memset(on_path, 0, s->functions * sizeof *on_path);
    for (uint32_t i = 0; i < s->nodes; i++)
        function[i] = ledger_function_of(s, node_site[i] >> 2);
    for (uint32_t i = 1; i <= s->nodes; i++) {
        while (depth > 0 && (i == s->nodes || next[open[depth - 1]] <= i)) {
            uint32_t f = function[order[open[--depth]]];
            if (--on_path[f] == 0) tally_add(&retained[f], &sum);
        }
        if (i == s->nodes) break;
        nodes_fetch(s, t, i, s->nodes);
        uint32_t f = function[order[i]];
        if (on_path[f]++ == 0) tally_sub(&retained[f], &sum);
        LmpTally own = nodes_own(s, t, order[i], peak);
        tally_add(&sum, &own);
        open[depth++] = i;
    }
}

void tree_read(Ledger *ledger, const LmpTables *t, unsigned parts) {
    LedgerStore *s = ledger->store;
    memset(s->retained.data, 0, s->functions * sizeof(LmpTally));
    s->packed = 0;
    if (s->nodes == 0) return;
    read_nodes(s, t);
    bool packs = s->once && parts & LEDGER_TREE;
    if (packs && !ledger->less) nodes_pack(s, t, NULL); /* else sums come first: they are of all */
    if (parts & LEDGER_TREE) sum_live(s, t);
    if (parts & LEDGER_FUNCTIONS) sum_functions(s, t);
    if (!s->once) return;
    ledger_pile_free(&s->node_function);
    if (packs && ledger->less) nodes_pack(s, t, ledger->less);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* child[first[i]] up to first[i + 1] are the children of node i, by row. */
static void find_children(LedgerStore *s) {
    const uint32_t *parent = PILE(s->parent, const uint32_t);
    uint32_t *first = PILE(s->first, uint32_t), *next = PILE(s->next, uint32_t);
    uint32_t *child = PILE(s->child, uint32_t);
    memset(first, 0, (s->nodes + 1) * sizeof *first);
    for (uint32_t i = 1; i < s->nodes; i++)
        first[parent[i] + 1]++;
    for (uint32_t i = 0; i < s->nodes; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (uint32_t i = 1; i < s->nodes; i++)
        child[next[parent[i]]++] = i;
}

static void sort_children(LedgerStore *s, uint32_t node) {
    uint32_t from = PILE(s->first, const uint32_t)[node];
    uint32_t n = PILE(s->first, const uint32_t)[node + 1] - from;
    if (n < 2) return;
    uint32_t *child = PILE(s->child, uint32_t) + from;
    const uint64_t *live = PILE(s->node_live, const uint64_t);
    SortPair *pair = PILE(s->pairs, SortPair);
    for (uint32_t i = 0; i < n; i++)
        pair[i] = (SortPair){live[child[i]], child[i]};
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++)
        child[i] = pair[i].row;
}

bool tree_unused(const LedgerStore *s, uint32_t node) {
    return node == LEDGER_OTHERS && !s->others_used;
}

/* A node knows its blocks by number alone; of what class and tag they are, the paths that end in it
 * say. */
static void find_kinds(LedgerStore *s, const LmpTables *t) {
    uint32_t *kinds = PILE(s->node_kinds, uint32_t), paths = read_once32(&tables_used(t)->paths);
    uint8_t *most = PILE(s->node_kind, uint8_t);
    uint64_t *most_bytes = PILE(s->node_live, uint64_t); /* children are in order: not needed now */
    memset(kinds, 0, s->nodes * sizeof *kinds);
    memset(most, LMP_KINDS, s->nodes);
    memset(most_bytes, 0, s->nodes * sizeof *most_bytes);
    if (paths > LMP_PATHS_MAX) paths = LMP_PATHS_MAX;
    for (uint32_t i = 1; i < paths; i++) {
        uint32_t node = read_once32(&t->path[i].node), record = read_once32(&t->path[i].record);
        if (node >= s->nodes || record == 0 || record >= s->records) continue;
        const LmpUsage *use = &t->record[record].use;
        uint32_t tag = *(const volatile uint16_t *)&use->tag;
        uint32_t kind = class_owner(*(const volatile uint16_t *)&use->cls);
        bool other = kinds[node] && (kinds[node] & UINT16_MAX) != tag;
        kinds[node] = (kinds[node] & ~(uint32_t)UINT16_MAX) | 1u << (16 + kind) |
                      (other ? LEDGER_SEVERAL_TAGS : tag);
        uint64_t bytes = read_once64(&use->bytes);
        if (most[node] != LMP_KINDS && bytes <= most_bytes[node]) continue;
        most[node] = (uint8_t)kind;
        most_bytes[node] = bytes;
    }
}

/* Puts nodes in the order of their rows: the children of each after all so far, so that they are
 * contiguous. Returns how many. */
static uint32_t order_rows(LedgerStore *s) {
    uint32_t *order = PILE(s->order, uint32_t), n = 1;
    const uint32_t *first = PILE(s->first, const uint32_t), *child = s->child.data;
    order[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = order[i];
        sort_children(s, node);
        for (uint32_t k = first[node]; k < first[node + 1]; k++)
            if (!tree_unused(s, child[k])) order[n++] = child[k];
    }
    return n;
}

/* Callers and callees by row. `skip`: the node that has a child without a row. */
static void link_rows(LedgerStore *s, uint32_t rows, uint32_t skip) {
    const uint32_t *order = s->order.data, *first = s->first.data;
    uint32_t *parent = PILE(s->row_parent, uint32_t), *depth = PILE(s->row_depth, uint32_t);
    uint32_t *row_first = PILE(s->row_first, uint32_t), *row_site = PILE(s->row_site, uint32_t);
    uint32_t n = 1;
    parent[0] = depth[0] = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t node = order[i], end = n + first[node + 1] - first[node] - (node == skip);
        row_first[i] = n;
        row_site[i] = PILE(s->node_site, const uint32_t)[node];
        for (; n < end; n++) {
            parent[n] = i;
            depth[n] = depth[i] + 1;
        }
    }
    row_first[rows] = n;
}

void tree_make(Ledger *ledger, const LmpTables *t) {
    LedgerStore *s = ledger->store;
    bool unused = s->nodes > LEDGER_OTHERS && tree_unused(s, LEDGER_OTHERS);
    uint32_t skip = unused ? PILE(s->parent, uint32_t)[LEDGER_OTHERS] : LEDGER_NO_ROW;
    find_children(s);
    uint32_t n = order_rows(s);
    if (s->tree_kinds) find_kinds(s, t);
    LedgerPile *const done[] = {&s->parent, &s->child, &s->next, &s->node_live, &s->pairs};
    for (size_t i = 0; s->once && i < sizeof done / sizeof *done; i++)
        ledger_pile_free(done[i]);
    link_rows(s, n, skip);
    if (s->once) ledger_pile_free(&s->first);
    if (s->once) ledger_pile_free(&s->node_site);
    ledger->nodes = n;
    if (s->once)
        nodes_sum(s, n);
    else
        nodes_make(ledger, t);
}
