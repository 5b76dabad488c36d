/* fields.c - pushes the value, and sets the field. */
#include "fields.h"

#include <lauxlib.h>
#include <string.h>

void field_integer(lua_State *L, const char *name, lua_Integer n) {
    lua_pushinteger(L, n);
    lua_setfield(L, -2, name);
}

void field_number(lua_State *L, const char *name, double n) {
    lua_pushnumber(L, (lua_Number)n);
    lua_setfield(L, -2, name);
}

void field_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

void field_flag(lua_State *L, const char *name, bool flag) {
    lua_pushboolean(L, flag);
    lua_setfield(L, -2, name);
}

void fields_site(lua_State *L, const LmpSiteRow *site) {
    field_text(L, "source", site->raw_source);
    field_text(L, "short_src", site->short_src);
    field_text(L, "func", site->func);
    field_integer(L, "line", site->line);
}

static void unknown(lua_State *L, int index, const char *function, const char *what,
                    const FieldFlag *flags) {
    const char *key = luaL_tolstring(L, -2, NULL);
    lua_pushstring(L, flags[0].name);
    for (const FieldFlag *f = flags + 1; f->name; f++)
        lua_pushfstring(L, "%s, %s", lua_tostring(L, -1), f->name);
    luaL_error(L, "bad argument #%d to '%s' (unknown %s '%s'; there %s: %s)", index, function, what,
               key, flags[1].name ? "are" : "is", lua_tostring(L, -1));
}

unsigned fields_flags(lua_State *L, int index, const char *function, const char *what,
                      const FieldFlag *flags) {
    unsigned set = 0;
    if (lua_isnoneornil(L, index)) return 0;
    luaL_checktype(L, index, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        const FieldFlag *flag = flags;
        while (flag->name && strcmp(flag->name, key) != 0)
            flag++;
        if (!flag->name) unknown(L, index, function, what, flags);
        if (!lua_isboolean(L, -1))
            luaL_error(L, "bad argument #%d to '%s' (%s '%s' must be a boolean, got %s)", index,
                       function, what, key, luaL_typename(L, -1));
        if (lua_toboolean(L, -1)) set |= flag->bit;
        lua_pop(L, 1);
    }
    return set;
}
