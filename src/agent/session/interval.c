/* interval.c - a list of the running intervals; at each beginning, end and look the counters' mark
 * is split, and the mark since the last split belongs to all that are running. */
#include "agent/session/interval.h"

#include "agent/session/profiler.h"
#include "agent/session/session.h"
#include "base/os.h"
#include "shared/counters.h"

static LmpProfile *profile_of(lua_State *L, const LmpInterval *interval) {
    LmpProfile *p = interval->serial ? session_find(L) : NULL;
    return p && p->serial == interval->serial ? p : NULL;
}

static void split(LmpProfile *p) {
    uint64_t most = counters_split_peak(p->counters, lmp_os->clock() - p->start);
    for (LmpInterval *i = session_of(p)->intervals; i; i = i->next)
        if (most > i->most) i->most = most;
}

/* The profile that runs, or a new one with this life. */
static LmpErr find_or_start(lua_State *L, LmpLife life, LmpProfile **out) {
    LmpErr lack, err;
    LmpProfile *p = *out = session_find(L);
    if (p) return LMP_OK;
    LmpOptions options = profiler_defaults;
    options.summary = "";
    options.live = false;
    err = profiler_start(L, &options, &lack);
    if (err) return err;
    p = *out = session_find(L);
    if (!p) return LMP_E_NOTSTARTED;
    session_of(p)->life = life;
    return LMP_OK;
}

LmpErr interval_keep(lua_State *L) {
    LmpProfile *p;
    return find_or_start(L, LIFE_KEPT, &p);
}

LmpErr interval_begin(lua_State *L, LmpInterval *interval) {
    LmpProfile *p;
    LmpErr err = find_or_start(L, LIFE_INTERVALS, &p);
    if (err) return err;
    split(p);
    *interval = (LmpInterval){session_of(p)->intervals, p->serial, p->counters->live_bytes,
                              p->counters->live_bytes};
    session_of(p)->intervals = interval;
    return LMP_OK;
}

bool interval_again(lua_State *L, LmpInterval *interval) {
    LmpProfile *p = profile_of(L, interval);
    if (!p) return false;
    split(p);
    interval->start = interval->most = p->counters->live_bytes;
    return true;
}

bool interval_look(lua_State *L, LmpInterval *interval) {
    LmpProfile *p = profile_of(L, interval);
    if (p) split(p);
    return p != NULL;
}

void interval_end(lua_State *L, LmpInterval *interval) {
    LmpProfile *p = profile_of(L, interval);
    interval->serial = 0;
    if (!p) return;
    LmpSession *s = session_of(p);
    for (LmpInterval **at = &s->intervals; *at; at = &(*at)->next) {
        if (*at != interval) continue;
        *at = interval->next;
        break;
    }
    if (s->intervals) {
        interval->next = NULL;
        return;
    }
    counters_join_peak(p->counters, lmp_os->clock() - p->start);
    if (s->life == LIFE_INTERVALS) profiler_stop(L, NULL);
}
