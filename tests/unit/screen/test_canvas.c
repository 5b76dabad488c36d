/* Tests of the canvas, of code points, of lines of pieces, of themes and of pictures. */
#include "canvas_dump.h"

#include <math.h>

#include "screen/line.h"
#include "screen/svg.h"

RELEASE_AT(canvas_free)

static void expect(const Canvas *canvas, const char *want) {
    OWN(free_at) char *got = canvas_dump(canvas);
    ck_assert_str_eq(got, want);
}

/* No half of a wide character without the other. */
static void check_whole(const Canvas *canvas) {
    for (int y = 0; y < canvas->h; y++) {
        for (int x = 0; x < canvas->w; x++) {
            uint32_t glyph = canvas_at(canvas, x, y)->glyph;
            bool after_wide = x > 0 && canvas_glyph_width(canvas_at(canvas, x - 1, y)->glyph) == 2;
            ck_assert_msg((glyph == 0) == after_wide, "torn character at %d,%d", x, y);
            ck_assert(glyph == 0 || canvas_glyph_width(glyph) > 0);
        }
    }
}

TEST(text_is_cut_with_an_ellipsis) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(10, 3, true);
    ck_assert_int_eq(canvas_text(canvas, 0, 0, -1, STYLE(TONE_TEXT), "heap"), 4);
    ck_assert_int_eq(canvas_text(canvas, 0, 1, 6, STYLE(TONE_TEXT), "allocations"), 6);
    ck_assert_int_eq(canvas_text_right(canvas, 10, 2, 4, STYLE(TONE_TEXT), "live"), 4);
    expect(canvas, "heap\nalloc…\n      live\n");
    ck_assert_int_eq(canvas_text(canvas, 0, 0, 0, STYLE(TONE_TEXT), "x"), 0);
}

TEST(nothing_is_drawn_outside_the_clip) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(6, 3, true);
    Rect old = canvas_clip(canvas, (Rect){1, 1, 3, 1});
    canvas_fill(canvas, (Rect){-5, -5, 50, 50}, '#', STYLE(TONE_TEXT));
    canvas_text(canvas, -2, 1, -1, STYLE(TONE_TEXT), "abcdefghij");
    Rect inner = canvas_clip(canvas, (Rect){0, 0, 2, 2});
    ck_assert_int_eq(canvas->clip.w, 1);
    canvas_unclip(canvas, inner);
    canvas_unclip(canvas, old);
    expect(canvas, "\n def\n\n");
    ck_assert_ptr_null(canvas_at(canvas, 6, 0));
    ck_assert_ptr_null(canvas_at(canvas, 0, -1));
}

TEST(wide_characters_stay_whole) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(6, 1, true);
    canvas_text(canvas, 0, 0, -1, STYLE(TONE_TEXT), "日本語");
    check_whole(canvas);
    canvas_put(canvas, 1, 0, 'x', STYLE(TONE_TEXT)); /* over the right half of the first */
    check_whole(canvas);
    expect(canvas, " x本語\n");
    canvas_put(canvas, 5, 0, 0x65e5, STYLE(TONE_TEXT)); /* no room for its right half */
    check_whole(canvas);
    expect(canvas, " x本 ?\n");
    ck_assert_int_eq(canvas_text(canvas, 0, 0, 4, STYLE(TONE_TEXT), "日本語"), 3);
    check_whole(canvas);
}

TEST(hostile_text_draws_as_question_marks) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(12, 1, true);
    canvas_text(canvas, 0, 0, -1, STYLE(TONE_TEXT), "a\x1b[31m\xff\xc2\x9b\xe2\x80\xae z");
    expect(canvas, "a?[31m?? z\n"); /* the mark that turns writing round is left out */
}

TEST(ascii_canvas_has_only_ascii) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(13, 3, false);
    canvas_box(canvas, (Rect){0, 0, 13, 3}, STYLE(TONE_BORDER));
    canvas_text(canvas, 1, 1, 11, STYLE(TONE_TEXT), "▲ Δ … é日 ⣿");
    for (int i = 0; i < 36; i++)
        ck_assert_uint_lt(canvas->cells[i].glyph, 0x7f);
    expect(canvas, "+-----------+\n|^ d ~ ??  #|\n+-----------+\n");
}

