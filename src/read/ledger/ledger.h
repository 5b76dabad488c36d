/* ledger.h - who made what, as figures for people: the rows of the tables (tables.h) summed up by
 * site, function, tag and call path, with texts made safe. Used by panels, reports and lmp.stats().
 *
 * A ledger belongs to its reader; refreshing copies everything out of the shared state and checks
 * it, so rows may be used as they are until the next refresh. Bytes are as Lua asked for them.
 * Sums: over sites, live_bytes is that of the heap (also by kind), and so on for each figure; the
 * retained figures of the tree's root are the heap's too. In sampled mode all of it is estimated.
 *
 * Texts are safe to print, but `raw_source`, which is for finding the file. Whatever the shared
 * state contains, rows only refer to existing rows. */
#ifndef LMP_LEDGER_H
#define LMP_LEDGER_H

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/kind.h"
#include "read/stats.h"
#include "shared/tables.h"

/* A tally at an earlier moment. */
typedef struct LmpThen {
    uint64_t allocs, made, live; /* allocations; bytes ever made; bytes live */
} LmpThen;

/* Blocks that live, and were made in the time that a person asked about. */
typedef struct LedgerLives {
    uint64_t blocks, bytes;
} LedgerLives;

/* The same by row of the tables' records and nodes. */
typedef struct LedgerSince {
    const LedgerLives *record, *node;
    uint32_t records, nodes;
} LedgerSince;

typedef struct LmpTally {
    uint64_t allocs, bytes;     /* made: allocations and bytes asked for */
    uint64_t frees, free_bytes; /* of these, freed */
    uint64_t reallocs;
    int64_t realloc_bytes; /* sum of new - old */
    uint64_t live_blocks, live_bytes;
    uint64_t peak_bytes;             /* live at the heap's high-water mark */
    uint64_t temporary, short_lived; /* as in LmpRecord (counts) */
    /* At Ledger.since, for what it makes a second; at the mark. Where there is no such moment: as
     * it is now. */
    LmpThen was, mark;
    LedgerLives since; /* as Ledger.lives has it */
} LmpTally;

/* All figures of a tally are words of eight bytes, which add up alike, signed or not. Sums may wrap
 * if the state is damaged; nothing worse happens. */
enum { TALLY_WORDS = sizeof(LmpTally) / 8 };
_Static_assert(sizeof(LmpTally) == 19 * 8, "figures only");

static inline void tally_add(LmpTally *sum, const LmpTally *t) {
    uint64_t a[TALLY_WORDS], b[TALLY_WORDS];
    memcpy(a, sum, sizeof a);
    memcpy(b, t, sizeof b);
    for (int i = 0; i < TALLY_WORDS; i++)
        a[i] += b[i];
    memcpy(sum, a, sizeof a);
}
static inline void tally_sub(LmpTally *sum, const LmpTally *t) {
    uint64_t a[TALLY_WORDS], b[TALLY_WORDS];
    memcpy(a, sum, sizeof a);
    memcpy(b, t, sizeof b);
    for (int i = 0; i < TALLY_WORDS; i++)
        a[i] -= b[i];
    memcpy(sum, a, sizeof a);
}

/* Returns all bytes that ever were there: those asked for, and what reallocation made of them. */
static inline uint64_t tally_made(const LmpTally *t) {
    return t->live_bytes + t->free_bytes;
}

/* The figures of a tally: each has its row in tally_figures. */
typedef enum LmpTallyFigure {
    TALLY_ALLOCS,
    TALLY_BYTES,
    TALLY_REALLOCS,
    TALLY_REALLOC_BYTES,
    TALLY_FREES,
    TALLY_FREE_BYTES,
    TALLY_LIVE_BLOCKS,
    TALLY_LIVE_BYTES,
    TALLY_PEAK_BYTES,
    TALLY_TEMPORARY,
    TALLY_SHORT_LIVED,
    TALLY_LISTED, /* the row without a name that ends the list of JSON, Lua and CSV */
    /* for columns alone */
    TALLY_MADE,
    TALLY_SINCE_BYTES,
    TALLY_SINCE_BLOCKS,
    TALLY_FIGURES
} LmpTallyFigure;
extern const LmpFigure tally_figures[TALLY_FIGURES];

