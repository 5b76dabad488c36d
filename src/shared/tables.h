/* tables.h - the tables of who made what (layout.h), as either side sees them: the profiled process
 * through its own mapping, a viewer through a LmpView. Pointers and counts only; ledger.h makes
 * figures of them.
 *
 * For readers everything in them is untrusted: the counts in tables_used() are cut by the functions
 * here, and rows may hold anything. */
#ifndef LMP_TABLES_H
#define LMP_TABLES_H

#include <stdbool.h>

#include "shared/layout.h"

#define LMP_TABLES_SIZE (LMP_LEAVES_AT - LMP_TABLES_AT) /* bytes of the mapping; mostly holes */

typedef struct LmpTables {
    LmpLive *live; /* const for readers: they have it mapped read-only */
    bool writer;   /* the program itself, which sees its rows before they are in the file */
    char *text;
    LmpFunction *function;
    LmpSite *site;
    LmpRecord *record;
    LmpNode *node;
    LmpUsage *usage;
    LmpPath *path;
    uint64_t (*live_history)[LMP_LIVE_HISTORY];
    uint32_t (*live_history_blocks)[LMP_LIVE_HISTORY];
    LmpEdge *edge;
    LmpOverride *override;
    uint64_t *instructions; /* by site */
    LmpMarked (*marked_record)[LMP_MARKED], (*marked_node)[LMP_MARKED];
    /* Called with memory of rows that a reader has read for the last time; NULL: they are not to be
     * given back. */
    void (*spent)(const void *from, const void *to);
} LmpTables;

/* Returns the tables. `base`: where LMP_TABLES_AT of the file is mapped (LMP_TABLES_SIZE bytes). */
LmpTables tables_at(void *base, LmpLive *live);

/* Returns the counts that go with the rows that can be seen: those of the moment of a snapshot,
 * while they are frozen. */
const LmpTablesUsed *tables_used(const LmpTables *t);

/* Returns how many rows are in use, cut to what there can be; row 0 included. */
uint32_t tables_functions(const LmpTables *t);
uint32_t tables_sites(const LmpTables *t);
uint32_t tables_records(const LmpTables *t);
uint32_t tables_nodes(const LmpTables *t);
uint32_t tables_usages(const LmpTables *t); /* words */
uint32_t tables_paths(const LmpTables *t);
uint32_t tables_tags(const LmpTables *t);
uint32_t tables_edges(const LmpTables *t);
uint32_t tables_overrides(const LmpTables *t);

/* Of the writer: rows up to n - 1, which are filled, are there for readers from now on. */
static inline void tables_publish(uint32_t *count, uint32_t n) {
    atomic_thread_fence(memory_order_release);
    *(volatile uint32_t *)count = n;
}

/* Returns the usage that begins at a word of theirs. */
static inline LmpUsage *tables_usage(const LmpTables *t, uint32_t word) {
    return (LmpUsage *)(void *)((uint64_t *)(void *)t->usage + word);
}

/* Returns what became of the blocks that a node made itself, not its callees: where that lies, or
 * unpacked in `room`. */
const LmpUsage *tables_node_usage(const LmpTables *t, uint32_t node, LmpUsage *room);
/* Returns where it lies, packed or not: to be fetched before it is read. */
const LmpUsage *tables_node_place(const LmpTables *t, uint32_t node);
/* Unpacks a young usage that has not grown. */
void tables_unpack(const LmpYoungUsage *young, LmpUsage *out);

/* Copies the text at an offset to out, at most `size` - 1 bytes of it, and ends it; "" for an
 * offset that is none. Returns out. */
const char *tables_text(const LmpTables *t, uint32_t at, char *out, size_t size);

/* Returns the record behind a block's alloc context word, 0: none. Follows the path with stacks. */
uint32_t tables_record_of(const LmpTables *t, uint32_t alloc_context);

#endif
