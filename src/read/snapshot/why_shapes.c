/* why_shapes.c - how the paths to many objects go. The members are divided by the next step of
 * their paths, again and again, as long as enough of them stay together; integer keys are one step,
 * and so are the names of a table that many of them differ in. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/snapshot/why.h"

enum {
    DEEP = 64,         /* steps of a path; of longer ones those nearest to the root */
    BUDGET = 30 << 20, /* steps up from objects to the root, in all */
    NAMES = 8,         /* so many different names under one step are one: [*] */
    WORST = 100        /* a group of less than a hundredth is left out */
};

/* A path, runs folded, as the edges of its steps from the root down. */
typedef struct Way {
    uint32_t object, steps;
    uint32_t step[DEEP], to[DEEP];
    uint64_t key; /* of the step that is being divided by */
} Way;

typedef struct Group {
    uint32_t first, count; /* in way[] */
    uint32_t depth;
    uint32_t holder;
    size_t length; /* of path */
    char path[sizeof((LmpWhyShape *)0)->path];
} Group;

static unsigned kind_of(const LmpSnapshot *s, uint32_t edge) {
    return s->g.edge_kind[edge] & LMP_EDGE_KIND;
}

static bool alike(const LmpSnapshot *s, uint32_t a, uint32_t b) {
    uint32_t weak = snapshot_weak_table(s, a);
    if (weak != LMP_OBJECT_NONE) return weak == snapshot_weak_table(s, b);
    return kind_of(s, a) == kind_of(s, b) &&
           (kind_of(s, a) == LMP_EDGE_INDEX || s->g.edge_label[a] == s->g.edge_label[b]);
}

/* Fills `way` from the object up. Returns false if the budget is used up, or the object is not
 * reachable. */
static bool way_of(const LmpSnapshot *s, uint32_t object, Way *way, uint64_t *budget) {
    uint32_t n = 0, last = LMP_OBJECT_NONE;
    uint32_t ring[DEEP], end[DEEP]; /* the last DEEP steps met: those nearest to the root */
    for (uint32_t i = object; i; i = s->parent[i]) {
        uint32_t edge = s->parent_edge[i];
        if (edge == LMP_OBJECT_NONE || (*budget)-- == 0) {
            *budget = 0;
            return false;
        }
        if (kind_of(s, edge) == LMP_EDGE_VALUE) continue; /* one step with its upvalue */
        if (last != LMP_OBJECT_NONE && alike(s, last, edge)) {
            ring[(n - 1) % DEEP] = edge;
            continue;
        }
        ring[n % DEEP] = last = edge;
        end[n % DEEP] = i;
        n++;
    }
    *way = (Way){.object = object, .steps = n < DEEP ? n : DEEP};
    for (uint32_t k = 0; k < way->steps; k++) {
        way->step[k] = ring[(n - 1 - k) % DEEP];
        way->to[k] = end[(n - 1 - k) % DEEP];
    }
    return true;
}

/* ---- dividing -------------------------------------------------------------------------------- */

enum { KEY_ANY = 1, KEY_END = 0 };

static uint64_t key_of(const LmpSnapshot *s, const Way *way, uint32_t depth, bool any_name) {
    if (depth >= way->steps) return KEY_END;
    uint32_t edge = way->step[depth], weak = snapshot_weak_table(s, edge);
    unsigned kind = kind_of(s, edge);
    if (weak != LMP_OBJECT_NONE) return UINT64_C(64) << 32 | weak;
    switch (kind) {
    case LMP_EDGE_FIELD:
        if (any_name) return KEY_ANY;
        break;
    case LMP_EDGE_INDEX: /* [1] and [2] of the registry are the main thread and the globals */
        if (depth == 1 && s->g.edge_label[edge] <= 2) break;
        return KEY_ANY;
    case LMP_EDGE_INTEGER:
    case LMP_EDGE_FLOAT:
    case LMP_EDGE_LIGHT:
    case LMP_EDGE_OBJECT:
        return KEY_ANY;
    case LMP_EDGE_CALL: /* the row of a frame is its own; what is called is not */
    case LMP_EDGE_LOCAL: {
        uint32_t label = s->g.edge_label[edge];
        if (snapshot_is_temporary(s, edge)) return UINT64_C(65) << 32 | s->g.slot_number[label];
        uint32_t name = kind == LMP_EDGE_LOCAL ? s->g.slot_name[label] : s->g.edge_to[edge];
        return (uint64_t)(kind + 2) << 32 | name;
    }
    default:
        break;
    }
    return (uint64_t)(kind + 2) << 32 | s->g.edge_label[edge];
}

