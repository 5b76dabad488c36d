/* Tests of two runs as one ledger, for which memory is refused at each of its requests (linked with
 * --wrap): the newer run is as it was then, and they are joined when there is memory again. */
#include "fake_program.h"
#include "read/rundiff/rundiff.h"
#include "refused_memory.h"
#include "suite.h"

#define PARTS (LEDGER_ALL | LEDGER_TAG_LINES | LEDGER_TREE_KINDS)

static void add_line(FakeTables *f, const char *source) {
    FakeSpot at = {.cls = LMP_C_STRING};
    at.site = fake_site(f, fake_function(f, LMP_F_LUA, source, 7, "local 'one'"), 9, 0);
    at.node = fake_node(f, 0, at.site, 0);
    fake_made(f, at, 3, 90000);
}

TEST(refused_memory) {
    Ledger old = {0}, newer = {0};
    FakeTables *f[2] = {fake_tables_new(NULL), fake_tables_new(NULL)};
    RunJoined joined;
    int refusals = 0;
    for (int i = 0; i < 2; i++)
        fake_program(f[i], true);
    add_line(f[0], "@gone.lua");
    add_line(f[1], "@new.lua");
    ck_assert_int_eq(ledger_refresh(&old, &f[0]->t, PARTS, 1), LMP_OK);
    for (long n = 0;; n++) {
        ledger_free(&newer);
        ck_assert_int_eq(ledger_refresh(&newer, &f[1]->t, PARTS, 1), LMP_OK);
        Ledger before = newer;
        refuse_after = n;
        was_refused = false;
        LmpErr err = runjoin(&newer, &old, &joined);
        refuse_after = -1;
        ck_assert_int_eq(err, was_refused ? LMP_E_NOMEM : LMP_OK);
        if (!err) break;
        refusals++;
        ck_assert_uint_eq(newer.sites, before.sites);
        ck_assert_uint_eq(newer.functions, before.functions);
        ck_assert_uint_eq(newer.nodes, before.nodes);
        ck_assert_uint_eq(newer.details, before.details);
        ck_assert_str_eq(newer.tree[newer.nodes - 1].name,
                         newer.function[newer.tree[newer.nodes - 1].function].name);
        if (n % 2) ck_assert_int_eq(runjoin(&newer, &old, &joined), LMP_OK);
    }
    ck_assert_int_gt(refusals, 10);
    ck_assert_uint_eq(joined.came, 1);
    ck_assert_uint_eq(joined.went, 1);
    ck_assert_uint_eq(joined.went_bytes, 90000);
    ledger_free(&newer);
    ledger_free(&old);
    fake_tables_free(f[0]);
    fake_tables_free(f[1]);
}
