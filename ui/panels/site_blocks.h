/* site_blocks.h - the live blocks of one site, how large and how old they are: found by going
 * through the shadow map, a little with every frame. */
#ifndef LMP_SITE_BLOCKS_H
#define LMP_SITE_BLOCKS_H

#include "read/heap/heapmap.h"
#include "read/ledger/ledger.h"
#include "read/view.h"

#define SITE_SIZES 13 /* classes of size: to 16 bytes, 32, 64 ... 32 KiB; the last: larger */
#define SITE_AGES 6   /* see site_blocks_ages; the last: not known */

typedef struct SiteBlocksFound {
    bool any; /* one whole look has been made */
    uint64_t blocks, bytes;
    uint64_t size_blocks[SITE_SIZES], size_bytes[SITE_SIZES];
    uint64_t age_blocks[SITE_AGES], age_bytes[SITE_AGES];
} SiteBlocksFound;

extern const char *const site_blocks_ages[SITE_AGES];

typedef struct SiteBlocks SiteBlocks;

/* `most`: blocks that are listed, the first ones that are found; 0: none. NULL: no memory. */
SiteBlocks *site_blocks_new(uint32_t most);
void site_blocks_free(SiteBlocks *blocks);
/* Looks on for about `budget` nanoseconds at the blocks of the site `id` (another one than before:
 * begins anew). The ledger is of this view and has its sites. `clock`: since start. A whole look is
 * followed by a pause of ten times its own length, `now` being the time of the frame. */
void site_blocks_step(SiteBlocks *blocks, const LmpView *view, const Ledger *ledger, uint32_t id,
                      uint64_t clock, uint64_t now, uint64_t budget);
/* What the last whole look has found; while the first one is under way what there is so far. */
const SiteBlocksFound *site_blocks_found(const SiteBlocks *blocks);
/* Its blocks, as many as are listed, until the next step. */
const HeapListBlock *site_blocks_list(const SiteBlocks *blocks, uint32_t *count);
/* How far the look under way is, 0 .. 1. */
double site_blocks_progress(const SiteBlocks *blocks, const LmpView *view);

#endif
