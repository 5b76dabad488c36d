/* Small charts: a constant is a line, nothing is one at the ground, all else is an area. */
#include "widget/spark.h"

#include "suite.h"

static Canvas *canvas;

static uint32_t glyph(int x, int y) {
    return canvas_at(canvas, x, y)->glyph;
}

static void draw(uint64_t a, uint64_t b) {
    const uint64_t value[] = {a, b};
    canvas_clear(canvas, STYLE(TONE_NONE));
    spark_draw(canvas, (Rect){0, 0, 8, 5}, value, 2, STYLE(TONE_TEXT));
}

/* Is there one line in the row `y`, and nothing else? */
static void is_line(int y) {
    for (int row = 0; row < 5; row++)
        for (int x = 0; x < 8; x++)
            ck_assert_uint_eq(glyph(x, row), row == y ? G_HLINE : ' ');
}

TEST(a_constant_is_a_line) {
    canvas = canvas_new(8, 5, true);
    draw(1 << 20, 1 << 20);
    is_line(2);
    draw(0, 0);
    is_line(4);
    draw(UINT64_MAX, UINT64_MAX - (1 << 20)); /* it would be as high */
    is_line(2);
    draw(1 << 20, 2 << 20);
    ck_assert_uint_eq(glyph(0, 0), ' ');
    ck_assert_uint_eq(glyph(0, 4), 0x28ff);
    ck_assert_uint_eq(glyph(7, 0), 0x28ff);
    canvas_free(canvas);
}
