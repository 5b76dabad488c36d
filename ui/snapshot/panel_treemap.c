/* panel_treemap.c - the dominators as a picture: nested tiles, each as large as what it retains,
 * coloured by type, in tones instead of borders; the cursor's whole path stands below. With fewer
 * than 256 colours there are not enough tones: then tiles are whole characters with borders.
 * treetiles.c gives the tiles their places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "snapshot/treetiles.h"

#define ZOOMS 128 /* that escape goes back by */

typedef struct Zoom {
    uint32_t root, from; /* what is shown: what `root` holds from its child `from` on */
    uint32_t object;     /* the cursor's tile when it was zoomed */
    TileWhat what;
    uint32_t cls;
} Zoom;

/* What the tiles were laid out for. */
typedef struct Made {
    uint64_t serial;
    uint32_t root, from;
    int w, h, tall, unused;
} Made;

typedef struct Treemap {
    uint64_t serial; /* of the snapshot */
    Zoom zoom[ZOOMS];
    int zooms; /* the last one is on the screen */
    Tiles tiles;
    Made made;
    int tall;
    int at;           /* the cursor's tile, as last drawn; -1: none */
    uint32_t *member; /* of the tile of a class that was opened last */
} Treemap;

static void end(void *state) {
    Treemap *t = state;
    treetiles_free(&t->tiles);
    free(t->member);
}

static Zoom *top_of(Treemap *t) {
    return &t->zoom[t->zooms - 1];
}

/* ---- what is shown --------------------------------------------------------------------------- */

static int lines_below(Rect rect) {
    return rect.h >= 10 ? 2 : rect.h >= 5 ? 1 : 0;
}

/* Finds the cursor's tile by what it stands for; else returns the largest one. */
static int find_cursor(const Treemap *t, const Zoom *zoom) {
    int largest = -1;
    for (int i = 0; i < t->tiles.tiles; i++) {
        const Tile *tile = &t->tiles.tile[i];
        if (tile->nested) continue;
        if (largest < 0 || tile->bytes > t->tiles.tile[largest].bytes) largest = i;
        bool same = tile->object == zoom->object || tile->inside == zoom->object;
        if (same && tile->what == zoom->what && tile->cls == zoom->cls) return i;
    }
    return largest;
}

