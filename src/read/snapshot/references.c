/* references.c - puts the references of each table in an order of its keys: the metatable, list
 * items by number, then names by alphabet, then other keys. In the file they stand as in the
 * table's hash, which differs from run to run; what is found first (a path, a place, a class) would
 * differ, too. Then the references to each object, whether they hold or not, in the order of where
 * they come from. */
#include <string.h>

#include "read/snapshot/snapshot_impl.h"

enum { DEEP_MOST = 256 }; /* bytes of a name that are compared; then a hash of it says */

typedef struct Order {
    LmpSnapshot *s;
    uint32_t *rank;       /* by ordinal of a string that is a key: its place in the alphabet */
    SortPair *row, *room; /* being sorted */
    uint32_t *to, *label; /* of one table */
    uint8_t *kind;
} Order;

/* ---- the alphabet ---------------------------------------------------------------------------- */

/* Eight bytes of a string from `deep` on, as a number that is larger for what comes earlier. */
static uint64_t bytes_at(const LmpSnapshot *s, uint32_t string, uint32_t deep) {
    uint64_t n = 0;
    uint32_t shown = s->g.string_shown[string];
    const char *text = s->g.text + s->text_at[string];
    for (uint32_t i = deep; i < deep + 8; i++)
        n = n << 8 | (i < shown ? (unsigned char)text[i] : 0);
    return ~n;
}

/* Strings (by ordinal) that are the same up to `deep`. */
static void sort_strings(const Order *o, SortPair *row, uint32_t n, uint32_t deep) {
    bool last = deep >= DEEP_MOST || deep >= o->s->g.string_shown[row->row];
    for (uint32_t i = 0; i < n; i++)
        row[i].key = last ? o->s->g.string_hash[row[i].row] : bytes_at(o->s, row[i].row, deep);
    pairsort(row, o->room, n);
    for (uint32_t i = 0, end; i < n && !last; i = end) {
        for (end = i + 1; end < n && row[end].key == row[i].key;)
            end++;
        if (end - i > 1) sort_strings(o, row + i, end - i, deep + 8);
    }
}

static uint32_t key_of(const LmpObjectGraph *g, uint32_t edge) {
    unsigned kind = g->edge_kind[edge] & LMP_EDGE_KIND;
    return kind == LMP_EDGE_KEY ? g->edge_to[edge] : g->edge_label[edge];
}

/* Returns true for a reference by a name, or to one. */
static bool is_named(const LmpObjectGraph *g, uint32_t edge) {
    unsigned kind = g->edge_kind[edge] & LMP_EDGE_KIND;
    return (kind == LMP_EDGE_FIELD || kind == LMP_EDGE_KEY) &&
           g->kind[key_of(g, edge)] == LMP_OBJECT_STRING;
}

