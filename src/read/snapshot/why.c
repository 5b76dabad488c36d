/* why.c - see why.h: paths from the root to one object, and the reference to cut. */
#include "read/snapshot/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 4 << 20, /* objects that a search for one more path may see */
    CHAIN = 1 << 20, /* steps up the dominator tree that one cut may cost */
    SHARED = 1 << 18 /* objects looked at to tell what is shared */
};

/* ---- a path in full -------------------------------------------------------------------------- */

typedef struct Trail {
    uint32_t *edge, *from; /* from the object up to the root */
    uint32_t n, room;
} Trail;

static bool trail_add(Trail *t, uint32_t edge, uint32_t from) {
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

static void trail_free(Trail *t) {
    free(t->edge);
    free(t->from);
}

/* By the tree of shortest paths. */
static bool trail_shortest(Trail *t, const LmpSnapshot *s, uint32_t object) {
    t->n = 0;
    for (uint32_t i = object; i != 0; i = s->parent[i])
        if (s->parent_edge[i] == LMP_HEAP_NONE || !trail_add(t, s->parent_edge[i], s->parent[i]))
            return false;
    return true;
}

/* ---- further ones ---------------------------------------------------------------------------- */

/* Searches from the object up to the root. Edges of paths that are known already count 1, others
 * 0, and the path that counts least is taken; of these, about the shortest. So it has nothing in
 * common with the others where there is such a path. */
typedef struct Search {
    const LmpSnapshot *s;
    uint8_t *seen;       /* by object: 1 queued, 2 done, 4 to be ignored */
    uint32_t *down_edge; /* by which the search came, and what it holds: */
    uint32_t *down_to;
    uint32_t *now, *later; /* objects at this count, and at the next */
    uint32_t nows, laters, room, later_room;
    uint32_t *used; /* edges of known paths, ascending */
    uint32_t useds;
} Search;

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_used(const Search *q, uint32_t edge) {
    return q->useds && bsearch(&edge, q->used, q->useds, sizeof edge, by_number);
}

static bool use(Search *q, const Trail *t) {
    uint32_t *more = realloc(q->used, ((size_t)q->useds + t->n) * sizeof *more);
    if (!more) return false;
    q->used = more;
    memcpy(more + q->useds, t->edge, t->n * sizeof *more);
    q->useds += t->n;
    qsort(q->used, q->useds, sizeof *q->used, by_number);
    return true;
}

static bool put(uint32_t **list, uint32_t *n, uint32_t *room, uint32_t object) {
    if (*n == *room) {
        uint32_t more = *room ? *room * 2 : 1024;
        uint32_t *p = realloc(*list, more * sizeof *p);
        if (!p) return false;
        *list = p;
        *room = more;
    }
    (*list)[(*n)++] = object;
    return true;
}

/* A reference that keeps what it refers to: a value in a table with weak keys does, since both it
 * and its source are reachable. */
static bool may_hold(const LmpSnapshot *s, uint32_t edge) {
    return !(s->g.edge_kind[edge] & LMP_EDGE_WEAK);
}

/* A thread marks the upvalues that live on its stack: what is in them is held by the stack's slot,
 * which is a reference of its own. */
static bool is_told_by_slot(const LmpSnapshot *s, uint32_t from, uint32_t edge) {
    return s->g.kind[from] == LMP_HEAP_THREAD &&
           (s->g.edge_kind[edge] & LMP_EDGE_KIND) == LMP_EDGE_UPVALUE;
}

/* Who refers to `object` is queued. */
static bool spread(Search *q, uint32_t object) {
    const LmpSnapshot *s = q->s;
    for (uint32_t i = s->in_at[object]; i < s->in_at[object + 1]; i++) {
        uint32_t edge = s->in[i], from = s->in_from[i];
        if (q->seen[from] & 6 || snapshot_garbage(s, from) || !may_hold(s, edge) ||
            is_told_by_slot(s, from, edge))
            continue;
        bool used = is_used(q, edge);
        if (used && q->seen[from] & 1) continue;
        if (!used && q->seen[from] & 1 && !(q->seen[from] & 8)) continue;
        q->seen[from] = (uint8_t)(1 | (used ? 8 : 0)); /* 8: came by a used edge, may do better */
        q->down_edge[from] = edge;
        q->down_to[from] = object;
        if (used ? !put(&q->later, &q->laters, &q->later_room, from)
                 : !put(&q->now, &q->nows, &q->room, from))
            return false;
    }
    return true;
}

/* False: there is none (or no memory). */
static bool search(Search *q, uint32_t object, Trail *out) {
    const LmpSnapshot *s = q->s;
    uint32_t at = 0, looks = 0;
    for (uint32_t i = 0; i < s->g.objects; i++)
        q->seen[i] &= 4;
    q->nows = q->laters = 0;
    q->seen[object] = 2;
    if (!spread(q, object)) return false;
    while (!(q->seen[0] & 2) && looks++ < LOOKS) {
        if (at == q->nows) { /* one count more */
            uint32_t *list = q->now, room = q->room;
            q->now = q->later, q->nows = q->laters, q->room = q->later_room;
            q->later = list, q->laters = 0, q->later_room = room;
            at = 0;
            if (q->nows == 0) return false;
        }
        uint32_t i = q->now[at++];
        if (q->seen[i] & 2) continue;
        q->seen[i] = 2;
        if (i != 0 && !spread(q, i)) return false;
    }
    if (!(q->seen[0] & 2)) return false;
    out->n = 0;
    for (uint32_t i = 0; i != object; i = q->down_to[i])
        if (!trail_add(out, q->down_edge[i], i)) return false;
    for (uint32_t a = 0, b = out->n; a + 1 < b; a++) { /* from the object up, as trails are */
        b--;
        uint32_t e = out->edge[a], f = out->from[a];
        out->edge[a] = out->edge[b], out->from[a] = out->from[b];
        out->edge[b] = e, out->from[b] = f;
    }
    return true;
}

/* Is anything in it that no known path has? */
static bool is_new(const Search *q, const Trail *t) {
    for (uint32_t i = 0; i < t->n; i++)
        if (!is_used(q, t->edge[i])) return true;
    return false;
}

static bool search_open(Search *q, const LmpSnapshot *s, const uint32_t *ignore, uint32_t ignored) {
    *q = (Search){.s = s};
    q->seen = calloc(s->g.objects, 1);
    q->down_edge = malloc((size_t)s->g.objects * sizeof *q->down_edge);
    q->down_to = malloc((size_t)s->g.objects * sizeof *q->down_to);
    if (!q->seen || !q->down_edge || !q->down_to) return false;
    for (uint32_t i = 0; i < ignored; i++)
        if (ignore[i] && ignore[i] < s->g.objects) q->seen[ignore[i]] = 4;
    return true;
}

static void search_close(Search *q) {
    free(q->seen);
    free(q->down_edge);
    free(q->down_to);
    free(q->now);
    free(q->later);
    free(q->used);
}

/* ---- the reference to cut -------------------------------------------------------------------- */

/* Is `object` dominated by `by`? What dominates `by` itself ends the search. */
static bool is_below(const LmpSnapshot *s, uint32_t object, uint32_t by, uint32_t *steps) {
    for (uint32_t i = object; i != LMP_HEAP_NONE && i != s->idom[by]; i = s->idom[i]) {
        if (i == by) return true;
        if (++*steps > CHAIN) return false;
    }
    return false;
}

/* Is this the only reference that holds its target, besides those from what the target holds? */
static bool holds_alone(const LmpSnapshot *s, uint32_t to) {
    uint32_t others = 0, steps = 0;
    for (uint32_t i = s->in_at[to]; i < s->in_at[to + 1] && others < 2 && steps < CHAIN; i++) {
        uint32_t from = s->in_from[i];
        if (snapshot_garbage(s, from) || !may_hold(s, s->in[i])) continue;
        if (!is_below(s, from, to, &steps)) others++;
    }
    return others == 1 && steps < CHAIN;
}

/* What is reached from `top`, going away from the root, and does not go with it. */
static uint64_t shared_with_others(const LmpSnapshot *s, uint32_t top) {
    uint32_t *list = malloc(SHARED * sizeof *list), n = 0, steps = 0;
    uint8_t *seen = calloc(s->g.objects, 1);
    uint64_t sum = 0;
    if (list && seen) {
        list[n++] = top;
        seen[top] = 1;
    }
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = list[at];
        for (uint32_t e = s->g.edge_at[i]; e < s->g.edge_at[i + 1] && n < SHARED; e++) {
            uint32_t to = s->g.edge_to[e];
            if (seen[to] || !may_hold(s, e) || snapshot_garbage(s, to) ||
                s->distance[to] <= s->distance[i])
                continue;
            seen[to] = 1;
            list[n++] = to;
            if (steps < CHAIN && !is_below(s, to, top, &steps)) sum += snapshot_counted(s, to);
        }
    }
    free(list);
    free(seen);
    return sum;
}

