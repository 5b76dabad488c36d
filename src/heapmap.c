/* heapmap.c - the summaries of the heap map: which parts to look at again, and what is in them.
 * Regions are in heapregion.c, cells in heapcell.c, lists of blocks in heaplist.c. */
#include "heapmap.h"

#include <stdlib.h>

#include "heapmap_impl.h"
#include "os.h"

HeapMap *heapmap_new(const LmpView *view) {
    HeapMap *map = calloc(1, sizeof *map);
    if (!map) return NULL;
    map->view = view;
    for (unsigned cls = 0; cls < 16; cls++)
        map->kind[cls] = (uint8_t)(cls == 0 || cls >= LMP_C_COUNTED ? LMP_KINDS : class_owner(cls));
    return map;
}

void heapmap_free(HeapMap *map) {
    if (!map) return;
    for (uint32_t i = 0; i < map->leaves; i++) {
        if (!map->leaf[i]) continue;
        for (uint32_t p = 0; p < LMP_TOUCHES; p++)
            free(map->leaf[i]->part[p].page);
        free(map->leaf[i]);
    }
    heapodd_free(&map->odd);
    free(map->region);
    free(map->fresh);
    free(map);
}

uint32_t heapmap_find_leaf(const HeapMap *map, uint64_t addr) {
    uint64_t base = addr >> LMP_LEAF_BITS;
    uint32_t low = 0, high = map->ordered;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->leaf[map->order[middle]]->base < base) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Takes in the leaves that the view has mapped since. A leaf for addresses that another one stands
 * for already, or for none that can be, is left out (NULL in map->leaf). */
static void add_leaves(HeapMap *map) {
    while (map->leaves < map->view->leaves && map->leaves < LMP_MAX_LEAVES) {
        uint64_t base = map->view->leaf_base[map->leaves];
        uint32_t at = heapmap_find_leaf(map, base << LMP_LEAF_BITS);
        bool known = at < map->ordered && map->leaf[map->order[at]]->base == base;
        if (base < HEAP_ADDRESS_END >> LMP_LEAF_BITS && !known) {
            HeapLeaf *leaf = calloc(1, sizeof *leaf);
            if (!leaf) return; /* tried again next time */
            leaf->base = base;
            leaf->leaf = map->view->leaf[map->leaves];
            map->leaf[map->leaves] = leaf;
            memmove(&map->order[at + 1], &map->order[at], (map->ordered - at) * sizeof *map->order);
            map->order[at] = (uint16_t)map->leaves;
            map->ordered++;
        }
        map->leaves++;
    }
}

/* Spreads a block that goes over a page's end. `offset`: in the part, of its first byte. */
static void spread(HeapPage *page, uint64_t offset, uint64_t size, unsigned kind) {
    uint64_t end = offset + size < HEAP_PART ? offset + size : HEAP_PART;
    while (offset < end) {
        uint64_t page_end = (offset | (HEAP_PAGE - 1)) + 1;
        uint64_t n = (page_end < end ? page_end : end) - offset;
        uint16_t *bytes = &page[offset >> HEAP_PAGE_BITS].bytes[kind];
        *bytes = (uint16_t)(*bytes + n);
        offset += n;
    }
}

static bool scan_part(HeapMap *map, HeapLeaf *leaf, uint32_t p, uint32_t touch, uint32_t frame) {
    HeapPart *part = &leaf->part[p];
    if (!part->page) {
        part->page = calloc(HEAP_PART_PAGES, sizeof *part->page);
        if (!part->page) return false;
    } else {
        memset(part->page, 0, HEAP_PART_PAGES * sizeof *part->page);
    }
    HeapPage *page = part->page;
    const uint8_t *kinds = map->kind;
    part->seen = touch;
    /* The hook stamps a change with the frame it sees plus one, a moment before or after the
     * change itself: under a stamp of this frame or the last one more may come. */
    part->again = (int32_t)(touch - frame) >= 0;
    part->tail_end = 0;
    const uint64_t start = (leaf->base << LMP_LEAF_BITS) + p * HEAP_PART;
    HeapScan scan = heapscan_part(leaf->leaf, leaf->base, p);
    HeapBlock b;
    while (heapscan_next(&scan, &b)) {
        unsigned kind = kinds[b.entry & 15];
        if (kind >= LMP_KINDS) continue;
        uint64_t offset = b.addr - start;
        HeapPage *first = &page[offset >> HEAP_PAGE_BITS];
        first->blocks++;
        if ((offset & (HEAP_PAGE - 1)) + b.size <= HEAP_PAGE) {
            first->bytes[kind] = (uint16_t)(first->bytes[kind] + b.size);
            continue;
        }
        spread(page, offset, b.size, kind);
        if (offset + b.size > HEAP_PART) {
            part->tail_end = b.addr + b.size;
            part->tail_kind = (uint8_t)kind;
        }
    }
    memset(part->total, 0, sizeof part->total);
    memset(part->used, 0, sizeof part->used);
    part->blocks = 0;
    for (uint32_t i = 0; i < HEAP_PART_PAGES; i++) {
        unsigned any = 0;
        for (unsigned k = 0; k < LMP_KINDS; k++) {
            part->total[k] += page[i].bytes[k];
            any |= page[i].bytes[k];
        }
        part->blocks += page[i].blocks;
        if (any) part->used[i / 64] |= 1ull << (i % 64);
    }
    return true;
}

/* Looks at one part that need not be looked at, in turn: should a change ever come under a stamp
 * that was taken as settled (the program stopped by a signal between the two), it is seen then. */
static void verify_one(HeapMap *map, uint32_t frame) {
    uint64_t all = (uint64_t)map->leaves * LMP_TOUCHES;
    for (uint64_t n = 0; n < all; n++) {
        uint64_t at = map->verify++ % all;
        HeapLeaf *leaf = map->leaf[at / LMP_TOUCHES];
        uint32_t p = at % LMP_TOUCHES;
        if (!leaf || !leaf->part[p].page) continue;
        uint32_t touch = heapscan_touch(leaf->leaf, p);
        if (touch) scan_part(map, leaf, p, touch, frame);
        return;
    }
}

bool heapmap_refresh(HeapMap *map, uint64_t budget) {
    uint64_t began = lmp_os->clock();
    uint32_t frame = atomic_load_explicit(&map->view->control->frame, memory_order_relaxed);
    bool changed = heapodd_refresh(&map->odd, map->view->overflow);
    bool late = false, left = false;
    add_leaves(map);
    uint64_t all = (uint64_t)map->leaves * LMP_TOUCHES;
    uint64_t at = map->cursor < all ? map->cursor : 0;
    for (uint64_t n = 0; n < all && !left; n++, at = at + 1 < all ? at + 1 : 0) {
        HeapLeaf *leaf = map->leaf[at / LMP_TOUCHES];
        if (!leaf) continue;
        uint32_t p = at % LMP_TOUCHES;
        uint32_t touch = heapscan_touch(leaf->leaf, p);
        if (!touch || (leaf->part[p].page && leaf->part[p].seen == touch && !leaf->part[p].again))
            continue;
        if (late) {
            left = true;
            break;
        }
        if (scan_part(map, leaf, p, touch, frame)) changed = true;
        map->cursor = at + 1;
        late = lmp_os->clock() - began >= budget;
    }
    if (!late) verify_one(map, frame);
    if (changed || map->wide_since) heapregion_update(map, began);
    return left;
}
