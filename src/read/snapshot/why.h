/* why.h - why an object is alive: paths from the root, the reference to cut, groups of paths. */
#ifndef LMP_SNAPSHOT_WHY_H
#define LMP_SNAPSHOT_WHY_H

#include "read/snapshot/snapshot.h"

#define WHY_STEPS 256u /* of a path after folding */

/* A step of a path: an edge, or a run of like edges folded to one (`.next×2,400`). An upvalue and
 * what is in it are one step: `edge` is the function's to the upvalue, `to` the value. */
typedef struct LmpWhyStep {
    uint32_t from, edge, to; /* the first edge of the run, and where the run ends */
    uint32_t times;          /* edges in the run, 1: not folded */
    uint64_t retained;       /* by `to` (bytes) */
    bool cut;                /* the one reference to cut: without it the object is freed, and no
                                other single one frees less besides it */
} LmpWhyStep;

typedef enum LmpWhyHeld {
    LMP_HELD,           /* by the root */
    LMP_HELD_WEAKLY,    /* only by weak references: garbage */
    LMP_HELD_FINALIZER, /* only because its finalizer has not run */
    LMP_HELD_GARBAGE    /* by nothing: waits for the collector */
} LmpWhyHeld;

typedef struct LmpWhyPath {
    LmpWhyStep step[WHY_STEPS]; /* from the root down */
    uint32_t steps;
    uint32_t left_out; /* steps in the middle that found no room (count) */
    uint64_t frees;    /* what cutting the marked reference frees (bytes), 0: nothing by itself */
    uint64_t shares;   /* what is reached from it and held by others, too (bytes) */
    bool shares_more;  /* ... of the 65,536 objects that were looked at, and there are more */
    bool shortest;
    bool named;         /* no temporary of a call is on it */
    uint32_t container; /* the nearest table of eight entries or more that all paths go through and
                           that retains at least eight times `frees`; 0: none */
} LmpWhyPath;

typedef struct LmpWhyPaths {
    LmpWhyHeld held;
    LmpWhyPath *path; /* named ones first, of these the shortest, then further ones with as little
                         in common as can be; no two differ in how registry, globals, modules or the
                         main thread are held alone */
    uint32_t paths;
} LmpWhyPaths;

/* Finds up to `most` paths to `object`; `ignore` (count `ignored`): objects that no path may lead
 * through. Error: NOMEM. Takes at most 100 ms for 5 million objects: where millions refer to the
 * object, a further path is among the best that were met soon. */
LmpErr why_make(LmpWhyPaths *out, const LmpSnapshot *s, uint32_t object, uint32_t most,
                const uint32_t *ignore, uint32_t ignored);
void why_free(LmpWhyPaths *why);

#define WHY_ASKED 50000u /* objects whose paths are looked at, at most */

/* How the paths to many objects go, array and like elements folded: "19,998 of 20,000 through
 * registry.handlers[*].callback". */
typedef struct LmpWhyShape {
    char path[400];   /* `package.loaded["app.cache"].entries[*].callback`, safe to print */
    uint32_t objects; /* of those asked (count) */
    uint64_t size;    /* counted bytes of these */
    uint32_t holder;  /* the deepest object that all of them go through */
    uint32_t sample;  /* one of them */
} LmpWhyShape;
/* Finds the shapes of the shortest paths to the members, most objects first, at most `most`; shapes
 * of less than a hundredth are left out. `asked`: how many members were looked at, spread evenly:
 * all, up to WHY_ASKED, fewer when their paths are very long; garbage is not among them. Returns
 * how many shapes; 0 also without memory. */
uint32_t why_shapes(const LmpSnapshot *s, const uint32_t *member, uint32_t members,
                    LmpWhyShape *out, uint32_t most, uint32_t *asked);

/* Says how paths begin where people look: writes "package.loaded", "_G" or "main thread" for the
 * first two edges, if that is where they lead, and returns 2; else 0, with out "". */
uint32_t why_beginning(const LmpSnapshot *s, uint32_t first, uint32_t second, char *out,
                       size_t size);

/* Returns a whole path as one line of text: `package.loaded["app.cache"] ▸ upvalue entries of get
 * (cache.lua:3) ▸ ["req-1042"].callback`. */
const char *why_text(const LmpSnapshot *s, const LmpWhyPath *path, char *out, size_t size);

#endif
