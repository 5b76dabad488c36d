/* canvas_dump.c - a canvas as text: plain, and for golden files. */
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
    } signs[] = {{ATTR_BOLD, '*'},
                 {ATTR_DIM, '.'},
                 {ATTR_UNDERLINE, '_'},
                 {ATTR_REVERSE, '~'},
                 {ATTR_SHADE, '^'}};
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