static inline uint64_t tally_number(const LmpTally *tally, LmpTallyFigure figure) {
    return figure_number(&tally_figures[figure], tally);
}

typedef struct LmpKindTally { /* by owner, but tag_allocs */
    LmpTally tally;
    uint64_t tag_allocs;
} LmpKindTally;

/* A C function that a site's line called and that asked for memory. */
typedef struct LmpSiteDetail {
    const char *name; /* "insert [C]"; "" for the line itself */
    LmpTally tally;
    uint32_t function; /* LmpFunctionRow.id of the C function; 0: the line itself */
} LmpSiteDetail;

/* How a screen says that no Lua line and no named function asked for memory. */
#define LEDGER_PROGRAM "the program"
#define LEDGER_C_CODE "C code"

#define LEDGER_NO_ROW UINT32_MAX
#define LEDGER_SEVERAL_TAGS UINT16_MAX

/* Of two runs that are compared (rundiff/rundiff.h), which have a row. */
typedef enum LmpSide {
    LMP_SIDE_BOTH, /* or none is compared */
    LMP_SIDE_CAME, /* only the newer */
    LMP_SIDE_WENT  /* only the older: its figures are nothing, but those at the mark */
} LmpSide;

/* One line of one source (all functions that have code on it). */
typedef struct LmpSiteRow {
    uint32_t id;                    /* stays the same from refresh to refresh */
    uint32_t side;                  /* LmpSide */
    uint32_t function;              /* row in functions[]: the one that made most there */
    const char *source, *short_src; /* as lua_Debug has them; pseudo-sites: "=(host)", "(host)" */
    const char *raw_source;         /* the very bytes (up to a NUL) */
    const char *func;               /* name of that function, as a traceback words it */
    int32_t line;                   /* -1: a pseudo-site */
    uint32_t text; /* of a recording: a hash of the line's text when it ran; 0: not known */
    LmpTally tally;
    LmpKindTally *kind; /* LMP_KINDS of them, but see .kinds; NULL: with LEDGER_BRIEF */
    uint8_t kinds;      /* with LEDGER_ONCE: which of them there are, 1 << LmpKind each */
    uint64_t here_reallocs, here_frees, here_free_bytes;
    int64_t here_realloc_bytes;
    uint32_t details, first_detail; /* in detail[], largest live first; 0: only the line itself */
    const uint64_t
        *live_history; /* the most bytes held after full collections: see live_history_clock */
    const uint64_t *live_history_blocks; /* blocks, the same */
    uint64_t instructions; /* run there; with LMP_COUNTS_INSTRUCTIONS of Ledger.counts */
} LmpSiteRow;

/* Returns one of them; with LEDGER_BRIEF, too: zeroes. */
const LmpKindTally *ledger_kind(const LmpSiteRow *site, unsigned kind);

/* Of LmpKindTally, and of LmpSiteRow what was done while its line ran. Each ends with a row whose
 * name is NULL. */
extern const LmpFigure kind_tally_figures[], here_figures[];

typedef struct LmpFunctionRow {
    uint32_t id; /* of LmpFunction: stays the same */
    const char *source, *short_src, *name;
    const char *raw_source; /* as in LmpSiteRow */
    int32_t linedefined;
    bool is_c;
    uint8_t side;      /* LmpSide */
    LmpTally shallow;  /* made by its own lines (with C functions they call) */
    LmpTally retained; /* and by all it called; recursion counted once. Only with stacks */
    uint64_t calls;    /* of it, with LMP_COUNTS_CALLS of Ledger.counts; 0: not known, or none */
} LmpFunctionRow;

