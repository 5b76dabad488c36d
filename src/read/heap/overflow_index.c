/* overflow_index.c - copies and sorts the table when a digest of it (a sum over its blocks, in any
 * order) has changed; large tables are looked at less often. */
#include "read/heap/overflow_index.h"

#include <stdlib.h>

#include "read/heap/heapscan.h"

enum { SLOTS_AT_ONCE = 16384 }; /* a table of this many slots is read in every call */

static int by_address(const void *a, const void *b) {
    uint64_t x = ((const OverflowIndexBlock *)a)->addr, y = ((const OverflowIndexBlock *)b)->addr;
    return x < y ? -1 : x > y;
}

/* Copies slot i if there is a plausible block in it. */
static bool read_slot(const LmpOverflow *overflow, uint32_t i, OverflowIndexBlock *out) {
    const volatile LmpOverflowBlock *b = &overflow->block[i];
    out->addr = b->addr;
    out->size = b->size;
    out->entry = b->entry;
    out->alloc_context = b->alloc_context;
    out->birth = LMP_BLOCK_BIRTH(out->entry);
    uint32_t cls = out->entry & 15;
    return out->addr > 1 && out->addr < HEAP_ADDRESS_END && out->size > 0 &&
           out->size <= HEAP_ADDRESS_END - out->addr && cls > 0 && cls <= LMP_C_OWN;
}

static uint64_t mix(const OverflowIndexBlock *b) {
    uint64_t h = (b->addr ^ b->size << 40 ^ b->entry) * 0x9e3779b97f4a7c15ull;
    return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
}

bool overflow_index_refresh(OverflowIndex *odd, const LmpOverflow *overflow) {
    uint32_t slots = *(const volatile uint32_t *)&overflow->slots;
    if (slots > LMP_OVERFLOW_MAX) slots = LMP_OVERFLOW_MAX;
    if (odd->wait > 0) {
        odd->wait--;
        return false;
    }
    odd->wait = slots / SLOTS_AT_ONCE;
    uint64_t digest = 0;
    uint32_t count = 0;
    OverflowIndexBlock b;
    for (uint32_t i = 0; i < slots; i++) {
        if (!read_slot(overflow, i, &b)) continue;
        digest += mix(&b);
        count++;
    }
    if (count == odd->count && digest == odd->digest) return false;
    if (count > odd->room) {
        uint32_t room = count + count / 4 + 64;
        OverflowIndexBlock *block = realloc(odd->block, room * sizeof *block);
        if (!block) return false;
        odd->block = block;
        odd->room = room;
    }
    odd->count = 0;
    odd->longest = 0;
    odd->digest = 0;
    for (uint32_t i = 0; i < slots && odd->count < odd->room; i++) {
        if (!read_slot(overflow, i, &b)) continue;
        odd->digest += mix(&b);
        if (b.size > odd->longest) odd->longest = b.size;
        odd->block[odd->count++] = b;
    }
    if (odd->count > 0) qsort(odd->block, odd->count, sizeof *odd->block, by_address);
    return true;
}

void overflow_index_free(OverflowIndex *odd) {
    free(odd->block);
    *odd = (OverflowIndex){0};
}

uint32_t overflow_index_find(const OverflowIndex *odd, uint64_t addr) {
    uint32_t low = 0, high = odd->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (odd->block[middle].addr < addr) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
