/* paths.h - the call paths of a report as formats of other tools want them: frames by number, paths
 * in order. Where no call paths were kept each line is a path of one frame.
 *
 * A frame is a function at a line. Paths deeper than Paths.deepest would make files without bounds
 * (their length is the sum of all depths): they end there, and what was made deeper has a frame
 * `PATHS_DEEPER` of its own. */
#ifndef LMP_PATHS_H
#define LMP_PATHS_H

#include <stddef.h>

#include "base/keymap.h"
#include "report/report.h"

#define PATHS_DEEPER "(deeper calls)"

typedef struct PathFrame {
    uint32_t function; /* row in functions[]; LEDGER_NO_ROW: none */
    int32_t line;      /* -1: none */
    const char *name;  /* "load_table", without what kind of name it is */
    const char *where; /* short_src */
    char *text;        /* "load_table (options.lua:7)" */
} PathFrame;

typedef struct Paths {
    const Ledger *ledger;
    const Ledger *tree; /* whose rows they are: row 0 is the root */
    uint32_t rows;
    bool by_site;    /* no call paths were kept: row i + 1 is row i of the sites */
    uint32_t *order; /* rows as a walk meets them, callers first, siblings by text */
    uint32_t *frame; /* of each row but the root */
    PathFrame *of;   /* frames; the last one is PATHS_DEEPER */
    uint32_t frames; /* with it */
    uint32_t depth;  /* of the deepest path */
    uint32_t deepest;
    Ledger own; /* by_site: has the rows, which are made here */
    KeyMap index;
    uint32_t *rank; /* of each frame: its place by text */
    char *texts;
} Paths;

/* Errors: NOMEM (nothing to close then). The report must outlive it. */
LmpErr paths_open(Paths *paths, const LmpReport *report);
void paths_close(Paths *paths);

/* Returns a row but its figures (ledger_node). */
LmpTreeRow paths_row(const Paths *paths, uint32_t row);
/* Give what a row counts itself, and, at the deepest level, what is below it. They return false:
 * the row is below, or there is nothing. */
bool paths_own(const Paths *paths, uint32_t row, LmpTally *own);
bool paths_below(const Paths *paths, uint32_t row, LmpTally *below);

/* Returns a name without what a traceback says of it: "options.price" of "function
 * 'options.price'". */
const char *paths_name(char *out, size_t size, const char *name);

/* ---- callers and callees --------------------------------------------------------------------- */

/* Who calls whom, from call paths: for each pair of functions, or for each line and the
 * function called there, what the calls made. An edge that stands in a path several times counts
 * once in it, so no edge makes more than there is. */
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

/* Makes the edges; none where paths are lines. Errors: NOMEM (nothing to free then). */
LmpErr edges_make(Edges *edges, const Paths *paths, bool by_line);
void edges_free(Edges *edges);

#endif
