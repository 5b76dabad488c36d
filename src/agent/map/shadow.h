/* shadow.h - the shadow map (LmpLeaf in layout.h): entering and taking out any block.
 *
 * The hook does this inline for the plain case, a block on the grid of a leaf that is there:
 * hook_made and hook_release in hook_impl.h. */
#ifndef LMP_SHADOW_H
#define LMP_SHADOW_H

#include "agent/state/profile.h"

#define LMP_BLOCK_OFFSET 16u    /* bit 4 of an entry, and of the address it stands for */
#define LMP_BLOCK_SIZE_SHIFT 5u /* bits 5-10 */
#define LMP_BLOCK_SIZE_MASK (63u << LMP_BLOCK_SIZE_SHIFT)
#define LMP_BLOCK_SMALL 64u        /* blocks below this keep their size in the entry */
#define LMP_BLOCK_BIG (1ull << 28) /* blocks from here on need two size words */

/* A block that has been taken out of the map. */
typedef struct LmpTaken {
    uint64_t size;  /* bytes */
    uint32_t entry; /* class and births; 0: none was known */
    uint32_t alloc_context;
} LmpTaken;

/* Enters a block of any size at any address. `entry`: its class and births (other bits are
 * ignored). Returns false if there is no memory for it: the block stays unknown. A block that was
 * there before, on or off the grid, was never freed through us: it is taken out to *stale, for the
 * caller to account for. */
bool shadow_place(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry,
                  uint32_t alloc_context, LmpTaken *stale);

/* Takes out the block that starts at addr, on or off the grid. */
LmpTaken shadow_take(LmpProfile *p, uintptr_t addr);

/* Returns the block that starts at addr, on or off the grid: its entry, 0 if there is none; its
 * size in *size. For the cold side (previews). */
uint32_t shadow_lookup(LmpProfile *p, uintptr_t addr, uint64_t *size);

/* Returns the site that made the block that starts at addr; 0: there is none, or nobody knows. Its
 * entry and its size as above. Only where each block has its alloc context (p->exact). */
uint32_t shadow_site(LmpProfile *p, uintptr_t addr, uint32_t *entry, uint64_t *size);

/* Marks the block that starts at addr, if it is known: its free goes to invalidate_watched. */
void shadow_notify(LmpProfile *p, uintptr_t addr);
/* Does so where the map may lack the block: then it is entered first, with that size, class and
 * births. */
void shadow_watch(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry);
/* Takes all blocks out of the map that are not marked; first marks those of `other` and ours. */
void shadow_drop_unmarked(LmpProfile *p);

/* Makes blocks that have survived a collector cycle long ago count as old: the numbering of cycles
 * starts over after it. */
void shadow_age_cycles(LmpProfile *p);

/* Returns the low 4 bits that the addresses of most blocks of a state have, from the contents of
 * its globals and its registry. Allocates nothing; needs four free slots of L's stack. */
uintptr_t shadow_usual_skew(lua_State *L);

/* Returns the alloc context word of the block that starts at addr; NULL: there is no such block. */
uint32_t *shadow_context(LmpProfile *p, uintptr_t addr);

/* Uses `leaf` as the n-th leaf from now on: another mapping of the same part of the file. */
void shadow_use(LmpProfile *p, uint32_t n, LmpLeaf *leaf);

/* Halves the birth epochs of all blocks: an epoch lasts twice as long from now on. */
void shadow_halve_births(LmpProfile *p);

#endif
