/* mapcell.c - the cells of the heap map: sums over pages, or over single blocks when a cell is
 * smaller than a page, for a window of the line of positions. */
#include "read/heapmap/heapmap.h"
#include "read/heapmap/heapmap_impl.h"

/* A window of positions from `first` to `end` in cells of 1 << shift bytes, and the piece of a
 * region in it that is being summed up: addresses from `from` to `to`, of which `from` has the
 * position `position` counted from the window's beginning. */
typedef struct Window {
    const HeapMap *map;
    MapCell *cell;
    unsigned shift;
    uint64_t first, end;
    uint64_t from, to, position;
} Window;

static MapCell *cell_of(const Window *w, uint64_t addr) {
    return &w->cell[(w->position + (addr - w->from)) >> w->shift];
}

/* Spreads bytes over the cells of the piece; what is outside it is cut off. */
static void add_bytes(const Window *w, uint64_t start, uint64_t end, unsigned kind) {
    if (start < w->from) start = w->from;
    if (end > w->to) end = w->to;
    while (start < end) {
        uint64_t position = w->position + (start - w->from);
        uint64_t room = (1ull << w->shift) - (position & ((1ull << w->shift) - 1));
        uint64_t n = end - start < room ? end - start : room;
        w->cell[position >> w->shift].bytes[kind] += n;
        start += n;
    }
}

static void add_block(const Window *w, uint64_t addr, uint64_t size, unsigned kind) {
    if (kind >= LMP_KINDS) return;
    if (addr >= w->from && addr < w->to) cell_of(w, addr)->blocks++;
    add_bytes(w, addr, addr + size, kind);
}

/* Straight from the shadow map: every block of the part that lies in the piece. */
static void add_part_blocks(const Window *w, const MapLeaf *leaf, uint32_t p) {
    if (!mapscan_touch(leaf->leaf, p)) return;
    MapScan scan = mapscan_part(leaf->leaf, leaf->word, p);
    uint64_t end = (leaf->base << LMP_LEAF_BITS) + (p + 1) * MAP_PART;
    MapBlock b;
    while (mapscan_next(&scan, &b) && b.addr < w->to) {
        uint64_t size = b.addr + b.size > end ? end - b.addr : b.size; /* the rest is the tail */
        if (b.addr + size > w->from) add_block(w, b.addr, size, w->map->kind[b.entry & 15]);
    }
}

static void add_part_pages(const Window *w, const MapPart *part, uint64_t start) {
    if (!part->page) return;
    uint64_t end = start + MAP_PART;
    if (w->from <= start && w->to >= end && cell_of(w, start) == cell_of(w, end - 1)) {
        MapCell *cell = cell_of(w, start);
        for (unsigned k = 0; k < LMP_KINDS; k++)
            cell->bytes[k] += part->total[k];
        cell->blocks += part->blocks;
        return;
    }
    uint64_t from = start > w->from ? start : w->from, to = end < w->to ? end : w->to;
    for (uint64_t a = from; a < to; a += MAP_PAGE) {
        uint32_t i = (uint32_t)((a - start) >> MAP_PAGE_BITS);
        const MapPage *page = &part->page[i];
        MapCell *cell = cell_of(w, a);
        for (unsigned k = 0; k < LMP_KINDS; k++)
            cell->bytes[k] += page->bytes[k];
        cell->blocks += page->blocks;
    }
}

static void add_piece(const Window *w) {
    const HeapMap *map = w->map;
    for (uint32_t i = heapmap_find_leaf(map, w->from); i < map->ordered; i++) {
        const MapLeaf *leaf = map->leaf[map->order[i]];
        uint64_t base = leaf->base << LMP_LEAF_BITS;
        if (base >= w->to) break;
        for (uint32_t p = 0; p < LMP_TOUCHES; p++) {
            uint64_t start = base + p * MAP_PART;
            if (start >= w->to) break;
            if (start + MAP_PART <= w->from) continue;
            if (w->shift < MAP_PAGE_BITS) {
                add_part_blocks(w, leaf, p);
            } else {
                add_part_pages(w, &leaf->part[p], start);
            }
        }
    }
}

