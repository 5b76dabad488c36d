/* treetiles.c - splits an object's tile among its children (treemap.h), joins small ones by class,
 * and goes on inside tiles that are large enough: so the screen bounds the recursion. A tile comes
 * after the one that it lies in, so drawing in their order is right. */
#include "snapshot/treetiles.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/order.h"
#include "snapshot/treemap.h"

#define LEAST_W 8      /* of a tile: in columns ... */
#define LEAST_HALVES 2 /* ... and halves of lines */
#define NESTED_W 20    /* from that size on a tile may have tiles inside */
#define NESTED_LINES 4
#define MOST 1500u         /* children looked at: there is no room for more */
#define LOOKED_AT 2000000u /* children whose classes are summed up */
#define FEW 0.25           /* of the bytes: with less in single tiles, all objects go by class */
#define ALONE 0.9 /* of an object's bytes: a child with more is drawn in the object's place */
#define CHAIN 64  /* objects of a chain, at most */

typedef struct Maker {
    Tiles *tiles;
    const LmpSnapshot *s;
    int tall;
} Maker;

/* Returns the inside of a tile that has tiles in it: below its label. `tall` as in TreemapRoom. */
static Rect treetiles_inside(Rect rect, int tall) {
    int label = treetiles_label_y(rect, tall), half = tall == 1 ? 2 : 1;
    int top = (label + 1) * half;
    int bottom = rect.y + rect.h - 1;
    if (half == 2) bottom -= bottom & 1; /* so that the lowest tiles have whole lines */
    return (Rect){rect.x + 1, top, rect.w - 2, bottom - top};
}

int treetiles_label_y(Rect rect, int tall) {
    if (tall != 1) return rect.h > 0 ? rect.y : -1;
    int y = (rect.y + 1) / 2;
    return (y + 1) * 2 <= rect.y + rect.h ? y : -1;
}

static int add(Maker *m, Tile tile) {
    Tiles *t = m->tiles;
    if (!array_room(&t->tile, &t->room, (uint32_t)t->tiles + 1)) return -1;
    t->tile[t->tiles] = tile;
    return t->tiles++;
}

static uint64_t own_of(const LmpSnapshot *s, uint32_t object) {
    return snapshot_counted(s, object);
}

/* Returns how many children retain anything: those from before the start, with nothing, come
 * last. */
static uint32_t children_of(const LmpSnapshot *s, uint32_t object) {
    const uint32_t *child = s->child + s->child_at[object];
    uint32_t n = 0, all = s->child_at[object + 1] - s->child_at[object];
    BISECT(n, all, i, s->retained[child[i]] > 0);
    return n;
}

/* Follows objects that hold little else than another one. Returns the last of them. */
static uint32_t end_of_chain(const LmpSnapshot *s, uint32_t object) {
    for (int i = 0; i < CHAIN && children_of(s, object) > 0; i++) {
        uint32_t first = s->child[s->child_at[object]];
        if ((double)s->retained[first] < ALONE * (double)s->retained[object]) break;
        if (children_of(s, first) == 0) break;
        object = first;
    }
    return object;
}

/* ---- tones ----------------------------------------------------------------------------------- */

static bool touch(const Rect *a, const Rect *b) {
    bool x = a->x <= b->x + b->w && b->x <= a->x + a->w;
    bool y = a->y <= b->y + b->h && b->y <= a->y + a->h;
    return x && y;
}

/* Gives each tile from `first` on a tone that differs from the tiles that it touches or lies in, as
 * far as there are enough tones. */
