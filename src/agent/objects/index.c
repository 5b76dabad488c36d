/* index.c - sweeps the leaves in order of their addresses, so that blocks come sorted and a running
 * count numbers them; the others are sorted and hashed apart. Objects are numbered afterwards, in
 * the same order, from the marks that the walk has set. */
#include "agent/objects/index.h"

#include <string.h>

#include "agent/map/shadow.h"

enum { PAGE_ENTRIES = 1024, FIRST_ROOM = 1 << 16, SIZE_WORDS = 2 };

/* ---- others: a hash by address --------------------------------------------------------------- */

static uint32_t home(const LmpObjectIndex *x, uintptr_t at) {
    return (uint32_t)(at * 0x9e3779b97f4a7c15ull >> 32) & (x->slots - 1);
}

static uint32_t other_row(const LmpObjectIndex *x, uintptr_t at) {
    if (!x->slots) return LMP_NO_BLOCK;
    for (uint32_t i = home(x, at); x->slot[i]; i = (i + 1) & (x->slots - 1))
        if (x->other[x->slot[i] - 1].at == at) return x->slot[i] - 1;
    return LMP_NO_BLOCK;
}

static void other_enter(LmpObjectIndex *x, uint32_t row) {
    uint32_t i = home(x, x->other[row].at);
    while (x->slot[i])
        i = (i + 1) & (x->slots - 1);
    x->slot[i] = row + 1;
}

/* Room for one row more, in the table and in the hash. */
static bool other_room(LmpObjectIndex *x) {
    if (x->others < x->others_room) return true;
    uint32_t room = x->others_room ? x->others_room * 2 : 1024;
    void *rows = x->other;
    if (room > 1u << 30 ||
        !objectmemory_grow(x->memory, &rows, x->others * sizeof *x->other, room * sizeof *x->other))
        return false;
    x->other = rows;
    x->others_room = room;
    uint32_t *slot = objectmemory_get(x->memory, room * 2ull * sizeof *slot);
    if (!slot) return false;
    objectmemory_drop(x->memory, x->slot);
    x->slot = slot;
    x->slots = room * 2;
    for (uint32_t i = 0; i < x->others; i++)
        other_enter(x, i);
    return true;
}

static bool other_add(LmpObjectIndex *x, const LmpObjectOther *other) {
    if (!other_room(x)) return false;
    x->other[x->others] = *other;
    other_enter(x, x->others++);
    return true;
}

uint32_t index_add(LmpObjectIndex *x, uintptr_t at) {
    if (!other_add(x, &(LmpObjectOther){.at = at})) return LMP_NO_BLOCK;
    return x->blocks + x->others - 1;
}

uint32_t index_other_object(const LmpObjectIndex *x, uintptr_t at) {
    uint32_t row = other_row(x, at);
    return row == LMP_NO_BLOCK ? 0 : x->other[row].object;
}

/* Merge sort, by address, from runs of one on: nothing recurses. */
static bool sort_odd(LmpObjectIndex *x) {
    uint32_t n = x->others;
    bool sorted = true;
    for (uint32_t i = 1; i < n; i++)
        if (x->other[i - 1].at > x->other[i].at) sorted = false;
    x->odd = n;
    if (sorted) return true;
    LmpObjectOther *from = x->other, *to = objectmemory_get(x->memory, x->others_room * sizeof *to);
    if (!to) return false;
    for (uint64_t run = 1; run < n; run *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * run) {
            uint64_t a = start, middle = start + run < n ? start + run : n, b = middle;
            uint64_t end = middle + run < n ? middle + run : n;
            for (uint64_t i = start; i < end; i++)
                to[i] =
                    a < middle && (b >= end || from[a].at <= from[b].at) ? from[a++] : from[b++];
        }
        LmpObjectOther *other = from;
        from = to, to = other;
    }
    objectmemory_drop(x->memory, to);
    x->other = from;
    memset(x->slot, 0, x->slots * sizeof *x->slot);
    for (uint32_t i = 0; i < n; i++)
        other_enter(x, i);
    return true;
}

/* ---- the sweep ------------------------------------------------------------------------------- */

typedef struct Sweep {
    LmpObjectIndex *x;
    const LmpObjectSource *source;
    uint32_t leaf;
    bool grid;                                 /* its blocks stand on the grid */
    uint32_t entry[PAGE_ENTRIES + SIZE_WORDS]; /* a page of them, if they are copied */
    uint32_t context[PAGE_ENTRIES];
} Sweep;

