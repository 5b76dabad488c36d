/* options.c - one row for each option: whether a value fits, and where it goes. Values are from a
 * table of Lua or from text (start_options.h). A new option is one row of start_options.h and one
 * of options_table. */
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

/* What a value can be taken for: in text, a number is one, and text as well. */
typedef struct Value {
    bool is_flag, is_number;
    bool flag;
    double number;
    const char *text; /* not empty; NULL: it is none */
} Value;

/* ---- one value each: false, and nothing is set, if it does not fit --------------------------- */

static bool set_fps(LmpOptions *o, const Value *v) {
    if (!v->is_number || !fps_allowed(v->number)) return false;
    o->fps = v->number;
    return true;
}

static bool set_top(LmpOptions *o, const Value *v) {
    if (!v->is_number || !(v->number >= 0 && v->number <= LMP_TOP_MAX)) return false;
    if (v->number != (uint32_t)v->number) return false;
    o->top = (uint32_t)v->number;
    return true;
}

static bool set_name(LmpOptions *o, const Value *v) {
    if (v->text) o->name = v->text;
    return v->text;
}

/* Takes text, or one of two for a boolean. */
static bool set_file(const char **to, const Value *v, const char *if_true, const char *if_false) {
    if (v->is_flag || v->text) *to = !v->is_flag ? v->text : v->flag ? if_true : if_false;
    return v->is_flag || v->text;
}

static bool set_summary(LmpOptions *o, const Value *v) {
    return set_file(&o->summary, v, "-", "");
}

static bool set_record(LmpOptions *o, const Value *v) {
    return set_file(&o->record, v, "", NULL);
}

static bool set_sample(LmpOptions *o, const Value *v) {
    uint64_t bytes = 0;
    if (v->is_flag && v->flag) return false;
    if (v->is_number) {
        if (!(v->number >= 0 && v->number <= (double)LMP_SAMPLE_MAX)) return false;
        if (v->number > 0 && v->number < LMP_SAMPLE_MIN) return false;
        bytes = (uint64_t)v->number;
    } else if (!v->is_flag) {
        if (!v->text || !format_parse_size(v->text, &bytes)) return false;
    }
    if (bytes && (bytes < LMP_SAMPLE_MIN || bytes > LMP_SAMPLE_MAX)) return false;
    o->sample = bytes;
    return true;
}

/* A boolean that is to be set, a bit of `counts`, or what else is to be done with the value. */
static const struct OptionRow {
    size_t flag;
    unsigned count;
    bool (*set)(LmpOptions *o, const Value *v);
} options_table[STARTS] = {
    [START_LIVE] = {.flag = offsetof(LmpOptions, live)},
    [START_SUMMARY] = {.set = set_summary},
    [START_HOLD] = {.flag = offsetof(LmpOptions, hold)},
    [START_FPS] = {.set = set_fps},
    [START_NAME] = {.set = set_name},
    [START_LINES] = {.flag = offsetof(LmpOptions, lines)},
    [START_STACKS] = {.flag = offsetof(LmpOptions, stacks)},
    [START_SAMPLE] = {.set = set_sample},
    [START_CALLS] = {.count = LMP_COUNTS_CALLS},
    [START_INSTRUCTIONS] = {.count = LMP_COUNTS_INSTRUCTIONS},
    [START_OVERRIDES] = {.count = LMP_COUNTS_OVERRIDES},
    [START_TOP] = {.set = set_top},
    [START_RECORD] = {.set = set_record},
};

static bool set_value(const struct OptionRow *row, LmpOptions *o, const Value *v) {
    if (row->set) return row->set(o, v);
    if (v->is_flag && row->count)
        o->counts = v->flag ? o->counts | row->count : o->counts & ~row->count;
    else if (v->is_flag)
        *(bool *)((char *)o + row->flag) = v->flag;
    return v->is_flag;
}

/* ---- what both have in common ---------------------------------------------------------------- */

/* Returns the option's row; STARTS: there is none. */
static int find_option(const char *name) {
    int i = 0;
    while (i < STARTS && strcmp(start_options[i].name, name) != 0)
        i++;
    return i;
}

/* Sets an option. Returns false if there is none of that name, or its value does not fit; `why`
 * says so. `got`: the value, for people. */
static bool set_option(LmpOptions *o, const char *name, const Value *v, const char *got,
                       char *why) {
    int option = find_option(name);
    if (option < STARTS && set_value(&options_table[option], o, v)) return true;
    if (option < STARTS) {
        snprintf(why, OPTIONS_WHY, "option '%s' must be %s, got %s", name,
                 start_options[option].expected, got);
        return false;
    }
    int used = snprintf(why, OPTIONS_WHY, "unknown option '%.200s'; there are:", name);
    for (int i = 0; i < STARTS; i++)
        used += snprintf(why + used, OPTIONS_WHY - (size_t)used, i ? ", %s" : " %s",
                         start_options[i].name);
    return false;
}

