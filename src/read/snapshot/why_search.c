/* why_search.c - paths from the root to an object: the shortest, then further ones.
 *
 * Whatever dominates the object is on every path to it. So a path is made of parts, from one
 * dominator to the next, and each is searched by itself, among what its beginning dominates. Most
 * parts are a single reference without which nothing goes: there is nothing to search. In the
 * others the search goes from the end back to who refers to it. References of paths that are known
 * already count 1, others 0, and the path that counts least is taken: so it has nothing in common
 * with the others where there is such a path.
 *
 * From whomever it meets, there is a path to the beginning that is known: the shortest one. Mostly
 * this has few references of those that count, or none, and the search is at its end. That is why
 * it need not see millions of objects where millions refer to one another. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/snapshot/why_impl.h"

enum {
    LOOKS = 4 << 20, /* references that are followed until there is one more path */
    MORE = 1 << 13   /* and until there is a better one */
};

/* SnapMark.tree: references that count, on the shortest path to it from the part's beginning. */
#define BARRED UINT32_MAX /* it may not be taken */
#define UNKNOWN (UINT32_MAX - 1)

enum { QUEUED = 1, DONE = 2, COUNTED = 4 /* came by one that counts: may do better */ };

/* ---- lists ----------------------------------------------------------------------------------- */

static bool list_add(WhyList *list, uint32_t i) {
    if (!array_room(&list->of, &list->room, list->n + 1)) return false;
    list->of[list->n++] = i;
    return true;
}

static bool trail_add(WhyTrail *t, uint32_t edge, uint32_t from) {
    if (t->n == t->room) {
        uint32_t more = t->room ? t->room * 2 : 64;
        uint32_t *e = realloc(t->edge, more * sizeof *e);
        if (e) t->edge = e;
        uint32_t *f = realloc(t->from, more * sizeof *f);
        if (f) t->from = f;
        if (!e || !f) return false;
        t->room = more;
    }
    t->edge[t->n] = edge;
    t->from[t->n++] = from;
    return true;
}

