/* usage.c - usages of nodes: where they are, and young ones, which are unpacked, changed and packed
 * again. One that has grown stays where it was and says where it is now: all of its node's paths
 * find it from there, each once. */
#include "agent/map/usage.h"

#include "base/os.h"

enum {
    PIECE = 8192,     /* words whose pages are made together */
    YOUNG_ALLOCS = 8, /* from so many on it pays to be in the usual way */
};

/* There is room for two usages of each node. Path 0's takes what finds none. */
static uint32_t add(LmpProfile *p, uint32_t words) {
    uint32_t *used = &p->tables.live->tables.usages, at = *used, end = at + words;
    if (end > LMP_USAGES_MAX) return 0;
    uint32_t piece = (end - 1) / PIECE * PIECE;
    if (at <= piece) lmp_os->populate(tables_usage(&p->tables, piece), PIECE * 8ull);
    *used = end;
    return at;
}

uint32_t usage_add(LmpProfile *p) {
    return add(p, sizeof(LmpUsage) / 8);
}

static LmpYoungUsage *young_at(const LmpProfile *p, uint32_t word) {
    return (LmpYoungUsage *)(void *)tables_usage(&p->tables, word);
}

uint32_t usage_add_young(LmpProfile *p) {
    uint32_t at = add(p, sizeof(LmpYoungUsage) / 8);
    if (at) young_at(p, at)->serial = LMP_YOUNG;
    return at;
}

LmpUsage *usage_open(LmpProfile *p, uint32_t path, LmpUsage *room) {
    uint32_t *at = &p->tables.path[path].usage;
    const LmpYoungUsage *young = young_at(p, *at);
    if (young->serial == LMP_GROWN) *at = young->last;
    LmpUsage *u = tables_usage(&p->tables, *at);
    if (!usage_stamp(p->counters, u, true)) {
        tables_unpack(young, u = room);
        usage_stamp(p->counters, u, false);
    }
    return u;
}

/* Returns false if a figure does not fit. */
static bool pack(const LmpUsage *u, LmpYoungUsage *out) {
    uint64_t counts = u->frees | u->short_lived | u->temporary | u->reallocs;
    if (u->allocs >= YOUNG_ALLOCS || counts > UINT8_MAX || u->last >> 48 ||
        (u->bytes | u->free_bytes | u->peak_bytes) >> 32 ||
        u->realloc_bytes != (int32_t)u->realloc_bytes)
        return false;
    *out = (LmpYoungUsage){.serial = LMP_YOUNG | u->peak_serial,
                           .bytes = (uint32_t)u->bytes,
                           .free_bytes = (uint32_t)u->free_bytes,
                           .peak_bytes = (uint32_t)u->peak_bytes,
                           .realloc_bytes = (int32_t)u->realloc_bytes,
                           .last = (uint32_t)u->last,
                           .last_high = (uint16_t)(u->last >> 32),
                           .allocs = (uint8_t)u->allocs,
                           .frees = (uint8_t)u->frees,
                           .short_lived = (uint8_t)u->short_lived,
                           .temporary = (uint8_t)u->temporary,
                           .reallocs = (uint8_t)u->reallocs};
    return true;
}

void usage_close(LmpProfile *p, uint32_t path, const LmpUsage *u) {
    uint32_t *at = &p->tables.path[path].usage;
    LmpYoungUsage *young = young_at(p, *at);
    LmpYoungUsage packed;
    if (u == tables_usage(&p->tables, *at)) return;
    if (pack(u, &packed)) {
        *young = packed;
        return;
    }
    uint32_t grown = usage_add(p);
    *tables_usage(&p->tables, grown) = *u;
    *at = young->last = grown;
    atomic_thread_fence(memory_order_release);
    *(volatile uint32_t *)&young->serial = LMP_GROWN;
}

void usage_made_young(LmpProfile *p, uint32_t path, uintptr_t addr, uint64_t n) {
    LmpUsage room, *u = usage_open(p, path, &room);
    usage_put(u, addr, n);
    usage_close(p, path, u);
    usage_made(p, p->tables.path[path].record, addr, n, false);
}

void usage_freed_young(LmpProfile *p, uint32_t path, uintptr_t addr, uint64_t n, uint32_t age) {
    LmpUsage room, *u = usage_open(p, path, &room);
    usage_take(u, addr, n, age);
    usage_close(p, path, u);
    usage_freed(p, p->tables.path[path].record, addr, n, age, false);
}

COLD void usage_moved_young(LmpProfile *p, uint32_t path, uintptr_t from, uintptr_t to,
                            uint64_t more) {
    LmpUsage room, *u = usage_open(p, path, &room);
    usage_move(u, from, to, more);
    usage_close(p, path, u);
}
