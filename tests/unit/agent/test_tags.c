/* Tests of tags.c: against a naive list of coroutines and names, over addresses that are used
 * again, with more names than there is room for, and with memory refused at any moment. */
#include "agent/charge/tags.h"

#include "agent/hook/slow_path.h"
#include "agent/map/shadow.h"
#include "bare_tables.h"
#include "profiled.h"

RELEASE_AT(lua_close)

/* ---- a profile with tables and a shadow map that knows no thread ----------------------------- */

static LmpOverflow no_blocks;

static void end(void) {
    tags_close(&p);
    free(p.dir);
    bare_tables_end();
}

static void begin(void) {
    suite_closes(end);
    bare_tables((LmpTableLimits){0});
    p.dir = calloc(LMP_DIR_SIZE, sizeof *p.dir);
    p.overflow = &no_blocks;
    p.live->tables.lines = LMP_LINES_EXACT;
    ck_assert_int_eq(sites_open(&p), LMP_OK);
}

static const lua_State *thread(uintptr_t n) {
    return (const lua_State *)(0x100000 + n * 208); /* never looked at */
}

static const char *tag_of(const lua_State *L) {
    return p.tables.text + p.live->tables.tag[tags_current(&p, L)];
}

static void same(const char *is, const char *want) {
    ck_assert_msg((!is && !want) || (is && want && !strcmp(is, want)), "'%s', want '%s'",
                  is ? is : "none", want ? want : "none");
}

TEST(test_set_and_restore) {
    begin();
    same(tags_set(&p, thread(1), NULL), NULL);
    ck_assert_ptr_null(p.tags); /* nothing was used yet */
    same(tags_set(&p, thread(1), "one"), NULL);
    same(tags_set(&p, thread(2), "two"), NULL);
    same(tags_set(&p, thread(1), "three"), "one");
    same(tags_set(&p, thread(1), NULL), "three");
    same(tags_set(&p, thread(1), "one"), NULL);
    same(tag_of(thread(2)), "two");
    ck_assert_uint_eq(tags_current(&p, thread(3)), 0);
    ck_assert_uint_eq(p.live->tables.tags, 2 + 3);
    tags_thread_gone(&p, thread(1));
    tags_thread_gone(&p, thread(1));
    tags_thread_gone(&p, thread(77));
    same(tags_set(&p, thread(1), "two"), NULL);
    ck_assert_uint_eq(tags_current(&p, thread(1)), tags_current(&p, thread(2)));
}

TEST(test_without_lines) {
    begin();
    p.live->tables.lines = LMP_LINES_OFF;
    same(tags_set(&p, thread(1), "one"), NULL);
    same(tags_set(&p, thread(1), "two"), NULL);
    ck_assert_ptr_null(p.tags);
}

TEST(test_long_names) {
    char name[300];
    begin();
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    tags_set(&p, thread(1), name);
    ck_assert_uint_eq(strlen(tag_of(thread(1))), LMP_TAG_BYTES - 1);
    name[200] = 'b'; /* beyond what counts */
    tags_set(&p, thread(2), name);
    ck_assert_uint_eq(tags_current(&p, thread(1)), tags_current(&p, thread(2)));
    name[LMP_TAG_BYTES - 1] = 0; /* as long as may be: the very same */
    tags_set(&p, thread(2), name);
    ck_assert_uint_eq(tags_current(&p, thread(1)), tags_current(&p, thread(2)));
    memcpy(name + LMP_TAG_BYTES - 2, "\xc3\xb6", 2); /* a character across the end goes whole */
    tags_set(&p, thread(3), name);
    ck_assert_uint_eq(strlen(tag_of(thread(3))), LMP_TAG_BYTES - 2);
}

TEST(test_too_many_names) {
    begin();
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        tags_set(&p, thread(1), name);
        same(tag_of(thread(1)), i < (int)LMP_TAGS - 2 ? name : "(others)");
    }
    ck_assert_uint_eq(tables_tags(&p.tables), LMP_TAGS);
    uint32_t text = p.live->tables.text;
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "another %d", i);
        tags_set(&p, thread(1), name);
    }
    ck_assert_uint_eq(p.live->tables.text, text); /* names without a row take no room */
    same(tags_set(&p, thread(1), "name 7"), "(others)");
    same(tags_set(&p, thread(1), "(others)"), "name 7");
    same(tag_of(thread(1)), "(others)");
}

enum { THREADS = 3000, NAMES = 40 };