static void layout(Treemap *t, const OpenedSnapshot *heap, const Ui *ui, Rect rect) {
    if (t->serial != heap->serial || t->zooms == 0) {
        t->serial = heap->serial;
        t->zooms = 1;
        t->zoom[0] = (Zoom){.object = LMP_OBJECT_NONE};
    }
    t->tall = ui->utf8 && ui->colours >= 256 ? 1 : 2;
    int h = rect.h - lines_below(rect);
    const Zoom *zoom = top_of(t);
    Made now = {t->serial, zoom->root, zoom->from, rect.w, t->tall == 1 ? h * 2 : h, t->tall, 0};
    if (memcmp(&now, &t->made, sizeof now) != 0)
        treetiles_make(&t->tiles, &heap->now, now.root, now.from, now.w, now.h, now.tall);
    t->made = now;
    t->at = find_cursor(t, zoom);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Writes the path from the tile around an object to the object: `loaded["app.cache"].get ▸ upvalue
 * entries`. */
static void name_object(const Treemap *t, const LmpSnapshot *s, const Tile *tile, char *out,
                        size_t size) {
    char outer[1024];
    uint32_t up = tile->up >= 0 ? t->tiles.tile[tile->up].inside : t->zoom[t->zooms - 1].root;
    objectcell_path(s, tile->inside, out, size);
    objectcell_path(s, up, outer, sizeof outer);
    size_t skip = strlen(outer);
    if (up == 0 || strncmp(out, outer, skip) != 0 || !out[skip]) skip = 0;
    skip += strspn(out + skip, " ");
    if (strncmp(out + skip, "▸", 3) == 0) skip += 3;
    skip += strspn(out + skip, " ");
    if (out[skip] == '.') skip++;
    memmove(out, out + skip, strlen(out + skip) + 1);
}

static void name_tile(const Treemap *t, const LmpSnapshot *s, const Tile *tile, char *out,
                      size_t size) {
    char count[LMP_NUM];
    switch (tile->what) {
    case TILE_MORE:
        snprintf(out, size, "%s more", format_count(count, tile->count));
        break;
    case TILE_ITSELF:
        snprintf(out, size, "itself");
        break;
    case TILE_CLASS:
        snprintf(out, size, "%s × %s", format_count(count, tile->count),
                 s->class_list[tile->cls].name);
        break;
    case TILE_OBJECT:
        name_object(t, s, tile, out, size);
        break;
    }
}

/* ---- drawing in tones ------------------------------------------------------------------------ */

static bool is_lit(const Treemap *t, int i) {
    return i == t->at;
}

static Tone ground_of(const Treemap *t, const Ui *ui, int i) {
    const Tile *tile = &t->tiles.tile[i];
    if (!UI_SHOWS(ui, tile->kind)) return is_lit(t, i) ? TONE_FAINT : TONE_EMPTY;
    if (is_lit(t, i)) return TONE_KIND(tile->kind);
    return TONE_KIND_LEVEL(tile->kind, tile->tone);
}

/* Returns a style whose text can be read on a tile's ground. */
static Style text_on(const Treemap *t, const Ui *ui, int i, bool strong) {
    const Tile *tile = &t->tiles.tile[i];
    Tone ground = ground_of(t, ui, i);
    if (is_lit(t, i)) return STYLE_WITH(STYLE_ON(TONE_CURSOR_GROUND, ground), ATTR_BOLD);
    if (!UI_SHOWS(ui, tile->kind)) return STYLE_ON(TONE_FAINT, ground);
    Style style = STYLE_ON(tile->tone == 2 ? TONE_CURSOR_GROUND : TONE_TEXT, ground);
    return strong ? STYLE_WITH(style, ATTR_BOLD) : style;
}

/* Draws a path; one that is too long loses its beginning. */
static void draw_name(Canvas *canvas, int x, int y, int room, Style style, const char *name,
                      const Tile *tile) {
    if (tile->what == TILE_OBJECT)
        canvas_tail(canvas, x, y, room, style, style, name);
    else
        canvas_text(canvas, x, y, room, style, name);
}

/* Draws a label, and below it or beside it the bytes, as far as there is room. */
static void draw_label(const Treemap *t, const LmpSnapshot *s, const Ui *ui, Canvas *canvas,
                       Rect rect, int i) {
    const Tile *tile = &t->tiles.tile[i];
    char name[1024], bytes[LMP_NUM];
    int y = treetiles_label_y(tile->rect, t->tall), half = t->tall == 1 ? 2 : 1;
    int end = (tile->rect.y + tile->rect.h) / half; /* of its whole lines */
    int x = rect.x + tile->rect.x + 1, room = tile->rect.w - 2;
    if (y < 0 || room < 3) return;
    name_tile(t, s, tile, name, sizeof name);
    format_bytes(bytes, tile->bytes);
    bool strong = tile->nested;
    int wide = canvas_width(bytes), used = canvas_width(name);
    if (tile->nested || end - y < 2 || used + 2 + wide <= room / 2) {
        bool both = room >= used + 1 + wide || room >= 8 + 1 + wide;
        int most = both ? room - 1 - wide : room;
        draw_name(canvas, x, rect.y + y, most, text_on(t, ui, i, strong), name, tile);
        if (both)
            canvas_text_right(canvas, x + room, rect.y + y, wide, text_on(t, ui, i, false), bytes);
        return;
    }
    draw_name(canvas, x, rect.y + y, room, text_on(t, ui, i, true), name, tile);
    canvas_text(canvas, x, rect.y + y + 1, room, text_on(t, ui, i, false), bytes);
    if (end - y < 4 || room < 12 || tile->what != TILE_OBJECT) return;
    snapshot_name(s, tile->inside, name, sizeof name);
    canvas_text(canvas, x, rect.y + y + 2, room, text_on(t, ui, i, false), name);
    snapshot_site(s, tile->inside, name, sizeof name);
    if (end - y >= 5) canvas_text(canvas, x, rect.y + y + 3, room, text_on(t, ui, i, false), name);
}

static void draw_tones(const Treemap *t, const LmpSnapshot *s, const Ui *ui, Canvas *canvas,
                       Rect rect, int h) {
    int w = rect.w;
    Tone *cell = calloc((size_t)w * (size_t)h * 2, sizeof *cell);
    if (!cell) return;
    for (int i = 0; i < t->tiles.tiles; i++) {
        const Rect *r = &t->tiles.tile[i].rect;
        for (int y = r->y; y < r->y + r->h; y++)
            memset(cell + y * w + r->x, ground_of(t, ui, i), (size_t)r->w);
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            Tone upper = cell[2 * y * w + x], lower = cell[(2 * y + 1) * w + x];
            canvas_put(canvas, rect.x + x, rect.y + y, upper == lower ? ' ' : G_UPPER_HALF,
                       upper == lower ? STYLE_ON(TONE_TEXT, upper) : STYLE_ON(upper, lower));
        }
    free(cell);
    for (int i = 0; i < t->tiles.tiles; i++)
        draw_label(t, s, ui, canvas, rect, i);
}

/* ---- drawing in borders ---------------------------------------------------------------------- */

static void draw_borders(const Treemap *t, const LmpSnapshot *s, const Ui *ui, Canvas *canvas,
                         Rect rect) {
    for (int i = 0; i < t->tiles.tiles; i++) {
        const Tile *tile = &t->tiles.tile[i];
        char name[1024], text[1040], bytes[LMP_NUM];
        bool shown = UI_SHOWS(ui, tile->kind);
        Style style = STYLE(shown ? TONE_KIND(tile->kind) : TONE_FAINT);
        Rect r = {rect.x + tile->rect.x, rect.y + tile->rect.y, tile->rect.w, tile->rect.h};
        canvas_box(canvas, r, style);
        name_tile(t, s, tile, name, sizeof name);
        format_bytes(bytes, tile->bytes);
        snprintf(text, sizeof text, "%c %s", kind_info[tile->kind].letter, name);
        bool below = r.h >= 3 && !tile->nested;
        int room = r.w - 2, wide = canvas_width(bytes);
        int most = !below && room >= 8 + wide ? room - 1 - wide : room;
        canvas_text(canvas, r.x + 1, r.y + (below ? 1 : 0), most, STYLE(TONE_STRONG), text);
        if (below && r.h >= 4)
            canvas_text(canvas, r.x + 1, r.y + 2, room, STYLE(TONE_TEXT), bytes);
        else if (most < room)
            canvas_text_right(canvas, r.x + 1 + room, r.y, wide, STYLE(TONE_TEXT), bytes);
        if (is_lit(t, i)) {
            canvas_attr(canvas, (Rect){r.x, r.y, r.w, 1}, ATTR_REVERSE);
            canvas_attr(canvas, (Rect){r.x, r.y + r.h - 1, r.w, 1}, ATTR_REVERSE);
            canvas_attr(canvas, (Rect){r.x, r.y + 1, 1, r.h - 2}, ATTR_REVERSE);
            canvas_attr(canvas, (Rect){r.x + r.w - 1, r.y + 1, 1, r.h - 2}, ATTR_REVERSE);
        }
    }
}

/* ---- below ----------------------------------------------------------------------------------- */

static void draw_below(const Treemap *t, const LmpSnapshot *s, Canvas *canvas, Rect rect, int y,
                       int lines) {
    const Tile *tile = t->at >= 0 ? &t->tiles.tile[t->at] : NULL;
    char text[600], bytes[LMP_NUM], name[200];
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    if (!tile || lines == 0) return;
    int used = x;
    used += canvas_printf(canvas, used, y, right - used, STYLE(TONE_STRONG), "%s ",
                          format_bytes(bytes, tile->bytes));
    used += canvas_printf(canvas, used, y, right - used, STYLE(TONE_MUTED), "%.1f %%  ",
                          objectcell_share(s, tile->bytes) * 100);
    if (tile->what == TILE_MORE || tile->what == TILE_CLASS) {
        name_tile(t, s, tile, name, sizeof name);
        used += canvas_printf(canvas, used, y, right - used, STYLE(TONE_TEXT), "%s in ", name);
    } else if (tile->what == TILE_ITSELF) {
        used += canvas_text(canvas, used, y, right - used, STYLE(TONE_TEXT), "by itself ");
    }
    snapshot_name(s, tile->inside, name, sizeof name);
    used +=
        canvas_text(canvas, used, y, right - used, STYLE(objectcell_tone(s, tile->inside)), name);
    snapshot_site(s, tile->inside, name, sizeof name);
    if (name[0] && right - used > 14)
        canvas_printf(canvas, used, y, right - used, STYLE(TONE_MUTED), "  made by %s", name);
    if (lines < 2) return;
    objectcell_path(s, tile->inside, text, sizeof text);
    canvas_tail(canvas, x, y + 1, right - x, STYLE(TONE_SOURCE), STYLE(TONE_MUTED), text);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Treemap *t = state;
    OpenedSnapshot *heap = objectcell_opened(model, canvas, rect);
    if (!t || !heap || rect.w <= 0 || rect.h <= 0) return;
    layout(t, heap, ui, rect);
    int lines = lines_below(rect), h = rect.h - lines;
    if (t->tiles.tiles == 0)
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_MUTED), "nothing is held");
    else if (t->tall == 1)
        draw_tones(t, &heap->now, ui, canvas, rect, h);
    else
        draw_borders(t, &heap->now, ui, canvas, rect);
    draw_below(t, &heap->now, canvas, rect, rect.y + h, lines);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static void choose(Treemap *t, int i) {
    if (i < 0 || i >= t->tiles.tiles) return;
    const Tile *tile = &t->tiles.tile[i];
    t->at = i;
    top_of(t)->object = tile->object;
    top_of(t)->what = tile->what;
    top_of(t)->cls = tile->cls;
}

