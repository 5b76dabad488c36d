/* pairsort.c - few pairs by insertion; many by one byte after the other, from the lowest on, where
 * bytes in which all keys agree are skipped. */
#include "base/pairsort.h"

#include <string.h>

enum { FEW = 40 };

static void sort_few(SortPair *pair, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        SortPair p = pair[i];
        uint32_t k = i;
        for (; k > 0 && pair[k - 1].key < p.key; k--)
            pair[k] = pair[k - 1];
        pair[k] = p;
    }
}

static void sort_many(SortPair *pair, SortPair *room, uint32_t n) {
    uint64_t differs = 0;
    for (uint32_t i = 1; i < n; i++)
        differs |= pair[i].key ^ pair[0].key;
    SortPair *from = pair, *to = room;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((differs >> shift & 255) == 0) continue;
        uint32_t at[256] = {0}, sum = 0;
        for (uint32_t i = 0; i < n; i++)
            at[~(from[i].key >> shift) & 255]++;
        for (int b = 0; b < 256; b++) {
            uint32_t count = at[b];
            at[b] = sum;
            sum += count;
        }
        for (uint32_t i = 0; i < n; i++)
            to[at[~(from[i].key >> shift) & 255]++] = from[i];
        SortPair *swap = from;
        from = to;
        to = swap;
    }
    if (from != pair) memcpy(pair, from, n * sizeof *pair);
}

void pairsort(SortPair *pair, SortPair *room, uint32_t n) {
    if (n <= FEW)
        sort_few(pair, n);
    else
        sort_many(pair, room, n);
}
