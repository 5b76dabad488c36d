/* shadow.c - leaves are appended to the file as blocks are met; a block goes to the grid of its
 * leaf, to a second leaf of its kind if the entry is taken, else to the overflow table. Births and
 * cycles of all entries are halved or aged in passes over the parts that were ever touched. */
#include "agent/map/shadow.h"

#include <string.h>

#include "agent/map/watched.h"
#include "agent/state/reserve.h"
#include "base/os.h"
#include "shared/counters.h"

/* Leaves are appended to the file; the directory entry is set once the leaf can be used. After a
 * refusal nothing is asked of the system until the next tick: under a resource limit the hook must
 * not turn every allocation into a failing system call. */
static LmpLeaf *map_leaf(LmpProfile *p, uint64_t at) {
    int fd = own_fd_get(&p->file);
    if (fd < 0) return NULL;
    if (p->leaves.file_size < at + sizeof(LmpLeaf)) {
        if (!lmp_os->grow(fd, at + sizeof(LmpLeaf))) return NULL;
        p->leaves.file_size = at + sizeof(LmpLeaf);
    }
    /* alloc contexts come last, and are only kept with lines */
    if (!reserve_range(p, at, p->lines ? sizeof(LmpLeaf) : offsetof(LmpLeaf, apart))) return NULL;
    LmpLeaf *leaf = lmp_os->map(sizeof(LmpLeaf), fd, at, true);
    if (leaf && own_fd_get(&p->file) < 0) { /* another thread has closed it just now */
        lmp_os->unmap(leaf, sizeof(LmpLeaf));
        leaf = NULL;
    }
    return leaf;
}

/* Once the program has closed the file, the figures continue in memory that no viewer sees. */
static LmpLeaf *hidden_leaf(LmpProfile *p) {
    LmpLeaf *leaf = lmp_os->map(sizeof(LmpLeaf), -1, 0, true);
    if (leaf) p->live->hidden_leaves++;
    return leaf;
}

static COLD LmpLeaf *new_leaf(LmpProfile *p, LmpLeaf **dir, uint64_t word) {
    LmpLive *live = p->live;
    uint64_t base = LMP_LEAF_BASE(word);
    uint32_t n = live->leaves;
    if (n >= LMP_MAX_LEAVES || p->leaves.refused) return NULL;
    LmpLeaf *leaf = map_leaf(p, LMP_LEAVES_AT + n * (uint64_t)sizeof(LmpLeaf));
    if (!leaf && p->file.fd < 0) leaf = hidden_leaf(p);
    if (!leaf) {
        p->leaves.refused = true;
        return NULL;
    }
    if (p->watched_room)
        watched_make_room(p, base << LMP_LEAF_BITS); /* now, not when it is needed */
    if (base == 0) leaf->entry[0] = LMP_BLOCK_SIZE;  /* so that NULL is never plain */
    dir[base] = leaf;
    p->leaves.all[n] = p->leaves.shared[n] = leaf;
    live->leaf_base[n] = word;
    atomic_thread_fence(memory_order_release);
    live->leaves = n + 1;
    return leaf;
}

/* ---- the overflow table: open addressing, linear probing ------------------------------------- */

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
    o->block[at].alloc_context = block->alloc_context;
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
                         uint32_t alloc_context) {
    LmpOverflow *o = p->overflow;
    /* Sweeping the largest table must free room for many blocks, or each insertion would sweep it
       again.
     */
    bool crammed = o->slots == LMP_OVERFLOW_MAX && p->leaves.overflow >= LMP_OVERFLOW_MAX / 8 * 5;
    if (o->used >= o->slots / 4 * 3 && (crammed || !overflow_grow(p))) {
        o->dropped++;
        return false;
    }
    overflow_insert(o, &(LmpOverflowBlock){addr, size, entry, alloc_context});
    p->leaves.overflow++;
    return true;
}