static void give_tones(Tiles *t, int first) {
    for (int i = first; i < t->tiles; i++) {
        unsigned used[TILE_TONES] = {0};
        Tile *tile = &t->tile[i];
        for (int k = first; k < i; k++)
            if (t->tile[k].kind == tile->kind && touch(&tile->rect, &t->tile[k].rect))
                used[t->tile[k].tone]++;
        if (tile->up >= 0 && t->tile[tile->up].kind == tile->kind)
            used[t->tile[tile->up].tone] += 8;
        for (unsigned tone = 0; tone < TILE_TONES; tone++) {
            /* large ones in the middle tone, the others beside it */
            unsigned order = tone == 0 ? 1 : tone == 1 ? 2 : 0, now = tile->tone;
            if (tone == 0 || used[order] < used[now]) tile->tone = (uint8_t)order;
        }
    }
}

/* ---- layout ---------------------------------------------------------------------------------- */

typedef struct Part {
    double weight;
    uint32_t child; /* LMP_OBJECT_NONE: the object's own size */
} Part;

/* Lists the children from `from` on, largest first, with the object's own size at its place among
 * them. *more: the bytes of children that are not looked at. */
static uint32_t parts_of(const Maker *m, uint32_t object, uint32_t from, uint32_t most, Part *part,
                         double *more) {
    const LmpSnapshot *s = m->s;
    const uint32_t *child = s->child + s->child_at[object];
    uint32_t children = children_of(s, object), count = 0;
    uint64_t own = from == 0 ? own_of(s, object) : 0;
    uint64_t left = s->retained[object] - own_of(s, object);
    for (uint32_t k = 0; k < from && k < children; k++)
        left -= s->retained[child[k]] < left ? s->retained[child[k]] : left;
    for (uint32_t k = from; k < children && count < most; k++) {
        uint64_t held = s->retained[child[k]];
        if (held == 0) break;
        if (own > held) {
            part[count++] = (Part){(double)own, LMP_OBJECT_NONE};
            own = 0;
        }
        if (count == most) break;
        part[count++] = (Part){(double)held, k};
        left -= held < left ? held : left;
    }
    if (own > 0 && count < most) {
        part[count++] = (Part){(double)own, LMP_OBJECT_NONE};
        own = 0;
    }
    *more = (double)left + (double)own;
    return count;
}

static void fill(Maker *m, int up, uint32_t object, uint32_t from, Rect rect);

static void add_object(Maker *m, int up, uint32_t child, Rect rect) {
    uint32_t inside = end_of_chain(m->s, child);
    add(m, (Tile){.rect = rect,
                  .what = TILE_OBJECT,
                  .object = child,
                  .inside = inside,
                  .bytes = m->s->retained[child],
                  .up = up,
                  .kind = (uint8_t)snapshot_kind(m->s, inside)});
}

/* ---- those that are too small ---------------------------------------------------------------- */

/* The part of an object without tiles of its own: the children from `first` on, `children` in all,
 * and perhaps its own size. */
typedef struct Rest {
    uint32_t object, first, children;
    double bytes;
    bool itself;   /* nothing but its own size */
    uint32_t like; /* an object whose kind the tile has then */
} Rest;

static void add_more(Maker *m, int up, const Rest *rest, uint32_t count, double bytes, Rect rect) {
    const LmpSnapshot *s = m->s;
    uint32_t like = rest->itself ? rest->like : s->child[s->child_at[rest->object] + rest->first];
    add(m, (Tile){.rect = rect,
                  .what = rest->itself ? TILE_ITSELF : TILE_MORE,
                  .object = rest->object,
                  .inside = rest->object,
                  .from = rest->first,
                  .count = count,
                  .bytes = (uint64_t)bytes,
                  .up = up,
                  .kind = (uint8_t)snapshot_kind(s, like)});
}

typedef struct ClassSum {
    double bytes;
    uint32_t cls, count, first; /* of them in Tiles.member */
} ClassSum;

ORDER_LARGEST(by_bytes, ClassSum, bytes, cls)

static bool member_room(Tiles *t, uint32_t more) {
    return array_room(&t->member, &t->member_room, t->members + more);
}

/* Sums up objects by class, largest first, in memory of malloc; the objects of each class stand one
 * after another in Tiles.member. Returns NULL: no memory. */
