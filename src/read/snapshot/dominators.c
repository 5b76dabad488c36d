/* dominators.c - immediate dominators of all that is held, by semi-NCA (Georgiadis, Tarjan), and
 * what follows from them: retained sizes, and who is retained by whom, largest first.
 *
 * All of it works on numbers of a depth-first walk, not of objects: neighbours in the heap are
 * neighbours there, so that what is read is mostly in the processor's caches. Nothing recurses; a
 * list of millions is as deep as it is long. The simpler way of Cooper, Harvey and Kennedy is
 * quadratic for a doubly linked list. */
#include <string.h>

#include "read/snapshot/snapshot_impl.h"

/* References that hold: all of the graph's, or a copy without those that do not, and with
 * ephemerons. */
typedef struct Flow {
    const uint32_t *at, *to;
} Flow;

typedef struct Link {
    uint32_t above; /* a tree ancestor: the parent, later further up */
    uint32_t semi;  /* the least from below `above` to here */
} Link;

typedef struct Doms {
    LmpSnapshot *s;
    SnapMemory *memory;
    Flow flow;
    uint32_t n;               /* objects that are held; their numbers are 0 to n - 1 */
    uint32_t *number, *order; /* of each object, and back */
    uint32_t *parent;         /* in the walk's tree, by number, as all below */
    uint32_t *idom;
    uint32_t *ref_at, *ref;   /* whom it refers to */
    uint32_t *pred_at, *pred; /* who refers to it, but for the parent; the root has none */
} Doms;

/* ---- which references ------------------------------------------------------------------------ */

static bool all_hold(const LmpSnapshot *s) {
    uint8_t any = 0;
    for (uint32_t e = 0; e < s->g.edges; e++)
        any |= s->g.edge_kind[e];
    return !(any & (LMP_EDGE_WEAK | LMP_EDGE_EPHEMERON));
}

