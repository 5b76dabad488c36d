// embed.cpp - a host in C++ that links a Lua built as C++, where an error is an exception: its own
// exceptions and Lua's errors pass through calls of Lua, profiled.
#include <lmp.h>
#include <lua.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

static void must(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s (%s)\n", what, lmp_why());
    std::exit(1);
}

static int throws(lua_State *L) {
    std::string made(100, 'x');
    lua_pushstring(L, made.c_str());
    lmp_tag(L, made.c_str(), nullptr);
    throw std::runtime_error("own");
}

static int told;
static void reached(lua_State *L, std::uint64_t live, void *) {
    told++;
    luaL_error(L, "above the limit: %d", static_cast<int>(live > 1000000));
}

int main() {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    lua_register(L, "throws", throws);
    must(lmp_start(L, "stacks=true") == 0, "start");
    must(luaL_dostring(L, "assert(not pcall(throws)) t = {} assert(not pcall(error, t))") == LUA_OK,
         "exceptions");
    must(lmp_limit(L, 1000000, reached, nullptr) == 0, "limit");
    must(luaL_dostring(L, "local t = {} while true do t[#t + 1] = {} end") != LUA_OK, "error");
    must(std::string(lua_tostring(L, -1)).find("above the limit: 1") != std::string::npos, "text");
    must(told == 1, "told once");
    lmp_Figures figures;
    must(lmp_figures(L, &figures) == 0 && figures.mallocs > 1000, "figures");
    must(lmp_start(L, "x") == LMP_ERR_OPTION && lmp_error_name(LMP_ERR_OPTION) == std::string("OPTION"),
         "errors");
    must(lmp_stop(L, &figures) == 0, "stop");
    lua_close(L);
    std::puts("done");
}
