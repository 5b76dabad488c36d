/* svg.c - a canvas as SVG. A font draws only plain text, in runs of prescribed width; everything
 * that has to join is drawn here: grounds and half blocks are rectangles, borders are lines,
 * braille dots are squares, the few signs of the display are shapes of their own. */
#include "screen/svg.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CELL_W 10
#define CELL_H 20
#define MARGIN 10
/* The width of a glyph in DejaVu Sans Mono and Menlo is 0.602 of its size: CELL_W. */
#define FONT "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace\" font-size=\"16.6"

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct Ink {
    uint32_t fg, bg;
    unsigned attr;
} Ink;

static Ink ink_of(const Theme *theme, Style style) {
    Look look = theme_look(theme, style);
    uint32_t front = theme->light ? 0x1c1c1c : 0xd0d0d0,
             ground = theme->light ? 0xffffff : 0x121214;
    Ink ink = {look.fg < 0 ? front : theme_rgb(look.fg), look.bg < 0 ? ground : theme_rgb(look.bg),
               look.attr};
    if (look.attr & ATTR_REVERSE) {
        uint32_t swap = ink.fg;
        ink.fg = ink.bg;
        ink.bg = swap;
    }
    return ink;
}

/* Signs that have no name in canvas.h. */
enum { G_THICK_VLINE = 0x2503, G_HOLLOW = 0x25a1 };

/* What is drawn, in which colours, and where to. */
typedef struct Picture {
    const Canvas *canvas;
    const Theme *theme;
    FILE *out;
} Picture;

static uint32_t glyph_at(const Picture *p, int x, int y) {
    const Cell *cell = canvas_at(p->canvas, x, y);
    return cell ? cell->glyph : ' ';
}

/* x and y must be on the canvas. */
static Ink ink_at(const Picture *p, int x, int y) {
    return ink_of(p->theme, canvas_at(p->canvas, x, y)->style);
}

static bool same_ink(const Picture *p, int x1, int y1, int x2, int y2) {
    return canvas_at(p->canvas, x1, y1)->style == canvas_at(p->canvas, x2, y2)->style;
}

static void put_rect(FILE *out, double x, double y, double w, double h, uint32_t rgb) {
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x, y, w,
            h, rgb);
}

/* ---- grounds: half cells, so that half blocks are grounds too -------------------------------- */

/* Returns the colour of the half cell in column x and half row y (two a row). */
static uint32_t half_at(const Picture *p, int x, int y) {
    Ink ink = ink_at(p, x, y / 2);
    switch (glyph_at(p, x, y / 2)) {
    case G_UPPER_HALF:
        return y % 2 ? ink.bg : ink.fg;
    case G_LOWER_HALF:
        return y % 2 ? ink.fg : ink.bg;
    case G_FULL:
        return ink.fg;
    default:
        return ink.bg;
    }
}

/* Returns how many half cells from x on have one colour. */
static int half_run(const Picture *p, int x, int y) {
    int n = 1;
    while (x + n < p->canvas->w && half_at(p, x + n, y) == half_at(p, x, y))
        n++;
    return n;
}

/* Returns true if half row `other` has a run of the same colour with the same ends. */
static bool same_run(const Picture *p, int x, int y, int n, int other) {
    if (other < 0 || other >= 2 * p->canvas->h) return false;
    uint32_t rgb = half_at(p, x, y);
    return half_at(p, x, other) == rgb && half_run(p, x, other) == n &&
           (x == 0 || half_at(p, x - 1, other) != rgb);
}

/* Runs directly below each other become one rectangle, drawn with the topmost. */
static void put_grounds(const Picture *p) {
    uint32_t page = ink_of(p->theme, STYLE(TONE_NONE)).bg;
    fputs("<g shape-rendering=\"crispEdges\">\n", p->out);
    for (int y = 0; y < 2 * p->canvas->h; y++) {
        for (int x = 0, n; x < p->canvas->w; x += n) {
            n = half_run(p, x, y);
            uint32_t rgb = half_at(p, x, y);
            int high = 1;
            if (rgb == page || same_run(p, x, y, n, y - 1)) continue;
            while (same_run(p, x, y, n, y + high))
                high++;
            put_rect(p->out, x * CELL_W, y * CELL_H / 2.0, n * CELL_W, high * CELL_H / 2.0, rgb);
        }
    }
    fputs("</g>\n", p->out);
}

/* ---- lines and bars: one stroke for as long as they go --------------------------------------- */

