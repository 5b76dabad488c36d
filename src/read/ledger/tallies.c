/* tallies.c - the figures of a site, function, tag or node, one row each: all that the screen,
 * JSON, Lua, CSV, the pages and the docs show of a tally. And the list of all lists. */
#include "read/ledger/ledger.h"

#define AT(field) .at = offsetof(STRUCT, field)
#define ROW(key, sort, field, word, text)                                                          \
    .name = key, .kind = sort, AT(field), .unit = word, .help = text
#define COUNT(key, field, text) ROW(key, LMP_FIG_COUNT, field, "count", text)
#define BYTES(key, field, text) ROW(key, LMP_FIG_COUNT, field, "bytes", text)
#define SCREEN(heading, text) .title = heading, .shown = text
#define PAGE(number, key) .page = {number, LMP_COLUMN_OF_RUN, key}
#define PAGES(number, key) .page = {number, LMP_COLUMN_OF_BOTH, key}

#define STRUCT LmpTally
const LmpFigure tally_figures[TALLY_FIGURES] = {
    [TALLY_ALLOCS] = {COUNT("allocs", allocs, "allocations made there"), .node = true,
                      PAGES(3, "allocs"), SCREEN("allocs", "allocations made there")},
    [TALLY_BYTES] = {BYTES("bytes", bytes, NULL), .node = true},
    [TALLY_REALLOCS] = {COUNT("reallocs", reallocs,
                              "changes of size of blocks made there, wherever they were changed "
                              "(new − old)"),
                        PAGE(9, "resizes")},
    [TALLY_REALLOC_BYTES] = {ROW("realloc_bytes", LMP_FIG_CHANGE, realloc_bytes, "bytes", NULL)},
    [TALLY_FREES] = {COUNT("frees", frees,
                           "blocks made there that were freed since, at their last size"),
                     .node = true, PAGE(5, "frees")},
    [TALLY_FREE_BYTES] = {BYTES("free_bytes", free_bytes, NULL), .node = true, PAGES(4, "freed")},
    [TALLY_LIVE_BLOCKS] = {COUNT("live_blocks", live_blocks,
                                 "what is still allocated: `allocs − frees`, and `bytes + "
                                 "realloc_bytes − free_bytes`"),
                           .node = true, PAGE(2, "blocks"),
                           SCREEN("blocks", "blocks made there that are still there")},
    [TALLY_LIVE_BYTES] = {BYTES("live_bytes", live_bytes, NULL), .node = true, PAGES(1, "live"),
                          SCREEN("live", "bytes made there that are still there")},
    [TALLY_PEAK_BYTES] = {BYTES("peak_live_bytes", peak_bytes,
                                "what was live when the whole heap was at its peak"),
                          .node = true, .moment = true, PAGES(6, "peak")},
    [TALLY_TEMPORARY] = {COUNT("temporary", temporary,
                               "of the short-lived ones, frees that came before the next "
                               "allocation there"),
                         .node = true, PAGE(7, "temp")},
    [TALLY_SHORT_LIVED] = {COUNT("short_lived", short_lived,
                                 "frees no later than in the first garbage collection after the "
                                 "allocation"),
                           PAGE(8, "short")},
    [TALLY_LISTED] = {0},
    [TALLY_MADE] = {AT(live_bytes), .plus = offsetof(LmpTally, free_bytes), .unit = "bytes",
                    SCREEN("made", "all bytes ever made there, growth of blocks included")},
    [TALLY_SINCE_BYTES] = {AT(since.bytes), .unit = "bytes",
                           SCREEN("survive", "after y, or a drag in the timeline: bytes of the "
                                             "blocks that were made since, or then, and live")},
    [TALLY_SINCE_BLOCKS] = {AT(since.blocks), .unit = "count",
                            SCREEN("survivors", "how many blocks these are")},
};

#undef STRUCT
#define STRUCT LmpKindTally
const LmpFigure kind_tally_figures[] = {
    {COUNT("allocs", tally.allocs, "by owner")},
    {BYTES("bytes", tally.bytes, NULL)},
    {COUNT("live_blocks", tally.live_blocks, NULL)},
    {BYTES("live_bytes", tally.live_bytes, NULL)},
    {COUNT("tag_allocs", tag_allocs, "allocations by tag")},
    {0},
};

#undef STRUCT
#define STRUCT LmpSiteRow
const LmpFigure here_figures[] = {
    {COUNT("reallocs", here_reallocs, "changes of size (new − old)")},
    {ROW("realloc_bytes", LMP_FIG_CHANGE, here_realloc_bytes, "bytes", NULL)},
    {COUNT("frees", here_frees,
           "blocks freed. What the collector frees counts at the pseudo-site `(collector)`")},
    {BYTES("free_bytes", here_free_bytes, NULL)},
    {0},
};

#undef STRUCT
#define STRUCT LmpOverrideRow
const LmpFigure override_figures[] = {
    {COUNT("frees", frees, NULL)},
    {BYTES("free_bytes", free_bytes, NULL)},
    {COUNT("reallocs", reallocs, NULL)},
    {ROW("realloc_bytes", LMP_FIG_CHANGE, realloc_bytes, "bytes", NULL)},
    {BYTES("realloc_old", realloc_old, NULL)},
    {0},
};

const LmpFigureList figure_lists[] = {
    {"figures", "The whole", stats_figures},
    {"types", "Each type of types", kind_figures},
    {"frames", "Each of worst_frames", lap_figures},
    {"rows", "Each row of sites, functions and tags, and each of calls", tally_figures},
    {"site-types", "Each type of a site's types", kind_tally_figures},
    {"site-here", "A site's here: what was done while the line ran, to blocks made anywhere",
     here_figures},
    {0},
};
