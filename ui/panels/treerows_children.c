/* treerows_children.c - finds the rows below a row.
 *
 * The ledger's nodes are lines: a function that calls others from five lines is five nodes. Here
 * they are one row, a group of nodes, with the functions that they called below it, and with the
 * lines that made something themselves. Calls of a function by itself stay in its row, so recursion
 * makes no ladder.
 *
 * Upside down, the functions that allocated are at the top, below each the functions that called it
 * then, and so on outwards. Every node that allocated is one path outwards and counts once in each
 * row that the path goes through, so a row's children and the paths that end in it add up to it.
 *
 * Only open rows are computed: a group carries its nodes until its children are wanted. */
#include <stdlib.h>
#include <string.h>

#include "panels/treerows_impl.h"

/* Callers: each open row costs its paths. Beyond this many, rows stay empty. (Callees need no
 * limit: every node is in one row.) */
#define MOST_MEMBERS (1u << 22)

static const LmpTreeRow *node_of(const TreeRows *t, uint32_t node) {
    return &t->ledger->tree[node];
}

static Group *group_of(const TreeRows *t, size_t group) {
    return &PILE(t->group, Group)[group];
}

static bool allocated(const LmpTreeRow *row) {
    return row->shallow.allocs > 0 || row->shallow.live_bytes > 0;
}

static uint8_t kept(const TreeRows *t, uint32_t node) {
    return t->filtering ? PILE(t->keep, const uint8_t)[node] : 0;
}

/* Returns a key that depends on the path to a row, on which way up the tree is, and on line or
 * function. */
static uint64_t key_below(uint64_t key, uint64_t id) {
    uint64_t h = (key ^ (id + 1) * 0xff51afd7ed558ccdull) * 0xc4ceb9fe1a85ec53ull;
    h = (h ^ h >> 29) * 0x9e3779b97f4a7c15ull;
    return (h ^ h >> 32) | 1;
}
#define KEY_LINE (1ull << 32)

/* Returns the group of a function among those from group[first] on, created if missing; NULL: no
 * memory. */
static Group *among(TreeRows *t, size_t first, uint64_t above, uint32_t function) {
    uint32_t *slot = &PILE(t->slot, uint32_t)[function];
    if (*slot <= first) {
        if (!pile_room(&t->group, 1, sizeof(Group))) return NULL;
        *group_of(t, t->group.used++) = (Group){
            .key = key_below(above, t->ledger->function[function].id),
            .function = function,
            .matches = t->filtering && treerows_matches_function(t, function),
        };
        *slot = (uint32_t)t->group.used;
    }
    return group_of(t, *slot - 1);
}

bool children_begin(TreeRows *t) {
    const Ledger *l = t->ledger;
    t->group.used = t->member.used = t->outer.used = t->slot.used = 0;
    if (!pile_room(&t->slot, l->functions, sizeof(uint32_t))) return false;
    if (l->functions > 0) memset(t->slot.item, 0, l->functions * sizeof(uint32_t));
    if (!t->request.callers) return true;
    if (!pile_room(&t->outer, l->nodes, sizeof(uint32_t))) return false;
    uint32_t *outer = PILE(t->outer, uint32_t);
    outer[0] = 0;
    for (uint32_t i = 1; i < l->nodes; i++) {
        uint32_t up = node_of(t, i)->parent; /* its row precedes this one */
        outer[i] = up && node_of(t, up)->function == node_of(t, i)->function ? outer[up] : up;
    }
    return true;
}

/* Moves the queue to member[], group by group. */
static bool place_members(TreeRows *t, size_t first) {
    size_t n = t->queue.used;
    if (t->request.callers && t->member.used + n > MOST_MEMBERS) return true;
    if (!pile_room(&t->member, n, sizeof(Member))) return false;
    for (size_t i = first; i < t->group.used; i++) {
        Group *g = group_of(t, i);
        size_t count = g->end;
        g->first = g->end = t->member.used;
        g->collected = true;
        t->member.used += count;
    }
    return true;
}

static bool enqueue(TreeRows *t, Group *g, Member member) {
    if (!pile_room(&t->queue, 1, sizeof(Member))) return false;
    PILE(t->queue, Member)[t->queue.used++] = member;
    g->end++;
    return true;
}

/* ---- callees --------------------------------------------------------------------------------- */

/* Returns the node whose line a node's memory is charged to: for a C function, its caller. */
static const LmpTreeRow *line_of(const TreeRows *t, const LmpTreeRow *row) {
    bool called = t->ledger->function[row->function].is_c && row->parent != 0;
    return called ? node_of(t, row->parent) : row;
}

static void note_line(const TreeRows *t, Group *g, const LmpTreeRow *row) {
    const LmpTreeRow *line = line_of(t, row);
    g->many |= g->has_line && g->line != line->line;
    if (g->has_line) return;
    g->has_line = true;
    g->line = line->line;
    g->line_function = line->function;
    g->site = line->site;
}

/* Counts a node in its group: what it made itself, and whether there is something below it. */
static bool join(TreeRows *t, Member m) {
    Group *g = group_of(t, m.at);
    const LmpTreeRow *row = node_of(t, m.node);
    uint8_t keep = kept(t, m.node);
    tally_add(&g->own, &row->shallow);
    g->flags |= row->flags;
    if (allocated(row)) note_line(t, g, row);
    /* if the filter matches one of its lines, that must be visible */
    g->keep |= keep != 0;
    g->opens |= (keep & KEEP_MATCH && !g->matches) || keep & KEEP_BELOW;
    for (uint32_t i = row->first; i < row->first + row->children; i++) {
        if (node_of(t, i)->function != g->function) {
            g->callees = true;
            continue;
        }
        g->recursive = true;
        if (!enqueue(t, g, (Member){i, m.at})) return false;
    }
    return true;
}

