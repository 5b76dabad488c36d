/* Tests of sources.c: a long source is known by its address only for as long as its string lives,
 * and a line never gets the source of another one that stood where its own does now. */
#include "agent/charge/sources.h"
#include "agent/interp/luafacts.h"

#include "agent/map/shadow.h"
#include "profiled.h"

enum { LONG = 2000 };

static lua_State *L;
static LmpProfile *p;
static const char *early; /* a string from before start, kept */

/* Gives what is freed to the next one who asks for as much. */
static struct Spare {
    void *block;
    size_t size;
} spare[64];

static void *reusing(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    void *block = NULL;
    if (ptr && nsize) return realloc(ptr, nsize);
    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++) {
        struct Spare *s = &spare[i];
        if (ptr && osize > LONG && !s->block) {
            *s = (struct Spare){ptr, osize};
            return NULL;
        }
        if (!ptr && s->block && s->size == nsize) {
            block = s->block;
            s->block = NULL;
            return block;
        }
    }
    if (nsize) return malloc(nsize);
    free(ptr);
    return NULL;
}

static const char *push_long(char c, size_t length) {
    char text[2 * LONG];
    memset(text, c, sizeof text);
    return lua_pushlstring(L, text, length);
}

static void end(void) {
    profiler_stop(L, NULL);
    lua_close(L);
    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++) {
        free(spare[i].block);
        spare[i].block = NULL;
    }
}

static void begin(void) {
    suite_closes(end);
    LmpOptions options = profiler_defaults;
    L = luafacts_newstate(reusing, NULL);
    luaL_openlibs(L);
    early = push_long('e', LONG);
    p = profiled_start(L, options);
}

static void is_known(const LmpSources *known, const char *s, size_t length, uint32_t want) {
    uint32_t text = 0;
    ck_assert(sources_find(known, s, length, &text) == (want != 0));
    ck_assert_uint_eq(text, want);
}

BEFORE_TESTS(begin)

TEST(remembered_while_it_lives) {
    LmpSources known = {0};
    uint64_t size;
    const char *s = push_long('s', LONG);
    uintptr_t block = (uintptr_t)lua_topointer(L, -1);
    is_known(&known, s, LONG, 0);
    sources_keep(p, &known, s, LONG, 7);
    is_known(&known, s, LONG, 7);
    is_known(&known, s, LONG - 1, 0); /* another one's, which began here */
    is_known(&known, s + 1, LONG, 0);
    ck_assert(shadow_lookup(p, block, &size) & LMP_BLOCK_NOTIFY);
    sources_gone(&known, block + 8);
    is_known(&known, s, LONG, 7);
    sources_gone(&known, block);
    is_known(&known, s, LONG, 0);
    sources_keep(p, &known, early, LONG, 8); /* of its free we are told, too */
    is_known(&known, early, LONG, 8);
}

TEST(the_newest_are_remembered) {
    LmpSources known = {0};
    const char *s[LMP_SOURCES * 2];
    for (uint32_t i = 0; i < LMP_SOURCES * 2; i++) {
        luaL_checkstack(L, 1, NULL);
        s[i] = push_long('s', LONG + i);
        sources_keep(p, &known, s[i], LONG + i, i + 1);
        for (uint32_t k = 0; k <= i; k++)
            is_known(&known, s[k], LONG + k, k + LMP_SOURCES > i ? k + 1 : 0);
    }
}

TEST(what_is_not_certain_is_not_remembered) {
    LmpSources known = {0};
    const char *s = push_long('s', LMP_SOURCE_LONG - 1);
    sources_keep(p, &known, s, LMP_SOURCE_LONG - 1, 7); /* short */
    is_known(&known, s, LMP_SOURCE_LONG - 1, 0);
    s = push_long('s', LMP_SOURCE_LONG);
    size_t header = (size_t)(s - (const char *)lua_topointer(L, -1));
    sources_keep(p, &known, s, LMP_SOURCE_LONG - 0, 8);
    is_known(&known, s, LMP_SOURCE_LONG, 8);
    s = push_long('t', LONG);
    sources_keep(p, &known, s, LONG - 1, 9); /* the block has another size */
    is_known(&known, s, LONG - 1, 0);
    for (int i = 0; i < 200; i++)
        lua_pushinteger(L, i), luaL_checkstack(L, 2, NULL);
    lua_pushcclosure(L, lua_error, 200);
    s = (const char *)lua_topointer(L, -1) + header; /* no string, of the right size */
    size_t length = 32 + 200 * sizeof(void *) * 2 - header - 1;
    sources_keep(p, &known, s, length, 9);
    is_known(&known, s, length, 0);
}

/* Chunks with sources of one length, each where the last one was. */
TEST(each_line_has_its_own) {
    unsigned again = 0;
    const void *last = NULL;
    for (char c = 'A'; c <= 'Z'; c++) {
        push_long(c, LONG);
        again += lua_topointer(L, -1) == last;
        last = lua_topointer(L, -1);
        char name[2 * LONG];
        snprintf(name, sizeof name, "=%s", lua_tostring(L, -1));
        lua_pop(L, 1);
        ck_assert_int_eq(luaL_loadbuffer(L, "return {}", 9, name), LUA_OK);
        ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
        lua_gc(L, LUA_GCCOLLECT);
        bool found = false;
        for (uint32_t i = 1; i < p->live->tables.functions; i++) {
            const char *source = p->tables.text + p->tables.function[i].source;
            found |= *source == '=' && source[1] == c && source[LONG - 1] == c;
        }
        ck_assert_msg(found, "nothing is charged to the chunk of %c", c);
    }
    ck_assert_uint_gt(again, 5); /* else this has seen nothing */
}
