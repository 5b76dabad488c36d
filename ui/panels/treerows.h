/* treerows.h - which rows of the call tree are to be seen: those whose callers are all open, in the
 * order asked for; or upside down, from every allocating function to its callers. A row is a
 * function called on some path (from whatever lines of its caller; calls by itself included), or a
 * line of it that made something. What is open is remembered by the way to a row, so it survives
 * that the tree is read anew.
 *
 * Nothing here recurses, and the work goes with the rows that are open (and once over the nodes for
 * callers and filters), not with what the tree holds: it may have a million nodes or be 200,000
 * deep. */
#ifndef LMP_TREEROWS_H
#define LMP_TREEROWS_H

#include "read/ledger/ledger.h"

/* A figure of a row; below zero: none. `own` is NULL for callers; `about` is TreeWanted's. */
typedef double (*TreeMeasure)(const void *about, const LmpTally *total, const LmpTally *own);

typedef struct TreeWanted {
    bool callers;        /* upside down */
    TreeMeasure measure; /* what siblings are ordered by, largest first. NULL: by name, then */
    TreeMeasure heat;    /* what the hottest path follows. NULL: live bytes */
    const void *about;   /* for both */
    bool reverse;
    bool still;         /* rows keep their places as far as they can */
    const char *filter; /* only paths to what these words are in: name, file:line; "": all */
} TreeWanted;

/* One row, made when it is asked for. All pointers are into the ledger or the rows. */
typedef struct TreeRow {
    uint64_t key;                   /* stays the same from refresh to refresh; not 0 */
    const char *name;               /* of its function */
    const char *source, *short_src; /* of the line; source: the very bytes */
    /* Its only line (of a C function: that called it; of a caller: where it was then), which is
     * `exact`; else where its function is defined; -1: none. */
    int32_t line;
    bool exact;
    int32_t some_line; /* one that made something, of several; 0: none did, or not in this file */
    uint32_t site;     /* id of that line's row in the ledger's sites, if it has one; else 0 */
    uint32_t function; /* row in the ledger's functions */
    /* Made in it and below. Callers: made by the outermost row's function when called this way. */
    const LmpTally *total;
    const LmpTally *own; /* made by it; NULL: callers have none */
    uint32_t depth;      /* 0: outermost */
    uint32_t up;         /* its parent's row; of an outermost row its own */
    uint32_t flags;      /* LMP_NODE_*: some of its calls were such */
    bool is_line;        /* a line of the row above it, which is its function */
    bool recursive;      /* it has called itself */
    bool children, open; /* there are rows below; they are shown */
    bool more;           /* a sibling follows */
    bool matches;        /* the filter is found in this very row */
} TreeRow;

typedef struct TreeRows TreeRows;

#define TREE_MOST_ROWS (1u << 21) /* rows open at once; beyond, nodes stay closed */

TreeRows *treerows_new(void); /* NULL: no memory */
void treerows_free(TreeRows *t);

/* Finds the rows anew. The ledger must stay as it is until the next call. False: no memory, there
 * are no rows then. */
bool treerows_update(TreeRows *t, const Ledger *ledger, const TreeWanted *request);

uint32_t treerows_count(const TreeRows *t);
/* Row `i` < treerows_count. */
TreeRow treerows_row(const TreeRows *t, uint32_t i);
/* What the lines of the tree before row `i` need: bit k tells whether a sibling follows the row
 * that is k levels up (bit 0: row i itself), for k < levels <= 64. */
uint64_t treerows_lines(const TreeRows *t, uint32_t i, uint32_t levels);

/* These show with the next update; the ledger must still be that of the last one. */
void treerows_open(TreeRows *t, uint32_t i, bool open);
/* Opens the path of the most heat from row i on (UINT32_MAX: from the outermost), until
 * most of them are a node's own or `levels` are open. */
void treerows_open_hottest(TreeRows *t, uint32_t i, uint32_t levels);
void treerows_close_all(TreeRows *t);

#endif
