/* flameplace.c - keeps the ids of the functions from the outermost to a frame, and walks down the
 * tree by them. */
#include "panels/flame/flameplace.h"

#include <stdlib.h>
#include <string.h>

static bool room_for(FlamePlace *place, uint32_t n) {
    if (n <= place->room) return true;
    uint32_t room = n + n / 2 + 16;
    uint32_t *id = realloc(place->id, room * sizeof *id);
    if (!id) return false;
    place->id = id;
    place->room = room;
    return true;
}

bool flameplace_set(FlamePlace *place, const FlameTree *tree, uint32_t frame) {
    const Ledger *ledger = flametree_ledger(tree);
    uint32_t n = flametree_depth(tree, frame);
    if (!room_for(place, n)) return false;
    place->n = n;
    for (; n-- > 0; frame = flametree_parent(tree, frame))
        place->id[n] = ledger->function[flametree_function(tree, frame)].id;
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
    uint32_t frame = FLAME_ROOT;
    *whole = true;
    for (uint32_t i = 0; i < place->n && *whole; i++) {
        uint32_t next = flametree_child_of(tree, frame, place->id[i]);
        *whole = next != FLAME_NONE;
        if (*whole) frame = next;
    }
    return frame;
}
