/* edges.c - one walk over the tree, with the edges of the path on a stack; an edge counts what is
 * below it when it is entered for the first time on a path. */
#include "report/formats/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct Walk {
    const Paths *paths;
    Edges *edges;
    KeyMap index;
    uint32_t *above;    /* edges of the path, from the outermost */
    uint32_t depth;     /* how many */
    uint32_t *on_path;  /* of each edge: how often it is on the path */
    uint32_t room;      /* in it */
    uint32_t *function; /* of each function: the same */
} Walk;

static uint32_t function_of(const Walk *w, uint32_t row) {
    uint32_t f = w->paths->row[row].function;
    return row == 0 || f >= w->edges->root ? w->edges->root : f;
}

static bool more_room(Walk *w) {
    Edges *e = w->edges;
    return array_room(&e->edge, &e->room, e->edges + 1) &&
           array_room(&w->on_path, &w->room, e->edges + 1);
}

/* Returns an edge's number; UINT32_MAX: no memory. Functions are fewer than 2^16. */
static uint32_t edge_of(Walk *w, uint32_t caller, uint32_t callee, int32_t line) {
    uint64_t key = (uint64_t)caller << 48 | (uint64_t)callee << 32 | (uint32_t)line;
    uint32_t e = keymap_get(&w->index, key, UINT32_MAX);
    if (e != UINT32_MAX) return e;
    if (!more_room(w) || !keymap_set(&w->index, key, w->edges->edges)) return UINT32_MAX;
    e = w->edges->edges++;
    w->edges->edge[e] = (Edge){.caller = caller, .callee = callee, .line = line};
    w->on_path[e] = 0;
    return e;
}

static void leave_to(Walk *w, uint32_t depth) {
    while (w->depth > depth) {
        uint32_t e = w->above[--w->depth];
        w->on_path[e]--;
        w->function[w->edges->edge[e].callee]--;
    }
}

static bool enter(Walk *w, uint32_t row, bool by_line) {
    const LmpTreeRow *r = &w->paths->row[row], *caller = &w->paths->row[r->parent];
    uint32_t e = edge_of(w, function_of(w, r->parent), function_of(w, row),
                         by_line && r->parent != 0 ? caller->line : -1);
    if (e == UINT32_MAX) return false;
    Edge *edge = &w->edges->edge[e];
    edge->paths++;
    if (w->on_path[e]++ == 0) tally_add(&edge->made, &r->retained);
    if (w->function[edge->callee]++ > 0) {
        edge->recursive = true;
        w->edges->recursive[edge->callee] = 1;
    }
    w->above[w->depth++] = e;
    return true;
}

LmpErr edges_make(Edges *edges, const Paths *paths, bool by_line) {
    *edges = (Edges){.root = paths->ledger->functions};
    if (paths->by_site) return LMP_OK;
    Walk w = {.paths = paths, .edges = edges};
    w.above = malloc(((size_t)paths->depth + 1) * sizeof *w.above);
    w.function = calloc((size_t)edges->root + 1, sizeof *w.function);
    edges->recursive = calloc((size_t)edges->root + 1, 1);
    bool made = w.above && w.function && edges->recursive;
    for (uint32_t i = 1; made && i < paths->rows; i++) {
        uint32_t row = paths->order[i];
        leave_to(&w, paths->row[row].depth - 1);
        made = enter(&w, row, by_line);
    }
    free(w.above);
    free(w.function);
    free(w.on_path);
    keymap_free(&w.index);
    if (!made) edges_free(edges);
    return made ? LMP_OK : LMP_E_NOMEM;
}

void edges_free(Edges *edges) {
    free(edges->edge);
    free(edges->recursive);
    *edges = (Edges){0};
}