TEST(test_as_a_list) {
    for (int round = 0; round < 20; round++) {
        begin();
        static int model[THREADS]; /* name number, 0: none */
        memset(model, 0, sizeof model);
        if (round % 2) maps_left = (int)suite_below(12);
        unsigned threads = 1 + (unsigned)suite_below(THREADS);
        for (int i = 0; i < 20000; i++) {
            unsigned t = (unsigned)suite_below(threads);
            unsigned what = (unsigned)suite_below(10);
            if (what < 5) {
                int n = (int)suite_below(NAMES);
                char name[32], before[32];
                snprintf(name, sizeof name, "n%d", n);
                snprintf(before, sizeof before, "n%d", model[t]);
                same(tags_set(&p, thread(t), n ? name : NULL), model[t] ? before : NULL);
                /* refused: as it was, or in "(others)" */
                const char *is = p.tags ? tag_of(thread(t)) : "";
                if (maps_left != 0 || !strcmp(is, n ? name : ""))
                    model[t] = n;
                else if (!strcmp(is, "(others)"))
                    tags_set(&p, thread(t), NULL), model[t] = 0;
                else
                    ck_assert_msg(!strcmp(is, model[t] ? before : ""), "'%s'", is);
            } else if (what < 8) {
                tags_thread_gone(&p, thread(t));
                model[t] = 0;
            } else if (p.tags) {
                char name[32];
                snprintf(name, sizeof name, "n%d", model[t]);
                same(tag_of(thread(t)), model[t] ? name : "");
            }
        }
        maps_left = -1;
    }
}

/* A coroutine begins with the tag under which its own block was asked for. */
TEST(test_birth) {
    begin();
    uint64_t size;
    p.lines = (struct LmpLineCache *)&size; /* alloc contexts are kept */
    p.control = calloc(1, sizeof *p.control);
    static LmpOverflow *blocks;
    blocks = calloc(1, LMP_TABLES_AT - LMP_OVERFLOW_AT);
    p.overflow = blocks;
    tags_set(&p, thread(1), "parent");
    uint32_t tag = tags_current(&p, thread(1));
    uint32_t record = sites_record(&p, sites_pseudo(&p, LMP_PSEUDO_HOST), LMP_C_THREAD, tag);
    /* Beyond the directory, so that there need be none. */
    lua_State *born = (lua_State *)(1ull << LMP_ADDRESS_BITS | (uintptr_t)thread(5)); /* NOLINT */
    uintptr_t block = (uintptr_t)born - LUA_EXTRASPACE;
    LmpTaken stale;
    ck_assert(shadow_place(&p, block, 208, LMP_C_THREAD, record, &stale));
    ck_assert_uint_eq(stale.entry, 0);
    same(tag_of(born), "parent");
    same(tags_set(&p, born, NULL), "parent");
    ck_assert_uint_eq(tags_current(&p, born), 0); /* none is not the same as never set */
    tags_thread_gone(&p, born);
    same(tag_of(born), "parent");
    p.lines = NULL;
    free(blocks);
    free(p.control);
}

/* ---- in a program ---------------------------------------------------------------------------- */

static int tag(lua_State *L) {
    profiler_tag(L, luaL_optstring(L, 1, NULL));
    return 0;
}

static uint64_t allocs_of(lua_State *L, const char *name) {
    Ledger ledger = {0};
    uint64_t allocs = 0;
    ck_assert_int_eq(profiler_ledger(L, LEDGER_TAGS, &ledger), LMP_OK);
    for (uint32_t i = 0; i < ledger.tags; i++)
        if (!strcmp(ledger.tag[i].name, name)) allocs += ledger.tag[i].tally.allocs;
    ledger_free(&ledger);
    return allocs;
}

/* With the interpreter's own frames, by the documented API alone, and by samples; `times` as much.
 */
static void coroutines_take_turns(bool by_api, uint64_t sample, unsigned times) {
    char code[1024];
    static const char format[] =
        "local function make(n) for _ = 1, n * %u do local _ = {} end end\n"
        "local function work() tag 'b' for _ = 1, 5 do make(200) coroutine.yield() end end\n"
        "tag 'a'; make(100)\n"
        "local co = coroutine.wrap(work)\n"
        "local heir = coroutine.wrap(function() make(50) coroutine.yield() make(50) end)\n"
        "for _ = 1, 5 do co() make(100) end\n"
        "heir() tag 'c' make(300) heir() make(300)\n"
        "tag() make(7)\n";
    snprintf(code, sizeof code, format, times);
    OWN(lua_close_at) lua_State *L = new_state();
    lua_register(L, "tag", tag);
    LmpOptions options = profiler_defaults;
    options.sample = sample;
    LmpProfile *profile = profiled_start(L, options);
    if (by_api) {
        profile->regs = NULL;
        profile->live->tables.lines = LMP_LINES_APPROXIMATE;
        slow_path_route(profile);
    }
    run_lua(L, code);
    uint64_t a = allocs_of(L, "a"), b = allocs_of(L, "b"), c = allocs_of(L, "c");
    uint64_t slack = sample ? 150ull * times : 25; /* samples: many standard deviations */
    uint64_t less = sample ? slack : 0;
    a += less, b += less, c += less;
    ck_assert_msg(a >= 700ull * times && a < 700ull * times + less + slack, "a: %u", (unsigned)a);
    ck_assert_msg(b >= 1000ull * times && b < 1000ull * times + less + slack, "b: %u", (unsigned)b);
    ck_assert_msg(c >= 600ull * times && c < 600ull * times + less + slack, "c: %u", (unsigned)c);
    profiler_stop(L, NULL);
}

TEST(test_exact_turns) {
    coroutines_take_turns(false, 0, 1);
}

TEST(test_approximate_turns) {
    coroutines_take_turns(true, 0, 1);
}

TEST(test_sampled_turns) {
    coroutines_take_turns(false, 1024, 50);
}
