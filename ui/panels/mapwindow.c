/* mapwindow.c - arithmetic on positions in the heap map (heapmap.h): fits the window into the
 * heap, scrolls by whole rows, zooms by powers of two around the cursor. */
#include "panels/mapwindow.h"

#include <stdlib.h>

#include "base/array.h"

#define WHOLE_LEAST 16u /* least bytes of a cell, however small the heap */

uint64_t mapwindow_cursor(const MapWindow *window) {
    uint64_t position, total = heapmap_total(window->map);
    heapmap_position(window->map, window->cursor, &position);
    return position < total ? position : total ? total - 1 : 0;
}

/* Keeps the window inside the heap: its end at the heap's end, or its beginning at 0. */
static uint64_t fit_first(const MapWindow *window, uint64_t first, uint32_t count, int cols) {
    uint64_t total = heapmap_total(window->map), row = window->size * (uint64_t)cols;
    uint64_t shown = window->size * count;
    if (total <= shown) return 0;
    uint64_t most = (total - shown + row - 1) / row * row;
    if (first > most) first = most;
    return first & ~(window->size - 1);
}

static void set_first(MapWindow *window, uint64_t first) {
    window->first = fit_first(window, first, window->count, window->cols);
    window->anchor = heapmap_address(window->map, window->first);
}

/* Scrolls by whole rows until the cursor is in the window. */
static void follow_cursor(MapWindow *window) {
    uint64_t at = mapwindow_cursor(window), row = window->size * (uint64_t)window->cols;
    uint64_t shown = window->size * window->count, first = window->first;
    if (at < first) {
        uint64_t up = (first - at + row - 1) / row * row;
        first = first > up ? first - up : 0;
    } else if (at >= first + shown) {
        first += (at - first - shown) / row * row + row; /* NOLINT: a row has at least one column */
    }
    if (first != window->first) set_first(window, first);
}

void mapwindow_arrange(MapWindow *window, int cols, int rows) {
    uint32_t count = (uint32_t)cols * (uint32_t)rows;
    uint64_t fit = heapmap_fit(window->map, count, WHOLE_LEAST);
    if (window->zoomed && window->size < fit) {
        uint64_t first;
        heapmap_position(window->map, window->anchor, &first);
        window->first = fit_first(window, first, count, cols);
    } else {
        window->zoomed = false;
        window->size = fit;
        window->first = 0;
    }
    window->count = count;
    window->cols = cols;
    if (window->cursor == 0) window->cursor = heapmap_address(window->map, 0);
    if (window->zoomed) follow_cursor(window);
}

void mapwindow_zoom(MapWindow *window, bool in) {
    uint64_t at = mapwindow_cursor(window);
    uint64_t cell = at >= window->first ? (at - window->first) / window->size : 0;
    if (in && window->size / 2 < HEAPMAP_MIN_CELL) return;
    if (!in && !window->zoomed) return;
    window->size = in ? window->size / 2 : window->size * 2;
    window->zoomed = true;
    uint64_t before = cell * window->size;
    set_first(window, at > before ? at - before : 0);
    mapwindow_arrange(window, window->cols, (int)(window->count / (uint32_t)window->cols));
}

void mapwindow_fill(MapWindow *window, int cols, int rows, bool still) {
    mapwindow_arrange(window, cols, rows);
    if (still && window->cell && window->filled_first == window->first &&
        window->filled_size == window->size && window->filled_count == window->count &&
        window->layout == heapmap_arrange(window->map))
        return;
    if (!array_room(&window->cell, &window->room, window->count)) {
        window->count = window->room;
        return;
    }
    window->filled_first = window->first;
    window->filled_size = window->size;
    window->filled_count = window->count;
    window->layout = heapmap_arrange(window->map);
    heapmap_cells(window->map, window->first, window->size, window->count, window->cell);
}

void mapwindow_move_to(MapWindow *window, uint64_t position) {
    uint64_t total = heapmap_total(window->map);
    if (position >= total) position = total ? total - 1 : 0;
    window->cursor = heapmap_address(window->map, position);
    follow_cursor(window);
}

void mapwindow_move_by(MapWindow *window, int64_t cells) {
    uint64_t total = heapmap_total(window->map);
    uint64_t last = total ? (total - 1) / window->size : 0,
             at = mapwindow_cursor(window) / window->size;
    uint64_t step = (uint64_t)(cells < 0 ? -cells : cells);
    uint64_t room = cells < 0 ? at : last - at;
    if (step > room) {
        if (step <= (uint64_t)window->cols) return; /* no such row */
        step = room;
    }
    at = cells < 0 ? at - step : at + step;
    mapwindow_move_to(window, at * window->size);
}

void mapwindow_page(MapWindow *window, bool up) {
    uint64_t cells = window->count - (uint64_t)window->cols;
    if (cells == 0) cells = window->count;
    uint64_t bytes = cells * window->size, first = window->first;
    set_first(window, !up ? first + bytes : first > bytes ? first - bytes : 0);
    mapwindow_move_by(window, up ? -(int64_t)cells : (int64_t)cells);
}

void mapwindow_free(MapWindow *window) {
    heapmap_free(window->map);
    free(window->cell);
}
