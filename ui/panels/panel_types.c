/* panel_types.c - the table of types: how much of each lives, and how it changes. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "widget/tablepanel.h"

/* One line of the table: a kind, or their sum. */
typedef struct TypesRow {
    const char *name;
    uint32_t letter; /* the key that hides and shows it; 0: the sum */
    Style style;
    uint64_t bytes, blocks, allocs;
    int64_t delta;
    double share; /* of the heap, 0 .. 1 */
    bool shown;   /* not filtered out */
} TypesRow;

typedef struct Types {
    TablePanel panel;
    TypesRow row[LMP_KINDS + 1]; /* by kind; the last: total */
    uint64_t serial;
} Types;

static const TypesRow *row_of(const TableSource *from, uint32_t row) {
    return &((const TypesRow *)from->rows)[row];
}

/* ---- columns --------------------------------------------------------------------------------- */

static Style plain(const TypesRow *row, bool strong) {
    return STYLE(!row->shown ? TONE_FAINT : strong || !row->letter ? TONE_STRONG : TONE_TEXT);
}

static void paint_letter(const TableSource *from, uint32_t i, Canvas *canvas, int x, int y, int w) {
    const TypesRow *row = row_of(from, i);
    if (!row->letter || w < 3) return;
    canvas_put(canvas, x, y, row->shown ? G_SQUARE : 0x25a1,
               row->shown ? row->style : STYLE(TONE_FAINT));
    canvas_put(canvas, x + 2, y, row->letter, STYLE(row->shown ? TONE_STRONG : TONE_FAINT));
}

static void paint_name(const TableSource *from, uint32_t i, Canvas *canvas, int x, int y, int w) {
    const TypesRow *row = row_of(from, i);
    canvas_text(canvas, x, y, w, row->shown ? row->style : STYLE(TONE_FAINT), row->name);
}

static void cell_live(const TableSource *from, uint32_t i, bool wide, TableCell *cell) {
    (void)wide;
    format_bytes(cell->text, row_of(from, i)->bytes);
    cell->style = plain(row_of(from, i), true);
}

static void cell_share(const TableSource *from, uint32_t i, bool wide, TableCell *cell) {
    double share = row_of(from, i)->share;
    (void)wide;
    snprintf(cell->text, sizeof cell->text, share >= 0.9995 ? "%.0f" : "%.1f", share * 100);
    cell->style = plain(row_of(from, i), false);
}

static void count_cell(const TableSource *from, uint32_t i, bool wide, uint64_t n,
                       TableCell *cell) {
    if (wide) {
        format_count(cell->text, n);
    } else {
        format_short(cell->text, n);
    }
    cell->style = plain(row_of(from, i), false);
}

static void cell_blocks(const TableSource *from, uint32_t i, bool wide, TableCell *cell) {
    count_cell(from, i, wide, row_of(from, i)->blocks, cell);
}

static void cell_allocs(const TableSource *from, uint32_t i, bool wide, TableCell *cell) {
    count_cell(from, i, wide, row_of(from, i)->allocs, cell);
}

static void cell_delta(const TableSource *from, uint32_t i, bool wide, TableCell *cell) {
    const TypesRow *row = row_of(from, i);
    (void)wide;
    format_delta_bytes(cell->text, row->delta);
    cell->style = STYLE(!row->shown      ? TONE_FAINT
                        : row->delta > 0 ? TONE_GROWTH
                        : row->delta < 0 ? TONE_SHRINK
                                         : TONE_FAINT);
}

static double value_live(const TableSource *from, uint32_t i) {
    return (double)row_of(from, i)->bytes;
}
static double value_blocks(const TableSource *from, uint32_t i) {
    return (double)row_of(from, i)->blocks;
}
static double value_allocs(const TableSource *from, uint32_t i) {
    return (double)row_of(from, i)->allocs;
}
static double value_delta(const TableSource *from, uint32_t i) {
    return (double)row_of(from, i)->delta;
}
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a)->name, row_of(from, b)->name);
}

static const char *delta_heading(const TableSource *from) {
    if (from->model->marked) return from->ui->utf8 ? "Δ mark" : "since mark";
    return from->ui->utf8 ? "Δ/s" : "change/s";
}

static const TableColumn columns[] = {
    {"", 4, 4, 0, .align = TABLE_LEFT, .paint = paint_letter},
    {"type", 9, 9, 1, .align = TABLE_LEFT, .rising = true, .paint = paint_name, .compare = by_name,
     .help = "its letter is the key that shows or hides it everywhere"},
    {"live", 10, 11, 0, .cell = cell_live, .value = value_live,
     .help = "bytes that are allocated now, as Lua asked for them"},
    {"%", 5, 6, 2, .cell = cell_share, .value = value_live, .help = "share of all live bytes"},
    {"blocks", 7, 12, 4, .cell = cell_blocks, .value = value_blocks,
     .help = "blocks that are allocated now"},
    {"allocs", 7, 15, 5, .cell = cell_allocs, .value = value_allocs,
     .help = "allocations since the start"},
    {"Δ/s", 11, 12, 3, .cell = cell_delta, .value = value_delta, .heading = delta_heading,
     .help = "what live bytes change by a second, or have since the mark"},
};

