/* array.h - an array that grows: a pointer to its items, and how many there is room for. Both are
 * zero at first; free() frees it. */
#ifndef LMP_ARRAY_H
#define LMP_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for `need` items in the array at `array` (a pointer to the pointer), more than asked
 * for where it grows again and again. Returns false if there is no memory: all stays as it is. */
#define array_room(array, room, need)                                                              \
    ((need) <= *(room) || array_grow((array), (room), (need), sizeof **(array)))

bool array_grow(void *array, uint32_t *room, uint64_t need, size_t size);

#endif
