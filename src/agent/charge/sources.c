/* sources.c - a ring of a few sources. A string's block is found by the distance of a string's
 * contents from its object, which is measured once in a private state. */
#include "agent/charge/sources.h"

#include <lauxlib.h>
#include <string.h>

#include "agent/interp/learning.h"
#include "agent/interp/private_state.h"
#include "agent/map/shadow.h"
#include "agent/map/watched.h"
#include "base/kind.h"

static size_t header; /* bytes of a string's block before its contents; 0: not known */

/* The documented API tells both addresses of a string. */
static int learn(lua_State *L) {
    char text[100];
    memset(text, 'x', sizeof text);
    const char *contents = lua_pushlstring(L, text, sizeof text);
    size_t before = (size_t)(contents - (const char *)lua_topointer(L, -1));
    if (before > 0 && before <= 64) header = before;
    return 0;
}

static void learn_once(void) {
    private_state_call(learn);
}

void sources_prepare(void) {
    static atomic_bool once;
    learning_once(&once, learn_once);
}

bool sources_find(const LmpSources *known, const char *source, size_t length, uint32_t *text) {
    for (int i = 0; i < LMP_SOURCES; i++) {
        if (known->known[i].source != source || known->known[i].length != length) continue;
        *text = known->known[i].text;
        return true;
    }
    return false;
}

/* Returns true if the freeing of the block will be noticed. */
static bool is_heard(LmpProfile *p, uintptr_t block, size_t length) {
    uint64_t size;
    uint32_t entry = shadow_lookup(p, block, &size);
    if (!entry) return !p->watched || watched_has(p, block); /* from before start */
    if ((entry & 15) != LMP_C_STRING || size != header + length + 1) return false;
    shadow_notify(p, block);
    return true;
}

void sources_keep(LmpProfile *p, LmpSources *known, const char *source, size_t length,
                  uint32_t text) {
    if (!header || length < LMP_SOURCE_LONG) return;
    if (!is_heard(p, (uintptr_t)source - header, length)) return;
    uint32_t i = known->next++ % LMP_SOURCES;
    known->known[i].source = source;
    known->known[i].length = length;
    known->known[i].text = text;
}

void sources_gone(LmpSources *known, uintptr_t addr) {
    uintptr_t source = addr + header;
    for (int i = 0; i < LMP_SOURCES; i++)
        if ((uintptr_t)known->known[i].source == source) known->known[i].source = NULL;
}
