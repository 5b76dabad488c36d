/* dominators.c - immediate dominators of all that is held, by semi-NCA (Georgiadis, Tarjan), and
 * what follows from them: retained sizes, and who is retained by whom, largest first.
 *
 * All of it works on numbers of a depth-first walk, not of objects: neighbours in the heap are
 * neighbours there, so that what is read is mostly in the processor's caches. Nothing recurses; a
 * list of millions is as deep as it is long. */
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
    SnapMemory memory;
    Flow flow;
    uint32_t n;               /* objects that are held; their numbers are 0 to n - 1 */
    uint32_t *number, *order; /* of each object, and back */
    uint32_t *parent;         /* in the walk's tree, by number, as all below */
    uint32_t *idom;
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
    const LmpHeapGraph *g = &d->s->g;
    const SnapEphemerons *by_key = &snap_own(d->s)->ephemerons;
    d->flow = (Flow){g->edge_at, g->edge_to};
    if (all_hold(d->s)) return true;
    uint32_t more = by_key->at ? by_key->at[g->objects] : 0, n = 0;
    uint32_t *at = snapmem_take(&d->memory, (size_t)g->objects + 1, sizeof *at);
    uint32_t *to = snapmem_take(&d->memory, (size_t)g->edges + more, sizeof *to);
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

typedef struct Visit {
    uint32_t number, next, end; /* references still to follow */
} Visit;

static bool walk(Doms *d) {
    uint32_t objects = d->s->g.objects;
    const uint32_t *at = d->flow.at, *to = d->flow.to;
    SnapMemory memory = {0};
    Visit *stack = snapmem_take(&memory, objects, sizeof *stack);
    if (!stack) {
        snapmem_free(&memory);
        return false;
    }
    memset(d->number, 0xff, objects * sizeof *d->number);
    uint32_t n = 1, depth = 1;
    d->number[0] = 0;
    stack[0] = (Visit){0, at[0], at[1]};
    while (depth) {
        Visit *v = &stack[depth - 1];
        if (v->next == v->end) {
            depth--;
            continue;
        }
        uint32_t i = to[v->next++];
        if (d->number[i] != LMP_HEAP_NONE) continue;
        d->number[i] = n;
        d->order[n] = i;
        d->parent[n] = v->number;
        if (at[i] < at[i + 1]) stack[depth++] = (Visit){n, at[i], at[i + 1]};
        n++;
    }
    d->n = n;
    snapmem_free(&memory);
    return true;
}

/* Sorts all references by their target, in numbers. Those from a parent are left out, and those to
 * the root. */
static bool predecessors(Doms *d) {
    const uint32_t *at = d->flow.at, *to = d->flow.to;
    d->pred_at = snapmem_take(&d->memory, (size_t)d->n + 2, sizeof *d->pred_at);
    if (!d->pred_at) return false;
    uint32_t *count = d->pred_at + 2;
    for (uint32_t n = 0; n < d->n; n++)
        for (uint32_t i = d->order[n], e = at[i]; e < at[i + 1]; e++) {
            uint32_t m = d->number[to[e]];
            if (m && d->parent[m] != n) count[m]++;
        }
    for (uint32_t m = 2; m <= d->n; m++)
        d->pred_at[m] += d->pred_at[m - 1];
    uint32_t all = d->pred_at[d->n] + d->pred_at[d->n + 1];
    d->pred = snapmem_take(&d->memory, all, sizeof *d->pred);
    if (!d->pred) return false;
    for (uint32_t n = 0; n < d->n; n++)
        for (uint32_t i = d->order[n], e = at[i]; e < at[i + 1]; e++) {
            uint32_t m = d->number[to[e]];
            if (m && d->parent[m] != n) d->pred[d->pred_at[m + 1]++] = n;
        }
    return true;
}

/* ---- semi-NCA -------------------------------------------------------------------------------- */