/* Opens the objects of a class's tile: as a list, or why they are alive. */
static void open_class(Treemap *t, const OpenedSnapshot *heap, Ui *ui, const Tile *tile, bool why) {
    uint32_t count = tile->count;
    char name[200];
    free(t->member);
    t->member = malloc((count + 1ull) * sizeof *t->member);
    if (!t->member) return;
    memcpy(t->member, t->tiles.member + tile->from, count * sizeof *t->member);
    name_tile(t, &heap->now, tile, name, sizeof name);
    if (why)
        ui_open_why_of(ui, heap, t->member, count, name);
    else
        ui_open_members(ui, heap, t->member, count, name);
}

/* Zooms one level deeper, into the top tile around the cursor's. */
static void zoom_in(Treemap *t, const OpenedSnapshot *heap, Ui *ui) {
    const LmpSnapshot *s = &heap->now;
    int i = t->at;
    if (i < 0) return;
    const Tile *cursor = &t->tiles.tile[i];
    while (t->tiles.tile[i].up >= 0)
        i = t->tiles.tile[i].up;
    const Tile *tile = &t->tiles.tile[i];
    bool children = s->child_at[tile->inside] < s->child_at[tile->inside + 1];
    if (tile->what == TILE_ITSELF || (tile->what == TILE_OBJECT && !children)) {
        ui_open_object(ui, tile->inside);
        return;
    }
    if (tile->what == TILE_CLASS) {
        open_class(t, heap, ui, tile, false);
        return;
    }
    if (t->zooms == ZOOMS) return;
    Zoom zoom = {.root = tile->inside, .object = cursor->object, .what = cursor->what};
    zoom.cls = cursor->cls;
    if (tile->what == TILE_MORE) {
        zoom.from = tile->from;
        zoom.object = LMP_OBJECT_NONE;
    }
    t->zoom[t->zooms++] = zoom;
}

