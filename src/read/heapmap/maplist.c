/* maplist.c - lists of single blocks in a range of addresses, read from the shadow map at the
 * moment they are asked for; a page of the list needs no more memory than that page. */
#include <stdlib.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/order.h"
#include "read/heapmap/heapmap_impl.h"

/* ---- blocks off the grid --------------------------------------------------------------------- */

/* The table is copied and sorted when a digest of it (a sum over its blocks, in any order) has
 * changed; large tables are looked at less often. */

enum { SLOTS_AT_ONCE = 16384 }; /* a table of this many slots is read in every call */

ORDER_SMALLEST(by_address, OverflowIndexBlock, addr, size)

/* Copies slot i if there is a plausible block in it. */
static bool read_slot(const LmpOverflow *overflow, uint32_t i, OverflowIndexBlock *out) {
    const volatile LmpOverflowBlock *b = &overflow->block[i];
    out->addr = b->addr;
    out->size = b->size;
    out->entry = b->entry;
    out->alloc_context = b->alloc_context;
    out->birth = LMP_BLOCK_BIRTH(out->entry);
    uint32_t cls = out->entry & 15;
    return out->addr > 1 && out->addr < MAP_ADDRESS_END && out->size > 0 &&
           out->size <= MAP_ADDRESS_END - out->addr && cls > 0 && cls <= LMP_C_OWN;
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
    if (!array_room(&odd->block, &odd->room, count + count / 4 + 64)) return false;
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
    uint32_t at = 0;
    BISECT(at, odd->count, i, odd->block[i].addr < addr);
    return at;
}

/* ---- the list -------------------------------------------------------------------------------- */

struct MapList {
    const LmpView *view;
    OverflowIndex odd;
    uint16_t order[LMP_MAX_LEAVES]; /* of the view's leaves, by base */
    uint32_t ordered;
};

/* The progress of a reading. `odd` is the next block off the grid to be merged in. */
typedef struct Reading {
    MapList *list;
    const MapListQuery *query;
    MapListResult result;
    MapListBlock *out;
    uint32_t max, odd;
} Reading;

MapList *maplist_new(const LmpView *view) {
    MapList *list = calloc(1, sizeof *list);
    if (list) list->view = view;
    return list;
}

void maplist_free(MapList *list) {
    if (!list) return;
    overflow_index_free(&list->odd);
    free(list);
}

static uint64_t word_of(const MapList *list, uint32_t i) {
    return list->view->leaf_base[list->order[i]];
}

static uint64_t base_of(const MapList *list, uint32_t i) {
    return LMP_LEAF_BASE(word_of(list, i));
}

/* Returns the index in order[] of the first leaf with at least this base. */
static uint32_t find_leaf(const MapList *list, uint64_t base) {
    uint32_t at = 0;
    BISECT(at, list->ordered, i, base_of(list, i) < base);
    return at;
}

static void order_leaves(MapList *list) {
    uint32_t leaves = list->view->leaves;
    if (leaves > LMP_MAX_LEAVES) leaves = LMP_MAX_LEAVES;
    list->ordered = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        uint64_t word = list->view->leaf_base[i], base = LMP_LEAF_BASE(word);
        uint32_t at = find_leaf(list, base);
        bool known = false;
        for (uint32_t j = at; j < list->ordered && base_of(list, j) == base; j++)
            known = known || word_of(list, j) == word;
        if (known || base >= MAP_ADDRESS_END >> LMP_LEAF_BITS) continue;
        memmove(&list->order[at + 1], &list->order[at], (list->ordered - at) * sizeof *list->order);
        list->order[at] = (uint16_t)i;
        list->ordered++;
    }
}

MapListBlock maplist_block(uint64_t addr, uint64_t size, uint32_t entry, uint32_t alloc_context) {
    uint32_t cls = entry & 15;
    return (MapListBlock){
        .addr = addr,
        .size = size,
        .kind = class_owner(cls),
        .part = cls >= LMP_C_STRING_PART && cls < LMP_C_OTHER,
        .text = cls == LMP_C_STRING,
        .alloc_context = alloc_context,
        .birth = LMP_BLOCK_BIRTH(entry),
    };
}

static void take(Reading *r, uint64_t addr, uint64_t size, uint32_t entry, uint32_t alloc_context) {
    const MapListQuery *q = r->query;
    uint32_t cls = entry & 15;
    if (cls == 0 || cls >= LMP_C_COUNTED || addr >= q->to || addr + size <= q->from) return;
    if (!(q->kinds >> class_owner(cls) & 1)) return;
    if (q->key && addr < q->key) r->result.key++;
    r->result.bytes += size;
    if (r->result.total++ < q->first || r->result.count == r->max) return;
    r->out[r->result.count++] = maplist_block(addr, size, entry, alloc_context);
}

