/* array.c - twice the room that there was. */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 64 };

bool array_grow(void *array, uint32_t *room, uint64_t need, size_t size) {
    uint64_t more = *room ? *room * 2ull : LEAST;
    void *items;
    if (more < need) more = need;
    if (more > UINT32_MAX || more > SIZE_MAX / size) return false;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (size_t)more * size);
    if (!items) return false;
    memcpy(array, &items, sizeof items);
    *room = (uint32_t)more;
    return true;
}
