/* fuzz_options.c - what people and other processes write for lmp to read: the words of LMP_RUN, the
 * table of start(), the arguments of a command, sizes, numbers and the variables of the theme. Any
 * of it is taken or refused, and what is taken lies within its limits. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/fps.h"
#include "command/command.h"
#include "module.h"
#include "screen/theme.h"
#include "shared/launch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int pair[2];
static char socket_words[80]; /* as `lmp run` names the socket that LMP_RUN begins with */

static void must(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    struct stat st;
    if (pipe(pair) != 0 || fstat(pair[0], &st) != 0) abort();
    snprintf(socket_words, sizeof socket_words, "%d:%llu:%llu ", pair[0],
             (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    return 0;
}

static void within_limits(const LmpOptions *o) {
    must(fps_allowed(o->fps));
    must(o->sample == 0 || (o->sample >= LMP_SAMPLE_MIN && o->sample <= LMP_SAMPLE_MAX));
    must(o->top <= LMP_TOP_MAX);
}

static void read_run(const char *before, const char *text) {
    LmpOptions o = profiler_defaults;
    size_t size = strlen(before) + strlen(text) + 1;
    char *all = malloc(size);
    if (!all) return;
    snprintf(all, size, "%s%s", before, text);
    if (options_read_run(all, &o)) {
        within_limits(&o);
        must(!o.name || (o.name >= all && o.name < all + size));
    } else {
        must(!*before);
    }
    free(all);
}

/* "name=value" lines as a table: a value is a number, a boolean or a string, whatever it looks
 * like. */
static int check_table(lua_State *L) {
    LmpOptions o = profiler_defaults;
    const char *text = lua_touserdata(L, 1);
    lua_settop(L, 0);
    lua_newtable(L);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n"), name = strcspn(line, "=\n");
        if (name < length) {
            lua_pushlstring(L, line, name);
            lua_pushlstring(L, line + name + 1, length - name - 1);
            const char *value = lua_tostring(L, -1);
            if (!strcmp(value, "true") || !strcmp(value, "false"))
                lua_pushboolean(L, *value == 't');
            else if (!lua_stringtonumber(L, value))
                lua_pushvalue(L, -1);
            lua_remove(L, -2);
            lua_settable(L, 1);
        }
        line += length + (line[length] == '\n');
    }
    options_check(L, &o);
    within_limits(&o);
    return 0;
}

static void read_table(char *text) {
    lua_State *L = luaL_newstate(); /* one kept would look like a leak after each input */
    if (!L) return;
    lua_pushcfunction(L, check_table);
    lua_pushlightuserdata(L, text);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) must(lua_type(L, -1) == LUA_TSTRING);
    lua_close(L);
}

static const Option options[] = {
    {"fps", "N", "a number"}, {"top", "[N]", "may be left out"}, {"hold", NULL, "alone"}, {0}};
static const Command command = {.name = "fuzz", .usage = {""}, .help = "None", .options = options};

static void read_arguments(char *text) {
    char *argv[34] = {text};
    int argc = 1;
    for (char *end, *word = strtok_r(text, "\n", &end); word && argc < 33;
         word = strtok_r(NULL, "\n", &end))
        argv[argc++] = word;
    Parse p = {.command = &command, .argc = argc, .argv = argv, .at = 1};
    while (options_next(&p))
        must(p.at <= argc);
    must(p.at <= argc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    uint64_t bytes;
    double number;
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    read_run("", text);
    read_run(socket_words, text);
    format_parse_size(text, &bytes);
    if (parse_number(text, LMP_FPS_MIN, LMP_FPS_MAX, &number)) must(fps_allowed(number));
    Theme theme = theme_choose(256, NULL, text, text);
    must(theme.mode == THEME_256 || theme.mode == THEME_MONO);
    read_table(text);
    read_arguments(text);
    free(text);
    return 0;
}