/* The lowest reference whose end dominates the object and has no other holder: its place in the
 * trail, or the trail's length. All that dominates the object is on the trail, in its order. */
static uint32_t find_cut(const LmpSnapshot *s, const Trail *t, uint32_t object) {
    uint32_t up = object;
    for (uint32_t k = 0; k + 1 < t->n; k++) { /* the root's own references cannot be cut */
        uint32_t to = k ? t->from[k - 1] : object;
        if (to != up) continue;
        if (holds_alone(s, to)) return k;
        up = s->idom[up];
    }
    return t->n;
}

/* ---- putting it together --------------------------------------------------------------------- */

static bool alike(const LmpSnapshot *s, uint32_t a, uint32_t b) {
    uint32_t weak = snapshot_weak_table(s, a);
    if (weak != LMP_HEAP_NONE) return weak == snapshot_weak_table(s, b);
    return s->g.edge_kind[a] == s->g.edge_kind[b] && s->g.edge_label[a] == s->g.edge_label[b] &&
           (s->g.edge_kind[a] & LMP_EDGE_KIND) != LMP_EDGE_INDEX;
}

static unsigned kind_of(const LmpSnapshot *s, uint32_t edge) {
    return s->g.edge_kind[edge] & LMP_EDGE_KIND;
}

/* One step more; a run is folded, and what finds no room is left out in the middle. */
static void add_step(const LmpSnapshot *s, LmpWhyPath *out, LmpWhyStep step) {
    enum { KEEP = WHY_STEPS / 2 };
    LmpWhyStep *last = out->steps ? &out->step[out->steps - 1] : NULL;
    if (last && alike(s, last->edge, step.edge)) {
        last->to = step.to;
        last->times++;
        last->retained = step.retained;
        last->cut = last->cut || step.cut;
        return;
    }
    if (out->steps == WHY_STEPS) {
        memmove(&out->step[KEEP], &out->step[KEEP + 1], (WHY_STEPS - KEEP - 1) * sizeof step);
        out->steps--;
        out->left_out++;
    }
    out->step[out->steps++] = step;
}