static const struct Stroke {
    uint32_t glyph;
    bool down; /* it continues downwards, else to the right */
    int width;
    const char *more;
} strokes[] = {
    {G_HLINE, false, 1, ""},
    {G_VLINE, true, 1, ""},
    {G_BAR, false, 3, ""},
    {G_THICK_VLINE, true, 3, ""},
    {G_DASH_VLINE, true, 1, " stroke-dasharray=\"4 3\""},
};

static const struct Stroke *find_stroke(uint32_t glyph) {
    for (size_t i = 0; i < sizeof strokes / sizeof *strokes; i++)
        if (strokes[i].glyph == glyph) return &strokes[i];
    return NULL;
}

static bool goes_on(const Picture *p, int x, int y, int to_x, int to_y) {
    return canvas_at(p->canvas, to_x, to_y) && glyph_at(p, to_x, to_y) == glyph_at(p, x, y) &&
           same_ink(p, x, y, to_x, to_y);
}

/* The half pixel puts a thin line on one row of pixels, not between two. */
static void put_stroke(const Picture *p, const struct Stroke *s, int x, int y) {
    int dx = !s->down, dy = s->down, n = 1;
    if (goes_on(p, x, y, x - dx, y - dy)) return; /* drawn where it began */
    while (goes_on(p, x, y, x + n * dx, y + n * dy))
        n++;
    fprintf(p->out, "<path d=\"M%g %g%c%d\" stroke=\"#%06x\" stroke-width=\"%d\"%s/>\n",
            x * CELL_W + (s->down ? CELL_W / 2.0 + 0.5 : 0),
            y * CELL_H + (s->down ? 0 : CELL_H / 2.0 + 0.5), s->down ? 'v' : 'h',
            n * (s->down ? CELL_H : CELL_W), ink_at(p, x, y).fg, s->width, s->more);
}

/* ---- signs: shapes within a cell ------------------------------------------------------------- */

static const struct Sign {
    uint32_t glyph;
    bool filled; /* else drawn with a thin line */
    const char *path;
} signs[] = {
    {G_TOP_LEFT, false, "M5.5 20v-5.5q0-4 4-4h.5"},
    {G_TOP_RIGHT, false, "M5.5 20v-5.5q0-4-4-4h-1.5"},
    {G_BOTTOM_LEFT, false, "M5.5 0v6.5q0 4 4 4h.5"},
    {G_BOTTOM_RIGHT, false, "M5.5 0v6.5q0 4-4 4h-1.5"},
    {G_SQUARE, true, "M1 6h8v8h-8z"},
    {G_HOLLOW, false, "M1.5 6.5h7v7h-7z"},
    {G_DOT, true, "M1 10a4 4 0 1 1 8 0a4 4 0 1 1-8 0"},
    {G_UP, true, "M5 5l4.5 9h-9z"},
    {G_DOWN, true, "M5 15l4.5-9h-9z"},
    {G_RIGHT, true, "M2 6l6 4.5l-6 4.5z"},
    {G_PAUSE, true, "M2 5h2v10h-2zm4 0h2v10h-2z"},
    {G_FROZEN, true, "M5 5l4.5 5l-4.5 5l-4.5-5z"},
};

static const struct Sign *find_sign(uint32_t glyph) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].glyph == glyph) return &signs[i];
    return NULL;
}

static void put_sign(const Picture *p, const struct Sign *sign, int x, int y) {
    uint32_t rgb = ink_at(p, x, y).fg;
    fprintf(p->out, "<path transform=\"translate(%d %d)\" d=\"%s\" %s=\"#%06x\"/>\n", x * CELL_W,
            y * CELL_H, sign->path, sign->filled ? "fill" : "stroke", rgb);
}

static bool is_braille(uint32_t glyph) {
    return glyph >= G_BRAILLE && glyph < G_BRAILLE + 256;
}

