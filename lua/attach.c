/* attach.c - what `lmp attach` and `lmp detach` have a program call that nobody prepared: in a
 * debug hook, before the program's next instruction, and so where any call of the Lua API is safe.
 *
 * Nothing is printed, and no error leaves: the command that waits outside says what was refused. */
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "base/os.h"
#include "module.h"
#include "shared/attach.h"

__attribute__((visibility("default"))) void lmp_attach_enter(lua_State *L, LmpAttach *a);

static LmpErr start(lua_State *L, LmpAttach *a) {
    LmpOptions options = profiler_defaults;
    LmpErr lack, err;
    char text[sizeof a->options], why[OPTIONS_WHY];
    snprintf(text, sizeof text, "%s", a->options);
    options.summary = "";
    options.attached = true;
    options_read_text(text, &options, why);
    module_preload(L);
    err = profiler_start(L, &options, &lack);
    if (err == LMP_E_FILE) /* its user is another one than lmp's, perhaps */
        snprintf(a->why, sizeof a->why, "process %d cannot write %s: %s", (int)getpid(),
                 options.record, err_of_file(errno));
    return err;
}

static int serve(lua_State *L) {
    LmpAttach *a = lua_touserdata(L, 1);
    luaL_checkversion(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    uint64_t main = (uintptr_t)lua_tothread(L, -1);
    for (uint32_t i = 0; i < a->globals && i < LMP_ATTACH_GLOBALS; i++) {
        LmpAttachGlobal *global = &a->global[i];
        if (global->main != main || atomic_load(&global->state) != LMP_ATTACH_WAITS) continue;
        uint64_t before = lmp_os->clock();
        LmpErr err = a->options[0] ? start(L, a) : profiler_stop(L, NULL);
        atomic_fetch_add(&a->began_us, (uint32_t)((lmp_os->clock() - before) / 1000));
        if (err && !a->why[0]) snprintf(a->why, sizeof a->why, "%s", err_message(err));
        if (!err && a->options[0]) global->serial = profiler_serial(L);
        atomic_store(&global->state, err ? LMP_ATTACH_REFUSED : LMP_ATTACH_DONE);
    }
    return 0;
}

void lmp_attach_enter(lua_State *L, LmpAttach *a) {
    if (a->magic != LMP_ATTACH_MAGIC || !lua_checkstack(L, 8)) return;
    lua_pushcfunction(L, serve);
    lua_pushlightuserdata(L, a);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK) return;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no memory";
    snprintf(a->why, sizeof a->why, "%s", text);
    for (uint32_t i = 0; i < a->globals && i < LMP_ATTACH_GLOBALS; i++) {
        uint32_t waits = LMP_ATTACH_WAITS;
        atomic_compare_exchange_strong(&a->global[i].state, &waits, LMP_ATTACH_REFUSED);
    }
    lua_pop(L, 1);
}
