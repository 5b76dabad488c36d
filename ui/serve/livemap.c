/* livemap.c - reads the shadow map as the display does (heapmap.h), for longer and less often. */
#include "serve/livemap.h"

#include "read/heapmap/heapmap.h"

#define FIRST_TIME 200000000u /* nanoseconds for the first look: there is no earlier picture */
#define LOOK_TIME 40000000u   /* for each of the others; a text is made once a second at most */

static HeapMap *map;
static MapCell cells[LIVEMAP_CELLS];
static uint32_t count;

/* Returns false if the map is not to be had now. */
static bool refresh(LmpView *view) {
    uint64_t time = map ? LOOK_TIME : FIRST_TIME;
    if (!map) map = heapmap_new(view);
    if (!map) return false;
    view_refresh(view);
    view_next_frame(view);
    heapmap_refresh(map, time);
    return !atomic_load(&view->control->given_back);
}

void livemap_look(LmpView *view, LmpReport *report) {
    if (view->live->tables.sample) return;
    if (refresh(view)) {
        uint64_t total = heapmap_total(map),
                 size = heapmap_fit(map, LIVEMAP_CELLS, HEAPMAP_MIN_CELL);
        count = (uint32_t)((total + size - 1) / size);
        heapmap_cells(map, 0, size, count, cells);
    }
    if (count == 0) return;
    report->map = cells;
    report->map_cells = count;
}

void livemap_end(void) {
    heapmap_free(map);
    map = NULL;
    count = 0;
}
