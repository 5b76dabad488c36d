/* mapscan.h - reading the blocks of one part (1 MiB of addresses) of the shadow map. Inline, for
 * this is the loop in which a viewer spends its time. Layout: LmpLeaf in layout.h.
 *
 * The writer is running meanwhile, or may have died half-way, so every entry is read once, and
 * nothing in it is trusted: a block is returned only if it has a known class, a size that is
 * present, and begins where no earlier block of the same part reaches. */
#ifndef LMP_READ_HEAPMAP_MAPSCAN_H
#define LMP_READ_HEAPMAP_MAPSCAN_H

#include <stdbool.h>
#include <string.h>

#include "shared/layout.h"

#define MAP_PART (1ull << LMP_TOUCH_BITS)                 /* addresses of a part, bytes */
#define MAP_PART_ENTRIES (LMP_LEAF_ENTRIES / LMP_TOUCHES) /* entries of a part */
#define MAP_PAGE_BITS 12u
#define MAP_PAGE (1ull << MAP_PAGE_BITS)
#define MAP_PART_PAGES (MAP_PART / MAP_PAGE)
#define MAP_ADDRESS_BITS 57u
#define MAP_ADDRESS_END (1ull << MAP_ADDRESS_BITS) /* nothing is at or above it */

typedef struct MapBlock {
    uint64_t addr, size; /* bytes; addr + size <= MAP_ADDRESS_END, size > 0 */
    uint32_t entry;      /* as it was read; its class is 1 .. LMP_C_OWN */
    uint32_t index;      /* of the entry in the leaf */
} MapBlock;

/* Invariant: at <= end <= LMP_LEAF_ENTRIES; no block that begins below `free` is returned. */
typedef struct MapScan {
    const LmpLeaf *leaf;
    uint64_t base; /* address that entry 0 stands for, with the blocks' low bits */
    uint64_t free;
    uint32_t at, end;
} MapScan;

/* Returns true if an entry is that of a block that is counted: neither empty nor lmp's own. */
static inline bool mapscan_counts(uint32_t entry) {
    uint32_t cls = entry & 15;
    return cls != LMP_C_NONE && cls < LMP_C_COUNTED;
}

/* Returns the stamp of a part; 0: nothing has ever been written there, and its entries must not be
 * read (reading a hole of the file makes a page of it, on the program's account). */
static inline uint32_t mapscan_touch(const LmpLeaf *leaf, uint32_t part) {
    return *(const volatile uint32_t *)&leaf->touch[part];
}

/* Begins a scan of part `part` (0 .. LMP_TOUCHES-1) of a leaf that stands for `word`
 * (LMP_LEAF_WORD). The caller has seen that the part was touched. */
static inline MapScan mapscan_part(const LmpLeaf *leaf, uint64_t word, uint32_t part) {
    uint64_t base = LMP_LEAF_BASE(word) << LMP_LEAF_BITS | LMP_LEAF_LOW(word);
    MapScan s = {leaf, base, 0, part * MAP_PART_ENTRIES, (part + 1) * MAP_PART_ENTRIES};
    return s;
}

/* Returns the size of the block whose entry at i says "64 bytes or more"; 0 when it is not
 * there. */
static inline uint64_t mapscan_size(const LmpLeaf *leaf, uint32_t i) {
    uint32_t low = *(const volatile uint32_t *)&leaf->entry[i + 1];
    if ((low & 15) != LMP_BLOCK_SIZE) return 0;
    uint64_t size = low >> 4;
    uint32_t high = *(const volatile uint32_t *)&leaf->entry[i + 2];
    if ((high & 15) == LMP_BLOCK_SIZE_HIGH) size |= (uint64_t)(high >> 4) << 28;
    return size < 64 ? 0 : size;
}

/* Finds the next block of the part by address. Returns false at its end. */
static inline bool mapscan_next(MapScan *s, MapBlock *out) {
    const uint32_t *entry = s->leaf->entry;
    uint32_t i = s->at;
    while (i < s->end) {
        uint32_t e = *(const volatile uint32_t *)&entry[i];
        if (!e) {
            i++;
            while (i + 8 <= s->end) { /* a part with few blocks is mostly empty stretches */
                uint64_t w[4];
                memcpy(w, &entry[i], sizeof w);
                if (w[0] | w[1] | w[2] | w[3]) break;
                i += 8;
            }
            continue;
        }
        uint32_t cls = e & 15;
        uint64_t addr = s->base + ((uint64_t)i << LMP_GRAIN_BITS) + (e & 16);
        uint64_t size = e >> 5 & 63;
        if (cls == 0 || cls > LMP_C_OWN || addr < s->free ||
            (size == 0 && (size = mapscan_size(s->leaf, i)) == 0) ||
            size > MAP_ADDRESS_END - addr) {
            i++;
            continue;
        }
        out->addr = addr;
        out->size = size;
        out->entry = e;
        out->index = i;
        s->free = addr + size;
        /* Continue with the entry in which the block ends: another may begin in its second half. */
        uint64_t next = (s->free - s->base) >> LMP_GRAIN_BITS;
        i = next >= s->end ? s->end : next > i ? (uint32_t)next : i + 1;
        s->at = i;
        return true;
    }
    s->at = i;
    return false;
}

#endif