/* Sets the piece to the part of region i that lies in the window; false when there is none. */
static bool choose_piece(Window *w, uint32_t i) {
    const MapRegion *r = &w->map->region[i];
    uint64_t from = r->position, to = r->position + (r->end - r->start);
    if (from < w->first) from = w->first;
    if (to > w->end) to = w->end;
    if (from >= to) return false;
    w->from = r->start + (from - r->position);
    w->to = r->start + (to - r->position);
    w->position = from - w->first;
    return true;
}

/* Blocks that the sums of pages leave out: what reaches into a part from earlier ones, and blocks
 * off the grid. Each is in a single region, because whole runs are. */
static void add_over(Window *w, uint64_t start, uint64_t end, unsigned kind, bool begins) {
    uint32_t i = mapregion_at(w->map, start);
    if (i == w->map->regions || !choose_piece(w, i)) return;
    if (begins) {
        add_block(w, start, end - start, kind);
    } else {
        add_bytes(w, start, end, kind);
    }
}

static void add_tails_and_odd(Window *w, uint64_t low, uint64_t high) {
    const HeapMap *map = w->map;
    for (uint32_t i = 0; i < map->ordered; i++) {
        const MapLeaf *leaf = map->leaf[map->order[i]];
        uint64_t start = leaf->base << LMP_LEAF_BITS;
        if (start >= high) break;
        for (uint32_t p = 0; p < LMP_TOUCHES; p++) {
            const MapPart *part = &leaf->part[p];
            if (part->tail_end > low)
                add_over(w, start + (p + 1) * MAP_PART, part->tail_end, part->tail_kind, false);
        }
    }
    const OverflowIndex *odd = &map->odd;
    for (uint32_t i = overflow_index_find(odd, low > odd->longest ? low - odd->longest : 0);
         i < odd->count && odd->block[i].addr < high; i++) {
        const OverflowIndexBlock *b = &odd->block[i];
        unsigned kind = map->kind[b->entry & 15];
        if (kind < LMP_KINDS) add_over(w, b->addr, b->addr + b->size, kind, true);
    }
}

void heapmap_cells(const HeapMap *map, uint64_t first, uint64_t size, uint32_t count,
                   MapCell *out) {
    memset(out, 0, count * sizeof *out);
    unsigned shift = 0;
    while ((1ull << shift) < size && shift < MAP_ADDRESS_BITS)
        shift++;
    if (first >= map->total) return;
    Window w = {.map = map, .cell = out, .shift = shift, .first = first, .end = map->total};
    if (count <= (w.end - first) >> shift) w.end = first + ((uint64_t)count << shift);
    uint64_t low = 0, high = 0; /* addresses of the window */
    for (uint32_t i = mapregion_find(map, first); i < map->regions; i++) {
        if (!choose_piece(&w, i)) break;
        if (high == 0) low = w.from;
        high = w.to;
        add_piece(&w);
    }
    add_tails_and_odd(&w, low, high);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = first + ((uint64_t)i << shift);
        if (at >= map->total) break;
        out[i].capacity = map->total - at < 1ull << shift ? map->total - at : 1ull << shift;
    }
}

int mapcell_kind(const MapCell *cell, unsigned kinds) {
    int best = -1;
    for (int k = 0; k < LMP_KINDS; k++) {
        if (!(kinds >> k & 1) || cell->bytes[k] == 0) continue;
        if (best < 0 || cell->bytes[k] > cell->bytes[best]) best = k;
    }
    return best;
}

uint64_t mapcell_bytes(const MapCell *cell, unsigned kinds) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < LMP_KINDS; k++)
        if (kinds >> k & 1) sum += cell->bytes[k];
    return sum;
}