/* Bytes of a leaf, as they were; copied page by page where there is somebody who copies. */
static void copy(const Sweep *s, uint64_t at, void *to, uint64_t n) {
    const LmpObjectSource *source = s->source;
    while (n) {
        uint64_t part = 4096 - (at & 4095);
        if (part > n) part = n;
        if (source->copy) {
            source->copy(source->ud, s->leaf, at, to, part);
        } else {
            memcpy(to, (const char *)source->leaf[s->leaf] + at, part);
        }
        at += part;
        to = (char *)to + part;
        n -= part;
    }
}

static bool grow_blocks(LmpObjectIndex *x) {
    if (x->room - x->blocks >= PAGE_ENTRIES) return true;
    uint64_t room = x->room ? x->room * 2ull : FIRST_ROOM, n = x->blocks;
    if (room > 1u << 31) return false;
    void *size = x->size, *entry = x->entry, *context = x->context;
    bool ok = objectmemory_grow(x->memory, &size, n * 4, room * 4) &&
              objectmemory_grow(x->memory, &entry, n * 4, room * 4) &&
              (!x->contexts || objectmemory_grow(x->memory, &context, n * 4, room * 4));
    x->size = size, x->entry = entry, x->context = context;
    if (ok) x->room = (uint32_t)room;
    return ok;
}

static uint64_t entry_size(const uint32_t *entry) {
    uint64_t size = (*entry & LMP_BLOCK_SIZE_MASK) >> LMP_BLOCK_SIZE_SHIFT;
    if (size) return size;
    size = entry[1] >> 4;
    if ((entry[2] & 15) == LMP_BLOCK_SIZE_HIGH) size |= (uint64_t)(entry[2] >> 4) << 28;
    return size;
}

/* A block of the leaf. */
static bool take(Sweep *s, uintptr_t at, const uint32_t *entry, uint32_t context,
                 LmpSnapChunk *chunks) {
    LmpObjectIndex *x = s->x;
    uint64_t size = entry_size(entry);
    if (!s->grid || size > UINT32_MAX)
        return other_add(
            x, &(LmpObjectOther){.at = at, .size = size, .entry = *entry, .context = context});
    uint32_t n = x->blocks++;
    LmpSnapChunk *c = &chunks[at >> LMP_CHUNK_BITS & (LMP_REGION_CHUNKS - 1)];
    if (!c->bits) c->rank = n;
    c->bits |= 1ull << (at >> 4 & 63);
    x->size[n] = (uint32_t)size;
    x->entry[n] = *entry;
    if (x->contexts) x->context[n] = context;
    return true;
}

/* Entries of one page; `first`: number of the first of them in the leaf. */
static bool sweep_page(Sweep *s, uint64_t word, uint32_t first, LmpSnapChunk *chunks) {
    LmpObjectIndex *x = s->x;
    const LmpObjectSource *source = s->source;
    const uint32_t *entry = s->entry;
    bool have = false;
    if (source->copy) {
        copy(s, offsetof(LmpLeaf, entry) + first * 4ull, s->entry, sizeof s->entry);
    } else {
        entry = source->leaf[s->leaf]->entry + first;
    }
    if (!grow_blocks(x)) return false;
    uintptr_t base = (uintptr_t)LMP_LEAF_BASE(word) << LMP_LEAF_BITS | LMP_LEAF_LOW(word);
    for (uint32_t i = 0; i < PAGE_ENTRIES; i++) {
        unsigned cls = entry[i] & 15;
        if (!cls || cls >= LMP_C_COUNTED) continue;
        if (x->contexts && !have) {
            copy(s, offsetof(LmpLeaf, alloc_context) + first * 4ull, s->context, sizeof s->context);
            have = true;
        }
        uintptr_t at = base + ((first + (uintptr_t)i) << LMP_GRAIN_BITS);
        at |= entry[i] & LMP_BLOCK_OFFSET;
        if (!take(s, at, entry + i, have ? s->context[i] : 0, chunks)) return false;
    }
    return true;
}

