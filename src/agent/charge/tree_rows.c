/* tree_rows.c - the rows of call paths: nodes and paths, found or made. See tree.h.
 *
 * Where a table is full, or the system refuses memory for its index, nodes are "(others)". Enough
 * rows of paths are reserved for each record to have one to that node: what is charged to a line
 * stays right even when the call tree is full. */
#include "agent/charge/tree_impl.h"

#include "agent/charge/sites.h"
#include "agent/state/reserve.h"

enum { INDEX_SLOTS = 1024 };

uint32_t tree_find_node(LmpProfile *p, uint32_t parent, uint32_t site, uint32_t flags) {
    struct LmpTree *t = p->tree;
    if (parent == TREE_NODE_OTHERS) return TREE_NODE_OTHERS;
    uint32_t hash = (uint32_t)rowindex_mix((uint64_t)parent << 32 | site, flags);
    uint32_t at = hash, row;
    while ((row = rowindex_next(&t->node, hash, &at))) {
        const LmpNode *n = &p->tables.node[row];
        if (n->parent == parent && n->site == site && n->flags == flags) return row;
    }
    uint32_t *used = &p->tables.live->tables.nodes;
    reserve_more(p);
    if (*used >= p->limits.nodes || !rowindex_room(&t->node)) return TREE_NODE_OTHERS;
    row = *used;
    LmpNode *n = &p->tables.node[row];
    n->parent = parent;
    n->site = site;
    n->flags = flags;
    n->depth = parent ? p->tables.node[parent].depth + 1 : 1;
    rowindex_add(&t->node, hash, row);
    tree_publish(used, row + 1);
    return row;
}

static uint32_t add_path(LmpProfile *p, uint32_t node, uint32_t record) {
    uint32_t *used = &p->tables.live->tables.paths, row = *used;
    p->tables.path[row] = (LmpPath){node, record};
    tree_publish(used, row + 1);
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

uint32_t tree_find_path(LmpProfile *p, uint32_t node, uint32_t record) {
    struct LmpTree *t = p->tree;
    if (node == TREE_NODE_OTHERS) return tree_others_path(p, record);
    uint32_t hash = (uint32_t)rowindex_mix((uint64_t)node << 32 | record, 0), at = hash, row;
    while ((row = rowindex_next(&t->path, hash, &at))) {
        const LmpPath *path = &p->tables.path[row];
        if (path->node == node && path->record == record) return row;
    }
    uint32_t used = p->tables.live->tables.paths - t->others_paths;
    reserve_more(p);
    if (used >= p->limits.paths - p->limits.records || !rowindex_room(&t->path))
        return tree_others_path(p, record);
    row = add_path(p, node, record);
    rowindex_add(&t->path, hash, row);
    return row;
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

/* Of what is done outside any function. */
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
    p->tables.node[TREE_NODE_OTHERS] =
        (LmpNode){.site = sites_pseudo(p, LMP_PSEUDO_OTHERS), .depth = 1};
    tree_publish(&used->nodes, TREE_NODE_OTHERS + 1);
    tree_publish(&used->paths, 1);
    used->stacks = 1;
    return LMP_OK;
}