/* The trail from the root down. */
static void fold(const LmpSnapshot *s, const Trail *t, uint32_t object, LmpWhyPath *out) {
    uint32_t cut = find_cut(s, t, object);
    *out = (LmpWhyPath){0};
    if (cut < t->n) {
        uint32_t top = cut ? t->from[cut - 1] : object;
        out->frees = s->retained[top];
        out->shares = shared_with_others(s, top);
    }
    for (uint32_t k = t->n; k-- > 0;) {
        LmpWhyStep step = {.from = t->from[k], .edge = t->edge[k], .times = 1, .cut = k == cut};
        if (kind_of(s, step.edge) == LMP_EDGE_UPVALUE && k > 0 &&
            kind_of(s, t->edge[k - 1]) == LMP_EDGE_VALUE)
            step.cut = --k == cut || step.cut;
        step.to = k ? t->from[k - 1] : object;
        step.retained = s->retained[step.to];
        add_step(s, out, step);
    }
}

static LmpWhyHeld how_held(const LmpSnapshot *s, uint32_t object) {
    if (snapshot_garbage(s, object)) {
        for (uint32_t i = s->in_at[object]; i < s->in_at[object + 1]; i++)
            if (!snapshot_garbage(s, s->in_from[i])) return LMP_HELD_WEAKLY;
        return LMP_HELD_GARBAGE;
    }
    uint32_t i = object;
    while (i && s->parent[i])
        i = s->parent[i];
    uint32_t edge = i ? s->parent_edge[i] : LMP_HEAP_NONE;
    return edge != LMP_HEAP_NONE && s->g.edge_label[edge] == LMP_ROOT_FINALIZING &&
                   (s->g.edge_kind[edge] & LMP_EDGE_KIND) == LMP_EDGE_ROOT
               ? LMP_HELD_FINALIZER
               : LMP_HELD;
}

