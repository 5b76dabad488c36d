/* flamefind.c - one pass over the ledger's nodes, parents first, finds the bars whose function
 * matches (inverted: flamecallers.c). Hits are kept as runs of equal value; the next hit is found
 * by comparing all runs. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/capped.h"
#include "panels/flame/flamefind.h"

enum { COVERED = 1, INSIDE = 2 };

/* ---- finding --------------------------------------------------------------------------------- */

static bool node_room(FlameFind *f, uint32_t nodes) {
    if (nodes <= f->node_room) return true;
    free(f->key);
    free(f->state);
    f->node_room = nodes + nodes / 4;
    f->key = malloc(f->node_room * sizeof *f->key);
    f->state = malloc(f->node_room * sizeof *f->state);
    if (f->key && f->state) return true;
    f->node_room = 0;
    return false;
}

bool flamefind_add(FlameFind *f, FlameRun run, uint32_t inside) {
    if (!array_room(&f->run, &f->run_room, f->runs + 1)) return false;
    f->run[f->runs++] = run;
    f->hits += run.hits;
    f->inside += inside;
    return true;
}

/* Adds a node of the bar `key`, which is a hit. Returns false: no memory. */
static bool add(FlameFind *f, uint64_t key, FlameRun run, bool inside) {
    uint32_t i = keymap_get(&f->by_key, key, FLAME_NONE);
    if (i != FLAME_NONE) {
        f->run[i].value = capped_plus(f->run[i].value, run.value);
        return true;
    }
    return keymap_set(&f->by_key, key, f->runs) && flamefind_add(f, run, inside);
}

static bool find_below(FlameFind *f, const FlameTree *tree, uint32_t bar) {
    const CallFold *fold = flametree_fold(tree);
    uint64_t zoom = fold->call[bar].key;
    const uint64_t *total = flametree_total(tree);
    uint32_t nodes = fold->ledger->nodes;
    if (!node_room(f, nodes)) return false;
    f->key[0] = callfold_root_key(false);
    f->state[0] = f->key[0] == zoom ? INSIDE : 0;
    for (uint32_t i = 1; i < nodes; i++) {
        const CallLink *link = &fold->link[i];
        uint64_t around = f->key[link->parent];
        uint8_t state = f->state[link->parent];
        f->key[i] = callfold_key(around, fold->id[link->function]);
        if (f->key[i] == zoom) state |= INSIDE;
        if (total[i] && f->match[link->function]) {
            FlameRun run = {.key = around, .value = total[i], .node = i, .at = i, .hits = 1};
            if (!(state & COVERED)) f->value = capped_plus(f->value, total[i]);
            state |= COVERED;
            if (!add(f, f->key[i], run, state & INSIDE)) return false;
        }
        f->state[i] = state;
    }
    return true;
}

static void clear(FlameFind *f) {
    f->hits = f->inside = f->runs = 0;
    f->value = 0;
    f->cut = false;
    keymap_clear(&f->by_key);
}

bool flamefind_update(FlameFind *find, const FlameTree *tree, const uint8_t *match, uint32_t zoom) {
    clear(find);
    find->match = match;
    bool ok = flametree_fold(tree)->how.inverted ? flamecallers_find(find, tree, zoom)
                                                 : find_below(find, tree, zoom);
    if (!ok) clear(find);
    return ok;
}

void flamefind_free(FlameFind *find) {
    free(find->run);
    free(find->key);
    free(find->state);
    keymap_free(&find->by_key);
    flamecallers_free(find->callers);
    *find = (FlameFind){0};
}

bool flamefind_has(const FlameFind *find, const FlameTree *tree, uint32_t bar) {
    uint32_t function = flametree_call(tree, bar)->function;
    return function != FLAME_NONE && find->match[function];
}

/* ---- from one to the next -------------------------------------------------------------------- */

/* Returns true if a comes before b. With equal values the key decides. */
static bool before(const FlameHit *a, const FlameHit *b) {
    return a->value != b->value ? a->value > b->value : a->key < b->key;
}

/* Goes to the next hit of a run; `hit` is the one before, all zeroes at first. Returns false:
 * none. */
