/* test_owners.c - doctor's second opinion of whose a part is (src/agent/doctor/owners.c), in a
 * state with doctor's own memory. */
#include "agent/doctor/owners.h"

#include <lauxlib.h>
#include <lualib.h>

#include "base/kind.h"
#include "suite.h"

static Arena arena;
static Owners owners;
static lua_State *L;

static void *alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    owners_look(&owners, true);
    ArenaBlock *b = ptr ? arena_find(&arena, ptr) : NULL;
    if (nsize && b) {
        arena_resize(&arena, b, nsize);
    } else if (nsize) {
        b = arena_make(&arena, nsize);
        b->type_tag = (uint8_t)osize;
        owners_made(&owners, b);
    } else if (b) {
        owners_gone(&owners, b);
        arena_drop(&arena, b);
    }
    return nsize ? b->addr : NULL;
}

static void close_state(void) {
    lua_close(L);
    owners_free(&owners);
    arena_close(&arena);
}

static void open_state(void) {
    arena_open(&arena);
    owners_reset(&owners, &arena);
#if LUA_VERSION_NUM >= 505
    L = lua_newstate(alloc, NULL, 0);
#else
    L = lua_newstate(alloc, NULL);
#endif
    suite_closes(close_state);
    luaL_openlibs(L);
    owners_learn(&owners, L);
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCSTOP);
}
BEFORE_TESTS(open_state)

/* Returns a part of so many bytes that nobody owns. */
static void *make_part(size_t size) {
    return alloc(NULL, NULL, 0, size);
}

static int owner_of(const void *part) {
    owners_look(&owners, true);
    return arena_find(&arena, part)->owner;
}

TEST(whose) {
    luaL_loadstring(L, "local t = { 1, 2, 3, x = 1 } return t, function() return t end");
    lua_call(L, 0, 2);
    lua_State *thread = lua_newthread(L);
    lua_checkstack(thread, 100);
    luaL_Buffer buffer;
    char *making = luaL_buffinitsize(L, &buffer, 5000);
    owners_look(&owners, true);
    int of[LMP_KINDS] = {0};
    for (uint32_t i = 1; i < arena.blocks; i++) {
        const ArenaBlock *b = &arena.block[i];
        if (!b->addr || b->type_tag) continue;
        ck_assert_msg(b->owner >= 0, "a part of %zu bytes is nobody's", b->size);
        of[b->owner]++;
    }
    ck_assert_int_eq(of[LMP_STRING], 2); /* the table of strings, and: */
    ck_assert_int_eq(owner_of(making), LMP_STRING);
    ck_assert_int_ge(of[LMP_THREAD], 2);
    ck_assert_int_gt(of[LMP_FUNCTION], 0);
    ck_assert_int_gt(of[LMP_TABLE], 0);
}

static void warn(void *ud, const char *message, int more) {
    (void)ud, (void)message, (void)more;
}

/* Lists of the collector end in objects that are gone, and at their addresses may be parts. Words
 * of the same blocks that we may write stand for those. */
TEST(left_words) {
    void *part[] = {make_part(40), make_part(40), make_part(64), make_part(720)};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        lua_setwarnf(L, warn, part[i]); /* in the global state */
        *(void **)lua_getextraspace(L) = part[i];
        ck_assert_int_eq(owner_of(part[i]), -1);
        *(void **)lua_getextraspace(lua_newthread(L)) = part[i];
        ck_assert_int_eq(owner_of(part[i]), -1);
    }
    luaL_loadstring(L, "return 1");
    for (uint32_t i = 1; i < arena.blocks; i++) /* of a prototype, its place in such a list */
        if (arena.block[i].addr && arena.block[i].type_tag == 10)
            memcpy(arena.block[i].addr + 120, &part[0], sizeof *part);
    ck_assert_int_eq(owner_of(part[0]), -1);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        alloc(NULL, part[i], 0, 0);
}