static ClassSum *sum_classes(Maker *m, const uint32_t *object, uint32_t count, uint32_t *used) {
    const LmpSnapshot *s = m->s;
    Tiles *t = m->tiles;
    ClassSum *sum = calloc(s->classes + 1u, sizeof *sum);
    if (!sum || !member_room(t, count)) {
        free(sum);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        sum[s->class_of[object[i]]].count++;
    for (uint32_t c = 0; c < s->classes; c++) {
        sum[c].cls = c;
        sum[c].first = t->members;
        t->members += sum[c].count;
        sum[c].count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        ClassSum *c = &sum[s->class_of[object[i]]];
        t->member[c->first + c->count++] = object[i];
        c->bytes += (double)s->retained[object[i]];
    }
    *used = 0;
    for (uint32_t c = 0; c < s->classes; c++)
        if (sum[c].bytes > 0) sum[(*used)++] = sum[c];
    qsort(sum, *used, sizeof *sum, by_bytes);
    return sum;
}

/* Adds tiles for classes, and one more for the rest of `bytes`, which `rest` describes. */
static void add_classes(Maker *m, int up, ClassSum *sum, uint32_t used, const Rest *rest,
                        Rect rect) {
    double *weight = malloc(MOST * sizeof *weight), bytes = rest->bytes;
    Rect *place = malloc((MOST + 1) * sizeof *place);
    TreemapRoom room = {rect, m->tall, LEAST_W * 2, m->tall == 1 ? LEAST_HALVES : 2};
    uint32_t tiles = 0, left = rest->children - rest->first, first = (uint32_t)m->tiles->tiles;
    if (used > MOST) used = MOST;
    for (uint32_t i = 0; weight && i < used; i++) {
        weight[i] = sum[i].bytes;
        bytes -= sum[i].bytes;
    }
    if (weight && place) tiles = treemap_fit(&room, weight, used, bytes > 0.5 ? bytes : 0, place);
    bytes = rest->bytes;
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t sample = m->tiles->member[sum[i].first];
        left -= sum[i].count;
        bytes -= sum[i].bytes;
        if (sum[i].count == 1) {
            add_object(m, up, sample, place[i]);
            continue;
        }
        add(m, (Tile){.rect = place[i],
                      .what = TILE_CLASS,
                      .object = rest->object,
                      .inside = rest->object,
                      .from = sum[i].first,
                      .cls = sum[i].cls,
                      .count = sum[i].count,
                      .bytes = (uint64_t)sum[i].bytes,
                      .up = up,
                      .kind = (uint8_t)snapshot_kind(m->s, sample)});
    }
    if (tiles == 0)
        add_more(m, up, rest, left, rest->bytes, rect);
    else if (place[tiles].w > 0)
        add_more(m, up,
                 &(Rest){rest->object, rest->first, rest->children, bytes,
                         rest->itself || left == 0, rest->like},
                 left, bytes, place[tiles]);
    free(weight);
    free(place);
    give_tones(m->tiles, (int)first);
}

/* Adds the rest, by class if there is room. */
static void add_rest(Maker *m, int up, const Rest *rest, Rect rect) {
    uint32_t left = rest->children - rest->first, used = 0;
    ClassSum *sum = NULL;
    if (left > 1 && rect.w >= NESTED_W)
        sum = sum_classes(m, m->s->child + m->s->child_at[rest->object] + rest->first,
                          left < LOOKED_AT ? left : LOOKED_AT, &used);
    if (sum)
        add_classes(m, up, sum, used, rest, rect);
    else
        add_more(m, up, rest, left, rest->bytes, rect);
    free(sum);
}