static bool zoom_out(Treemap *t) {
    if (t->zooms <= 1) return false;
    t->zooms--;
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Treemap *t = state;
    if (!t || !model->heap) return false;
    layout(t, model->heap, ui, rect);
    switch (action) {
    case ACT_LEFT:
    case ACT_RIGHT:
        if (t->at >= 0) choose(t, treetiles_next(&t->tiles, t->at, action == ACT_LEFT ? -1 : 1, 0));
        return true;
    case ACT_UP:
    case ACT_DOWN:
        if (t->at >= 0) choose(t, treetiles_next(&t->tiles, t->at, 0, action == ACT_UP ? -1 : 1));
        return true;
    case ACT_HOME:
        t->zooms = 1;
        return true;
    case ACT_ENTER:
    case ACT_ZOOM_IN:
        zoom_in(t, model->heap, ui);
        return true;
    case ACT_BACK:
        return zoom_out(t);
    case ACT_ZOOM_OUT:
        zoom_out(t);
        return true;
    case ACT_WHY:
        if (t->at < 0) return true;
        if (t->tiles.tile[t->at].what == TILE_CLASS)
            open_class(t, model->heap, ui, &t->tiles.tile[t->at], true);
        else
            ui_open_why(ui, model->heap, t->tiles.tile[t->at].inside);
        return true;
    default:
        return false;
    }
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Treemap *t = state;
    if (!t || !model->heap) return false;
    layout(t, model->heap, ui, rect);
    if (event.what == MOUSE_WHEEL_DOWN) return act(state, model, ui, ACT_ZOOM_OUT, rect);
    if (event.y < 0 || event.y >= rect.h - lines_below(rect)) return false;
    int i = treetiles_at(&t->tiles, event.x, t->tall == 1 ? event.y * 2 + 1 : event.y);
    if (i < 0) return false;
    for (int k = i + 1; k < t->tiles.tiles; k++) /* on a tile's label: the largest tile in it */
        if (t->tiles.tile[i].nested && t->tiles.tile[k].up == i) i = k;
    choose(t, i);
    if (event.what == MOUSE_WHEEL_UP) return act(state, model, ui, ACT_ZOOM_IN, rect);
    return event.what == MOUSE_CLICK;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)ui;
    const Treemap *t = state;
    if (!t || !model->heap || t->at < 0 || t->at >= t->tiles.tiles) return false;
    return objectcell_place(&model->heap->now, t->tiles.tile[t->at].inside, out);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Treemap *t = state;
    char name[80], bytes[LMP_NUM];
    if (!t || !model->heap || t->zooms == 0) return;
    const LmpSnapshot *s = &model->heap->now;
    uint32_t root = t->zoom[t->zooms - 1].root;
    if (root == 0)
        snprintf(out, size, "all that is held · enter zooms");
    else
        snprintf(out, size, "%s · %s · enter zooms · esc back",
                 objectcell_label(s, root, name, sizeof name),
                 format_bytes(bytes, s->retained[root]));
}

const Panel panel_treemap = {
    .title = "Treemap",
    .about = "What holds what, as a picture: each tile is as large as what it retains, and what it "
             "holds lies in it. Arrows and the mouse move, enter zooms, esc goes back.",
    .number = 4,
    .offers = {ACT_ENTER, ACT_ZOOM_IN, ACT_EDIT, ACT_WHY},
    .size = sizeof(Treemap),
    PANEL_OWN_CALLS};
