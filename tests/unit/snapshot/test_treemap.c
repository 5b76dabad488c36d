/* Rectangles for weights: inside the room, none over another, all of it covered, each with about
 * its share; what would be too small joins the last one. */
#include "suite.h"

#include <math.h>

#include "snapshot/treemap.h"

#define MOST 400u

/* Every cell of the room belongs to exactly one tile, and no tile has any outside. */
static void covers(Rect room, const Rect *tile, uint32_t count) {
    OWN(free_at) char *seen = calloc((size_t)room.w * room.h + 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        const Rect *t = &tile[i];
        if (t->w == 0 || t->h == 0) continue;
        ck_assert_msg(t->w > 0 && t->h > 0 && t->x >= room.x && t->y >= room.y &&
                          t->x + t->w <= room.x + room.w && t->y + t->h <= room.y + room.h,
                      "tile %u is %d,%d %dx%d in %d,%d %dx%d", i, t->x, t->y, t->w, t->h, room.x,
                      room.y, room.w, room.h);
        for (int y = t->y; y < t->y + t->h; y++)
            for (int x = t->x; x < t->x + t->w; x++) {
                char *cell = &seen[(y - room.y) * room.w + x - room.x];
                ck_assert_msg(!*cell, "two tiles at %d,%d", x, y);
                *cell = 1;
            }
    }
    for (int i = 0; i < room.w * room.h; i++)
        ck_assert_msg(seen[i], "nothing at %d,%d", room.x + i % room.w, room.y + i / room.w);
}

static int by_weight(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Weights as heaps have them: a few large ones, a long tail; or all alike; or with zeroes. */
static uint32_t some_weights(double *weight) {
    uint32_t count = 1 + (uint32_t)suite_below(MOST);
    uint64_t shape = suite_below(4);
    for (uint32_t i = 0; i < count; i++) {
        double u = (double)(1 + suite_below(1000000)) / 1e6;
        weight[i] = shape == 0 ? 1 : shape == 1 ? u : shape == 2 ? pow(u, 12) * 1e12 : floor(u * 3);
    }
    qsort(weight, count, sizeof *weight, by_weight);
    if (!(weight[0] > 0)) weight[0] = 1;
    return count;
}

static TreemapRoom some_room(void) {
    return (TreemapRoom){.rect = {(int)suite_below(9), (int)suite_below(9),
                                  1 + (int)suite_below(200), 1 + (int)suite_below(120)},
                         .tall = 1 + (int)suite_below(2),
                         .least_w = 8,
                         .least_h = 2};
}

TEST(test_every_cell_has_one_tile) {
    static double weight[MOST];
    static Rect tile[MOST];
    for (int i = 0; i < 4000; i++) {
        uint32_t count = some_weights(weight);
        TreemapRoom room = some_room();
        treemap_split(&room, weight, count, tile);
        covers(room.rect, tile, count);
    }
}

TEST(test_tiles_have_their_share) {
    static double weight[MOST];
    static Rect tile[MOST];
    for (int i = 0; i < 2000; i++) {
        uint32_t count = some_weights(weight);
        TreemapRoom room = some_room();
        double sum = 0, off = 0, cells = (double)room.rect.w * room.rect.h;
        for (uint32_t k = 0; k < count; k++)
            sum += weight[k];
        treemap_split(&room, weight, count, tile);
        for (uint32_t k = 0; k < count; k++) {
            double has = tile[k].w * tile[k].h, due = cells * weight[k] / sum;
            off += fabs(has - due);
            /* a strip is at most half a cell too thick or too thin, a tile at most one too long,
             * and what came before may have shifted what was left by as much */
            double edge = 2.0 * (tile[k].w + tile[k].h) + 4;
            if (has > 0 && due >= 16)
                ck_assert_msg(fabs(has - due) <= edge, "%.0f cells for %.1f (%dx%d)", has, due,
                              tile[k].w, tile[k].h);
        }
        if (count <= 20 && cells > 2000) ck_assert_double_lt(off / cells, 0.2);
    }
}

TEST(test_large_rooms_have_square_tiles) {
    /* equal weights in a large room: nothing longer than three times its width, as the last of
     * three is */
    double weight[12];
    Rect tile[12];
    for (uint32_t count = 1; count <= 12; count++) {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = 1;
        TreemapRoom room = {{0, 0, 160, 160}, 1, 8, 2};
        treemap_split(&room, weight, count, tile);
        for (uint32_t i = 0; i < count; i++) {
            double ratio = (double)tile[i].w / tile[i].h;
            ck_assert_msg(ratio < 3.1 && ratio > 1 / 3.1, "%u of %u: %dx%d", i, count, tile[i].w,
                          tile[i].h);
        }
    }
}

TEST(test_small_ones_join_the_last_tile) {
    static double weight[MOST];
    static Rect tile[MOST + 1];
    uint32_t joined = 0, alone = 0;
    for (int i = 0; i < 4000; i++) {
        uint32_t count = some_weights(weight);
        TreemapRoom room = some_room();
        double more = suite_below(2) ? (double)suite_below(1000) / 100 : 0;
        uint32_t own = treemap_fit(&room, weight, count, more, tile);
        ck_assert_uint_le(own, count);
        covers(room.rect, tile, own + 1);
        bool rest = more > 0 || own < count;
        ck_assert_int_eq(tile[own].w > 0, rest);
        for (uint32_t k = 0; k < own + rest && own > 0; k++) {
            ck_assert_int_ge(tile[k].w, room.least_w);
            ck_assert_int_ge(tile[k].h, room.least_h);
        }
        joined += own < count;
        alone += own > 0;
    }
    ck_assert_uint_gt(joined, 500);
    ck_assert_uint_gt(alone, 500);
}

TEST(test_no_weight_and_no_room) {
    double none[3] = {0, 0, 0};
    Rect tile[4];
    TreemapRoom room = {{2, 3, 10, 4}, 1, 8, 2};
    treemap_split(&room, none, 3, tile);
    covers(room.rect, tile, 3);
    ck_assert_uint_eq(treemap_fit(&room, none, 0, 5, tile), 0);
    ck_assert_int_eq(tile[0].w, 10);
    TreemapRoom empty = {{0, 0, 0, 0}, 1, 8, 2};
    double some[2] = {3, 1};
    treemap_split(&empty, some, 2, tile);
    ck_assert_int_eq(tile[0].w * tile[0].h + tile[1].w * tile[1].h, 0);
    ck_assert_uint_eq(treemap_fit(&empty, some, 2, 0, tile), 0);
}
