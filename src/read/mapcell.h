/* mapcell.h - a cell of the heap map, wherever it is: of the program, in a recording, on the
 * screen. */
#ifndef LMP_READ_MAPCELL_H
#define LMP_READ_MAPCELL_H

#include "base/kind.h"

typedef struct MapCell {
    uint64_t bytes[LMP_KINDS]; /* live, by owner */
    uint64_t blocks;           /* that start in it (count) */
    uint64_t capacity;         /* addresses that it stands for, bytes; 0: beyond the heap's end */
} MapCell;

/* A recording has all of the heap's addresses in so many. */
#define MAPCELL_RECORDED 256u

#endif
