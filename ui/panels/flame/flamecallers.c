/* flamecallers.c - the hits of the inverted graph. Each node that made something has a path of
 * callers, and a bar is what paths have in common at their beginning. So paths are sorted into
 * bars step by step outwards, like words into a dictionary, and dropped as soon as they stand
 * alone, or have no hit left. Nodes with a common caller go on as one.
 *
 * Counting hits does not need to know who made what, so it moves one number per path. */
#include <stdlib.h>

#include "base/array.h"
#include "base/capped.h"
#include "panels/flame/flamefind.h"

#define SOON 12u /* callers ahead, whose nodes are fetched */

/* A bar: paths that are the same so far. */
typedef struct Group {
    uint32_t first, n;
    uint32_t function;
    bool on; /* on the way to the bar that is zoomed to, or that one, or inside */
} Group;

/* A path, for listing hits: a node that made something, how far out its path has come, and the
 * value of all paths joined with it. */
typedef struct Made {
    uint32_t node, at;
    uint64_t value;
} Made;

typedef struct Level {
    uint32_t *up; /* by path: the next caller; 0: none */
    Made *made;   /* by path, too, when hits are listed */
    Group *group;
    uint32_t callers, groups, caller_room, made_room, group_room;
} Level;

/* For a node: how many hits and bars its path outwards has, its own bar included. */
typedef struct Ahead {
    uint32_t parent, function, hits, depth;
} Ahead;

struct FlameCallers {
    const CallFold *fold;
    bool list;
    Level now, next;
    Level step;     /* paths of one group, merged */
    Ahead *step_at; /* ... and the callers that the paths have come to */
    Ahead *ahead;
    uint32_t *slot; /* by function: its group's number + 1 among those being made */
    uint32_t *zoom; /* functions of the bar that is zoomed to, the first one outermost */
    uint64_t steps;
    uint32_t zoom_depth, depth;
    uint32_t node_room, function_room, zoom_room, step_room;
};

/* ---- room ------------------------------------------------------------------------------------ */

static bool caller_room(Level *level, uint32_t n, bool list) {
    return array_room(&level->up, &level->caller_room, n) &&
           (!list || array_room(&level->made, &level->made_room, n));
}

static bool group_room(Level *level, uint32_t n) {
    return array_room(&level->group, &level->group_room, n);
}

static void level_free(Level *level) {
    free(level->up);
    free(level->made);
    free(level->group);
}

void flamecallers_free(FlameCallers *c) {
    if (!c) return;
    level_free(&c->now);
    level_free(&c->next);
    level_free(&c->step);
    free(c->step_at);
    free(c->ahead);
    free(c->slot);
    free(c->zoom);
    free(c);
}

/* ---- making ready ---------------------------------------------------------------------------- */

/* Makes room. `slot` is all zeroes except while groups are made. */
static bool make_room(FlameCallers *c, const Ledger *ledger) {
    bool ahead = array_room(&c->ahead, &c->node_room, ledger->nodes);
    if (ledger->functions > c->function_room || !c->slot) {
        free(c->slot);
        c->function_room = ledger->functions + ledger->functions / 4 + 1;
        c->slot = calloc(c->function_room, sizeof *c->slot);
        if (!c->slot) c->function_room = 0;
    }
    return ahead && c->slot;
}

static bool zoom_to(FlameCallers *c, uint32_t bar) {
    const Call *call = c->fold->call;
    uint32_t n = c->zoom_depth = call[bar].depth;
    if (!array_room(&c->zoom, &c->zoom_room, n)) return false;
    for (; n-- > 0; bar = call[bar].parent)
        c->zoom[n] = call[bar].function;
    return true;
}

