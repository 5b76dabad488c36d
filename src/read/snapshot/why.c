/* why.c - paths from the root to one object, as the search (why_search.c) finds them, folded into
 * steps; and the reference to cut: the nearest dominator that a single reference holds. */
#include "read/snapshot/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/snapshot/why_impl.h"

enum { SHARED = 1 << 16 }; /* objects looked at to tell what is shared */

typedef struct Cut {
    uint32_t held; /* by the reference to cut; 0: there is none */
    uint64_t frees, shares;
    bool more; /* is shared: not all of it was looked at */
    uint32_t container;
} Cut;

/* ---- the reference to cut -------------------------------------------------------------------- */

/* Objects lie anywhere: the processor is told ahead what will be read. */
static void look_ahead(const LmpSnapshot *s, const uint32_t *list, uint32_t at, uint32_t n) {
    enum { AHEAD = 8 };
    const LmpObjectGraph *g = &s->g;
    if (at + 2 * AHEAD >= n) return;
    __builtin_prefetch(&g->edge_at[list[at + 2 * AHEAD]]);
    uint32_t edge = g->edge_at[list[at + AHEAD]];
    if (edge >= g->edges) return;
    __builtin_prefetch(&g->edge_to[edge]);
    __builtin_prefetch(&g->edge_kind[edge]);
    uint32_t next = list[at + AHEAD / 2], end = g->edge_at[next + 1];
    for (edge = g->edge_at[next]; edge < end && edge < g->edge_at[next] + AHEAD; edge++) {
        __builtin_prefetch(&s->distance[g->edge_to[edge]]);
        __builtin_prefetch(&s->tree_at[g->edge_to[edge]]);
    }
}

/* Sums up what is reached from `top`, going away from the root, and does not go with it. */
static void find_shared(const LmpSnapshot *s, uint32_t top, Cut *cut) {
    const LmpObjectGraph *g = &s->g;
    uint32_t *list = malloc(SHARED * sizeof *list), n = 0;
    uint64_t *seen = list ? calloc(snap_set_words(g->objects), sizeof *seen) : NULL;
    if (seen) list[n++] = top;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = list[at];
        look_ahead(s, list, at, n);
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            uint32_t to = g->edge_to[e];
            if (!why_may_hold(s, e) || snapshot_garbage(s, to) ||
                s->distance[to] <= s->distance[i] || snap_set_has(seen, to))
                continue;
            cut->more = n == SHARED;
            if (cut->more) break;
            snap_set_add(seen, to);
            list[n++] = to;
            if (!snapshot_dominates(s, top, to)) cut->shares += snapshot_counted(s, to);
        }
        if (cut->more) break;
    }
    cut->more = cut->more || !seen;
    free(list);
    free(seen);
}

/* Finds the nearest to the object among those that dominate it, or itself, that a single reference
 * holds. The root's own references cannot be cut. */
static Cut find_cut(const LmpSnapshot *s, uint32_t object) {
    Cut cut = {0};
    uint32_t i = object;
    while (s->idom[i] != 0 && !whysearch_is_bridge(s, i))
        i = s->idom[i];
    if (s->idom[i] == 0) return cut;
    cut.held = i;
    cut.frees = s->retained[i];
    find_shared(s, i, &cut);
    return cut;
}

/* Registry, globals, loaded modules and the main thread are held in many ways in every program. */
static bool is_trunk(const LmpSnapshot *s, uint32_t object) {
    return object == s->registry || object == s->globals || object == s->loaded ||
           object == s->main_thread;
}

/* Finds a large table above the object: cutting one entry of it frees little, and the table is what
 * should have fewer. */
static uint32_t find_container(const LmpSnapshot *s, uint32_t object, uint64_t frees) {
    enum { ENTRIES = 8, TIMES = 8, FAR = 1 << 16 };
    uint64_t least = TIMES * (frees ? frees : s->retained[object]);
    uint32_t i = s->idom[object];
    for (uint32_t n = 0; i != 0 && n < FAR; i = s->idom[i], n++) {
        bool table = s->g.kind[i] == LMP_OBJECT_TABLE && !is_trunk(s, i);
        if (table && s->g.edge_at[i + 1] - s->g.edge_at[i] >= ENTRIES && s->retained[i] >= least)
            return i;
    }
    return 0;
}

