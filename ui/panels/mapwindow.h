/* mapwindow.h - the part of the heap that the map shows: the size of a cell, the first cell, the
 * cursor's cell, and what is in them.
 *
 * Invariants: first is a multiple of size; while `zoomed` is false first is 0 and size follows the
 * heap. The cursor is an address, so that it stays on its block when the regions move. */
#ifndef LMP_PANELS_MAPWINDOW_H
#define LMP_PANELS_MAPWINDOW_H

#include "read/heapmap/heapmap.h"

typedef struct MapWindow {
    HeapMap *map; /* the panel's; NULL: none yet */
    bool zoomed;
    uint64_t size;   /* bytes of a cell */
    uint64_t first;  /* position of the first cell */
    uint64_t anchor; /* address of the first cell while zoomed */
    uint64_t cursor; /* address; 0: not set yet */
    MapCell *cell;
    uint32_t count, room; /* cells in the window; capacity of `cell` */
    int cols;
    /* when `cell` was filled: what the window showed, and the layout of the regions */
    uint64_t filled_first, filled_size;
    uint32_t filled_count, layout;
} MapWindow;

/* All of these except the last need a map. */

/* Computes what the window shows after the heap, the size of the panel or the zoom changed. */
void mapwindow_arrange(MapWindow *window, int cols, int rows);
/* Arranges, and reads what is in the cells; `still`: only if the window shows other cells. */
void mapwindow_fill(MapWindow *window, int cols, int rows, bool still);
/* Returns the position of the cursor; 0 if the heap is empty. */
uint64_t mapwindow_cursor(const MapWindow *window);
/* Moves the cursor, and scrolls the window to it; a position past the end means the end. */
void mapwindow_move_to(MapWindow *window, uint64_t position);
/* Moves the cursor by this many cells, inside the heap, and puts it on the beginning of its
 * cell. */
void mapwindow_move_by(MapWindow *window, int64_t cells);
/* Moves by a page: all rows but one, which stays for orientation. */
void mapwindow_page(MapWindow *window, bool up);
/* Changes the size of the cells; what is under the cursor stays in place on the screen. */
void mapwindow_zoom(MapWindow *window, bool in);
void mapwindow_free(MapWindow *window);

#endif
