/* profile_pool.c - see profile_pool.h. */
#include "agent/state/profile_pool.h"

#include <string.h>

#include "base/os.h"

static LmpProfile *places; /* all there ever were */

/* What a stranger may be reading meanwhile is left alone. */
static void clear(LmpProfile *p, size_t size) {
    char *from = (char *)p;
    size_t first = offsetof(LmpProfile, counters), thread = offsetof(LmpProfile, thread);
    size_t rest = thread + sizeof p->thread;
    memset(from + first, 0, thread - first);
    memset(from + rest, 0, offsetof(LmpProfile, foreign) - rest);
    memset(from + sizeof *p, 0, size - sizeof *p);
}
_Static_assert(offsetof(LmpProfile, alloc) == 0 && offsetof(LmpProfile, ud) == sizeof(lua_Alloc) &&
                   offsetof(LmpProfile, counters) == 2 * sizeof(void *),
               "what stays comes first");

LmpProfile *profile_pool_take(lua_Alloc alloc, void *ud, size_t size) {
    LmpProfile *p = places;
    while (p && (p->foreign.taken || p->alloc != alloc || p->ud != ud))
        p = p->foreign.next;
    if (p) {
        clear(p, size);
    } else {
        p = lmp_os->map(size, -1, 0, true);
        if (!p) return NULL;
        p->alloc = alloc;
        p->ud = ud;
        p->foreign.next = places;
        places = p;
    }
    p->foreign.taken = true;
    p->foreign.begun++;
    return p;
}

void profile_pool_leave(LmpProfile *p) {
    p->foreign.taken = false;
}