static LmpOverflowBlock *overflow_at(LmpProfile *p, uintptr_t addr) {
    return addr > ADDR_USED_BEFORE ? overflow_find(p->overflow, addr) : NULL;
}

static LmpTaken overflow_take(LmpProfile *p, uintptr_t addr) {
    LmpOverflowBlock *b = overflow_at(p, addr);
    if (!b) return (LmpTaken){0};
    b->addr = ADDR_USED_BEFORE;
    p->leaves.overflow--;
    return (LmpTaken){b->size, b->entry, b->alloc_context};
}

/* ---- blocks on a grid ------------------------------------------------------------------------ */

/* Plain blocks are those with p->skew in their low bits, the first of their entry's 32 bytes. All
 * others have leaves and directories of their own, made when the first of the kind is met. */

static bool off_grid(uintptr_t addr) {
    return addr >> LMP_ADDRESS_BITS;
}

static unsigned kind_of(uintptr_t addr, unsigned second) {
    return (unsigned)LMP_LEAF_KIND(LMP_LEAF_WORD(0, addr & 15, second));
}

/* Returns the directory for blocks like this one; NULL: none yet. */
static LmpLeaf **dir_of(const LmpProfile *p, uintptr_t addr, unsigned second) {
    return !second && (addr & 15) == p->skew ? p->dir : p->leaves.odd[kind_of(addr, second)];
}

void shadow_use(LmpProfile *p, uint32_t n, LmpLeaf *leaf) {
    uint64_t word = p->live->leaf_base[n];
    LmpLeaf **dir = dir_of(p, LMP_LEAF_LOW(word), word >> 60 & 1);
    dir[LMP_LEAF_BASE(word)] = p->leaves.all[n] = leaf;
}

static COLD LmpLeaf **new_dir(LmpProfile *p, uintptr_t addr, unsigned second) {
    LmpLeaf **dir = p->leaves.refused ? NULL : lmp_os->map(LMP_DIR_SIZE * sizeof *dir, -1, 0, true);
    if (!dir) p->leaves.refused = true;
    p->leaves.odd[kind_of(addr, second)] = dir;
    return dir;
}

static uint32_t *entry_of(LmpLeaf *leaf, uintptr_t addr) {
    return &leaf->entry[(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1)];
}

/* Returns the entry of a block that starts at addr, on a grid, and its leaf; NULL: there is
 * none. */
static uint32_t *grid_find(const LmpProfile *p, uintptr_t addr, LmpLeaf **in) {
    if (off_grid(addr)) return NULL;
    for (unsigned second = 0; second < 2; second++) {
        LmpLeaf **dir = dir_of(p, addr, second), *leaf = dir ? dir[addr >> LMP_LEAF_BITS] : NULL;
        if (!leaf) continue;
        uint32_t *entry = entry_of(leaf, addr), cls = *entry & 15;
        if (cls && cls < LMP_BLOCK_SIZE_HIGH && !((*entry ^ (uint32_t)addr) & LMP_BLOCK_OFFSET)) {
            *in = leaf;
            return entry;
        }
    }
    return NULL;
}

static void touch(const LmpProfile *p, LmpLeaf *leaf, uintptr_t addr) {
    leaf->touch[(addr >> LMP_TOUCH_BITS) & (LMP_TOUCHES - 1)] =
        atomic_load_explicit(&p->control->frame, memory_order_relaxed);
}

static uint64_t grid_size(const uint32_t *entry) {
    uint64_t size = (*entry & LMP_BLOCK_SIZE_MASK) >> LMP_BLOCK_SIZE_SHIFT;
    if (size == 0) {
        size = entry[1] >> 4;
        if ((entry[2] & 15) == LMP_BLOCK_SIZE_HIGH) size |= (uint64_t)(entry[2] >> 4) << 28;
    }
    return size;
}

