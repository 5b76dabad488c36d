/* mapregion.c - the regions of the heap map: which ranges of addresses are shown, one after the
 * other, and how they keep their place while the heap changes.
 *
 * What is in use comes as runs of pages by rising address. Runs with small gaps between them make
 * one region. The layout stays as it is while every run lies inside it. When one does not, regions
 * that still hold something stay as wide as they were, and one that had to grow gets an eighth of
 * its size in advance on that side, so that the layout of a growing heap changes only a few
 * times. */
#include <stdlib.h>

#include "base/array.h"
#include "base/bisect.h"
#include "read/heapmap/heapmap.h"
#include "read/heapmap/heapmap_impl.h"

#define GAP_LEAST (64ull << 10)
#define GAP_MOST (1ull << 20)
#define WIDE_TIME 10000000000ull /* nanoseconds that the heap must be much smaller */
#define WIDE_SLACK (256ull << 10)

/* Collects runs into regions. Runs come by rising start. */
typedef struct Arrangement {
    HeapMap *map;
    MapRegion *to;
    uint32_t count, room;
    uint64_t gap;     /* up to so many unused bytes stay inside a region */
    uint32_t current; /* region of the present layout that the last run was compared with */
    bool escaped;     /* a run lies outside the present layout */
    bool full;        /* too many regions, or no memory for them */
} Arrangement;

static void add_range(Arrangement *l, uint64_t start, uint64_t end) {
    if (l->count > 0 && start <= l->to[l->count - 1].end + l->gap) {
        if (end > l->to[l->count - 1].end) l->to[l->count - 1].end = end;
        return;
    }
    if (l->count == MAP_MAX_REGIONS || l->full || !array_room(&l->to, &l->room, l->count + 1)) {
        l->full = true;
        return;
    }
    l->to[l->count++] = (MapRegion){start, end, 0, true};
}

static void add_run(Arrangement *l, uint64_t start, uint64_t end) {
    HeapMap *map = l->map;
    start &= ~(MAP_PAGE - 1);
    end = (end + MAP_PAGE - 1) & ~(MAP_PAGE - 1);
    while (l->current < map->regions && map->region[l->current].end <= start)
        l->current++;
    MapRegion *r = l->current < map->regions ? &map->region[l->current] : NULL;
    if (r && end > r->start) r->used = true;
    if (!r || start < r->start || end > r->end) l->escaped = true;
    add_range(l, start, end);
}

/* The blocks off the grid that begin at or below `addr`, from *odd on. */
static void add_odd(Arrangement *l, uint32_t *odd, uint64_t addr) {
    const OverflowIndex *o = &l->map->odd;
    for (; *odd < o->count && (o->block[*odd].addr & ~(MAP_PAGE - 1)) <= addr; ++*odd) {
        const OverflowIndexBlock *b = &o->block[*odd];
        if (l->map->kind[b->entry & 15] < LMP_KINDS) add_run(l, b->addr, b->addr + b->size);
    }
}

static void add_part(Arrangement *l, const MapPart *part, uint64_t start, uint32_t *odd) {
    for (uint32_t i = 0; i < MAP_PART_PAGES; i++) {
        uint64_t word = part->used[i / 64] >> (i % 64);
        if (!word) {
            i |= 63;
            continue;
        }
        i += (uint32_t)__builtin_ctzll(word);
        word = part->used[i / 64] >> (i % 64);
        uint32_t n = ~word ? (uint32_t)__builtin_ctzll(~word) : 64;
        if (n > 64 - i % 64) n = 64 - i % 64;
        add_odd(l, odd, start + i * MAP_PAGE);
        add_run(l, start + i * MAP_PAGE, start + (i + n) * MAP_PAGE);
        i += n - 1;
    }
    if (part->tail_end) {
        add_odd(l, odd, start + MAP_PART);
        add_run(l, start + MAP_PART, part->tail_end);
    }
}