/* Returns false if options contradict each other; `why` says so. */
static bool agree(LmpOptions *o, char *why) {
    const char *needs = o->stacks                             ? "stacks"
                        : o->sample                           ? "sample"
                        : o->counts & LMP_COUNTS_CALLS        ? "calls"
                        : o->counts & LMP_COUNTS_INSTRUCTIONS ? "instructions"
                        : o->counts                           ? "overrides"
                                                              : NULL;
    if (!o->lines && needs) {
        snprintf(why, OPTIONS_WHY, "option '%s' needs lines: leave out lines=false", needs);
        return false;
    }
    if (!o->sample || !(o->counts & LMP_COUNTS_OVERRIDES)) return true;
    o->counts &= ~(unsigned)LMP_COUNTS_OVERRIDES;
    snprintf(why, OPTIONS_WHY, "option 'overrides' needs every block: leave out sample");
    return false;
}

/* ---- a table --------------------------------------------------------------------------------- */

/* Reads the value on top of the stack. Strings stay anchored in the table for the length of
 * start. */
static Value read_value(lua_State *L) {
    Value v = {.is_flag = lua_isboolean(L, -1), .is_number = lua_type(L, -1) == LUA_TNUMBER};
    size_t length = 0;
    if (v.is_flag) v.flag = lua_toboolean(L, -1);
    if (v.is_number) v.number = (double)lua_tonumber(L, -1);
    if (lua_type(L, -1) == LUA_TSTRING) v.text = lua_tolstring(L, -1, &length);
    if (length == 0 || strlen(v.text) != length) v.text = NULL;
    return v;
}

static const char *shown_value(lua_State *L) {
    int type = lua_type(L, -1);
    if (type == LUA_TSTRING) return lua_pushfstring(L, "'%s'", lua_tostring(L, -1));
    if (type == LUA_TBOOLEAN) return lua_toboolean(L, -1) ? "true" : "false";
    return type == LUA_TNUMBER ? lua_tostring(L, -1) : luaL_typename(L, -1);
}

void options_check(lua_State *L, LmpOptions *o) {
    char why[OPTIONS_WHY];
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        int top = lua_gettop(L);
        Value v = read_value(L);
        lua_pushvalue(L, -1);
        const char *got = shown_value(L);
        lua_pushvalue(L, top - 1); /* a number that is a key must stay one */
        const char *key = luaL_tolstring(L, -1, NULL);
        if (!set_option(o, key, &v, got, why))
            luaL_error(L, "bad argument #1 to 'start' (%s)", why);
        lua_settop(L, top - 1);
    }
    if (!agree(o, why)) luaL_error(L, "bad argument #1 to 'start' (%s)", why);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Reads what the word may be taken for; 1 and 0 are true and false as well. */
static Value read_word(const LmpStartWord *word) {
    Value v = {.text = *word->value ? word->value : NULL};
    char *end = word->value;
    if (word->quoted || !v.text) return v;
    v.number = strtod(word->value, &end);
    v.is_number = !*end;
    v.flag = !strcmp(word->value, "true") || !strcmp(word->value, "1");
    v.is_flag = v.flag || !strcmp(word->value, "false") || !strcmp(word->value, "0");
    return v;
}

bool options_read_text(char *text, LmpOptions *o, char *why) {
    LmpStartWord word;
    bool fits = true;
    *why = 0;
    while (start_options_next(&text, &word)) {
        char got[80], other[OPTIONS_WHY];
        Value v = read_word(&word);
        if (o->again && !strcmp(word.name, "follow")) { /* of `lmp run` alone */
            if (!v.flag) o->again = NULL;
            continue;
        }
        snprintf(got, sizeof got, "'%.70s'", word.value);
        fits = set_option(o, word.name, &v, got, fits ? why : other) && fits;
    }
    char other[OPTIONS_WHY];
    return agree(o, fits ? why : other) && fits;
}

/* ---- what `lmp run` says --------------------------------------------------------------------- */

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

/* "FD:DEVICE:INODE", then words. */
bool options_read_run(char *text, LmpOptions *o) {
    char *end, why[OPTIONS_WHY];
    o->run_socket = run_socket(text, &end);
    if (o->run_socket < 0) return false;
    options_read_text(end, o, why);
    const char *first = secure_getenv(LMP_ENV_SNAPSHOT_PID);
    o->snapshot = secure_getenv(LMP_ENV_SNAPSHOT);
    o->snapshot_child = first && strtol(first, NULL, 10) != (long)getpid();
    o->breaks = secure_getenv(LMP_ENV_BREAKS);
    return true;
}
