/* heapmap.c - the summaries of the heap map: which parts to look at again, and what is in them.
 * Regions are in mapregion.c, cells in mapcell.c, lists of blocks in maplist.c. */
#include "read/heapmap/heapmap.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/os.h"
#include "read/heapmap/heapmap_impl.h"

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
    overflow_index_free(&map->odd);
    free(map->region);
    free(map->fresh);
    free(map);
}

uint32_t heapmap_find_leaf(const HeapMap *map, uint64_t addr) {
    uint64_t base = addr >> LMP_LEAF_BITS;
    uint32_t at = 0;
    BISECT(at, map->ordered, i, map->leaf[map->order[i]]->base < base);
    return at;
}

/* Takes in the leaves that the view has mapped since. A leaf for addresses that another one already
 * covers, or for impossible ones, is left out (NULL in map->leaf). */
static void add_leaves(HeapMap *map) {
    while (map->leaves < map->view->leaves && map->leaves < LMP_MAX_LEAVES) {
        uint64_t word = map->view->leaf_base[map->leaves], base = LMP_LEAF_BASE(word);
        uint32_t at = heapmap_find_leaf(map, base << LMP_LEAF_BITS);
        bool known = false;
        for (uint32_t i = at; i < map->ordered && map->leaf[map->order[i]]->base == base; i++)
            known = known || map->leaf[map->order[i]]->word == word;
        if (base < MAP_ADDRESS_END >> LMP_LEAF_BITS && !known) {
            MapLeaf *leaf = calloc(1, sizeof *leaf);
            if (!leaf) return; /* tried again next time */
            leaf->base = base;
            leaf->word = word;
            leaf->leaf = map->view->leaf[map->leaves];
            map->leaf[map->leaves] = leaf;
            memmove(&map->order[at + 1], &map->order[at], (map->ordered - at) * sizeof *map->order);
            map->order[at] = (uint16_t)map->leaves;
            map->ordered++;
        }
        map->leaves++;
    }
}

/* ---- summing up a part ----------------------------------------------------------------------- */

/* A viewer spends its time here (20 million blocks in a heap of 1 GiB), and whether an entry holds
 * a block, of what class and how large, is as good as random: every branch on it would be
 * mispredicted half the time. So all entries are added up under their class, also those that are no
 * block, and only blocks of 64 bytes or more and those at a page's end are handled one by one. */

#define PAGE_ENTRIES (1u << (MAP_PAGE_BITS - LMP_GRAIN_BITS))
#define ONE_BLOCK (1u << 20)                  /* a sum: blocks from bit 20 on, bytes below */
#define BLOCK_CLASSES ((2u << LMP_C_OWN) - 2) /* a bit per class that a block can have */

typedef struct Summing {
    const HeapMap *map;
    const MapLeaf *leaf;
    MapPart *part;
    uint64_t start; /* address of the part */
    uint64_t free;  /* no block that goes over a page's end may begin below this address */
    struct {
        uint32_t bytes[LMP_KINDS], blocks;
    } page[MAP_PART_PAGES];
} Summing;

/* Spreads a block over the pages it covers, up to the part's end. */
static void spread(Summing *s, uint64_t addr, uint64_t size, unsigned kind) {
    uint64_t offset = addr - s->start, end = offset + size;
    if (end > MAP_PART) {
        s->part->tail_end = addr + size;
        s->part->tail_kind = (uint8_t)kind;
        end = MAP_PART;
    }
    while (offset < end) {
        uint64_t page_end = (offset | (MAP_PAGE - 1)) + 1;
        uint64_t n = (page_end < end ? page_end : end) - offset;
        s->page[offset >> MAP_PAGE_BITS].bytes[kind] += (uint32_t)n;
        offset += n;
    }
}

static void sum_single(Summing *s, uint32_t i, uint32_t entry) {
    uint64_t addr = (s->leaf->base << LMP_LEAF_BITS) + ((uint64_t)i << LMP_GRAIN_BITS) +
                    (entry & 16) + LMP_LEAF_LOW(s->leaf->word);
    uint64_t size = entry >> 5 & 63;
    unsigned kind = s->map->kind[entry & 15];
    if (kind >= LMP_KINDS) return;
    if (size == 0) size = mapscan_size(s->leaf->leaf, i);
    if (size == 0 || size > MAP_ADDRESS_END - addr || addr < s->free) return;
    if ((addr & (MAP_PAGE - 1)) + size > MAP_PAGE) s->free = addr + size;
    s->page[(addr - s->start) >> MAP_PAGE_BITS].blocks++;
    spread(s, addr, size, kind);
}

