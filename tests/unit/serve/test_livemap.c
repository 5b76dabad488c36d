/* The heap map of the page: all that lives, in no more cells than there may be, however large the
 * heap; and what is shown where there is none. */
#include "serve/livemap.h"

#include "fake_heap.h"
#include "suite.h"

#define AT 0x55d0c2a00000ull
#define FAR 0x7f10a0000000ull

static LmpReport report;

static void look(FakeHeap *f) {
    report.map = NULL;
    livemap_look(&f->view, &report);
}

static uint64_t held(LmpKind kind) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < report.map_cells; i++)
        sum += report.map[i].bytes[kind];
    return sum;
}

TEST(all_that_lives) {
    OWN(fake_free_at) FakeHeap *f = fake_new(true);
    look(f);
    ck_assert_ptr_null(report.map); /* nothing does */
    fake_place(f, AT, 48, LMP_C_STRING, 1);
    fake_place(f, AT + 64, 4000, LMP_C_TABLE_PART, 1);
    fake_place(f, AT + 8192, 4000, LMP_C_OWN, 1);
    look(f);
    ck_assert_uint_eq(held(LMP_STRING), 48);
    ck_assert_uint_eq(held(LMP_TABLE), 4000);
    fake_place(f, FAR, 1ull << 30, LMP_C_USERDATA, 1);
    fake_take(f, AT, 48);
    look(f);
    ck_assert_uint_eq(held(LMP_STRING), 0);
    ck_assert_uint_eq(held(LMP_TABLE), 4000);
    ck_assert_uint_eq(held(LMP_USERDATA), 1ull << 30);
    ck_assert_uint_gt(report.map_cells, LIVEMAP_CELLS / 2);
    ck_assert_uint_le(report.map_cells, LIVEMAP_CELLS);
    livemap_end();
}

TEST(none_of_samples) {
    OWN(fake_free_at) FakeHeap *f = fake_new(true);
    fake_place(f, AT, 48, LMP_C_STRING, 1);
    f->live.tables.sample = 1 << 19;
    look(f);
    ck_assert_ptr_null(report.map);
    ck_assert_uint_eq(f->control.frame, 1); /* and the program is told of no look */
    livemap_end();
}

/* `lmp run` makes holes of the map when the program is gone. */
TEST(the_last_one_stays) {
    OWN(fake_free_at) FakeHeap *f = fake_new(false);
    fake_place(f, AT, 48, LMP_C_STRING, 1);
    look(f);
    f->control.given_back = 1;
    memset(f->leaf[0], 0, sizeof *f->leaf[0]);
    look(f);
    ck_assert_uint_eq(held(LMP_STRING), 48);
    livemap_end();
    look(f);
    ck_assert_ptr_null(report.map); /* it had ended before */
    livemap_end();
}
