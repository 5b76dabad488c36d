/* site_blocks.c - walks the leaves of the shadow map part by part within the time it is given
 * (heapscan.h), then the overflow table, and counts the blocks whose alloc context names the site
 * by size and age. */
#include "panels/site_blocks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/os.h"
#include "read/heap/heapscan.h"

#define REST 10 /* the wait before the next look, in durations of the last */
#define SECOND 1000000000ull

const char *const site_blocks_ages[SITE_AGES] = {"below 10 s",    "10 s to 1 min", "1 to 10 min",
                                                 "10 min to 1 h", "over 1 h",      "not known"};
static const uint64_t age_end[SITE_AGES - 1] = {10 * SECOND, 60 * SECOND, 600 * SECOND,
                                                3600 * SECOND, UINT64_MAX};

/* The listed blocks. */
typedef struct Listed {
    HeapListBlock *block;
    uint32_t count, room;
} Listed;

struct SiteBlocks {
    uint32_t id; /* of the site */
    uint32_t most;
    bool begun;
    Listed now, last; /* of the current look, and of the last complete one */
    /* the current look: its sum so far; part `part` of leaf `leaf` is next */
    SiteBlocksFound sum, found;
    uint32_t leaf, part;
    uint64_t spent, rest_until;
};

SiteBlocks *site_blocks_new(uint32_t most) {
    SiteBlocks *b = calloc(1, sizeof *b);
    if (b) b->most = most;
    return b;
}

void site_blocks_free(SiteBlocks *b) {
    if (!b) return;
    free(b->now.block);
    free(b->last.block);
    free(b);
}

/* Lists a block, unless there is no memory for more. */
static void list_block(SiteBlocks *b, uint64_t addr, uint64_t size, uint32_t entry,
                       uint32_t alloc_context) {
    Listed *l = &b->now;
    if (l->count == b->most) return;
    if (!array_room(&l->block, &l->room, l->count + 1)) return;
    l->block[l->count++] = heaplist_block(addr, size, entry, alloc_context);
}

static void begin_anew(SiteBlocks *b, uint32_t id) {
    Listed now = b->now, last = b->last;
    *b = (SiteBlocks){.id = id, .most = b->most, .begun = true, .now = now, .last = last};
    b->now.count = b->last.count = 0;
}

static bool made_here(const SiteBlocks *b, const Ledger *ledger, const LmpTables *t,
                      uint32_t alloc_context) {
    uint32_t row = ledger_site_of(ledger, t, alloc_context);
    return row < ledger->sites && ledger->site[row].id == b->id;
}

static void count_block(SiteBlocks *b, const LmpView *view, uint64_t size, uint32_t entry,
                        uint64_t clock) {
    SiteBlocksFound *sum = &b->sum;
    int class = 0, age = SITE_AGES - 1;
    while (class < SITE_SIZES - 1 && size > 16ull << class)
        class ++;
    uint64_t least, most;
    if (heaplist_age(LMP_BLOCK_BIRTH(entry), view->live->epoch_length, clock, &least, &most)) {
        for (age = 0; least + (most - least) / 2 >= age_end[age];)
            age++;
    }
    sum->blocks++;
    sum->bytes += size;
    sum->size_blocks[class]++;
    sum->size_bytes[class] += size;
    sum->age_blocks[age]++;
    sum->age_bytes[age] += size;
}

static bool is_counted(uint32_t entry) {
    uint32_t cls = entry & 15;
    return cls != LMP_C_NONE && cls < LMP_C_COUNTED;
}

static void look_at_part(SiteBlocks *b, const LmpView *view, const Ledger *ledger, uint64_t clock) {
    const LmpLeaf *leaf = view->leaf[b->leaf];
    if (!heapscan_touch(leaf, b->part)) return;
    HeapScan scan = heapscan_part(leaf, view->leaf_base[b->leaf], b->part);
    HeapBlock block;
    while (heapscan_next(&scan, &block)) {
        if (!is_counted(block.entry)) continue;
        uint32_t alloc_context = *(const volatile uint32_t *)&leaf->alloc_context[block.index];
        if (!made_here(b, ledger, &view->tables, alloc_context)) continue;
        count_block(b, view, block.size, block.entry, clock);
        list_block(b, block.addr, block.size, block.entry, alloc_context);
    }
}

/* Looks at blocks that do not fit the map's grid. */
static void look_at_overflow(SiteBlocks *b, const LmpView *view, const Ledger *ledger,
                             uint64_t clock) {
    uint32_t slots = *(const volatile uint32_t *)&view->overflow->slots;
    if (slots > LMP_OVERFLOW_MAX) slots = LMP_OVERFLOW_MAX;
    for (uint32_t i = 0; i < slots; i++) {
        LmpOverflowBlock block = view->overflow->block[i];
        if (block.addr < 2 || !is_counted(block.entry)) continue;
        if (!made_here(b, ledger, &view->tables, block.alloc_context)) continue;
        count_block(b, view, block.size, block.entry, clock);
        list_block(b, block.addr, block.size, block.entry, block.alloc_context);
    }
}

void site_blocks_step(SiteBlocks *b, const LmpView *view, const Ledger *ledger, uint32_t id,
                      uint64_t clock, uint64_t now, uint64_t budget) {
    if (!b || !view->tables.text) return;
    if (!b->begun || b->id != id) begin_anew(b, id);
    if (now < b->rest_until) return;
    uint64_t start = lmp_os->clock(), time = start;
    while (b->leaf < view->leaves && time - start < budget) {
        look_at_part(b, view, ledger, clock);
        if (++b->part == LMP_TOUCHES) {
            b->part = 0;
            b->leaf++;
        }
        time = lmp_os->clock();
    }
    b->spent += time - start;
    if (b->leaf < view->leaves) return;
    look_at_overflow(b, view, ledger, clock);
    b->found = b->sum;
    b->found.any = true;
    Listed spare = b->last;
    b->last = b->now;
    b->now = spare;
    b->now.count = 0;
    b->sum = (SiteBlocksFound){0};
    b->leaf = b->part = 0;
    b->rest_until = now + (b->spent * REST > SECOND ? b->spent * REST : SECOND);
    b->spent = 0;
}

const SiteBlocksFound *site_blocks_found(const SiteBlocks *b) {
    return b->found.any ? &b->found : &b->sum;
}

const HeapListBlock *site_blocks_list(const SiteBlocks *b, uint32_t *count) {
    const Listed *l = b->found.any ? &b->last : &b->now;
    *count = l->count;
    return l->block;
}

double site_blocks_progress(const SiteBlocks *b, const LmpView *view) {
    double all = (double)view->leaves * LMP_TOUCHES;
    return all > 0 ? ((double)b->leaf * LMP_TOUCHES + b->part) / all : 1;
}
