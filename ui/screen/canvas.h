/* canvas.h - a grid of character cells that everything on the screen is drawn into: text, borders,
 * bars; and its dumps as text and for golden files. No terminal, no colours: a cell carries tones
 * (theme.h), which only the theme turns into colours.
 *
 * Drawing outside the clip rectangle or the canvas does nothing, so callers need not check. A
 * canvas that is not UTF-8 replaces every other glyph by its ASCII stand-in as it is drawn. */
#ifndef LMP_CANVAS_H
#define LMP_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "screen/theme.h"

typedef struct Rect {
    int x, y, w, h; /* cells; w or h of 0 or less: empty */
} Rect;

typedef struct Cell {
    uint32_t glyph; /* code point; 0: right half of the wide character before it */
    Style style;
} Cell;

typedef struct Canvas {
    int w, h;
    bool utf8;
    Rect clip;   /* always inside the canvas */
    Cell *cells; /* w * h, by rows */
} Canvas;

/* Code points for drawing; each has an ASCII stand-in. */
enum {
    G_HLINE = 0x2500,
    G_VLINE = 0x2502,
    G_TOP_LEFT = 0x256d,
    G_TOP_RIGHT = 0x256e,
    G_BOTTOM_LEFT = 0x2570,
    G_BOTTOM_RIGHT = 0x256f,
    G_UPPER_HALF = 0x2580, /* fg is the upper cell, bg the lower */
    G_LOWER_HALF = 0x2584,
    G_FULL = 0x2588,
    G_SQUARE = 0x25a0,
    G_UP = 0x25b2,
    G_DOWN = 0x25bc,
    G_RIGHT = 0x25b8,
    G_DOT = 0x25cf,
    G_MIDDOT = 0x00b7,
    G_BULLET = 0x2022,
    G_ELLIPSIS = 0x2026,
    G_DELTA = 0x0394,
    G_BRAILLE =
        0x2800, /* + bits: left column 0x01 0x02 0x04 0x40 from above, right 0x08 0x10 0x20 0x80 */
    G_DASH_VLINE = 0x2506,
    G_PAUSE = 0x2016,
    G_FROZEN = 0x25c6,
    G_BAR = 0x2501, /* a thick line */
    G_CHECK = 0x2713,
    G_CROSS = 0x2717,
    G_SORT_DOWN = 0x25be, /* largest first */
    G_SORT_UP = 0x25b4,
};

/* Returns a blank canvas; NULL: no memory. Sizes are clamped to 1 .. 1000. */
Canvas *canvas_new(int w, int h, bool utf8);
void canvas_free(Canvas *canvas);
/* Changes the size; the contents are blank afterwards. Returns false: no memory, nothing
 * changed. */
bool canvas_resize(Canvas *canvas, int w, int h);
/* Fills everything with blanks of this style and resets the clip rectangle to the whole canvas. */
void canvas_clear(Canvas *canvas, Style style);

/* Narrows the clip rectangle to its overlap with `rect`; returns the old one for canvas_unclip. */
Rect canvas_clip(Canvas *canvas, Rect rect);
void canvas_unclip(Canvas *canvas, Rect old);

/* Returns NULL outside the canvas. */
const Cell *canvas_at(const Canvas *canvas, int x, int y);

/* Draws one glyph. Control characters and zero-width ones are drawn as '?'. */
void canvas_put(Canvas *canvas, int x, int y, uint32_t glyph, Style style);
/* Draws UTF-8 text in at most `max` columns (negative: no limit); text that does not fit ends in an
 * ellipsis. Bytes that are not UTF-8 are drawn as '?', zero-width characters not at all. Returns
 * the columns used. */
int canvas_text(Canvas *canvas, int x, int y, int max, Style style, const char *text);
/* Draws text that ends before column `right`; returns the columns used. */
int canvas_text_right(Canvas *canvas, int right, int y, int max, Style style, const char *text);
/* Draws the end of a text that is too long, after an ellipsis in the style `mark`: in a path, file
 * and line matter most. Returns the columns used. */
int canvas_tail(Canvas *canvas, int x, int y, int max, Style style, Style mark, const char *text);
int canvas_printf(Canvas *canvas, int x, int y, int max, Style style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Returns the columns that a text takes. */
int canvas_width(const char *text);

void canvas_fill(Canvas *canvas, Rect rect, uint32_t glyph, Style style);
/* Gives the cells of rect another background and keeps the rest: a cursor line, a bar. */
void canvas_tint(Canvas *canvas, Rect rect, Tone bg);
/* Adds attributes (ATTR_...) to the cells of rect. */
void canvas_attr(Canvas *canvas, Rect rect, unsigned attr);
void canvas_box(Canvas *canvas, Rect rect, Style style);
/* Draws a vertical scroll bar in column x: `total` lines of which `page` are shown from `top`. */
void canvas_scroll(Canvas *canvas, int x, int y, int h, uint64_t top, uint64_t page,
                   uint64_t total);

/* Draws a bar of `w` columns split by `parts` (any unit) of `whole`; part i is drawn in style[i]
 * with `glyph`, or with letter[i] if letter is not NULL. Columns are rounded on the running sum, so
 * that nothing drifts. The rest is drawn in `rest`. */
void canvas_stack(Canvas *canvas, int x, int y, int w, int parts, const uint64_t *part,
                  uint64_t whole, const Style *style, const char *letter, uint32_t glyph,
                  Style rest);

/* Writes a code point as UTF-8 into out[5], NUL-terminated; returns the bytes. */
int canvas_encode(char *out, uint32_t glyph);
/* Reads one code point and moves *text on; bytes that are not UTF-8 give 0xfffd one by one. Returns
 * 0 at the end. */
uint32_t canvas_decode(const char **text);
/* Returns the columns of a code point: 0, 1 or 2. Independent of the locale. */
int canvas_glyph_width(uint32_t glyph);

#endif
