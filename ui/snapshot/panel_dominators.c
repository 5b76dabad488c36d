/* panel_dominators.c - the tree of who alone holds whom: below each object those that would be
 * freed with it, biggest first. Open rows are known by their object, so they stay open whatever is
 * opened elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "base/keymap.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/tablepanel.h"

#define CHILDREN 100u /* children shown at first; "more" opens ten times as many */
#define LEVELS 200u   /* opened at once along the biggest */
#define SHARP 0.7     /* a biggest child with less than that share: many children accumulate */

typedef struct DomRow {
    uint32_t object; /* for a row "more": whose children */
    uint32_t up;     /* row of its parent; its own: none */
    uint32_t depth;
    uint32_t more;  /* > 0: the row stands for so many further children */
    uint64_t bytes; /* retained by it, or by them */
    uint32_t next;  /* of its children, while rows are made */
    bool open;
} DomRow;

typedef struct Dominators {
    TablePanel panel;
    uint64_t serial; /* of the snapshot that `open` is about */
    KeyMap open;     /* object -> children shown */
    DomRow *row;
    uint32_t rows, room;
    uint64_t rows_serial;
    bool dirty;
} Dominators;

static const DomRow *row_of(const TableSource *from, uint32_t row) {
    return &((const DomRow *)from->rows)[row];
}

static uint32_t object_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->object;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t children_of(const LmpSnapshot *s, uint32_t object) {
    return s->child_at[object + 1] - s->child_at[object];
}

static uint32_t shown_of(const Dominators *d, uint32_t object) {
    return keymap_get(&d->open, object, 0);
}

static bool add_row(Dominators *d, DomRow row) {
    if (!array_room(&d->row, &d->room, d->rows + 1)) return false;
    d->row[d->rows++] = row;
    return true;
}

static bool add_more(Dominators *d, const LmpSnapshot *s, uint32_t up, uint32_t shown) {
    uint32_t object = d->row[up].object, count = children_of(s, object);
    uint64_t bytes = s->retained[object] - snapshot_counted(s, object);
    for (uint32_t k = 0; k < shown; k++) {
        uint64_t held = s->retained[s->child[s->child_at[object] + k]];
        bytes -= held < bytes ? held : bytes;
    }
    return add_row(d, (DomRow){.object = object,
                               .up = up,
                               .depth = d->row[up].depth + 1,
                               .more = count - shown,
                               .bytes = bytes});
}

static bool add_object(Dominators *d, const LmpSnapshot *s, uint32_t object, uint32_t up,
                       uint32_t depth) {
    return add_row(d, (DomRow){.object = object,
                               .up = up,
                               .depth = depth,
                               .bytes = s->retained[object],
                               .open = shown_of(d, object) > 0 && children_of(s, object) > 0});
}

/* Makes all visible rows. Each row knows which of its children comes next, so there is no
 * recursion. */
static void make_rows(Dominators *d, const LmpSnapshot *s) {
    d->rows = 0;
    d->rows_serial++;
    d->dirty = false;
    if (!add_object(d, s, 0, 0, 0)) return;
    for (uint32_t at = 0;;) {
        DomRow *row = &d->row[at];
        uint32_t all = children_of(s, row->object),
                 shown = row->open ? shown_of(d, row->object) : 0;
        if (shown > all) shown = all;
        if (row->next < shown) {
            uint32_t child = s->child[s->child_at[row->object] + row->next++];
            if (!add_object(d, s, child, at, row->depth + 1)) return;
            at = d->rows - 1;
            continue;
        }
        if (row->open && shown < all && !add_more(d, s, at, shown)) return;
        row = &d->row[at]; /* it may have moved */
        if (at == row->up) return;
        at = row->up;
    }
}

static void open_object(Dominators *d, uint32_t object, uint32_t shown) {
    if (keymap_set(&d->open, object, shown)) d->dirty = true;
}

/* Opens the biggest child of each, from `object` on, until what it holds spreads out. Returns the
 * object where that happens. */