/* Fills `ahead` from parents to children: rows stand below their parents. */
static void look_ahead(FlameCallers *c, FlameFind *f, uint32_t nodes, const uint64_t *own) {
    c->ahead[0] = (Ahead){0};
    for (uint32_t i = 1; i < nodes; i++) {
        CallLink link = c->fold->link[i];
        Ahead up = c->ahead[link.parent];
        c->ahead[i] = (Ahead){link.parent, link.function, up.hits + (f->match[link.function] != 0),
                              up.depth + 1};
        if (c->ahead[i].hits) f->value = capped_plus(f->value, own[i]);
    }
}

/* ---- hits ------------------------------------------------------------------------------------ */

/* Returns the key of the bar around a path that has come to `at`: of the path's bars before
 * that. */
static uint64_t key_around(const FlameCallers *c, const Made *path) {
    uint64_t key = callfold_root_key(true);
    for (uint32_t at = path->node; at != path->at; at = c->ahead[at].parent)
        key = callfold_key(key, c->fold->id[c->fold->link[at].function]);
    return key;
}

/* Counts the hits of a path that stands alone from the bar of `at` on, within the bar that is
 * zoomed to. */
static uint32_t inside_of(const FlameCallers *c, Ahead at) {
    for (uint32_t depth = c->depth + 1; depth < c->zoom_depth; depth++) {
        uint32_t up = at.parent;
        if (!up || c->ahead[up].function != c->zoom[depth]) return 0;
        at = c->ahead[up];
    }
    return at.hits;
}

/* Adds the hits of one path; `made`: the path, if hits are listed. */
static bool add(const FlameCallers *c, FlameFind *f, const Made *made, uint32_t hits,
                uint32_t inside) {
    if (c->list)
        return flamefind_add(
            f, (FlameRun){key_around(c, made), made->value, made->node, made->at, hits}, inside);
    f->hits += hits;
    f->inside += inside;
    return true;
}

static bool find_alone(FlameCallers *c, FlameFind *f, uint32_t i, bool on) {
    Ahead at = c->step_at[i];
    c->steps += at.depth;
    return add(c, f, c->step.made + i, at.hits, on ? inside_of(c, at) : 0);
}

