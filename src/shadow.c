/* shadow.c - see shadow.h. */
#include "shadow.h"

#include "counters.h"
#include "os.h"
#include "reserve.h"
#include "sample.h"
#include "usage.h"

/* Leaves are appended to the file; the directory entry is set once the leaf can be used. After a
 * refusal nothing is asked of the system until the next tick: under a resource limit the hook must
 * not turn every allocation into a failing system call. */
static LmpLeaf *map_leaf(LmpProfile *p, uint64_t at) {
    int fd = ownfd_get(&p->file);
    if (fd < 0) return NULL;
    if (p->file_size < at + sizeof(LmpLeaf)) {
        if (!lmp_os->grow(fd, at + sizeof(LmpLeaf))) return NULL;
        p->file_size = at + sizeof(LmpLeaf);
    }
    /* makers come last, and are kept with lines only */
    if (!reserve_range(p, at, p->lines ? sizeof(LmpLeaf) : offsetof(LmpLeaf, apart))) return NULL;
    LmpLeaf *leaf = lmp_os->map(sizeof(LmpLeaf), fd, at, true);
    if (leaf && ownfd_get(&p->file) < 0) { /* another thread has closed it just now */
        lmp_os->unmap(leaf, sizeof(LmpLeaf));
        leaf = NULL;
    }
    return leaf;
}

/* Once the program has closed the file, the figures go on in memory that no viewer sees. */
static LmpLeaf *hidden_leaf(LmpProfile *p) {
    LmpLeaf *leaf = lmp_os->map(sizeof(LmpLeaf), -1, 0, true);
    if (leaf) p->live->hidden_leaves++;
    return leaf;
}

static COLD LmpLeaf *new_leaf(LmpProfile *p, uintptr_t addr) {
    LmpLive *live = p->live;
    uint32_t n = live->leaves;
    if (n >= LMP_MAX_LEAVES || p->refused) return NULL;
    LmpLeaf *leaf = map_leaf(p, LMP_LEAVES_AT + n * (uint64_t)sizeof(LmpLeaf));
    if (!leaf && p->file.fd < 0) leaf = hidden_leaf(p);
    if (!leaf) {
        p->refused = true;
        return NULL;
    }
    if (addr >> LMP_LEAF_BITS == 0) leaf->entry[0] = LMP_E_SIZE; /* so that NULL is never plain */
    p->dir[addr >> LMP_LEAF_BITS] = leaf;
    p->leaf[n] = leaf;
    live->leaf_base[n] = addr >> LMP_LEAF_BITS;
    atomic_thread_fence(memory_order_release);
    live->leaves = n + 1;
    return leaf;
}

/* ---- blocks off the grid: open addressing, linear probing -------------------------------------
 */

enum { ADDR_FREE = 0, ADDR_USED_BEFORE = 1, FIRST_SLOTS = 256 };

static uint32_t home(uint64_t addr, uint32_t slots) {
    return (uint32_t)((addr * 0x9e3779b97f4a7c15ull) >> 32) & (slots - 1);
}

static LmpOverflowBlock *overflow_find(LmpOverflow *o, uint64_t addr) {
    for (uint32_t i = 0, at = o->slots ? home(addr, o->slots) : 0; i < o->slots; i++) {
        LmpOverflowBlock *b = &o->block[(at + i) & (o->slots - 1)];
        if (b->addr == addr) return b;
        if (b->addr == ADDR_FREE) return NULL;
    }
    return NULL;
}

static void overflow_insert(LmpOverflow *o, const LmpOverflowBlock *block) {
    uint32_t at = home(block->addr, o->slots);
    while (o->block[at].addr > ADDR_USED_BEFORE)
        at = (at + 1) & (o->slots - 1);
    if (o->block[at].addr == ADDR_FREE) o->used++;
    o->block[at].size = block->size;
    o->block[at].entry = block->entry;
    o->block[at].maker = block->maker;
    atomic_thread_fence(memory_order_release);
    o->block[at].addr = block->addr;
}

/* Doubles the table in place, or sweeps out the slots that were only used before. The blocks are
 * put aside in private memory meanwhile; a reader sees some of them missing for a moment. */
static bool overflow_grow(LmpProfile *p) {
    LmpOverflow *o = p->overflow;
    uint32_t live = 0;
    for (uint32_t i = 0; i < o->slots; i++)
        live += o->block[i].addr > ADDR_USED_BEFORE;
    uint32_t slots = o->slots ? o->slots : FIRST_SLOTS;
    while (live >= slots / 2 && slots < LMP_OVERFLOW_MAX)
        slots *= 2;
    if (live >= slots / 4 * 3) return false;
    size_t aside_size = (live + 1) * sizeof(LmpOverflowBlock);
    if (!reserve_range(p, LMP_OVERFLOW_AT, sizeof *o + slots * sizeof(LmpOverflowBlock)))
        return false;
    LmpOverflowBlock *aside = lmp_os->map(aside_size, -1, 0, true);
    if (!aside) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->slots; i++) {
        if (o->block[i].addr > ADDR_USED_BEFORE) aside[n++] = o->block[i];
        o->block[i] = (LmpOverflowBlock){0};
    }
    o->used = 0;
    o->slots = slots;
    for (uint32_t i = 0; i < n; i++)
        overflow_insert(o, &aside[i]);
    lmp_os->unmap(aside, aside_size);
    return true;
}

