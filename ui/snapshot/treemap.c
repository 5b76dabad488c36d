/* treemap.c - squarified (Bruls, Huizing, van Wijk): strips along the shorter side of the room
 * left, each with as many weights as make its tiles squarer. Strips and tiles are cut at whole
 * cells at once, and the room left is split by the weights left, so nothing drifts. */
#include "snapshot/treemap.h"

#include <math.h>
#include <stdlib.h>

typedef struct Strip {
    uint32_t from, to; /* weights [from, to) */
    double sum;
} Strip;

/* Returns how far the least square tile of a strip is from a square, at least 1. */
static double worst(double least, double most, double sum, double side, double thick) {
    double wide = side * most / sum / thick, narrow = thick / (side * least / sum);
    double a = wide > 1 / wide ? wide : 1 / wide;
    double b = narrow > 1 / narrow ? narrow : 1 / narrow;
    return a > b ? a : b;
}

/* Returns the next strip of the weights from `from` on in a room whose shorter side is `side` long
 * and that has `area`, all in widths of a cell; `left`: sum of these weights. */
static Strip next_strip(const double *weight, uint32_t from, uint32_t count, double left,
                        double side, double area) {
    Strip strip = {from, from, 0};
    double least = INFINITY, most = 0, before = INFINITY;
    while (strip.to < count) {
        double w = weight[strip.to];
        if (w > 0) {
            double sum = strip.sum + w, thick = area * sum / left / side;
            double lo = w < least ? w : least, hi = w > most ? w : most;
            double now = worst(lo, hi, sum, side, thick);
            if (now > before) break;
            before = now;
            strip.sum = sum;
            least = lo;
            most = hi;
        }
        strip.to++;
    }
    return strip;
}

/* Shares out `length` cells by the largest remainder. */
static void share(const double *weight, const Strip *strip, int length, int *out, double *rest) {
    int given = 0;
    uint32_t n = strip->to - strip->from;
    for (uint32_t i = 0; i < n; i++) {
        double exact = length * (weight[strip->from + i] / strip->sum);
        out[i] = (int)exact;
        if (out[i] > length - given) out[i] = length - given;
        rest[i] = exact - out[i];
        given += out[i];
    }
    for (; given < length; given++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < n; i++)
            if (rest[i] > rest[best]) best = i;
        out[best]++;
        rest[best] -= 1;
    }
}

static Rect place_strip(Rect left, bool column, int thick, const Strip *strip, const int *length,
                        Rect *out) {
    int at = column ? left.y : left.x;
    for (uint32_t i = 0; i < strip->to - strip->from; i++) {
        out[strip->from + i] =
            column ? (Rect){left.x, at, thick, length[i]} : (Rect){at, left.y, length[i], thick};
        at += length[i];
    }
    if (column) return (Rect){left.x + thick, left.y, left.w - thick, left.h};
    return (Rect){left.x, left.y + thick, left.w, left.h - thick};
}

void treemap_split(const TreemapRoom *room, const double *weight, uint32_t count, Rect *out) {
    double sum = 0;
    Rect left = room->rect;
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        sum += weight[i];
        out[i] = (Rect){left.x, left.y, 0, 0};
    }
    int *length = malloc(count * sizeof *length);
    double *rest = malloc(count * sizeof *rest);
    if (!(sum > 0) || !length || !rest) {
        out[0] = left;
        count = 0;
    }
    for (uint32_t at = 0; at < count && left.w > 0 && left.h > 0;) {
        double tall = room->tall, area = (double)left.w * left.h * tall;
        bool column = left.w >= left.h * tall;
        double side = column ? left.h * tall : left.w;
        Strip strip = next_strip(weight, at, count, sum, side, area);
        if (!(strip.sum > 0)) break;
        int across = column ? left.w : left.h;
        int thick = (int)lround(across * (strip.sum / sum));
        sum -= strip.sum;
        bool last = true;
        for (uint32_t i = strip.to; i < count && last; i++)
            last = !(weight[i] > 0);
        if (thick > across || last) thick = across;
        share(weight, &strip, column ? left.h : left.w, length, rest);
        left = place_strip(left, column, thick, &strip, length, out);
        at = strip.to;
    }
    free(length);
    free(rest);
}

static bool all_fit(const TreemapRoom *room, const Rect *tile, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (tile[i].w < room->least_w || tile[i].h < room->least_h) return false;
    return true;
}

/* Returns the last tile's place, and in *left the room beside it: along the lower edge, where texts
 * fit, unless the least size costs much more there than along the right one. */
static Rect place_rest(const TreemapRoom *room, double part, Rect *left) {
    Rect r = room->rect, rest = r;
    if (r.w * room->least_h <= 2 * room->least_w * r.h) {
        rest.h = (int)lround(r.h * part);
        if (rest.h < room->least_h) rest.h = room->least_h;
        if (room->tall == 1) rest.h += rest.h & 1; /* whole lines of characters */
        if (rest.h > r.h) rest.h = r.h;
        rest.y += r.h - rest.h;
        *left = (Rect){r.x, r.y, r.w, r.h - rest.h};
    } else {
        rest.w = (int)lround(r.w * part);
        if (rest.w < room->least_w) rest.w = room->least_w;
        if (rest.w > r.w) rest.w = r.w;
        rest.x += r.w - rest.w;
        *left = (Rect){r.x, r.y, r.w - rest.w, r.h};
    }
    return rest;
}

uint32_t treemap_fit(const TreemapRoom *room, const double *weight, uint32_t count, double more,
                     Rect *out) {
    double cells = (double)room->rect.w * room->rect.h;
    double tile = (double)room->least_w * room->least_h, sum = more;
    uint32_t own_tiles = cells > 0 ? count : 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weight[i];
    for (; own_tiles > 0; own_tiles -= 1 + own_tiles / 16) {
        if (own_tiles * tile > cells) continue;
        double rest = sum;
        for (uint32_t i = 0; i < own_tiles; i++)
            rest -= weight[i];
        TreemapRoom own = *room;
        Rect last = {0};
        if (more > 0 || own_tiles < count) last = place_rest(room, rest / sum, &own.rect);
        if (own.rect.w <= 0 || own.rect.h <= 0) continue;
        treemap_split(&own, weight, own_tiles, out);
        out[own_tiles] = last;
        if (all_fit(room, out, own_tiles + (last.w > 0))) return own_tiles;
    }
    out[0] = room->rect;
    return 0;
}
