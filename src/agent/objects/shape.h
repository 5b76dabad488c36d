/* shape.h - what tables look like that are found by their blocks, not by who holds them: which keys
 * they have. Such a table may be garbage, so more is checked than in tables that a program holds.
 */
#ifndef LMP_HEAP_SHAPE_H
#define LMP_HEAP_SHAPE_H

#include <stdint.h>

#include "agent/heap/source.h"

/* Writes valid, size, shown, bytes and hash of *out for the table whose block of `size` bytes is at
 * `table`. `hand`: the operation, after which it is read; all zero: none, or it comes yet. Nothing
 * is written for a table that cannot be read: about to be freed, being made, or none at all. Only
 * after heaplayout_known() has said LMP_OK. */
void heapshape_read(LmpProfile *p, const LmpHeapHand *hand, uintptr_t table, uint64_t size,
                    LmpPreview *out);

/* ---- keys in order --------------------------------------------------------------------------- */

/* The string keys of a table in the order of their bytes, so that the same table always
 * reads the same. They stay where they are: nothing is copied until they are joined. */

#define LMP_HEAP_KEYS 16u

typedef struct LmpHeapKeys {
    const char *bytes[LMP_HEAP_KEYS];
    uint64_t size[LMP_HEAP_KEYS];
    uint32_t count;
} LmpHeapKeys;

/* Of more than there is room for the first ones stay. */
void heapkeys_add(LmpHeapKeys *keys, const char *bytes, uint64_t size);
/* "history, seen, user" into `room` bytes, keys that fit whole; *size: of the text. Returns how
 * many. */
uint32_t heapkeys_join(const LmpHeapKeys *keys, char *out, uint32_t room, uint32_t *size);

#endif
