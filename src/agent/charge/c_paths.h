/* c_paths.h - the paths of C functions (names.h), by their addresses: a pass finds them before the
 * functions have rows, and again each time that it is made.
 */
#ifndef LMP_C_PATHS_H
#define LMP_C_PATHS_H

#include <stdbool.h>

#include "base/rowindex.h"

enum { LMP_C_PATHS_MOST = 1 << 14 };

typedef struct LmpCPath {
    const void *address;
    uint32_t text, rank; /* of the tables; as names_walk.h has it */
} LmpCPath;

typedef struct LmpCPaths {
    LmpRowIndex index;
    uint32_t count;
    LmpCPath path[LMP_C_PATHS_MOST]; /* from 1 */
} LmpCPaths;

/* `paths` is all zeroes. False: no memory. */
bool c_paths_open(LmpCPaths *paths);
void c_paths_close(LmpCPaths *paths);

/* A text of the tables, 0: none is known. `paths` may be NULL. */
uint32_t c_paths_text(LmpCPaths *paths, const void *address);
/* The same with its rank, NULL: none is known. */
LmpCPath *c_paths_find(LmpCPaths *paths, const void *address);
/* The same, made where there is none, with text 0. NULL: no room. */
LmpCPath *c_paths_note(LmpCPaths *paths, const void *address);

#endif
