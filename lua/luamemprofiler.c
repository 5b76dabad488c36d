/* luamemprofiler.c - the Lua module: checks arguments, calls profiler.h, makes tables of figures.
 *
 * Misuse raises an error that names the argument. What the environment refuses is one line on
 * standard error, and the program runs on: start() then gives nil, message, code (no profile) or
 * true, message, code (a profile, but no display). */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"
#include "profiler.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int luaopen_luamemprofiler(lua_State *L);
EXPORT int luaopen_luamemprofiler_run(lua_State *L);

/* ---- options: one row each
 * --------------------------------------------------------------------------- */

static void set_live(lua_State *L, LmpOptions *o) {
    o->live = lua_toboolean(L, -1);
}

static void set_hold(lua_State *L, LmpOptions *o) {
    o->hold = lua_toboolean(L, -1);
}

static void set_fps(lua_State *L, LmpOptions *o) {
    o->fps = lua_tonumber(L, -1);
}

/* Strings are anchored in the options table (or the environment's copy) for the length of start. */
static void set_summary(lua_State *L, LmpOptions *o) {
    o->summary = lua_isboolean(L, -1) ? (lua_toboolean(L, -1) ? "-" : "") : lua_tostring(L, -1);
}

static void set_name(lua_State *L, LmpOptions *o) {
    o->name = lua_tostring(L, -1);
}

static bool is_boolean(lua_State *L) {
    return lua_isboolean(L, -1);
}

static bool is_fps(lua_State *L) {
    lua_Number n = lua_tonumber(L, -1);
    return lua_type(L, -1) == LUA_TNUMBER && n >= LMP_FPS_MIN && n <= LMP_FPS_MAX;
}

static bool is_text(lua_State *L) {
    size_t length;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
    return text && length > 0 && strlen(text) == length;
}

static bool is_summary(lua_State *L) {
    return lua_isboolean(L, -1) || is_text(L);
}

static const struct Option {
    const char *name;
    bool (*fits)(lua_State *L); /* is the value on top of the stack one? */
    const char *expected;
    void (*set)(lua_State *L, LmpOptions *o);
} options_table[] = {
    {"live", is_boolean, "a boolean", set_live},
    {"summary", is_summary, "a boolean or the name of a file", set_summary},
    {"hold", is_boolean, "a boolean", set_hold},
    {"fps", is_fps, "a number from 0.1 to 60", set_fps},
    {"name", is_text, "a string that is not empty", set_name},
};
enum { OPTIONS = sizeof options_table / sizeof *options_table };

static const struct Option *find_option(const char *name) {
    for (int i = 0; i < OPTIONS; i++)
        if (!strcmp(options_table[i].name, name)) return &options_table[i];
    return NULL;
}

static void all_names(char *out, size_t size) {
    size_t used = 0;
    for (int i = 0; i < OPTIONS && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, i ? ", %s" : "%s", options_table[i].name);
}

/* The options table at index 1. */
static void check_options(lua_State *L, LmpOptions *o) {
    char names[128];
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        const struct Option *option = key ? find_option(key) : NULL;
        if (!option) {
            all_names(names, sizeof names);
            const char *shown = key ? key : luaL_tolstring(L, -2, NULL);
            luaL_error(L, "bad argument #1 to 'start' (unknown option '%s'; there are: %s)", shown,
                       names);
        } else if (!option->fits(L)) {
            luaL_error(L, "bad argument #1 to 'start' (option '%s' must be %s, got %s)", key,
                       option->expected,
                       lua_type(L, -1) == LUA_TNUMBER ? lua_tostring(L, -1) : luaL_typename(L, -1));
        }
        option->set(L, o);
        lua_pop(L, 1);
    }
}

/* ---- start and stop
 * ----------------------------------------------------------------------------------- */

static void complain(const char *what, LmpErr err) {
    dprintf(STDERR_FILENO, "lmp: %s: %s\n", what, err_message(err));
}

/* Makes our own values for the program: `make` pushes `results` of them, and none of the blocks
 * that it asks for is counted. Protected, so that the end of the own call is not missed. */
typedef struct OwnCall {
    void (*make)(lua_State *L, const void *from);
    const void *from;
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

static int own_call(lua_State *L, void (*make)(lua_State *, const void *), const void *from,
                    int results) {
    OwnCall call = {.make = make, .from = from};
    lua_pushcfunction(L, own_body);
    lua_pushlightuserdata(L, &call);
    int status = lua_pcall(L, 1, results, 0);
    if (call.begun) profiler_own_end(L, call.before);
    return status == LUA_OK ? results : lua_error(L);
}

typedef struct Refusal {
    bool unprofiled;
    LmpErr err;
} Refusal;

static void push_refusal(lua_State *L, const void *from) {
    const Refusal *r = from;
    if (r->unprofiled) {
        luaL_pushfail(L);
    } else {
        lua_pushboolean(L, 1);
    }
    lua_pushstring(L, err_message(r->err));
    lua_pushstring(L, err_name(r->err));
}

static int start_with(lua_State *L, const LmpOptions *options) {
    LmpErr display;
    LmpErr err = profiler_start(L, options, &display);
    if (err == LMP_E_STARTED) return luaL_error(L, "%s (call stop first)", err_message(err));
    LmpErr said = err ? err : display;
    if (!said) {
        lua_pushboolean(L, 1);
        return 1;
    }
    complain(err ? "the program runs unprofiled" : "the program runs without a display", said);
    Refusal refusal = {err != LMP_OK, said};
    return own_call(L, push_refusal, &refusal, 3);
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
        check_options(L, &options);
        break;
    default:
        return luaL_typeerror(L, 1, "boolean, number or table");
    }
    return start_with(L, &options);
}