/* The least semi of `v` and its ancestors of which the semi is known, which are those above number
 * `last`; and makes the way shorter for who asks next. */
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
    SnapMemory memory = {0};
    Link *link = snapmem_take(&memory, d->n, sizeof *link);
    uint32_t *stack = snapmem_take(&memory, d->n, sizeof *stack);
    if (!link || !stack) {
        snapmem_free(&memory);
        return false;
    }
    for (uint32_t v = 0; v < d->n; v++)
        link[v] = (Link){d->parent[v], v};
    for (uint32_t v = d->n - 1; v > 0; v--) {
        uint32_t semi = d->parent[v];
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
    snapmem_free(&memory);
    return true;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Sums up from the last number to the first: whoever is dominated has a higher one. */
static void sum_up(const Doms *d, uint64_t *sum) {
    for (uint32_t v = d->n - 1; v > 0; v--)
        sum[d->idom[v]] += sum[v];
}

static bool retain(Doms *d) {
    LmpSnapshot *s = d->s;
    const LmpHeapGraph *g = &s->g;
    SnapMemory memory = {0};
    uint64_t *sum = snapmem_take(&memory, d->n, sizeof *sum);
    uint64_t *before = s->before_objects ? snapmem_take(&memory, d->n, sizeof *before) : NULL;
    bool made = sum && (before || !s->before_objects);
    if (made) {
        for (uint32_t v = 0; v < d->n; v++) {
            uint32_t i = d->order[v];
            bool old = g->flags[i] & LMP_HEAP_BEFORE;
            sum[v] = i && !old ? g->size[i] : 0;
            if (before) before[v] = old ? g->size[i] : 0;
        }
        sum_up(d, sum);
        if (before) sum_up(d, before);
        for (uint32_t i = 0; i < g->objects; i++) {
            uint32_t v = d->number[i];
            bool old = g->flags[i] & LMP_HEAP_BEFORE, held = v != LMP_HEAP_NONE;
            s->retained[i] = held ? sum[v] : snapshot_counted(s, i);
            s->retained_before[i] = held && before ? before[v] : !held && old ? g->size[i] : 0;
            s->idom[i] = held && v ? d->order[d->idom[v]] : LMP_HEAP_NONE;
        }
    }
    snapmem_free(&memory);
    return made;
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
    SnapMemory memory = {0};
    SnapSized *child = snapmem_take(&memory, most, 2 * sizeof *child);
    for (uint32_t i = 0; child && i < objects; i++) {
        uint32_t *of = s->child + s->child_at[i], n = s->child_at[i + 1] - s->child_at[i];
        if (n < 2) continue;
        for (uint32_t k = 0; k < n; k++)
            child[k] = (SnapSized){s->retained[of[k]], of[k]};
        snapsort(child, child + n, n);
        for (uint32_t k = 0; k < n; k++)
            of[k] = child[k].object;
    }
    snapmem_free(&memory);
    return child;
}

bool dominators_make(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory;
    uint32_t objects = s->g.objects;
    Doms d = {.s = s};
    s->idom = snapmem_take(own, objects, sizeof *s->idom);
    s->retained = snapmem_take(own, objects, sizeof *s->retained);
    s->retained_before = snapmem_take(own, objects, sizeof *s->retained_before);
    s->child_at = snapmem_take(own, (size_t)objects + 2, sizeof *s->child_at);
    s->child = snapmem_take(own, objects, sizeof *s->child);
    d.number = snapmem_take(&d.memory, objects, sizeof *d.number);
    d.order = snapmem_take(&d.memory, objects, sizeof *d.order);
    d.parent = snapmem_take(&d.memory, objects, sizeof *d.parent);
    d.idom = snapmem_take(&d.memory, objects, sizeof *d.idom);
    bool made = s->idom && s->retained && s->retained_before && s->child_at && s->child &&
                d.number && d.order && d.parent && d.idom;
    made = made && flow_make(&d) && walk(&d) && predecessors(&d) && semi_nca(&d) && retain(&d) &&
           children(&d);
    snapmem_free(&d.memory);
    return made;
}
