/* tree_rows.c - the rows of call paths: nodes and paths, found or made.
 *
 * Where a table is full, or the system refuses memory for its index, nodes are "(others)". Enough
 * rows of paths are reserved for each record to have one to that node: what is charged to a line
 * stays right even when the call tree is full. */
#include "agent/charge/tree_impl.h"

#include "agent/charge/sites.h"
#include "agent/map/usage.h"
#include "agent/state/reserve.h"
#include "base/os.h"

enum {
    INDEX_SLOTS = 1024,
    AHEAD = 1024, /* nodes whose pages are made together, a power of two */
    FEW = 4,      /* callees of a node that are not in the index */
};
_Static_assert(LMP_NODES_MAX % AHEAD == 0, "no pages beyond the table");

static uint32_t hash_node(const LmpNode *n) {
    return (uint32_t)rowindex_mix((uint64_t)n->parent << 32 | n->site, n->flags);
}

static bool is_node(const LmpNode *a, const LmpNode *b) {
    return a->parent == b->parent && a->site == b->site && a->flags == b->flags;
}

/* `callees`: how many the parent has; of more than FEW, any such number. */
static __attribute__((noinline)) uint32_t add_node(LmpProfile *p, const LmpNode *key,
                                                   uint32_t callees) {
    struct LmpTree *t = p->tree;
    LmpNode *node = p->tables.node;
    uint32_t *used = &p->tables.live->tables.nodes, row = *used;
    reserve_more(p);
    if (row >= p->limits.nodes || !rowindex_room(&t->node, FEW + 1)) return TREE_NODE_OTHERS;
    LmpNode *n = &node[row];
    if (row % AHEAD == 0) lmp_os->populate(n, AHEAD * sizeof *n);
    *n = *key;
    n->next = node[key->parent].callee;
    node[key->parent].callee = row;
    if (callees >= FEW) rowindex_add(&t->node, hash_node(n), row);
    for (uint32_t i = n->next; callees == FEW && i; i = node[i].next)
        rowindex_add(&t->node, hash_node(&node[i]), i);
    tables_publish(used, row + 1);
    return row;
}

uint32_t tree_find_node(LmpProfile *p, uint32_t parent, uint32_t site, uint32_t flags) {
    const LmpNode *node = p->tables.node;
    const LmpNode key = {.parent = parent, .site = site, .flags = flags};
    if (parent == TREE_NODE_OTHERS) return TREE_NODE_OTHERS;
    uint32_t callees = 0, row = node[parent].callee;
    for (; row && row < p->limits.nodes && callees < FEW; row = node[row].next, callees++)
        if (is_node(&node[row], &key)) return row;
    if (!row) return add_node(p, &key, callees);
    uint32_t hash = hash_node(&key), at = hash;
    while ((row = rowindex_next(&p->tree->node, hash, &at)))
        if (is_node(&node[row], &key)) return row;
    return add_node(p, &key, FEW + 1);
}

static uint32_t add_path(LmpProfile *p, uint32_t node, uint32_t record) {
    uint32_t *used = &p->tables.live->tables.paths, row = *used;
    LmpPath *path = p->tables.path;
    uint32_t first = p->tables.node[node].path;
    bool known = first && first < p->limits.paths;
    path[row] = (LmpPath){node, record, known ? path[first].usage : usage_add_young(p)};
    tables_publish(used, row + 1);
    if (!first) p->tables.node[node].path = row;
    return row;
}

/* There is always room for these: see tree_find_path. */
uint32_t tree_others_path(LmpProfile *p, uint32_t record) {
    struct LmpTree *t = p->tree;
    p->tables.live->tables.folded++;
    if (!t->others_path[record]) {
        t->others_path[record] = add_path(p, TREE_NODE_OTHERS, record);
        t->others_paths++;
    }
    return t->others_path[record];
}

static uint32_t hash_path(uint32_t node, uint32_t record) {
    return (uint32_t)rowindex_mix((uint64_t)node << 32 | record, 0);
}

static __attribute__((noinline)) uint32_t new_path(LmpProfile *p, uint32_t node, uint32_t record) {
    struct LmpTree *t = p->tree;
    uint32_t used = p->tables.live->tables.paths - t->others_paths;
    reserve_more(p);
    if (used >= p->limits.paths - p->limits.records || !rowindex_room(&t->path, 1))
        return tree_others_path(p, record);
    bool first = !p->tables.node[node].path;
    uint32_t row = add_path(p, node, record);
    if (!first) rowindex_add(&t->path, hash_path(node, record), row);
    return row;
}