static bool run_step(const FlameFind *f, const CallFold *fold, const FlameRun *run, FlameHit *hit) {
    bool first = hit->at == 0;
    if (!first && run->hits == 1) return false;
    uint32_t at = first ? run->at : fold->link[hit->at].parent;
    uint64_t key = first ? run->key : hit->key;
    for (; at; at = fold->link[at].parent) {
        key = callfold_key(key, fold->id[fold->link[at].function]);
        *hit = (FlameHit){key, run->value, run->node, at};
        if (f->match[fold->link[at].function]) return true;
    }
    return false;
}

/* Returns true if a step leads to `a` rather than to `b`. */
static bool sooner(const FlameHit *a, const FlameHit *b, int step) {
    return step > 0 ? before(a, b) : before(b, a);
}

/* Finds the first hit after `here` (NULL: of all). Skips runs that cannot have it. */
static bool first_after(const FlameFind *f, const CallFold *fold, const FlameHit *here, int step,
                        FlameHit *out) {
    bool any = false;
    for (uint32_t i = 0; i < f->runs; i++) {
        const FlameRun *run = &f->run[i];
        uint64_t v = run->value;
        if (here && (step > 0 ? v > here->value : v < here->value)) continue;
        if (any && (step > 0 ? v < out->value : v > out->value)) continue;
        for (FlameHit hit = {0}; run_step(f, fold, run, &hit);) {
            if (here && !sooner(here, &hit, step)) continue;
            if (any && !sooner(&hit, out, step)) continue;
            *out = hit;
            any = true;
        }
    }
    return any;
}

static uint32_t count_before(const FlameFind *f, const CallFold *fold, const FlameHit *here) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->runs; i++) {
        const FlameRun *run = &f->run[i];
        if (run->value > here->value) n += run->hits;
        if (run->value != here->value) continue;
        for (FlameHit hit = {0}; run_step(f, fold, run, &hit);)
            n += before(&hit, here);
    }
    return n;
}

bool flamefind_next(FlameFind *find, const FlameTree *tree, uint32_t from, int step, FlameHit *next,
                    uint32_t *place) {
    if (find->hits && !find->runs && !flamecallers_list(find, tree)) {
        clear(find);
        return false;
    }
    const CallFold *fold = flametree_fold(tree);
    FlameHit here = {.key = fold->call[from].key, .value = flametree_value(tree, from)};
    bool any = flamefind_has(find, tree, from) && first_after(find, fold, &here, step, next);
    if (!any && !first_after(find, fold, NULL, step, next)) return false;
    *place = count_before(find, fold, next) + 1;
    return true;
}

/* ---- places that outlive a refresh ----------------------------------------------------------- */

bool flameplace_set(FlamePlace *place, const FlameTree *tree, uint32_t bar) {
    const CallFold *fold = flametree_fold(tree);
    uint32_t n = fold->call[bar].depth;
    if (!array_room(&place->id, &place->room, n)) return false;
    place->n = n;
    for (; n-- > 0; bar = fold->call[bar].parent)
        place->id[n] = fold->id[fold->call[bar].function];
    return true;
}

bool flameplace_of_hit(FlamePlace *place, const FlameTree *tree, const FlameHit *hit) {
    const CallFold *fold = flametree_fold(tree);
    bool inverted = fold->how.inverted;
    const LmpTreeRow *row = fold->ledger->tree;
    uint32_t n = inverted ? row[hit->node].depth - row[hit->at].depth + 1 : row[hit->at].depth;
    uint32_t node = inverted ? hit->node : hit->at;
    if (!array_room(&place->id, &place->room, n)) return false;
    place->n = n;
    for (uint32_t i = 0; i < n; i++, node = row[node].parent)
        place->id[inverted ? i : n - 1 - i] = fold->id[row[node].function];
    return true;
}

bool flameplace_copy(FlamePlace *place, const FlamePlace *from) {
    if (!array_room(&place->id, &place->room, from->n)) return false;
    if (from->n) memcpy(place->id, from->id, from->n * sizeof *from->id);
    place->n = from->n;
    return true;
}

void flameplace_free(FlamePlace *place) {
    free(place->id);
    *place = (FlamePlace){0};
}

uint32_t flameplace_find(const FlamePlace *place, FlameTree *tree, bool *whole) {
    uint32_t bar = FLAME_ROOT;
    *whole = true;
    for (uint32_t i = 0; i < place->n && *whole; i++) {
        uint32_t next = flametree_child_of(tree, bar, place->id[i]);
        *whole = next != FLAME_NONE;
        if (*whole) bar = next;
    }
    return bar;
}