static void grid_clear(uint32_t *entry) {
    if (!(*entry & LMP_BLOCK_SIZE_MASK)) {
        entry[1] = 0;
        if ((entry[2] & 15) == LMP_BLOCK_SIZE_HIGH) entry[2] = 0;
    }
    *entry = 0;
}

/* Returns who made the block of an entry. */
static uint32_t *grid_context(LmpLeaf *leaf, uintptr_t addr) {
    return &leaf->alloc_context[(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1)];
}

/* The block is marked, and its bit is set. Without memory for that the map has to have every block,
 * from now on to the end. */
static void mark_bit(LmpProfile *p, uintptr_t addr) {
    if (p->watched && !watched_set(p, addr, false)) p->whole = p->stays_whole = true;
}

LmpTaken shadow_take(LmpProfile *p, uintptr_t addr) {
    LmpLeaf *leaf = NULL;
    uint32_t *entry = grid_find(p, addr, &leaf);
    LmpTaken taken = {0};
    if (entry) {
        taken = (LmpTaken){grid_size(entry), *entry, p->lines ? *grid_context(leaf, addr) : 0};
    } else if (p->overflow->slots) {
        taken = overflow_take(p, addr);
    }
    if (p->watched && taken.entry & LMP_BLOCK_NOTIFY) watched_clear(p, addr);
    if (!entry) return taken;
    if (p->sampling) *grid_context(leaf, addr) = 0; /* only samples have one */
    grid_clear(entry);
    touch(p, leaf, addr);
    return taken;
}

/* Returns the leaf for a block that starts at addr, if its entry there is free; NULL: it is taken,
 * or there is no memory. */
static LmpLeaf *free_leaf(LmpProfile *p, uintptr_t addr, unsigned second) {
    LmpLeaf **dir = dir_of(p, addr, second);
    if (!dir) dir = new_dir(p, addr, second);
    if (!dir) return NULL;
    LmpLeaf *leaf = dir[addr >> LMP_LEAF_BITS];
    uint64_t word = LMP_LEAF_WORD(addr >> LMP_LEAF_BITS, addr & 15, second);
    if (!leaf) leaf = new_leaf(p, dir, word);
    return leaf && !*entry_of(leaf, addr) ? leaf : NULL;
}

static bool place(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry,
                  uint32_t alloc_context) {
    if (off_grid(addr) || size >> 56) return overflow_add(p, addr, size, entry, alloc_context);
    LmpLeaf *leaf = free_leaf(p, addr, 0);
    if (!leaf && !p->leaves.refused) leaf = free_leaf(p, addr, 1);
    if (!leaf) return !p->leaves.refused && overflow_add(p, addr, size, entry, alloc_context);
    uint32_t *at = entry_of(leaf, addr);
    entry |= (uint32_t)addr & LMP_BLOCK_OFFSET;
    if (size < LMP_BLOCK_SMALL) {
        entry |= (uint32_t)size << LMP_BLOCK_SIZE_SHIFT;
    } else {
        if (size >= LMP_BLOCK_BIG) at[2] = (uint32_t)(size >> 28) << 4 | LMP_BLOCK_SIZE_HIGH;
        at[1] = (uint32_t)(size & (LMP_BLOCK_BIG - 1)) << 4 | LMP_BLOCK_SIZE;
        atomic_thread_fence(memory_order_release);
    }
    *at = entry;
    if (p->lines) *grid_context(leaf, addr) = alloc_context;
    touch(p, leaf, addr);
    return true;
}

bool shadow_place(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry,
                  uint32_t alloc_context, LmpTaken *stale) {
    *stale = shadow_take(p, addr);
    entry &= ~(LMP_BLOCK_SIZE_MASK | LMP_BLOCK_OFFSET);
    if (size >= LMP_PACK_MAX) entry |= LMP_BLOCK_NOTIFY; /* not for the fast path out of the map */
    if (!place(p, addr, size, entry, alloc_context)) return false;
    if (entry & LMP_BLOCK_NOTIFY) mark_bit(p, addr);
    return true;
}