/* The index has all paths of a node but the first. */
uint32_t tree_find_path(LmpProfile *p, uint32_t node, uint32_t record) {
    const LmpPath *path = p->tables.path;
    if (node == TREE_NODE_OTHERS) return tree_others_path(p, record);
    uint32_t row = p->tables.node[node].path;
    if (!row || row >= p->limits.paths) return new_path(p, node, record);
    if (path[row].node == node && path[row].record == record) return row;
    uint32_t hash = hash_path(node, record), at = hash;
    while ((row = rowindex_next(&p->tree->path, hash, &at)))
        if (path[row].node == node && path[row].record == record) return row;
    return new_path(p, node, record);
}

static uint32_t pseudo_path(LmpProfile *p, uint32_t site, uint32_t record) {
    return tree_find_path(p, tree_find_node(p, 0, site, 0), record);
}

uint32_t tree_unknown_path(LmpProfile *p, uint32_t record) {
    return pseudo_path(p, sites_pseudo(p, LMP_PSEUDO_UNKNOWN), record);
}

static COLD uint32_t learn_outside(LmpProfile *p, uint32_t record) {
    struct LmpTree *t = p->tree;
    uint32_t at = record % TREE_OUTSIDE, site = p->tables.record[record].site;
    if (p->tables.function[p->tables.site[site].function].kind != LMP_F_PSEUDO)
        return tree_unknown_path(p, record);
    uint32_t path = pseudo_path(p, site, record);
    if (p->tables.path[path].node != TREE_NODE_OTHERS) { /* each of those is counted */
        t->outside[at].record = record;
        t->outside[at].path = path;
    }
    return path;
}

/* Returns the path of what is done outside any function. */
uint32_t tree_outside_path(LmpProfile *p, uint32_t record) {
    struct LmpTree *t = p->tree;
    uint32_t at = record % TREE_OUTSIDE;
    if (LIKELY(record && t->outside[at].record == record)) return t->outside[at].path;
    return learn_outside(p, record);
}

LmpErr tree_rows_open(LmpProfile *p) {
    struct LmpTree *t = p->tree;
    if (!rowindex_open(&t->node, INDEX_SLOTS) || !rowindex_open(&t->path, INDEX_SLOTS))
        return LMP_E_NOMEM;
    LmpTablesUsed *used = &p->tables.live->tables;
    p->tables.node[TREE_NODE_OTHERS] = (LmpNode){.site = sites_pseudo(p, LMP_PSEUDO_OTHERS)};
    tables_publish(&used->nodes, TREE_NODE_OTHERS + 1);
    usage_add(p); /* of path 0, which has no node */
    tables_publish(&used->paths, 1);
    used->stacks = 1;
    return LMP_OK;
}

/* ---- caches that have grown ------------------------------------------------------------------ */

/* Each entry stays where it is, or goes up by as many slots as there were, or a multiple, where
 * nothing has been yet. */
COLD void tree_move_nodes(struct LmpTree *t) {
    for (uint32_t i = tree_cache_slots(t->node_size) >> TREE_CACHE_STEP; i-- > 0;) {
        LmpNodeSlot slot = t->node_cache[i];
        t->node_cache[i].key = 0;
        if (slot.key) *node_slot(t, slot.key, slot.under) = slot;
    }
}

COLD void tree_move_paths(struct LmpTree *t) {
    for (uint32_t i = tree_cache_slots(t->path_size) >> TREE_CACHE_STEP; i-- > 0;) {
        LmpPathSlot slot = t->path_cache[i];
        t->path_cache[i].key = 0;
        if (slot.key) *path_slot(t, slot.key, slot.who) = slot;
    }
}

COLD void tree_move_lines(struct LmpTree *t) {
    for (uint32_t i = tree_cache_slots(t->line_size) >> TREE_CACHE_STEP; i-- > 0;) {
        LmpLinePathSlot slot = t->line_cache[i];
        t->line_cache[i].who = 0;
        if (slot.who) *line_slot(t, slot.who) = slot;
    }
}
