/* edges.h - who calls whom, from call paths: for each pair of functions, or for each line and the
 * function called there, what the calls made. An edge that stands in a path several times counts
 * once in it, so no edge makes more than there is. */
#ifndef LMP_EDGES_H
#define LMP_EDGES_H

#include "report/formats/paths.h"

typedef struct Edge {
    uint32_t caller; /* row in functions[]; Edges.root: the outermost */
    uint32_t callee;
    int32_t line;   /* of the caller; -1: none, or not told apart */
    bool recursive; /* its callee was on the path above already, somewhere */
    uint64_t paths; /* nodes of the call tree that end in it */
    LmpTally made;
} Edge;

typedef struct Edges {
    Edge *edge;
    uint32_t edges, room;
    uint32_t root;
    uint8_t *recursive; /* of each function: it is below itself in some path */
} Edges;

/* None where paths are lines. Errors: NOMEM (nothing to free then). */
LmpErr edges_make(Edges *edges, const Paths *paths, bool by_line);
void edges_free(Edges *edges);

#endif
