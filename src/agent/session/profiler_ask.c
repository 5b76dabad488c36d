/* profiler_ask.c - what a running profile is asked and told in between: figures, the heap, tags,
 * marks, laps, snapshots. */
#include "agent/charge/calls.h"
#include "agent/charge/cycles.h"
#include "agent/charge/lines.h"
#include "agent/charge/names.h"
#include "agent/charge/tags.h"
#include "agent/hook/foreign.h"
#include "agent/hook/light.h"
#include "agent/hook/requests.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/snapshot.h"
#include "agent/hook/trap.h"
#include "agent/session/profiler.h"
#include "agent/session/recorders.h"
#include "agent/session/session.h"
#include "base/os.h"
#include "shared/counters.h"
#include "shared/recnote.h"

LmpErr profiler_stats(lua_State *L, LmpStats *out) {
    LmpProfile *p = session_find(L);
    if (!p) return session_not_running(L);
    cycles_look(p); /* a collection may have been the last thing that happened */
    foreign_tell(p);
    if (p->counts) calls_look(p);
    stats_derive(p->live, lmp_os->clock() - p->start, out);
    return LMP_OK;
}

LmpErr profiler_running(lua_State *L) {
    return session_find(L) ? LMP_OK : session_not_running(L);
}

uint32_t profiler_serial(lua_State *L) {
    const LmpProfile *p = session_find(L);
    return p ? p->serial : 0;
}

LmpErr profiler_objects(lua_State *L, LmpObjectMemory *memory, LmpObjectGraph *out) {
    LmpProfile *p = session_find(L);
    LmpObjectSource source;
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lua_State *main = lua_tothread(L, -1);
    lua_pop(L, 1);
    if (p) {
        light_whole(p, true);
        walk_source(&source, p, NULL);
    } else {
        walk_source_bare(&source, main);
    }
    return walk_run(&source, memory, out, NULL);
}

LmpErr profiler_ledger(lua_State *L, unsigned parts, Ledger *out) {
    LmpProfile *p = session_find(L);
    if (!p) return session_not_running(L);
    cycles_look(p);
    names_look(p, L);
    return ledger_refresh(out, &p->tables, parts, lmp_os->clock() - p->start);
}

const char *profiler_tag(lua_State *L, const char *name) {
    LmpProfile *p = session_find(L);
    if (!p || !p->lines) return NULL;
    const char *before = tags_set(p, L, name);
    if (p->tags) lines_tag_changed(p, L);
    return before;
}

LmpOwn profiler_own_begin(lua_State *L) {
    LmpProfile *p = session_find(L);
    return p ? trap_own_begin(p, L) : (LmpOwn){NULL, NULL};
}

void profiler_own_end(lua_State *L, LmpOwn before) {
    LmpProfile *p = session_find(L);
    if (p) trap_own_end(p, before);
}

void profiler_mark(lua_State *L, const char *name) {
    LmpProfile *p = session_find(L);
    if (!p) return;
    names_look(p, L);
    requests_mark(p, name);
}

LmpErr profiler_snapshot(lua_State *L, const char *file, bool collect, bool wait,
                         LmpSnapshotLive *out) {
    LmpProfile *p = session_find(L);
    if (!p) return session_not_running(L);
    if (collect) lua_gc(L, LUA_GCCOLLECT);
    p = session_find(L); /* finalizers may do anything */
    if (!p) return session_not_running(L);
    cycles_look(p);
    names_look(p, L);
    LmpSnapshotWish wish = {.file = file, .how = collect ? LMP_SNAPSHOT_COLLECT : LMP_SNAPSHOT_ALL};
    LmpErr err = snapshot_take(p, &wish, NULL);
    if (wait && !err) snapshot_wait(p);
    freeze_release(&p->snapshots->freeze);
    slow_path_route(p);
    *out = p->live->snapshot;
    return err ? err : (LmpErr)out->error;
}

LmpErr profiler_record(lua_State *L, const char *file) {
    LmpProfile *p = session_find(L);
    if (!p) return session_not_running(L);
    if (recnote_held(own_fd_get(&p->file))) return LMP_E_BUSY;
    return recorders_possible(file) ? LMP_E_FILE : recorders_start(session_of(p), file);
}

LmpErr profiler_limit(lua_State *L, uint64_t bytes, LmpLimitReached *reached, void *ud) {
    LmpProfile *p = session_find(L);
    if (!p) return session_not_running(L);
    limit_set(p, bytes, reached, ud);
    return LMP_OK;
}

bool profiler_lap(lua_State *L, const char *name, LmpLap *lap) {
    LmpProfile *p = session_find(L);
    if (!p) return false;
    cycles_look(p);
    LmpLapMoment now = {.clock = lmp_os->clock() - p->start, .cycles = p->live->gc.cycles};
    counters_allocs(p->counters, &now.allocs, &now.alloc_bytes, &now.realloc_bytes);
    return laps_end(&p->live->laps, &now, name, lap);
}
