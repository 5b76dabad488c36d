/* luamemprofiler.c - the Lua module: checks arguments, calls profiler.h, makes tables of figures.
 *
 * Misuse raises an error that names the argument. What the environment refuses is one line on
 * standard error, and the program runs on: start() then gives nil, message, code (no profile) or
 * true, message, code (a profile, but without the display, or without another option). */
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "base/format.h"
#include "figures.h"
#include "heap.h"
#include "measured.h"
#include "module.h"
#include "options.h"
#include "shared/launch.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int luaopen_luamemprofiler(lua_State *L);
EXPORT int luaopen_luamemprofiler_run(lua_State *L);

/* ---- start and stop -------------------------------------------------------------------------- */

static void complain(const char *what, const char *why) {
    dprintf(STDERR_FILENO, "lmp: %s: %s\n", what, why);
}

typedef struct OwnCall {
    void (*make)(lua_State *L, void *from);
    void *from;
    LmpOwn before;
    bool begun;
} OwnCall;

static int own_body(lua_State *L) {
    OwnCall *call = lua_touserdata(L, 1);
    call->before = profiler_own_begin(L);
    call->begun = true;
    lua_settop(L, 0);
    call->make(L, call->from);
    return lua_gettop(L);
}

int module_own_call(lua_State *L, void (*make)(lua_State *, void *), void *from, int results) {
    OwnCall call = {.make = make, .from = from};
    lua_pushcfunction(L, own_body);
    lua_pushlightuserdata(L, &call);
    int status = lua_pcall(L, 1, results, 0);
    if (call.begun) profiler_own_end(L, call.before);
    return status;
}

typedef struct Refusal {
    bool unprofiled;
    LmpErr err;
    char text[1400];
} Refusal;

/* Of a recording's file also which it is and, if it is known, what the system says of it. */
static void describe(Refusal *r, const LmpOptions *options, int why) {
    char name[1024];
    const char *file = options->record && *options->record ? options->record : ".";
    if (r->err == LMP_E_FILE)
        snprintf(r->text, sizeof r->text, "%s: %s%s%s", format_text(name, sizeof name, file, 0),
                 err_message(r->err), why ? ": " : "", why ? err_of_file(why) : "");
    else
        snprintf(r->text, sizeof r->text, "%s", err_message(r->err));
}

static void push_refusal(lua_State *L, void *from) {
    const Refusal *r = from;
    if (r->unprofiled) {
        luaL_pushfail(L);
    } else {
        lua_pushboolean(L, 1);
    }
    lua_pushstring(L, r->text);
    lua_pushstring(L, err_name(r->err));
}

/* Reports all options that are not available; under `lmp run` header and summary do that. */
static void complain_of_options(lua_State *L) {
    LmpStats s;
    if (profiler_stats(L, &s)) return;
    if (s.lines == LMP_LINES_OFF && s.why)
        complain(err_message(LMP_E_NOLINES), stats_why_words[s.why]);
    if (s.stacks_why) complain(err_message(LMP_E_NOSTACKS), stats_why_words[s.stacks_why]);
    if (s.sample_why) complain(err_message(LMP_E_NOSAMPLE), stats_why_words[s.sample_why]);
}

static int start_with(lua_State *L, const LmpOptions *options) {
    LmpErr lack;
    LmpErr err = profiler_start(L, options, &lack);
    if (err == LMP_E_STARTED) return luaL_error(L, "%s (call stop first)", err_message(err));
    int why = errno;
    Refusal refusal = {.unprofiled = err != LMP_OK, .err = err ? err : lack};
    describe(&refusal, options, err ? why : 0);
    bool of_options = lack >= LMP_E_NOLINES && lack <= LMP_E_NOCOUNTS;
    bool of_record = options->record && (!options->live || lack == LMP_E_FILE);
    if (err) {
        complain("the program runs unprofiled", refusal.text);
    } else {
        if (lack && !of_options)
            complain(of_record ? "the program is not recorded"
                               : "the program runs without a display",
                     refusal.text);
        if (lack && options->run_socket < 0) complain_of_options(L);
    }
    if (!refusal.err) {
        lua_pushboolean(L, 1);
        return 1;
    }
    return module_own_call(L, push_refusal, &refusal, 3) == LUA_OK ? 3 : lua_error(L);
}

/* start([true | number | options]): a number turns the display on, as it did in luamemprofiler. */
static int api_start(lua_State *L) {
    LmpOptions options = profiler_defaults;
    switch (lua_type(L, 1)) {
    case LUA_TNONE:
    case LUA_TNIL:
        break;
    case LUA_TBOOLEAN:
        options.live = lua_toboolean(L, 1);
        break;
    case LUA_TNUMBER:
        luaL_argcheck(L, lua_tonumber(L, 1) >= 0, 1, "a number that is not negative expected");
        options.live = true;
        break;
    case LUA_TTABLE:
        options_check(L, &options);
        break;
    default:
        return luaL_typeerror(L, 1, "boolean, number or table");
    }
    return start_with(L, &options);
}

