/* options.c - one row for each option: which values fit, and where they go. A new option is one row
 * of start_options.h, one of options_table, and one of run_words if `lmp run` has it too. */
#include "module.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "base/own.h"
#include "shared/launch.h"
#include "shared/start_options.h"

/* ---- what values fit: the value is on top of the stack --------------------------------------- */

static bool is_boolean(lua_State *L) {
    return lua_isboolean(L, -1);
}

static bool is_fps(lua_State *L) {
    lua_Number n = lua_tonumber(L, -1);
    return lua_type(L, -1) == LUA_TNUMBER && fps_allowed(n);
}

static bool is_text(lua_State *L) {
    size_t length;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
    return text && length > 0 && strlen(text) == length;
}

static bool is_summary(lua_State *L) {
    return lua_isboolean(L, -1) || is_text(L);
}

static bool is_top(lua_State *L) {
    int exact;
    lua_Integer n = lua_tointegerx(L, -1, &exact);
    return lua_type(L, -1) == LUA_TNUMBER && exact && n >= 0 && n <= LMP_TOP_MAX;
}

/* Reads a size in bytes, 0 for exact. Returns false if the value is none. */
static bool read_sample(lua_State *L, uint64_t *bytes) {
    *bytes = 0;
    if (lua_isboolean(L, -1)) return !lua_toboolean(L, -1);
    if (lua_type(L, -1) == LUA_TNUMBER) {
        lua_Number n = lua_tonumber(L, -1);
        if (!(n >= 0 && n <= (lua_Number)LMP_SAMPLE_MAX)) return false;
        *bytes = (uint64_t)n;
        return n == 0 || n >= LMP_SAMPLE_MIN;
    }
    return is_text(L) && format_parse_size(lua_tostring(L, -1), bytes) &&
           (*bytes == 0 || (*bytes >= LMP_SAMPLE_MIN && *bytes <= LMP_SAMPLE_MAX));
}

static bool is_sample(lua_State *L) {
    uint64_t bytes;
    return read_sample(L, &bytes);
}

/* ---- where they go --------------------------------------------------------------------------- */

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

static void set_lines(lua_State *L, LmpOptions *o) {
    o->lines = lua_toboolean(L, -1);
}

static void set_stacks(lua_State *L, LmpOptions *o) {
    o->stacks = lua_toboolean(L, -1);
}

static void set_sample(lua_State *L, LmpOptions *o) {
    read_sample(L, &o->sample);
}

static void set_record(lua_State *L, LmpOptions *o) {
    o->record = lua_isboolean(L, -1) ? (lua_toboolean(L, -1) ? "" : NULL) : lua_tostring(L, -1);
}

static void set_count(lua_State *L, LmpOptions *o, unsigned bit) {
    o->counts = lua_toboolean(L, -1) ? o->counts | bit : o->counts & ~bit;
}

static void set_calls(lua_State *L, LmpOptions *o) {
    set_count(L, o, LMP_COUNTS_CALLS);
}

static void set_instructions(lua_State *L, LmpOptions *o) {
    set_count(L, o, LMP_COUNTS_INSTRUCTIONS);
}

static void set_overrides(lua_State *L, LmpOptions *o) {
    set_count(L, o, LMP_COUNTS_OVERRIDES);
}

static void set_top(lua_State *L, LmpOptions *o) {
    o->top = (uint32_t)lua_tointeger(L, -1);
}

static const struct Option {
    bool (*fits)(lua_State *L);
    void (*set)(lua_State *L, LmpOptions *o);
} options_table[STARTS] = {
    [START_LIVE] = {is_boolean, set_live},
    [START_SUMMARY] = {is_summary, set_summary},
    [START_HOLD] = {is_boolean, set_hold},
    [START_FPS] = {is_fps, set_fps},
    [START_NAME] = {is_text, set_name},
    [START_LINES] = {is_boolean, set_lines},
    [START_STACKS] = {is_boolean, set_stacks},
    [START_SAMPLE] = {is_sample, set_sample},
    [START_CALLS] = {is_boolean, set_calls},
    [START_INSTRUCTIONS] = {is_boolean, set_instructions},
    [START_OVERRIDES] = {is_boolean, set_overrides},
    [START_TOP] = {is_top, set_top},
    [START_RECORD] = {is_summary, set_record},
};

/* ---- the table ------------------------------------------------------------------------------- */

/* Returns the option's row; STARTS: there is none. */
static int find_option(const char *name) {
    int i = 0;
    while (i < STARTS && strcmp(start_options[i].name, name) != 0)
        i++;
    return i;
}

static void all_names(char *out, size_t size) {
    size_t used = 0;
    for (int i = 0; i < STARTS && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, i ? ", %s" : "%s", start_options[i].name);
}

static const char *shown_value(lua_State *L) {
    int type = lua_type(L, -1);
    if (type == LUA_TSTRING) return lua_pushfstring(L, "'%s'", lua_tostring(L, -1));
    if (type == LUA_TBOOLEAN) return lua_toboolean(L, -1) ? "true" : "false";
    return type == LUA_TNUMBER ? lua_tostring(L, -1) : luaL_typename(L, -1);
}

