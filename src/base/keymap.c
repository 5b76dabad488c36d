/* keymap.c - open addressing with linear probing, doubled when half full; keys are stored plus one,
 * so that zero is a free slot. */
#include "base/keymap.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 64u

static size_t slot_of(const KeyMap *map, uint64_t key) {
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    size_t i = (size_t)(h ^ h >> 32) & (map->room - 1);
    while (map->key[i] != 0 && map->key[i] != key + 1)
        i = (i + 1) & (map->room - 1);
    return i;
}

static bool grow(KeyMap *map) {
    KeyMap more = {.used = map->used, .room = map->room ? map->room * 2 : LEAST_ROOM};
    more.key = calloc(more.room, sizeof *more.key);
    more.value = calloc(more.room, sizeof *more.value);
    if (!more.key || !more.value) {
        keymap_free(&more);
        return false;
    }
    for (size_t i = 0; i < map->room; i++) {
        if (map->key[i] == 0) continue;
        size_t at = slot_of(&more, map->key[i] - 1);
        more.key[at] = map->key[i];
        more.value[at] = map->value[i];
    }
    keymap_free(map);
    *map = more;
    return true;
}

bool keymap_set(KeyMap *map, uint64_t key, uint32_t value) {
    if ((map->used + 1) * 2 > map->room && !grow(map)) return false;
    size_t at = slot_of(map, key);
    map->used += map->key[at] == 0;
    map->key[at] = key + 1;
    map->value[at] = value; /* NOLINT: `room` has not wrapped to 0 */
    return true;
}

uint32_t keymap_get(const KeyMap *map, uint64_t key, uint32_t otherwise) {
    if (map->used == 0) return otherwise;
    size_t at = slot_of(map, key);
    return map->key[at] ? map->value[at] : otherwise;
}

void keymap_clear(KeyMap *map) {
    if (map->used > 0) memset(map->key, 0, map->room * sizeof *map->key);
    map->used = 0;
}

void keymap_free(KeyMap *map) {
    free(map->key);
    free(map->value);
    *map = (KeyMap){0};
}
