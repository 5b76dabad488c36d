/* reach.c - who is held by the root, and the shortest path to each.
 *
 * Values in tables with weak keys (ephemerons) are held when table and key are. A first pass finds
 * who is held, trying each such value from its table's side and from its key's, whichever is met
 * later: linear, no rounds. From then on an ephemeron whose table is held is a reference from the
 * key to the value, which is what paths and dominators go by; a reference from the table as well
 * would need an "and", which neither can say.
 *
 * Paths are found breadth first, in three rounds, each to its end before the next begins, so that
 * names come from where a user would look: first globals, loaded modules and the stacks; then the
 * registry's other entries and metatables of basic types; then what only the interpreter holds. */
#include <string.h>

#include "read/snapshot/snapshot_impl.h"

typedef struct Walk {
    LmpSnapshot *s;
    uint64_t *held; /* set */
    uint32_t *queue;
    uint32_t head, tail;
} Walk;

/* ---- who is held ----------------------------------------------------------------------------- */

static void hold(Walk *w, uint32_t i) {
    if (snap_set_has(w->held, i)) return;
    snap_set_add(w->held, i);
    w->queue[w->tail++] = i;
}

static void hold_all(Walk *w, const SnapEphemerons *by_key) {
    const LmpObjectGraph *g = &w->s->g;
    hold(w, 0);
    while (w->head < w->tail) {
        uint32_t i = w->queue[w->head++];
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            if (snapshot_holds(w->s, e)) hold(w, g->edge_to[e]);
            if (snap_ephemeron(g, e) && snap_set_has(w->held, g->edge_label[e]))
                hold(w, g->edge_to[e]);
        }
        for (uint32_t k = by_key->at[i]; k < by_key->at[i + 1]; k++)
            if (snap_set_has(w->held, by_key->table[k])) hold(w, g->edge_to[by_key->edge[k]]);
    }
}

/* ---- ephemerons by key ----------------------------------------------------------------------- */

static bool any_ephemeron(const LmpObjectGraph *g) {
    for (uint32_t e = 0; e < g->edges; e++)
        if (snap_ephemeron(g, e)) return true;
    return false;
}

/* `held` NULL: all of them. */
static bool by_key_make(SnapEphemerons *out, SnapMemory *memory, const LmpObjectGraph *g,
                        const uint64_t *held) {
    uint32_t n = 0;
    out->at = snap_memory_take(memory, (size_t)g->objects + 2, sizeof *out->at);
    if (!out->at) return false;
    uint32_t *counts = out->at + 2; /* two ahead: filling moves each to its end, the next's begin */
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
            if (snap_ephemeron(g, e) && (!held || snap_set_has(held, i))) {
                counts[g->edge_label[e]]++;
                n++;
            }
    out->edge = snap_memory_take(memory, n, sizeof *out->edge);
    out->table = snap_memory_take(memory, n, sizeof *out->table);
    if (!out->edge || !out->table) return false;
    for (uint32_t i = 2; i <= g->objects; i++)
        out->at[i] += out->at[i - 1];
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
            if (snap_ephemeron(g, e) && (!held || snap_set_has(held, i))) {
                uint32_t k = out->at[g->edge_label[e] + 1]++;
                out->edge[k] = e;
                out->table[k] = i;
            }
    return true;
}