static bool flow_make(Doms *d) {
    const LmpObjectGraph *g = &d->s->g;
    const SnapEphemerons *by_key = &snap_own(d->s)->ephemerons;
    d->flow = (Flow){g->edge_at, g->edge_to};
    if (all_hold(d->s)) return true;
    uint32_t more = by_key->at ? by_key->at[g->objects] : 0, n = 0;
    uint32_t *at = snap_memory_rough(d->memory, (size_t)g->objects + 1, sizeof *at);
    uint32_t *to = snap_memory_rough(d->memory, (size_t)g->edges + more, sizeof *to);
    if (!at || !to) return false;
    for (uint32_t i = 0; i < g->objects; i++) {
        at[i] = n;
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
            if (snapshot_holds(d->s, e)) to[n++] = g->edge_to[e];
        for (uint32_t k = more ? by_key->at[i] : 0; more && k < by_key->at[i + 1]; k++)
            to[n++] = g->edge_to[by_key->edge[k]];
    }
    at[g->objects] = n;
    d->flow = (Flow){at, to};
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* In a large heap the next one lies anywhere, so the processor is told ahead what will be read. */
enum { AHEAD = 8 };

typedef struct Visit {
    uint32_t number, next, end; /* references still to follow */
} Visit;

static bool walk(Doms *d) {
    uint32_t objects = d->s->g.objects;
    const uint32_t *at = d->flow.at, *to = d->flow.to;
    Visit *stack = snap_memory_sparse(d->memory, objects, sizeof *stack);
    if (!stack) return false;
    memset(d->number, 0xff, objects * sizeof *d->number);
    uint32_t n = 1, depth = 1;
    d->number[0] = d->order[0] = d->parent[0] = 0;
    stack[0] = (Visit){0, at[0], at[1]};
    while (depth) {
        Visit *v = &stack[depth - 1];
        if (v->next == v->end) {
            depth--;
            continue;
        }
        uint32_t i = to[v->next++];
        if (d->number[i] != LMP_OBJECT_NONE) continue;
        if (!(n & SNAP_TICK) && !snap_tick(d->s, n / 2)) return false;
        d->number[i] = n;
        d->order[n] = i;
        d->parent[n] = v->number;
        if (at[i] < at[i + 1]) {
            stack[depth++] = (Visit){n, at[i], at[i + 1]};
            for (uint32_t e = at[i]; e < at[i + 1] && e < at[i] + AHEAD; e++) {
                __builtin_prefetch(&d->number[to[e]]);
                __builtin_prefetch(&at[to[e]]);
            }
        }
        n++;
    }
    d->n = n;
    snap_memory_put(d->memory, stack);
    return true;
}

/* The references by numbers, in the order of who refers: to[n] to to[n + 1] - 1 are of number n. */
static bool by_numbers(Doms *d) {
    const uint32_t *at = d->flow.at, *to = d->flow.to, *order = d->order;
    d->ref_at = snap_memory_rough(d->memory, (size_t)d->n + 1, sizeof *d->ref_at);
    d->ref = snap_memory_rough(d->memory, at[d->s->g.objects], sizeof *d->ref);
    if (!d->ref_at || !d->ref) return false;
    uint32_t k = 0, last = d->n - 1;
    for (uint32_t n = 0; n < d->n; n++) {
        uint32_t far = order[last - n > 2 * AHEAD ? n + 2 * AHEAD : last];
        uint32_t near = order[last - n > AHEAD ? n + AHEAD : last], i = order[n];
        __builtin_prefetch(&at[far]);
        __builtin_prefetch(&to[at[near]]);
        uint32_t next = order[n < last ? n + 1 : last];
        for (uint32_t e = at[next]; e < at[next + 1] && e < at[next] + AHEAD; e++)
            __builtin_prefetch(&d->number[to[e]]);
        d->ref_at[n] = k;
        for (uint32_t e = at[i]; e < at[i + 1]; e++)
            d->ref[k++] = d->number[to[e]];
    }
    d->ref_at[d->n] = k;
    return true;
}

/* Sorts all references by their target. Those from a parent are left out, and those to the root. */
static bool predecessors(Doms *d) {
    const uint32_t *ref = d->ref, *ref_at = d->ref_at;
    d->pred_at = snap_memory_take(d->memory, (size_t)d->n + 2, sizeof *d->pred_at);
    if (!d->pred_at) return false;
    uint32_t *count = d->pred_at + 2, all = ref_at[d->n], kept = 0;
    for (uint32_t n = 0; n < d->n; n++)
        for (uint32_t k = ref_at[n]; k < ref_at[n + 1]; k++) {
            if (k + 2 * AHEAD < all) __builtin_prefetch(&count[ref[k + 2 * AHEAD]]);
            if (!ref[k] || d->parent[ref[k]] == n) continue;
            count[ref[k]]++;
            kept++;
        }
    for (uint32_t m = 2; m <= d->n; m++)
        d->pred_at[m] += d->pred_at[m - 1];
    d->pred = snap_memory_rough(d->memory, kept, sizeof *d->pred);
    if (!d->pred) return false;
    for (uint32_t n = 0; n < d->n; n++)
        for (uint32_t k = ref_at[n]; k < ref_at[n + 1]; k++) {
            if (k + 2 * AHEAD < all) __builtin_prefetch(&d->pred_at[ref[k + 2 * AHEAD] + 1]);
            if (ref[k] && d->parent[ref[k]] != n) d->pred[d->pred_at[ref[k] + 1]++] = n;
        }
    snap_memory_put(d->memory, d->ref);
    snap_memory_put(d->memory, d->ref_at);
    return true;
}

/* ---- semi-NCA -------------------------------------------------------------------------------- */

/* Returns the least semi of `v` and its ancestors of which the semi is known, which are those above
 * number `last`; and makes the way shorter for who asks next. */
static uint32_t least_semi(Link *link, uint32_t *stack, uint32_t v, uint32_t last) {
    if (link[v].above <= last) return link[v].semi;
    uint32_t depth = 0;
    do {
        stack[depth++] = v;
        v = link[v].above;
    } while (link[v].above > last);
    uint32_t least = link[v].semi, top = link[v].above;
    while (depth) {
        Link *l = &link[stack[--depth]];
        l->above = top;
        if (l->semi < least)
            least = l->semi;
        else
            l->semi = least;
    }
    return least;
}

static bool semi_nca(Doms *d) {
    Link *link = snap_memory_rough(d->memory, d->n, sizeof *link);
    uint32_t *stack = snap_memory_sparse(d->memory, d->n, sizeof *stack);
    if (!link || !stack) return false;
    for (uint32_t v = 0; v < d->n; v++)
        link[v] = (Link){d->parent[v], v};
    for (uint32_t v = d->n - 1; v > 0; v--) {
        uint32_t semi = d->parent[v], soon = v > AHEAD ? v - AHEAD : 0;
        if (!(v & SNAP_TICK) && !snap_tick(d->s, d->n - v / 2)) return false;
        for (uint32_t k = d->pred_at[soon]; k < d->pred_at[soon + 1]; k++)
            __builtin_prefetch(&link[d->pred[k]]);
        for (uint32_t k = d->pred_at[v]; k < d->pred_at[v + 1]; k++) {
            uint32_t u = d->pred[k];
            uint32_t via = u <= v ? u : least_semi(link, stack, u, v);
            if (via < semi) semi = via;
        }
        link[v].semi = d->idom[v] = semi; /* link[].semi changes as ways become shorter */
    }
    d->idom[0] = 0;
    for (uint32_t v = 1; v < d->n; v++) {
        uint32_t i = d->parent[v];
        while (i > d->idom[v])
            i = d->idom[i];
        d->idom[v] = i;
    }
    snap_memory_put(d->memory, link);
    snap_memory_put(d->memory, stack);
    return true;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Of one number, what is asked together. */
typedef struct Sum {
    uint64_t bytes, before; /* retained */
    uint32_t objects;       /* dominated, itself among them */
    uint32_t at, next;      /* its number in the dominator tree, and the next child's */
    uint32_t idom;          /* the object */
} Sum;

/* Sums up from the last number to the first: whoever is dominated has a higher one. */
static void sum_up(const Doms *d, Sum *sum) {
    for (uint32_t v = d->n - 1; v > 0; v--) {
        Sum *of = &sum[v], *to = &sum[d->idom[v]];
        to->bytes += of->bytes;
        to->before += of->before;
        to->objects += of->objects;
    }
}

/* Numbers such that all that one dominates follows it. */
static void number_tree(const Doms *d, Sum *sum) {
    sum[0].at = 0;
    sum[0].next = 1;
    for (uint32_t v = 1; v < d->n; v++) {
        Sum *of = &sum[v], *above = &sum[d->idom[v]];
        of->at = above->next;
        of->next = of->at + 1;
        above->next += of->objects;
    }
}

static bool retain(Doms *d) {
    LmpSnapshot *s = d->s;
    const LmpObjectGraph *g = &s->g;
    Sum *sum = snap_memory_rough(d->memory, d->n, sizeof *sum);
    if (!sum) return false;
    for (uint32_t v = 0; v < d->n; v++) {
        uint32_t i = d->order[v];
        uint64_t size = i ? g->size[i] : 0;
        bool old = g->flags[i] & LMP_OBJECT_BEFORE;
        sum[v] = (Sum){.bytes = old ? 0 : size,
                       .before = old ? size : 0,
                       .objects = 1,
                       .idom = v ? d->order[d->idom[v]] : LMP_OBJECT_NONE};
    }
    sum_up(d, sum);
    number_tree(d, sum);
    for (uint32_t i = 0; i < g->objects; i++) {
        uint32_t v = d->number[i];
        bool old = g->flags[i] & LMP_OBJECT_BEFORE;
        if (v == LMP_OBJECT_NONE) {
            s->retained[i] = snapshot_counted(s, i);
            if (old) s->retained_before[i] = g->size[i];
            s->idom[i] = s->tree_at[i] = s->tree_end[i] = LMP_OBJECT_NONE;
            continue;
        }
        const Sum *of = &sum[v];
        s->retained[i] = of->bytes;
        if (s->before_objects) s->retained_before[i] = of->before;
        s->idom[i] = of->idom;
        s->tree_at[i] = of->at;
        s->tree_end[i] = of->at + of->objects;
    }
    return true;
}

static bool children(Doms *d) {
    LmpSnapshot *s = d->s;
    uint32_t objects = s->g.objects, most = 0;
    uint32_t *counts = s->child_at + 2;
    for (uint32_t v = 1; v < d->n; v++)
        counts[d->order[d->idom[v]]]++;
    for (uint32_t i = 0; i < objects; i++)
        if (counts[i] > most) most = counts[i];
    for (uint32_t i = 2; i <= objects; i++)
        s->child_at[i] += s->child_at[i - 1];
    for (uint32_t v = 1; v < d->n; v++)
        s->child[s->child_at[d->order[d->idom[v]] + 1]++] = d->order[v];
    SnapSized *child = snap_memory_rough(d->memory, most, 2 * sizeof *child);
    if (!child) return false;
    for (uint32_t i = 0; i < objects; i++) {
        uint32_t *of = s->child + s->child_at[i], n = s->child_at[i + 1] - s->child_at[i];
        if (n < 2) continue;
        for (uint32_t k = 0; k < n; k++)
            child[k] = (SnapSized){s->retained[of[k]], of[k]};
        snap_sort(child, child + n, n);
        for (uint32_t k = 0; k < n; k++)
            of[k] = child[k].object;
    }
    return true;
}

bool dominators_make(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory;
    uint32_t objects = s->g.objects;
    Doms d = {.s = s, .memory = &snap_own(s)->scratch};
    s->idom = snap_memory_rough(own, objects, sizeof *s->idom);
    s->tree_at = snap_memory_rough(own, objects, sizeof *s->tree_at);
    s->tree_end = snap_memory_rough(own, objects, sizeof *s->tree_end);
    s->retained = snap_memory_rough(own, objects, sizeof *s->retained);
    s->retained_before = snap_memory_sparse(own, objects, sizeof *s->retained_before);
    s->child_at = snap_memory_take(own, (size_t)objects + 2, sizeof *s->child_at);
    s->child = snap_memory_rough(own, objects, sizeof *s->child);
    d.number = snap_memory_rough(d.memory, objects, sizeof *d.number);
    d.order = snap_memory_rough(d.memory, objects, sizeof *d.order);
    d.parent = snap_memory_rough(d.memory, objects, sizeof *d.parent);
    d.idom = snap_memory_rough(d.memory, objects, sizeof *d.idom);
    bool made = s->idom && s->tree_at && s->tree_end && s->retained && s->retained_before &&
                s->child_at && s->child && d.number && d.order && d.parent && d.idom;
    made = made && flow_make(&d) && walk(&d) && by_numbers(&d) && predecessors(&d) &&
           semi_nca(&d) && retain(&d) && children(&d);
    snap_memory_again(d.memory);
    return made;
}
