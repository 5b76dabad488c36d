/* invalidate.c - tells each file that remembers contents of a block's kind. */
#include "agent/charge/invalidate.h"

#include "agent/charge/calls.h"
#include "agent/charge/lines.h"
#include "agent/charge/sites.h"
#include "agent/charge/tags.h"
#include "agent/charge/tree.h"
#include "agent/interp/frames.h"

static void code_gone(LmpProfile *p, uintptr_t addr, size_t size) {
    if (lines_code_gone(p, &addr, &size) && p->tree) tree_code_gone(p, addr, size);
}

static void thread_gone(LmpProfile *p, uintptr_t addr) {
    const lua_State *L = (const lua_State *)(addr + frames_bits.extra); /* NOLINT */
    lines_thread_gone(p, L);
    if (p->tags) tags_thread_gone(p, L);
    if (p->tree) tree_thread_gone(p, L);
    if (p->counts) calls_thread_gone(p, L);
}

COLD void invalidate_unknown(LmpProfile *p, uintptr_t addr, size_t size) {
    code_gone(p, addr, size);
    thread_gone(p, addr);
    sites_string_gone(p, addr);
}

void invalidate_watched(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls) {
    if (cls == LMP_C_THREAD) {
        thread_gone(p, addr);
    } else if (cls == LMP_C_STRING) {
        sites_string_gone(p, addr);
    } else {
        code_gone(p, addr, size);
    }
}