void options_check(lua_State *L, LmpOptions *o) {
    char names[240];
    bool no_lines = false;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        int option = key ? find_option(key) : STARTS;
        if (option == STARTS) {
            all_names(names, sizeof names);
            const char *shown = key ? key : luaL_tolstring(L, -2, NULL);
            luaL_error(L, "bad argument #1 to 'start' (unknown option '%s'; there are: %s)", shown,
                       names);
        } else if (!options_table[option].fits(L)) {
            luaL_error(L, "bad argument #1 to 'start' (option '%s' must be %s, got %s)", key,
                       start_options[option].expected, shown_value(L));
        }
        options_table[option].set(L, o);
        if (option == START_LINES) no_lines = !o->lines;
        lua_pop(L, 1);
    }
    const char *needs = o->stacks                             ? "stacks"
                        : o->sample                           ? "sample"
                        : o->counts & LMP_COUNTS_CALLS        ? "calls"
                        : o->counts & LMP_COUNTS_INSTRUCTIONS ? "instructions"
                        : o->counts                           ? "overrides"
                                                              : NULL;
    if (no_lines && needs)
        luaL_error(L, "bad argument #1 to 'start' (option '%s' needs lines: leave out lines=false)",
                   needs);
    if (o->sample && o->counts & LMP_COUNTS_OVERRIDES)
        luaL_error(L, "bad argument #1 to 'start' (option 'overrides' needs every block: "
                      "leave out sample)");
}

/* ---- the words of `lmp run` ------------------------------------------------------------------ */

static void run_live(LmpOptions *o, const char *value) {
    o->live = *value == '1';
}

static void run_hold(LmpOptions *o, const char *value) {
    o->hold = *value == '1';
}

static void run_fps(LmpOptions *o, const char *value) {
    o->fps = atof(value);
    if (!fps_allowed(o->fps)) o->fps = profiler_defaults.fps;
}

static void run_lines(LmpOptions *o, const char *value) {
    o->lines = *value == '1';
}

static void run_stacks(LmpOptions *o, const char *value) {
    o->stacks = *value == '1';
}

static void run_sample(LmpOptions *o, const char *value) {
    if (!format_parse_size(value, &o->sample) || o->sample > LMP_SAMPLE_MAX ||
        o->sample < LMP_SAMPLE_MIN)
        o->sample = 0;
}

static void run_counts(LmpOptions *o, const char *value) {
    o->counts = (unsigned)strtoul(value, NULL, 10) & LMP_COUNTS_ALL;
    if (o->sample) o->counts &= ~(unsigned)LMP_COUNTS_OVERRIDES;
}

static void run_top(LmpOptions *o, const char *value) {
    long n = strtol(value, NULL, 10);
    if (n >= 0 && n <= LMP_TOP_MAX) o->top = (uint32_t)n;
}

static void run_follow(LmpOptions *o, const char *value) {
    if (*value != '1') o->again = NULL;
}

static const struct {
    const char *name;
    void (*read)(LmpOptions *o, const char *value);
} run_words[] = {
    {"live", run_live},     {"hold", run_hold},     {"fps", run_fps},
    {"lines", run_lines},   {"stacks", run_stacks}, {"sample", run_sample},
    {"counts", run_counts}, {"top", run_top},       {"follow", run_follow},
};

/* Returns the socket to `lmp run`, if the number still means it: this may be any descendant. */
static int run_socket(const char *text, char **end) {
    LmpOwnFd socket = OWN_FD_NONE;
    long fd = strtol(text, end, 10);
    if (*end == text || **end != ':' || fd < 0 || fd > 1 << 20) return -1;
    socket.fd = (int)fd;
    socket.device = strtoull(*end + 1, end, 10);
    if (**end != ':') return -1;
    socket.inode = strtoull(*end + 1, end, 10);
    return own_fd_get(&socket);
}

void options_read_words(char *text, LmpOptions *o) {
    char *end = text;
    for (char *word = strtok_r(NULL, " ", &end); word; word = strtok_r(NULL, " ", &end)) {
        char *value = strchr(word, '=');
        bool record = !strncmp(word, "record=", 7);
        if (!value) continue;
        *value++ = 0;
        if (record || !strcmp(word, "name")) { /* blanks are its own */
            if (*end) value[strlen(value)] = ' ';
            *(record ? &o->record : &o->name) = value;
            break;
        }
        for (size_t i = 0; i < sizeof run_words / sizeof *run_words; i++)
            if (!strcmp(word, run_words[i].name)) run_words[i].read(o, value);
    }
}

/* "FD:DEVICE:INODE", then words. */
bool options_read_run(char *text, LmpOptions *o) {
    char *end;
    o->run_socket = run_socket(text, &end);
    if (o->run_socket < 0) return false;
    options_read_words(end, o);
    const char *first = secure_getenv(LMP_ENV_SNAPSHOT_PID);
    o->snapshot = secure_getenv(LMP_ENV_SNAPSHOT);
    o->snapshot_child = first && strtol(first, NULL, 10) != (long)getpid();
    o->breaks = secure_getenv(LMP_ENV_BREAKS);
    return true;
}