static void take_odd_below(Reading *r, uint64_t addr) {
    const OverflowIndex *odd = &r->list->odd;
    for (; r->odd < odd->count && odd->block[r->odd].addr < addr; r->odd++) {
        const OverflowIndexBlock *b = &odd->block[r->odd];
        take(r, b->addr, b->size, b->entry, b->alloc_context);
    }
}

/* The same part of all leaves for the same addresses, read as one by rising address. */
typedef struct Merge {
    MapScan scan[LMP_LEAF_KINDS];
    MapBlock next[LMP_LEAF_KINDS]; /* of each scan; those that are at their end are left out */
    uint32_t count;
} Merge;

/* `i`: of the first of them in the order. */
static void merge_part(Merge *m, const MapList *list, uint32_t i, uint32_t p) {
    uint64_t base = base_of(list, i);
    m->count = 0;
    for (; i < list->ordered && base_of(list, i) == base && m->count < LMP_LEAF_KINDS; i++) {
        const LmpLeaf *leaf = list->view->leaf[list->order[i]];
        if (!mapscan_touch(leaf, p)) continue;
        m->scan[m->count] = mapscan_part(leaf, word_of(list, i), p);
        if (mapscan_next(&m->scan[m->count], &m->next[m->count])) m->count++;
    }
}

static bool merge_next(Merge *m, MapBlock *out, uint32_t *alloc_context) {
    uint32_t first = 0;
    if (m->count == 0) return false;
    for (uint32_t i = 1; i < m->count; i++)
        if (m->next[i].addr < m->next[first].addr) first = i;
    *out = m->next[first];
    *alloc_context = *(const volatile uint32_t *)&m->scan[first].leaf->alloc_context[out->index];
    if (!mapscan_next(&m->scan[first], &m->next[first])) {
        m->count--;
        m->scan[first] = m->scan[m->count];
        m->next[first] = m->next[m->count];
    }
    return true;
}

static void take_part(Reading *r, uint32_t i, uint32_t p, uint64_t below) {
    Merge m;
    MapBlock b;
    uint32_t alloc_context;
    merge_part(&m, r->list, i, p);
    while (merge_next(&m, &b, &alloc_context) && b.addr < below) {
        if (b.addr + b.size <= r->query->from) continue;
        take_odd_below(r, b.addr);
        take(r, b.addr, b.size, b.entry, alloc_context);
    }
}

/* Returns the first leaf for the same addresses as leaf i. */
static uint32_t first_of(const MapList *list, uint32_t i) {
    while (i > 0 && base_of(list, i - 1) == base_of(list, i))
        i--;
    return i;
}

/* The part before `addr` in which the nearest block begins may hold one that reaches up to it. */
static void take_reaching(Reading *r, uint64_t addr) {
    MapList *list = r->list;
    for (uint32_t i = find_leaf(list, (addr >> LMP_LEAF_BITS) + 1); i > 0;) {
        i = first_of(list, i - 1);
        uint64_t base = base_of(list, i);
        uint32_t p = LMP_TOUCHES;
        if (base == addr >> LMP_LEAF_BITS) p = (uint32_t)(addr >> LMP_TOUCH_BITS) % LMP_TOUCHES;
        while (p-- > 0) {
            Merge m;
            merge_part(&m, list, i, p);
            if (m.count == 0) continue;
            take_part(r, i, p, addr);
            return;
        }
    }
}

MapListResult maplist_read(MapList *list, const MapListQuery *query, MapListBlock *out,
                           uint32_t max) {
    Reading r = {.list = list, .query = query, .out = out, .max = max};
    uint64_t from = query->from, to = query->to < MAP_ADDRESS_END ? query->to : MAP_ADDRESS_END;
    if (from >= to) return r.result;
    order_leaves(list);
    overflow_index_refresh(&list->odd, list->view->overflow);
    r.odd =
        overflow_index_find(&list->odd, from > list->odd.longest ? from - list->odd.longest : 0);
    uint64_t start = from & ~(MAP_PART - 1);
    take_reaching(&r, start);
    for (uint32_t i = find_leaf(list, start >> LMP_LEAF_BITS); i < list->ordered; i++) {
        uint64_t base = base_of(list, i) << LMP_LEAF_BITS;
        if (base >= to) break;
        if (first_of(list, i) != i) continue;
        for (uint32_t p = 0; p < LMP_TOUCHES; p++) {
            uint64_t part = base + p * MAP_PART;
            if (part >= to) break;
            if (part >= start) take_part(&r, i, p, to);
        }
    }
    take_odd_below(&r, to);
    return r.result;
}

bool maplist_age(uint32_t birth, uint64_t epoch_length, uint64_t clock, uint64_t *least,
                 uint64_t *most) {
    *least = *most = 0;
    if (birth == 0 || birth > 255 || epoch_length == 0 || epoch_length > UINT64_MAX / 256)
        return false;
    uint64_t begin = (birth - 1) * epoch_length, end = birth * epoch_length;
    if (begin > clock) return false; /* not in this run's time */
    *least = clock > end ? clock - end : 0;
    *most = clock - begin;
    return true;
}
