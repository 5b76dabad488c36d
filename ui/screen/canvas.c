/* canvas.c - drawing into a grid of cells; the grid as text, plain and for golden files; code
 * points: UTF-8, their widths, and their ASCII stand-ins. */
#include "screen/canvas.h"

#include <stdarg.h>
#include <stdlib.h>

#define MAX_SIDE 1000

static int clamp(int v, int low, int high) {
    return v < low ? low : v > high ? high : v;
}

static Rect overlap(Rect a, Rect b) {
    int x1 = a.x > b.x ? a.x : b.x, y1 = a.y > b.y ? a.y : b.y;
    int x2 = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
    int y2 = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
    return (Rect){x1, y1, x2 > x1 ? x2 - x1 : 0, y2 > y1 ? y2 - y1 : 0};
}

Canvas *canvas_new(int w, int h, bool utf8) {
    Canvas *canvas = calloc(1, sizeof *canvas);
    if (!canvas) return NULL;
    canvas->utf8 = utf8;
    if (!canvas_resize(canvas, w, h)) {
        free(canvas);
        return NULL;
    }
    return canvas;
}

void canvas_free(Canvas *canvas) {
    if (!canvas) return;
    free(canvas->cells);
    free(canvas);
}

bool canvas_resize(Canvas *canvas, int w, int h) {
    w = clamp(w, 1, MAX_SIDE);
    h = clamp(h, 1, MAX_SIDE);
    Cell *cells = malloc((size_t)w * (size_t)h * sizeof *cells);
    if (!cells) return false;
    free(canvas->cells);
    canvas->cells = cells;
    canvas->w = w;
    canvas->h = h;
    canvas_clear(canvas, STYLE(TONE_NONE));
    return true;
}

void canvas_clear(Canvas *canvas, Style style) {
    canvas->clip = (Rect){0, 0, canvas->w, canvas->h};
    size_t n = (size_t)canvas->w * (size_t)canvas->h;
    for (size_t i = 0; i < n; i++)
        canvas->cells[i] = (Cell){' ', style};
}

Rect canvas_clip(Canvas *canvas, Rect rect) {
    Rect old = canvas->clip;
    canvas->clip = overlap(old, rect);
    return old;
}

void canvas_unclip(Canvas *canvas, Rect old) {
    canvas->clip = old;
}

static Cell *cell_in_clip(Canvas *canvas, int x, int y) {
    const Rect *c = &canvas->clip;
    if (x < c->x || y < c->y || x >= c->x + c->w || y >= c->y + c->h) return NULL;
    return &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)x];
}

const Cell *canvas_at(const Canvas *canvas, int x, int y) {
    if (x < 0 || y < 0 || x >= canvas->w || y >= canvas->h) return NULL;
    return &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)x];
}

/* Clears the other half of a wide character when one half is overwritten. */
static void cut_wide(Canvas *canvas, Cell *cell, int x) {
    if (cell->glyph == 0 && x > 0) cell[-1].glyph = ' ';
    if (x + 1 < canvas->w && cell[1].glyph == 0) cell[1].glyph = ' ';
}

/* Returns what a canvas that is not UTF-8 draws instead. */
static uint32_t ascii_of(uint32_t glyph) {
    static const struct {
        uint32_t glyph;
        char ascii;
    } stand_in[] = {
        {G_HLINE, '-'},       {G_VLINE, '|'},        {G_TOP_LEFT, '+'},   {G_TOP_RIGHT, '+'},
        {G_BOTTOM_LEFT, '+'}, {G_BOTTOM_RIGHT, '+'}, {G_UPPER_HALF, '"'}, {G_LOWER_HALF, '_'},
        {G_FULL, '#'},        {G_SQUARE, '#'},       {G_UP, '^'},         {G_DOWN, 'v'},
        {G_RIGHT, '>'},       {G_DOT, '*'},          {G_MIDDOT, '-'},     {G_ELLIPSIS, '~'},
        {G_DELTA, 'd'},       {G_DASH_VLINE, ':'},   {G_PAUSE, '='},      {G_FROZEN, '*'},
        {G_CHECK, 'v'},       {G_CROSS, 'x'},        {G_BAR, '='},        {0x2581, '_'},
        {0x258c, '|'},        {0x2191, '^'},         {0x2193, 'v'},       {0x2190, '<'},
        {0x2192, '>'},        {0x2013, '-'},         {0x2014, '-'},       {0x2018, '\''},
        {0x2019, '\''},       {0x201c, '"'},         {0x201d, '"'},       {0x00d7, 'x'},
        {0x25a1, '.'},        {0x251c, '+'},         {0x2524, '+'},       {0x252c, '+'},
        {0x2534, '+'},        {0x00a0, ' '},         {0x2503, '#'},       {0x2514, '`'},
        {G_SORT_DOWN, '*'},   {G_SORT_UP, '^'},      {G_BULLET, '*'},
    };
    if (glyph < 0x7f) return glyph;
    if (glyph >= G_BRAILLE && glyph < G_BRAILLE + 256) { /* by the number of dots */
        int points = __builtin_popcount(glyph - G_BRAILLE);
        return (uint32_t)(points == 0 ? ' ' : points < 4 ? '.' : points < 7 ? ':' : '#');
    }
    for (size_t i = 0; i < sizeof stand_in / sizeof *stand_in; i++) {
        if (stand_in[i].glyph == glyph) return (uint32_t)stand_in[i].ascii;
    }
    return '?';
}