static bool ephemerons_make(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    if (!any_ephemeron(&s->g)) return true;
    SnapMemory *memory = &own->scratch;
    SnapEphemerons all;
    Walk w = {.s = s};
    w.held = snap_memory_take(memory, snap_set_words(s->g.objects), sizeof *w.held);
    w.queue = snap_memory_rough(memory, s->g.objects, sizeof *w.queue);
    if (!w.held || !w.queue || !by_key_make(&all, memory, &s->g, NULL)) return false;
    hold_all(&w, &all);
    bool made = by_key_make(&own->ephemerons, &own->memory, &s->g, w.held);
    snap_memory_again(memory);
    return made;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Names come from where people look: first globals and loaded modules, then what runs, then the
 * rest of the registry; last what is no reference of the program's. */
enum { ROUND_NAMES, ROUND_FRAMES, ROUND_REGISTRY, ROUND_REST, ROUNDS };

/* In which round a reference from the root or the registry is followed. */
static int round_of(const LmpSnapshot *s, uint32_t from, uint32_t edge) {
    unsigned kind = s->g.edge_kind[edge] & LMP_EDGE_KIND;
    uint32_t label = s->g.edge_label[edge];
    if (from == s->registry) {
        enum { MAIN_THREAD = 1, GLOBALS = 2 }; /* LUA_RIDX_ */
        if (kind == LMP_EDGE_INDEX && label == MAIN_THREAD) return ROUND_FRAMES;
        if (kind == LMP_EDGE_INDEX && label == GLOBALS) return ROUND_NAMES;
        bool loaded = kind == LMP_EDGE_FIELD && snap_is_text(s, label, "_LOADED");
        return loaded ? ROUND_NAMES : ROUND_REGISTRY;
    }
    if (kind == LMP_EDGE_LOT) return ROUND_REST;
    if (kind != LMP_EDGE_ROOT || label == LMP_ROOT_REGISTRY) return ROUND_NAMES;
    if (label >= LMP_ROOT_METATABLE) return ROUND_REGISTRY;
    return label == LMP_ROOT_FINALIZING || label == LMP_ROOT_FIXED ? ROUND_REST : ROUND_FRAMES;
}

static void arrive(Walk *w, uint32_t from, uint32_t edge) {
    LmpSnapshot *s = w->s;
    uint32_t to = s->g.edge_to[edge];
    if (snap_set_has(w->held, to)) return;
    snap_set_add(w->held, to);
    s->parent[to] = from;
    s->parent_edge[to] = edge;
    s->distance[to] = s->distance[from] + 1;
    w->queue[w->tail++] = to;
}

/* Follows the references of the root or the registry whose round it is. */
static void follow_some(Walk *w, uint32_t from, int round) {
    const LmpObjectGraph *g = &w->s->g;
    for (uint32_t e = g->edge_at[from]; e < g->edge_at[from + 1]; e++)
        if (snapshot_holds(w->s, e) && round_of(w->s, from, e) == round) arrive(w, from, e);
}

/* Follows the references of a thread that are, or are not, temporaries of a call. */
static void follow_thread(Walk *w, uint32_t from, bool temporaries) {
    const LmpObjectGraph *g = &w->s->g;
    for (uint32_t e = g->edge_at[from]; e < g->edge_at[from + 1]; e++)
        if (snapshot_holds(w->s, e) && snapshot_is_temporary(w->s, e) == temporaries)
            arrive(w, from, e);
}

static void walk_to_the_end(Walk *w, int round) {
    const LmpSnapshot *s = w->s;
    const LmpObjectGraph *g = &s->g;
    const SnapEphemerons *by_key = &snap_own(s)->ephemerons;
    while (w->head < w->tail) {
        uint32_t i = w->queue[w->head++];
        if (!(w->head & SNAP_TICK) && !snap_tick(w->s, w->head)) return;
        if (i == 0 || i == s->registry) {
            for (int r = 0; r <= round; r++)
                follow_some(w, i, r);
        } else if (g->kind[i] == LMP_OBJECT_THREAD) {
            follow_thread(w, i, false); /* those with names first */
            follow_thread(w, i, true);
        } else {
            for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
                if (snapshot_holds(s, e)) arrive(w, i, e);
        }
        if (!by_key->at) continue;
        for (uint32_t k = by_key->at[i]; k < by_key->at[i + 1]; k++)
            arrive(w, i, by_key->edge[k]);
    }
}

static void count(LmpSnapshot *s) {
    const LmpObjectGraph *g = &s->g;
    for (uint32_t i = 1; i < g->objects; i++) {
        uint64_t size = snapshot_counted(s, i);
        if (g->flags[i] & LMP_OBJECT_BEFORE) {
            s->before_objects++;
            s->before_bytes += g->size[i];
        }
        if (snapshot_garbage(s, i)) {
            s->garbage_objects++;
            s->garbage_bytes += size;
        } else {
            s->reachable_objects++;
            s->reachable_bytes += size;
        }
    }
}

bool reach_make(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory, *memory = &snap_own(s)->scratch;
    uint32_t n = s->g.objects;
    if (!ephemerons_make(s)) return false;
    Walk w = {.s = s};
    s->distance = snap_memory_rough(own, n, sizeof *s->distance);
    s->parent = snap_memory_rough(own, n, sizeof *s->parent);
    s->parent_edge = snap_memory_rough(own, n, sizeof *s->parent_edge);
    w.held = snap_memory_take(memory, snap_set_words(n), sizeof *w.held);
    w.queue = snap_memory_rough(memory, n, sizeof *w.queue);
    if (!s->distance || !s->parent || !s->parent_edge || !w.held || !w.queue) return false;
    memset(s->distance, 0xff, n * sizeof *s->distance);
    memset(s->parent, 0xff, n * sizeof *s->parent);
    memset(s->parent_edge, 0xff, n * sizeof *s->parent_edge);
    s->distance[0] = 0;
    snap_set_add(w.held, 0);
    w.queue[w.tail++] = 0;
    for (int round = 0; round < ROUNDS; round++) {
        walk_to_the_end(&w, round);
        if (round + 1 == ROUNDS) break;
        follow_some(&w, 0, round + 1);
        if (s->registry != LMP_OBJECT_NONE && !snapshot_garbage(s, s->registry))
            follow_some(&w, s->registry, round + 1);
    }
    count(s);
    snap_memory_again(memory);
    return true;
}