/* ---- putting it together --------------------------------------------------------------------- */

static bool alike(const LmpSnapshot *s, uint32_t a, uint32_t b) {
    if (snap_ephemeron(&s->g, a)) return snapshot_weak_table(s, a) == snapshot_weak_table(s, b);
    return s->g.edge_kind[a] == s->g.edge_kind[b] && s->g.edge_label[a] == s->g.edge_label[b] &&
           (s->g.edge_kind[a] & LMP_EDGE_KIND) != LMP_EDGE_INDEX;
}

static unsigned kind_of(const LmpSnapshot *s, uint32_t edge) {
    return s->g.edge_kind[edge] & LMP_EDGE_KIND;
}

/* Returns a new step; what finds no room is left out in the middle. */
static LmpWhyStep *add_step(LmpWhyPath *out, uint32_t from, uint32_t edge) {
    enum { KEEP = WHY_STEPS / 2 };
    if (out->steps == WHY_STEPS) {
        memmove(&out->step[KEEP], &out->step[KEEP + 1], (WHY_STEPS - KEEP - 1) * sizeof *out->step);
        out->steps--;
        out->left_out++;
    }
    out->step[out->steps] = (LmpWhyStep){.from = from, .edge = edge};
    return &out->step[out->steps++];
}

/* Turns the trail into steps from the root down; a run is one. A trail may be as long as a list of
 * millions: little is done at each step of it. */
static void fold(const LmpSnapshot *s, const WhyTrail *t, uint32_t object, const Cut *cut,
                 LmpWhyPath *out) {
    out->frees = cut->frees;
    out->shares = cut->shares;
    out->shares_more = cut->more;
    out->container = cut->container;
    out->named = true;
    LmpWhyStep *last = NULL;
    for (uint32_t k = t->n; k-- > 0;) {
        uint32_t edge = t->edge[k], to = k ? t->from[k - 1] : object;
        unsigned kind = kind_of(s, edge);
        if (kind == LMP_EDGE_LOCAL && snapshot_is_temporary(s, edge)) out->named = false;
        if (!last || !alike(s, last->edge, edge)) last = add_step(out, t->from[k], edge);
        last->cut = last->cut || to == cut->held;
        if (kind == LMP_EDGE_UPVALUE && k > 0 && kind_of(s, t->edge[k - 1]) == LMP_EDGE_VALUE) {
            to = --k ? t->from[k - 1] : object;
            last->cut = last->cut || to == cut->held;
        }
        last->to = to;
        last->times++;
    }
    for (uint32_t k = 0; k < out->steps; k++)
        out->step[k].retained = s->retained[out->step[k].to];
}

static bool is_finalizing(const LmpSnapshot *s, uint32_t edge) {
    return kind_of(s, edge) == LMP_EDGE_ROOT && s->g.edge_label[edge] == LMP_ROOT_FINALIZING;
}

static LmpWhyHeld how_held(const LmpSnapshot *s, uint32_t object) {
    if (snapshot_garbage(s, object)) {
        for (uint32_t i = s->in_at[object]; i < s->in_at[object + 1]; i++) {
            bool asks =
                kind_of(s, s->in[i]) == LMP_EDGE_LOCAL; /* its slot is nobody's: lmp.paths */
            if (!asks && !snapshot_garbage(s, s->in_from[i])) return LMP_HELD_WEAKLY;
        }
        return LMP_HELD_GARBAGE;
    }
    uint32_t i = object, first = s->g.edge_at[0], end = s->g.edge_at[1];
    while (first < end && !is_finalizing(s, first))
        first++;
    if (i == 0 || first == end) return LMP_HELD; /* no list of millions is walked to its root */
    while (s->parent[i])
        i = s->parent[i];
    return is_finalizing(s, s->parent_edge[i]) ? LMP_HELD_FINALIZER : LMP_HELD;
}