void canvas_put(Canvas *canvas, int x, int y, uint32_t glyph, Style style) {
    Cell *cell = cell_in_clip(canvas, x, y);
    if (!cell) return;
    if (glyph < ' ' || (glyph >= 0x7f && glyph < 0xa0) || glyph > 0x10ffff) glyph = '?';
    int width = canvas_glyph_width(glyph);
    if (width == 0 || glyph == 0xfffd) glyph = '?';
    if (!canvas->utf8) glyph = ascii_of(glyph);
    cut_wide(canvas, cell, x);
    if (width == 2) {
        Cell *right = cell_in_clip(canvas, x + 1, y);
        if (!right) {
            glyph = '?'; /* cut by the edge */
        } else {
            cut_wide(canvas, right, x + 1);
            *right = (Cell){canvas->utf8 ? 0 : ' ', style};
        }
    }
    *cell = (Cell){glyph, style};
}

static int text_width(uint32_t glyph) {
    return glyph < ' ' ? 1 : canvas_glyph_width(glyph);
}

int canvas_width(const char *text) {
    int width = 0;
    for (uint32_t glyph; (glyph = canvas_decode(&text)) != 0;)
        width += text_width(glyph);
    return width;
}

int canvas_text(Canvas *canvas, int x, int y, int max, Style style, const char *text) {
    int width = canvas_width(text), used = 0;
    if (max < 0) max = width;
    bool cut = width > max;
    int room = cut ? max - 1 : max;
    for (uint32_t glyph; (glyph = canvas_decode(&text)) != 0;) {
        int w = text_width(glyph);
        if (w == 0) continue;
        if (used + w > room) break;
        canvas_put(canvas, x + used, y, glyph, style);
        used += w;
    }
    if (cut && max > 0) {
        canvas_put(canvas, x + used, y, G_ELLIPSIS, style);
        used++;
    }
    return used;
}

int canvas_text_right(Canvas *canvas, int right, int y, int max, Style style, const char *text) {
    int width = canvas_width(text);
    if (max >= 0 && width > max) width = max;
    return canvas_text(canvas, right - width, y, width, style, text);
}

int canvas_tail(Canvas *canvas, int x, int y, int max, Style style, Style mark, const char *text) {
    int width = canvas_width(text);
    if (width <= max || max < 2) return canvas_text(canvas, x, y, max, style, text);
    while (width > max - 1)
        width -= text_width(canvas_decode(&text));
    canvas_put(canvas, x, y, G_ELLIPSIS, mark);
    return 1 + canvas_text(canvas, x + 1, y, max - 1, style, text);
}

int canvas_printf(Canvas *canvas, int x, int y, int max, Style style, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return canvas_text(canvas, x, y, max, style, text);
}

void canvas_fill(Canvas *canvas, Rect rect, uint32_t glyph, Style style) {
    rect = overlap(rect, canvas->clip);
    for (int y = rect.y; y < rect.y + rect.h; y++) {
        for (int x = rect.x; x < rect.x + rect.w; x++)
            canvas_put(canvas, x, y, glyph, style);
    }
}

void canvas_tint(Canvas *canvas, Rect rect, Tone bg) {
    rect = overlap(rect, canvas->clip);
    for (int y = rect.y; y < rect.y + rect.h; y++) {
        Cell *cell = &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)rect.x];
        for (int i = 0; i < rect.w; i++) {
            cell[i].style = (cell[i].style & ~(Style)0xff00) | (Style)bg << 8;
        }
    }
}

void canvas_attr(Canvas *canvas, Rect rect, unsigned attr) {
    rect = overlap(rect, canvas->clip);
    for (int y = rect.y; y < rect.y + rect.h; y++) {
        Cell *cell = &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)rect.x];
        for (int i = 0; i < rect.w; i++)
            cell[i].style |= (Style)attr << 16;
    }
}