/* The same part of some leaves for the same addresses, as one. */
static void add_parts(Arrangement *l, MapLeaf *const *leaf, uint32_t n, uint32_t p, uint32_t *odd) {
    MapPart all = {0};
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const MapPart *part = &leaf[i]->part[p];
        if (!part->page) continue;
        any = true;
        for (uint32_t w = 0; w < MAP_PART_PAGES / 64; w++)
            all.used[w] |= part->used[w];
        if (part->tail_end > all.tail_end) all.tail_end = part->tail_end;
    }
    if (any) add_part(l, &all, (leaf[0]->base << LMP_LEAF_BITS) + p * MAP_PART, odd);
}

static void collect(Arrangement *l) {
    HeapMap *map = l->map;
    uint32_t odd = 0;
    l->count = l->current = 0;
    l->escaped = l->full = false;
    for (uint32_t i = 0; i < map->regions; i++)
        map->region[i].used = false;
    for (uint32_t i = 0; i < map->ordered;) {
        MapLeaf *leaf[LMP_LEAF_KINDS] = {map->leaf[map->order[i]]};
        uint32_t n = 1;
        while (++i < map->ordered && map->leaf[map->order[i]]->base == leaf[0]->base &&
               n < LMP_LEAF_KINDS)
            leaf[n++] = map->leaf[map->order[i]];
        for (uint32_t p = 0; p < LMP_TOUCHES; p++)
            add_parts(l, leaf, n, p, &odd);
    }
    add_odd(l, &odd, UINT64_MAX);
}

/* Returns bytes of the pages in use, about: what is a small gap depends on it. */
static uint64_t bytes_in_use(const HeapMap *map) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < map->ordered; i++) {
        const MapLeaf *leaf = map->leaf[map->order[i]];
        for (uint32_t p = 0; p < LMP_TOUCHES; p++) {
            const MapPart *part = &leaf->part[p];
            if (!part->page) continue;
            for (uint32_t w = 0; w < MAP_PART_PAGES / 64; w++)
                sum += (uint64_t)__builtin_popcountll(part->used[w]) << MAP_PAGE_BITS;
            if (part->tail_end)
                sum += part->tail_end - (leaf->base << LMP_LEAF_BITS) - (p + 1) * MAP_PART;
        }
    }
    return sum;
}

static uint64_t total_of(const MapRegion *region, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += region[i].end - region[i].start;
    return sum;
}

static uint64_t power_below(uint64_t n) {
    return n ? 1ull << (63 - __builtin_clzll(n)) : 0;
}

/* Merges what is in use (l->to) with those regions of the present layout that still hold
 * something, into a new layout with room to grow where something has grown. */
static bool merge(HeapMap *map, const Arrangement *l) {
    Arrangement m = {.map = map, .gap = l->gap};
    const MapRegion *a = l->to, *b = map->region;
    for (uint32_t i = 0, j = 0; i < l->count || j < map->regions;) {
        if (j < map->regions && !b[j].used) {
            j++;
        } else if (j >= map->regions || (i < l->count && a[i].start <= b[j].start)) {
            add_range(&m, a[i].start, a[i].end);
            i++;
        } else {
            add_range(&m, b[j].start, b[j].end);
            j++;
        }
    }
    if (m.full) {
        free(m.to);
        return false;
    }
    uint32_t out = 0;
    for (uint32_t i = 0, j = 0; i < m.count; i++) {
        MapRegion r = m.to[i];
        uint64_t grain = power_below((r.end - r.start) / 8);
        if (grain < MAP_PAGE) grain = MAP_PAGE;
        uint64_t low = UINT64_MAX, high = 0; /* of the old regions in it */
        for (; j < map->regions && b[j].start < r.end; j++) {
            if (!b[j].used) continue;
            if (b[j].start < low) low = b[j].start;
            high = b[j].end;
        }
        if (high && r.start < low) r.start &= ~(grain - 1);
        if (high && r.end > high) r.end = (r.end + grain - 1) & ~(grain - 1);
        if (r.end > MAP_ADDRESS_END) r.end = MAP_ADDRESS_END;
        if (out > 0 && r.start <= m.to[out - 1].end) {
            if (r.end > m.to[out - 1].end) m.to[out - 1].end = r.end;
        } else {
            m.to[out++] = r;
        }
    }
    free(map->region);
    map->region = m.to;
    map->regions = out;
    map->region_room = m.room;
    return true;
}