static LmpErr find_paths(LmpWhyPaths *out, const LmpSnapshot *s, uint32_t object, uint32_t most,
                         const uint32_t *ignore, uint32_t ignored) {
    Search q = {0};
    Trail trail = {0};
    bool open = ignored == 0 || search_open(&q, s, ignore, ignored), more = open;
    for (; more && out->paths < most; out->paths++) {
        if (out->paths == 0 && !ignored) {
            more = trail_shortest(&trail, s, object);
        } else {
            if (!q.seen) open = search_open(&q, s, NULL, 0) && use(&q, &trail);
            more = open && search(&q, object, &trail) && is_new(&q, &trail);
        }
        if (!more) break;
        fold(s, &trail, object, &out->path[out->paths]);
        if (q.seen && !use(&q, &trail)) open = more = false;
    }
    search_close(&q);
    trail_free(&trail);
    return open ? LMP_OK : LMP_E_NOMEM;
}

LmpErr why_make(LmpWhyPaths *out, const LmpSnapshot *s, uint32_t object, uint32_t most,
                const uint32_t *ignore, uint32_t ignored) {
    *out = (LmpWhyPaths){.held = how_held(s, object)};
    if (snapshot_garbage(s, object) || object == 0 || !most) return LMP_OK;
    out->path = calloc(most, sizeof *out->path);
    if (!out->path) return LMP_E_NOMEM;
    LmpErr err = find_paths(out, s, object, most, ignore, ignored);
    if (err) why_free(out);
    return err;
}

void why_free(LmpWhyPaths *why) {
    free(why->path);
    why->path = NULL;
    why->paths = 0;
}

/* ---- one path as text ------------------------------------------------------------------------ */

uint32_t why_beginning(const LmpSnapshot *s, uint32_t first, uint32_t second, char *out,
                       size_t size) {
    enum { GLOBALS = 2 }; /* LUA_RIDX_GLOBALS */
    uint32_t label = s->g.edge_label[second];
    size_t length = 0;
    snprintf(out, size, "%s", "");
    if (kind_of(s, first) != LMP_EDGE_ROOT || s->g.edge_label[first] != LMP_ROOT_REGISTRY) return 0;
    if (kind_of(s, second) == LMP_EDGE_INDEX && label == GLOBALS) snprintf(out, size, "_G");
    if (kind_of(s, second) == LMP_EDGE_FIELD) {
        const char *text = snapshot_text(s, label, &length);
        if (text && length == 7 && memcmp(text, "_LOADED", 7) == 0)
            snprintf(out, size, "package.loaded");
    }
    return *out ? 2 : 0;
}

const char *why_text(const LmpSnapshot *s, const LmpWhyPath *path, char *out, size_t size) {
    size_t at = 0;
    uint32_t begin = 0;
    if (size) *out = '\0';
    if (path->steps > 1)
        begin = why_beginning(s, path->step[0].edge, path->step[1].edge, out, size);
    at = size ? strlen(out) : 0;
    for (uint32_t k = begin; k < path->steps; k++) {
        const LmpWhyStep *step = &path->step[k];
        char word[240], times[32] = "";
        snapshot_step(s, step->from, step->edge, word, sizeof word);
        if (step->times > 1) snprintf(times, sizeof times, "×%u", step->times);
        size_t n = strlen(word), m = strlen(times);
        if (at + n + m + sizeof "…" > size) { /* whole steps or none */
            if (at + sizeof "…" <= size) memcpy(out + at, "…", sizeof "…");
            break;
        }
        memcpy(out + at, word, n);
        memcpy(out + at + n, times, m + 1);
        at += n + m;
    }
    return out;
}