static bool overflow_add(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry,
                         uint32_t maker) {
    LmpOverflow *o = p->overflow;
    LmpOverflowBlock *known = overflow_find(o, addr);
    /* Sweeping the largest table out must win room for many blocks, or each would sweep it again.
     */
    bool crammed = o->slots == LMP_OVERFLOW_MAX && p->overflow_live >= LMP_OVERFLOW_MAX / 8 * 5;
    if (!known && o->used >= o->slots / 4 * 3 && (crammed || !overflow_grow(p))) {
        o->dropped++;
        return false;
    }
    LmpOverflowBlock block = {addr, size, entry, maker};
    if (known) {
        *known = block;
    } else {
        overflow_insert(o, &block);
        p->overflow_live++;
    }
    return true;
}

static LmpOverflowBlock *overflow_at(LmpProfile *p, uintptr_t addr) {
    return addr > ADDR_USED_BEFORE ? overflow_find(p->overflow, addr) : NULL;
}

static uint32_t overflow_take(LmpProfile *p, uintptr_t addr, uint32_t *maker) {
    LmpOverflowBlock *b = overflow_at(p, addr);
    if (!b) return 0;
    *maker = b->maker;
    b->addr = ADDR_USED_BEFORE;
    p->overflow_live--;
    return b->entry;
}

/* ---- blocks on the grid
 * ---------------------------------------------------------------------------- */

static bool off_grid(uintptr_t addr) {
    return addr >> LMP_ADDRESS_BITS || addr & 15;
}

/* The entry of a block that starts at addr, on the grid; NULL: there is none. */
static uint32_t *grid_find(LmpProfile *p, uintptr_t addr) {
    LmpLeaf *leaf = off_grid(addr) ? NULL : p->dir[addr >> LMP_LEAF_BITS];
    if (!leaf) return NULL;
    uint32_t *entry = &leaf->entry[(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1)];
    uint32_t cls = *entry & 15;
    return cls && cls < LMP_E_SIZE_HIGH && !((*entry ^ (uint32_t)addr) & LMP_E_OFFSET) ? entry
                                                                                       : NULL;
}

static void touch(LmpProfile *p, uintptr_t addr) {
    p->dir[addr >> LMP_LEAF_BITS]->touch[(addr >> LMP_TOUCH_BITS) & (LMP_TOUCHES - 1)] =
        atomic_load_explicit(&p->control->frame, memory_order_relaxed);
}

static uint64_t grid_size(const uint32_t *entry) {
    uint64_t size = (*entry & LMP_E_SIZE_MASK) >> LMP_E_SIZE_SHIFT;
    if (size == 0) {
        size = entry[1] >> 4;
        if ((entry[2] & 15) == LMP_E_SIZE_HIGH) size |= (uint64_t)(entry[2] >> 4) << 28;
    }
    return size;
}

static void grid_clear(uint32_t *entry) {
    if (!(*entry & LMP_E_SIZE_MASK)) {
        entry[1] = 0;
        if ((entry[2] & 15) == LMP_E_SIZE_HIGH) entry[2] = 0;
    }
    *entry = 0;
}

/* Who made the block of an entry. Leaves lie on a page boundary, so the entry tells its leaf only
 * through the address. */
