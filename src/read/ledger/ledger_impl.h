/* ledger_impl.h - what the parts of the ledger share. Order of a refresh:
 *
 *     ledger_index.c  knows each row of the tables once: functions with their texts, sites merged
 *                     by line ("slots") and by the C function called there ("details"). Rows are
 *                     only ever added, so only new ones are looked at
 *     ledger_tree.c   reads the nodes: what each function retains
 *     ledger_sum.c    sums the records up in slots, details, functions and tags; rates and marks
 *     ledger_rows.c   makes the rows that people see, in order
 *     ledger_tree.c   makes those of the call tree
 *
 * All memory is allocated before anything that a reader sees changes, so a refresh that runs out of
 * memory leaves the previous rows. Indexes taken from the shared state are read once and
 * checked. */
#ifndef LMP_LEDGER_IMPL_H
#define LMP_LEDGER_IMPL_H

#include "base/keymap.h"
#include "base/pairsort.h"
#include "read/ledger/ledger.h"

/* ---- small tools: ledger_sum.c --------------------------------------------------------------- */

/* A growing array: `data` of `room` elements. */
typedef struct LedgerPile {
    void *data;
    uint32_t room;
} LedgerPile;
/* Makes room for n elements of `size` bytes; what was there stays. */
bool ledger_pile_reserve(LedgerPile *pile, size_t n, size_t size);
void ledger_pile_free(LedgerPile *pile);
#define PILE(pile, type) ((type *)(pile).data)

/* Reads a word of the shared state exactly once, so that what was checked is what is used. */
static inline uint32_t read_once32(const void *word) {
    return *(const volatile uint32_t *)word;
}
static inline uint64_t read_once64(const void *word) {
    return *(const volatile uint64_t *)word;
}

bool tally_any(const LmpTally *t);
/* Takes `then` from a tally, whose figures go into .was and .mark; a peak has no difference. */
void tally_take(LmpTally *now, const LmpTally *then);

/* How to tell what was live at the high-water mark. */
typedef struct LedgerPeak {
    uint32_t serial;
    bool now; /* it is now */
} LedgerPeak;
LedgerPeak sum_peak(const LmpLive *live);
/* Returns the tally of a usage: the first row of the three that follow it in records and nodes. */
LmpTally tally_of(const LmpUsage *use, LedgerPeak peak);

/* ---- what is known of the tables ------------------------------------------------------------- */

typedef struct LedgerText {
    const char *safe, *raw;
} LedgerText;

typedef struct LedgerFunction {
    uint32_t kind, source_at, name_at, qualified_at; /* as in LmpFunction */
    int32_t linedefined;
    LedgerText source;
    const char *short_src;
    const char *name;   /* worded as a traceback does */
    const char *detail; /* "insert [C]" */
} LedgerFunction;

typedef struct LedgerSlot {
    uint32_t id;       /* its first row of the sites */
    uint32_t function; /* of that row */
    uint32_t best;     /* function that made most there */
    int32_t line;
    uint32_t text;                  /* as in LmpSite */
    bool several;                   /* functions have code on that line */
    uint32_t first_row, last_row;   /* its rows of the sites, by LedgerRow.next; 0 ends */
    uint32_t first_detail, details; /* by LedgerDetail.next; 0 ends */
} LedgerSlot;

typedef struct LedgerDetail {
    uint32_t slot, cfunction; /* 0: the line itself */
    uint32_t next;
} LedgerDetail;

typedef struct LedgerRow { /* of a row of the sites */
    uint32_t detail, slot, function, next;
} LedgerRow;

/* What slots have by kind, in chunks, which stay where they are while others are added, so that
 * rows may point at them: LMP_KINDS for each slot, or with LEDGER_ONCE those that its records are
 * of. Behind the slots there may be as many more, of rows that a reader adds. */
enum { LEDGER_KIND_ROOM = 256 * LMP_KINDS }; /* of a chunk */
typedef struct LedgerKinds {
    LmpKindTally *chunk[2 * LMP_SITES_MAX * LMP_KINDS / LEDGER_KIND_ROOM + 1];
    uint32_t chunks;
    uint32_t used; /* places */
} LedgerKinds;

typedef struct LedgerSlotKinds { /* where those of a slot begin, and as LmpSiteRow.kinds */
    uint32_t at, kinds;
} LedgerSlotKinds;
#define LEDGER_ALL_KINDS ((1u << LMP_KINDS) - 1)

typedef struct LedgerSlotSum {
    uint64_t here_reallocs, here_frees, here_free_bytes;
    int64_t here_realloc_bytes;
    LmpTally tally;
} LedgerSlotSum;

#define LEDGER_MOMENTS 3u
typedef struct LedgerMoment { /* of each record and each node at one time */
    uint64_t clock;
    uint32_t records, nodes; /* how many there were; nodes 0: they were not looked at */
    LedgerPile record, node; /* LmpThen */
} LedgerMoment;

typedef struct LedgerChunk {
    struct LedgerChunk *next;
    size_t used, size;
    char text[];
} LedgerChunk;