static int by_key(const void *a, const void *b) {
    const Way *x = *(const Way *const *)a, *y = *(const Way *const *)b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

static uint32_t distinct_names(const LmpSnapshot *s, Way **way, const Group *g) {
    uint32_t names = 0;
    uint64_t last = KEY_ANY;
    for (uint32_t i = g->first; i < g->first + g->count; i++) {
        if (way[i]->key != last && way[i]->key >> 32 == LMP_EDGE_FIELD + 2) names++;
        last = way[i]->key;
    }
    (void)s;
    return names;
}

static void sort_by_step(const LmpSnapshot *s, Way **way, const Group *g, bool any_name) {
    for (uint32_t i = g->first; i < g->first + g->count; i++)
        way[i]->key = key_of(s, way[i], g->depth, any_name);
    qsort(way + g->first, g->count, sizeof *way, by_key);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void append(Group *g, const char *text) {
    size_t n = strlen(text);
    if (g->length + n >= sizeof g->path) return; /* whole steps or none */
    memcpy(g->path + g->length, text, n + 1);
    g->length += n;
}

/* The step that all ways of the group have taken. */
static void append_step(const LmpSnapshot *s, Way **way, Group *g) {
    char word[200];
    uint32_t edge = way[g->first]->step[g->depth];
    uint32_t from = g->depth ? way[g->first]->to[g->depth - 1] : 0;
    bool one = true;
    for (uint32_t i = g->first + 1; i < g->first + g->count && one; i++)
        one = way[i]->step[g->depth] == edge;
    if (g->depth == 1 && one && why_beginning(s, way[g->first]->step[0], edge, word, sizeof word)) {
        g->length = 0; /* in place of the registry's name */
        append(g, word);
    } else {
        bool any = way[g->first]->key == KEY_ANY && !one;
        append(g, any ? "[*]" : snapshot_step(s, from, edge, word, sizeof word));
    }
    for (uint32_t i = g->first; i < g->first + g->count; i++)
        one = one && way[i]->to[g->depth] == way[g->first]->to[g->depth];
    if (one) g->holder = way[g->first]->to[g->depth];
}

/* ---- all of it ------------------------------------------------------------------------------- */

typedef struct Work {
    const LmpSnapshot *s;
    Way *all, **way;
    Group *group; /* a stack of groups still to be divided */
    uint32_t groups, room;
    uint32_t least; /* members of a group that is shown */
    LmpWhyShape *out;
    uint32_t shapes, most;
} Work;

static bool push_group(Work *w, const Group *g) {
    if (!array_room(&w->group, &w->room, w->groups + 1)) return false;
    w->group[w->groups++] = *g;
    return true;
}

/* Keeps the shape, if it is among the largest. */
static void put_shape(Work *w, const Group *g) {
    uint32_t at = w->shapes;
    while (at > 0 && w->out[at - 1].objects < g->count)
        at--;
    if (at >= w->most) return;
    if (w->shapes < w->most) w->shapes++;
    memmove(&w->out[at + 1], &w->out[at], (w->shapes - 1 - at) * sizeof *w->out);
    LmpWhyShape *shape = &w->out[at];
    *shape =
        (LmpWhyShape){.objects = g->count, .holder = g->holder, .sample = w->way[g->first]->object};
    memcpy(shape->path, g->path, sizeof shape->path);
    for (uint32_t i = g->first; i < g->first + g->count; i++)
        shape->size += snapshot_counted(w->s, w->way[i]->object);
}

static bool divide(Work *w, const Group *g) {
    sort_by_step(w->s, w->way, g, false);
    if (distinct_names(w->s, w->way, g) > NAMES) sort_by_step(w->s, w->way, g, true);
    for (uint32_t i = g->first, n; i < g->first + g->count; i += n) {
        for (n = 1; i + n < g->first + g->count && w->way[i + n]->key == w->way[i]->key;)
            n++;
        if (n < w->least) continue;
        Group part = *g;
        part.first = i;
        part.count = n;
        if (w->way[i]->key == KEY_END) {
            put_shape(w, &part);
            continue;
        }
        append_step(w->s, w->way, &part);
        part.depth++;
        if (!push_group(w, &part)) return false;
    }
    return true;
}

uint32_t why_shapes(const LmpSnapshot *s, const uint32_t *member, uint32_t members,
                    LmpWhyShape *out, uint32_t most, uint32_t *asked) {
    uint32_t want = members < WHY_ASKED ? members : WHY_ASKED, n = 0;
    uint64_t budget = BUDGET;
    Work w = {.s = s, .out = out, .most = most};
    w.all = malloc((want ? want : 1) * sizeof *w.all);
    w.way = malloc((want ? want : 1) * sizeof(Way *));
    bool ok = w.all && w.way;
    /* halves of halves first, so that those looked at are spread evenly wherever this ends */
    uint32_t stride = 1;
    while (ok && stride * 2 < want)
        stride *= 2;
    for (bool whole = true; ok && stride && budget; stride /= 2, whole = false) {
        for (uint32_t i = whole ? 0 : stride; i < want && budget;
             i += whole ? stride : stride * 2) {
            uint32_t object = member[(uint64_t)i * members / want];
            if (!snapshot_garbage(s, object) && way_of(s, object, &w.all[n], &budget)) n++;
        }
    }
    for (uint32_t i = 0; ok && i < n; i++)
        w.way[i] = &w.all[i];
    w.least = n / WORST ? n / WORST : 1;
    Group whole = {.count = n, .holder = 0};
    ok = ok && (n == 0 || push_group(&w, &whole));
    while (ok && w.groups) {
        Group g = w.group[--w.groups];
        ok = divide(&w, &g);
    }
    free(w.all);
    free(w.way);
    free(w.group);
    *asked = ok ? n : 0;
    return ok ? w.shapes : 0;
}