static uint32_t *grid_maker(LmpProfile *p, uintptr_t addr) {
    uint32_t i = (uint32_t)(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
    return &p->dir[addr >> LMP_LEAF_BITS]->maker[i];
}

/* A block that was never freed through us starts where a new one does now: it is gone. */
static void forget_stale(LmpProfile *p, uintptr_t addr, uint32_t *entry) {
    LmpCounters *c = p->counters;
    unsigned cls = *entry & 15;
    uint64_t size = grid_size(entry);
    if (cls < LMP_C_COUNTED) {
        if (c->live_bytes > c->peak_bytes) counters_note_peak(c, p->ticked);
        c->live_bytes -= size;
        if (p->every) usage_freed(p, *grid_maker(p, addr), addr, size, *entry, p->tree != NULL);
        if (p->sampling) sample_leaves(p, *grid_maker(p, addr), addr, size, *entry, true);
    }
    c->count[cls].frees++;
    c->count[cls].free_bytes += size;
    grid_clear(entry);
}

bool shadow_place(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry, uint32_t maker) {
    entry &= ~(LMP_E_SIZE_MASK | LMP_E_OFFSET);
    if (size >= LMP_PACK_MAX) entry |= LMP_E_WATCHED; /* not for the plain way out of the map */
    if (off_grid(addr) || size >> 56) return overflow_add(p, addr, size, entry, maker);
    LmpLeaf *leaf = p->dir[addr >> LMP_LEAF_BITS];
    if (!leaf) leaf = new_leaf(p, addr);
    if (!leaf) return false;
    uint32_t *stale = grid_find(p, addr);
    if (stale) forget_stale(p, addr, stale);
    uint32_t i = (uint32_t)(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
    if (leaf->entry[i]) return overflow_add(p, addr, size, entry, maker);
    entry |= (uint32_t)addr & LMP_E_OFFSET;
    if (size < LMP_E_SMALL) {
        entry |= (uint32_t)size << LMP_E_SIZE_SHIFT;
    } else {
        if (size >= LMP_E_BIG) leaf->entry[i + 2] = (uint32_t)(size >> 28) << 4 | LMP_E_SIZE_HIGH;
        leaf->entry[i + 1] = (uint32_t)(size & (LMP_E_BIG - 1)) << 4 | LMP_E_SIZE;
        atomic_thread_fence(memory_order_release);
    }
    leaf->entry[i] = entry;
    if (p->lines) leaf->maker[i] = maker;
    touch(p, addr);
    return true;
}

uint32_t shadow_take(LmpProfile *p, uintptr_t addr, uint32_t *maker) {
    uint32_t *at = grid_find(p, addr);
    *maker = 0;
    if (!at) return p->overflow->slots ? overflow_take(p, addr, maker) : 0;
    uint32_t entry = *at;
    if (p->lines) *maker = *grid_maker(p, addr);
    if (p->sampling) *grid_maker(p, addr) = 0; /* only samples have one */
    grid_clear(at);
    touch(p, addr);
    return entry;
}

uint32_t shadow_lookup(LmpProfile *p, uintptr_t addr, uint64_t *size) {
    uint32_t *entry = grid_find(p, addr);
    if (entry) {
        *size = grid_size(entry);
        return *entry;
    }
    LmpOverflowBlock *b = overflow_at(p, addr);
    if (!b) return 0;
    *size = b->size;
    return b->entry;
}

uint32_t *shadow_maker(LmpProfile *p, uintptr_t addr) {
    if (grid_find(p, addr)) return grid_maker(p, addr);
    LmpOverflowBlock *b = overflow_at(p, addr);
    return b ? &b->maker : NULL;
}

void shadow_watch(LmpProfile *p, uintptr_t addr) {
    uint32_t *entry = grid_find(p, addr);
    LmpOverflowBlock *b = entry ? NULL : overflow_at(p, addr);
    if (b) entry = &b->entry;
    if (entry) *entry |= LMP_E_WATCHED;
}

/* ---- changes of all entries
 * ------------------------------------------------------------------------ */

static uint32_t half_as_old(uint32_t entry) {
    uint32_t birth = (LMP_E_BIRTH(entry) + 1) / 2;
    return (entry & ~LMP_E_BIRTH_MASK) | birth << LMP_E_BIRTH_SHIFT;
}

/* Born in the cycle under way, or in the one before it; all others are old. */
static uint32_t old_by_cycle(uint32_t entry, uint32_t cycle) {
    uint32_t born = LMP_E_CYCLE(entry);
    born = born == cycle ? 2 : born == cycle - 1 ? 1 : 0;
    return (entry & ~LMP_E_CYCLE_MASK) | born << LMP_E_CYCLE_SHIFT;
}

static COLD void change_all(LmpProfile *p, bool births) {
    const uint32_t per_touch = LMP_LEAF_ENTRIES / LMP_TOUCHES;
    uint32_t cycle = LMP_E_CYCLE(p->birth);
    for (uint32_t n = 0; n < p->live->leaves; n++) {
        LmpLeaf *leaf = p->leaf[n];
        for (uint32_t t = 0; t < LMP_TOUCHES; t++) {
            if (!leaf->touch[t]) continue; /* reading untouched memory would allocate it */
            uint32_t *entry = leaf->entry + t * per_touch;
            for (uint32_t i = 0; i < per_touch; i++)
                if (entry[i] && (entry[i] & 15) < LMP_E_SIZE_HIGH)
                    entry[i] = births ? half_as_old(entry[i]) : old_by_cycle(entry[i], cycle);
        }
    }
    LmpOverflow *o = p->overflow;
    for (uint32_t i = 0; i < o->slots; i++) {
        uint32_t *entry = &o->block[i].entry;
        *entry = births ? half_as_old(*entry) : old_by_cycle(*entry, cycle);
    }
}

COLD void shadow_halve_births(LmpProfile *p) {
    change_all(p, true);
}

COLD void shadow_age_cycles(LmpProfile *p) {
    change_all(p, false);
}
