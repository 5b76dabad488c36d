/* why_impl.h - what the parts of "why" share: the search for paths is why_search.c, the reference
 * to cut and the putting together why.c. */
#ifndef LMP_WHY_IMPL_H
#define LMP_WHY_IMPL_H

#include "read/snapshot/snapshot_impl.h"
#include "read/snapshot/why.h"

/* A path in full. */
typedef struct WhyTrail {
    uint32_t *edge, *from; /* from the object up to the root */
    uint32_t n, room;
} WhyTrail;

typedef struct WhyList {
    uint32_t *of;
    uint32_t n, room;
} WhyList;

/* Paths to one object, one after the other. */
typedef struct WhySearch {
    const LmpSnapshot *s;
    uint32_t object;
    const uint32_t *ignore; /* objects that no path may lead through */
    uint32_t ignored;
    uint32_t paths;      /* so far */
    bool parted, barred; /* the parts are known; an ignored object is on every path */
    WhyList part;        /* ends of those that are searched, from the object up */
    uint32_t below;      /* objects below them, each held by one reference alone */
    WhyTrail found;      /* their ways, one after the other */
    WhyList used;        /* references of the parts' ways so far */
    WhyList now, later;  /* objects at this count of such references, and at the next */
    WhyList climb;
    uint32_t looks; /* that were needed for this path */
    /* of the part of the path that is being searched, */
    uint32_t top, end; /* two objects that every path leads through */
    uint32_t best; /* who is to be gone through; `end`: the shortest path, LMP_OBJECT_NONE: none */
    uint32_t best_used, best_length;
} WhySearch;

LmpErr whysearch_open(WhySearch *q, const LmpSnapshot *s, uint32_t object, const uint32_t *ignore,
                      uint32_t ignored);
/* Finds the shortest path, then further ones: with as few references of those before as can be, and
 * of these about the shortest. `out` is that of the call before; empty: there are none any more. */
LmpErr whysearch_next(WhySearch *q, WhyTrail *out);
void whysearch_close(WhySearch *q);
void whytrail_free(WhyTrail *t);

/* Returns true if just one reference holds an object, besides those from what the object holds. It
 * is one from what dominates the object. */
bool whysearch_is_bridge(const LmpSnapshot *s, uint32_t object);

/* Returns true for a reference that keeps what it refers to: a value in a table with weak keys
 * does, since both it and its source are reachable. */
static inline bool why_may_hold(const LmpSnapshot *s, uint32_t edge) {
    return !(s->g.edge_kind[edge] & LMP_EDGE_WEAK);
}

#endif