/* How often one line has called one function; the largest number first. Over all edges, calls are
 * those of all functions; over those of one callee, LmpFunctionRow.calls. */
typedef struct LmpEdgeRow {
    uint32_t caller, callee; /* rows in function[] */
    int32_t line;  /* of the call, in the caller's source; -1: none (it is in C, it is the host, or
                      a tail call whose line cannot be told) */
    uint32_t site; /* row in site[] of that line; LEDGER_NO_ROW: no memory was asked for there */
    uint64_t calls;
} LmpEdgeRow;

/* What was done at one line to blocks made at another; frees, then reallocations, the most bytes
 * first. The sums over `here` are its here_frees and so on, those over `made` its frees and
 * reallocs: what no line has freed is in rows whose `here` is the collector's. */
typedef struct LmpOverrideRow {
    uint32_t made, here; /* rows in site[] */
    uint64_t frees, free_bytes;
    uint64_t reallocs;
    int64_t realloc_bytes; /* sum of new - old */
    uint64_t realloc_old;  /* sum of old */
} LmpOverrideRow;
extern const LmpFigure override_figures[]; /* as kind_tally_figures */

/* A node of the call tree; children are contiguous. */
typedef struct LmpTreeRow {
    uint32_t id;       /* of LmpNode: stays the same; 0: the root */
    uint32_t function; /* row in functions[]; of the root without meaning */
    uint32_t site;     /* LmpSiteRow.id of its line (which may have no row); 0: the root */
    /* With LEDGER_TREE_KINDS, of what was made right here: 1 << LmpKind (by owner) each; what its
     * line makes most of, LMP_KINDS: nothing; LmpTagRow.id of all of it, LEDGER_SEVERAL_TAGS: of
     * several. Without: 0, LMP_KINDS, 0. */
    uint8_t kinds, kind;
    uint16_t tag;
    const char *name, *short_src;
    int32_t line;
    uint32_t parent;          /* row in tree[]; the root: 0 */
    uint32_t first, children; /* rows of the children, largest live retained first */
    uint32_t depth;
    uint32_t flags; /* LMP_NODE_* */
    LmpTally shallow, retained;
} LmpTreeRow;

typedef struct LmpTagRow {
    uint32_t id;      /* row of the tags, 0: none: stays the same */
    const char *name; /* "(untagged)": what has none */
    LmpTally tally;
} LmpTagRow;

/* What comes after the moment that a ledger is of: so what cannot be told of it is worded. */
typedef enum LedgerWhen {
    LEDGER_NOW,  /* the program goes on, and can be asked for things */
    LEDGER_THEN, /* it went on, or may have: a moment of the past */
    LEDGER_END   /* nothing: the program has ended */
} LedgerWhen;