/* Random drawing into a random clip: nothing outside changes, no character is torn. */
TEST(random_drawing) {
    static const uint32_t some[] = {'a', ' ', 0x65e5, 0x2588, 0x301, 0, 7, 0x1f600, 0x110000, 0x9b};
    for (int round = 0; round < 3000; round++) {
        int w = 1 + (int)suite_below(20), h = 1 + (int)suite_below(6);
        OWN(canvas_free_at) Canvas *canvas = canvas_new(w, h, suite_below(4) != 0);
        OWN(canvas_free_at) Canvas *before = canvas_new(w, h, true);
        Rect clip = {(int)suite_below(24) - 4, (int)suite_below(8) - 2, (int)suite_below(20),
                     (int)suite_below(6)};
        canvas_clip(canvas, clip);
        for (int i = 0; i < 30; i++) {
            canvas_put(canvas, (int)suite_below(30) - 5, (int)suite_below(10) - 2,
                       some[suite_below(10)], STYLE((Tone)suite_below(TONES)));
        }
        canvas_tint(canvas, (Rect){-3, -3, 9, 9}, TONE_SELECT);
        check_whole(canvas);
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                bool in = x >= clip.x && y >= clip.y && x < clip.x + clip.w && y < clip.y + clip.h;
                if (!in) ck_assert_uint_eq(canvas_at(canvas, x, y)->glyph, ' ');
                if (!in) ck_assert_uint_eq(canvas_at(canvas, x, y)->style, 0);
            }
        }
    }
}

/* Any bytes decode to code points, within the text; what is encoded decodes to itself. */
TEST(utf8_both_ways) {
    for (int round = 0; round < 20000; round++) {
        size_t n = suite_below(12);
        OWN(free_at)
        char *text = malloc(n + 1); /* of its exact size, so that a sanitizer sees reads beyond */
        for (size_t i = 0; i < n; i++)
            text[i] = (char)(1 + suite_below(255));
        text[n] = 0;
        const char *p = text;
        size_t steps = 0;
        while (canvas_decode(&p) != 0)
            ck_assert_uint_lt(steps++, n);
        ck_assert_ptr_eq(p, text + n);
    }
    for (uint32_t glyph = 1; glyph < 0x110000; glyph += 1 + glyph / 64) {
        if (glyph >= 0xd800 && glyph < 0xe000) continue;
        char out[5];
        canvas_encode(out, glyph);
        const char *p = out;
        ck_assert_uint_eq(canvas_decode(&p), glyph);
        ck_assert_int_eq(*p, 0);
    }
}

TEST(stack_fills_the_bar) {
    Style style[3] = {STYLE(TONE_KIND(0)), STYLE(TONE_KIND(1)), STYLE(TONE_KIND(2))};
    for (int round = 0; round < 2000; round++) {
        uint64_t part[3], whole = 0;
        for (int i = 0; i < 3; i++)
            whole += part[i] = suite_below(round % 3 ? 10 : 1ull << 40);
        int w = 1 + (int)suite_below(60);
        OWN(canvas_free_at) Canvas *canvas = canvas_new(62, 1, true);
        canvas_stack(canvas, 1, 0, w, 3, part, whole, style, "abc", '=', STYLE(TONE_FAINT));
        int count[256] = {0};
        for (int x = 0; x < 62; x++)
            count[canvas_at(canvas, x, 0)->glyph & 0xff]++;
        ck_assert_int_eq(count['a'] + count['b'] + count['c'] + count['.'], w);
        if (whole > 0) ck_assert_int_eq(count['.'], 0);
        for (int i = 0; i < 3 && whole > 0; i++) {
            double want = (double)part[i] / (double)whole * w;
            ck_assert_double_le(count['a' + i] - want, 1.01);
            ck_assert_double_ge(count['a' + i] - want, -1.01);
        }
    }
}