static uint32_t follow(Dominators *d, const LmpSnapshot *s, uint32_t object) {
    for (uint32_t level = 0; level < LEVELS && children_of(s, object) > 0; level++) {
        uint32_t biggest = s->child[s->child_at[object]];
        if (shown_of(d, object) == 0) open_object(d, object, CHILDREN);
        bool spread = (double)s->retained[biggest] < SHARP * (double)s->retained[object];
        if (spread && level > 0) break;
        object = biggest;
    }
    return object;
}

static void sync(Dominators *d, const OpenedSnapshot *heap) {
    if (d->serial != heap->serial) {
        d->serial = heap->serial;
        keymap_free(&d->open);
        d->open = (KeyMap){0};
        follow(d, &heap->now, 0);
        d->dirty = true;
        tablepanel_reset(&d->panel);
    }
    if (d->dirty) make_rows(d, &heap->now);
}

/* ---- columns --------------------------------------------------------------------------------- */

static void cell_retained(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_bytes(cell, row_of(from, row)->bytes,
                    STYLE(row_of(from, row)->more ? TONE_MUTED : TONE_STRONG));
}

static void cell_share(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_share(cell, objectcell_share(objectcell_col_whole(from), row_of(from, row)->bytes));
}

static void cell_size(const TableSource *from, uint32_t row, TableCell *cell) {
    const DomRow *r = row_of(from, row);
    if (r->more) return;
    tallycell_bytes(cell, snapshot_counted(objectcell_col_whole(from), r->object),
                    STYLE(TONE_TEXT));
}

static void cell_site(const TableSource *from, uint32_t row, TableCell *cell) {
    if (!row_of(from, row)->more) objectcell_col_site(from, row, cell);
}