void canvas_box(Canvas *canvas, Rect rect, Style style) {
    if (rect.w < 2 || rect.h < 2) return;
    int right = rect.x + rect.w - 1, bottom = rect.y + rect.h - 1;
    canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, 1}, G_HLINE, style);
    canvas_fill(canvas, (Rect){rect.x, bottom, rect.w, 1}, G_HLINE, style);
    canvas_fill(canvas, (Rect){rect.x, rect.y, 1, rect.h}, G_VLINE, style);
    canvas_fill(canvas, (Rect){right, rect.y, 1, rect.h}, G_VLINE, style);
    canvas_put(canvas, rect.x, rect.y, G_TOP_LEFT, style);
    canvas_put(canvas, right, rect.y, G_TOP_RIGHT, style);
    canvas_put(canvas, rect.x, bottom, G_BOTTOM_LEFT, style);
    canvas_put(canvas, right, bottom, G_BOTTOM_RIGHT, style);
}

void canvas_scroll(Canvas *canvas, int x, int y, int h, uint64_t top, uint64_t page,
                   uint64_t total) {
    if (h < 1 || total <= page || total == 0) return;
    double scale = (double)h / (double)total;
    int size = clamp((int)((double)page * scale), 1, h);
    int at = clamp((int)((double)top * scale + 0.5), 0, h - size);
    for (int i = 0; i < h; i++) {
        bool thumb = i >= at && i < at + size;
        canvas_put(canvas, x, y + i, thumb ? 0x2503 : G_VLINE,
                   STYLE(thumb ? TONE_MUTED : TONE_BORDER));
    }
}

void canvas_stack(Canvas *canvas, int x, int y, int w, int parts, const uint64_t *part,
                  uint64_t whole, const Style *style, const char *letter, uint32_t glyph,
                  Style rest) {
    uint64_t sum = 0;
    int from = 0;
    for (int i = 0; i < parts && whole > 0; i++) {
        sum += part[i];
        int to = sum >= whole ? w : (int)((double)sum / (double)whole * w + 0.5);
        for (; from < to; from++) {
            uint32_t g = letter ? (uint32_t)(unsigned char)letter[i] : glyph;
            canvas_put(canvas, x + from, y, g, style[i]);
        }
    }
    for (; from < w; from++)
        canvas_put(canvas, x + from, y, letter ? '.' : glyph, rest);
}

/* ---- glyphs ---------------------------------------------------------------------------------- */

typedef struct Range {
    uint32_t from, to;
} Range;

static const Range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26ce, 0x26ce},
    {0x2705, 0x2705},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
    {0x3041, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x17000, 0x18cff},
    {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff},
    {0x20000, 0x3fffd},
};

/* Combining marks, joiners, and the marks that change the direction of writing. */
static const Range none[] = {
    {0x00ad, 0x00ad},   {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff},   {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},
    {0x302a, 0x302d},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    {0xe0000, 0xe0fff},
};

static bool in_ranges(const Range *range, size_t n, uint32_t glyph) {
    for (size_t i = 0; i < n; i++) {
        if (glyph >= range[i].from && glyph <= range[i].to) return true;
    }
    return false;
}

int canvas_glyph_width(uint32_t glyph) {
    if (glyph < 0x300) return glyph == 0xad ? 0 : 1;
    if (in_ranges(none, sizeof none / sizeof *none, glyph)) return 0;
    return in_ranges(wide, sizeof wide / sizeof *wide, glyph) ? 2 : 1;
}

int canvas_encode(char *out, uint32_t glyph) {
    int n;
    if (glyph < 0x80) {
        out[0] = (char)glyph;
        n = 1;
    } else if (glyph < 0x800) {
        out[0] = (char)(0xc0 | glyph >> 6);
        n = 2;
    } else if (glyph < 0x10000) {
        out[0] = (char)(0xe0 | glyph >> 12);
        n = 3;
    } else {
        out[0] = (char)(0xf0 | (glyph >> 18 & 7));
        n = 4;
    }
    for (int i = 1; i < n; i++)
        out[i] = (char)(0x80 | (glyph >> 6 * (n - 1 - i) & 0x3f));
    out[n] = 0;
    return n;
}

uint32_t canvas_decode(const char **text) {
    const unsigned char *p = (const unsigned char *)*text;
    if (*p == 0) return 0;
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    int n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : (*p & 0xf0) == 0xe0 ? 3 : 0;
    if (*p >= 0xf0 && *p < 0xf5) n = 4;
    uint32_t glyph = n == 1 ? *p : n == 2 ? *p & 0x1fu : n == 3 ? *p & 0xfu : *p & 7u;
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) n = 0;
        if (n) glyph = glyph << 6 | (p[i] & 0x3fu);
    }
    if (n == 0 || glyph < least[n] || glyph > 0x10ffff || (glyph >= 0xd800 && glyph < 0xe000)) {
        *text += 1;
        return 0xfffd;
    }
    *text += n;
    return glyph;
}
