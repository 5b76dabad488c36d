/* treerows_children.c - the rows below a row: the calls of a fold in which calls of a function by
 * itself are joined, so recursion makes no ladder; and, where a function made something from
 * several lines or also calls others, these lines. What a row amounts to is summed up over its
 * members.
 *
 * Upside down, every node that allocated counts once in each row that its path outwards goes
 * through, so a row's children and the paths that end in it add up to it. */
#include <stdlib.h>

#include "base/array.h"
#include "panels/treerows_impl.h"

/* Callers: each open row costs its paths. Beyond this many, rows stay empty. (Callees need no
 * limit: every node is in one row.) */
#define MOST_MEMBERS (1u << 22)

static const LmpTreeRow *node_of(const TreeRows *t, uint32_t node) {
    return &t->ledger->tree[node];
}

static Group *group_of(const TreeRows *t, uint32_t group) {
    return &t->group[group];
}

static bool allocated(const LmpTreeRow *row) {
    return row->shallow.allocs > 0 || row->shallow.live_bytes > 0;
}

static uint8_t kept(const TreeRows *t, uint32_t node) {
    return t->filtering ? t->keep[node] : 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

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

static int by_line(const void *a, const void *b) {
    const Group *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

#define KEY_LINE (1ull << 32) /* no function's id has this */

/* Makes one row for each line of a group that made something. */
static bool own_lines(TreeRows *t, uint32_t group) {
    uint32_t from = t->groups;
    Group up = *group_of(t, group); /* the array moves */
    if (!up.has_line || (!up.many && !up.callees)) return true;
    const Call *call = &t->fold.call[up.call];
    for (uint32_t i = 0; i < call->members; i++) {
        uint32_t node = t->fold.member[call->first_member + i].node;
        const LmpTreeRow *row = node_of(t, node);
        uint8_t keep = kept(t, node);
        if (!allocated(row)) continue;
        const LmpTreeRow *line = line_of(t, row);
        if (!array_room(&t->group, &t->group_room, t->groups + 1)) return false;
        *group_of(t, t->groups++) = (Group){
            .key = callfold_key(up.key, KEY_LINE | (uint32_t)line->line),
            .call = CALL_NONE,
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
    uint32_t n = t->groups - from, last = from;
    if (n > 1) qsort(group_of(t, from), n, sizeof(Group), by_line);
    for (uint32_t i = from + 1; i < from + n; i++) {
        Group *g = group_of(t, last), *next = group_of(t, i);
        if (g->line == next->line) {
            tally_add(&g->total, &next->total);
            g->own = g->total;
            g->keep |= next->keep;
        } else {
            *group_of(t, ++last) = *next;
        }
    }
    if (n > 0) t->groups = last + 1;
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool calls_others(const TreeRows *t, const LmpTreeRow *row) {
    for (uint32_t i = row->first; i < row->first + row->children; i++)
        if (node_of(t, i)->function != row->function) return true;
    return false;
}

static void sum_callee(const TreeRows *t, Group *g, CallMember m) {
    const LmpTreeRow *row = node_of(t, m.node);
    uint8_t keep = kept(t, m.node);
    tally_add(&g->own, &row->shallow);
    if (m.at == m.node) tally_add(&g->total, &row->retained);
    g->recursive |= m.at != m.node;
    g->flags |= row->flags;
    if (allocated(row)) note_line(t, g, row);
    g->callees = g->callees || calls_others(t, row);
    /* if the filter matches one of its lines, that must be visible */
    g->keep |= keep != 0;
    g->opens |= (keep & KEEP_MATCH && !g->matches) || keep & KEEP_BELOW;
}

static void sum_caller(const TreeRows *t, Group *g, CallMember m) {
    uint32_t up = t->fold.link[m.at].parent;
    tally_add(&g->total, &node_of(t, m.node)->shallow);
    note_line(t, g, node_of(t, m.at)); /* where it was when it called */
    g->callees |= up != 0;
    g->opens |= up != 0 && kept(t, up) & (KEEP_MATCH | KEEP_ABOVE);
    g->keep |= g->matches || g->opens;
}

/* Adds a member to the row of its call, which is made with the first one. */
static bool join(void *of, uint32_t call, CallMember member) {
    TreeRows *t = of;
    uint32_t row = t->opening + (call - t->fold.call[t->fold.call[call].parent].first);
    if (row == t->groups) {
        const Call *c = &t->fold.call[call];
        if (!array_room(&t->group, &t->group_room, t->groups + 1)) return false;
        *group_of(t, t->groups++) =
            (Group){.key = c->key,
                    .call = call,
                    .function = c->function,
                    .matches = t->filtering && treerows_matches_function(t, c->function)};
    }
    (t->request.callers ? sum_caller : sum_callee)(t, group_of(t, row), member);
    return true;
}

bool children_begin(TreeRows *t) {
    bool callers = t->request.callers;
    const CallFolding how = {.inverted = callers,
                             .joined = true,
                             .most = callers ? MOST_MEMBERS : UINT32_MAX,
                             .join = join,
                             .of = t};
    t->groups = 0;
    if (!callfold_begin(&t->fold, t->ledger, &how)) return false;
    for (uint32_t i = 1; callers && i < t->ledger->nodes; i++)
        callfold_link(&t->fold, i);
    return true;
}

bool children_of(TreeRows *t, uint32_t group) {
    bool root = group == UINT32_MAX;
    uint32_t call = root ? CALL_ROOT : group_of(t, group)->call;
    uint32_t first = t->opening = t->groups;
    if (!callfold_open(&t->fold, call)) return false;
    t->groups = first + t->fold.call[call].children; /* none where it was cut */
    if (!root && !t->request.callers && !own_lines(t, group)) return false;
    uint32_t n = t->groups - first;
    if (!array_room(&t->child, &t->child_room, t->children + n)) return false;
    for (uint32_t i = 0; i < n; i++)
        t->child[t->children++] = first + i;
    return true;
}