static bool sweep_leaf(Sweep *s, uint32_t row) {
    LmpObjectIndex *x = s->x;
    uint64_t word = s->source->leaf_base[s->leaf];
    uint32_t touch[LMP_TOUCHES];
    s->grid = LMP_LEAF_KIND(word) == x->skew;
    copy(s, offsetof(LmpLeaf, touch), touch, sizeof touch);
    for (uint32_t i = 0; i < LMP_TOUCHES; i++) {
        if (!touch[i]) continue;
        uint32_t region = 0;
        if (s->grid) {
            region = ++x->regions;
            x->region[row * LMP_REGIONS + i] = region;
            x->region_at[region] =
                (uintptr_t)LMP_LEAF_BASE(word) << LMP_LEAF_BITS | (uintptr_t)i << LMP_REGION_BITS;
        }
        uint32_t entries = LMP_LEAF_ENTRIES / LMP_TOUCHES;
        for (uint32_t at = i * entries; at < (i + 1) * entries; at += PAGE_ENTRIES)
            if (!sweep_page(s, word, at, x->chunk + region * (size_t)LMP_REGION_CHUNKS))
                return false;
    }
    return true;
}

_Static_assert(LMP_TOUCHES == LMP_REGIONS && LMP_TOUCH_BITS == LMP_REGION_BITS,
               "a region is 1 MiB");

static bool sweep_overflow(LmpObjectIndex *x, const LmpOverflow *o) {
    for (uint32_t i = 0; o && i < o->slots; i++) {
        const LmpOverflowBlock *b = &o->block[i];
        unsigned cls = b->entry & 15;
        if (b->addr <= 1 || !cls || cls >= LMP_C_COUNTED) continue;
        if (!other_add(x, &(LmpObjectOther){.at = (uintptr_t)b->addr,
                                            .size = b->size,
                                            .entry = b->entry,
                                            .context = b->alloc_context}))
            return false;
    }
    return true;
}

/* The leaves in order of their addresses: heap sort. */
static void sift(uint32_t *order, const uint64_t *word, uint32_t i, uint32_t n) {
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && word[order[child + 1]] > word[order[child]]) child++;
        if (word[order[i]] >= word[order[child]]) return;
        uint32_t o = order[i];
        order[i] = order[child], order[child] = o;
    }
}

static void sort_leaves(uint32_t *order, const uint64_t *word, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n / 2; i-- > 0;)
        sift(order, word, i, n);
    for (uint32_t end = n; end-- > 1;) {
        uint32_t o = order[0];
        order[0] = order[end], order[end] = o;
        sift(order, word, 0, end);
    }
}

/* Regions that will be needed: those of leaves on the grid that something was ever in. */
static uint64_t count_regions(Sweep *s) {
    uint64_t n = 0;
    for (s->leaf = 0; s->leaf < s->source->leaves; s->leaf++) {
        uint32_t touch[LMP_TOUCHES];
        if (LMP_LEAF_KIND(s->source->leaf_base[s->leaf]) != s->x->skew) continue;
        copy(s, offsetof(LmpLeaf, touch), touch, sizeof touch);
        for (uint32_t i = 0; i < LMP_TOUCHES; i++)
            n += touch[i] != 0;
    }
    return n;
}

bool index_sweep(LmpObjectIndex *x, const LmpObjectSource *source, LmpObjectMemory *memory) {
    memset(x, 0, sizeof *x);
    x->memory = memory;
    x->skew = source->p ? source->p->skew : 0;
    x->contexts = source->p && source->p->lines;
    Sweep *s = objectmemory_get(memory, sizeof *s);
    uint32_t *order = objectmemory_get(memory, source->leaves * sizeof *order);
    if (!s || !order) return false;
    s->x = x;
    s->source = source;
    uint64_t regions = count_regions(s) + 1;
    x->dir = objectmemory_get(memory, LMP_DIR_SIZE * sizeof *x->dir);
    x->region = objectmemory_get(memory, (source->leaves + 1ull) * LMP_REGIONS * sizeof *x->region);
    x->chunk = objectmemory_get(memory, regions * LMP_REGION_CHUNKS * sizeof *x->chunk);
    x->region_at = objectmemory_get(memory, regions * sizeof *x->region_at);
    if (!x->dir || !x->region || !x->chunk || !x->region_at || !grow_blocks(x)) return false;
    sort_leaves(order, source->leaf_base, source->leaves);
    for (uint32_t i = 0; i < source->leaves; i++) {
        uint64_t word = source->leaf_base[order[i]];
        s->leaf = order[i];
        if (LMP_LEAF_KIND(word) == x->skew) x->dir[LMP_LEAF_BASE(word)] = ++x->rows;
        if (!sweep_leaf(s, x->rows)) return false;
    }
    x->mark = objectmemory_get(memory, x->blocks);
    bool ok = x->mark && sweep_overflow(x, source->overflow) && sort_odd(x);
    objectmemory_drop(memory, order);
    objectmemory_drop(memory, s);
    return ok;
}

