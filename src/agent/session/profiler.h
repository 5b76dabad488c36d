/* profiler.h - the life of a profile: start, find, stop, and every way a program can end.
 *
 * All functions that take a lua_State must be called from the thread that runs it. Different states
 * may be profiled in different threads at once. */
#ifndef LMP_PROFILER_H
#define LMP_PROFILER_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/hook/limit.h"
#include "agent/objects/walk.h"
#include "agent/session/options.h"
#include "agent/state/own_call.h"
#include "base/err.h"
#include "read/ledger/ledger.h"
#include "read/stats.h"

extern const LmpOptions profiler_defaults;

/* Prepares a state so that every profile in it ends with it: call when the module is loaded. May
 * raise a Lua memory error. */
void profiler_prepare(lua_State *L);

/* Starts profiling L's state. A profile that `lmp run` has begun answers the script's own first
 * start: it goes on as it is. Pushes and pops; may raise a Lua memory error before anything has
 * begun. *lack: the first that was requested and is not available (the profile runs): the display,
 * then the recording (profiler_lacks), then LMP_E_NOLINES, LMP_E_NOSTACKS, LMP_E_NOSAMPLE, where
 * the figures say why. Or LMP_OK. Errors: STARTED, CLOSED, NOMEM, MEMFD, FILE (the recording's;
 * errno): nothing has changed. */
LmpErr profiler_start(lua_State *L, const LmpOptions *options, LmpErr *lack);
/* Returns LMP_OK if a profile runs in L's state, else why not: what has refused the script's last
 * start, or NOTSTARTED. */
LmpErr profiler_running(lua_State *L);
/* Returns the number of L's running profile in its process, from 1 on; 0: none is running. */
uint32_t profiler_serial(lua_State *L);

/* Tells why the running profile has no display or no recording that start was asked for; LMP_OK:
 * none is missing. */
void profiler_lacks(lua_State *L, LmpErr *display, LmpErr *recording);

/* Notes what has refused the script's last start, LMP_OK: nothing. Until the next one, or a stop,
 * that is the error of what needs a profile, in place of NOTSTARTED. */
void profiler_note_refusal(lua_State *L, LmpErr err);

/* Stops: the state has its old allocator back, the display has ended, the summary is written. The
 * last figures go to *last (may be NULL). Errors: NOTSTARTED; WRAPPED: another allocator was put
 * over ours, which therefore stays, passing through (the profile has ended all the same). */
LmpErr profiler_stop(lua_State *L, LmpStats *last);

/* Reads the figures of this moment. Error: NOTSTARTED. */
LmpErr profiler_stats(lua_State *L, LmpStats *out);

/* Sums up who made what until this moment (ledger.h): `parts` are LEDGER_*; *out is the caller's,
 * as for ledger_refresh. Without lines it has no rows. Errors: NOTSTARTED, NOMEM. */
LmpErr profiler_ledger(lua_State *L, unsigned parts, Ledger *out);

/* Charges what L does from now on to a tag (tags.h); `name` NULL: to none. Returns the name of the
 * one before, NULL: none; good as long as the profile. Without a running profile, or one with
 * lines, it does nothing and returns NULL. */
const char *profiler_tag(lua_State *L, const char *name);

/* Leaves blocks that L's running C function asks for uncounted, from here to the end call. Such
 * calls nest (a finalizer that runs within one may make the next): the end call is given what the
 * begin call returned. The end call must not be skipped when an error is raised: the function's
 * CallInfo would be reused for another function. Without a running profile both do nothing. */
LmpOwn profiler_own_begin(lua_State *L);
void profiler_own_end(lua_State *L, LmpOwn before);

/* Notes a mark; `name` NULL: numbered. Without a running profile it does nothing. */
void profiler_mark(lua_State *L, const char *name);

/* Takes a snapshot of the heap (snapshot.h), or begins to: *out tells. `file` NULL: a name is
 * chosen. `collect`: after a full collection; `wait`: returns when it is written. Errors:
 * NOTSTARTED, BUSY; and those that out->error tells, too. */
LmpErr profiler_snapshot(lua_State *L, const char *file, bool collect, bool wait,
                         LmpSnapshotLive *out);

/* Records from now on into `file`, "": a name is chosen. Errors: NOTSTARTED; BUSY: it is being
 * recorded; FILE (errno), NOVIEWER, VIEWER, SECURE. */
LmpErr profiler_record(lua_State *L, const char *file);

/* Has `reached` called when the heap grows above `bytes` (limit.h); 0: no more. Error:
 * NOTSTARTED. */
LmpErr profiler_limit(lua_State *L, uint64_t bytes, LmpLimitReached *reached, void *ud);

/* Walks L's heap where it lies (walk.h), profiled or not: *out is in *memory until
 * objectmemory_free. Errors as walk_run's. */
LmpErr profiler_objects(lua_State *L, LmpObjectMemory *memory, LmpObjectGraph *out);

/* Ends a lap of the program's own, and begins the next (laps.h). Returns false if it was the first
 * call, or no profile is running. Otherwise *lap is the lap that has ended. Allocates nothing. */
bool profiler_lap(lua_State *L, const char *name, LmpLap *lap);

#endif