static bool rank_names(Order *o, SnapMemory *memory) {
    const LmpSnapshot *s = o->s;
    const LmpObjectGraph *g = &s->g;
    uint32_t strings = g->count[LMP_OBJECT_STRING], names = 0;
    o->rank = snap_memory_take(memory, strings, sizeof *o->rank);
    if (!o->rank) return false;
    for (uint32_t e = 0; e < g->edges; e++) {
        if (!is_named(g, e)) continue;
        uint32_t *rank = &o->rank[s->ordinal[key_of(g, e)]];
        names += !*rank;
        *rank = 1;
    }
    SortPair *row = snap_memory_rough(memory, names, sizeof *row);
    o->room = snap_memory_rough(memory, names, sizeof *row);
    if (!row || !o->room) return false;
    for (uint32_t i = 0, n = 0; i < strings; i++)
        if (o->rank[i]) row[n++].row = i;
    if (names) sort_strings(o, row, names, 0);
    for (uint32_t i = 0; i < names; i++)
        o->rank[row[i].row] = i;
    snap_memory_put(memory, row);
    snap_memory_put(memory, o->room);
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Returns a number for the key of a table's reference: smaller ones come first. */
static uint64_t place_of(const Order *o, uint32_t edge) {
    enum { METATABLE, ITEM, NAME, BOOLEAN, INTEGER, FLOAT, LIGHT, OBJECT };
    const LmpObjectGraph *g = &o->s->g;
    const int64_t most = (int64_t)1 << 59;
    unsigned kind = g->edge_kind[edge] & LMP_EDGE_KIND, group = OBJECT;
    uint64_t at = key_of(g, edge);
    int64_t wide = at < g->wides ? g->wide[at] : 0;
    if (is_named(g, edge)) {
        group = NAME;
        at = o->rank[o->s->ordinal[at]];
    } else if (kind == LMP_EDGE_METATABLE || kind == LMP_EDGE_INDEX || kind == LMP_EDGE_BOOLEAN) {
        group = kind == LMP_EDGE_METATABLE ? METATABLE : kind == LMP_EDGE_INDEX ? ITEM : BOOLEAN;
    } else if (kind == LMP_EDGE_INTEGER) {
        group = INTEGER;
        at = (uint64_t)((wide < -most ? -most : wide >= most ? most - 1 : wide) + most);
    } else if (kind == LMP_EDGE_FLOAT || kind == LMP_EDGE_LIGHT) {
        group = kind == LMP_EDGE_FLOAT ? FLOAT : LIGHT;
        at = (uint64_t)wide >> 4;
    }
    return (uint64_t)group << 60 | at;
}

static void sort_table(const Order *o, uint32_t begin, uint32_t n) {
    LmpObjectGraph *g = &o->s->g;
    uint32_t sorted = 0;
    for (uint64_t last = 0, at; sorted < n; sorted++, last = at)
        if ((at = place_of(o, begin + sorted)) < last) break;
    if (sorted == n) return;
    for (uint32_t i = 0; i < n; i++)
        o->row[i] = (SortPair){~place_of(o, begin + i), i};
    pairsort(o->row, o->room, n);
    memcpy(o->to, g->edge_to + begin, n * sizeof *o->to);
    memcpy(o->label, g->edge_label + begin, n * sizeof *o->label);
    memcpy(o->kind, g->edge_kind + begin, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = o->row[i].row;
        g->edge_to[begin + i] = o->to[from];
        g->edge_label[begin + i] = o->label[from];
        g->edge_kind[begin + i] = o->kind[from];
    }
}

bool references_make_order(LmpSnapshot *s) {
    SnapMemory *memory = &snap_own(s)->scratch;
    const LmpObjectGraph *g = &s->g;
    Order o = {.s = s};
    uint32_t most = 0;
    if (!rank_names(&o, memory)) return false;
    for (uint32_t i = 0; i < g->objects; i++) {
        uint32_t n = g->edge_at[i + 1] - g->edge_at[i];
        if (g->kind[i] == LMP_OBJECT_TABLE && n > most) most = n;
    }
    o.row = snap_memory_sparse(memory, most, sizeof *o.row);
    o.room = snap_memory_sparse(memory, most, sizeof *o.room);
    o.to = snap_memory_sparse(memory, most, sizeof *o.to);
    o.label = snap_memory_sparse(memory, most, sizeof *o.label);
    o.kind = snap_memory_sparse(memory, most, sizeof *o.kind);
    if (!o.row || !o.room || !o.to || !o.label || !o.kind) return false;
    for (uint32_t i = 0; i < g->objects; i++) {
        if (!(i & SNAP_TICK) && !snap_tick(s, i)) return false;
        if (g->kind[i] == LMP_OBJECT_TABLE)
            sort_table(&o, g->edge_at[i], g->edge_at[i + 1] - g->edge_at[i]);
    }
    snap_memory_free(memory); /* few of its pages were touched: no use to the next step */
    return true;
}

/* ---- to each object -------------------------------------------------------------------------- */

bool references_make_incoming(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory;
    const LmpObjectGraph *g = &s->g;
    s->in_at = snap_memory_take(own, (size_t)g->objects + 2, sizeof *s->in_at);
    s->in = snap_memory_rough(own, g->edges, sizeof *s->in);
    s->in_from = snap_memory_rough(own, g->edges, sizeof *s->in_from);
    if (!s->in_at || !s->in || !s->in_from) return false;
    uint32_t *counts =
        s->in_at + 2; /* two ahead: filling moves each to its end, the next's begin */
    for (uint32_t e = 0; e < g->edges; e++)
        counts[g->edge_to[e]]++;
    for (uint32_t i = 2; i <= g->objects; i++)
        s->in_at[i] += s->in_at[i - 1];
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            uint32_t k = s->in_at[g->edge_to[e] + 1]++;
            s->in[k] = e;
            s->in_from[k] = i;
        }
    return true;
}
