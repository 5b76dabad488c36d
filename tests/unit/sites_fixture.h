/* sites_fixture.h - for suites of sites.c: a profile with tables and nothing else, and functions as
 * the debug library describes them. */
#ifndef LMP_SITES_FIXTURE_H
#define LMP_SITES_FIXTURE_H

#include "bare_tables.h"

static void begin_closed(LmpTableLimits limits) {
    suite_closes(bare_tables_end);
    bare_tables(limits);
}

static void begin(LmpTableLimits limits) {
    begin_closed(limits);
    ck_assert_int_eq(sites_open(&p), LMP_OK);
}

__attribute__((unused)) static const LmpTableLimits no_limits;

static lua_Debug lua_function(const char *source, int linedefined) {
    lua_Debug ar = {.what = linedefined ? "Lua" : "main",
                    .namewhat = "",
                    .source = source,
                    .srclen = strlen(source),
                    .linedefined = linedefined};
    snprintf(ar.short_src, sizeof ar.short_src, "%s", source + (*source == '@' || *source == '='));
    return ar;
}

static lua_Debug c_function(void) {
    lua_Debug ar = lua_function("=[C]", -1);
    ar.what = "C";
    return ar;
}

static inline lua_Debug named(lua_Debug ar, const char *what, const char *name) {
    ar.namewhat = what;
    ar.name = name;
    return ar;
}

static const char *text(uint32_t at) {
    static char out[2][8192];
    static int turn;
    turn = !turn;
    return tables_text(&p.tables, at, out[turn], sizeof out[turn]);
}

static inline const char *name_of(uint32_t function) {
    return text(p.tables.function[function].name);
}

static const void *address(uintptr_t n) {
    return (const void *)n;
}

#endif
