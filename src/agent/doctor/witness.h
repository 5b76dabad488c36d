/* witness.h - who asks for memory at this moment, by Lua's documented API alone.
 *
 * The API says which line a function is at as long as the interpreter saves its program counter,
 * and with a count hook it does so at every instruction. The count is so large that it is never
 * reached: the hook itself never runs, no stack grows for it, and the program behaves as without
 * it. Threads inherit the hook from the one that makes them.
 *
 * Which thread runs is found from the main thread on: `resume` and `close` have the coroutine as
 * their first argument, `wrap` as its upvalue, and C code of doctor's own says whom it resumes. */
#ifndef LMP_DOCTOR_WITNESS_H
#define LMP_DOCTOR_WITNESS_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rowindex.h"

/* A line of the program. Row 0: outside any Lua function; row 1: a C function. */
typedef struct Site {
    char source[LUA_IDSIZE]; /* as short_src in lua_Debug */
    int defined, line;       /* linedefined and currentline there */
} Site;

/* A call path. Row 0: none. */
typedef struct Path {
    uint32_t caller, site; /* rows: a path, a site */
} Path;

enum { SITE_NONE, SITE_C, SITE_UNKNOWN, SITES_FIXED };

typedef struct Witness {
    Site *site;
    uint32_t sites, sites_room;
    Path *path;
    uint32_t paths, paths_room;
    LmpRowIndex site_index, path_index;
    bool failed; /* there was no memory for it */

    lua_State *main;
    lua_State *closing[16]; /* what coroutine.close is working on, innermost last */
    int closings;
    struct {
        lua_State *from, *to;
        const void *ci; /* of the C function in `from` */
    } resumed[64];
    int resumes;
} Witness;

bool witness_open(Witness *w);
void witness_close(Witness *w);

/* Returns the row of a site, of a path. */
uint32_t witness_site(Witness *w, const char *source, int defined, int line);
uint32_t witness_path(Witness *w, uint32_t caller, uint32_t site);

/* Returns the line that asks now: that of the innermost Lua function. *path: the whole call path;
 * NULL: it is not asked for. Neither allocates Lua memory nor changes the state. Not while a
 * thread's stack is being moved. */
uint32_t witness_ask(Witness *w, uint32_t *path);

/* Sets the hook that keeps the API right, over a hook of the program's. */
void witness_watch(lua_State *L, lua_Hook f, int mask, int count);

/* Calls lua_resume by doctor's own C code, announced. */
int witness_resume(Witness *w, lua_State *L, lua_State *from, int nargs, int *results);

#endif
