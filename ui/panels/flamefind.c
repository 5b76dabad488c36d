/* flamefind.c - see flamefind.h. */
#include "panels/flamefind.h"

#include <stdlib.h>

enum { COVERED = 1, INSIDE = 2 };

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

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

/* A node of the frame `key`, which is a hit; false: no memory. */
static bool add(FlameFind *f, uint64_t key, uint64_t value, uint32_t node, uint32_t at,
                bool inside) {
    uint32_t i = keymap_get(&f->by_key, key, FLAME_NONE);
    if (i != FLAME_NONE) {
        f->hit[i].value = plus(f->hit[i].value, value);
        return true;
    }
    if (f->hits == f->hit_room) {
        uint32_t room = f->hit_room ? f->hit_room * 2 : 64;
        FlameHit *hit = realloc(f->hit, room * sizeof *hit);
        if (!hit) return false;
        f->hit = hit;
        f->hit_room = room;
    }
    if (!keymap_set(&f->by_key, key, f->hits)) return false;
    f->hit[f->hits++] = (FlameHit){key, value, node, at};
    f->inside += inside;
    return true;
}

static bool find_below(FlameFind *f, const FlameTree *tree, const uint8_t *match, uint64_t zoom) {
    const Ledger *ledger = flametree_ledger(tree);
    const uint64_t *total = flametree_total(tree);
    if (!node_room(f, ledger->nodes)) return false;
    f->key[0] = flametree_key_root();
    f->state[0] = f->key[0] == zoom ? INSIDE : 0;
    const FlameLink *links = flametree_links(tree);
    for (uint32_t i = 1; i < ledger->nodes; i++) {
        const FlameLink *link = &links[i];
        uint8_t state = f->state[link->parent];
        f->key[i] = flametree_key_below(f->key[link->parent], link->function_id);
        if (f->key[i] == zoom) state |= INSIDE;
        if (total[i] && match[link->function]) {
            if (!(state & COVERED)) f->value = plus(f->value, total[i]);
            state |= COVERED;
            if (!add(f, f->key[i], total[i], i, i, state & INSIDE)) return false;
        }
        f->state[i] = state;
    }
    return true;
}

static bool find_inverted(FlameFind *f, const FlameTree *tree, const uint8_t *match,
                          uint64_t zoom) {
    const FlameLink *links = flametree_links(tree);
    const uint64_t *own = flametree_own(tree);
    uint32_t steps = 0, nodes = flametree_ledger(tree)->nodes;
    for (uint32_t i = 1; i < nodes && !f->cut; i++) {
        uint64_t key = flametree_key_root();
        bool covered = false, inside = key == zoom;
        for (uint32_t at = own[i] ? i : 0; at && !f->cut; at = links[at].parent) {
            uint32_t function = links[at].function;
            key = flametree_key_below(key, links[at].function_id);
            inside |= key == zoom;
            f->cut = ++steps >= FLAME_FIND_STEPS;
            if (!match[function]) continue;
            if (!covered) f->value = plus(f->value, own[i]);
            covered = true;
            if (!add(f, key, own[i], i, at, inside)) return false;
        }
    }
    return true;
}

static void clear(FlameFind *f) {
    f->hits = f->inside = 0;
    f->value = 0;
    f->cut = false;
    keymap_clear(&f->by_key);
}

bool flamefind_update(FlameFind *find, const FlameTree *tree, const uint8_t *match, uint64_t zoom) {
    clear(find);
    bool ok = flametree_inverted(tree) ? find_inverted(find, tree, match, zoom)
                                       : find_below(find, tree, match, zoom);
    if (!ok) clear(find);
    return ok;
}

void flamefind_free(FlameFind *find) {
    free(find->hit);
    free(find->key);
    free(find->state);
    keymap_free(&find->by_key);
    *find = (FlameFind){0};
}

bool flamefind_has(const FlameFind *find, uint64_t key) {
    return find->hits && keymap_get(&find->by_key, key, FLAME_NONE) != FLAME_NONE;
}

/* Does a come before b? */
static bool before(const FlameHit *a, const FlameHit *b) {
    return a->value != b->value ? a->value > b->value : a->key < b->key;
}

const FlameHit *flamefind_next(const FlameFind *find, uint64_t key, int step, uint32_t *place) {
    uint32_t at = find->hits ? keymap_get(&find->by_key, key, FLAME_NONE) : FLAME_NONE;
    const FlameHit *here = at != FLAME_NONE ? &find->hit[at] : NULL, *next = NULL, *end = NULL;
    for (uint32_t i = 0; i < find->hits; i++) {
        const FlameHit *hit = &find->hit[i];
        bool first = !end || (step > 0 ? before(hit, end) : before(end, hit));
        bool after = here && (step > 0 ? before(here, hit) : before(hit, here));
        if (first) end = hit;
        if (after && (!next || (step > 0 ? before(hit, next) : before(next, hit)))) next = hit;
    }
    if (!next) next = end;
    *place = 1;
    for (uint32_t i = 0; i < find->hits; i++)
        *place += before(&find->hit[i], next);
    return next;
}
