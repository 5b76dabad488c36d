/* memory_told.c - asks Lua for its count on request, and copies the list of lmp's own mappings at a
 * tick if it has changed. */
#include "agent/hook/memory_told.h"

#include "base/own.h"
#include "shared/counters.h"

_Static_assert(LMP_OWN_RANGES >= OWN_MAP_MOST, "all ranges fit");

/* As collectgarbage("count") says it; 0: Lua does not tell now. Asking changes nothing in the
 * state. */
static uint64_t counted(lua_State *L) {
    int kib = lua_gc(L, LUA_GCCOUNT), rest = lua_gc(L, LUA_GCCOUNTB);
    return kib < 0 || rest < 0 ? 0 : (uint64_t)kib * 1024 + (uint64_t)rest;
}

void memory_told_begin(LmpProfile *p, lua_State *L) {
    p->live->memory.at_start = counted(L);
}

void memory_told_answer(LmpProfile *p, uint32_t request) {
    LmpMemory *m = &p->live->memory;
    const LmpCounters *c = p->counters;
    LmpClassTotal total[LMP_CLASSES];
    counters_read(c, total);
    int64_t before =
        (int64_t)(m->at_start - c->before_free_bytes + (uint64_t)c->before_realloc_bytes);
    atomic_fetch_add(&m->seq, 1);
    m->count = counted(p->main);
    m->live = c->live_bytes;
    m->own = total[LMP_C_OWN].live_bytes;
    m->before = before > 0 ? (uint64_t)before : 0;
    m->done = request;
    atomic_fetch_add(&m->seq, 1);
}

void memory_told_tick(LmpProfile *p) {
    LmpMemory *m = &p->live->memory;
    uint32_t changes = own_map_changes();
    if (m->range_changes == changes && m->ranges > 0) return;
    OwnMapRange range[OWN_MAP_MOST];
    uint32_t n = own_map_copy(range);
    atomic_fetch_add(&m->seq, 1);
    for (uint32_t i = 0; i < n; i++)
        m->range[i] = (LmpOwnRange){range[i].at, range[i].size};
    m->ranges = n;
    m->range_changes = changes;
    atomic_fetch_add(&m->seq, 1);
}
