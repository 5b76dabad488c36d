/* canvas_dump.c - a canvas as text: plain, for golden files, and with colours for terminals. */
#include "screen/canvas.h"

#include <string.h>

static void put_glyph(uint32_t glyph, FILE *out) {
    char text[5];
    if (glyph == 0) return; /* right half of a wide character */
    canvas_encode(text, glyph);
    fputs(text, out);
}

void canvas_dump_text(const Canvas *canvas, FILE *out) {
    for (int y = 0; y < canvas->h; y++) {
        int end = canvas->w;
        while (end > 0 && canvas_at(canvas, end - 1, y)->glyph == ' ')
            end--;
        for (int x = 0; x < end; x++)
            put_glyph(canvas_at(canvas, x, y)->glyph, out);
        putc('\n', out);
    }
}

static void put_style(Style style, FILE *out) {
    static const struct {
        unsigned attr;
        char sign;
    } signs[] = {{ATTR_BOLD, '*'}, {ATTR_DIM, '.'}, {ATTR_UNDERLINE, '_'}, {ATTR_REVERSE, '~'}};
    char word[24];
    fputs(theme_tone_word(word, style_fg(style)), out);
    if (style_bg(style) != TONE_NONE) fprintf(out, "/%s", theme_tone_word(word, style_bg(style)));
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (style_attr(style) & signs[i].attr) putc(signs[i].sign, out);
    }
}

void canvas_dump_golden(const Canvas *canvas, FILE *out) {
    fprintf(out, "%dx%d\n", canvas->w, canvas->h);
    canvas_dump_text(canvas, out);
    fputs("tones, by row: column+cells tone/ground, * bold\n", out);
    for (int y = 0; y < canvas->h; y++) {
        fprintf(out, "%d:", y);
        for (int x = 0, n; x < canvas->w; x += n) {
            const Cell *cell = canvas_at(canvas, x, y);
            bool blank = true;
            for (n = 0; x + n < canvas->w; n++) {
                const Cell *next = canvas_at(canvas, x + n, y);
                if (next->style != cell->style) break;
                if (next->glyph != ' ') blank = false;
            }
            /* blanks on the terminal's own ground show nothing */
            if (blank && style_bg(cell->style) == TONE_NONE && !style_attr(cell->style)) continue;
            fprintf(out, " %d+%d ", x, n);
            put_style(cell->style, out);
        }
        putc('\n', out);
    }
}

static void put_colour(int colour, bool ground, FILE *out) {
    int base = ground ? 40 : 30;
    if (colour < 0) return;
    if (colour < 8) {
        fprintf(out, ";%d", base + colour);
    } else if (colour < 16) {
        fprintf(out, ";%d", base + 60 + colour - 8);
    } else {
        fprintf(out, ";%d;5;%d", base + 8, colour);
    }
}

void canvas_dump_ansi(const Canvas *canvas, const Theme *theme, FILE *out) {
    for (int y = 0; y < canvas->h; y++) {
        Style last = 0;
        for (int x = 0; x < canvas->w; x++) {
            const Cell *cell = canvas_at(canvas, x, y);
            if (x == 0 || cell->style != last) {
                Look look = theme_look(theme, cell->style);
                fputs("\033[0", out);
                if (look.attr & ATTR_BOLD) fputs(";1", out);
                if (look.attr & ATTR_DIM) fputs(";2", out);
                if (look.attr & ATTR_UNDERLINE) fputs(";4", out);
                if (look.attr & ATTR_REVERSE) fputs(";7", out);
                put_colour(look.fg, false, out);
                put_colour(look.bg, true, out);
                putc('m', out);
                last = cell->style;
            }
            put_glyph(cell->glyph, out);
        }
        fputs("\033[0m\n", out);
    }
}
