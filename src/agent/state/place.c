/* place.c - see place.h. */
#include "agent/state/place.h"

#include <string.h>

#include "base/os.h"

static LmpProfile *places; /* all there ever were */

/* What a stranger may be reading meanwhile is left alone. */
static void clear(LmpProfile *p, size_t size) {
    char *from = (char *)p;
    size_t first = offsetof(LmpProfile, counters), thread = offsetof(LmpProfile, thread);
    size_t rest = thread + sizeof p->thread;
    memset(from + first, 0, thread - first);
    memset(from + rest, 0, offsetof(LmpProfile, strangers) - rest);
    memset(from + sizeof *p, 0, size - sizeof *p);
}
_Static_assert(offsetof(LmpProfile, alloc) == 0 && offsetof(LmpProfile, ud) == sizeof(lua_Alloc) &&
                   offsetof(LmpProfile, counters) == 2 * sizeof(void *),
               "what stays comes first");

LmpProfile *place_take(lua_Alloc alloc, void *ud, size_t size) {
    LmpProfile *p = places;
    while (p && (p->strangers.taken || p->alloc != alloc || p->ud != ud))
        p = p->strangers.next;
    if (p) {
        clear(p, size);
    } else {
        p = lmp_os->map(size, -1, 0, true);
        if (!p) return NULL;
        p->alloc = alloc;
        p->ud = ud;
        p->strangers.next = places;
        places = p;
    }
    p->strangers.taken = true;
    p->strangers.begun++;
    return p;
}

void place_leave(LmpProfile *p) {
    p->strangers.taken = false;
}
