/* dominators.c - immediate dominators of all that is held, by semi-NCA (Georgiadis, Tarjan), and
 * what follows from them: retained sizes, and who is retained by whom, largest first.
 *
 * It works on numbers of a depth-first walk, not of objects, and sorts references by them before it
 * asks for each number's: so what is read is mostly in the processor's caches. References that make
 * no difference are left out before. Nothing recurses; a list of millions is as deep as it is long.
 * The simpler way of Cooper, Harvey and Kennedy is quadratic for a doubly linked list. */
#include <string.h>

#include "read/snapshot/snapshot_impl.h"

typedef struct Link {
    uint32_t above; /* a tree ancestor: the parent, later further up */
    uint32_t semi;  /* the least from below `above` to here */
} Link;

/* A reference against the walk, from a higher number to a lower one. */
typedef struct Against {
    uint32_t to, from;
} Against;

typedef struct Doms {
    LmpSnapshot *s;
    SnapMemory *memory;
    uint64_t *entered; /* set, see find_entered; NULL: all are */
    uint64_t *all;     /* set: and so are all above */
    uint32_t in_vain;
    uint32_t *flow;   /* see flow_make */
    uint32_t n;       /* objects that are held; their numbers are 0 to n - 1 */
    uint32_t *order;  /* which object has each number */
    uint32_t *parent; /* in the walk's tree, by number, as all below */
    uint32_t *idom;   /* before it is known: the least number that refers to this one */
    unsigned bits;    /* numbers that agree but for so many bits are a block */
    uint32_t *at;     /* by block: how many of `against` go to it, later where these end */
    Against *against; /* sorted by block */
} Doms;

/* ---- which references ------------------------------------------------------------------------ */

/* The shortest paths to all objects are a tree. Whose branch of it is entered from nowhere else
 * dominates all of that; so those that it holds directly are dominated by it, whoever else refers
 * to them. In most heaps that is so nearly everywhere; where it is not, looking on is in vain. */

/* Notes whose branches a reference enters: who is above `to`, but not above `from`. Where that is
 * not found in a few steps, all above `to` count as entered. */
static void note_entered(Doms *d, uint32_t from, uint32_t to) {
    enum { STEPS = 8 };
    const uint32_t *parent = d->s->parent, *distance = d->s->distance;
    uint32_t above = to ? parent[to] : from;
    if (above == from || snap_set_has(d->all, above)) return;
    for (int step = 0; step < STEPS && above && !snap_set_has(d->all, above); step++) {
        if (distance[from] > distance[above]) {
            from = parent[from];
        } else {
            snap_set_add(d->entered, above);
            above = parent[above];
        }
        if (above == from) return;
    }
    d->in_vain++;
    for (above = parent[to]; above && !snap_set_has(d->all, above); above = parent[above]) {
        snap_set_add(d->entered, above);
        snap_set_add(d->all, above);
    }
}

static bool find_entered(Doms *d) {
    const LmpSnapshot *s = d->s;
    const uint32_t most = 64 + s->g.objects / 64; /* looks in vain */
    const SnapEphemerons *by_key = &snap_own(s)->ephemerons;
    d->entered = snap_memory_take(d->memory, snap_set_words(s->g.objects), sizeof *d->entered);
    d->all = snap_memory_take(d->memory, snap_set_words(s->g.objects), sizeof *d->all);
    if (!d->entered || !d->all) return false;
    for (uint32_t i = 0; i < s->g.objects && d->in_vain <= most; i++) {
        if (!(i & SNAP_TICK) && !snap_tick(s, 0)) return false;
        if (snapshot_garbage(s, i)) continue;
        for (uint32_t e = s->g.edge_at[i]; e < s->g.edge_at[i + 1]; e++)
            if (snapshot_holds(s, e)) note_entered(d, i, s->g.edge_to[e]);
        for (uint32_t k = by_key->at ? by_key->at[i] : 0; by_key->at && k < by_key->at[i + 1]; k++)
            note_entered(d, i, s->g.edge_to[by_key->edge[k]]);
    }
    if (d->in_vain > most) d->entered = NULL;
    return true;
}

/* Returns where an object is in the flow. */
static uint32_t place_of(const Doms *d, uint32_t i) {
    const uint32_t *by_key = snap_own(d->s)->ephemerons.at;
    return 2 * i + d->s->g.edge_at[i] + (by_key ? by_key[i] : 0);
}

/* Returns where a reference leads in the flow; to the object itself if it makes no difference. */
static uint32_t flows_to(const Doms *d, uint32_t from, uint32_t edge) {
    uint32_t to = d->s->g.edge_to[edge], above = d->entered ? d->s->parent[to] : from;
    bool differs = above == from || (above != LMP_OBJECT_NONE && snap_set_has(d->entered, above));
    return place_of(d, differs ? to : from);
}

/* Writes for each object its number, where its references end, and these, as places: so all that is
 * asked of who is reached lies together. A reference that does not hold becomes one to the object
 * itself, and one to the root, at which the walk begins, comes last. */
