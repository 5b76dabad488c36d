/* limits.h - how far the tables of the shared state may be filled: sites.c obeys it, reserve.c sets
 * it where memory has to be reserved.
 */
#ifndef LMP_LIMITS_H
#define LMP_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* The most rows of each table, row 0 included (text: bytes). 0: as in layout.h; only tests set
 * others. */
typedef struct LmpTableLimits {
    uint32_t text, functions, sites, records, nodes, paths, edges, overrides;
} LmpTableLimits;

/* How far the tables have been reserved. */
typedef struct LmpReserve {
    bool strict;
    unsigned level;
    LmpTableLimits most; /* what the limits would be otherwise */
} LmpReserve;

#endif
