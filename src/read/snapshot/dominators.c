/* dominators.c - immediate dominators of all that is held, by semi-NCA (Georgiadis, Tarjan), and
 * what follows from them: retained sizes, and who is retained by whom, largest first.
 *
 * It works on numbers of a depth-first walk, not of objects: neighbours in the heap are neighbours
 * there, so that what is read is mostly in the processor's caches. Nothing recurses; a
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
    bool all_hold; /* there are no references that do not */
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
    d->all_hold = all_hold(d->s);
    if (d->all_hold) return true;
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

/* Who is above one whose turn comes in so many steps is read ahead, stage by stage, as each needs
 * what the one before has fetched. Of those that many refer to, only the first few. */
static void look_ahead(const Doms *d, const Link *link, uint32_t v) {
    const uint32_t *in_at = d->s->in_at, *in_from = d->s->in_from;
    if (v <= 4 * AHEAD) return;
    __builtin_prefetch(&in_at[d->order[v - 4 * AHEAD]]);
    __builtin_prefetch(&in_from[in_at[d->order[v - 3 * AHEAD]]]);
    uint32_t far = d->order[v - 2 * AHEAD], near = d->order[v - AHEAD];
    for (uint32_t k = in_at[far]; k < in_at[far + 1] && k < in_at[far] + AHEAD; k++)
        __builtin_prefetch(&d->number[in_from[k]]);
    for (uint32_t k = in_at[near]; k < in_at[near + 1] && k < in_at[near] + AHEAD; k++) {
        uint32_t u = d->number[in_from[k]];
        if (u != LMP_OBJECT_NONE) __builtin_prefetch(&link[u]);
    }
}

/* Returns the number of who holds by the k-th reference of all; LMP_OBJECT_NONE: nobody. */
static uint32_t holder(const Doms *d, uint32_t k) {
    uint32_t from = d->all_hold ? d->s->in_from[k] : snap_holder_of(d->s, k);
    return from == LMP_OBJECT_NONE ? from : d->number[from];
}

/* The least semi there is from the number at hand up to the end of each block of numbers. Who asks
 * a number of that block finds no less; so whoever has as little already need not ask. Where one
 * table holds millions that is nearly all of them. */
enum { BLOCK = 12 /* bits */ };

typedef struct Semis {
    Link *link;
    uint32_t *stack;
    uint32_t *least; /* by block, but for the numbers of the one at hand */
    uint32_t now;    /* among these */
} Semis;

static uint32_t semi_of(const Doms *d, const Semis *m, uint32_t v) {
    uint32_t begin = d->s->in_at[d->order[v]], end = d->s->in_at[d->order[v] + 1];
    uint32_t semi = d->parent[v];
    for (uint32_t k = begin; k < end; k++) {
        uint32_t u = holder(d, k);
        if (u < semi) semi = u;
    }
    for (uint32_t k = begin; k < end && semi > 0; k++) {
        uint32_t u = holder(d, k);
        if (u == LMP_OBJECT_NONE || u <= v) continue;
        if (semi <= m->now && semi <= m->least[u >> BLOCK]) continue;
        uint32_t via = least_semi(m->link, m->stack, u, v);
        if (via < semi) semi = via;
    }
    return semi;
}

/* The block at hand is over. */
static void next_block(Semis *m, uint32_t block, uint32_t blocks) {
    for (; block < blocks; block++)
        if (m->now < m->least[block]) m->least[block] = m->now;
    m->now = UINT32_MAX;
}