/* Fills a class's tile with what its objects hold, by class again. */
static void fill_class(Maker *m, int up) {
    Tile tile = m->tiles->tile[up];
    const LmpSnapshot *s = m->s;
    uint32_t count = 0, used = 0, *object = malloc(LOOKED_AT * sizeof *object);
    double bytes = 0;
    for (uint32_t i = 0; object && i < tile.count; i++) {
        uint32_t member = m->tiles->member[tile.from + i], children = children_of(s, member);
        for (uint32_t k = 0; k < children && count < LOOKED_AT; k++) {
            uint32_t child = s->child[s->child_at[member] + k];
            /* show what an upvalue holds, not the upvalue */
            if (s->g.kind[child] == LMP_OBJECT_UPVALUE && children_of(s, child) > 0)
                child = s->child[s->child_at[child]];
            object[count++] = child;
            bytes += (double)s->retained[child];
        }
    }
    /* itself: the tile of the rest is not a list of children */
    uint32_t like = m->tiles->member[tile.from];
    Rest rest = {tile.object, 0, count, (double)tile.bytes, true, like};
    ClassSum *sum =
        count > 0 && bytes > (double)tile.bytes / 4 ? sum_classes(m, object, count, &used) : NULL;
    if (sum) {
        m->tiles->tile[up].nested = true;
        add_classes(m, up, sum, used, &rest, treetiles_inside(tile.rect, m->tall));
    }
    free(sum);
    free(object);
}

static Rest rest_of(Maker *m, uint32_t object, const Part *part, uint32_t own_tiles, uint32_t count,
                    double more, uint32_t from) {
    uint32_t children = children_of(m->s, object);
    Rest rest = {object, children, children, more, false, object};
    for (uint32_t i = count; i-- > own_tiles;) {
        rest.bytes += part[i].weight;
        if (part[i].child != LMP_OBJECT_NONE) rest.first = part[i].child;
    }
    if (count == own_tiles) rest.first = from; /* no tile for any child that was looked at */
    for (uint32_t i = 0; count == own_tiles && i < count; i++)
        if (part[i].child != LMP_OBJECT_NONE) rest.first = part[i].child + 1;
    rest.itself = rest.first >= children;
    return rest;
}

static bool has_room(Rect rect, int tall) {
    int lines = tall == 1 ? rect.h / 2 : rect.h;
    return rect.w >= NESTED_W && lines >= NESTED_LINES;
}

/* Fills the tiles of classes from `begin` on, if they have room. */
static void end_class(Maker *m, int begin) {
    for (int i = begin; i < m->tiles->tiles; i++) {
        const Tile *tile = &m->tiles->tile[i];
        if (tile->what == TILE_CLASS && has_room(tile->rect, m->tall)) fill_class(m, i);
    }
}

/* Returns true if only few of many objects would have tiles: then all of them are shown by
 * class. */
static bool few_of_many(const LmpSnapshot *s, uint32_t object, const Part *part, uint32_t own_tiles,
                        double more, uint32_t count) {
    double shown = 0, all = (double)(s->retained[object] - own_of(s, object));
    for (uint32_t i = 0; i < own_tiles; i++)
        if (part[i].child != LMP_OBJECT_NONE) shown += part[i].weight;
    return (more > 0 || own_tiles < count) && shown < all * FEW;
}