/* Takes what is in use as the layout. */
static void replace(HeapMap *map, const Arrangement *l) {
    if (!array_room(&map->region, &map->region_room, l->count)) return;
    for (uint32_t i = 0; i < l->count; i++)
        map->region[i] = l->to[i];
    map->regions = l->count;
}

void mapregion_update(HeapMap *map, uint64_t now) {
    uint64_t gap = power_below(bytes_in_use(map) / 16);
    Arrangement l = {.map = map, .to = map->fresh, .room = map->fresh_room};
    l.gap = gap < GAP_LEAST ? GAP_LEAST : gap > GAP_MOST ? GAP_MOST : gap;
    collect(&l);
    while (l.full && l.gap < MAP_ADDRESS_END) {
        l.gap *= 8;
        collect(&l);
    }
    map->fresh = l.to;
    map->fresh_room = l.room;
    if (l.full) return; /* no memory: the old layout stays */
    uint64_t fresh = total_of(l.to, l.count);
    bool wide = map->total > fresh + fresh / 2 + WIDE_SLACK;
    if (!wide) {
        map->wide_since = 0;
    } else if (!map->wide_since) {
        map->wide_since = now ? now : 1;
    }
    bool too_long = wide && now - map->wide_since > WIDE_TIME;
    if (!l.escaped && !too_long) return;
    if (too_long || !merge(map, &l)) {
        replace(map, &l);
        map->wide_since = 0;
    }
    map->total = 0;
    for (uint32_t i = 0; i < map->regions; i++) {
        map->region[i].position = map->total;
        map->total += map->region[i].end - map->region[i].start;
    }
    map->layout++;
}

/* ---- positions ------------------------------------------------------------------------------- */

uint64_t heapmap_total(const HeapMap *map) {
    return map->total;
}

uint32_t heapmap_arrange(const HeapMap *map) {
    return map->layout;
}

uint32_t mapregion_find(const HeapMap *map, uint64_t position) {
    const MapRegion *r = map->region;
    uint32_t at = 0;
    BISECT(at, map->regions, i, r[i].position + (r[i].end - r[i].start) <= position);
    return at;
}

uint64_t heapmap_address(const HeapMap *map, uint64_t position) {
    if (map->regions == 0) return 0;
    uint32_t i = mapregion_find(map, position);
    if (i == map->regions) return map->region[map->regions - 1].end;
    return map->region[i].start + (position - map->region[i].position);
}

uint32_t mapregion_at(const HeapMap *map, uint64_t addr) {
    uint32_t at = 0;
    BISECT(at, map->regions, i, map->region[i].end <= addr);
    return at;
}

bool heapmap_position(const HeapMap *map, uint64_t addr, uint64_t *position) {
    uint32_t i = mapregion_at(map, addr);
    *position = map->total;
    if (i == map->regions) return false;
    const MapRegion *r = &map->region[i];
    *position = addr < r->start ? r->position : r->position + (addr - r->start);
    return addr >= r->start;
}

MapRange heapmap_range(const HeapMap *map, uint64_t position, uint64_t size) {
    MapRange range = {0};
    uint32_t i = mapregion_find(map, position);
    for (; i < map->regions && size > 0; i++) {
        const MapRegion *r = &map->region[i];
        uint64_t start = r->start + (position - r->position);
        uint64_t n = r->end - start < size ? r->end - start : size;
        if (range.pieces++ == 0) {
            range.start = start;
            range.end = start + n;
        }
        range.last = start + n;
        position += n;
        size -= n;
    }
    return range;
}

uint64_t heapmap_fit(const HeapMap *map, uint64_t count, uint64_t least) {
    uint64_t size = least < HEAPMAP_MIN_CELL ? HEAPMAP_MIN_CELL : least;
    if (count == 0) count = 1;
    while (size < MAP_ADDRESS_END && (map->total + size - 1) / size > count)
        size *= 2;
    return size;
}