uint32_t shadow_lookup(LmpProfile *p, uintptr_t addr, uint64_t *size) {
    LmpLeaf *leaf = NULL;
    const uint32_t *entry = grid_find(p, addr, &leaf);
    if (entry) {
        *size = grid_size(entry);
        return *entry;
    }
    LmpOverflowBlock *b = overflow_at(p, addr);
    if (!b) return 0;
    *size = b->size;
    return b->entry;
}

uint32_t *shadow_context(LmpProfile *p, uintptr_t addr) {
    LmpLeaf *leaf = NULL;
    if (grid_find(p, addr, &leaf)) return grid_context(leaf, addr);
    LmpOverflowBlock *b = overflow_at(p, addr);
    return b ? &b->alloc_context : NULL;
}

uint32_t shadow_site(LmpProfile *p, uintptr_t addr, uint32_t *entry, uint64_t *size) {
    *entry = shadow_lookup(p, addr, size);
    const uint32_t *context = *entry ? shadow_context(p, addr) : NULL;
    if (!context || !*context) return 0;
    return p->record[p->tree ? p->tables.path[*context].record : *context].site;
}

void shadow_notify(LmpProfile *p, uintptr_t addr) {
    LmpLeaf *leaf = NULL;
    uint32_t *entry = grid_find(p, addr, &leaf);
    LmpOverflowBlock *b = entry ? NULL : overflow_at(p, addr);
    if (b) entry = &b->entry;
    if (!entry) {
        if (p->watched && watched_is_thread(p, addr)) watched_set(p, addr, true);
        return;
    }
    *entry |= LMP_BLOCK_NOTIFY;
    mark_bit(p, addr);
}

void shadow_watch(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry) {
    uint64_t known;
    LmpTaken stale;
    if (shadow_lookup(p, addr, &known)) {
        shadow_notify(p, addr);
    } else if (!watched_has(p, addr) || watched_is_thread(p, addr)) {
        shadow_place(p, addr, size, entry | LMP_BLOCK_NOTIFY, 0, &stale);
    }
}

/* ---- changes of all entries ------------------------------------------------------------------ */

static uint32_t half_as_old(uint32_t entry) {
    uint32_t birth = (LMP_BLOCK_BIRTH(entry) + 1) / 2;
    return (entry & ~LMP_BLOCK_BIRTH_MASK) | birth << LMP_BLOCK_BIRTH_SHIFT;
}

/* Born in the cycle under way, or in the one before it; all others are old. */
static uint32_t old_by_cycle(uint32_t entry, uint32_t cycle) {
    uint32_t born = LMP_BLOCK_CYCLE(entry);
    born = born == cycle ? 2 : born == cycle - 1 ? 1 : 0;
    return (entry & ~LMP_BLOCK_CYCLE_MASK) | born << LMP_BLOCK_CYCLE_SHIFT;
}

enum { PART_ENTRIES = LMP_LEAF_ENTRIES / LMP_TOUCHES };

/* Changes the entries of a part. Returns false if it is empty now. What was full once may stay
 * empty, so empty stretches are skipped quickly. */
static bool change_part(uint32_t *entry, bool births, uint32_t cycle) {
    bool any = false;
    for (uint32_t i = 0; i < PART_ENTRIES; i += 8) {
        uint64_t w[4];
        memcpy(w, entry + i, sizeof w);
        if (!(w[0] | w[1] | w[2] | w[3])) continue;
        any = true;
        for (uint32_t j = i; j < i + 8; j++)
            if (entry[j] && (entry[j] & 15) < LMP_BLOCK_SIZE_HIGH)
                entry[j] = births ? half_as_old(entry[j]) : old_by_cycle(entry[j], cycle);
    }
    return any;
}

/* Parts in which nothing is left are marked as never touched, so that the next pass and readers
 * skip them. */