typedef struct LedgerStore {
    const char *base; /* of the tables that all of this is about */
    bool spoken;      /* as in Ledger */
    /* Rows read in this refresh. They are counted before what they refer to is read, or with a
     * running program some would refer to rows that are not known yet. */
    uint32_t records, nodes, tags, edges, overrides;

    /* index: row 0 of each is none; of functions row 1 is "(others)" even if the tables have none
     */
    LedgerChunk *chunks; /* texts; they stay where they are until ledger_free */
    size_t text_bytes;
    KeyMap text_map;     /* offset to texts */
    LedgerPile texts;    /* LedgerText */
    uint32_t text_count; /* in texts */
    LedgerPile function; /* LedgerFunction */
    uint32_t functions;  /* known */
    uint32_t names;      /* LmpTablesUsed.names when they were last looked at */
    LedgerPile row;      /* LedgerRow */
    uint32_t rows;       /* known */
    KeyMap slot_map;     /* line to slot */
    LedgerPile slot;     /* LedgerSlot */
    uint32_t slots;      /* known */
    KeyMap detail_map;   /* slot and C function to detail */
    LedgerPile detail;   /* LedgerDetail */
    uint32_t details;    /* known */
    const char *tag[LMP_TAGS];
    uint32_t tag_at[LMP_TAGS];

    /* sums of this refresh, by index */
    LedgerPile slot_sum;     /* LedgerSlotSum */
    LedgerKinds kinds;       /* of a refresh that is not brief */
    LedgerPile slot_kinds;   /* LedgerSlotKinds, the same */
    bool brief;              /* this refresh has no kinds, or no sites */
    LedgerPile detail_sum;   /* LmpTally */
    LedgerPile function_sum; /* LmpTally */
    LedgerPile row_bytes;    /* uint64_t: all bytes that a row of the sites ever had */
    LedgerPile slot_run;     /* uint64_t: instructions */
    LedgerPile calls;        /* uint64_t, by function */
    LmpTally tag_sum[LMP_TAGS];
    bool tag_lines;      /* this refresh is with LEDGER_TAG_LINES */
    uint32_t of_tag;     /* of this tag */
    LedgerPile tag_slot; /* LmpTally: what a slot has under it */
    LmpTally all, of_class[LMP_C_COUNTED];

    /* mark, rates */
    bool keeps; /* this refresh is with LEDGER_RATES */
    bool marked;
    uint32_t mark_column, mark_records, mark_nodes; /* as LmpMark has them */
    const LmpMarked (*marked_record)[LMP_MARKED], (*marked_node)[LMP_MARKED];
    bool from_held;    /* this refresh counts from ... */
    LedgerMoment held; /* ... what ledger_hold has kept; records 0: nothing */
    LedgerMoment now;
    LedgerMoment moment[LEDGER_MOMENTS]; /* oldest first */
    uint32_t moments;
    const LedgerSince *lives; /* of this refresh; NULL: none */
    const LedgerMoment *then; /* in this refresh: what LmpTally.was is of; NULL: none */
    uint64_t clock;           /* of the last refresh */

    /* rows for people; `*_row`: which row an index has, LEDGER_NO_ROW: none */
    LedgerPile out_site, out_function, out_detail, out_tag, out_tree, out_live_history, out_tagged;
    LedgerPile slot_row, function_row; /* uint32_t */
    LedgerPile out_edge, out_override;
    LedgerPile edge_copy, override_copy; /* of the tables' rows, read once */
    LedgerPile pairs;                    /* SortPair, twice as many as anything to sort */

    /* tree, by node */
    bool others_used;              /* anything was made in node "(others)" or below */
    LedgerPile parent;             /* uint32_t */
    LedgerPile node_function;      /* uint32_t: index of the function */
    LedgerPile node_site;          /* uint32_t: row of the sites << 2 | LmpTreeRow.flags */
    LedgerPile node_kind;          /* uint8_t: LmpTreeRow.kind */
    LedgerPile node_live;          /* uint64_t: live, own and below */
    LedgerPile order;              /* uint32_t: nodes in the order of a walk, then of their rows */
    LedgerPile first, next, child; /* uint32_t: see ledger_tree.c */
    LedgerPile retained;           /* LmpTally, by function */
    LedgerPile on_path;            /* uint32_t, by function */
    bool once;                     /* this refresh is with LEDGER_ONCE */
    bool tree_kinds;               /* this refresh is with LEDGER_TREE_KINDS */
    LedgerPile node_kinds;         /* uint32_t: LmpTreeRow.kinds << 16 | .tag */
    /* and by row */
    LedgerPile row_parent, row_first, row_depth; /* uint32_t: as in LmpTreeRow; first: one more */
    LedgerPile row_site;                         /* uint32_t: as node_site */
    LedgerPile row_below; /* uint32_t: with LEDGER_ONCE, how many rows before have children */
    /* with LEDGER_ONCE: words of tallies, without those that all nodes have 0 in */
    uint32_t packed, packed_word[TALLY_WORDS]; /* how many, and which; 0: nodes are in the tables */
    uint32_t packed_wide;                      /* so many of them have eight bytes in own, not 4 */
    bool packed_live;                          /* what lives follows from them */
    LedgerPile own;                            /* bytes: by node */
    LedgerPile below; /* uint64_t: of what is below a row, by its row_below */
} LedgerStore;

