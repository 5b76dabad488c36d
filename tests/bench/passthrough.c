/* passthrough.c - Lua module `passthrough`: an allocator hook that does nothing but call on, the
 * floor that any hook's cost is measured against. Linked with -z nodelete: the state's last frees
 * come after its libraries are closed. */
#include <lauxlib.h>
#include <lua.h>

static lua_Alloc next;
static void *next_ud;

static void *pass(void *ud, void *block, size_t old_size, size_t new_size) {
    (void)ud;
    return next(next_ud, block, old_size, new_size);
}

__attribute__((visibility("default"))) int luaopen_passthrough(lua_State *L) {
    next = lua_getallocf(L, &next_ud);
    lua_setallocf(L, pass, NULL);
    lua_pushboolean(L, 1);
    return 1;
}