static COLD void change_all(LmpProfile *p, bool births) {
    uint32_t cycle = LMP_BLOCK_CYCLE(p->birth);
    for (uint32_t n = 0; n < p->live->leaves; n++) {
        LmpLeaf *leaf = p->leaves.all[n];
        for (uint32_t t = 0; t < LMP_TOUCHES; t++) {
            if (!leaf->touch[t]) continue; /* reading untouched memory would allocate it */
            if (!change_part(leaf->entry + t * PART_ENTRIES, births, cycle)) leaf->touch[t] = 0;
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

/* Marks the blocks that have to stay. Those of class `other` are a host's, who may say another size
 * when it gives one back. */
static bool stays(LmpProfile *p, uintptr_t addr, uint32_t *entry) {
    unsigned cls = *entry & 15;
    if (!(*entry & LMP_BLOCK_NOTIFY) && cls != LMP_C_OTHER && cls != LMP_C_OWN) return false;
    *entry |= LMP_BLOCK_NOTIFY;
    mark_bit(p, addr);
    return true;
}

static void drop_unmarked(LmpProfile *p, uint32_t *entry, uintptr_t addr) {
    for (uint32_t i = 0; i < PART_ENTRIES; i++, addr += 1u << LMP_GRAIN_BITS)
        if (entry[i] && (entry[i] & 15) < LMP_BLOCK_SIZE_HIGH &&
            !stays(p, addr | (entry[i] & LMP_BLOCK_OFFSET), &entry[i]))
            grid_clear(&entry[i]);
}

COLD void shadow_drop_unmarked(LmpProfile *p) {
    uint32_t frame = atomic_load_explicit(&p->control->frame, memory_order_relaxed);
    for (uint32_t n = 0; n < p->live->leaves; n++) {
        LmpLeaf *leaf = p->leaves.all[n];
        uint64_t word = p->live->leaf_base[n];
        uintptr_t addr = LMP_LEAF_BASE(word) << LMP_LEAF_BITS | LMP_LEAF_LOW(word);
        for (uint32_t t = 0; t < LMP_TOUCHES; t++) {
            if (!leaf->touch[t]) continue; /* reading untouched memory would allocate it */
            drop_unmarked(p, leaf->entry + t * PART_ENTRIES,
                          addr + ((uintptr_t)t << LMP_TOUCH_BITS));
            leaf->touch[t] = frame;
        }
    }
    LmpOverflow *o = p->overflow;
    for (uint32_t i = 0; i < o->slots; i++) {
        LmpOverflowBlock *b = &o->block[i];
        if (b->addr <= ADDR_USED_BEFORE || stays(p, b->addr, &b->entry)) continue;
        b->addr = ADDR_USED_BEFORE;
        p->leaves.overflow--;
    }
}

/* ---- where blocks usually stand -------------------------------------------------------------- */

enum { SKEW_LOOKS = 200 };

/* Counts the strings and tables in the table at -1. */
static void count_skews(lua_State *L, unsigned count[16]) {
    lua_pushnil(L);
    for (int i = 0; i < SKEW_LOOKS && lua_next(L, -2); i++) {
        for (int at = -2; at <= -1; at++) {
            int type = lua_type(L, at);
            if (type == LUA_TSTRING || type == LUA_TTABLE)
                count[(uintptr_t)lua_topointer(L, at) & 15]++;
        }
        lua_pop(L, 1);
        if (i == SKEW_LOOKS - 1) lua_pop(L, 1);
    }
}

uintptr_t shadow_usual_skew(lua_State *L) {
    unsigned count[16] = {0}, most = 0;
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    count_skews(L, count);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    if (lua_istable(L, -1)) count_skews(L, count);
    lua_pop(L, 2);
    for (unsigned i = 1; i < 16; i++)
        if (count[i] > count[most]) most = i;
    return most;
}