static bool find_bar(const FlameCallers *c, FlameFind *f, const Group *group) {
    Made all = {0};
    if (!f->match[group->function]) return true;
    if (c->list) all = c->now.made[group->first];
    for (uint32_t i = 1; c->list && i < group->n; i++)
        all.value = capped_plus(all.value, c->now.made[group->first + i].value);
    return add(c, f, &all, 1, group->on && c->depth >= c->zoom_depth);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Returns true if a bar of this function below one that is `on` is also on the way to the
 * zoom. */
static bool is_on(const FlameCallers *c, bool on, uint32_t function) {
    return on && (c->depth >= c->zoom_depth || c->zoom[c->depth] == function);
}

/* Counts the callers in `step` by function, in groups of `step`. */
static void count(FlameCallers *c, bool on) {
    c->step.groups = 0;
    for (uint32_t i = 0; i < c->step.callers; i++) {
        uint32_t function = c->step_at[i].function, *slot = &c->slot[function];
        if (*slot == 0) {
            c->step.group[c->step.groups++] =
                (Group){.function = function, .on = is_on(c, on, function)};
            *slot = c->step.groups;
        }
        c->step.group[*slot - 1].n++;
    }
}

/* Makes bars of the callers in `step`, below one bar; a caller with one path adds its hits.
 * Returns false: no memory. */
static bool sort(FlameCallers *c, FlameFind *f, bool on) {
    Level *next = &c->next, *step = &c->step;
    uint32_t n = step->callers;
    bool ok = true;
    if (n == 1) return find_alone(c, f, 0, is_on(c, on, c->step_at[0].function));
    if (!caller_room(next, next->callers + n, c->list) || !group_room(step, n) ||
        !group_room(next, next->groups + n))
        return false;
    count(c, on);
    for (uint32_t g = 0; g < step->groups; g++) {
        step->group[g].first = next->callers;
        if (step->group[g].n == 1) continue;
        next->group[next->groups++] = step->group[g];
        next->callers += step->group[g].n;
    }
    for (uint32_t i = 0; i < n; i++) {
        Group *group = &step->group[c->slot[c->step_at[i].function] - 1];
        if (group->n > 1) {
            next->up[group->first] = c->step_at[i].parent;
            if (c->list) next->made[group->first] = step->made[i];
            group->first++;
        } else {
            ok = ok && find_alone(c, f, i, group->on);
        }
    }
    for (uint32_t g = 0; g < step->groups; g++)
        c->slot[step->group[g].function] = 0;
    return ok;
}

static bool step_room(FlameCallers *c, uint32_t n) {
    c->step.callers = 0;
    return array_room(&c->step_at, &c->step_room, n) &&
           (!c->list || caller_room(&c->step, n, true));
}

/* Begins with the nodes that made something, each its own first caller. */
static bool begin(FlameCallers *c, FlameFind *f, uint32_t nodes, const uint64_t *own) {
    uint32_t n = 0;
    c->now.callers = c->now.groups = c->next.callers = c->next.groups = 0;
    c->depth = 0;
    c->steps = 0;
    if (!step_room(c, nodes)) return false;
    for (uint32_t i = 1; i < nodes; i++) {
        if (!own[i] || !c->ahead[i].hits) continue;
        if (c->list) c->step.made[n] = (Made){i, i, own[i]};
        c->step_at[n++] = c->ahead[i];
    }
    c->step.callers = n;
    return n == 0 || sort(c, f, true);
}

/* Goes one step outwards: nodes are in an order in which those of one parent stand together. */
static bool step_out(FlameCallers *c, FlameFind *f, const Group *group) {
    uint32_t n = 0, last = 0, ends = c->now.callers - group->first;
    const uint32_t *up = c->now.up + group->first;
    const Made *made = c->now.made + group->first;
    if (!step_room(c, group->n)) return false;
    for (uint32_t i = 0; i < group->n; i++) {
        if (i + SOON < ends) __builtin_prefetch(&c->ahead[up[i + SOON]]);
        if (n && last == up[i]) {
            if (c->list)
                c->step.made[n - 1].value = capped_plus(c->step.made[n - 1].value, made[i].value);
            continue;
        }
        if (c->ahead[up[i]].hits == 0) continue;
        last = up[i];
        if (c->list) c->step.made[n] = (Made){made[i].node, last, made[i].value};
        c->step_at[n++] = c->ahead[last];
    }
    c->step.callers = n;
    return n == 0 || sort(c, f, group->on);
}

static bool find_level(FlameCallers *c, FlameFind *f) {
    for (uint32_t g = 0; g < c->now.groups && !f->cut; g++) {
        const Group *group = &c->now.group[g];
        c->steps += group->n;
        if (!find_bar(c, f, group) || !step_out(c, f, group)) return false;
        f->cut = c->steps >= FLAME_FIND_STEPS;
    }
    return true;
}

static bool find_all(FlameCallers *c, FlameFind *f, const FlameTree *tree) {
    f->hits = f->inside = f->runs = 0;
    f->cut = false;
    if (!begin(c, f, c->fold->ledger->nodes, flametree_own(tree))) return false;
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

bool flamecallers_find(FlameFind *f, const FlameTree *tree, uint32_t zoom) {
    FlameCallers *c = f->callers ? f->callers : calloc(1, sizeof *c);
    f->callers = c;
    if (!c) return false;
    c->fold = flametree_fold(tree);
    if (!make_room(c, c->fold->ledger) || !zoom_to(c, zoom)) return false;
    c->list = false;
    look_ahead(c, f, c->fold->ledger->nodes, flametree_own(tree));
    return find_all(c, f, tree);
}

bool flamecallers_list(FlameFind *f, const FlameTree *tree) {
    f->callers->list = true;
    return find_all(f->callers, f, tree);
}
