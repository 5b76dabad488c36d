/* game.c - a game's loop that watches its scripts with lmp.h: each round is a frame, and above a
 * limit it says which lines hold the memory.
 *
 *     cc game.c -o game $(pkg-config --cflags --libs lmp lua5.4)
 *     ./game [ROUNDS [OPTIONS]]      OPTIONS as lmp_start has them */
#include <lauxlib.h>
#include <lmp.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

static const char script[] = "local particles, trail = {}, {}\n"
                             "function update(round)\n"
                             "  for i = 1, 20 do\n"
                             "    particles[i] = {x = i, y = round, name = 'spark ' .. i}\n"
                             "  end\n"
                             "  if round % 50 == 0 then level = {} end\n"
                             "  for i = 1, round % 50 == 0 and 2000 or 0 do level[i] = {i} end\n"
                             "  trail[#trail + 1] = {round, round}\n" /* which nobody empties */
                             "end\n";

/* Without lmp the game is the same. */
static void note(int err) {
    if (err) fprintf(stderr, "game: %s (%s)\n", lmp_why(), lmp_error_name(err));
}

static void too_much(lua_State *L, uint64_t live, void *ud) {
    lmp_Line line[3];
    size_t n = 3;
    printf("%.0f kB live, the limit is %d kB; these lines hold most:\n", (double)live / 1000,
           *(const int *)ud / 1000);
    note(lmp_lines(L, line, &n));
    for (size_t i = 0; i < n; i++)
        printf("  %s:%d  %.0f kB\n", line[i].source, line[i].line,
               (double)line[i].live_bytes / 1000);
    note(lmp_mark(L, "limit"));
}

int main(int argc, char **argv) {
    static int limit = 200000;
    int rounds = argc > 1 ? atoi(argv[1]) : 600;
    lmp_Frame frame = {0}, worst = {0};
    lmp_Figures figures;
    lua_State *L = luaL_newstate();
    if (!L) return 1;
    luaL_openlibs(L);
    note(lmp_start(L, argc > 2 ? argv[2] : NULL));
    note(lmp_limit(L, (uint64_t)limit, too_much, &limit));
    if (luaL_loadbuffer(L, script, sizeof script - 1, "=game.lua") || lua_pcall(L, 0, 0, 0)) {
        fprintf(stderr, "game: %s\n", lua_tostring(L, -1));
        return 1;
    }
    lmp_frame(L, NULL, NULL);
    for (int round = 1; round <= rounds; round++) {
        lua_getglobal(L, "update");
        lua_pushinteger(L, round);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK) break;
        if (lmp_frame(L, "update", &frame) == 0 && frame.bytes > worst.bytes) worst = frame;
    }
    if (worst.number)
        printf("frame %d made most: %.0f kB in %d allocations\n", (int)worst.number,
               (double)worst.bytes / 1000, (int)worst.allocs);
    if (lmp_stop(L, &figures) == 0)
        printf("%.0f kB at most, %d collections\n", (double)figures.peak_bytes / 1000,
               (int)figures.gc_cycles);
    lua_close(L);
    return 0;
}
