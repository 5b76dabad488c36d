/* Tests of inspect.c: what a look sees of the strings that a program makes: joins, what they were
 * made of, and the same contents again. The look is made to last through all of it. */
#include "agent/charge/inspect.h"

#include "agent/hook/slow_path.h"
#include "agent/state/profile.h"
#include "profiled_state.h"

static void run(const char *script) {
    ck_assert_int_eq(luaL_loadbuffer(L, script, strlen(script), "=program"), LUA_OK);
    ck_assert(p->exact && p->look);
    memset(p->look->sum, 0, sizeof p->look->sum);
    p->look->block = 0;
    p->look->allocs = p->look->left = 1u << 30;
    p->look->bytes = 1u << 30;
    slow_path_route(p);
    ck_assert_msg(lua_pcall(L, 0, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    ck_assert(inspect_on(p));
    p->look->left = 0;
    slow_path_route(p);
}

/* Of a line, or of a C function that it calls. */
static const LmpSite *at(int line, bool c) {
    for (uint32_t i = 1; i < p->live->tables.sites; i++) {
        const LmpSite *s = &p->tables.site[i];
        const LmpFunction *f = &p->tables.function[s->function];
        if (s->line == line && (s->cfunction != 0) == c &&
            !strcmp(p->tables.text + f->source, "=program"))
            return s;
    }
    ck_abort_msg("no site at line %d", line);
}

static uint32_t row_of(const LmpSite *s) {
    return (uint32_t)(s - p->tables.site);
}

static void made_of(void) {
    run("local s, third = '', ('t'):rep(800)\n"
        "local piece = ('p'):rep(300)\n"
        "for i = 1, 60 do s = s .. piece end\n"                     /* 3: fed by itself */
        "for i = 1, 20 do local x = ('y'):rep(2000 + i) .. i end\n" /* 4: by what is called there */
        "for i = 1, 20 do local x = third .. i .. third .. third end\n" /* 5: by none */
        "for i = 1, 20 do local x = i .. ' is short' .. 'er' end\n"     /* 6: below what counts */
        "local a, b, c, d, e, f, g, h = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'\n"
        "for i = 1, 7 do local x = third .. a .. b .. c .. d .. e .. f .. g .. h .. a .. b .. c .. "
        "d .. e .. f .. g .. h .. piece end\n" /* 8: the largest is not among the last 16 */);
    const LmpSite *fed = at(3, false);
    ck_assert_uint_eq(fed->joins, 60 - 1); /* the first is no new string */
    ck_assert_uint_eq(fed->fed, fed->joins);
    ck_assert_uint_eq(fed->fed_by, row_of(fed));
    ck_assert_uint_eq(fed->fed_bytes, 18000);
    const LmpSite *called = at(4, false);
    ck_assert_uint_eq(called->joins, 20);
    ck_assert_uint_eq(called->fed, 20);
    ck_assert_uint_eq(called->fed_by, row_of(at(4, true)));
    ck_assert_uint_eq(called->fed_bytes, 2022);
    ck_assert_uint_eq(at(5, false)->joins, 20);
    ck_assert_uint_eq(at(5, false)->fed, 0);
    ck_assert_uint_eq(at(6, false)->joins, 0);
    ck_assert_uint_eq(at(8, false)->joins, 7);
    ck_assert_uint_eq(at(8, false)->fed, 0);
    ck_assert_uint_eq(at(4, true)->joins, 0); /* a C function's strings are no joins */
}

TEST(joins) {
    for (int stacks = 0; stacks < 2; stacks++) {
        begin(stacks);
        made_of();
    }
}

TEST(the_same_again) {
    begin(false);
    run("local r = string.rep\n"
        "for i = 1, 20 do local x = r('s', 61) end\n"                        /* 2: all */
        "for i = 1, 20 do local x = r('m', 100 + i) end\n"                   /* 3: none */
        "for i = 1, 20 do local x = r('a', 80) .. i % 2 .. r('b', 80) end\n" /* 4: in the middle */
        "for i = 1, 20 do local x = r('c', 67) .. i % 2 end\n"               /* 5: at the end */
        "for i = 1, 20 do local x = i % 2 .. r('d', 67) end\n"               /* 6: at the begin */
        "for i = 1, 20 do local x = r('e', 67) .. i // 10 end\n"             /* 7: twice each */
        "for i = 1, 20 do local x = r('short', 8) .. i // 10 end\n"
        "local _ = {}\n");
    /* a string is looked at with the next operation */ /* 8 */
    ck_assert_uint_eq(at(2, true)->texts, 19);
    ck_assert_uint_eq(at(2, true)->same, 19);
    ck_assert_uint_eq(at(3, true)->texts, 19);
    ck_assert_uint_eq(at(3, true)->same, 0);
    for (int line = 4; line <= 6; line++) {
        ck_assert_uint_eq(at(line, false)->texts, 19);
        ck_assert_uint_eq(at(line, false)->same, 0);
    }
    ck_assert_uint_eq(at(7, false)->texts, 19);
    ck_assert_uint_eq(at(7, false)->same, 17);
    ck_assert_uint_eq(at(8, true)->texts, 0); /* of 40 bytes: Lua keeps one itself */
    ck_assert_uint_eq(at(8, false)->texts, 19);
}

/* What is too much for one look is not read, and what came before it is not compared with what
 * comes after. */
TEST(so_much_and_no_more) {
    static const char script[] = "for i = 1, 9 do local x = ('x'):rep(5000) end";
    begin(false);
    ck_assert_int_eq(luaL_loadstring(L, script), LUA_OK);
    p->look->allocs = p->look->left = 1000;
    p->look->bytes = 5000 * 4;
    slow_path_route(p);
    ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
    uint32_t texts = 0, same = 0;
    for (uint32_t i = 1; i < p->live->tables.sites; i++) {
        texts += p->tables.site[i].texts;
        same += p->tables.site[i].same;
    }
    ck_assert_uint_eq(texts, 3);
    ck_assert_uint_eq(same, 3);
    ck_assert_uint_eq(p->look->bytes, 0);
    ck_assert_uint_lt(p->look->allocs, 1000 - 8);
}

/* A look is over after so many blocks, or operations, and the hot path is taken again. */
TEST(is_over) {
    begin(false);
    p->look->ticks = 16; /* none begins by itself before 16 more */
    for (unsigned few = 1; few < 20; few += 6) {
        p->look->allocs = few;
        p->look->left = 1000;
        slow_path_route(p);
        ck_assert(p->trap != &p->control->trap);
        ck_assert_int_eq(luaL_dostring(L, "for i = 1, 40 do local _ = {} end"), LUA_OK);
        ck_assert(!inspect_on(p));
        ck_assert(p->trap == &p->control->trap);
        p->look->allocs = 1000;
        p->look->left = few;
        slow_path_route(p);
        ck_assert_int_eq(luaL_dostring(L, "for i = 1, 40 do local _ = {} end"), LUA_OK);
        ck_assert(!inspect_on(p));
        ck_assert(p->trap == &p->control->trap);
    }
}

TEST(when_due) {
    begin(false);
    p->look->ticks = p->look->left = 0;
    for (unsigned n = 1; n <= 100; n++) {
        bool due = n == 1 || n == 2 || n == 4 || n == 8 || n % 16 == 0;
        ck_assert_msg(inspect_due(p) == due, "tick %u", n);
        ck_assert(inspect_on(p) == due);
        if (due) ck_assert(p->look->allocs > 0 && p->look->bytes > 0 && !p->look->block);
        p->look->left = 0;
    }
    p->look->ticks = 15;
    p->look->left = 5; /* one is under way */
    ck_assert(!inspect_due(p));
    p->look->left = 0;
    bool exact = p->exact, framed = p->framed;
    LmpInspection *look = p->look;
    p->look->ticks = 15;
    p->exact = false;
    ck_assert(!inspect_due(p));
    p->exact = exact;
    p->framed = false;
    ck_assert(!inspect_due(p));
    p->framed = framed;
    p->look = NULL;
    ck_assert(!inspect_due(p) && !inspect_on(p));
    p->look = look;
    ck_assert(inspect_due(p));
}