static bool flow_make(Doms *d) {
    const LmpObjectGraph *g = &d->s->g;
    const SnapEphemerons *by_key = &snap_own(d->s)->ephemerons;
    uint64_t words = 2ull * g->objects + g->edges + (by_key->at ? by_key->at[g->objects] : 0) + 1;
    if (words > UINT32_MAX) return false;
    uint32_t *to = d->flow = snap_memory_rough(d->memory, words, sizeof *to);
    if (!to) return false;
    for (uint32_t i = 0; i < g->objects; i++) {
        uint32_t self = place_of(d, i);
        *to++ = LMP_OBJECT_NONE;
        *to++ = place_of(d, i + 1);
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
            *to++ = snapshot_holds(d->s, e) ? flows_to(d, i, e) : self;
        for (uint32_t k = by_key->at ? by_key->at[i] : 0; by_key->at && k < by_key->at[i + 1]; k++)
            *to++ = flows_to(d, i, by_key->edge[k]);
    }
    *to = 0;
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* In a large heap the next one lies anywhere, so the processor is told ahead what will be read. */
enum { AHEAD = 8, BLOCKS_MOST = 512 };

typedef struct Visit {
    uint32_t number, next, end; /* references still to follow */
} Visit;

/* Reads ahead whom one refers to; of those that refer to many, only the next few. */
static void look_ahead(const uint32_t *flow, const Visit *v) {
    for (uint32_t k = v->next; k < v->end && k < v->next + AHEAD; k++)
        __builtin_prefetch(&flow[flow[k]]);
}

/* Puts numbers in the place of places; and of ends, the least number that refers to the object. */
static bool walk(Doms *d) {
    uint32_t *flow = d->flow, n = 0, depth = 1, first = place_of(d, d->s->g.objects);
    Visit *stack = snap_memory_sparse(d->memory, (size_t)d->s->g.objects + 1, sizeof *stack);
    if (!stack) return false;
    stack[0] = (Visit){0, first, first + 1};
    while (depth) {
        Visit *v = &stack[depth - 1];
        if (v->next == v->end) {
            if (--depth <= 4 * AHEAD) continue;
            __builtin_prefetch(&flow[stack[depth - 4 * AHEAD].next]); /* on the way back, too */
            look_ahead(flow, &stack[depth - 2 * AHEAD]);
            continue;
        }
        uint32_t *to = &flow[v->next++], *head = &flow[*to], seen = *head;
        if (seen != LMP_OBJECT_NONE) {
            *to = seen;
            if (seen < v->number)
                d->at[seen >> d->bits]++;
            else if (v->number < head[1])
                head[1] = v->number;
            continue;
        }
        if (!(n & SNAP_TICK) && !snap_tick(d->s, n / 2)) return false;
        stack[depth] = (Visit){n, *to + 2, head[1]};
        look_ahead(flow, &stack[depth++]);
        d->parent[n] = head[1] = v->number;
        *to = *head = n++;
    }
    d->n = n;
    snap_memory_put(d->memory, stack);
    return true;
}

/* Sorts the references against the walk by the blocks that they go to. */
static bool gather(Doms *d) {
    uint32_t sum = 0;
    for (uint32_t block = 0; block <= d->n >> d->bits; block++) {
        uint32_t count = d->at[block];
        d->at[block] = sum;
        sum += count;
    }
    d->against = snap_memory_rough(d->memory, sum, sizeof *d->against);
    if (!d->against) return false;
    for (uint32_t i = 0, at = 0, end; i < d->s->g.objects; i++, at = end) {
        uint32_t v = d->flow[at];
        end = place_of(d, i + 1);
        if (v == LMP_OBJECT_NONE) continue;
        d->order[v] = i;
        d->idom[v] = d->flow[at + 1];
        for (uint32_t k = at + 2; k < end; k++) {
            uint32_t to = d->flow[k];
            if (to < v) d->against[d->at[to >> d->bits]++] = (Against){to, v};
        }
    }
    return true;
}

/* ---- semi-NCA -------------------------------------------------------------------------------- */

/* The least semi there is from the number at hand up to the end of each block of numbers. Who asks
 * a number of that block finds no less; so whoever has as little already need not ask. Where one
 * table holds millions that is nearly all of them. */
typedef struct Semis {
    Link *link;
    uint32_t *stack;
    uint32_t *least;     /* by block, but for the numbers of the one at hand */
    uint32_t now;        /* among these */
    uint32_t *at, *from; /* of each number of the one at hand: who refers to it against the walk */
} Semis;

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

/* Sorts a block's references by whom they refer to. */
static void sort_block(const Doms *d, Semis *m, uint32_t block) {
    uint32_t begin = block ? d->at[block - 1] : 0, end = d->at[block], sum = 0;
    uint32_t last = (1u << d->bits) - 1, *at = m->at;
    memset(at, 0, (last + 3) * sizeof *at);
    for (uint32_t k = begin; k < end; k++)
        at[(d->against[k].to & last) + 2]++;
    for (uint32_t i = 2; i < last + 3; i++)
        at[i] = sum += at[i];
    for (uint32_t k = begin; k < end; k++)
        m->from[at[(d->against[k].to & last) + 1]++] = d->against[k].from;
}

static uint32_t semi_of(const Doms *d, const Semis *m, uint32_t v) {
    const uint32_t *at = &m->at[v & ((1u << d->bits) - 1)];
    uint32_t semi = d->idom[v];
    for (uint32_t k = at[1]; k-- > at[0] && semi > 0;) {
        uint32_t u = m->from[k];
        if (k >= 2 * AHEAD) __builtin_prefetch(&m->link[m->from[k - 2 * AHEAD]]);
        if (semi <= m->now && semi <= m->least[u >> d->bits]) continue;
        uint32_t via = least_semi(m->link, m->stack, u, v);
        if (via < semi) semi = via;
    }
    return semi;
}

static bool semi_nca(Doms *d) {
    uint32_t blocks = (d->n >> d->bits) + 1, most = 0;
    for (uint32_t block = 0, begin = 0; block < blocks; begin = d->at[block++])
        if (d->at[block] - begin > most) most = d->at[block] - begin;
    Semis m = {snap_memory_rough(d->memory, d->n, sizeof *m.link),
               snap_memory_sparse(d->memory, d->n, sizeof *m.stack),
               snap_memory_rough(d->memory, blocks, sizeof *m.least),
               0,
               snap_memory_rough(d->memory, (1u << d->bits) + 2, sizeof *m.at),
               snap_memory_rough(d->memory, most, sizeof *m.from)};
    if (!m.link || !m.stack || !m.least || !m.at || !m.from) return false;
    memset(m.least, 0xff, blocks * sizeof *m.least);
    for (uint32_t v = d->n, block = blocks; block-- > 0;) {
        sort_block(d, &m, block);
        m.now = UINT32_MAX;
        while (v > block << d->bits) {
            v--;
            if (!(v & SNAP_TICK) && !snap_tick(d->s, d->n - v / 2)) return false;
            uint32_t semi = semi_of(d, &m, v);
            m.link[v] = (Link){d->parent[v], semi};
            d->idom[v] = semi; /* link[].semi changes as ways become shorter */
            if (semi < m.now) m.now = semi;
        }
        for (uint32_t b = block; b < blocks; b++)
            if (m.now < m.least[b]) m.least[b] = m.now;
    }
    for (uint32_t v = 1; v < d->n; v++) {
        uint32_t i = d->parent[v];
        while (i > d->idom[v])
            i = d->idom[i];
        d->idom[v] = i;
    }
    snap_memory_put(d->memory, m.link);
    snap_memory_put(d->memory, m.stack);
    snap_memory_put(d->memory, d->against);
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
        uint32_t v = d->flow[place_of(d, i)];
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
    snap_memory_put(d->memory, sum);
    snap_memory_put(d->memory, d->flow);
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
    SortPair *child = snap_memory_rough(d->memory, most, sizeof *child);
    SortPair *room = snap_memory_rough(d->memory, most, sizeof *room);
    if (!child || !room) return false;
    for (uint32_t i = 0; i < objects; i++) {
        uint32_t *of = s->child + s->child_at[i], n = s->child_at[i + 1] - s->child_at[i];
        if (n < 2) continue;
        for (uint32_t k = 0; k < n; k++)
            child[k] = (SortPair){s->retained[of[k]], of[k]};
        pairsort(child, room, n);
        for (uint32_t k = 0; k < n; k++)
            of[k] = child[k].row;
    }
    return true;
}

bool dominators_make(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory;
    uint32_t objects = s->g.objects;
    Doms d = {.s = s, .memory = &snap_own(s)->scratch, .bits = 12};
    s->idom = snap_memory_rough(own, objects, sizeof *s->idom);
    s->tree_at = snap_memory_rough(own, objects, sizeof *s->tree_at);
    s->tree_end = snap_memory_rough(own, objects, sizeof *s->tree_end);
    s->in_tree = snap_memory_rough(own, objects, sizeof *s->in_tree);
    s->retained = snap_memory_rough(own, objects, sizeof *s->retained);
    s->retained_before = snap_memory_sparse(own, objects, sizeof *s->retained_before);
    s->child_at = snap_memory_take(own, (size_t)objects + 2, sizeof *s->child_at);
    s->child = snap_memory_rough(own, objects, sizeof *s->child);
    while (objects >> d.bits > BLOCKS_MOST)
        d.bits++;
    d.at = snap_memory_take(d.memory, BLOCKS_MOST + 1, sizeof *d.at);
    d.order = snap_memory_rough(d.memory, objects, sizeof *d.order);
    d.parent = snap_memory_rough(d.memory, objects, sizeof *d.parent);
    d.idom = snap_memory_rough(d.memory, objects, sizeof *d.idom);
    bool made = s->idom && s->tree_at && s->tree_end && s->in_tree && s->retained &&
                s->retained_before && s->child_at && s->child && d.at && d.order && d.parent &&
                d.idom;
    made = made && find_entered(&d) && flow_make(&d) && walk(&d) && gather(&d) && semi_nca(&d) &&
           retain(&d) && children(&d);
    snap_memory_again(d.memory);
    return made;
}
