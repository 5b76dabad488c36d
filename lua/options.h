/* options.h - the options of start() and `lmp run`, one row per option. */
#ifndef LMP_LUA_OPTIONS_H
#define LMP_LUA_OPTIONS_H

#include <lua.h>
#include <stdbool.h>

#include "agent/session/profiler.h"

/* Reads the options table at index 1 of start()'s stack into *o; raises an error that names the
 * option and what was expected. Strings stay anchored in that table. */
void options_check(lua_State *L, LmpOptions *o);

/* Reads LMP_ENV_RUN (launch.h), which is cut up; false: it was not written by `lmp run`, or its
 * socket has been closed on the way here. */
bool options_read_run(char *text, LmpOptions *o);

#endif
