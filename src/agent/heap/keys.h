/* keys.h - the string keys of a table in the order of their bytes, so that the same table always
 * reads the same. They stay where they are: nothing is copied until they are joined. */
#ifndef LMP_HEAP_KEYS_H
#define LMP_HEAP_KEYS_H

#include <stdint.h>

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
