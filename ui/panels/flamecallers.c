/* flamecallers.c - see flamefind_impl.h: hits of the inverted graph. Each node that made something
 * has a path of callers, and a frame is what paths begin with alike. So paths are sorted into
 * frames step by step outwards, like words into a dictionary, and left as soon as they stand alone,
 * or have no hit before them. Nodes with one caller in common go on as one. */
#include <stdlib.h>
#include <string.h>

#include "panels/flamefind_impl.h"

#define SOON 8u /* callers ahead, whose nodes are fetched */

/* How far out a path has come. */
typedef struct Caller {
    uint32_t node, at;     /* one that made something; the caller */
    uint32_t up, function; /* of the caller: nodes are far apart in memory, so both are kept */
    uint64_t value;        /* of all that have come here */
} Caller;

/* Paths that are alike so far: a frame. */
typedef struct Group {
    uint64_t key; /* of what is around the frame */
    uint32_t first, n;
    bool on; /* on the way to the frame that is zoomed to, or that one, or inside */
} Group;

typedef struct Level {
    Caller *caller;
    Group *group;
    uint32_t callers, groups, caller_room, group_room;
} Level;

/* A node, and along its path, its own frame included: hits, and how many frames there are. */
typedef struct Ahead {
    uint32_t parent, function, hits, depth;
} Ahead;

struct FlameCallers {
    const FlameLink *links;
    Level now, next;
    Level step; /* callers of one group, merged */
    Ahead *ahead;
    uint32_t *slot; /* by function: its group's number + 1 among those being made */
    uint32_t *zoom; /* functions of the frame that is zoomed to, the first one outermost */
    uint64_t steps;
    uint32_t zoom_depth, depth;
    uint32_t node_room, function_room, zoom_room;
};

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- room ------------------------------------------------------------------------------------ */

static void *room_for(void *array, uint32_t *room, uint32_t n, size_t size) {
    if (n <= *room && array) return array;
    uint32_t more = n + n / 2 + 256;
    void *grown = realloc(array, more * size);
    if (grown) *room = more;
    return grown;
}

static bool caller_room(Level *level, uint32_t n) {
    void *grown = room_for(level->caller, &level->caller_room, n, sizeof(Caller));
    if (grown) level->caller = grown;
    return grown != NULL;
}

static bool group_room(Level *level, uint32_t n) {
    void *grown = room_for(level->group, &level->group_room, n, sizeof(Group));
    if (grown) level->group = grown;
    return grown != NULL;
}

static void level_free(Level *level) {
    free(level->caller);
    free(level->group);
}

void flamecallers_free(FlameCallers *c) {
    if (!c) return;
    level_free(&c->now);
    level_free(&c->next);
    level_free(&c->step);
    free(c->ahead);
    free(c->slot);
    free(c->zoom);
    free(c);
}

/* ---- making ready ---------------------------------------------------------------------------- */

/* `slot` is all zeroes but while groups are made. */
static bool make_room(FlameCallers *c, const Ledger *ledger) {
    void *ahead = room_for(c->ahead, &c->node_room, ledger->nodes, sizeof *c->ahead);
    if (ahead) c->ahead = ahead;
    if (ledger->functions > c->function_room || !c->slot) {
        free(c->slot);
        c->function_room = ledger->functions + ledger->functions / 4 + 1;
        c->slot = calloc(c->function_room, sizeof *c->slot);
        if (!c->slot) c->function_room = 0;
    }
    return ahead && c->slot;
}

static bool zoom_to(FlameCallers *c, const FlameTree *tree, uint32_t frame) {
    uint32_t n = c->zoom_depth = flametree_depth(tree, frame);
    void *zoom = room_for(c->zoom, &c->zoom_room, n, sizeof *c->zoom);
    if (!zoom) return false;
    c->zoom = zoom;
    for (; n-- > 0; frame = flametree_parent(tree, frame))
        c->zoom[n] = flametree_function(tree, frame);
    return true;
}

/* Nodes stand below their parents. */
static void look_ahead(FlameCallers *c, FlameFind *f, uint32_t nodes, const uint64_t *own) {
    c->ahead[0] = (Ahead){0};
    for (uint32_t i = 1; i < nodes; i++) {
        Ahead up = c->ahead[c->links[i].parent];
        c->ahead[i] = (Ahead){c->links[i].parent, c->links[i].function,
                              up.hits + (f->match[c->links[i].function] != 0), up.depth + 1};
        if (c->ahead[i].hits) f->value = plus(f->value, own[i]);
    }
}

/* ---- hits ------------------------------------------------------------------------------------ */

/* How many hits on a path that stands alone from the frame of `at` on, this deep, are in the frame
 * that is zoomed to. */
static uint32_t inside_of(const FlameCallers *c, uint32_t at, uint32_t depth) {
    for (; depth < c->zoom_depth; depth++) {
        at = c->ahead[at].parent;
        if (!at || c->ahead[at].function != c->zoom[depth]) return 0;
    }
    return c->ahead[at].hits;
}

static bool find_alone(FlameCallers *c, FlameFind *f, const Caller *path, uint64_t key, bool on) {
    Ahead ahead = c->ahead[path->at];
    FlameRun run = {key, path->value, path->node, path->at, ahead.hits};
    c->steps += ahead.depth;
    return flamefind_add(f, run, on ? inside_of(c, path->at, c->depth + 1) : 0);
}