/* Draws a run of braille in one ink, as one path; returns the cells. */
static int put_braille(const Picture *p, int x, int y) {
    static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int n = 0;
    fprintf(p->out, "<path shape-rendering=\"crispEdges\" fill=\"#%06x\" d=\"", ink_at(p, x, y).fg);
    for (; x + n < p->canvas->w && is_braille(glyph_at(p, x + n, y)) && same_ink(p, x, y, x + n, y);
         n++) {
        uint32_t dots = glyph_at(p, x + n, y) - G_BRAILLE;
        for (int i = 0; i < 8; i++) {
            if (!(dots & bit[i / 2][i % 2])) continue;
            fprintf(p->out, "M%d %dh3v3h-3z", (x + n) * CELL_W + 1 + 5 * (i % 2),
                    y * CELL_H + 1 + 5 * (i / 2));
        }
    }
    fputs("\"/>\n", p->out);
    return n;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_escaped(uint32_t glyph, FILE *out) {
    char text[5];
    switch (glyph) {
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '&':
        fputs("&amp;", out);
        break;
    default: /* XML allows neither surrogates nor these two */
        canvas_encode(text, (glyph & 0xfffe) == 0xfffe || glyph >> 11 == 0x1b ? '?' : glyph);
        fputs(text, out);
    }
}

/* Draws text. A run of ASCII in one style has the width of its cells in any font; any other glyph
 * may come from another font, so it is centred in a cell of its own. Returns the cells. */
static int put_text(const Picture *p, int x, int y) {
    Ink ink = ink_at(p, x, y);
    uint32_t glyph = glyph_at(p, x, y);
    int n = 1, wide = glyph >= 0x80 && x + 1 < p->canvas->w && glyph_at(p, x + 1, y) == 0;
    fprintf(p->out, "<text y=\"%d\" fill=\"#%06x\"%s%s%s", y * CELL_H + 15, ink.fg,
            ink.attr & ATTR_BOLD ? " font-weight=\"bold\"" : "",
            ink.attr & ATTR_DIM ? " opacity=\"0.6\"" : "",
            ink.attr & ATTR_UNDERLINE ? " text-decoration=\"underline\"" : "");
    if (glyph >= 0x80) {
        fprintf(p->out, " x=\"%d\" text-anchor=\"middle\">", x * CELL_W + CELL_W / 2 * (1 + wide));
    } else {
        while (x + n < p->canvas->w && glyph_at(p, x + n, y) > ' ' &&
               glyph_at(p, x + n, y) < 0x7f && same_ink(p, x, y, x + n, y))
            n++;
        fprintf(p->out, " x=\"%d\" textLength=\"%d\">", x * CELL_W, n * CELL_W);
    }
    for (int i = 0; i < n; i++)
        put_escaped(glyph_at(p, x + i, y), p->out);
    fputs("</text>\n", p->out);
    return n;
}

/* ---- everything ------------------------------------------------------------------------------ */

/* Draws the cell and those that belong to it; returns their number. */
static int put_cell(const Picture *p, int x, int y) {
    uint32_t glyph = glyph_at(p, x, y);
    const struct Stroke *stroke = find_stroke(glyph);
    const struct Sign *sign = find_sign(glyph);
    if (stroke) {
        put_stroke(p, stroke, x, y);
    } else if (sign) {
        put_sign(p, sign, x, y);
    } else if (is_braille(glyph)) {
        return put_braille(p, x, y);
    } else if (glyph > ' ' && glyph != G_UPPER_HALF && glyph != G_LOWER_HALF && glyph != G_FULL) {
        return put_text(p, x, y);
    }
    return 1;
}

void svg_write(const Canvas *canvas, const Theme *theme, FILE *out) {
    const Picture p = {canvas, theme, out};
    int w = canvas->w * CELL_W, h = canvas->h * CELL_H;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"%d %d %d %d\" font-family=\"" FONT "\" fill=\"none\">\n",
            w + 2 * MARGIN, h + 2 * MARGIN, -MARGIN, -MARGIN, w + 2 * MARGIN, h + 2 * MARGIN);
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#%06x\"/>\n",
            -MARGIN, -MARGIN, w + 2 * MARGIN, h + 2 * MARGIN, ink_of(theme, STYLE(TONE_NONE)).bg);
    put_grounds(&p);
    for (int y = 0; y < canvas->h; y++)
        for (int x = 0; x < canvas->w;)
            x += put_cell(&p, x, y);
    fputs("</svg>\n", out);
}

LmpErr svg_save(const Canvas *canvas, const Theme *theme, unsigned pid, char *name, size_t size) {
    int fd = -1;
    for (int i = 1; i < 10000 && fd < 0; i++) {
        snprintf(name, size, "lmp-%u-%d.svg", pid, i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) {
        if (fd >= 0) close(fd);
        return LMP_E_FILE;
    }
    svg_write(canvas, theme, out);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    if (bad) unlink(name);
    return bad ? LMP_E_FILE : LMP_OK;
}
