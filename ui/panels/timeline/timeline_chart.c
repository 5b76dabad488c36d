/* timeline_chart.c - chooses a round scale, turns each point into heights in dots (held, by type,
 * or a band for a line), and draws dots as braille, or in ASCII by how full a cell is. */
#include "panels/timeline/timeline_chart.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"

enum { FINEST = 128 };       /* the whole scale is at least this fraction of what it shows */
#define LARGEST (1ull << 50) /* above this, floating point numbers are too coarse */

/* ---- scale ----------------------------------------------------------------------------------- */

static const char *const unit_name[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

static int unit_of(uint64_t bytes) {
    int unit = 0;
    while (unit < 6 && bytes >> 10 * (unit + 1))
        unit++;
    return unit;
}

/* Returns the smallest round number that is at least `bytes` and has a round half. */
static uint64_t round_up(uint64_t bytes) {
    static const double round[] = {1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10};
    double unit = (double)(1ull << 10 * unit_of(bytes)), power = 1;
    if (bytes >= 1ull << 62) return bytes;
    while (unit * power * 10 < (double)bytes)
        power *= 10;
    for (size_t i = 0; i < sizeof round / sizeof *round; i++) {
        double value = unit * power * round[i];
        uint64_t whole = (uint64_t)value + (value > (double)(uint64_t)value);
        if (whole >= bytes) return whole;
    }
    return bytes;
}

/* Returns a number of at most `bytes` with no more digits than a scale up to `top` above it
 * needs. */
static uint64_t round_down(uint64_t bytes, uint64_t top) {
    double place = (double)(1ull << 10 * unit_of(bytes));
    for (int i = 0; i < 3 && place > (double)top / 4; i++)
        place /= 10;
    uint64_t down = (uint64_t)((double)(uint64_t)((double)bytes / place) * place);
    return down <= bytes ? down : bytes;
}

ChartScale chart_scale(uint64_t least, uint64_t most) {
    if (least > most) least = most;
    uint64_t range = most - least, finest = most / FINEST;
    if (most < 1024 || range > most / 4 || most > LARGEST)
        return (ChartScale){0, round_up(most ? most : 1)};
    if (range < finest) { /* almost constant: draw it in the middle */
        least -= (finest - range) / 2;
        range = finest;
    }
    uint64_t top = round_up(range + 1);
    for (;;) {
        ChartScale scale = {round_down(least, top), top};
        if (most - scale.low <= top) return scale;
        top = round_up(top + 1);
    }
}

/* Writes "40 MiB", "1.5 KiB" in this unit: without trailing zeroes, at most three decimals. */
static char *round_bytes(char *out, double bytes, int unit) {
    int used = snprintf(out, LMP_NUM, "%.3f", bytes / (double)(1ull << 10 * unit));
    while (out[used - 1] == '0')
        used--;
    if (out[used - 1] == '.') used--;
    snprintf(out + used, LMP_NUM - (size_t)used, " %s", unit_name[unit]);
    return out;
}

char *chart_label(char *out, ChartScale scale, int line) {
    if (line == 0 && scale.low == 0) return memcpy(out, "0", sizeof "0");
    if (line == 0) return round_bytes(out, (double)scale.low, unit_of(scale.low));
    out[0] = '+';
    round_bytes(out + (scale.low > 0), (double)scale.top * line / 2, unit_of(scale.top));
    return out;
}

/* ---- heap ------------------------------------------------------------------------------------ */

static int dots_of(uint64_t value, ChartScale scale, int all) {
    if (value <= scale.low) return 0;
    double share = (double)(value - scale.low) / (double)scale.top;
    return share >= 1 ? all : (int)(share * all + 0.5);
}

enum { PARTS = 2 * LMP_KINDS };

/* One of the points side by side: the heights of its values, in dots. */
typedef struct Point {
    int from, to;   /* drawn: dots from <= d < to */
    int held;       /* after the last collection; 0: not known */
    int top[PARTS]; /* of the types, by `order`: held bytes, above them those since the last
                       collection */
} Point;

static const LmpKind order[LMP_KINDS] = {LMP_TABLE,    LMP_STRING, LMP_FUNCTION,
                                         LMP_USERDATA, LMP_THREAD, LMP_OTHER};

/* Stacks six figures over the dots from <= d < to. */
static void stack(const uint64_t *bytes, int from, int to, int *top) {
    double sum = 0, whole = 0;
    for (int k = 0; k < LMP_KINDS; k++)
        whole += (double)bytes[k];
    for (int k = 0; k < LMP_KINDS; k++) {
        sum += (double)bytes[order[k]];
        top[k] = whole > 0 ? from + (int)(sum / whole * (to - from) + 0.5) : from;
    }
}

static Point point_of(const ModelPast *past, ChartScale scale, int all) {
    Point p = {.to = dots_of(past->max_bytes, scale, all)};
    uint64_t held = past->held_bytes < past->max_bytes ? past->held_bytes : past->max_bytes;
    p.held = dots_of(held, scale, all);
    if (p.to == 0 && past->max_bytes > scale.low) p.to = 1; /* a value above zero must be visible */
    if (scale.low > 0) {
        if (p.to == 0) p.to = 1;
        p.from = dots_of(past->min_bytes, scale, all) - 1;
        if (p.from >= p.to) p.from = p.to - 1;
        if (p.from < 0) p.from = 0;
    }
    uint64_t since[LMP_KINDS];
    for (int k = 0; k < LMP_KINDS; k++)
        since[k] =
            past->kind_bytes[k] > past->held_kind[k] ? past->kind_bytes[k] - past->held_kind[k] : 0;
    stack(past->held_kind, 0, p.held, p.top);
    stack(since, p.held, p.to, p.top + LMP_KINDS);
    return p;
}

/* Returns the part that has most of the dots [low, low + 4) of a cell; -1: none known. */
static int part_at(const Point *p, int points, int low) {
    int best = -1, most = 0;
    for (int k = 0; k < PARTS; k++) {
        int dots = 0;
        for (int i = 0; i < points; i++) {
            int from = k > 0 ? p[i].top[k - 1] : 0, to = p[i].top[k];
            if (from < low) from = low;
            if (to > low + 4) to = low + 4;
            if (to > from) dots += to - from;
        }
        if (dots > most) {
            most = dots;
            best = k;
        }
    }
    return best;
}

static bool is_held(const Point *p, int points, int low) {
    int held = 0, above = 0;
    for (int i = 0; i < points; i++)
        for (int d = low > p[i].from ? low : p[i].from; d < low + 4 && d < p[i].to; d++)
            if (d < p[i].held) {
                held++;
            } else {
                above++;
            }
    return held > above;
}

static Style style_of(const Point *p, int points, int low, int all, ChartLook look) {
    int part = look.types ? part_at(p, points, low) : -1;
    bool known = p[0].held > 0;
    if (part >= 0)
        return STYLE(TONE_KIND_LEVEL(order[part % LMP_KINDS],
                                     part < LMP_KINDS || !known ? THEME_LEVELS - 1 : 1));
    if (!look.line && is_held(p, points, low)) return STYLE(TONE_GRADE(1));
    int up = all > 4 ? low * (THEME_GRADIENT / 2 - 1) / (all - 4) : 0;
    return STYLE(TONE_GRADE(THEME_GRADIENT / 2 + up));
}

/* Returns what is held as a line of dots through a cell whose lowest dot is `low`; 0: not in this
 * cell. */
static uint32_t held_at(const Point *p, int low) {
    static const unsigned dot[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    unsigned bits = 0;
    for (int i = 0; i < 2; i++) {
        int at = p[i].held - 1 - low;
        if (at >= 0 && at < 4) bits |= dot[i][at];
    }
    return bits ? G_BRAILLE + bits : 0;
}

/* Returns the glyph of a cell whose lowest dot is `low`; 0: empty. */
static uint32_t braille_at(const Point *p, int low, bool sparse) {
    static const unsigned dot[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    unsigned bits = 0;
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < 4; d++) {
            int at = low + d;
            bool top = at == p[i].to - 1;
            if (at < p[i].from || at >= p[i].to) continue;
            if (sparse && !top && at >= p[i].held && (at + i) % 2) continue;
            bits |= dot[i][d];
        }
    return bits ? G_BRAILLE + bits : 0;
}

static uint32_t ascii_at(const Point *p, int low, bool held) {
    static const char full[] = " .:|#", light[] = " ..::";
    int dots = 0;
    for (int d = low; d < low + 4; d++)
        dots += d >= p->from && d < p->to;
    if (dots == 0) return 0;
    return (unsigned char)(held || p->held == 0 ? full : light)[dots];
}

void chart_draw(Canvas *canvas, Rect rect, const ModelPast *past, ChartScale scale,
                ChartLook look) {
    int points = look.utf8 ? 2 : 1, all = rect.h * 4;
    look.line = scale.low > 0;
    look.types = look.types && !look.line;
    for (int x = 0; x < rect.w; x++) {
        Point p[2];
        for (int i = 0; i < points; i++)
            p[i] = point_of(&past[x * points + i], scale, all);
        for (int row = 0; row < rect.h; row++) {
            int low = (rect.h - 1 - row) * 4;
            uint32_t held = look.utf8 && look.line ? held_at(p, low) : 0;
            uint32_t glyph = look.utf8 ? braille_at(p, low, !look.colour && scale.low == 0)
                                       : ascii_at(p, low, is_held(p, 1, low));
            if (held) {
                canvas_put(canvas, rect.x + x, rect.y + row, held, STYLE(TONE_STRONG));
            } else if (glyph) {
                canvas_put(canvas, rect.x + x, rect.y + row, glyph,
                           style_of(p, points, low, all, look));
            }
        }
    }
}

/* ---- cycles ---------------------------------------------------------------------------------- */

uint64_t chart_cycles(Canvas *canvas, int x, int y, int w, const uint64_t *cycles) {
    uint64_t most = 0;
    int cells = 0;
    for (int i = 0; i < w; i++) {
        if (cycles[i] > most) most = cycles[i];
        cells += cycles[i] > 0;
    }
    bool dense = cells > w / 3 || (most > 1 && cells > w / 6);
    for (int i = 0; i < w; i++) {
        if (cycles[i] == 0) continue;
        uint32_t glyph = G_VLINE;
        int level = (int)((double)cycles[i] / (double)most * 7 + 0.5); /* 0 .. 7 */
        if (dense)
            glyph = canvas->utf8 ? 0x2581 + (uint32_t)level : (unsigned char)".:-=+*#@"[level];
        canvas_put(canvas, x + i, y, glyph, STYLE(TONE_GC));
    }
    return dense ? most : 0;
}