/* Adds up the page whose first entry in the leaf is `first`. */
static void sum_page(Summing *s, uint32_t page, uint32_t first) {
    uint32_t entry[PAGE_ENTRIES]; /* each is read from the shared state once */
    uint32_t sum[2][16] = {{0}};  /* two, so that one addition need not wait for the last */
    memcpy(entry, s->leaf->leaf->entry + first, sizeof entry);
    const uint32_t last[2] = {entry[PAGE_ENTRIES - 2], entry[PAGE_ENTRIES - 1]};
    entry[PAGE_ENTRIES - 2] = entry[PAGE_ENTRIES - 1] = 0;
    for (uint32_t i = 0; i < PAGE_ENTRIES; i += 8) {
        uint64_t w[4];
        memcpy(w, entry + i, sizeof w);
        if (!(w[0] | w[1] | w[2] | w[3])) continue;
        uint32_t large = 0;
        for (uint32_t j = 0; j < 8; j++) {
            uint32_t e = entry[i + j], size = e >> 5 & 63;
            uint32_t is_large = (size == 0) & (BLOCK_CLASSES >> (e & 15));
            sum[j & 1][e & 15] += size + (is_large ? 0 : ONE_BLOCK);
            large |= is_large << j;
        }
        for (; large; large &= large - 1) {
            uint32_t j = i + (uint32_t)__builtin_ctz(large);
            sum_single(s, first + j, entry[j]);
        }
    }
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        uint32_t n = sum[0][cls] + sum[1][cls];
        s->page[page].bytes[s->map->kind[cls]] += n % ONE_BLOCK;
        s->page[page].blocks += n / ONE_BLOCK;
    }
    for (uint32_t j = 0; j < 2; j++)
        if (last[j]) sum_single(s, first + PAGE_ENTRIES - 2 + j, last[j]);
}

/* Puts the sums into the summaries. On a damaged state they may be more than a page can hold. */
static void keep_sums(const Summing *s, MapPart *part) {
    memset(part->total, 0, sizeof part->total);
    memset(part->used, 0, sizeof part->used);
    part->blocks = 0;
    for (uint32_t i = 0; i < MAP_PART_PAGES; i++) {
        MapPage *page = &part->page[i];
        uint32_t any = 0;
        for (unsigned k = 0; k < LMP_KINDS; k++) {
            uint32_t n = s->page[i].bytes[k] < MAP_PAGE ? s->page[i].bytes[k] : MAP_PAGE;
            page->bytes[k] = (uint16_t)n;
            part->total[k] += n;
            any |= n;
        }
        page->blocks = (uint16_t)s->page[i].blocks;
        part->blocks += page->blocks;
        if (any) part->used[i / 64] |= 1ull << (i % 64);
    }
}

static bool scan_part(HeapMap *map, MapLeaf *leaf, uint32_t p, uint32_t touch, uint32_t last) {
    MapPart *part = &leaf->part[p];
    if (!part->page) part->page = calloc(MAP_PART_PAGES, sizeof *part->page);
    if (!part->page) return false;
    part->seen = touch;
    /* The hook stamps a change with the repaint it sees, a moment before or after the change
     * itself: under a stamp of this repaint or of the last one more may come. */
    part->again = (int32_t)(touch - last) >= 0;
    part->tail_end = 0;
    Summing s = {.map = map, .leaf = leaf, .part = part};
    s.start = (leaf->base << LMP_LEAF_BITS) + p * MAP_PART;
    for (uint32_t page = 0; page < MAP_PART_PAGES; page++) {
        /* Nothing begins inside a block that covers the page; and entries that were never written
         * stay holes in the file. */
        if (s.start + (page + 1) * MAP_PAGE <= s.free) continue;
        sum_page(&s, page, p * MAP_PART_ENTRIES + page * PAGE_ENTRIES);
    }
    keep_sums(&s, part);
    return true;
}

/* The part is empty, and the writer has noticed. */
static void clear_part(MapPart *part) {
    MapPage *page = part->page;
    memset(page, 0, MAP_PART_PAGES * sizeof *page);
    *part = (MapPart){.page = page};
}

/* Checks one unchanged part, in turn: if a change ever comes under a stamp that was taken as
 * settled (the program was stopped by a signal between the two), this finds it. */
static void verify_one(HeapMap *map, uint32_t last) {
    uint64_t all = (uint64_t)map->leaves * LMP_TOUCHES;
    for (uint64_t n = 0; n < all; n++) {
        uint64_t at = map->verify++ % all;
        MapLeaf *leaf = map->leaf[at / LMP_TOUCHES];
        uint32_t p = at % LMP_TOUCHES;
        if (!leaf || !leaf->part[p].page) continue;
        uint32_t touch = mapscan_touch(leaf->leaf, p);
        if (touch) scan_part(map, leaf, p, touch, last);
        return;
    }
}

bool heapmap_refresh(HeapMap *map, uint64_t budget) {
    uint64_t began = lmp_os->clock();
    uint32_t last = atomic_load_explicit(&map->view->control->frame, memory_order_relaxed) - 1;
    bool changed = overflow_index_refresh(&map->odd, map->view->overflow);
    bool late = false, left = false;
    add_leaves(map);
    uint64_t all = (uint64_t)map->leaves * LMP_TOUCHES;
    uint64_t at = map->cursor < all ? map->cursor : 0;
    for (uint64_t n = 0; n < all && !left; n++, at = at + 1 < all ? at + 1 : 0) {
        MapLeaf *leaf = map->leaf[at / LMP_TOUCHES];
        if (!leaf) continue;
        uint32_t p = at % LMP_TOUCHES;
        uint32_t touch = mapscan_touch(leaf->leaf, p);
        if (!touch && leaf->part[p].page && leaf->part[p].seen) {
            clear_part(&leaf->part[p]);
            changed = true;
        }
        if (!touch || (leaf->part[p].page && leaf->part[p].seen == touch && !leaf->part[p].again))
            continue;
        if (late) {
            left = true;
            break;
        }
        if (scan_part(map, leaf, p, touch, last)) changed = true;
        map->cursor = at + 1;
        late = lmp_os->clock() - began >= budget;
    }
    if (!late) verify_one(map, last);
    if (changed || map->wide_since) mapregion_update(map, began);
    return left;
}