/* Fills in the requested parts of who made what; raises an error if that fails. */
static void read_parts(lua_State *L, Figures *f) {
    if (!f->parts) return;
    LmpErr err = profiler_ledger(
        L, f->parts & LEDGER_OVERRIDES ? f->parts | LEDGER_SITES : f->parts, &f->ledger);
    if (!err) return;
    ledger_free(&f->ledger);
    if (err == LMP_E_NOTSTARTED) luaL_error(L, "%s (call start first)", err_message(err));
    luaL_error(L, "%s", err_message(err));
}

/* Pushes the figures as a table. */
static void return_figures(lua_State *L, Figures *f) {
    int status = module_own_call(L, figures_push, f, 1);
    ledger_free(&f->ledger);
    if (status != LUA_OK) lua_error(L);
}

/* stats([{sites = true, functions = true, ...}]) */
static int api_stats(lua_State *L) {
    Figures figures = {.parts = figures_parts(L, "stats")};
    LmpErr err = profiler_stats(L, &figures.stats);
    if (err) return luaL_error(L, "%s (call start first)", err_message(err));
    read_parts(L, &figures);
    return_figures(L, &figures);
    return 1;
}

/* stop([the same]): the parts are read first, nothing happens in between. */
static int api_stop(lua_State *L) {
    Figures figures = {.parts = figures_parts(L, "stop")};
    read_parts(L, &figures);
    LmpErr err = profiler_stop(L, &figures.stats);
    if (err == LMP_E_NOTSTARTED) return luaL_error(L, "%s (call start first)", err_message(err));
    return_figures(L, &figures);
    if (!err) return 1;
    lua_pushstring(L, err_message(err));
    lua_pushstring(L, err_name(err));
    return 3;
}

static int api_mark(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    LmpErr err = profiler_mark(L, name);
    return err ? luaL_error(L, "%s (call start first)", err_message(err)) : 0;
}

/* frame([name]): one frame of the program's own ends, and the next begins. Returns the bytes made
 * in it and the number of allocations; nothing is made here, not even of a number a string. */
static int api_frame(lua_State *L) {
    LmpLap lap;
    if (!lua_isnoneornil(L, 1)) luaL_checktype(L, 1, LUA_TSTRING);
    const char *name = lua_tostring(L, 1);
    if (!profiler_lap(L, name, &lap)) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)lap.bytes);
    lua_pushinteger(L, (lua_Integer)lap.allocs);
    return 2;
}

static void push_name(lua_State *L, void *from) {
    lua_pushstring(L, from);
}

/* tag([name]): what the running coroutine does from now on is charged to it. Returns the name
 * before.
 */
static int api_tag(lua_State *L) {
    size_t length;
    const char *name = luaL_optlstring(L, 1, NULL, &length);
    luaL_argcheck(L, !name || (*name && strlen(name) == length), 1,
                  "a name that is not empty expected");
    const char *before = profiler_tag(L, name);
    if (!before) {
        lua_pushnil(L);
        return 1;
    }
    if (module_own_call(L, push_name, (void *)before, 1) != LUA_OK) return lua_error(L);
    return 1;
}

static const luaL_Reg functions[] = {
    {"start", api_start},
    {"stop", api_stop},
    {"stats", api_stats},
    {"mark", api_mark},
    {"frame", api_frame},
    {"tag", api_tag},
    {"snapshot", module_snapshot},
    {"measure", module_measure},
    {"measure_growth", module_measure_growth},
    {NULL, NULL},
};

int luaopen_luamemprofiler(lua_State *L) {
    luaL_checkversion(L);
    profiler_prepare(L);
    luaL_newlib(L, functions);
    heap_register(L);
    lua_pushliteral(L, LMP_VERSION);
    lua_setfield(L, -2, "_VERSION");
    return 1;
}

/* ---- started by `lmp run` -------------------------------------------------------------------- */

/* The user's own LUA_INIT, as the interpreter would have run it (lua.c, handle_luainit). */
static int run_user_init(lua_State *L) {
    const char *init = getenv(LMP_ENV_USER_INIT);
    if (!init) return 0;
    int status = *init == '@' ? luaL_loadfile(L, init + 1)
                              : luaL_loadbuffer(L, init, strlen(init), "=LUA_INIT");
    if (status != LUA_OK) return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

/* So that `require "luamemprofiler"` finds this very module, wherever it lies. */
static int preload(lua_State *L) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    if (lua_getfield(L, -1, "luamemprofiler") == LUA_TNIL) {
        lua_pushcfunction(L, luaopen_luamemprofiler);
        lua_setfield(L, -3, "luamemprofiler");
    }
    return 0;
}

int luaopen_luamemprofiler_run(lua_State *L) {
    luaL_checkversion(L);
    profiler_prepare(L);
    lua_pushcfunction(L, preload);
    (void)lua_pcall(L, 0, 0, 0); /* no memory: then the program reports that it found no module */
    const char *run = secure_getenv(LMP_ENV_RUN);
    char *text = run ? strdup(run) : NULL;
    LmpOptions options = profiler_defaults;
    if (text && options_read_run(text, &options)) start_with(L, &options);
    free(text);
    lua_settop(L, 0);
    return run_user_init(L);
}
