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
#include "fields.h"
#include "helpers.h"
#include "module.h"
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

enum { REFUSAL = 1400 }; /* bytes of its text */

typedef struct Refusal {
    bool unprofiled;
    LmpErr err;
    const char *text;
} Refusal;

void module_describe_snapshot(char *out, size_t size, LmpErr err, const LmpSnapshotLive *of) {
    snprintf(out, size, "%s: %s: %s", of->file, err_message(err), err_of_file(of->os_error));
}

void module_describe(char *out, size_t size, LmpErr err, const LmpOptions *options, int why) {
    char name[1024];
    const char *file = options->record && *options->record ? options->record : ".";
    if (err == LMP_E_FILE)
        snprintf(out, size, "%s: %s%s%s", format_text(name, sizeof name, file, 0), err_message(err),
                 why ? ": " : "", why ? err_of_file(why) : "");
    else
        snprintf(out, size, "%s", err_message(err));
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

static int return_refusal(lua_State *L, Refusal refusal) {
    return module_own_call(L, push_refusal, &refusal, 3) == LUA_OK ? 3 : lua_error(L);
}

int module_refuse(lua_State *L, LmpErr err, const char *why) {
    if (err == LMP_E_NOTSTARTED) return luaL_error(L, "%s (call start first)", err_message(err));
    return return_refusal(L, (Refusal){true, err, why ? why : err_message(err)});
}

/* Reports all that was asked for and is not there; under `lmp run` header and summary say which
 * options are not. */
static void complain_of_lacks(lua_State *L, const LmpOptions *options) {
    LmpErr display, recording;
    LmpStats s;
    profiler_lacks(L, &display, &recording);
    if (display) complain("the program runs without a display", err_message(display));
    if (recording) {
        char text[REFUSAL];
        module_describe(text, sizeof text, recording, options, 0);
        complain("the program is not recorded", text);
    }
    if (options->run_socket >= 0) return;
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
    char text[REFUSAL];
    module_describe(text, sizeof text, err ? err : lack, options, err ? why : 0);
    profiler_note_refusal(L, err);
    if (err) {
        complain("the program runs unprofiled", text);
    } else if (lack) {
        complain_of_lacks(L, options);
    }
    if (err || lack) return return_refusal(L, (Refusal){err != LMP_OK, err ? err : lack, text});
    lua_pushboolean(L, 1);
    return 1;
}

/* start([true | number | options]): a number turns the display on, as it did in luamemprofiler. */
static int api_start(lua_State *L) {
    LmpOptions options = profiler_defaults;
    luaL_argcheck(L, !lua_istable(L, 2), 2, "one table has all options: start {live = true, ...}");
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

/* Fills in the requested parts of who made what; none if that fails. */
static LmpErr read_parts(lua_State *L, Figures *f) {
    if (!f->parts) return LMP_OK;
    LmpErr err = profiler_ledger(
        L, f->parts & LEDGER_OVERRIDES ? f->parts | LEDGER_SITES : f->parts, &f->ledger);
    if (!err) return LMP_OK;
    ledger_free(&f->ledger);
    f->parts = 0;
    return err;
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
    if (!err) err = read_parts(L, &figures);
    if (err) return module_refuse(L, err, NULL);
    return_figures(L, &figures);
    return 1;
}

/* stop([the same]): the parts are read first, nothing happens in between. It stops without them. */
static int api_stop(lua_State *L) {
    Figures figures = {.parts = figures_parts(L, "stop")};
    LmpErr lack = read_parts(L, &figures), err = profiler_stop(L, &figures.stats);
    if (err && err != LMP_E_WRAPPED) return module_refuse(L, err, NULL);
    return_figures(L, &figures);
    if (!err) err = lack;
    if (!err) return 1;
    lua_pushstring(L, err_message(err));
    lua_pushstring(L, err_name(err));
    return 3;
}

static int api_mark(lua_State *L) {
    profiler_mark(L, luaL_optstring(L, 1, NULL));
    return 0;
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

/* ---- snapshot -------------------------------------------------------------------------------- */

static void push_figures(lua_State *L, const LmpSnapshotLive *of) {
    lua_createtable(L, 0, 9);
    field_integer(L, "number", (lua_Integer)of->number);
    field_integer(L, "live_bytes", (lua_Integer)of->live_bytes);
    field_integer(L, "live_blocks", (lua_Integer)of->live_blocks);
    field_number(L, "stop", (double)of->stop / 1e9);
    field_flag(L, "forked", of->forked != 0);
    if (of->why_in_place[0]) field_text(L, "why_in_place", of->why_in_place);
    if (of->state != LMP_SNAPSHOT_WRITTEN) return; /* not known yet */
    field_integer(L, "objects", (lua_Integer)of->objects);
    field_integer(L, "file_bytes", (lua_Integer)of->bytes);
    field_number(L, "walk", (double)of->walk / 1e9);
    field_number(L, "slowest", (double)of->slowest / 1e9);
}

static void push_answer(lua_State *L, void *from) {
    const LmpSnapshotLive *of = from;
    lua_pushstring(L, of->file);
    push_figures(L, of);
}

static int api_snapshot(lua_State *L) {
    enum { GC = 1, WAIT = 2 };
    size_t length;
    static const FieldFlag options[] = {{"gc", GC}, {"wait", WAIT}, {NULL, 0}};
    const char *file = luaL_optlstring(L, 1, NULL, &length);
    luaL_argcheck(L, !file || (*file && strlen(file) == length), 1, "the name of a file expected");
    unsigned how = fields_flags(L, 2, "snapshot", "option", options);
    LmpSnapshotLive of = {0};
    char why[sizeof of.file + 200];
    LmpErr err = profiler_snapshot(L, file, how & GC, how & WAIT, &of);
    module_describe_snapshot(why, sizeof why, err, &of);
    if (err) return module_refuse(L, err, err == LMP_E_FILE ? why : NULL);
    return module_own_call(L, push_answer, &of, 2) == LUA_OK ? 2 : lua_error(L);
}

static const luaL_Reg functions[] = {
    {"start", api_start},
    {"stop", api_stop},
    {"stats", api_stats},
    {"mark", api_mark},
    {"frame", api_frame},
    {"tag", api_tag},
    {"snapshot", api_snapshot},
    {"measure", module_measure},
    {"measure_growth", module_measure_growth},
    {NULL, NULL},
};

int luaopen_luamemprofiler(lua_State *L) {
    luaL_checkversion(L);
    profiler_prepare(L);
    luaL_newlib(L, functions);
    values_register(L);
    field_text(L, "_VERSION", LMP_VERSION);
    return 1;
}

/* ---- started by `lmp run` -------------------------------------------------------------------- */

static void start_again(lua_State *L);

/* Returns the user's own LUA_INIT, as the interpreter would have run it (lua.c, handle_luainit). */
static int run_user_init(lua_State *L) {
    const char *init = getenv(LMP_ENV_USER_INIT LUA_VERSION_MAJOR "_" LUA_VERSION_MINOR);
    if (!init) return 0;
    int status = *init == '@' ? luaL_loadfile(L, init + 1)
                              : luaL_loadbuffer(L, init, strlen(init), "=LUA_INIT");
    if (status != LUA_OK) return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

int module_preload(lua_State *L) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    if (lua_getfield(L, -1, "luamemprofiler") == LUA_TNIL) {
        lua_pushcfunction(L, luaopen_luamemprofiler);
        lua_setfield(L, -3, "luamemprofiler");
    }
    helpers_preload(L);
    return 0;
}

/* `forked`: in a child of a profiled program. Returns false if LMP_RUN says nothing. */
static bool start_for_run(lua_State *L, bool forked) {
    const char *run = secure_getenv(LMP_ENV_RUN);
    char *text = run ? strdup(run) : NULL;
    LmpOptions options = profiler_defaults;
    options.again = start_again;
    bool wanted = text && options_read_run(text, &options);
    if (wanted) {
        if (forked) options.live = false;
        start_with(L, &options);
    }
    free(text);
    return wanted;
}

bool module_start_for_run(lua_State *L) {
    return !profiler_serial(L) && start_for_run(L, false);
}

static int start_in_child(lua_State *L) {
    start_for_run(L, true);
    return 0;
}

/* Called by a debug hook: no error may leave. */
static void start_again(lua_State *L) {
    lua_pushcfunction(L, start_in_child);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
}

int luaopen_luamemprofiler_run(lua_State *L) {
    luaL_checkversion(L);
    profiler_prepare(L);
    lua_pushcfunction(L, module_preload);
    (void)lua_pcall(L, 0, 0, 0); /* no memory: then the program reports that it found no module */
    module_start_for_run(L);
    lua_settop(L, 0);
    return run_user_init(L);
}