void whytrail_free(WhyTrail *t) {
    free(t->edge);
    free(t->from);
    *t = (WhyTrail){0};
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Returns all marks, none of which is set; NULL: no memory. */
static SnapMark *new_round(const LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    uint32_t n = s->g.objects;
    if (!own->mark) own->mark = snap_memory_sparse(&own->memory, n, sizeof *own->mark);
    if (!own->mark) return NULL;
    if (++own->mark_round == 0) { /* they have come round */
        for (uint32_t i = 0; i < n; i++)
            own->mark[i].round = 0;
        own->mark_round = 1;
    }
    return own->mark;
}

static SnapMark *mark_of(const WhySearch *q, uint32_t i) {
    const SnapOwn *own = snap_own(q->s);
    SnapMark *m = &own->mark[i];
    if (m->round != own->mark_round)
        *m = (SnapMark){.round = own->mark_round, .tree = UNKNOWN, .ignored = m->ignored};
    return m;
}

static bool is_used(const WhySearch *q, uint32_t edge) {
    return snap_set_has(snap_own(q->s)->used, edge);
}

static bool use(WhySearch *q, const WhyTrail *t) {
    uint64_t *set = snap_own(q->s)->used;
    for (uint32_t k = 0; k < t->n; k++) {
        if (snap_set_has(set, t->edge[k])) continue;
        if (!list_add(&q->used, t->edge[k])) return false;
        snap_set_add(set, t->edge[k]);
    }
    return true;
}

/* ---- who holds ------------------------------------------------------------------------------- */

/* A thread marks the upvalues that live on its stack: what is in them is held by the stack's slot,
 * which is a reference of its own. */
static bool is_told_by_slot(const LmpSnapshot *s, uint32_t from, uint32_t edge) {
    return s->g.kind[from] == LMP_OBJECT_THREAD &&
           (s->g.edge_kind[edge] & LMP_EDGE_KIND) == LMP_EDGE_UPVALUE;
}

/* Returns who holds by the k-th reference of all: a value in a table with weak keys is held by its
 * key, as everywhere in paths. LMP_OBJECT_NONE: nobody. */
static uint32_t holder_of(const LmpSnapshot *s, uint32_t k) {
    uint32_t edge = s->in[k], from = s->in_from[k];
    if (s->g.edge_kind[edge] & LMP_EDGE_WEAK || snapshot_garbage(s, from)) return LMP_OBJECT_NONE;
    if (!snap_ephemeron(&s->g, edge)) return from;
    uint32_t key = s->g.edge_label[edge];
    return snapshot_garbage(s, key) ? LMP_OBJECT_NONE : key;
}

bool whysearch_is_bridge(const LmpSnapshot *s, uint32_t object) {
    uint32_t others = 0;
    for (uint32_t k = s->in_at[object]; k < s->in_at[object + 1] && others < 2; k++) {
        uint32_t from = holder_of(s, k);
        if (from != LMP_OBJECT_NONE && !snapshot_dominates(s, object, from)) others++;
    }
    return others == 1;
}

/* ---- one part of a path ---------------------------------------------------------------------- */

/* References that count, on the shortest path from the part's beginning to `i`. */
static bool tree_of(WhySearch *q, uint32_t i, uint32_t *out) {
    const LmpSnapshot *s = q->s;
    q->climb.n = 0;
    for (; i != 0 && mark_of(q, i)->tree == UNKNOWN; i = s->parent[i])
        if (!list_add(&q->climb, i)) return false;
    uint32_t count = mark_of(q, i)->tree;
    if (count == UNKNOWN) count = BARRED; /* it does not lead there */
    while (q->climb.n) {
        i = q->climb.of[--q->climb.n];
        SnapMark *m = mark_of(q, i);
        uint32_t edge = s->parent_edge[i];
        if (m->ignored || is_told_by_slot(s, s->parent[i], edge)) count = BARRED;
        if (count != BARRED) count += is_used(q, edge);
        m->tree = count;
        q->looks++;
    }
    *out = count;
    return true;
}

static void take_better(WhySearch *q, uint32_t at, uint32_t used, uint32_t length) {
    if (used > q->best_used || (used == q->best_used && length >= q->best_length)) return;
    q->best = at;
    q->best_used = used;
    q->best_length = length;
}

static uint32_t height(const WhySearch *q, uint32_t i) {
    return q->s->distance[i] - q->s->distance[q->top];
}

/* The search comes from `to` to who refers to it. */
static bool arrive(WhySearch *q, uint32_t from, uint32_t edge, uint32_t to, uint32_t count) {
    SnapMark *m = mark_of(q, from);
    bool used = is_used(q, edge);
    if (m->ignored || m->state & DONE || (m->state & QUEUED && (used || !(m->state & COUNTED))))
        return true;
    uint32_t above, depth = mark_of(q, to)->depth + 1;
    m->state = used ? QUEUED | COUNTED : QUEUED;
    m->edge = edge;
    m->to = to;
    m->depth = depth;
    if (!tree_of(q, from, &above)) return false;
    count += used;
    if (above != BARRED) take_better(q, from, count + above, depth + height(q, from));
    if (above == 0) return true; /* nothing further up is better */
    return list_add(used ? &q->later : &q->now, from);
}

static bool is_enough(const WhySearch *q) {
    bool any = q->best != q->end && q->best != LMP_OBJECT_NONE;
    return q->looks > (any ? MORE : LOOKS);
}

/* False: no memory. */
static bool spread(WhySearch *q, uint32_t to, uint32_t count) {
    const LmpSnapshot *s = q->s;
    for (uint32_t k = s->in_at[to]; k < s->in_at[to + 1]; k++) {
        uint32_t edge = s->in[k], from = holder_of(s, k);
        q->looks++;
        if (is_enough(q)) return true;
        if (from == LMP_OBJECT_NONE || is_told_by_slot(s, from, edge) ||
            snapshot_dominates(s, q->end, from))
            continue;
        if (!arrive(q, from, edge, to, count)) return false;
    }
    return true;
}

/* Finds the best way for one part; `shortest`: references of its shortest path that count. */
static bool search(WhySearch *q, uint32_t shortest) {
    uint32_t at = 0, count = 0;
    q->now.n = q->later.n = 0;
    q->best = shortest == BARRED ? LMP_OBJECT_NONE : q->end;
    q->best_used = shortest;
    q->best_length = shortest == BARRED ? UINT32_MAX : height(q, q->end);
    *mark_of(q, q->end) =
        (SnapMark){.round = snap_own(q->s)->mark_round, .tree = BARRED, .state = DONE};
    if (!spread(q, q->end, 0)) return false;
    for (;;) {
        if (at == q->now.n) { /* one count more */
            WhyList swap = q->now;
            q->now = q->later;
            q->later = swap;
            q->later.n = at = 0;
            count++;
        }
        if (at == q->now.n || count > q->best_used || is_enough(q)) return true;
        uint32_t i = q->now.of[at++];
        SnapMark *m = mark_of(q, i);
        if (m->state & DONE) continue;
        m->state |= DONE;
        if (count == q->best_used && m->depth + height(q, i) >= q->best_length) continue;
        if (!spread(q, i, count)) return false;
    }
}

/* ---- a whole path ---------------------------------------------------------------------------- */

static bool add_shortest(const LmpSnapshot *s, WhyTrail *t, uint32_t end, uint32_t top) {
    for (uint32_t i = end; i != top; i = s->parent[i])
        if (!trail_add(t, s->parent_edge[i], s->parent[i])) return false;
    return true;
}

/* As the search has found it: from the end back to whom it met, and on by that one's shortest. */
static bool add_found(const WhySearch *q, WhyTrail *t) {
    uint32_t begin = t->n;
    for (uint32_t i = q->best; i != q->end; i = mark_of(q, i)->to)
        if (!trail_add(t, mark_of(q, i)->edge, i)) return false;
    for (uint32_t a = begin, b = t->n; a + 1 < b; a++) { /* from the end up, as trails are */
        b--;
        uint32_t e = t->edge[a], f = t->from[a];
        t->edge[a] = t->edge[b], t->from[a] = t->from[b];
        t->edge[b] = e, t->from[b] = f;
    }
    return add_shortest(q->s, t, q->best, q->top);
}

/* One part; false: no memory. `none`: there is no path. */
static bool add_part(WhySearch *q, WhyTrail *t, bool *none) {
    const LmpSnapshot *s = q->s;
    uint32_t shortest;
    new_round(s);
    mark_of(q, q->top)->tree = 0;
    if (!tree_of(q, q->end, &shortest)) return false;
    q->best = shortest == BARRED ? LMP_OBJECT_NONE : q->end;
    if (shortest != 0 && !search(q, shortest)) return false;
    *none = q->best == LMP_OBJECT_NONE;
    if (*none) return true;
    return q->best == q->end ? add_shortest(s, t, q->end, q->top) : add_found(q, t);
}

/* ---- a whole path ---------------------------------------------------------------------------- */

/* Which parts are more than a single reference, from the object up. */
static bool find_parts(WhySearch *q) {
    const LmpSnapshot *s = q->s;
    q->parted = true;
    for (uint32_t i = q->object; i != 0; i = s->idom[i]) {
        if (q->ignored && snap_own(s)->mark[s->idom[i]].ignored) q->barred = true;
        if (!whysearch_is_bridge(s, i)) {
            if (!list_add(&q->part, i)) return false;
        } else if (q->part.n == 0) {
            q->below++;
        }
    }
    return true;
}

/* The first path, by which all parts are the shortest. */
static bool use_shortest(WhySearch *q) {
    bool good = true;
    q->found.n = 0;
    for (uint32_t k = 0; good && k < q->part.n; k++)
        good = add_shortest(q->s, &q->found, q->part.of[k], q->s->idom[q->part.of[k]]);
    return good && use(q, &q->found);
}

/* Finds a way for each part, one after the other; `any`: it has references that no path had. */
static bool find_ways(WhySearch *q, bool *any) {
    bool good = true, none = q->barred;
    q->found.n = q->looks = 0;
    for (uint32_t k = 0; good && !none && k < q->part.n; k++) {
        q->end = q->part.of[k];
        q->top = q->s->idom[q->end];
        good = add_part(q, &q->found, &none);
    }
    *any = !q->paths && !none;
    for (uint32_t k = 0; good && !none && !*any && k < q->found.n; k++)
        *any = !is_used(q, q->found.edge[k]);
    return good;
}

/* The parts that were found, each up to what dominates its end, and the single references between
 * them. What is below the first part the path before has left. */
static bool put_together(const WhySearch *q, WhyTrail *out) {
    const LmpSnapshot *s = q->s;
    uint32_t k = 0, at = 0;
    bool good = true;
    out->n = q->paths ? q->below : 0;
    for (uint32_t i = q->paths ? q->part.of[0] : q->object; good && i != 0; i = s->idom[i]) {
        if (k == q->part.n || q->part.of[k] != i) {
            good = trail_add(out, s->parent_edge[i], s->parent[i]);
            continue;
        }
        do
            good = trail_add(out, q->found.edge[at], q->found.from[at]);
        while (good && q->found.from[at++] != s->idom[i]);
        k++;
    }
    return good;
}

LmpErr whysearch_next(WhySearch *q, WhyTrail *out) {
    bool any = true, good = true, first = !q->paths && !q->ignored;
    out->n = 0;
    if (first) good = add_shortest(q->s, out, q->object, 0);
    if (!first && !q->parted) good = find_parts(q) && (q->ignored || use_shortest(q));
    if (!first && good) good = find_ways(q, &any);
    if (!first && good && any) good = put_together(q, out) && use(q, &q->found);
    q->paths++;
    return good ? LMP_OK : LMP_E_NOMEM;
}

LmpErr whysearch_open(WhySearch *q, const LmpSnapshot *s, uint32_t object, const uint32_t *ignore,
                      uint32_t ignored) {
    SnapOwn *own = snap_own(s);
    *q = (WhySearch){.s = s, .object = object, .ignore = ignore, .ignored = ignored};
    if (!own->used)
        own->used = snap_memory_sparse(&own->memory, snap_set_words(s->g.edges), sizeof *own->used);
    if (!own->used || !new_round(s)) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < ignored; i++)
        if (ignore[i] != object && ignore[i] < s->g.objects) own->mark[ignore[i]].ignored = true;
    return LMP_OK;
}

void whysearch_close(WhySearch *q) {
    const SnapOwn *own = q->s ? snap_own(q->s) : NULL;
    for (uint32_t i = 0; own && own->used && i < q->used.n; i++)
        own->used[q->used.of[i] / 64] = 0;
    for (uint32_t i = 0; own && own->mark && i < q->ignored; i++)
        if (q->ignore[i] < q->s->g.objects) own->mark[q->ignore[i]].ignored = false;
    whytrail_free(&q->found);
    free(q->part.of);
    free(q->used.of);
    free(q->now.of);
    free(q->later.of);
    free(q->climb.of);
    *q = (WhySearch){0};
}