static void fill(Maker *m, int up, uint32_t object, uint32_t from, Rect rect) {
    TreemapRoom room = {rect, m->tall, LEAST_W, m->tall == 1 ? LEAST_HALVES : 2};
    Part *part = malloc(MOST * sizeof *part);
    double *weight = malloc(MOST * sizeof *weight), more = 0;
    Rect *place = malloc((MOST + 1) * sizeof *place);
    int first = m->tiles->tiles;
    if (part && weight && place && rect.w > 0 && rect.h > 0) {
        uint32_t fits = (uint32_t)(rect.w * rect.h / (room.least_w * room.least_h)) + 1;
        uint32_t count = parts_of(m, object, from, fits < MOST ? fits : MOST, part, &more);
        for (uint32_t i = 0; i < count; i++)
            weight[i] = part[i].weight;
        uint32_t own_tiles = treemap_fit(&room, weight, count, more, place);
        if (few_of_many(m->s, object, part, own_tiles, more, count)) {
            own_tiles = 0;
            place[0] = rect;
        }
        for (uint32_t i = 0; i < own_tiles; i++) {
            if (part[i].child != LMP_OBJECT_NONE)
                add_object(m, up, m->s->child[m->s->child_at[object] + part[i].child], place[i]);
            else
                add(m, (Tile){.rect = place[i],
                              .what = TILE_ITSELF,
                              .object = object,
                              .inside = object,
                              .bytes = (uint64_t)weight[i],
                              .up = up,
                              .kind = (uint8_t)snapshot_kind(m->s, object)});
        }
        if (place[own_tiles].w > 0 && (count > 0 || more > 0)) {
            Rest rest = rest_of(m, object, part, own_tiles, count, more, from);
            add_rest(m, up, &rest, place[own_tiles]);
        }
        give_tones(m->tiles, first);
    }
    free(part);
    free(weight);
    free(place);
    int end = m->tiles->tiles;
    for (int i = first; i < end; i++) {
        Tile tile = m->tiles->tile[i];
        bool children = children_of(m->s, tile.inside) > 0;
        if (tile.what == TILE_CLASS && tile.up == up && has_room(tile.rect, m->tall)) {
            int begin = m->tiles->tiles;
            fill_class(m, i);
            end_class(m, begin);
        }
        if (tile.what != TILE_OBJECT || !children || !has_room(tile.rect, m->tall)) continue;
        if (m->s->retained[tile.inside] == own_of(m->s, tile.inside)) continue;
        m->tiles->tile[i].nested = true;
        fill(m, i, tile.inside, 0, treetiles_inside(tile.rect, m->tall));
    }
}

void treetiles_make(Tiles *tiles, const LmpSnapshot *s, uint32_t root, uint32_t from, int w, int h,
                    int tall) {
    Maker maker = {tiles, s, tall};
    tiles->tiles = 0;
    tiles->members = 0;
    fill(&maker, -1, root, from, (Rect){0, 0, w, h});
}

void treetiles_free(Tiles *tiles) {
    free(tiles->tile);
    free(tiles->member);
    *tiles = (Tiles){0};
}

/* ---- going about ----------------------------------------------------------------------------- */

/* Returns how far b is from a to one side, with a penalty for lying beside it; < 0: not on that
 * side. */
static int distance(const Rect *a, const Rect *b, int dx, int dy) {
    int gap, a0, a1, b0, b1;
    if (dx != 0) {
        gap = dx > 0 ? b->x - (a->x + a->w) : a->x - (b->x + b->w);
        a0 = a->y, a1 = a->y + a->h, b0 = b->y, b1 = b->y + b->h;
    } else {
        gap = dy > 0 ? b->y - (a->y + a->h) : a->y - (b->y + b->h);
        a0 = a->x, a1 = a->x + a->w, b0 = b->x, b1 = b->x + b->w;
    }
    if (gap < 0) return -1;
    int beside = b0 >= a1 ? b0 - a1 + 1 : a0 >= b1 ? a0 - b1 + 1 : 0;
    int off = abs((a0 + a1) - (b0 + b1));
    return gap * 8 + beside * 16 + off;
}

int treetiles_next(const Tiles *tiles, int at, int dx, int dy) {
    int best = at, least = -1;
    for (int i = 0; i < tiles->tiles; i++) {
        const Tile *tile = &tiles->tile[i];
        if (i == at || tile->nested) continue;
        int far = distance(&tiles->tile[at].rect, &tile->rect, dx, dy);
        if (far < 0 || (least >= 0 && far >= least)) continue;
        least = far;
        best = i;
    }
    return best;
}

int treetiles_at(const Tiles *tiles, int x, int y) {
    for (int i = tiles->tiles; i-- > 0;) {
        const Rect *r = &tiles->tile[i].rect;
        if (x >= r->x && y >= r->y && x < r->x + r->w && y < r->y + r->h) return i;
    }
    return -1;
}