static bool find_frame(const FlameCallers *c, FlameFind *f, const Group *group) {
    const Caller *path = &c->now.caller[group->first];
    FlameRun run = {.key = group->key, .node = path->node, .at = path->at, .hits = 1};
    if (!f->match[path->function]) return true;
    for (uint32_t i = 0; i < group->n; i++)
        run.value = plus(run.value, path[i].value);
    return flamefind_add(f, run, group->on && c->depth >= c->zoom_depth);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Is a frame of this function below one that is `on` the way to what is zoomed to, too? */
static bool is_on(const FlameCallers *c, bool on, uint32_t function) {
    return on && (c->depth >= c->zoom_depth || c->zoom[c->depth] == function);
}

/* Counts the callers in `step` by function, in groups of `step`. */
static void count(FlameCallers *c, uint64_t key, bool on) {
    c->step.groups = 0;
    for (uint32_t i = 0; i < c->step.callers; i++) {
        uint32_t function = c->step.caller[i].function, *slot = &c->slot[function];
        if (*slot == 0) {
            Group group = {.key = key, .on = is_on(c, on, function)};
            c->step.group[c->step.groups++] = group;
            *slot = c->step.groups;
        }
        c->step.group[*slot - 1].n++;
    }
}

/* Makes frames of the callers in `step`, below the frame `key`; of those with one path their hits.
 * False: no memory. */
static bool sort(FlameCallers *c, FlameFind *f, uint64_t key, bool on) {
    Level *next = &c->next, *step = &c->step;
    uint32_t n = step->callers;
    bool ok = true;
    if (n == 1) return find_alone(c, f, step->caller, key, is_on(c, on, step->caller->function));
    if (!caller_room(next, next->callers + n) || !group_room(step, n) ||
        !group_room(next, next->groups + n))
        return false;
    count(c, key, on);
    for (uint32_t g = 0; g < step->groups; g++) {
        step->group[g].first = next->callers;
        if (step->group[g].n == 1) continue;
        next->group[next->groups++] = step->group[g];
        next->callers += step->group[g].n;
    }
    for (uint32_t i = 0; i < n; i++) {
        const Caller *path = &step->caller[i];
        Group *group = &step->group[c->slot[path->function] - 1];
        if (group->n > 1)
            next->caller[group->first++] = *path;
        else
            ok = ok && find_alone(c, f, path, key, group->on);
    }
    for (uint32_t i = 0; i < n; i++)
        c->slot[step->caller[i].function] = 0;
    return ok;
}

/* Those who made something, each its own first caller. */
static bool begin(FlameCallers *c, FlameFind *f, uint32_t nodes, const uint64_t *own) {
    c->now.callers = c->now.groups = c->next.callers = c->next.groups = 0;
    c->depth = c->step.callers = 0;
    c->steps = 0;
    if (!caller_room(&c->step, nodes)) return false;
    for (uint32_t i = 1; i < nodes; i++) {
        Ahead ahead = c->ahead[i];
        if (own[i] && ahead.hits)
            c->step.caller[c->step.callers++] =
                (Caller){i, i, ahead.parent, ahead.function, own[i]};
    }
    return c->step.callers == 0 || sort(c, f, flametree_key_root(), true);
}

/* One step outwards: nodes are in an order in which those of one parent stand together. */
static bool step_out(FlameCallers *c, FlameFind *f, const Group *group) {
    const Caller *from = c->now.caller + group->first;
    uint64_t key = flametree_key_below(group->key, c->links[from->at].function_id);
    uint32_t n = 0;
    if (!caller_room(&c->step, group->n)) return false;
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t at = from[i].up;
        if (i + SOON < group->n) __builtin_prefetch(&c->ahead[from[i + SOON].up]);
        Ahead ahead = c->ahead[at];
        Caller *last = n ? &c->step.caller[n - 1] : NULL;
        if (ahead.hits == 0) continue;
        if (last && last->at == at)
            last->value = plus(last->value, from[i].value);
        else
            c->step.caller[n++] =
                (Caller){from[i].node, at, ahead.parent, ahead.function, from[i].value};
    }
    c->step.callers = n;
    return n == 0 || sort(c, f, key, group->on);
}

static bool find_level(FlameCallers *c, FlameFind *f) {
    for (uint32_t g = 0; g < c->now.groups && !f->cut; g++) {
        const Group *group = &c->now.group[g];
        c->steps += group->n;
        if (!find_frame(c, f, group) || !step_out(c, f, group)) return false;
        f->cut = c->steps >= FLAME_FIND_STEPS;
    }
    return true;
}

bool flamecallers_find(FlameFind *f, const FlameTree *tree, uint32_t zoom) {
    FlameCallers *c = f->callers ? f->callers : calloc(1, sizeof *c);
    const uint64_t *own = flametree_own(tree);
    uint32_t nodes = flametree_ledger(tree)->nodes;
    f->callers = c;
    if (!c || !make_room(c, flametree_ledger(tree)) || !zoom_to(c, tree, zoom)) return false;
    c->links = flametree_links(tree);
    look_ahead(c, f, nodes, own);
    if (!begin(c, f, nodes, own)) return false;
    f->cut = c->steps >= FLAME_FIND_STEPS;
    while (c->next.groups > 0 && !f->cut) {
        Level now = c->next;
        c->next = c->now;
        c->now = now;
        c->next.callers = c->next.groups = 0;
        c->depth++;
        if (!find_level(c, f)) return false;
    }
    return true;
}
