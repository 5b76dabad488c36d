/* site_blocks.h - finds the live blocks of one site, their sizes and ages, by walking the shadow
 * map, a little with every repaint; and shows them on the page of the site: how large and how old
 * they are, and the first of them with the contents of strings, which the program is asked for. */
#ifndef LMP_SITE_BLOCKS_H
#define LMP_SITE_BLOCKS_H

#include "read/heapmap/heapmap.h"
#include "read/ledger/ledger.h"
#include "read/view.h"
#include "widget/flow.h"
#include "widget/panel.h"

typedef struct Previews {
    uint64_t asked[LMP_PREVIEWS]; /* the last request */
    uint32_t asked_count;
    uint64_t asked_at;                /* clock of its repaint */
    LmpPreview preview[LMP_PREVIEWS]; /* the last answer */
    uint32_t count;
} Previews;

/* Takes what the program has answered. Call with a fresh model while the panel is on the screen. */
void previews_take(Previews *previews, const Model *model);
/* Requests the contents of these strings (addresses, at most LMP_PREVIEWS): at once if they are
 * new, else now and then. */
void previews_ask(Previews *previews, const Model *model, Ui *ui, const uint64_t *addr,
                  uint32_t count);
/* Returns a string's contents; NULL: not known. */
const LmpPreview *previews_of(const Previews *previews, uint64_t addr);

#define SITE_SIZES 13 /* size classes: up to 16 bytes, 32, 64 ... 32 KiB; the last: larger */
#define SITE_AGES 6   /* see site_blocks_ages; the last: not known */

typedef struct SiteBlocksFound {
    bool any; /* at least one look is complete */
    uint64_t blocks, bytes;
    uint64_t size_blocks[SITE_SIZES], size_bytes[SITE_SIZES];
    uint64_t age_blocks[SITE_AGES], age_bytes[SITE_AGES];
} SiteBlocksFound;

extern const char *const site_blocks_ages[SITE_AGES];

typedef struct SiteBlocks SiteBlocks;

/* Returns a list of at most `most` blocks, the first ones found; 0: none. NULL: no memory. */
SiteBlocks *site_blocks_new(uint32_t most);
void site_blocks_free(SiteBlocks *blocks);
/* Continues the look at the blocks of the site `id` for about `budget` nanoseconds (starts over for
 * another site). The ledger belongs to this view and has its sites. `clock`: since start. After a
 * complete look it rests for ten times its duration; `now` is the time of the repaint. */
void site_blocks_step(SiteBlocks *blocks, const LmpView *view, const Ledger *ledger, uint32_t id,
                      uint64_t clock, uint64_t now, uint64_t budget);
/* Returns what the last complete look found; during the first look, what it has found so far. */
const SiteBlocksFound *site_blocks_found(const SiteBlocks *blocks);
/* Returns its blocks, as many as are listed; valid until the next step. */
const MapListBlock *site_blocks_list(const SiteBlocks *blocks, uint32_t *count);
/* Returns the progress of the current look, 0 .. 1. */
double site_blocks_progress(const SiteBlocks *blocks, const LmpView *view);

/* Returns the lines that sizes and ages take. */
int site_found_lines(const SiteBlocks *blocks, const Model *model);
void site_found_sizes(Flow *flow, const SiteBlocks *blocks, const Model *model,
                      const LmpSiteRow *row);
/* Draws as many blocks as fit into `rows` lines; requests what the strings among them hold. */
void site_found_blocks(Flow *flow, const SiteBlocks *blocks, Previews *previews, const Model *model,
                       Ui *ui, int rows);

#endif