/* Counts the functions that a node calls, except itself, in their groups. */
static bool call(TreeRows *t, uint32_t node, size_t first, uint64_t above, uint32_t self) {
    const LmpTreeRow *row = node_of(t, node);
    for (uint32_t i = row->first; i < row->first + row->children; i++) {
        const LmpTreeRow *child = node_of(t, i);
        if (child->function == self) continue;
        Group *g = among(t, first, above, child->function);
        if (!g) return false;
        tally_add(&g->total, &child->retained);
        if (!enqueue(t, g, (Member){i, (uint32_t)(g - group_of(t, 0))})) return false;
    }
    return true;
}

static int by_line(const void *a, const void *b) {
    const Group *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Makes one row for each line of a group that made something. */
static bool own_lines(TreeRows *t, uint32_t group) {
    size_t from = t->group.used;
    Group up = *group_of(t, group); /* the array moves */
    if (!up.has_line || (!up.many && !up.callees)) return true;
    for (size_t i = up.first; i < up.end; i++) {
        const LmpTreeRow *row = node_of(t, PILE(t->member, Member)[i].node);
        uint8_t keep = kept(t, PILE(t->member, Member)[i].node);
        if (!allocated(row)) continue;
        const LmpTreeRow *line = line_of(t, row);
        if (!pile_room(&t->group, 1, sizeof(Group))) return false;
        *group_of(t, t->group.used++) = (Group){
            .key = key_below(up.key, KEY_LINE | (uint32_t)line->line),
            .function = up.function,
            .site = line->site,
            .line = line->line,
            .line_function = line->function,
            .is_line = true,
            .has_line = true,
            .keep = (keep & (KEEP_MATCH | KEEP_ABOVE)) != 0,
            .matches = (keep & KEEP_MATCH) != 0,
            .total = row->shallow,
            .own = row->shallow,
        };
    }
    /* one row per line, whatever the number of nodes */
    size_t n = t->group.used - from, last = from;
    if (n > 1) qsort(group_of(t, from), n, sizeof(Group), by_line);
    for (size_t i = from + 1; i < from + n; i++) {
        Group *g = group_of(t, last), *next = group_of(t, i);
        if (g->line == next->line) {
            tally_add(&g->total, &next->total);
            g->own = g->total;
            g->keep |= next->keep;
        } else {
            *group_of(t, ++last) = *next;
        }
    }
    if (n > 0) t->group.used = last + 1;
    return true;
}

static bool callees(TreeRows *t, uint32_t group) {
    size_t first = t->group.used;
    t->queue.used = 0;
    if (group == UINT32_MAX) {
        if (!call(t, 0, first, 0, UINT32_MAX)) return false;
    } else {
        Group up = *group_of(t, group);
        if (!up.collected) return true;
        for (size_t i = up.first; i < up.end; i++)
            if (!call(t, PILE(t->member, Member)[i].node, first, up.key, up.function)) return false;
    }
    for (size_t i = 0; i < t->queue.used; i++) /* it grows meanwhile */
        if (!join(t, PILE(t->queue, Member)[i])) return false;
    if (!place_members(t, first)) return false;
    for (size_t i = 0; i < t->queue.used; i++) {
        Member m = PILE(t->queue, Member)[i];
        Group *g = group_of(t, m.at);
        if (g->collected) PILE(t->member, Member)[g->end++] = m;
    }
    return group == UINT32_MAX || own_lines(t, group);
}

/* ---- callers --------------------------------------------------------------------------------- */

/* Counts the path from `node` that has reached `at`. */
static bool count_path(TreeRows *t, size_t first, uint64_t above, uint32_t node, uint32_t at) {
    Group *g = among(t, first, above, node_of(t, at)->function);
    if (!g) return false;
    uint32_t up = PILE(t->outer, const uint32_t)[at];
    tally_add(&g->total, &node_of(t, node)->shallow);
    note_line(t, g, node_of(t, at)); /* where it was when it called */
    g->callees |= up != 0;
    g->opens |= up != 0 && kept(t, up) & (KEEP_MATCH | KEEP_ABOVE);
    g->keep |= g->matches || g->opens;
    return enqueue(t, g, (Member){node, at});
}

static bool callers(TreeRows *t, uint32_t group) {
    size_t first = t->group.used;
    t->queue.used = 0;
    if (group == UINT32_MAX) {
        for (uint32_t i = 1; i < t->ledger->nodes; i++)
            if (allocated(node_of(t, i)) && !count_path(t, first, 1, i, i)) return false;
    } else {
        Group below = *group_of(t, group);
        if (!below.collected) return true;
        for (size_t i = below.first; i < below.end; i++) {
            Member m = PILE(t->member, Member)[i];
            uint32_t up = PILE(t->outer, const uint32_t)[m.at];
            if (up && !count_path(t, first, below.key, m.node, up)) return false;
        }
    }
    if (!place_members(t, first)) return false;
    for (size_t i = 0; i < t->queue.used; i++) {
        Member m = PILE(t->queue, Member)[i];
        Group *g = group_of(t, PILE(t->slot, const uint32_t)[node_of(t, m.at)->function] - 1);
        if (g->collected) PILE(t->member, Member)[g->end++] = m;
    }
    return true;
}

bool children_of(TreeRows *t, uint32_t group) {
    size_t first = t->group.used;
    if (!(t->request.callers ? callers : callees)(t, group)) return false;
    size_t n = t->group.used - first;
    if (!pile_room(&t->child, n, sizeof(uint32_t))) return false;
    for (size_t i = 0; i < n; i++)
        PILE(t->child, uint32_t)[t->child.used++] = (uint32_t)(first + i);
    return true;
}