/* Returns the first step that leads on from the trunk that every program has. */
static uint32_t leaves_trunk(const LmpSnapshot *s, const LmpWhyPath *path) {
    uint32_t k = path->steps - 1; /* the object itself may be one of them */
    while (k > 0 && !is_trunk(s, path->step[k - 1].to))
        k--;
    return k;
}

static bool same_way(const LmpSnapshot *s, const LmpWhyPath *a, const LmpWhyPath *b) {
    uint32_t i = leaves_trunk(s, a), k = leaves_trunk(s, b);
    if (i == 0 || k == 0 || a->steps - i != b->steps - k || a->step[i].from != b->step[k].from)
        return false;
    if (i + 1 == a->steps && is_trunk(s, a->step[i].to)) return false;
    for (; i < a->steps; i++, k++)
        if (a->step[i].edge != b->step[k].edge || a->step[i].to != b->step[k].to) return false;
    return true;
}

/* Returns true if the path differs from those before in more than how the trunk is held. */
static bool is_news(const LmpSnapshot *s, const LmpWhyPaths *why, const LmpWhyPath *path) {
    for (uint32_t p = 0; p < why->paths; p++)
        if (same_way(s, &why->path[p], path)) return false;
    return true;
}

/* `one`: a single named one is enough. */
static LmpErr find_paths(LmpWhyPaths *out, WhySearch *q, uint32_t most, bool one) {
    enum { TRIES = 4 }; /* for each that is wanted */
    const LmpSnapshot *s = q->s;
    Cut cut = find_cut(s, q->object);
    cut.container = find_container(s, q->object, cut.frees);
    WhyTrail trail = {0};
    LmpErr err = whysearch_next(q, &trail);
    for (uint64_t tries = 1; !err && trail.n; tries++) {
        LmpWhyPath *path = &out->path[out->paths];
        *path = (LmpWhyPath){0};
        fold(s, &trail, q->object, &cut, path);
        path->shortest = tries == 1;
        out->paths += is_news(s, out, path);
        if (out->paths == most || tries == (uint64_t)TRIES * most || (one && path->named)) break;
        err = whysearch_next(q, &trail);
    }
    whytrail_free(&trail);
    return err;
}

/* Puts paths with names first: a temporary is only a slot that a call happens to use. */
static void named_first(LmpWhyPaths *out) {
    uint32_t named = 0;
    for (uint32_t i = 0; i < out->paths; i++) {
        if (!out->path[i].named) continue;
        LmpWhyPath path = out->path[i];
        memmove(&out->path[named + 1], &out->path[named], (i - named) * sizeof path);
        out->path[named++] = path;
    }
}

LmpErr why_make(LmpWhyPaths *out, const LmpSnapshot *s, uint32_t object, uint32_t most,
                const uint32_t *ignore, uint32_t ignored) {
    *out = (LmpWhyPaths){.held = how_held(s, object)};
    if (snapshot_garbage(s, object) || object == 0 || !most) return LMP_OK;
    uint32_t looked = most > 1 ? most : 2; /* the shortest may have no name */
    out->path = calloc(looked, sizeof *out->path);
    if (!out->path) return LMP_E_NOMEM;
    WhySearch q;
    LmpErr err = whysearch_open(&q, s, object, ignore, ignored);
    if (!err) err = find_paths(out, &q, looked, most == 1);
    whysearch_close(&q);
    named_first(out);
    if (out->paths > most) out->paths = most;
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
    static const char *const known[] = {"", "main thread", "_G"}; /* LUA_RIDX_* */
    uint32_t label = s->g.edge_label[second];
    size_t length = 0;
    snprintf(out, size, "%s", "");
    if (kind_of(s, first) != LMP_EDGE_ROOT || s->g.edge_label[first] != LMP_ROOT_REGISTRY) return 0;
    if (kind_of(s, second) == LMP_EDGE_INDEX && label < sizeof known / sizeof *known)
        snprintf(out, size, "%s", known[label]);
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