/* Draws what the object holds as part of the heap; the object itself is lit. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const DomRow *r = row_of(from, row);
    const LmpSnapshot *s = objectcell_col_whole(from);
    double held = objectcell_share(s, r->bytes);
    double own = r->more ? 0 : objectcell_share(s, snapshot_counted(s, r->object));
    tallycell_bar(canvas, x, y, w, own < held ? own : held, held);
}

static void paint_name(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const DomRow *r = row_of(from, row);
    const LmpSnapshot *s = objectcell_col_whole(from);
    char text[256], name[200];
    int most = w / 2, indent = (int)(r->depth < 1000 ? r->depth : 1000) * 2, right = x + w;
    if (indent > most) {
        canvas_printf(canvas, x, y, 6, STYLE(TONE_MUTED), "%u", r->depth);
        indent = most;
    }
    x += indent;
    if (r->more) {
        format_count(name, r->more);
        canvas_printf(canvas, x + 2, y, right - x - 2, STYLE(TONE_MUTED), "%s more", name);
        return;
    }
    bool parent = children_of(s, r->object) > 0;
    if (parent) canvas_put(canvas, x, y, r->open ? G_SORT_DOWN : G_RIGHT, STYLE(TONE_MUTED));
    x += 2;
    if (r->object != 0) {
        objectcell_label(s, r->object, text, sizeof text);
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_SOURCE), text) + 1;
    }
    snapshot_name(s, r->object, name, sizeof name);
    if (r->object == 0)
        canvas_text(canvas, x, y, right - x, STYLE(TONE_STRONG), "all that is held");
    else if (strcmp(text, name) != 0 && right - x > 6)
        canvas_text(canvas, x, y, right - x, STYLE(objectcell_tone(s, r->object)), name);
}

static const TableColumn columns[] = {
    {"retains", 10, 11, 0, .cell = cell_retained, .help = "what would be freed without it"},
    {"%", 6, 6, 2, .cell = cell_share, .help = "of the heap"},
    {"", 5, 17, 5, .paint = paint_bar,
     .help = "that share as a bar; lit: what the object is itself"},
    {"size", 9, 10, 3, .cell = cell_size, .help = "its own bytes, with all its parts"},
    {"object", 20, 40, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .paint = paint_name,
     .help = "how its holder calls it, and what it is"},
    {"line", 14, 26, 4, .align = TABLE_TAIL, .cell = cell_site, .help = "the line that made it",
     .hidden = objectcell_no_lines},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    const DomRow *r = row_of(from, row);
    return (uint64_t)r->object * 2 + (r->more > 0);
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const DomRow *r = row_of(from, row);
    char label[200], name[200], site[160];
    if (r->more) {
        out[0] = 0;
        return;
    }
    snprintf(out, size, "%s %s %s",
             objectcell_label(objectcell_col_whole(from), r->object, label, sizeof label),
             snapshot_name(objectcell_col_whole(from), r->object, name, sizeof name),
             snapshot_site(objectcell_col_whole(from), r->object, site, sizeof site));
}

static bool rows(void *state, TableSource *from) {
    Dominators *d = state;
    if (!from->model->heap) return false;
    sync(d, from->model->heap);
    from->rows = d->row;
    from->count = d->rows;
    from->serial = d->rows_serial;
    return true;
}

static bool place(const TableSource *from, uint32_t row, PanelPlace *out) {
    const DomRow *r = row_of(from, row);
    return !r->more && objectcell_place(objectcell_col_whole(from), r->object, out);
}

static const TablePanelDef def = {
    .table = {.name = "Dominators",
              TABLE_COLUMNS_OF(columns),
              .id = id_of,
              .words = words_of,
              .own_order = true},
    .rows = rows,
    .object = object_of,
    .place = place,
    .can = objectcell_can,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void end(void *state) {
    Dominators *d = state;
    keymap_free(&d->open);
    free(d->row);
}

static void choose(Dominators *d, const Model *model, Ui *ui, uint32_t object) {
    TableSource from;
    if (!tablepanel_fill(d, model, ui, &from)) return;
    table_choose(&d->panel.table, (uint64_t)object * 2);
}

/* Opens or closes a row; a row "more" opens to ten times as many. */
static void toggle(Dominators *d, const Model *model, Ui *ui, const DomRow *row, bool open) {
    uint32_t object = row->object;
    if (row->more)
        open_object(d, object, shown_of(d, object) * 10);
    else
        open_object(d, object, open ? CHILDREN : 0);
    TableSource from;
    tablepanel_fill(d, model, ui, &from);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Dominators *d = state;
    TableSource from;
    if (!d || !tablepanel_fill(d, model, ui, &from)) return false;
    uint32_t at = table_selected(&d->panel.table);
    if (at == TABLE_NONE) return tablepanel_act(state, model, ui, action, rect);
    DomRow row = d->row[at];
    bool parent = children_of(&model->heap->now, row.object) > 0;
    switch (action) {
    case ACT_RIGHT:
    case ACT_ZOOM_IN:
        if (row.more || (parent && !row.open))
            toggle(d, model, ui, &row, true);
        else if (row.open && at + 1 < d->rows)
            choose(d, model, ui, d->row[at + 1].object);
        return true;
    case ACT_LEFT:
    case ACT_ZOOM_OUT:
        if (row.open && !row.more)
            toggle(d, model, ui, &row, false);
        else
            choose(d, model, ui, d->row[row.up].object);
        return true;
    case ACT_ENTER:
        if (row.more || parent)
            toggle(d, model, ui, &row, !row.open);
        else
            ui_open_object(ui, row.object);
        return true;
    case ACT_HOTTEST:
        choose(d, model, ui, follow(d, &model->heap->now, row.object));
        return true;
    case ACT_WHY:
        if (!row.more && row.object != 0) ui_open_why(ui, model->heap, row.object);
        return true;
    default:
        return tablepanel_act(state, model, ui, action, rect);
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Dominators *d = state;
    if (d && model->heap && !tablepanel_noted(&d->panel, out, size))
        snprintf(out, size, "who holds whom alone · * follows the biggest · w why");
}

const Panel panel_dominators = {
    .title = "Dominators",
    .about = "Below each object those that it alone holds: they would be freed with it. * follows "
             "the biggest, down to where what is held spreads out.",
    .number = 3,
    .all_types = true,
    .offers = {ACT_FILTER, ACT_HOTTEST, ACT_EDIT, ACT_ENTER, ACT_ZOOM_IN, ACT_WHY},
    .def = &def,
    .size = sizeof(Dominators),
    .end = end,
    .act = act,
    .note = note};
