/* session.h - a profile with what only its start and its end need: the display, the summary, `lmp
 * run`. For profiler.c and ending.c. */
#ifndef LMP_SESSION_H
#define LMP_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/charge/callers.h"
#include "agent/charge/cycles.h"
#include "agent/hook/break_check.h"
#include "agent/hook/limit.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/snapshot.h"
#include "agent/interp/collector.h"
#include "agent/interp/owner.h"
#include "agent/objects/containers.h"
#include "agent/session/display.h"
#include "agent/state/profile.h"

/* Until when a profile runs, besides its stop and its state's end. */
typedef enum LmpLife {
    LIFE_WHOLE,
    LIFE_ADOPTABLE, /* begun by `lmp run`: the script's own first start() is answered by it */
    LIFE_INTERVALS, /* begun for what is measured: it ends with the last interval */
    LIFE_KEPT       /* begun for what will be: it ends with the script's own start() */
} LmpLife;

typedef struct LmpSession {
    LmpProfile profile; /* first: the address of both is the same */
    /* what that points to */
    LmpSlowPath slow;
    LmpBreakCheck breaks;
    LmpCollector collector;
    LmpOwnerRules rules;
    LmpCycles cycles;
    LmpLiveHistoryPlan live_history;
    LmpSnapshots snapshots;
    LmpLimit limit;
    LmpContainerLooks containers;
    LmpCallerSampling callers;
    /* the session's own */
    LmpDisplay display;
    char summary[4096]; /* where the summary goes (ending.c): "" nowhere, "-" standard error */
    LmpErr no_display, no_recording; /* why what start() was asked for is not there */
    bool recorded;                   /* by the option of start(): then said with the summary, */
    char folder[1024]; /* of that file as it was given, with its slash; "": the current one */
    int run_socket;    /* to `lmp run`, which writes it unless it was killed; -1: none */
    ino_t run_inode;   /* of that socket */
    LmpLife life;
    bool exited; /* the end of the process has it: nothing of it is unmapped (profiler.c) */
    struct LmpInterval *intervals; /* that are measured now, interval.c */
    struct LmpSession *next;       /* list of profiler.c */
} LmpSession;

static inline LmpSession *session_of(LmpProfile *p) {
    return (LmpSession *)(void *)p;
}

/* Returns the profile of L's state, NULL: none is running. Allocates nothing. */
LmpProfile *session_find(lua_State *L);

/* Returns why none is running: what has refused the script's last start, else NOTSTARTED. */
LmpErr session_not_running(lua_State *L);

/* Lets the profile point to its parts. */
static inline void session_join(LmpSession *s) {
    LmpProfile *p = &s->profile;
    p->slow = &s->slow;
    p->breaks = &s->breaks;
    p->collector = &s->collector;
    p->rules = &s->rules;
    p->cycles = &s->cycles;
    p->live_history = &s->live_history;
    p->snapshots = &s->snapshots;
    p->limit = &s->limit;
    p->containers = &s->containers;
    p->callers = &s->callers;
}

#endif
