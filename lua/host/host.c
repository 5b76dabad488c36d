/* host.c - the functions of lmp.h within the module. Each is one C function of Lua, called
 * protected: so no error leaves it, and the stack is as it was. */
#include "host/host.h"

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/profiler.h"
#include "base/err.h"
#include "module.h"

__attribute__((visibility("default"))) extern const LmpHostTable lmp_host;

/* The numbers of lmp.h are those of the one table. */
#define SAME(name) _Static_assert((int)LMP_ERR_##name == (int)LMP_E_##name, #name)
SAME(NOMEM);
SAME(INVAL);
SAME(MEMFD);
SAME(NOTTY);
SAME(NOVIEWER);
SAME(VIEWER);
SAME(PTY);
SAME(STARTED);
SAME(NOTSTARTED);
SAME(CLOSED);
SAME(WRAPPED);
SAME(SECURE);
SAME(NOLINES);
SAME(NOSTACKS);
SAME(NOSAMPLE);
SAME(NOCOUNTS);
SAME(FILE);
SAME(LAYOUT);
SAME(BUSY);
SAME(CHILD);
SAME(OPTION);
SAME(NOMODULE);
SAME(THREAD);
SAME(RAISED);
_Static_assert((int)LMP_TYPES == (int)LMP_KINDS && (int)LMP_TYPE_TABLE == (int)LMP_TABLE, "types");

/* ---- protected calls ------------------------------------------------------------------------- */

/* What is done, with what of lmp.h's function it takes and gives. May raise an error. */
typedef struct Call Call;
struct Call {
    LmpErr (*body)(lua_State *L, Call *call);
    char *why; /* LMP_WHY bytes: "" stands for the error's own message */
    LmpErr err;
    const char *name;
    void *out;
    size_t *count;
    const char **before;
    char *options;
    int how;
    uint64_t bytes;
    lmp_Reached *reached;
    void *ud;
};

static int enter(lua_State *L) {
    Call *call = lua_touserdata(L, 1);
    call->err = call->body(L, call);
    return 0;
}