static void put_count(lua_State *L, const char *name, uint64_t n) {
    lua_pushinteger(L, (lua_Integer)n);
    lua_setfield(L, -2, name);
}

/* One row per figure, so that they all come in one way. */
#define FIGURE(field)                                                                              \
    { #field, offsetof(LmpStats, field) }
static const struct Figure {
    const char *name;
    size_t offset;
} figures[] = {
    FIGURE(mallocs),         FIGURE(malloc_bytes),
    FIGURE(reallocs),        FIGURE(realloc_bytes),
    FIGURE(frees),           FIGURE(free_bytes),
    FIGURE(failed),          FIGURE(live_blocks),
    FIGURE(live_bytes),      FIGURE(peak_bytes),
    FIGURE(before_frees),    FIGURE(before_free_bytes),
    FIGURE(before_reallocs), FIGURE(before_realloc_bytes),
    FIGURE(dropped),         FIGURE(dropped_bytes),
    FIGURE(gc_cycles),       FIGURE(gc_freed_bytes),
};
#define KIND_FIGURE(field)                                                                         \
    { #field, offsetof(LmpKindStats, field) }
static const struct Figure kind_figures[] = {
    KIND_FIGURE(allocs),         KIND_FIGURE(live_blocks), KIND_FIGURE(live_bytes),
    KIND_FIGURE(peak_bytes),     KIND_FIGURE(tag_allocs),  KIND_FIGURE(tag_live_blocks),
    KIND_FIGURE(tag_live_bytes),
};
enum {
    FIGURES = sizeof figures / sizeof *figures,
    KIND_FIGURES = sizeof kind_figures / sizeof *kind_figures
};

static void put_figures(lua_State *L, const void *from, const struct Figure *rows, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, (const char *)from + rows[i].offset, sizeof value);
        put_count(L, rows[i].name, value);
    }
}

static void push_stats(lua_State *L, const void *from) {
    const LmpStats *s = from;
    lua_createtable(L, 0, FIGURES + 2);
    put_figures(L, s, figures, FIGURES);
    lua_pushnumber(L, s->seconds);
    lua_setfield(L, -2, "seconds");
    lua_createtable(L, 0, LMP_KINDS);
    for (int k = 0; k < LMP_KINDS; k++) {
        lua_createtable(L, 0, KIND_FIGURES);
        put_figures(L, &s->kind[k], kind_figures, KIND_FIGURES);
        lua_setfield(L, -2, kind_info[k].name);
    }
    lua_setfield(L, -2, "types");
}

static int api_stats(lua_State *L) {
    LmpStats stats;
    LmpErr err = profiler_stats(L, &stats);
    if (err) return luaL_error(L, "%s (call start first)", err_message(err));
    return own_call(L, push_stats, &stats, 1);
}

static int api_stop(lua_State *L) {
    LmpStats last;
    LmpErr err = profiler_stop(L, &last);
    if (err == LMP_E_NOTSTARTED) return luaL_error(L, "%s (call start first)", err_message(err));
    push_stats(L, &last);
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

static const luaL_Reg functions[] = {
    {"start", api_start}, {"stop", api_stop}, {"stats", api_stats},
    {"mark", api_mark},   {NULL, NULL},
};

int luaopen_luamemprofiler(lua_State *L) {
    luaL_checkversion(L);
    profiler_prepare(L);
    luaL_newlib(L, functions);
    lua_pushliteral(L, LMP_VERSION);
    lua_setfield(L, -2, "_VERSION");
    return 1;
}

/* ---- started by `lmp run`
 * ---------------------------------------------------------------------------------- */

/* "FD NAME=VALUE ...": options as in start(), values as text. `text` is cut up. */
static bool read_run(char *text, LmpOptions *o) {
    char *end;
    long fd = strtol(text, &end, 10);
    if (end == text || fd < 0 || fd > 1 << 20) return false;
    o->run_socket = (int)fd;
    for (char *word = strtok_r(NULL, " ", &end); word; word = strtok_r(NULL, " ", &end)) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        if (!strcmp(word, "live")) o->live = *value == '1';
        if (!strcmp(word, "hold")) o->hold = *value == '1';
        if (!strcmp(word, "fps")) o->fps = atof(value);
        if (!strcmp(word, "name")) { /* the last one; blanks are its own */
            if (*end) value[strlen(value)] = ' ';
            o->name = value;
            break;
        }
    }
    if (!(o->fps >= LMP_FPS_MIN && o->fps <= LMP_FPS_MAX)) o->fps = profiler_defaults.fps;
    return true;
}

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

int luaopen_luamemprofiler_run(lua_State *L) {
    luaL_checkversion(L);
    profiler_prepare(L);
    const char *run = getenv(LMP_ENV_RUN);
    char *text = run ? strdup(run) : NULL;
    LmpOptions options = profiler_defaults;
    if (text && read_run(text, &options)) start_with(L, &options);
    free(text);
    lua_settop(L, 0);
    return run_user_init(L);
}
