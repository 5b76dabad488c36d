/* htmltree.h - a call tree for the flame graph of a page: of each node its parent, its frame, and
 * what it made itself; the page sums that up. Nodes that there is no room for are joined, one for
 * each parent. A tree may have two sides, what is and what was: of each node the figures of both.
 */
#ifndef LMP_HTMLTREE_H
#define LMP_HTMLTREE_H

#include "base/err.h"
#include "report/page/htmlkeep.h"

enum { HTMLTREE_SIDES = 2 };

typedef struct HtmlTree {
    const void *of;
    uint32_t nodes; /* at least the root, which is 0 */
    uint32_t most;  /* that are kept, the largest */
    unsigned sides; /* 1 or 2 */
    /* Below i; of the root 0. */
    uint32_t (*parent)(const void *of, uint32_t i);
    /* Each false: it is not on that side, but on the other. Of a row the name, the file and the
     * line; of what it made itself, or with all below it, the figures. */
    bool (*row)(const void *of, uint32_t i, unsigned side, LmpTreeRow *out);
    bool (*tally)(const void *of, uint32_t i, unsigned side, bool below, LmpTally *out);
    uint32_t (*site)(const void *of, uint32_t i); /* 1 + its row in the page's sites; 0: none */
    const LmpTally *all[HTMLTREE_SIDES];
} HtmlTree;

/* Fields of the object that is open; "was" has the figures of the second side. `place` (may be
 * NULL) is set to an array, owned by the caller: where the figures of each node are counted, itself
 * or what a node above it was joined to; `rows` to how many such places there are. Errors: NOMEM.
 */
LmpErr htmltree_put(Json *json, const HtmlTree *tree, uint32_t **place, uint32_t *rows);

#endif
