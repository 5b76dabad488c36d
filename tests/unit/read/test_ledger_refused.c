/* Tests of a ledger for which memory is refused, at each of its requests (linked with --wrap): the
 * rows of before stay, and it goes on when there is memory again. */
#include "ledger_shape.h"
#include "read/ledger/makes.h"
#include "refused_memory.h"

/* Strings of the row are made of those of another one, which the rows of before do not have. */
static void check_makes(const FakeTables *f) {
    LmpMakes makes;
    ledger_makes(&ledger, &f->t, 0, &makes);
    ck_assert_uint_eq(makes.way[LMP_WAY_TABLE].live_bytes, 77);
    for (uint32_t i = 0; i < makes.builds; i++)
        ck_assert_uint_lt(makes.build[i], ledger.sites);
}

static void feed(FakeTables *f, uint32_t site, uint32_t by) {
    f->t.site[site].joins = f->t.site[site].fed = 9;
    f->t.site[site].fed_by = by;
}

TEST(refused_memory) {
    int refusals = 0;
    bool all = false;
    for (long n = 0; !all; n++) {
        OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
        FakeSpot at = {.site =
                           fake_site(f, fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main"), 1, 0),
                       .cls = LMP_C_TABLE};
        fake_made(f, at, 1, 77);
        refresh(f, LEDGER_ALL, 1);
        fake_program(f, true);
        for (int i = 0; i < 500; i++) {
            char name[32];
            snprintf(name, sizeof name, "local 'f%d'", i);
            FakeSpot s = {.cls = LMP_C_STRING};
            s.site = fake_site(f, fake_function(f, LMP_F_LUA, "@b.lua", i, name), i + 1, 0);
            s.node = fake_node(f, 0, s.site, 0);
            fake_made(f, s, 1, 10);
        }
        feed(f, at.site, f->live->tables.sites - 1);
        feed(f, f->live->tables.sites - 1, at.site);
        refuse_after = n;
        was_refused = false;
        LmpErr err = ledger_refresh(&ledger, &f->t, LEDGER_ALL | LEDGER_TAG_LINES, 2);
        refuse_after = -1;
        all = !was_refused;
        ck_assert_int_eq(err, all ? LMP_OK : LMP_E_NOMEM);
        if (err) { /* the rows of before */
            refusals++;
            ck_assert_uint_eq(ledger.sites, 1);
            ck_assert_uint_eq(ledger.site[0].tally.live_bytes, 77);
            ck_assert_str_eq(ledger.site[0].short_src, "a.lua");
            ck_assert_str_eq(ledger.function[ledger.site[0].function].name, "main");
            ck_assert_uint_eq(ledger.site[0].live_history[0], 0);
            check_makes(f);
            refresh(f, LEDGER_ALL, 3); /* and goes on when there is memory again */
        }
        ck_assert_uint_gt(ledger.sites, 25);
        check_shape(LEDGER_ALL);
        refuse_after = n % 4; /* freeing asks for none */
        was_refused = false;
        ledger_free(&ledger);
        ck_assert(!was_refused);
        refuse_after = -1;
    }
    ck_assert_int_gt(refusals, 20);
    OWN(ledger_free) Ledger fresh = {0};
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    refuse_after = 0;
    ck_assert_int_eq(ledger_refresh(&fresh, &f->t, LEDGER_ALL, 1), LMP_E_NOMEM);
    refuse_after = -1;
    ck_assert_uint_eq(fresh.sites, 0);
}
