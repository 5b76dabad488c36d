/* shadow.h - the shadow map (LmpLeaf in shared.h): entering and taking out any block.
 *
 * The hook does the same by itself for the plain case, a block on the grid of a leaf that is there:
 * do_alloc and do_free in hook.c. */
#ifndef LMP_SHADOW_H
#define LMP_SHADOW_H

#include "profile.h"

#define LMP_E_OFFSET 16u    /* bit 4 of an entry, and of the address it stands for */
#define LMP_E_SIZE_SHIFT 5u /* bits 5-10 */
#define LMP_E_SIZE_MASK (63u << LMP_E_SIZE_SHIFT)
#define LMP_E_SMALL 64u        /* blocks below this keep their size in the entry */
#define LMP_E_BIG (1ull << 28) /* blocks from here on need two size words */

/* Enters a block of any size at any address. `entry`: its class, birth and site (other bits are
 * ignored). False: there is no memory for it, the block stays unknown. */
bool shadow_place(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry);

/* Takes out the block that starts at addr: its entry (class, birth, site), or 0: none is known
 * there. */
uint32_t shadow_take(LmpProfile *p, uintptr_t addr);

/* The block that starts at addr, on or off the grid: its entry with class and site, 0 if there is
 * none; its size in *size. For the cold side (previews). */
uint32_t shadow_lookup(LmpProfile *p, uintptr_t addr, uint64_t *size);

/* Halves the birth epochs of all blocks: an epoch lasts twice as long from now on. */
void shadow_halve_births(LmpProfile *p);

#endif
