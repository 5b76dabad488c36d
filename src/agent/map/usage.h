/* usage.h - counting what happens to a block in the rows of its alloc context (LmpUsage in
 * rows.h).
 *
 * An alloc context is a record, or with stacks a path: a record and a node. Row 0 of each takes
 * what has no alloc context, so that no test is needed here; readers skip it. What was live at the
 * heap's high-water mark is kept without looking at all rows when there is a new one: a row that
 * changes for the first time since then notes what it had. */
#ifndef LMP_USAGE_H
#define LMP_USAGE_H

#include "agent/state/profile.h"

static ALWAYS_INLINE void usage_stamp(const LmpCounters *c, LmpUsage *u) {
    if (UNLIKELY(u->peak_serial != c->peak_serial)) {
        u->peak_bytes = u->bytes - u->free_bytes;
        u->peak_serial = c->peak_serial;
        __asm__("" : "+m"(u->free_bytes)); /* read again: it takes no register of the usual way */
    }
}

static ALWAYS_INLINE void usage_add(const LmpCounters *c, LmpUsage *u, uintptr_t addr, uint64_t n) {
    usage_stamp(c, u);
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

static ALWAYS_INLINE void usage_take(const LmpCounters *c, LmpUsage *u, uintptr_t addr, uint64_t n,
                                     uint32_t age) {
    usage_stamp(c, u);
    u->frees++;
    u->free_bytes += n;
    u->short_lived += age < LMP_SHORT_LIVED;
    if (u->last == addr) {
        u->last = 0;
        u->temporary += age < LMP_SHORT_LIVED;
    }
}

static inline void usage_move(const LmpCounters *c, LmpUsage *u, uintptr_t from, uintptr_t to,
                              uint64_t more) {
    usage_stamp(c, u);
    u->bytes += more;
    u->reallocs++;
    u->realloc_bytes += (int64_t)more;
    if (u->last == from) u->last = to;
}

/* Adds a block of n bytes that has been made. Call it after the block is in the live total.
 * `stacks`: p->tree is there, alloc contexts are paths. */
static ALWAYS_INLINE void usage_made(LmpProfile *p, uint32_t alloc_context, uintptr_t addr,
                                     uint64_t n, bool stacks) {
    if (stacks) {
        LmpPath path = p->tables.path[alloc_context];
        usage_add(p->counters, tables_usage(&p->tables, path.usage), addr, n);
        alloc_context = path.record;
    }
    usage_add(p->counters, &p->record[alloc_context].use, addr, n);
}

/* Subtracts a block that is freed; its entry is not watched (any more). Call it after a new
 * high-water mark has been noted. */
static ALWAYS_INLINE void usage_freed(LmpProfile *p, uint32_t alloc_context, uintptr_t addr,
                                      uint64_t n, uint32_t entry, bool stacks) {
    uint32_t age = usage_age(p, entry);
    if (stacks) {
        LmpPath path = p->tables.path[alloc_context];
        usage_take(p->counters, tables_usage(&p->tables, path.usage), addr, n, age);
        alloc_context = path.record;
    }
    usage_take(p->counters, &p->record[alloc_context].use, addr, n, age);
}

/* Moves a block that has been moved and resized, by the site of record `here`. */
static inline void usage_resized(LmpProfile *p, uint32_t alloc_context, uint32_t here,
                                 uintptr_t from, uintptr_t to, uint64_t osize, uint64_t nsize) {
    if (p->tree) {
        LmpPath path = p->tables.path[alloc_context];
        usage_move(p->counters, tables_usage(&p->tables, path.usage), from, to, nsize - osize);
        alloc_context = path.record;
    }
    usage_move(p->counters, &p->record[alloc_context].use, from, to, nsize - osize);
    p->record[here].here_reallocs++;
    p->record[here].here_realloc_bytes += (int64_t)(nsize - osize);
}

#endif
