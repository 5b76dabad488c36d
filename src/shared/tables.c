/* tables.c - pointers at each table's place after the texts; counts are read once and cut to each
 * table's room, while frozen those of the snapshot's moment. */
#include "shared/tables.h"

#include <string.h>

LmpTables tables_at(void *base, LmpLive *live) {
    char *text = base;
    return (LmpTables){
        .live = live,
        .text = text, /* the first of them */
        .function = (void *)(text + (LMP_FUNCTIONS_AT - LMP_TEXT_AT)),
        .site = (void *)(text + (LMP_SITES_AT - LMP_TEXT_AT)),
        .record = (void *)(text + (LMP_RECORDS_AT - LMP_TEXT_AT)),
        .node = (void *)(text + (LMP_NODES_AT - LMP_TEXT_AT)),
        .usage = (void *)(text + (LMP_USAGES_AT - LMP_TEXT_AT)),
        .path = (void *)(text + (LMP_PATHS_AT - LMP_TEXT_AT)),
        .live_history = (void *)(text + (LMP_LIVE_HISTORY_AT - LMP_TEXT_AT)),
        .live_history_blocks = (void *)(text + (LMP_LIVE_HISTORY_BLOCKS_AT - LMP_TEXT_AT)),
        .edge = (void *)(text + (LMP_EDGES_AT - LMP_TEXT_AT)),
        .override = (void *)(text + (LMP_OVERRIDES_AT - LMP_TEXT_AT)),
        .instructions = (void *)(text + (LMP_INSTRUCTIONS_AT - LMP_TEXT_AT)),
        .marked_record = (void *)(text + (LMP_MARKED_RECORDS_AT - LMP_TEXT_AT)),
        .marked_node = (void *)(text + (LMP_MARKED_NODES_AT - LMP_TEXT_AT)),
    };
}

const LmpTablesUsed *tables_used(const LmpTables *t) {
    bool frozen = !t->writer && *(const volatile uint32_t *)&t->live->snapshot.frozen;
    atomic_thread_fence(memory_order_acquire);
    return frozen ? &t->live->tables_frozen : &t->live->tables;
}

static uint32_t read32(const uint32_t *word) {
    return *(const volatile uint32_t *)word;
}

static uint32_t rows(const uint32_t *count, uint32_t most) {
    uint32_t n = read32(count);
    atomic_thread_fence(memory_order_acquire);
    return n < most ? n : most;
}

uint32_t tables_functions(const LmpTables *t) {
    return rows(&tables_used(t)->functions, LMP_FUNCTIONS_MAX);
}

uint32_t tables_sites(const LmpTables *t) {
    return rows(&tables_used(t)->sites, LMP_SITES_MAX);
}

uint32_t tables_records(const LmpTables *t) {
    return rows(&tables_used(t)->records, LMP_RECORDS_MAX);
}

uint32_t tables_nodes(const LmpTables *t) {
    return rows(&tables_used(t)->nodes, LMP_NODES_MAX);
}

uint32_t tables_usages(const LmpTables *t) {
    uint32_t words = rows(&tables_used(t)->usages, LMP_USAGES_MAX);
    return words ? words : tables_nodes(t) * (uint32_t)(sizeof(LmpUsage) / 8);
}

uint32_t tables_paths(const LmpTables *t) {
    return rows(&tables_used(t)->paths, LMP_PATHS_MAX);
}

uint32_t tables_tags(const LmpTables *t) {
    return rows(&tables_used(t)->tags, LMP_TAGS);
}

uint32_t tables_edges(const LmpTables *t) {
    return rows(&tables_used(t)->edges, LMP_EDGES_MAX);
}

uint32_t tables_overrides(const LmpTables *t) {
    return rows(&tables_used(t)->overrides, LMP_OVERRIDES_MAX);
}

void tables_unpack(const LmpYoungUsage *young, LmpUsage *out) {
    LmpYoungUsage y = *young;
    *out = (LmpUsage){.peak_serial = y.serial & ~LMP_YOUNG,
                      .allocs = y.allocs,
                      .bytes = y.bytes,
                      .frees = y.frees,
                      .free_bytes = y.free_bytes,
                      .short_lived = y.short_lived,
                      .peak_bytes = y.peak_bytes,
                      .last = (uint64_t)y.last_high << 32 | y.last,
                      .temporary = y.temporary,
                      .reallocs = y.reallocs,
                      .realloc_bytes = y.realloc_bytes};
}

/* Returns the usage that begins at a word, if one can. */
static const LmpUsage *usage_at(const LmpTables *t, uint32_t word) {
    static const LmpUsage none;
    return word <= LMP_USAGES_MAX - sizeof none / 8 ? tables_usage(t, word) : &none;
}

const LmpUsage *tables_node_place(const LmpTables *t, uint32_t node) {
    if (!read32(&tables_used(t)->usages)) return &t->usage[node];
    uint32_t path = read32(&t->node[node].path);
    return usage_at(t, path && path < tables_paths(t) ? read32(&t->path[path].usage) : UINT32_MAX);
}

const LmpUsage *tables_node_usage(const LmpTables *t, uint32_t node, LmpUsage *room) {
    const LmpUsage *use = tables_node_place(t, node);
    const LmpYoungUsage *young = (const void *)use;
    uint32_t serial = read32(&young->serial);
    atomic_thread_fence(memory_order_acquire);
    if (!(serial & LMP_YOUNG)) return use;
    if (serial == LMP_GROWN) return usage_at(t, young->last);
    tables_unpack(young, room);
    return room;
}

const char *tables_text(const LmpTables *t, uint32_t at, char *out, size_t size) {
    uint32_t used = rows(&tables_used(t)->text, LMP_TEXT_MAX);
    size_t n = 0;
    while (at < used && n + 1 < size && t->text[at]) {
        out[n++] = t->text[at++];
    }
    out[n] = 0;
    return out;
}

uint32_t tables_record_of(const LmpTables *t, uint32_t alloc_context) {
    if (tables_used(t)->stacks) {
        if (alloc_context >= tables_paths(t)) return 0;
        alloc_context = t->path[alloc_context].record;
    }
    return alloc_context < tables_records(t) ? alloc_context : 0;
}