void index_drop(LmpObjectIndex *x) {
    const void *const piece[] = {x->dir,   x->region,  x->region_at, x->chunk, x->object, x->size,
                                 x->entry, x->context, x->mark,      x->other, x->slot};
    for (unsigned i = 0; i < sizeof piece / sizeof *piece; i++)
        objectmemory_drop(x->memory, piece[i]);
    memset(x, 0, sizeof *x);
}

/* ---- looking --------------------------------------------------------------------------------- */

uint32_t index_find(const LmpObjectIndex *x, uintptr_t at) {
    if (index_on_grid(x, at)) {
        const LmpSnapChunk *c = index_chunk(x, x->chunk, at);
        uint64_t bit = 1ull << (at >> 4 & 63);
        if (c->bits & bit) return c->rank + index_count(c->bits & (bit - 1));
    }
    uint32_t row = other_row(x, at);
    return row == LMP_NO_BLOCK ? LMP_NO_BLOCK : x->blocks + row;
}

/* Stacks alone are looked for in this way, and they are at most 16 MiB. */
uint32_t index_containing(const LmpObjectIndex *x, uintptr_t at, uintptr_t *start) {
    for (uint32_t i = 0; i < x->odd; i++) {
        if (x->other[i].at > at || at - x->other[i].at >= x->other[i].size) continue;
        *start = x->other[i].at;
        return x->blocks + i;
    }
    if (at >> LMP_ADDRESS_BITS || at < x->skew) return LMP_NO_BLOCK;
    uintptr_t granule = ((at - x->skew) & ~(uintptr_t)15) | x->skew;
    for (uint32_t steps = 0; steps < 1u << 15; steps++) {
        const LmpSnapChunk *c = index_chunk(x, x->chunk, granule);
        uint64_t bits = c->bits & (UINT64_MAX >> (63 - (granule >> 4 & 63)));
        if (bits) {
            uint32_t block = c->rank + index_count(bits) - 1;
            unsigned bit = 63 - (unsigned)__builtin_clzll(bits);
            *start = (granule & ~(uintptr_t)1023) | (uintptr_t)bit << 4 | x->skew;
            return at - *start < x->size[block] ? block : LMP_NO_BLOCK;
        }
        if (granule < 2048) break;
        granule = ((granule & ~(uintptr_t)1023) - 16) | x->skew;
    }
    return LMP_NO_BLOCK;
}

/* ---- numbering ------------------------------------------------------------------------------- */

bool index_number(LmpObjectIndex *x, uint32_t *objects) {
    size_t chunks = (x->regions + 1ull) * LMP_REGION_CHUNKS;
    uint64_t number = 1;
    uint32_t block = 0;
    x->object = objectmemory_get(x->memory, chunks * sizeof *x->object);
    if (!x->object) return false;
    for (size_t i = LMP_REGION_CHUNKS; i < chunks; i++) { /* the first region stays empty */
        uint64_t found = 0;
        for (uint64_t bits = x->chunk[i].bits; bits; bits &= bits - 1, block++)
            if (x->mark[block] & LMP_MARK_OBJECT) found |= bits & -bits;
        if (!found) continue;
        x->object[i] = (LmpSnapChunk){.bits = found, .rank = (uint32_t)number};
        number += index_count(found);
    }
    for (uint32_t i = 0; i < x->others; i++)
        if (x->other[i].mark & LMP_MARK_OBJECT) x->other[i].object = (uint32_t)number++;
    *objects = (uint32_t)number;
    return number < UINT32_MAX / 2;
}

bool index_next(LmpObjectCursor *c) {
    const LmpObjectIndex *x = c->x;
    while (!c->bits) {
        if (++c->chunk >= (x->regions + 1ull) * LMP_REGION_CHUNKS) {
            while (c->other < x->others) {
                const LmpObjectOther *o = &x->other[c->other++];
                if (!o->object) continue;
                c->at = o->at;
                c->block = x->blocks + c->other - 1;
                return true;
            }
            c->chunk--;
            return false;
        }
        c->bits = x->object[c->chunk].bits;
    }
    unsigned bit = (unsigned)__builtin_ctzll(c->bits);
    const LmpSnapChunk *chunk = &x->chunk[c->chunk];
    c->bits &= c->bits - 1;
    c->at = x->region_at[c->chunk / LMP_REGION_CHUNKS] +
            (c->chunk % LMP_REGION_CHUNKS << LMP_CHUNK_BITS) + (bit << 4) + x->skew;
    c->block = chunk->rank + index_count(chunk->bits & ((1ull << bit) - 1));
    return true;
}
