/* svg.c - a canvas as SVG: grounds and blocks as rectangles, so that neighbours join without a gap,
 * frames as lines, the rest as text with a fixed width. */
#include "svg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CELL_W 10
#define CELL_H 20

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

static void put_rect(FILE *out, double x, double y, double w, double h, uint32_t rgb) {
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x, y, w,
            h, rgb);
}

/* Grounds, in runs. */
static void put_grounds(const Canvas *canvas, const Theme *theme, FILE *out) {
    uint32_t page = ink_of(theme, STYLE(TONE_NONE)).bg;
    for (int y = 0; y < canvas->h; y++) {
        for (int x = 0, n; x < canvas->w; x += n) {
            uint32_t bg = ink_of(theme, canvas_at(canvas, x, y)->style).bg;
            for (n = 1; x + n < canvas->w; n++) {
                if (ink_of(theme, canvas_at(canvas, x + n, y)->style).bg != bg) break;
            }
            if (bg != page) put_rect(out, x * CELL_W, y * CELL_H, n * CELL_W, CELL_H, bg);
        }
    }
}

/* Glyphs that are drawn as shapes. False: it is text. */
static bool put_shape(const Cell *cell, Ink ink, int column, int row, FILE *out) {
    double x = column * CELL_W, y = row * CELL_H, cx = x + CELL_W / 2.0, cy = y + CELL_H / 2.0;
    const char *arm = NULL;
    uint32_t glyph = cell->glyph;
    switch (glyph) {
    case G_UPPER_HALF:
        put_rect(out, x, y, CELL_W, CELL_H / 2.0, ink.fg);
        return true;
    case G_LOWER_HALF:
        put_rect(out, x, cy, CELL_W, CELL_H / 2.0, ink.fg);
        return true;
    case G_FULL:
        put_rect(out, x, y, CELL_W, CELL_H, ink.fg);
        return true;
    case G_BAR:
        put_rect(out, x, cy - 1.5, CELL_W, 3, ink.fg);
        return true;
    case G_SQUARE:
        put_rect(out, x + 1, cy - 4, 8, 8, ink.fg);
        return true;
    case G_HLINE:
        arm = "M%g %gm-5 0h10";
        break;
    case G_VLINE:
        arm = "M%g %gm0 -10v20";
        break;
    case G_TOP_LEFT:
        arm = "M%g %gm0 10v-6q0 -4 5 -4";
        break;
    case G_TOP_RIGHT:
        arm = "M%g %gm0 10v-6q0 -4 -5 -4";
        break;
    case G_BOTTOM_LEFT:
        arm = "M%g %gm0 -10v6q0 4 5 4";
        break;
    case G_BOTTOM_RIGHT:
        arm = "M%g %gm0 -10v6q0 4 -5 4";
        break;
    default:
        break;
    }
    if (arm) {
        char path[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, sizeof path, arm, cx, cy);
#pragma GCC diagnostic pop
        fprintf(out, "<path d=\"%s\" fill=\"none\" stroke=\"#%06x\"/>\n", path, ink.fg);
        return true;
    }
    if (glyph > G_BRAILLE && glyph < G_BRAILLE + 256) {
        static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        for (int i = 0; i < 8; i++) {
            if (!((glyph - G_BRAILLE) & bit[i / 2][i % 2])) continue;
            put_rect(out, x + 1.5 + 5 * (i % 2), y + 1 + 5 * (i / 2), 3, 3, ink.fg);
        }
        return true;
    }
    return glyph == ' ' || glyph == 0;
}

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
    default:
        canvas_encode(text, glyph);
        fputs(text, out);
    }
}

static bool is_text(const Cell *cell) {
    return (cell->glyph > ' ' && cell->glyph < 0x2500) || cell->glyph > 0x28ff ||
           (cell->glyph >= 0x25a1 && cell->glyph < 0x2800);
}

/* A run of text cells of one style, from column x; returns how many cells it took. */
static int put_text(const Canvas *canvas, Ink ink, int x, int y, FILE *out) {
    Style style = canvas_at(canvas, x, y)->style;
    int n = 0;
    while (x + n < canvas->w) {
        const Cell *cell = canvas_at(canvas, x + n, y);
        if (cell->style != style || (!is_text(cell) && cell->glyph != 0)) break;
        n++;
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s%s>", x * CELL_W,
            y * CELL_H + 15, n * CELL_W, ink.fg,
            ink.attr & ATTR_BOLD ? " font-weight=\"bold\"" : "",
            ink.attr & ATTR_DIM ? " opacity=\"0.6\"" : "",
            ink.attr & ATTR_UNDERLINE ? " text-decoration=\"underline\"" : "");
    for (int i = 0; i < n; i++) {
        uint32_t glyph = canvas_at(canvas, x + i, y)->glyph;
        if (glyph != 0) put_escaped(glyph, out);
    }
    fputs("</text>\n", out);
    return n;
}

void svg_write(const Canvas *canvas, const Theme *theme, FILE *out) {
    int w = canvas->w * CELL_W, h = canvas->h * CELL_H;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
            "font-size=\"16\" shape-rendering=\"crispEdges\" xml:space=\"preserve\">\n",
            w, h, w, h);
    put_rect(out, 0, 0, w, h, ink_of(theme, STYLE(TONE_NONE)).bg);
    put_grounds(canvas, theme, out);
    for (int y = 0; y < canvas->h; y++) {
        for (int x = 0; x < canvas->w;) {
            const Cell *cell = canvas_at(canvas, x, y);
            Ink ink = ink_of(theme, cell->style);
            if (!is_text(cell) && put_shape(cell, ink, x, y, out)) {
                x++;
            } else if (is_text(cell)) {
                x += put_text(canvas, ink, x, y, out);
            } else { /* a drawing character that is left to the font */
                fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#%06x\">", x * CELL_W, y * CELL_H + 15,
                        ink.fg);
                put_escaped(cell->glyph, out);
                fputs("</text>\n", out);
                x++;
            }
        }
    }
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
