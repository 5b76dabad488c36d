/* Tests of slab.c: pieces do not overlap whatever is taken and given back; refused memory is told;
 * in the end nothing stays mapped. */
#include "base/slab.h"

#include "counted_maps.h"

static void begin(int maps) {
    counted_maps_begin(maps);
}

enum { PIECES = 300 };

typedef struct Piece {
    unsigned char *p;
    size_t got;
    unsigned char fill;
} Piece;

static void check(const Piece *piece) {
    for (size_t i = 0; i < piece->got; i += i + 61 < piece->got ? 61 : 1)
        ck_assert_uint_eq(piece->p[i], piece->fill);
}

TEST(test_property) {
    for (int round = 0; round < 10; round++) {
        begin(suite_below(3) ? -1 : (int)suite_below(20));
        LmpSlab slab = {0};
        static Piece piece[PIECES];
        memset(piece, 0, sizeof piece);
        uint64_t refusals = 0;
        for (int i = 0; i < 3000; i++) {
            Piece *x = &piece[suite_below(PIECES)];
            if (x->p) {
                check(x);
                slab_give(&slab, x->p, x->got);
                *x = (Piece){0};
                continue;
            }
            size_t size = 1 + suite_below(suite_below(20) ? 2000 : 300000);
            x->p = slab_take(&slab, size, &x->got);
            if (!x->p) {
                refusals++;
                continue;
            }
            ck_assert_uint_ge(x->got, size);
            ck_assert_uint_eq(x->got & (x->got - 1), 0);
            ck_assert_uint_eq((uintptr_t)x->p % 16, 0);
            x->fill = (unsigned char)suite_random();
            memset(x->p, x->fill, x->got);
        }
        ck_assert(maps_left >= 0 || refusals == 0);
        for (int i = 0; i < PIECES; i++)
            if (piece[i].p) {
                check(&piece[i]);
                slab_give(&slab, piece[i].p, piece[i].got);
            }
        slab_close(&slab);
        ck_assert_int_eq(mapped, 0);
    }
    lmp_os = &os_real;
}

/* What is given back is what the next one gets: no memory is asked for again and again. */
TEST(test_again) {
    begin(-1);
    LmpSlab slab = {0};
    for (int i = 0; i < 100000; i++) {
        size_t a, b;
        void *p = slab_take(&slab, 100, &a), *q = slab_take(&slab, 5000, &b);
        slab_give(&slab, p, a);
        slab_give(&slab, q, b);
    }
    ck_assert_int_eq(mapped, 1);
    slab_close(&slab);
    counted_maps_end();
}
