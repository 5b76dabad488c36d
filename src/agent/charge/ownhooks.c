/* ownhooks.c - the list of the program's hooks, and closures over debug.sethook and debug.gethook
 * that stand in the places of the two. */
#include "agent/charge/ownhooks.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stddef.h>

/* ---- the list -------------------------------------------------------------------------------- */

LmpOwnHook *ownhooks_find(LmpOwnHooks *hooks, const lua_State *L) {
    for (uint32_t i = 0; i < hooks->n; i++)
        if (hooks->of[i].L == L) return &hooks->of[i];
    return NULL;
}

bool ownhooks_note(LmpOwnHooks *hooks, const LmpOwnHook *one) {
    LmpOwnHook *at = ownhooks_find(hooks, one->L);
    if (!at && hooks->n < LMP_OWN_HOOKS) at = &hooks->of[hooks->n++];
    if (!at) return false;
    *at = *one;
    at->left = one->count;
    return true;
}

void ownhooks_drop(LmpOwnHooks *hooks, const lua_State *L) {
    LmpOwnHook *at = ownhooks_find(hooks, L);
    if (at) *at = hooks->of[--hooks->n];
}

void ownhooks_pass(LmpOwnHook *own, lua_State *L, lua_Debug *ar, bool each) {
    int event = ar->event == LUA_HOOKTAILCALL ? LUA_HOOKCALL : ar->event;
    if (!(own->mask & 1 << event)) return;
    if (event == LUA_HOOKCOUNT && each) {
        if (--own->left > 0) return;
        own->left = own->count;
    }
    own->hook(L, ar);
}

/* ---- debug.sethook and debug.gethook --------------------------------------------------------- */

/* Calls the library's function, which is the upvalue, in our own frame: it finds its arguments
 * where they are, and its errors name it. */
static int library(lua_State *L) {
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static const LmpHookWatch *watch_of(lua_State *L) {
    return lua_touserdata(L, lua_upvalueindex(2));
}

static lua_State *asked_of(lua_State *L) {
    return lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
}

static int set_hook(lua_State *L) {
    lua_State *of = asked_of(L);
    int n = library(L);
    watch_of(L)->changed(L, of);
    return n;
}

static int get_hook(lua_State *L) {
    lua_State *of = asked_of(L);
    watch_of(L)->asked(L, of, true);
    int n = library(L);
    watch_of(L)->asked(L, of, false);
    return n;
}

static const struct {
    const char *name;
    lua_CFunction ours;
} places[] = {{"sethook", set_hook}, {"gethook", get_hook}};
enum { PLACES = sizeof places / sizeof *places };

/* Pushes the debug library. Returns false, and pushes nothing, if there is none. */
static bool push_library(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_istable(L, -1)) {
        lua_pushliteral(L, LUA_DBLIBNAME);
        lua_rawget(L, -2);
        lua_remove(L, -2);
    }
    if (lua_istable(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

static void put(lua_State *L, const char *name) { /* table, value */
    lua_pushstring(L, name);
    lua_insert(L, -2);
    lua_rawset(L, -3);
}

void ownhooks_watch(lua_State *L, const LmpHookWatch *watch) {
    if (!push_library(L)) return;
    for (int i = 0; i < PLACES; i++) {
        lua_pushstring(L, places[i].name);
        lua_rawget(L, -2);
        lua_CFunction f = lua_tocfunction(L, -1);
        bool closure = f && lua_getupvalue(L, -1, 1); /* ours, or another one's: it stays */
        if (!f || closure) {
            lua_pop(L, closure ? 2 : 1);
            continue;
        }
        lua_pushlightuserdata(L, (void *)watch); /* NOLINT: it is given back as it was */
        lua_pushcclosure(L, places[i].ours, 2);
        put(L, places[i].name);
    }
    lua_pop(L, 1);
}

void ownhooks_unwatch(lua_State *L) {
    if (!push_library(L)) return;
    for (int i = 0; i < PLACES; i++) {
        lua_pushstring(L, places[i].name);
        lua_rawget(L, -2);
        if (lua_tocfunction(L, -1) == places[i].ours && lua_getupvalue(L, -1, 1)) {
            lua_remove(L, -2);
            put(L, places[i].name);
        } else {
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}