typedef struct Ledger {
    uint32_t lines;    /* LmpLines: stats_lines() */
    uint64_t unproven; /* requests whose line is the documented API's (count) */
    bool stacks;
    uint64_t sample; /* bytes; 0: exact */
    uint64_t folded; /* allocations charged to the site "(others)": the tables were full */
    /* With stacks: allocations whose call path did not fit, and live bytes of them. What functions
     * retain excludes them. */
    uint64_t pathless, pathless_bytes;
    uint32_t sites, functions, tags, nodes, details;
    LmpSiteRow *site;         /* by live bytes, largest first */
    LmpFunctionRow *function; /* by shallow live bytes, largest first */
    LmpTagRow *tag;
    uint32_t of_tag;  /* LmpTagRow.id: whose lines are asked for (LEDGER_TAG_LINES) */
    LmpTally *tagged; /* by row of site[]: what was made there under tag `tagged_of`; NULL: it was
                         not asked for */
    uint32_t tagged_of;
    LmpSiteDetail *detail;
    LmpTreeRow *tree; /* tree[0]: the root; nodes 0: no tree was asked for. NULL with LEDGER_ONCE:
                         ledger_node has its rows */
    /* What sites held after full collections, oldest first: live_history[i] of a site is the most
     * in the time after live_history_clock[i - 1] up to live_history_clock[i]. */
    uint32_t live_history_rows;                    /* how many there are, below LMP_LIVE_HISTORY */
    uint64_t live_history_clock[LMP_LIVE_HISTORY]; /* nanoseconds since start */
    uint64_t live_history_cycle[LMP_LIVE_HISTORY]; /* full collections so far, this one included */
    uint64_t live_history_work[LMP_LIVE_HISTORY];  /* bytes that were asked for until then */
    uint64_t live_history_top; /* the most the heap held before a full collection (bytes) */
    uint64_t clock;            /* of the refresh */
    uint64_t since;            /* the moment that LmpTally.was is of, about a second ago; 0: none */
    LmpTally all;              /* sum of all sites */
    LmpTally of_class[LMP_C_COUNTED]; /* the same by LmpClass */
    uint32_t gc_mode;                 /* LmpGcMode */
    uint32_t counts; /* LMP_COUNTS_ bits: what is counted in the program, whether asked for here or
                        not */
    uint64_t hook_lost; /* as in LmpTablesUsed: not 0: calls and instructions are not all there */
    uint64_t calls;     /* of all functions (count) */
    uint64_t instructions;     /* at all sites (count) */
    uint32_t edges, overrides; /* rows; only when they are asked for */
    LmpEdgeRow *edge;
    LmpOverrideRow *override;
    LedgerWhen when;     /* set by who refreshes, and stays */
    bool spoken;         /* likewise, before the first refresh: C code without a name is
                            LEDGER_PROGRAM in LEDGER_C_CODE, not "?" in "[C]" as in tracebacks */
    uint64_t count_from; /* set before a refresh: the number of the mark (from 1) that LmpTally.mark
                            is to be of; LEDGER_HELD: of what ledger_hold has kept; 0: none */
    bool marked;         /* it is: what there was at that mark is kept */
    const LedgerSince *lives; /* set before a refresh: what becomes LmpTally.since; NULL: nothing */
    struct LedgerNodes *less; /* set before a refresh: nodes are those since then; NULL: all. With
                                  LEDGER_ONCE it is empty afterwards */
    struct LedgerStore *store; /* private: arenas, what the last refreshes were */
} Ledger;

enum {
    LEDGER_SITES = 1,
    LEDGER_FUNCTIONS = 2,
    LEDGER_TREE = 4,
    LEDGER_TAGS = 8,
    LEDGER_ALL = 15,
    LEDGER_RATES = 16,       /* LmpTally.was, for readers that refresh repeatedly */
    LEDGER_TAG_LINES = 32,   /* Ledger.tagged; with LEDGER_SITES */
    LEDGER_EDGES = 64,       /* Ledger.edge; brings the functions in it */
    LEDGER_OVERRIDES = 128,  /* Ledger.override; with LEDGER_SITES */
    LEDGER_TREE_KINDS = 256, /* LmpTreeRow.kinds, .tag, .kind; with LEDGER_TREE */
    /* No other refresh will follow: memory is given back as early as can be, that of the tables'
     * nodes, too, if whoever has them lets it be (LmpTables.spent). */
    LEDGER_ONCE = 512,
    /* Sites have no kinds, no details and no live history: a fifth of the memory. */
    LEDGER_BRIEF = 1024
};

/* Reads the tables, and makes the rows of what is asked for. `ledger`: all zeroes before the first
 * time. `parts`: LEDGER_*; functions come with sites and with the tree (retained only when they are
 * asked for). `clock`: nanoseconds since start, for the rates. Errors: NOMEM (the rows of before
 * stay).
 *
 * Costs about 50 ns a record and 150 ns a node: a tree of a million nodes is not for every repaint.
 * Given the tables of another state, the ledger starts over. */
