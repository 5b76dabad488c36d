/* slab.h - memory in pieces of 64 << n bytes, from lmp_os->map: small ones are cut from areas and
 * reused when given back, large ones mapped one by one. Contents are not cleared. */
#ifndef LMP_SLAB_H
#define LMP_SLAB_H

#include <stddef.h>
#include <stdint.h>

#define SLAB_LEAST 64u       /* bytes */
#define SLAB_AREA (1u << 16) /* bytes; pieces from this size on are mapped each */
#define SLAB_SIZES 10        /* 64 << 0 ... 64 << 9, half an area */

typedef struct LmpSlab {
    void *free[SLAB_SIZES];  /* pieces given back, each begins with the next one's address */
    char *area, *next, *end; /* the area being cut; areas are chained by their first word */
} LmpSlab;

/* Returns at least `size` bytes; *got: how many, to be said when they are given back. NULL: no
 * memory. */
void *slab_take(LmpSlab *slab, size_t size, size_t *got);
void slab_give(LmpSlab *slab, void *piece, size_t got);
/* Unmaps the areas; pieces that were mapped each must have been given back. */
void slab_close(LmpSlab *slab);

#endif
