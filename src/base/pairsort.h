/* pairsort.h - sorting rows by a number in linear time. */
#ifndef LMP_PAIRSORT_H
#define LMP_PAIRSORT_H

#include <stdint.h>

typedef struct SortPair {
    uint64_t key;
    uint32_t row; /* whatever has that key */
} SortPair;

/* Sorts by key, largest first; equal ones keep their order. `room`: n more pairs. */
void pairsort(SortPair *pair, SortPair *room, uint32_t n);

#endif