static uint64_t id_of(const TableSource *from, uint32_t i) {
    (void)from;
    return i;
}

static void words_of(const TableSource *from, uint32_t i, char *out, size_t size) {
    snprintf(out, size, "%s", row_of(from, i)->name);
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    Types *t = state;
    const ModelDelta *delta = model->marked ? &model->since_mark : &model->per_s;
    uint64_t heap = model->stats.live_bytes;
    TypesRow *total = &t->row[LMP_KINDS];
    *total = (TypesRow){.name = "total", .style = STYLE(TONE_STRONG), .shown = true};
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpKindStats *kind = &model->stats.kind[k];
        TypesRow *row = &t->row[k];
        *row = (TypesRow){.name = kind_info[k].name,
                          .letter = (unsigned char)kind_info[k].letter,
                          .style = STYLE(TONE_KIND(k)),
                          .bytes = ui->by_tag ? kind->tag_live_bytes : kind->live_bytes,
                          .blocks = ui->by_tag ? kind->tag_live_blocks : kind->live_blocks,
                          .allocs = ui->by_tag ? kind->tag_allocs : kind->allocs,
                          .delta = ui->by_tag ? delta->tag_bytes[k] : delta->bytes[k],
                          .shown = UI_SHOWS(ui, k)};
        row->share = heap ? (double)row->bytes / (double)heap : 0;
        total->allocs += row->allocs;
    }
    total->bytes = heap;
    total->blocks = model->stats.live_blocks;
    total->delta = delta->total_bytes;
    total->share = heap ? 1 : 0;
    from->rows = t->row;
    from->count = LMP_KINDS;
    from->serial = ++t->serial; /* six rows: always treat them as changed */
    return true;
}

/* A table of six short rows is not stretched over a wide screen. The sum has the line below it. */
static Rect table_room(const Ui *ui, Rect rect) {
    int room = rect.w > 90 ? 90 : rect.w;
    (void)ui;
    if (rect.w >= 28) {
        rect.x++;
        room -= rect.w >= 46 ? 2 : 1;
    }
    if (rect.h > LMP_KINDS + 1) rect.h = rect.h > LMP_KINDS + 2 ? LMP_KINDS + 1 : rect.h - 1;
    return (Rect){rect.x, rect.y, room, rect.h};
}

static const TablePanelDef def = {
    .table = {.name = "Types",
              .column = columns,
              .columns = sizeof columns / sizeof *columns,
              .sort = 2,
              .id = id_of,
              .words = words_of,
              .heading = LMP_KINDS + 1,
              .no_cursor = true},
    .rows = rows,
    .room = table_room,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void *create(void) {
    return tablepanel_new(&def, sizeof(Types));
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    TableSource from;
    if (!tablepanel_draw(state, model, ui, canvas, rect, &from)) return;
    Rect room = table_room(ui, rect);
    if (room.h < rect.h)
        table_draw_row(&((Types *)state)->panel.table, &from, canvas, room, room.y + room.h,
                       LMP_KINDS);
}

/* A click on a row acts as its type's key; on the sum, as the key that shows all. */
static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    bool click = event.what == MOUSE_CLICK || event.what == MOUSE_DOUBLE;
    Types *t = state;
    if (tablepanel_mouse(state, model, ui, event, rect)) return true;
    if (!t || !click) return false;
    Rect room = table_room(ui, rect);
    int x = event.x - (room.x - rect.x), y = event.y - (room.y - rect.y);
    if (x < 0 || x >= room.w) return false;
    if (y == room.h && room.h < rect.h) {
        ui->kinds = (1u << LMP_KINDS) - 1;
        return true;
    }
    uint32_t row = table_row_at(&t->panel.table, y, room);
    if (row >= LMP_KINDS) return false;
    ui->kinds ^= 1u << row;
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Types *t = state;
    const char *dot = ui->utf8 ? "·" : "-";
    const LmpMark *mark = model->marks ? &model->mark[model->marks - 1] : NULL;
    char clock[LMP_NUM], name[48];
    if (t && t->panel.table.filter.used > 0) {
        table_note(&t->panel.table, ui, out, size);
    } else if (ui->kinds != (1u << LMP_KINDS) - 1) {
        snprintf(out, size, "filtered %s a shows all", dot);
    } else if (mark) {
        format_text(name, sizeof name, mark->name, !ui->utf8);
        snprintf(out, size, "since %s, %s", name[0] ? name : "mark",
                 format_clock(clock, mark->clock));
    } else {
        /* parts known only by rules (layout.h, owners_known) make the owners an estimate */
        const char *by = ui->by_tag            ? "by tag"
                         : model->owners_known ? "by owner"
                                               : "by owner (estimate)";
        snprintf(out, size, "%s", by);
    }
}

const Panel panel_types = {.title = "Types",
                           .about =
                               "The heap by the types of Lua. By owner, a table's array and hash "
                               "part count as table; v shows types as they were asked for.",
                           .table = tablepanel_table,
                           .number = 2,
                           .offers = {TABLE_OFFERS},
                           .min_w = 14,
                           .min_h = 3,
                           .create = create,
                           .destroy = tablepanel_free,
                           .draw = draw,
                           .act = tablepanel_act,
                           .mouse = mouse,
                           .note = note};
