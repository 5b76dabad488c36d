/* livemap.h - the heap map of the page of `lmp serve`: in how many cells, and how long it may take
 * to look what has changed. Only while somebody asks for the page is there a map. */
#ifndef LMP_SERVE_LIVEMAP_H
#define LMP_SERVE_LIVEMAP_H

#include "read/view.h"
#include "report/report.h"

enum { LIVEMAP_CELLS = 2048 }; /* at most; what is sent of one has some 15 bytes */

/* Looks at the program's heap and gives the report its map, good until the next call. What there is
 * no time for is as it was before. Of a program that has ended, whose map is given back, it is the
 * last one. There is none of a sampled program, which has only its samples in the map, and without
 * memory. The view must stay open until livemap_end. */
void livemap_look(LmpView *view, LmpReport *report);
void livemap_end(void);

#endif
