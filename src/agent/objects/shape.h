/* shape.h - what tables look like that are found by their blocks, not by who holds them: which keys
 * they have. Such a table may be garbage, so more is checked than in tables that a program holds.
 */
#ifndef LMP_AGENT_OBJECTS_SHAPE_H
#define LMP_AGENT_OBJECTS_SHAPE_H

#include <stdint.h>

#include "agent/objects/source.h"

/* Writes valid, size, shown, bytes and hash of *out for the table whose block of `size` bytes is at
 * `table`. `hand`: the operation, after which it is read; all zero: none, or it comes yet. Nothing
 * is written for a table that cannot be read: about to be freed, being made, or none at all. Only
 * after offsets_known() has said LMP_OK. */
void shape_read(LmpProfile *p, const LmpObjectHand *hand, uintptr_t table, uint64_t size,
                LmpPreview *out);
/* Returns true if the object is about to be freed: its colour is that of the last cycle. Only after
 * offsets_known() has said LMP_OK. */
bool shape_is_dead(const LmpProfile *p, uintptr_t object);

/* ---- keys in order --------------------------------------------------------------------------- */

/* The string keys of a table in the order of their bytes, so that the same table always
 * reads the same. They stay where they are: nothing is copied until they are joined. */

#define LMP_OBJECT_KEYS 16u

typedef struct LmpObjectKeys {
    const char *bytes[LMP_OBJECT_KEYS];
    uint64_t size[LMP_OBJECT_KEYS];
    uint32_t count;
} LmpObjectKeys;

/* Adds a key. When there is no room for more, the first ones stay. */
void objectkeys_add(LmpObjectKeys *keys, const char *bytes, uint64_t size);
/* Writes "history, seen, user" into `room` bytes: the keys that fit whole; *size: of the text.
 * Returns how many. */
uint32_t objectkeys_join(const LmpObjectKeys *keys, char *out, uint32_t room, uint32_t *size);

#endif