LmpErr ledger_refresh(Ledger *ledger, const LmpTables *tables, unsigned parts, uint64_t clock);
/* Makes the totals in `stats` the sums of what the last refresh has read: so they agree with the
 * rows at any moment of a program that runs on meanwhile. Without effect where the tables do not
 * have every block (no lines, samples, lines that have ended, rows lost by damage). */
void ledger_totals(const Ledger *ledger, LmpStats *stats);
/* Keeps the figures of the last refresh, which had LEDGER_RATES, for LmpTally.mark of later ones
 * with `count_from` LEDGER_HELD: so any moment that a reader has seen can be counted from. With
 * LEDGER_TREE it keeps the tree's, too. Only of the tables of that refresh. Errors: NOMEM (what was
 * kept before stays). */
#define LEDGER_HELD UINT64_MAX
LmpErr ledger_hold(Ledger *ledger);
/* Room for more rows than the last refresh made, so many in all: a reader may put others behind
 * them and raise the counts, until the next refresh. Errors: NOMEM (no row is lost; or there has
 * been no refresh). */
typedef struct LedgerRoom {
    uint32_t sites, functions, tags, details, nodes;
} LedgerRoom;
LmpErr ledger_make_room(Ledger *ledger, const LedgerRoom *room);
/* Returns LmpSiteRow.kind, all zeroes, for the next of the sites that room was made for. */
LmpKindTally *ledger_next_kinds(Ledger *ledger);
/* Sets all of a row of the tree but its figures, which are unspecified. */
void ledger_node(const Ledger *ledger, uint32_t i, LmpTreeRow *out);
/* Returns what of it says where it is in the tree. */
typedef struct LedgerLinks {
    uint32_t parent, first, children, depth;
} LedgerLinks;
LedgerLinks ledger_links(const Ledger *ledger, uint32_t i);
/* Returns the figures of row i of the tree. With LEDGER_ONCE .was, .mark and .since are 0. */
LmpTally ledger_shallow(const Ledger *ledger, uint32_t i);
LmpTally ledger_retained(const Ledger *ledger, uint32_t i);
/* Gives back the rows of the call tree: there are none until the next refresh. */
void ledger_drop_tree(Ledger *ledger);
/* Returns how fast a figure that was `was` at Ledger.since changes, a second; 0 as long as there is
 * none. */
double ledger_rate(const Ledger *ledger, uint64_t now, uint64_t was);
void ledger_free(Ledger *ledger);

/* Returns the site that made a block, by its alloc context word (LmpLeaf): row in ledger->site,
 * LEDGER_NO_ROW when it is not known or has no row. */
uint32_t ledger_site_of(const Ledger *ledger, const LmpTables *tables, uint32_t alloc_context);

/* Returns the row in ledger->site of a row of the tables' sites; LEDGER_NO_ROW as above. */
uint32_t ledger_row_of(const Ledger *ledger, const LmpTables *tables, uint32_t site);

/* A row of the tables' sites in words, also one where nothing was made. False: the last refresh did
 * not have it. */
typedef struct LedgerPlace {
    uint32_t id;                  /* LmpSiteRow.id of the line */
    const char *name, *short_src; /* of its function: as in LmpSiteRow */
    int32_t line;                 /* -1: it is in C, or a pseudo-site */
} LedgerPlace;
bool ledger_place(const Ledger *ledger, uint32_t site, LedgerPlace *out);

/* ---- leaks: sites that grow ------------------------------------------------------------------ */

typedef struct LmpLeak {
    uint32_t site;          /* row in ledger->site */
    double bytes_per_cycle; /* how fast it grew, by full collections */
    double bytes_per_second;
    uint64_t gain;  /* bytes, last less first */
    double seconds; /* since it held next to nothing, or the start */
    /* The heap multiplies from one full collection to the next, so their number proves nothing. */
    bool multiplies;
    bool steady; /* it grows: see ledger_leaks */
    bool lately; /* it rose not long ago and stayed up: too early to tell whether it continues */
} LmpLeak;