TEST(lines_drop_the_least_important) {
    Line line = {0};
    line_add(&line, 2, STYLE(TONE_TEXT), "two ");
    line_add(&line, 1, STYLE(TONE_TEXT), "one ");
    line_add(&line, 3, STYLE(TONE_TEXT), "three ");
    line_add(&line, 2, STYLE(TONE_TEXT), "too ");
    struct {
        int w;
        const char *want;
    } cases[] = {{40, "two one three too\n"},
                 {18, "two one three too\n"},
                 {17, "two one too\n"},
                 {12, "two one too\n"},
                 {11, "one\n"},
                 {2, "o…\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(canvas_free_at) Canvas *canvas = canvas_new(40, 1, true);
        ck_assert_int_le(line_draw(&line, canvas, 0, 0, cases[i].w), cases[i].w);
        expect(canvas, cases[i].want);
    }
}

/* ---- themes ---------------------------------------------------------------------------------- */

TEST(themes_use_only_the_colours_there_are) {
    static const int most[THEME_MODES] = {0, 8, 16, 256};
    for (int mode = 0; mode < THEME_MODES; mode++) {
        for (int light = 0; light < 2; light++) {
            Theme theme = {.mode = (ThemeMode)mode, .light = light != 0};
            for (int tone = 0; tone <= 255; tone++) {
                Look look = theme_look(&theme, STYLE_ON(tone, 255 - tone));
                ck_assert_int_ge(look.fg, -1);
                ck_assert_int_lt(look.fg, mode == THEME_MONO ? 0 : most[mode]);
                ck_assert_int_lt(look.bg, mode == THEME_MONO ? 0 : most[mode]);
            }
        }
    }
}

TEST(kinds_have_colours_of_their_own) {
    for (int mode = THEME_8; mode < THEME_MODES; mode++) {
        Theme theme = {.mode = (ThemeMode)mode};
        for (int a = 0; a < LMP_KINDS; a++) {
            for (int b = 0; b < a; b++) {
                for (int level = 0; level < THEME_LEVELS; level++) {
                    Look x = theme_look(&theme, STYLE(TONE_KIND_LEVEL(a, level)));
                    Look y = theme_look(&theme, STYLE(TONE_KIND_LEVEL(b, level)));
                    ck_assert_msg(x.fg != y.fg, "kinds %d and %d look alike in mode %d", a, b,
                                  mode);
                }
            }
        }
    }
    char word[24], other[24];
    for (int a = 0; a < TONES; a++) {
        for (int b = 0; b < a; b++) {
            ck_assert_str_ne(tone_word(word, (Tone)a), tone_word(other, (Tone)b));
        }
    }
}

/* The luminance of a colour of 256, as WCAG has it. */
static double luminance(int colour) {
    static const double weight[3] = {0.0722, 0.7152, 0.2126};
    uint32_t rgb = theme_rgb(colour);
    double sum = 0;
    for (int i = 0; i < 3; i++, rgb >>= 8) {
        double part = (rgb & 255) / 255.0;
        sum += weight[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(int a, int b) {
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

/* On the map, a cell that is nearly empty stands out from an empty one, and each level from the one
 * before. */
TEST(levels_stand_out) {
    static const char *const names[] = {"dark", "light", "okabe-ito", "okabe-ito-light"};
    for (int i = 0; i < 4; i++) {
        Theme theme = theme_choose(256, NULL, names[i], NULL);
        bool light = theme.light;
        int ground = theme_look(&theme, STYLE(TONE_EMPTY)).fg;
        for (int kind = 0; kind < LMP_KINDS; kind++) {
            int before = ground;
            for (int level = 0; level < THEME_LEVELS; level++) {
                int colour = theme_look(&theme, STYLE(TONE_KIND_LEVEL(kind, level))).fg;
                double least = level > 0 ? 1.1 : light ? 1.25 : 1.55;
                ck_assert_msg(contrast(before, colour) >= least, "%s.%d of %s: %.2f",
                              kind_info[kind].name, level, names[i], contrast(before, colour));
                ck_assert((luminance(colour) > luminance(ground)) == !light);
                ck_assert(level == 0 || (luminance(colour) > luminance(before)) == !light);
                before = colour;
            }
        }
    }
}

/* The grounds of a flame graph, `n` tones from `first` on, with and without their other shade: none
 * is another one's, and a name on each can be read. */
static void ck_grounds(const Theme *theme, const char *name, Tone first, int n, int step) {
    int seen[2 * LMP_KINDS] = {0};
    for (int i = 0; i < 2 * n; i++) {
        Style style = STYLE_ON(TONE_CURSOR_GROUND, first + i / 2 * step);
        Look look = theme_look(theme, i % 2 ? STYLE_WITH(style, ATTR_SHADE) : style);
        ck_assert_msg(contrast(look.fg, look.bg) >= 4.5, "%s: %d on %d", name, look.fg, look.bg);
        ck_assert_uint_eq(look.attr & ATTR_SHADE, 0);
        for (int k = 0; k < i; k++)
            ck_assert_msg(seen[k] != look.bg, "%s: %d is %d and %d", name, look.bg, i, k);
        seen[i] = look.bg;
    }
}

TEST(rows_that_touch_are_told_apart) {
    static const char *const names[] = {"dark", "light", "okabe-ito", "okabe-ito-light"};
    for (int i = 0; i < 4; i++) {
        Theme theme = theme_choose(256, NULL, names[i], NULL);
        ck_grounds(&theme, names[i], TONE_FLAMES(0), THEME_FLAME, 1);
        ck_grounds(&theme, names[i], TONE_CHANGED(-2), THEME_CHANGE, 1);
        ck_grounds(&theme, names[i], TONE_KIND(0), LMP_KINDS, THEME_LEVELS);
    }
}

TEST(the_environment_chooses_the_theme) {
    ck_assert_int_eq(theme_choose(256, NULL, NULL, NULL).mode, THEME_256);
    ck_assert_int_eq(theme_choose(1 << 24, NULL, NULL, NULL).mode, THEME_256);
    ck_assert_int_eq(theme_choose(88, NULL, NULL, NULL).mode, THEME_16);
    ck_assert_int_eq(theme_choose(8, NULL, NULL, NULL).mode, THEME_8);
    ck_assert_int_eq(theme_choose(2, NULL, NULL, NULL).mode, THEME_MONO);
    ck_assert_int_eq(theme_choose(256, "1", NULL, NULL).mode, THEME_MONO);
    ck_assert_int_eq(theme_choose(256, "", NULL, NULL).mode, THEME_256);
    ck_assert_int_eq(theme_choose(256, NULL, "mono", NULL).mode, THEME_MONO);
    ck_assert(theme_choose(256, NULL, "light", "15;0").light);
    ck_assert(!theme_choose(256, NULL, "dark", "0;15").light);
    ck_assert(theme_choose(256, NULL, NULL, "0;default;15").light);
    ck_assert(!theme_choose(256, NULL, NULL, "15;0").light);
    ck_assert(theme_choose(256, NULL, "okabe-ito", "15;0").safe);
    ck_assert(!theme_choose(256, NULL, "okabe-ito", "15;0").light);
    ck_assert(theme_choose(256, NULL, "okabe-ito", "0;15").light);
    ck_assert(theme_choose(256, NULL, "okabe-ito-light", NULL).light);
    ck_assert(theme_choose(256, NULL, "okabe-ito-light", NULL).safe);
    ck_assert(!theme_choose(256, NULL, "okabe", NULL).safe);
    ck_assert(!theme_is_name("okabe") && theme_is_name("mono") && !theme_is_name(""));
}

static char *picture_of(const Canvas *canvas) {
    svg_write(canvas, &(Theme){.mode = THEME_256}, suite_write());
    return suite_written();
}

TEST(pictures_are_well_formed) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(8, 2, true);
    canvas_text(canvas, 0, 0, -1, STYLE(TONE_TEXT), "<&>▀⣿日");
    canvas_box(canvas, (Rect){0, 1, 8, 1}, STYLE(TONE_BORDER));
    OWN(free_at) char *text = picture_of(canvas);
    ck_assert_ptr_nonnull(strstr(text, "&lt;&amp;&gt;"));
    ck_assert_ptr_nonnull(strstr(text, "日"));
    ck_assert_str_eq(text + suite_wrote - 7, "</svg>\n");
    size_t open_tags = 0, closed = 0;
    for (const char *p = text; *p; p++) {
        if (strncmp(p, "<text", 5) == 0) open_tags++;
        if (strncmp(p, "</text>", 7) == 0) closed++;
    }
    ck_assert_uint_gt(open_tags, 0);
    ck_assert_uint_eq(open_tags, closed);
}

static int count_of(const char *text, const char *part) {
    int n = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + 1, part))
        n++;
    return n;
}

/* Neighbours of one colour are one shape, so that no renderer can leave a gap between them. */
TEST(pictures_join_what_belongs_together) {
    OWN(canvas_free_at) Canvas *canvas = canvas_new(8, 6, true);
    canvas_clear(canvas, STYLE(TONE_NONE));
    Style cell = STYLE_ON(TONE_KIND(LMP_TABLE), TONE_KIND(LMP_STRING));
    canvas_fill(canvas, (Rect){0, 0, 8, 1}, G_UPPER_HALF, cell);
    canvas_fill(canvas, (Rect){0, 1, 8, 1}, ' ', STYLE_ON(TONE_TEXT, TONE_KIND(LMP_STRING)));
    canvas_box(canvas, (Rect){0, 2, 8, 3}, STYLE(TONE_BORDER));
    canvas_put(canvas, 1, 3, G_BRAILLE + 0x81, STYLE(TONE_TEXT));
    canvas_put(canvas, 2, 3, G_BRAILLE + 0x01, STYLE(TONE_TEXT));
    canvas_text(canvas, 0, 5, -1, STYLE(TONE_TEXT), "ab→cd");
    OWN(free_at) char *text = picture_of(canvas);
    /* the page, the upper halves, and the lower halves together with the row below */
    ck_assert_int_eq(count_of(text, "<rect "), 3);
    ck_assert_ptr_nonnull(strstr(text, "y=\"0\" width=\"80\" height=\"10\""));
    ck_assert_ptr_nonnull(strstr(text, "y=\"10\" width=\"80\" height=\"30\""));
    /* the frame: four sides, four corners; both cells of dots: one shape with three squares */
    ck_assert_int_eq(count_of(text, " stroke=\"#"), 8);
    ck_assert_int_eq(count_of(text, "shape-rendering=\"crispEdges\" fill"), 1);
    ck_assert_int_eq(count_of(text, "h3v3h-3z"), 3);
    /* ASCII has the width of its cells, what may come from another font stands in the middle */
    ck_assert_ptr_nonnull(strstr(text, "x=\"0\" textLength=\"20\">ab<"));
    ck_assert_ptr_nonnull(strstr(text, "x=\"25\" text-anchor=\"middle\">→<"));
    ck_assert_ptr_nonnull(strstr(text, "x=\"30\" textLength=\"20\">cd<"));
}