#define LEDGER_OTHERS 1u
enum { LEDGER_AHEAD = 12 }; /* rows to prefetch ahead */

/* Looks at what was added to the tables. Returns false if there is no memory. */
bool index_update(LedgerStore *s, const LmpTables *t);
/* Returns the row of ledger->site that a slot has; LEDGER_NO_ROW: none. Of a slot that only a
 * refresh which ran out of memory has met: none, or any. */
uint32_t ledger_row_of_slot(const Ledger *ledger, uint32_t slot);
/* Make room for the sums of all that is known, and for kinds. */
bool sum_reserve(LedgerStore *s, const LmpTables *t, unsigned parts);
bool ledger_kinds_reserve(LedgerKinds *kinds, size_t places);
static inline LmpKindTally *ledger_kinds_at(const LedgerKinds *kinds, uint32_t at) {
    return &kinds->chunk[at / LEDGER_KIND_ROOM][at % LEDGER_KIND_ROOM];
}
/* Returns which one of those that there are is of this kind; the kind is among them. */
static inline unsigned ledger_kind_place(uint32_t kinds, unsigned kind) {
    return (unsigned)__builtin_popcount(kinds & ((1u << kind) - 1));
}
void sum_records(LedgerStore *s, const LmpTables *t);
/* Moments (ledger_moments.c): room for all that is known; before anything is summed up, finds the
 * moment that rates are relative to; after it, keeps this refresh if it is time for another. */
bool moment_reserve(LedgerStore *s, unsigned parts);
void moment_begin(LedgerStore *s, unsigned parts, uint64_t clock);
void moment_end(LedgerStore *s, uint64_t clock);
void moments_free(LedgerStore *s);
/* Finds the rows of the mark that is counted from; before the sums. */
void moments_find_mark(Ledger *ledger, const LmpTables *t);
/* Fills .was and .mark of a record's or a node's tally. */
void moment_record(LedgerStore *s, uint32_t record, LmpTally *tally);
void moment_node(LedgerStore *s, uint32_t node, LmpTally *tally);

bool rows_reserve(Ledger *ledger, unsigned parts);
bool rows_reserve_history(LedgerStore *s); /* call last */
void rows_make(Ledger *ledger, const LmpTables *t, unsigned parts);

/* Returns the function of a row of the sites. */
static inline uint32_t ledger_function_of(const LedgerStore *s, uint32_t site) {
    return site > 0 && site < s->rows ? PILE(s->row, const LedgerRow)[site].function
                                      : LEDGER_OTHERS;
}

bool tree_reserve(Ledger *ledger, const LmpTables *t, unsigned parts);
/* Sums up what each function retains, in s->retained. With LEDGER_ONCE takes all that the tree
 * needs of the tables' nodes, and gives these back. */
void tree_read(Ledger *ledger, const LmpTables *t, unsigned parts);
/* Figures of nodes, and the rows of the tree (ledger_nodes.c). Room. */
bool nodes_reserve(Ledger *ledger, unsigned parts);
/* Prefetches what nodes_own reads of a node soon to come, of n in s->order. */
void nodes_fetch(const LedgerStore *s, const LmpTables *t, uint32_t i, uint32_t n);
/* Returns the figures of a node; what lives of it. */
LmpTally nodes_own(LedgerStore *s, const LmpTables *t, uint32_t node, LedgerPeak peak);
uint64_t nodes_live(const LedgerStore *s, const LmpTables *t, uint32_t node);
/* Take, with LEDGER_ONCE, what nodes made (less what they had made before, if `less` is not NULL)
 * and give their rows of the tables back; and, when the rows are linked, sum up what is below each.
 */
void nodes_pack(LedgerStore *s, const LmpTables *t, LedgerNodes *less);
void nodes_sum(LedgerStore *s, uint32_t rows);
/* Makes Ledger.tree, without LEDGER_ONCE. */
void nodes_make(Ledger *ledger, const LmpTables *t);

/* Returns true for the node of "(others)" while nothing uses it: it is there from the start, and a
 * row only from then on. */
bool tree_unused(const LedgerStore *s, uint32_t node);
/* Makes the rows of the tree; after those of functions. */
void tree_make(Ledger *ledger, const LmpTables *t);

/* Calls, instructions, overrides (ledger_counts.c). Room; the sums; which functions have to have a
 * row for them; then the rows, when those of functions and sites are there. */
bool counts_reserve(Ledger *ledger, unsigned parts);
void counts_sum(Ledger *ledger, const LmpTables *t, unsigned parts);
void counts_want(LedgerStore *s, unsigned parts);
void counts_make(Ledger *ledger, unsigned parts);

/* Fills v->words (leaks_words.c). `first`: the worst of those that grow, or else of those that rose
 * lately; `beyond`: the heap is higher than any full collection has seen. */
void leaks_word(LmpJudgement *v, const Ledger *ledger, const LmpLeak *first, bool beyond);

#endif
