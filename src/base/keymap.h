/* keymap.h - a map from 64-bit keys to numbers, for readers: it uses malloc, which nothing in a
 * profiled program's hook may (there: rowindex.h). Keys are never UINT64_MAX; there is no removal
 * but clearing. All zeroes is an empty map. */
#ifndef LMP_KEYMAP_H
#define LMP_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Invariant: `room` is 0 or a power of two, used * 2 <= room. */
typedef struct KeyMap {
    uint64_t *key; /* plus 1; 0: a free slot */
    uint32_t *value;
    size_t used, room;
} KeyMap;

/* Returns false if there is no memory: then nothing changed. */
bool keymap_set(KeyMap *map, uint64_t key, uint32_t value);
/* Returns the value of a key, or `otherwise`. */
uint32_t keymap_get(const KeyMap *map, uint64_t key, uint32_t otherwise);
/* Forgets all keys, keeps the memory. */
void keymap_clear(KeyMap *map);
void keymap_free(KeyMap *map);

#endif
