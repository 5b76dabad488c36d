/* profile_pool.c - a list of slots that only grows; what another thread may still read of a slot
 * that is taken again is not cleared. */
#include "agent/state/profile_pool.h"

#include <string.h>

#include "base/os.h"

static LmpProfile *_Atomic slots; /* all there ever were; read without the lock, too */

/* Clears a slot, but for what another thread may still be reading. */
static void clear(LmpProfile *p, size_t size) {
    char *from = (char *)p;
    size_t first = sizeof p->pass, end = offsetof(LmpProfile, foreign);
    memset(from + first, 0, end - first);
    memset(from + sizeof *p, 0, size - sizeof *p);
}
_Static_assert(offsetof(LmpProfile, pass) == 0, "what stays comes first");
_Static_assert(offsetof(LmpProfile, slot) > offsetof(LmpProfile, foreign), "or last");

LmpProfile *profile_pool_take(lua_Alloc alloc, void *ud, unsigned way, size_t size) {
    LmpProfile *p = slots;
    while (p && (p->slot.taken || p->slot.way != way || p->pass.alloc != alloc || p->pass.ud != ud))
        p = p->slot.next;
    if (p) {
        clear(p, size);
    } else {
        char *at = lmp_os->map(LMP_PAGE_MOST + size, -1, 0, true);
        if (!at) return NULL;
        lmp_os->empty_in_child(at, LMP_PAGE_MOST);
        p = (LmpProfile *)(void *)(at + LMP_PAGE_MOST - offsetof(LmpProfile, pass.alloc));
        p->pass.alloc = alloc;
        p->pass.ud = ud;
        p->slot.way = way;
        p->slot.next = slots;
        slots = p;
    }
    p->slot.taken = true;
    p->slot.begun++;
    return p;
}

bool profile_pool_knows(uintptr_t alloc, uintptr_t ud) {
    for (const LmpProfile *p = slots; p; p = p->slot.next)
        if (ud == (uintptr_t)p ||
            (alloc == (uintptr_t)p->pass.alloc && ud == (uintptr_t)p->pass.ud))
            return true;
    return false;
}

void profile_pool_leave(LmpProfile *p) {
    p->slot.taken = false;
}
