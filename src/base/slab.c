/* slab.c - a free list for each size, linked through the pieces themselves; areas are linked by
 * their first word, to be given back. */
#include "base/slab.h"

#include <stdbool.h>
#include <string.h>

#include "base/os.h"

_Static_assert((SLAB_LEAST << (SLAB_SIZES - 1)) * 2 == SLAB_AREA, "sizes end where mapping begins");

static bool new_area(LmpSlab *slab) {
    char *area = lmp_os->map(SLAB_AREA, -1, 0, true);
    if (!area) return false;
    memcpy(area, &slab->area, sizeof slab->area);
    slab->area = area;
    slab->next = area + SLAB_LEAST;
    slab->end = area + SLAB_AREA;
    return true;
}

void *slab_take(LmpSlab *slab, size_t size, size_t *got) {
    unsigned n = 0;
    while (n < 40 && ((size_t)SLAB_LEAST << n) < size)
        n++;
    *got = (size_t)SLAB_LEAST << n;
    if (n >= SLAB_SIZES) return lmp_os->map(*got, -1, 0, true);
    void *piece = slab->free[n];
    if (piece) {
        memcpy(&slab->free[n], piece, sizeof piece);
        return piece;
    }
    /* what is left of an area that is too small for this request is lost: half an area at most */
    if ((size_t)(slab->end - slab->next) < *got && !new_area(slab)) return NULL;
    piece = slab->next;
    slab->next += *got;
    return piece;
}

void slab_give(LmpSlab *slab, void *piece, size_t got) {
    unsigned n = 0;
    while (((size_t)SLAB_LEAST << n) < got)
        n++;
    if (n >= SLAB_SIZES) {
        lmp_os->unmap(piece, got);
        return;
    }
    memcpy(piece, &slab->free[n], sizeof piece);
    slab->free[n] = piece;
}

void slab_close(LmpSlab *slab) {
    while (slab->area) {
        char *area = slab->area;
        memcpy(&slab->area, area, sizeof slab->area);
        lmp_os->unmap(area, SLAB_AREA);
    }
    *slab = (LmpSlab){0};
}
