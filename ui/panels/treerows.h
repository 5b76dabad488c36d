/* treerows.h - which rows of the call tree are visible: those whose callers are all open, in the
 * requested order; or upside down, from every allocating function to its callers. A row is a
 * function called on some path (from any lines of its caller; including calls by itself), or a line
 * of it that made something. Open rows are known by their path, so they stay open when the tree is
 * read anew.
 *
 * Nothing here recurses, and the work is proportional to the open rows (plus one pass over the
 * nodes for callers and filters), not to the size of the tree: it may have a million nodes or be
 * 200,000 deep. */
#ifndef LMP_TREEROWS_H
#define LMP_TREEROWS_H

#include "read/ledger/ledger.h"

/* Returns a figure of a row; below zero: none. `own` is NULL for callers; `about` is
 * TreeWanted's. */
typedef double (*TreeWidths)(const void *about, const LmpTally *total, const LmpTally *own);

typedef struct TreeWanted {
    bool callers;            /* upside down */
    TreeWidths shown_figure; /* what siblings are sorted by, largest first. NULL: by name, then */
    TreeWidths heat;         /* what the hottest path follows. NULL: live bytes */
    const void *about;       /* for both */
    bool reverse;
    bool still;         /* rows keep their places as far as possible */
    const char *filter; /* only paths to rows with these words: name, file:line; "": all */
} TreeWanted;

/* One row, made when requested. All pointers are into the ledger or the rows. */
typedef struct TreeRow {
    uint64_t key;                   /* stays the same across refreshes; not 0 */
    const char *name;               /* of its function */
    const char *source, *short_src; /* of the line; source: the very bytes */
    /* The row's only line (for a C function: the one that called it; for a caller: where it was
     * then), which is `exact`; else the line that defines its function; -1: none. */
    int32_t line;
    bool exact;
    int32_t
        some_line; /* one of several lines that made something; 0: none did, or not in this file */
    uint32_t site; /* id of that line's row in the ledger's sites, if it has one; else 0 */
    uint32_t function; /* row in the ledger's functions */
    /* Made in the row and below. Callers: made by the outermost row's function when called this
     * way. */
    const LmpTally *total;
    const LmpTally *own; /* made by the row itself; NULL: callers have none */
    uint32_t depth;      /* 0: outermost */
    uint32_t up;         /* its parent's row; an outermost row's own */
    uint32_t flags;      /* LMP_NODE_*: true of some of its calls */
    bool is_line;        /* a line of the row above it, which is its function */
    bool recursive;      /* the function has called itself */
    bool children, open; /* there are rows below; they are shown */
    bool more;           /* a sibling follows */
    bool matches;        /* the filter matches this very row */
} TreeRow;

typedef struct TreeRows TreeRows;

#define TREE_MOST_ROWS (1u << 21) /* rows open at once; beyond that, nodes stay closed */

TreeRows *treerows_new(void); /* NULL: no memory */
void treerows_free(TreeRows *t);

/* Recomputes the rows. The ledger must not change until the next call. Returns false: no memory,
 * and no rows. */
bool treerows_update(TreeRows *t, const Ledger *ledger, const TreeWanted *request);

uint32_t treerows_count(const TreeRows *t);
/* Returns row `i` < treerows_count. */
TreeRow treerows_row(const TreeRows *t, uint32_t i);
/* Returns what the tree lines before row `i` need: bit k is set if a sibling follows the row that
 * is k levels up (bit 0: row i itself), for k < levels <= 64. */
uint64_t treerows_lines(const TreeRows *t, uint32_t i, uint32_t levels);

/* Opens or closes a row, like the two below with the next update; the ledger must still be that of
 * the last one. */
void treerows_open(TreeRows *t, uint32_t i, bool open);
/* Opens the hottest path from row i on (UINT32_MAX: from the outermost), until most of a node's
 * heat is its own or `levels` are open. */
void treerows_open_hottest(TreeRows *t, uint32_t i, uint32_t levels);
void treerows_close_all(TreeRows *t);

#endif