static LmpErr protect(lua_State *L, Call *call) {
    if (lua_status(L) != LUA_OK) return LMP_E_THREAD;
    if (!lua_checkstack(L, 4)) return LMP_E_NOMEM;
    lua_pushcfunction(L, enter);
    lua_pushlightuserdata(L, call);
    int status = lua_pcall(L, 1, 0, 0);
    if (status == LUA_OK) return call->err;
    if (lua_type(L, -1) == LUA_TSTRING) snprintf(call->why, LMP_WHY, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    return status == LUA_ERRMEM ? LMP_E_NOMEM : LMP_E_RAISED;
}

static int answer(lua_State *L, LmpErr (*body)(lua_State *, Call *), char *why, Call call) {
    call.body = body;
    call.why = why;
    *why = 0;
    LmpErr err = protect(L, &call);
    if (err && !*why) snprintf(why, LMP_WHY, "%s", err_message(err));
    return (int)err;
}

/* ---- start and stop -------------------------------------------------------------------------- */

static LmpErr do_offer(lua_State *L, Call *call) {
    (void)call;
    luaL_checkversion(L);
    module_preload(L);
    return LMP_OK;
}

static LmpErr do_start(lua_State *L, Call *call) {
    LmpOptions options = profiler_defaults;
    LmpErr lack;
    options.summary = "";
    do_offer(L, call);
    if (call->options && !options_read_text(call->options, &options, call->why))
        return LMP_E_OPTION;
    if (module_start_for_run(L)) return LMP_OK;
    LmpErr err = profiler_start(L, &options, &lack);
    int why = errno;
    if (err != LMP_E_STARTED) profiler_note_refusal(L, err);
    if (!err) err = lack;
    if (err) module_describe(call->why, LMP_WHY, err, &options, why);
    return err;
}

static int start(lua_State *L, const char *options, char *why) {
    char *text = options ? strdup(options) : NULL;
    int err = answer(L, do_start, why, (Call){.options = text});
    free(text);
    return err;
}

static int running(lua_State *L) {
    return lua_checkstack(L, 2) && profiler_running(L) == LMP_OK;
}

static int offer(lua_State *L, char *why) {
    return answer(L, do_offer, why, (Call){.why = why});
}

static void fill(lmp_Figures *out, const LmpStats *s) {
    *out = (lmp_Figures){.live_bytes = s->live_bytes,
                         .live_blocks = s->live_blocks,
                         .peak_bytes = s->peak_bytes,
                         .mallocs = s->mallocs,
                         .malloc_bytes = s->malloc_bytes,
                         .reallocs = s->reallocs,
                         .realloc_bytes = s->realloc_bytes,
                         .frees = s->frees,
                         .free_bytes = s->free_bytes,
                         .gc_cycles = s->gc_cycles,
                         .gc_freed_bytes = s->gc_freed_bytes,
                         .dropped = s->dropped,
                         .seconds = s->seconds};
    for (int k = 0; k < LMP_TYPES; k++) {
        out->type[k].live_bytes = s->kind[k].live_bytes;
        out->type[k].live_blocks = s->kind[k].live_blocks;
    }
}

static LmpErr do_stop(lua_State *L, Call *call) {
    LmpStats stats;
    LmpErr err = profiler_stop(L, &stats);
    if (call->out && (!err || err == LMP_E_WRAPPED)) fill(call->out, &stats);
    return err;
}

static int stop(lua_State *L, lmp_Figures *last, char *why) {
    return answer(L, do_stop, why, (Call){.out = last});
}

/* ---- figures --------------------------------------------------------------------------------- */

static LmpErr do_figures(lua_State *L, Call *call) {
    LmpStats stats;
    LmpErr err = profiler_stats(L, &stats);
    if (!err) fill(call->out, &stats);
    return err;
}

static int figures(lua_State *L, lmp_Figures *out, char *why) {
    return answer(L, do_figures, why, (Call){.out = out});
}

static void fill_line(lmp_Line *out, const LmpSiteRow *row) {
    *out = (lmp_Line){.line = row->line > 0 ? row->line : 0,
                      .live_bytes = row->tally.live_bytes,
                      .live_blocks = row->tally.live_blocks,
                      .made_bytes = row->tally.bytes + (uint64_t)row->tally.realloc_bytes,
                      .allocs = row->tally.allocs};
    snprintf(out->source, sizeof out->source, "%s", row->short_src);
    snprintf(out->function, sizeof out->function, "%s", row->func);
}

static LmpErr do_lines(lua_State *L, Call *call) {
    Ledger ledger = {0};
    lmp_Line *out = call->out;
    size_t most = *call->count;
    *call->count = 0;
    LmpErr err = profiler_ledger(L, LEDGER_SITES, &ledger);
    if (!err) figures_sort_sites(&ledger);
    for (uint32_t i = 0; !err && i < ledger.sites && i < most; i++)
        fill_line(&out[(*call->count)++], &ledger.site[i]);
    ledger_free(&ledger);
    return err;
}

static int lines(lua_State *L, lmp_Line out[], size_t *n, char *why) {
    return answer(L, do_lines, why, (Call){.out = out, .count = n});
}

/* ---- frames, tags, marks, a limit ------------------------------------------------------------ */

static LmpErr do_frame(lua_State *L, Call *call) {
    LmpLap lap = {0};
    lmp_Frame *out = call->out;
    LmpErr err = profiler_running(L);
    if (!err && !profiler_lap(L, call->name, &lap)) lap = (LmpLap){0};
    if (!err && out)
        *out = (lmp_Frame){
            lap.number, lap.bytes, lap.allocs, lap.cycles, (double)(lap.end - lap.start) / 1e9,
            {0}};
    return err;
}

static int frame(lua_State *L, const char *name, lmp_Frame *out, char *why) {
    return answer(L, do_frame, why, (Call){.name = name, .out = out});
}

static LmpErr do_tag(lua_State *L, Call *call) {
    const char *before = NULL;
    LmpErr err = profiler_running(L);
    if (!err) before = profiler_tag(L, call->name && *call->name ? call->name : NULL);
    if (call->before) *call->before = before;
    return err;
}

static int tag(lua_State *L, const char *name, const char **before, char *why) {
    return answer(L, do_tag, why, (Call){.name = name, .before = before});
}

static LmpErr do_mark(lua_State *L, Call *call) {
    LmpErr err = profiler_running(L);
    if (!err) profiler_mark(L, call->name);
    return err;
}

static int mark(lua_State *L, const char *name, char *why) {
    return answer(L, do_mark, why, (Call){.name = name});
}

static LmpErr do_limit(lua_State *L, Call *call) {
    return profiler_limit(L, call->reached ? call->bytes : 0, call->reached, call->ud);
}

static int limit(lua_State *L, uint64_t bytes, lmp_Reached *reached, void *ud, char *why) {
    return answer(L, do_limit, why, (Call){.bytes = bytes, .reached = reached, .ud = ud});
}

/* ---- files ----------------------------------------------------------------------------------- */

static LmpErr do_snapshot(lua_State *L, Call *call) {
    LmpSnapshotLive of = {0};
    LmpErr err = profiler_snapshot(L, call->name && *call->name ? call->name : NULL,
                                   call->how & LMP_COLLECT, call->how & LMP_WAIT, &of);
    if (err == LMP_E_FILE) module_describe_snapshot(call->why, LMP_WHY, err, &of);
    return err;
}

static int snapshot(lua_State *L, const char *file, int how, char *why) {
    return answer(L, do_snapshot, why, (Call){.name = file, .how = how});
}

static LmpErr do_record(lua_State *L, Call *call) {
    LmpOptions options = {.record = call->name ? call->name : ""};
    errno = 0;
    LmpErr err = profiler_record(L, options.record);
    if (err == LMP_E_BUSY) snprintf(call->why, LMP_WHY, "the run is being recorded already");
    if (err == LMP_E_FILE) module_describe(call->why, LMP_WHY, err, &options, errno);
    return err;
}

static int record(lua_State *L, const char *file, char *why) {
    return answer(L, do_record, why, (Call){.name = file});
}

const LmpHostTable lmp_host = {
    LMP_HOST_TABLE, sizeof lmp_host, LUA_VERSION_NUM, start, running, offer,
    stop,           figures,         lines,           frame, tag,     mark,
    limit,          snapshot,        record};
