/* usage.h - counting what happens to a block in the usages of its alloc context (LmpUsage in
 * rows.h).
 *
 * An alloc context is a record, or with stacks a path: a record and a node. Row 0 of each takes
 * what has no alloc context, so that no test is needed here; readers skip it. What was live at the
 * heap's high-water mark is kept without looking at all rows when there is a new one: a row that
 * changes for the first time since then notes what it had. That comparison finds young usages, too,
 * so that others pay nothing for them: most nodes make a few blocks only. */
#ifndef LMP_USAGE_H
#define LMP_USAGE_H

#include "agent/state/profile.h"

/* Call before anything is changed. Returns false if the usage is young, as nodes' may be. */
static ALWAYS_INLINE bool usage_stamp(const LmpCounters *c, LmpUsage *u, bool of_node) {
    if (UNLIKELY(u->peak_serial != c->peak_serial)) {
        __asm__("" : "+m"(u->peak_serial)); /* read again: it takes no register of the usual way */
        if (of_node && u->peak_serial & LMP_YOUNG) return false;
        u->peak_bytes = u->bytes - u->free_bytes;
        u->peak_serial = c->peak_serial;
        __asm__("" : "+m"(u->free_bytes)); /* the same */
    }
    return true;
}

static ALWAYS_INLINE void usage_put(LmpUsage *u, uintptr_t addr, uint64_t n) {
    u->allocs++;
    u->bytes += n;
    u->last = addr;
}

/* The age of the block of an entry (which is not watched): below LMP_SHORT_LIVED if it has lived
 * through no collector cycle at all, or dies in the first. */
#define LMP_SHORT_LIVED (2u << LMP_BLOCK_CYCLE_SHIFT)
static ALWAYS_INLINE uint32_t usage_age(const LmpProfile *p, uint32_t entry) {
    return (p->birth | ((1u << LMP_BLOCK_CYCLE_SHIFT) - 1)) - entry;
}

static ALWAYS_INLINE void usage_take(LmpUsage *u, uintptr_t addr, uint64_t n, uint32_t age) {
    u->frees++;
    u->free_bytes += n;
    u->short_lived += age < LMP_SHORT_LIVED;
    if (u->last == addr) {
        u->last = 0;
        u->temporary += age < LMP_SHORT_LIVED;
    }
}

static inline void usage_move(LmpUsage *u, uintptr_t from, uintptr_t to, uint64_t more) {
    u->bytes += more;
    u->reallocs++;
    u->realloc_bytes += (int64_t)more;
    if (u->last == from) u->last = to;
}

/* ---- usages of nodes (usage.c) --------------------------------------------------------------- */

/* Return where a new usage begins, which is a young one or not. */
uint32_t usage_add(LmpProfile *p);
uint32_t usage_add_young(LmpProfile *p);

/* Returns the usage of a path's node, stamped, to be changed and then given to usage_close; a young
 * one unpacked in `room`. */
LmpUsage *usage_open(LmpProfile *p, uint32_t path, LmpUsage *room);
/* Puts a young one back. If that has no room for its figures, it grows. */
void usage_close(LmpProfile *p, uint32_t path, const LmpUsage *u);

/* Do what usage_made and usage_freed refuse; and move a block in the usage of a node alone. */
void usage_made_young(LmpProfile *p, uint32_t path, uintptr_t addr, uint64_t n);
void usage_freed_young(LmpProfile *p, uint32_t path, uintptr_t addr, uint64_t n, uint32_t age);
void usage_moved_young(LmpProfile *p, uint32_t path, uintptr_t from, uintptr_t to, uint64_t more);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Words, so that the compiler scales their number by itself and needs no sum. */
static ALWAYS_INLINE uint32_t usage_word(const LmpProfile *p, uint32_t path, size_t at) {
    const uint32_t *word = (const uint32_t *)(const void *)p->tables.path;
    return word[(size_t)path * (sizeof(LmpPath) / 4) + at / 4];
}
static ALWAYS_INLINE uint32_t usage_row(const LmpProfile *p, uint32_t path) {
    return usage_word(p, path, offsetof(LmpPath, record));
}
static ALWAYS_INLINE LmpUsage *usage_of_path(const LmpProfile *p, uint32_t path) {
    return tables_usage(&p->tables, usage_word(p, path, offsetof(LmpPath, usage)));
}

/* Adds a block of n bytes that has been made. Call it after the block is in the live total.
 * `stacks`: p->tree is there, alloc contexts are paths. Returns false, and does nothing, if the
 * usage is young. */
static ALWAYS_INLINE bool usage_made(LmpProfile *p, uint32_t alloc_context, uintptr_t addr,
                                     uint64_t n, bool stacks) {
    if (stacks) {
        LmpUsage *u = usage_of_path(p, alloc_context);
        uint32_t record = usage_row(p, alloc_context);
        if (!usage_stamp(p->counters, u, true)) return false;
        usage_put(u, addr, n);
        alloc_context = record;
    }
    LmpUsage *row = &p->record[alloc_context].use;
    usage_stamp(p->counters, row, false);
    usage_put(row, addr, n);
    return true;
}

/* Subtracts a block that is freed. Call it after a new high-water mark has been noted. Returns
 * false as above. */
static ALWAYS_INLINE bool usage_freed(LmpProfile *p, uint32_t alloc_context, uintptr_t addr,
                                      uint64_t n, uint32_t age, bool stacks) {
    if (stacks) {
        LmpUsage *u = usage_of_path(p, alloc_context);
        uint32_t record = usage_row(p, alloc_context);
        if (!usage_stamp(p->counters, u, true)) return false;
        usage_take(u, addr, n, age);
        alloc_context = record;
    }
    LmpUsage *row = &p->record[alloc_context].use;
    usage_stamp(p->counters, row, false);
    usage_take(row, addr, n, age);
    return true;
}

/* Moves a block that has been moved and resized, by the site of record `here`. */
static inline void usage_resized(LmpProfile *p, uint32_t alloc_context, uint32_t here,
                                 uintptr_t from, uintptr_t to, uint64_t osize, uint64_t nsize) {
    uint64_t more = nsize - osize;
    if (p->tree) {
        LmpUsage *u = usage_of_path(p, alloc_context);
        if (usage_stamp(p->counters, u, true))
            usage_move(u, from, to, more);
        else
            usage_moved_young(p, alloc_context, from, to, more);
        alloc_context = usage_row(p, alloc_context);
    }
    LmpUsage *u = &p->record[alloc_context].use;
    usage_stamp(p->counters, u, false);
    usage_move(u, from, to, more);
    p->record[here].here_reallocs++;
    p->record[here].here_realloc_bytes += (int64_t)more;
}

#endif
