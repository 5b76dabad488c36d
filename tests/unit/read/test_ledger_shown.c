/* Tests of what a ledger shows: how functions are called that have no name, which functions and
 * lines have a row, and what those retain that are on no call path. */
#include "ledger_shape.h"

static FakeTables *f;

static FakeSpot spot(uint32_t function, uint32_t node) {
    return (FakeSpot){.site = fake_site(f, function, 3, 0), .node = node, .cls = LMP_C_TABLE};
}

static void make(LmpFunctionKind kind, const char *source, int line, const char *name) {
    fake_made(f, spot(fake_function(f, kind, source, line, name), 0), 1, 10);
}

TEST(without_names) {
    f = fake_tables_new(NULL);
    make(LMP_F_LUA, "@a.lua", 7, "");
    make(LMP_F_LUA, "@a.lua", 8, "local 'it'");
    make(LMP_F_C, "=[C]", -1, "");
    make(LMP_F_PSEUDO, "=(mine)", -1, "");
    uint32_t main = fake_function(f, LMP_F_MAIN, "@b.lua", 0, "");
    fake_path(f, main, "not.mine"); /* a chunk is none of a module's functions */
    fake_made(f, spot(main, 0), 1, 10);
    uint32_t nothing = fake_function(f, LMP_F_PSEUDO, "=", -1, "");
    f->t.function[nothing].short_src = 0;
    fake_made(f, spot(nothing, 0), 1, 7);
    refresh(f, LEDGER_ALL, 1);
    ck_assert_uint_eq(ledger.functions, 6);
    ck_assert_ptr_nonnull(function("function <a.lua:7>"));
    ck_assert_ptr_nonnull(function("local 'it'"));
    ck_assert_ptr_nonnull(function("(mine)"));
    ck_assert_ptr_nonnull(function("function <b.lua:0>"));
    unsigned unknown = 0;
    for (uint32_t i = 0; i < ledger.functions; i++)
        unknown += strcmp(ledger.function[i].name, "?") == 0;
    ck_assert_uint_eq(unknown, 2);
    fake_tables_free(f);
}

/* C functions that have made something on a line: the last part of their names. */
TEST(names_of_c_functions) {
    static const struct {
        const char *name, *shown;
    } names[] = {{"function 'string.rep'", "rep [C]"},
                 {"method 'a:b'", "b [C]"},
                 {"it's", "it's [C]"},
                 {"'", "' [C]"},
                 {"plain", "plain [C]"},
                 {"", "? [C]"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        f = fake_tables_new(NULL);
        uint32_t lua = fake_function(f, LMP_F_LUA, "@a.lua", 1, "f");
        uint32_t c = fake_function(f, LMP_F_C, "=[C]", -1, names[i].name);
        fake_made(f, (FakeSpot){.site = fake_site(f, lua, 3, c), .cls = LMP_C_STRING}, 1, 10);
        refresh(f, LEDGER_ALL, 1);
        ck_assert_uint_eq(ledger.sites, 1);
        ck_assert_str_eq(ledger.detail[ledger.site[0].first_detail].name, names[i].shown);
        ledger_free(&ledger);
        fake_tables_free(f);
    }
}

/* Functions of which there is nothing to tell have no row; a line that only resizes or frees what
 * others have made has one, and so has its function. */
TEST(rows) {
    static const unsigned parts[] = {LEDGER_FUNCTIONS, LEDGER_SITES | LEDGER_FUNCTIONS,
                                     LEDGER_SITES, LEDGER_ALL};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        f = fake_tables_new(NULL);
        uint32_t idle = fake_function(f, LMP_F_LUA, "@a.lua", 1, "idle");
        uint32_t makes = fake_function(f, LMP_F_LUA, "@a.lua", 11, "makes");
        uint32_t resizes = fake_function(f, LMP_F_LUA, "@b.lua", 1, "resizes");
        uint32_t frees = fake_function(f, LMP_F_LUA, "@c.lua", 1, "frees");
        fake_function(f, LMP_F_LUA, "@d.lua", 1, "waits");
        spot(idle, 0);
        fake_made(f, spot(makes, 0), 3, 30);
        fake_resized(f, spot(makes, 0), spot(resizes, 0), 1, 5);
        fake_freed(f, spot(makes, 0), spot(frees, 0), 1, 10, 0);
        refresh(f, parts[i], 1);
        bool sites = parts[i] & LEDGER_SITES;
        ck_assert_uint_eq(ledger.functions, sites ? 3 : 1);
        ck_assert_ptr_nonnull(function("makes"));
        ck_assert_ptr_null(function("idle"));
        ck_assert_ptr_null(function("waits"));
        ck_assert_uint_eq(ledger.sites, sites ? 3 : 0);
        ck_assert(!sites || (site("b.lua", 3) && site("c.lua", 3)));
        ledger_free(&ledger);
        fake_tables_free(f);
    }
}

static uint64_t retained(const char *name) {
    return function(name)->retained.live_bytes;
}

/* Parser and collector are on no call path: they retain what they have made; and so does, at
 * least, a function whose call paths found no room. */
TEST(off_all_paths) {
    for (int n = 0; n < 6; n++) {
        bool stacks = n & 1, functions = n & 2, full = n & 4;
        f = fake_tables_new(NULL);
        f->live->tables.stacks = stacks;
        uint32_t parser = fake_function(f, LMP_F_PSEUDO, "=(parser)", -1, "(parser)");
        uint32_t host = fake_function(f, LMP_F_PSEUDO, "=(host)", -1, "(host)");
        uint32_t a = fake_function(f, LMP_F_LUA, "@a.lua", 1, "a");
        uint32_t b = fake_function(f, LMP_F_LUA, "@b.lua", 1, "b");
        uint32_t calls = fake_node(f, 0, fake_site(f, a, 9, 0), 0);
        fake_made(f, spot(parser, 0), 1, 40);
        fake_made(f, spot(host, fake_node(f, 0, spot(host, 0).site, 0)), 1, 60);
        fake_made(f, spot(host, 0), 1, 5);
        fake_made(f, spot(b, fake_node(f, calls, spot(b, 0).site, 0)), 2, 100);
        fake_made(f, spot(fake_function(f, LMP_F_LUA, "@d.lua", 1, "d"), 0), 1, 9);
        fake_made(f, spot(b, full ? FAKE_OTHERS : 0), 1, 7);
        full &= stacks;
        refresh(f, functions || full ? LEDGER_ALL : LEDGER_SITES, 1);
        functions |= full;
        ck_assert_uint_eq(function("b")->shallow.live_bytes, 107);
        ck_assert_uint_eq(retained("(parser)"), functions && stacks ? 40 : 0);
        ck_assert_uint_eq(retained("(host)"), full ? 65 : functions ? 60 : 0);
        ck_assert_uint_eq(retained("b"), full ? 107 : functions ? 100 : 0);
        ck_assert_uint_eq(retained("d"), full ? 9 : 0); /* it may have found no room */
        if (functions) ck_assert_uint_eq(retained("a"), 100);
        ledger_free(&ledger);
        fake_tables_free(f);
    }
}
