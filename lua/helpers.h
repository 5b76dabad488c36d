/* helpers.h - the modules for test frameworks, `luamemprofiler.busted` and others. They are in Lua
 * and built into this module, so that they are found wherever it is. */
#ifndef LMP_HELPERS_H
#define LMP_HELPERS_H

#include <lua.h>
#include <stddef.h>

typedef struct Helper {
    const char *name, *text;
    size_t length;
} Helper;

/* "busted.lua" ...; ends with a row whose name is NULL. */
extern const Helper helpers[];

/* Puts their loaders into package.preload, where nothing is under their names. */
void helpers_preload(lua_State *L);

#endif
