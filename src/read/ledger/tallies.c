/* tallies.c - the figures of a site, function, tag or node, one row each, and the list of all
 * lists. */
#include "read/ledger/tallies.h"

#include "read/ledger/ledger.h"
#include "read/stats.h"

#define FIGURE(name, kind, at, unit, help, node)                                                   \
    { name, kind, at, unit, help, NULL, 0, node, false }
#define COUNT(name, at, help) FIGURE(name, LMP_FIG_COUNT, at, "count", help, true)
#define BYTES(name, at, help) FIGURE(name, LMP_FIG_COUNT, at, "bytes", help, true)

#define AT(field) offsetof(LmpTally, field)
const LmpFigure tally_figures[] = {
    COUNT("allocs", AT(allocs), "allocations made there"),
    BYTES("bytes", AT(bytes), NULL),
    FIGURE("reallocs", LMP_FIG_COUNT, AT(reallocs), "count",
           "changes of size of blocks made there, wherever they were changed (new − old)", false),
    FIGURE("realloc_bytes", LMP_FIG_CHANGE, AT(realloc_bytes), "bytes", NULL, false),
    COUNT("frees", AT(frees), "blocks made there that were freed since, at their last size"),
    BYTES("free_bytes", AT(free_bytes), NULL),
    COUNT("live_blocks", AT(live_blocks),
          "what is still allocated: `allocs − frees`, and `bytes + realloc_bytes − free_bytes`"),
    BYTES("live_bytes", AT(live_bytes), NULL),
    {"peak_live_bytes", LMP_FIG_COUNT, AT(peak_bytes), "bytes",
     "what was live when the whole heap was at its peak", NULL, 0, true, true},
    COUNT("temporary", AT(temporary),
          "of the short-lived ones, frees that came before the next allocation there"),
    FIGURE("short_lived", LMP_FIG_COUNT, AT(short_lived), "count",
           "frees no later than in the first garbage collection after the allocation", false),
    {0},
};

#undef AT
#define AT(field) offsetof(LmpKindTally, field)
const LmpFigure kind_tally_figures[] = {
    COUNT("allocs", AT(tally.allocs), "by owner"),
    BYTES("bytes", AT(tally.bytes), NULL),
    COUNT("live_blocks", AT(tally.live_blocks), NULL),
    BYTES("live_bytes", AT(tally.live_bytes), NULL),
    COUNT("tag_allocs", AT(tag_allocs), "allocations by tag"),
    {0},
};

#undef AT
#define AT(field) offsetof(LmpSiteRow, field)
const LmpFigure here_figures[] = {
    COUNT("reallocs", AT(here_reallocs), "changes of size (new − old)"),
    FIGURE("realloc_bytes", LMP_FIG_CHANGE, AT(here_realloc_bytes), "bytes", NULL, true),
    COUNT("frees", AT(here_frees),
          "blocks freed. What the collector frees counts at the pseudo-site `(collector)`"),
    BYTES("free_bytes", AT(here_free_bytes), NULL),
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