typedef enum LmpGrowth {
    LMP_GROWTH_UNKNOWN, /* and will not be: no lines, or collections cannot be seen */
    LMP_GROWTH_WAIT,    /* cannot tell yet */
    LMP_GROWTH_NONE,
    LMP_GROWTH_FOUND,
    LMP_GROWTHS
} LmpGrowth;
extern const char *const growth_words[LMP_GROWTHS]; /* for machines */

typedef struct LmpJudgement {
    uint32_t growth;  /* LmpGrowth */
    uint64_t cycles;  /* full collections looked at */
    uint64_t missing; /* LMP_GROWTH_WAIT: full collections until it can be told, about; else 0 */
    uint32_t leaks;   /* rows in leak[] that are steady */
    char words[192];  /* "no growth over the last 31 full cycles", "2 sites grow: ..." */
    uint32_t steady;  /* sites that grow, whether there was room for them in leak[] or not */
    uint32_t lately;  /* the same of those that rose lately */
} LmpJudgement;

/* Fills at most `most` rows: those that grow, then those that rose lately, the largest slope first;
 * *n how many. */
void ledger_leaks(const Ledger *ledger, LmpLeak *leak, uint32_t most, uint32_t *n,
                  LmpJudgement *judgement);

/* Returns how a sentence on growth begins that cannot be told: "cannot tell yet", or why it is too
 * late. */
const char *ledger_untold(const Ledger *ledger);
/* What LMP_GROWTH_WAIT waits for, or in the past waited for: "3 more full cycles", "9 of 12 full
 * cycles". `cycle`: what they are called. Returns out. */
enum { LEDGER_LACKING = 96 };
char *ledger_lacking(char out[LEDGER_LACKING], const Ledger *ledger, const LmpJudgement *judgement,
                     const char *cycle);

/* Writes what a site held, at LMP_LIVE_HISTORY even times from the first row to the last, for a
 * chart. Returns how many figures there are: LMP_LIVE_HISTORY, or none. */
uint32_t ledger_live_history_even(const Ledger *ledger, const uint64_t *grown,
                                  uint64_t out[LMP_LIVE_HISTORY]);

/* ---- between two moments --------------------------------------------------------------------- */

/* Takes `before` away from `ledger`, row by row (rows keep their ids): every figure becomes what
 * was added in between, so allocations, frees and reallocations are those of that time, and what is
 * live is how much more it is, in two's complement: less than zero where it shrank. Sums stay sums.
 * A figure of the peak is none of a range and becomes 0. Rows stay in their order, also those that
 * are 0 now; LmpTally.mark becomes what there was before, `was` too.
 *
 * Both must be of one state and have been asked for the same parts. Moments that are not in order
 * give figures below zero, nothing worse. What rows refer to in the store of `ledger` (histories)
 * stays; it may be refreshed again, which makes it whole again. With Ledger.less of that moment
 * `before` needs no tree. Errors: NOMEM (nothing changed). */
LmpErr ledger_between(Ledger *ledger, const Ledger *before);

/* The figures of all nodes of the call tree at an earlier moment, to be taken from those of a later
 * one: of a million nodes there is no room for two ledgers. All zeroes: none. */
typedef struct LedgerNodes {
    struct LedgerOldNode **chunk;
    uint32_t nodes; /* by LmpTreeRow.id; those from there on had nothing */
} LedgerNodes;

/* Copies the figures that nodes have in `tables` now. Errors: NOMEM (none are kept then). */
LmpErr ledger_nodes_keep(LedgerNodes *nodes, const LmpTables *tables);
/* Makes a tally of this node the difference, with what there was before in its .was and .mark. */
void ledger_nodes_take(const LedgerNodes *nodes, uint32_t node, LmpTally *now);
/* Nodes below this one are not asked for any more: gives them back. */
void ledger_nodes_drop(LedgerNodes *nodes, uint32_t below);
void ledger_nodes_free(LedgerNodes *nodes);

#endif
