/* fake_tree.h - random call trees as the ledger has them, and the order in which tests put their
 * rows. */
#ifndef LMP_FAKE_TREE_H
#define LMP_FAKE_TREE_H

#include "suite.h"

#include "panels/treerows.h"

#define FUNCTIONS 9
#define C_FUNCTION 8u /* has no lines: it is charged to its caller's */

typedef struct Tree {
    Ledger ledger;
    LmpTreeRow *row;
    LmpFunctionRow function[FUNCTIONS];
    char name[FUNCTIONS][16];
} Tree;

static inline void tally(LmpTally *t, uint64_t allocs, uint64_t live) {
    *t = (LmpTally){.allocs = allocs,
                    .bytes = live + 7,
                    .frees = allocs / 2,
                    .live_blocks = allocs - allocs / 2,
                    .live_bytes = live};
}

static inline void add(LmpTally *sum, const LmpTally *t) {
    sum->allocs += t->allocs;
    sum->bytes += t->bytes;
    sum->frees += t->frees;
    sum->live_blocks += t->live_blocks;
    sum->live_bytes += t->live_bytes;
}

static inline Tree *tree_new(uint32_t nodes) {
    Tree *t = calloc(1, sizeof *t);
    t->row = calloc(nodes, sizeof *t->row);
    t->ledger.tree = t->row;
    t->ledger.nodes = nodes;
    t->ledger.stacks = true;
    t->ledger.function = t->function;
    t->ledger.functions = FUNCTIONS;
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        snprintf(t->name[f], sizeof t->name[f], "f%u", f);
        t->function[f] = (LmpFunctionRow){.id = f + 100,
                                          .source = f % 2 ? "@odd.lua" : "@even.lua",
                                          .short_src = f % 2 ? "odd.lua" : "even.lua",
                                          .name = t->name[f],
                                          .is_c = f == C_FUNCTION,
                                          .linedefined = (int32_t)f * 10};
    }
    return t;
}

static inline void tree_free(Tree *t) {
    free(t->row);
    free(t);
}
RELEASE_AT(tree_free)

static LmpTreeRow *sorted_rows;
static int by_live(const void *a, const void *b) {
    const LmpTreeRow *x = &sorted_rows[*(const uint32_t *)a],
                     *y = &sorted_rows[*(const uint32_t *)b];
    if (x->retained.live_bytes != y->retained.live_bytes)
        return x->retained.live_bytes < y->retained.live_bytes ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Takes `raw` (by id; parent and shallow filled, parents before children) into the tree as the
 * ledger has it: level by level, children together, the largest first. */
static inline void tree_arrange(Tree *t, LmpTreeRow *raw) {
    uint32_t n = t->ledger.nodes, used = 1;
    uint32_t *order = calloc(n, sizeof *order), *count = calloc(n + 1, sizeof *count);
    uint32_t *kid = calloc(n, sizeof *kid);
    for (uint32_t i = 0; i < n; i++) {
        raw[i].id = i;
        raw[i].retained = (LmpTally){0};
    }
    for (uint32_t i = n; i-- > 0;) {
        add(&raw[i].retained, &raw[i].shallow);
        if (i == 0) break;
        add(&raw[raw[i].parent].retained, &raw[i].retained);
    }
    for (uint32_t i = 1; i < n; i++)
        count[raw[i].parent + 1]++;
    for (uint32_t i = 0; i < n; i++)
        count[i + 1] += count[i];
    uint32_t *fill = malloc((n + 1) * sizeof *fill);
    memcpy(fill, count, (n + 1) * sizeof *fill);
    for (uint32_t i = 1; i < n; i++)
        kid[fill[raw[i].parent]++] = i;
    sorted_rows = raw;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t id = order[at], children = count[id + 1] - count[id];
        qsort(kid + count[id], children, sizeof *kid, by_live);
        t->row[at] = raw[id];
        t->row[at].first = used;
        t->row[at].children = children;
        for (uint32_t k = 0; k < children; k++)
            order[used++] = kid[count[id] + k];
    }
    uint32_t *place = kid; /* no longer needed as it was */
    for (uint32_t at = 0; at < n; at++)
        place[order[at]] = at;
    for (uint32_t at = 0; at < n; at++) {
        LmpTreeRow *row = &t->row[at];
        row->parent = place[row->parent];
        row->depth = at ? t->row[row->parent].depth + 1 : 0;
        row->name = t->name[row->function];
        row->short_src = t->function[row->function].short_src;
    }
    free(order);
    free(count);
    free(kid);
    free(fill);
}

/* A random tree; `long_ways` of 10 nodes hang under the one before. */
static inline LmpTreeRow *random_nodes(uint32_t n, uint32_t long_ways) {
    LmpTreeRow *raw = calloc(n, sizeof *raw);
    for (uint32_t i = 1; i < n; i++) {
        raw[i].parent = suite_below(10) < long_ways ? i - 1 : (uint32_t)suite_below(i);
        raw[i].function = (uint32_t)suite_below(FUNCTIONS);
        raw[i].line = raw[i].function == C_FUNCTION ? -1 : (int32_t)suite_below(20);
        if (suite_below(3)) tally(&raw[i].shallow, 1 + suite_below(50), suite_below(2000));
    }
    return raw;
}

static inline double by_total(const void *about, const LmpTally *total, const LmpTally *own) {
    (void)about, (void)own;
    return (double)total->live_bytes;
}
static inline double by_own(const void *about, const LmpTally *total, const LmpTally *own) {
    (void)about;
    return (double)(own ? own->allocs : total->allocs);
}

static inline void open_all(TreeRows *rows, const Ledger *ledger, const TreeWanted *request) {
    for (bool any = true; any;) {
        any = false;
        for (uint32_t i = 0; i < treerows_count(rows); i++) {
            TreeRow row = treerows_row(rows, i);
            if (!row.children || row.open) continue;
            treerows_open(rows, i, true);
            any = true;
        }
        ck_assert(treerows_update(rows, ledger, request));
    }
}

#endif
