/* flamefind.c - one pass over the ledger's nodes, parents first, finds the bars whose function
 * matches (inverted: flamecallers.c). Hits are kept as runs of equal value; the next hit is found
 * by comparing all runs. */
#include <stdlib.h>
#include <string.h>

#include "panels/flame/flamefind.h"

enum { COVERED = 1, INSIDE = 2 };

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

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
    if (f->runs == f->run_room) {
        uint32_t room = f->run_room ? f->run_room * 2 : 64;
        FlameRun *grown = realloc(f->run, room * sizeof *grown);
        if (!grown) return false;
        f->run = grown;
        f->run_room = room;
    }
    f->run[f->runs++] = run;
    f->hits += run.hits;
    f->inside += inside;
    return true;
}

/* Adds a node of the bar `key`, which is a hit. Returns false: no memory. */
static bool add(FlameFind *f, uint64_t key, FlameRun run, bool inside) {
    uint32_t i = keymap_get(&f->by_key, key, FLAME_NONE);
    if (i != FLAME_NONE) {
        f->run[i].value = plus(f->run[i].value, run.value);
        return true;
    }
    return keymap_set(&f->by_key, key, f->runs) && flamefind_add(f, run, inside);
}

static bool find_below(FlameFind *f, const FlameTree *tree, uint32_t bar) {
    uint64_t zoom = flametree_key(tree, bar);
    const uint64_t *total = flametree_total(tree);
    const FlameLink *links = flametree_links(tree);
    uint32_t nodes = flametree_ledger(tree)->nodes;
    if (!node_room(f, nodes)) return false;
    f->key[0] = flametree_key_root();
    f->state[0] = f->key[0] == zoom ? INSIDE : 0;
    for (uint32_t i = 1; i < nodes; i++) {
        const FlameLink *link = &links[i];
        uint64_t around = f->key[link->parent];
        uint8_t state = f->state[link->parent];
        f->key[i] = flametree_key_below(around, link->function_id);
        if (f->key[i] == zoom) state |= INSIDE;
        if (total[i] && f->match[link->function]) {
            FlameRun run = {.key = around, .value = total[i], .node = i, .at = i, .hits = 1};
            if (!(state & COVERED)) f->value = plus(f->value, total[i]);
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
    bool ok = flametree_inverted(tree) ? flamecallers_find(find, tree, zoom)
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
    uint32_t function = flametree_function(tree, bar);
    return function != FLAME_NONE && find->match[function];
}

/* ---- from one to the next -------------------------------------------------------------------- */

/* Returns true if a comes before b. With equal values the key decides. */
static bool before(const FlameHit *a, const FlameHit *b) {
    return a->value != b->value ? a->value > b->value : a->key < b->key;
}

/* Goes to the next hit of a run; `hit` is the one before, all zeroes at first. Returns false:
 * none. */
static bool run_step(const FlameFind *f, const FlameLink *links, const FlameRun *run,
                     FlameHit *hit) {
    bool first = hit->at == 0;
    if (!first && run->hits == 1) return false;
    uint32_t at = first ? run->at : links[hit->at].parent;
    uint64_t key = first ? run->key : hit->key;
    for (; at; at = links[at].parent) {
        key = flametree_key_below(key, links[at].function_id);
        *hit = (FlameHit){key, run->value, run->node, at};
        if (f->match[links[at].function]) return true;
    }
    return false;
}

/* Returns true if a step leads to `a` rather than to `b`. */
static bool sooner(const FlameHit *a, const FlameHit *b, int step) {
    return step > 0 ? before(a, b) : before(b, a);
}

/* Finds the first hit after `here` (NULL: of all). Skips runs that cannot have it. */
static bool first_after(const FlameFind *f, const FlameLink *links, const FlameHit *here, int step,
                        FlameHit *out) {
    bool any = false;
    for (uint32_t i = 0; i < f->runs; i++) {
        const FlameRun *run = &f->run[i];
        uint64_t v = run->value;
        if (here && (step > 0 ? v > here->value : v < here->value)) continue;
        if (any && (step > 0 ? v < out->value : v > out->value)) continue;
        for (FlameHit hit = {0}; run_step(f, links, run, &hit);) {
            if (here && !sooner(here, &hit, step)) continue;
            if (any && !sooner(&hit, out, step)) continue;
            *out = hit;
            any = true;
        }
    }
    return any;
}

static uint32_t count_before(const FlameFind *f, const FlameLink *links, const FlameHit *here) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->runs; i++) {
        const FlameRun *run = &f->run[i];
        if (run->value > here->value) n += run->hits;
        if (run->value != here->value) continue;
        for (FlameHit hit = {0}; run_step(f, links, run, &hit);)
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
    const FlameLink *links = flametree_links(tree);
    FlameHit here = {.key = flametree_key(tree, from), .value = flametree_value(tree, from)};
    bool any = flamefind_has(find, tree, from) && first_after(find, links, &here, step, next);
    if (!any && !first_after(find, links, NULL, step, next)) return false;
    *place = count_before(find, links, next) + 1;
    return true;
}

/* ---- places that outlive a refresh ----------------------------------------------------------- */

static bool room_for(FlamePlace *place, uint32_t n) {
    if (n <= place->room) return true;
    uint32_t room = n + n / 2 + 16;
    uint32_t *id = realloc(place->id, room * sizeof *id);
    if (!id) return false;
    place->id = id;
    place->room = room;
    return true;
}

bool flameplace_set(FlamePlace *place, const FlameTree *tree, uint32_t bar) {
    const Ledger *ledger = flametree_ledger(tree);
    uint32_t n = flametree_depth(tree, bar);
    if (!room_for(place, n)) return false;
    place->n = n;
    for (; n-- > 0; bar = flametree_parent(tree, bar))
        place->id[n] = ledger->function[flametree_function(tree, bar)].id;
    return true;
}

bool flameplace_of_hit(FlamePlace *place, const FlameTree *tree, const FlameHit *hit) {
    const Ledger *ledger = flametree_ledger(tree);
    bool inverted = flametree_inverted(tree);
    const LmpTreeRow *row = ledger->tree;
    uint32_t n = inverted ? row[hit->node].depth - row[hit->at].depth + 1 : row[hit->at].depth;
    uint32_t node = inverted ? hit->node : hit->at;
    if (!room_for(place, n)) return false;
    place->n = n;
    for (uint32_t i = 0; i < n; i++, node = row[node].parent)
        place->id[inverted ? i : n - 1 - i] = ledger->function[row[node].function].id;
    return true;
}

bool flameplace_copy(FlamePlace *place, const FlamePlace *from) {
    if (!room_for(place, from->n)) return false;
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
