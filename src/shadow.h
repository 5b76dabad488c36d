/* shadow.h - the cold half of the shadow map: new leaves, blocks off the grid, whole-map passes.
 * The hot half (find, place, clear on the grid) is in hook.c. Layout: LmpLeaf in shared.h. */
#ifndef LMP_SHADOW_H
#define LMP_SHADOW_H

#include "profile.h"

#define LMP_E_OFFSET 16u    /* bit 4 of an entry, and of the address it stands for */
#define LMP_E_SIZE_SHIFT 5u /* bits 5-10 */
#define LMP_E_SIZE_MASK (63u << LMP_E_SIZE_SHIFT)
#define LMP_E_SITE_SHIFT 11u
#define LMP_E_SMALL 64u        /* blocks below this keep their size in the entry */
#define LMP_E_BIG (1ull << 28) /* blocks from here on need two size words */

/* Maps the leaf for an address. NULL: no memory (asked again only after the next tick). */
LmpLeaf *shadow_leaf(LmpProfile *p, uintptr_t addr);

/* Enters a block that the hot path could not: its place is taken, or it needs two size words, or it
 * is off the grid. `entry`: class and site. False: no room, the block stays unknown. */
bool shadow_place_odd(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry, uint8_t birth);

/* A block off the grid: its entry (class and site) or 0. `take` removes it. */
uint32_t shadow_odd(LmpProfile *p, uintptr_t addr, bool take, uint8_t *birth);

/* The block that starts at addr, on or off the grid: its entry with class and site, 0 if there is
 * none; its size in *size. For the cold side (previews). */
uint32_t shadow_lookup(LmpProfile *p, uintptr_t addr, uint64_t *size);

/* Halves the birth epochs of all blocks: an epoch lasts twice as long from now on. */
void shadow_halve_births(LmpProfile *p);

#endif