static bool semi_nca(Doms *d) {
    uint32_t blocks = (d->n >> BLOCK) + 1;
    Semis m = {snap_memory_rough(d->memory, d->n, sizeof *m.link),
               snap_memory_sparse(d->memory, d->n, sizeof *m.stack),
               snap_memory_rough(d->memory, blocks, sizeof *m.least), UINT32_MAX};
    if (!m.link || !m.stack || !m.least) return false;
    memset(m.least, 0xff, blocks * sizeof *m.least);
    for (uint32_t v = 0; v < d->n; v++)
        m.link[v] = (Link){d->parent[v], v};
    for (uint32_t v = d->n - 1; v > 0; v--) {
        if (!(v & SNAP_TICK) && !snap_tick(d->s, d->n - v / 2)) return false;
        look_ahead(d, m.link, v);
        uint32_t semi = semi_of(d, &m, v);
        m.link[v].semi = d->idom[v] = semi; /* link[].semi changes as ways become shorter */
        if (semi < m.now) m.now = semi;
        if (!(v & ((1u << BLOCK) - 1))) next_block(&m, v >> BLOCK, blocks);
    }
    d->idom[0] = 0;
    for (uint32_t v = 1; v < d->n; v++) {
        uint32_t i = d->parent[v];
        while (i > d->idom[v])
            i = d->idom[i];
        d->idom[v] = i;
    }
    snap_memory_put(d->memory, m.link);
    snap_memory_put(d->memory, m.stack);
    return true;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Of one number, what is asked together. */
typedef struct Sum {
    uint64_t bytes;   /* retained */
    uint32_t objects; /* dominated, itself among them */
    uint32_t next;    /* the number in the dominators' tree that its next child gets */
} Sum;

/* Sums up from the last number to the first: whoever is dominated has a higher one. */
static void sum_up(const Doms *d, Sum *sum, uint64_t *before) {
    for (uint32_t v = d->n - 1; v > 0; v--) {
        Sum *of = &sum[v], *to = &sum[d->idom[v]];
        to->bytes += of->bytes;
        to->objects += of->objects;
        if (before && before[v]) before[d->idom[v]] += before[v];
    }
}

/* Numbers such that all that one dominates follows it. In the end `next` is what comes after all of
 * that. */
static void number_tree(const Doms *d, Sum *sum) {
    LmpSnapshot *s = d->s;
    sum[0].next = 1;
    s->in_tree[0] = 0;
    for (uint32_t v = 1; v < d->n; v++) {
        Sum *of = &sum[v], *above = &sum[d->idom[v]];
        uint32_t at = above->next;
        s->in_tree[at] = d->order[v];
        of->next = at + 1;
        above->next += of->objects;
    }
}

static bool retain(Doms *d) {
    LmpSnapshot *s = d->s;
    const LmpObjectGraph *g = &s->g;
    Sum *sum = snap_memory_rough(d->memory, d->n, sizeof *sum);
    uint64_t *before = s->before_objects ? snap_memory_take(d->memory, d->n, sizeof *before) : NULL;
    if (!sum || (s->before_objects && !before)) return false;
    for (uint32_t v = 0; v < d->n; v++) {
        uint32_t i = d->order[v];
        sum[v] = (Sum){.bytes = snapshot_counted(s, i), .objects = 1};
        if (before && g->flags[i] & LMP_OBJECT_BEFORE) before[v] = g->size[i];
    }
    sum_up(d, sum, before);
    number_tree(d, sum);
    for (uint32_t i = 0; i < g->objects; i++) {
        uint32_t v = d->number[i];
        if (v == LMP_OBJECT_NONE) {
            s->retained[i] = snapshot_counted(s, i);
            if (g->flags[i] & LMP_OBJECT_BEFORE) s->retained_before[i] = g->size[i];
            s->idom[i] = s->tree_at[i] = s->tree_end[i] = LMP_OBJECT_NONE;
            continue;
        }
        const Sum *of = &sum[v];
        s->retained[i] = of->bytes;
        if (before && before[v]) s->retained_before[i] = before[v];
        s->idom[i] = v ? d->order[d->idom[v]] : LMP_OBJECT_NONE;
        s->tree_at[i] = of->next - of->objects;
        s->tree_end[i] = of->next;
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
    SortPair *child = snap_memory_rough(d->memory, most, 2 * sizeof *child);
    if (!child) return false;
    for (uint32_t i = 0; i < objects; i++) {
        uint32_t *of = s->child + s->child_at[i], n = s->child_at[i + 1] - s->child_at[i];
        if (n < 2) continue;
        for (uint32_t k = 0; k < n; k++)
            child[k] = (SortPair){s->retained[of[k]], of[k]};
        pairsort(child, child + n, n);
        for (uint32_t k = 0; k < n; k++)
            of[k] = child[k].row;
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
    s->in_tree = snap_memory_rough(own, objects, sizeof *s->in_tree);
    s->retained = snap_memory_rough(own, objects, sizeof *s->retained);
    s->retained_before = snap_memory_sparse(own, objects, sizeof *s->retained_before);
    s->child_at = snap_memory_take(own, (size_t)objects + 2, sizeof *s->child_at);
    s->child = snap_memory_rough(own, objects, sizeof *s->child);
    d.number = snap_memory_rough(d.memory, objects, sizeof *d.number);
    d.order = snap_memory_rough(d.memory, objects, sizeof *d.order);
    d.parent = snap_memory_rough(d.memory, objects, sizeof *d.parent);
    d.idom = snap_memory_rough(d.memory, objects, sizeof *d.idom);
    bool made = s->idom && s->tree_at && s->tree_end && s->in_tree && s->retained &&
                s->retained_before && s->child_at && s->child && d.number && d.order && d.parent &&
                d.idom;
    made = made && flow_make(&d) && walk(&d) && semi_nca(&d) && retain(&d) && children(&d);
    snap_memory_again(d.memory);
    return made;
}
