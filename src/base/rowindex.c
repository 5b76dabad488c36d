/* rowindex.c - opening, growing and the rare cases; looking up and adding are inline in the
 * header. */
#include "base/rowindex.h"

#include "base/os.h"

enum { SMALL = 1 << 15 }; /* slots: up to that an index grows by more at once */

bool rowindex_open(LmpRowIndex *x, uint32_t slots) {
    *x = (LmpRowIndex){.slot = lmp_os->map(slots * sizeof *x->slot, -1, 0, true)};
    if (x->slot) x->slots = slots;
    return x->slot;
}

void rowindex_close(LmpRowIndex *x) {
    if (x->slot) lmp_os->unmap(x->slot, x->slots * sizeof *x->slot);
    *x = (LmpRowIndex){0};
}

static inline void put(LmpRowSlot *slot, uint32_t slots, LmpRowSlot s) {
    uint32_t i = s.hash & (slots - 1);
    while (slot[i].row)
        i = (i + 1) & (slots - 1);
    slot[i] = s;
}

static void move(LmpRowSlot *to, uint32_t slots, const LmpRowSlot *from, uint32_t n) {
    for (const LmpRowSlot *s = from, *end = from + n; s < end; s++)
        if (s->row) put(to, slots, *s);
}

static __attribute__((noinline)) bool grow(LmpRowIndex *x) {
    uint32_t slots = x->slots * (x->slots < SMALL ? 4 : 2);
    LmpRowSlot *slot = lmp_os->map(slots * sizeof *slot, -1, 0, true);
    if (!slot) return false;
    lmp_os->populate(slot, slots * sizeof *slot); /* rows will go to every page of it */
    move(slot, slots, x->slot, x->slots);
    lmp_os->unmap(x->slot, x->slots * sizeof *x->slot);
    x->slot = slot;
    x->slots = slots;
    return true;
}

bool rowindex_make_room(LmpRowIndex *x, uint32_t rows) {
    if (!x->refused && x->slots <= UINT32_MAX / 2) {
        if (grow(x)) return true;
        x->refused = true; /* not retried: every new row passes here */
    }
    return x->used + rows <= x->slots - x->slots / 8;
}
