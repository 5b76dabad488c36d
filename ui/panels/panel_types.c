/* panel_types.c - the table of types: how much of each lives and how that changes, or how much of
 * each is made. */
#include "base/format.h"
#include "widget/describe.h"
#include "widget/tablepanel.h"

/* One line of the table: a kind, or their sum. */
typedef struct TypesRow {
    const char *name;
    uint32_t letter; /* the key that hides and shows it; 0: the sum */
    Style style;
    LmpTally tally; /* exact; how blocks ended is not known by type */
    int64_t delta;  /* of live bytes: a second, since the mark, or on average over the run */
    int64_t made;   /* the same of bytes made */
    bool shown;     /* not filtered out */
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

static const LmpTally *tally_of(const TableSource *from, uint32_t row) {
    return &row_of(from, row)->tally;
}

/* In a range the column is not sorted by, as others are. */
static void cell_live(const TableSource *from, uint32_t i, TableCell *cell) {
    shownfigure_cell(&shown_figure[M_LIVE], from, i, tally_of(from, i), cell);
    cell->style = STYLE(TONE_TEXT);
}

static void cell_rate(const TableSource *from, uint32_t i, TableCell *cell) {
    int64_t made = row_of(from, i)->made;
    if (from->model->against.name)
        format_delta_bytes(cell->text, made);
    else
        format_bytes(cell->text, made > 0 ? (uint64_t)made : 0);
    bool shrinks = made < 0 && from->model->against.name;
    cell->style = STYLE(shrinks                                 ? TONE_SHRINK
                        : made > 0 && from->model->against.name ? TONE_GROWTH
                        : made > 0                              ? TONE_TEXT
                                                                : TONE_FAINT);
}

/* Hidden types are grey, the sum stands out; a tally's figures are lit even where they are zero. */
static void dress(const TableSource *from, uint32_t i, const TableColumn *column, TableCell *cell) {
    const TypesRow *row = row_of(from, i);
    bool lit = column->shown_figure || column->cell == tallycell_col_share ||
               cell->style == STYLE(TONE_TEXT);
    if (!row->shown)
        cell->style = STYLE(TONE_FAINT);
    else if (lit)
        cell->style = STYLE(column->tone || !row->letter ? TONE_STRONG : TONE_TEXT);
}

/* In a range, what was made and has not grown was freed. */
static double value_freed(const TableSource *from, uint32_t i) {
    const TypesRow *row = row_of(from, i);
    return row->made > row->delta ? (double)(row->made - row->delta) : 0;
}

/* Returns the heading for a mark: it counts for types even if tables of lines cannot count from it
 * (model->marked). */
static const char *heading(const TableSource *from, const ShownFigure *m) {
    if (from->model->against.name)
        return shownfigure_word(m == &shown_figure[M_CHANGE] ? "Δ live" : "Δ made", from->ui->utf8);
    if (m == &shown_figure[M_CHANGE] && from->model->since.now) return "net";
    const char *title = from->model->marked               ? m->marked
                        : shownfigure_is_now(from->model) ? m->title
                                                          : m->mean;
    return shownfigure_word(title, from->ui->utf8);
}
static const char *delta_heading(const TableSource *from) {
    return heading(from, &shown_figure[M_CHANGE]);
}
static const char *rate_heading(const TableSource *from) {
    return heading(from, &shown_figure[M_RATE]);
}

/* For TableColumn.hidden: survivors are known by type even if not by line. */
static bool not_since(const TableSource *from) {
    return !from->model->since.shown;
}

enum { COL_LETTER, COL_TYPE, COL_SINCE, COL_SINCE_BLOCKS, COL_LIVE, COL_MADE, COL_ALLOCATED };

static const TableColumn columns[] = {
    [COL_LETTER] = {"", 4, 4, 0, .align = TABLE_LEFT, .paint = paint_letter},
    [COL_TYPE] = {"type", 9, 9, 1, .align = TABLE_LEFT, .rising = true, .paint = paint_name,
                  FIELD(TypesRow, name),
                  .help = "its letter is the key that shows or hides it everywhere"},
    [COL_SINCE] = {NULL, 10, 11, 0, .shown_figure = &shown_figure[M_SURVIVE], .tone = TONE_STRONG,
                   .hidden = not_since},
    [COL_SINCE_BLOCKS] = {NULL, 11, 12, 1, .shown_figure = &shown_figure[M_SURVIVORS],
                          .hidden = not_since},
    [COL_LIVE] = {"live", 10, 11, 0, HOLDS_NOW(M_LIVE), .tone = TONE_STRONG,
                  .help = "bytes that are allocated now, as Lua asked for them"},
    [COL_MADE] = {"made", 10, 11, 0, MAKES_NOW(M_MADE), .tone = TONE_STRONG,
                  .help = "all bytes that ever were allocated, growth of blocks included"},
    [COL_ALLOCATED] = {"allocated", 11, 12, 0, .cell = cell_rate, FIELD(TypesRow, made),
                       .hidden = shownfigure_no_range, .help = RANGE_MADE_HELP},
    {"%", 5, 6, 2, .cell = tallycell_col_share, .help = SHARE_HELP, .hidden = shownfigure_range},
    {"freed", 10, 11, 1, .value = value_freed, .look = LOOK_BYTES, .hidden = shownfigure_no_range,
     .help = "in a range of time: bytes freed in it"},
    {"grew", 11, 12, 1, FIGURE(TypesRow, delta, LOOK_CHANGE), .hidden = shownfigure_no_range,
     .help = RANGE_GREW_HELP},
    {"live", 10, 11, 3, .mode = TABLE_HOLDS, .cell = cell_live, .tone = TONE_STRONG,
     .hidden = shownfigure_no_range, .help = "in a range of time: bytes live at its end"},
    {"blocks", 7, 12, 4, HOLDS(M_BLOCKS), .help = "blocks that are allocated now"},
    {"allocs", 7, 15, 5, HOLDS(M_ALLOCS), .help = "allocations since the start"},
    {"Δ/s", 11, 12, 3, .mode = TABLE_HOLDS, FIGURE(TypesRow, delta, LOOK_CHANGE),
     .heading = delta_heading, .hidden = shownfigure_range,
     .help = "what live bytes change by a second, or have since the mark"},
    {"made/s", 11, 12, 3, .mode = TABLE_MAKES, .cell = cell_rate, FIELD(TypesRow, made),
     .heading = rate_heading, .hidden = shownfigure_range,
     .help = "bytes made a second, or since the mark"},
    {"allocs", 7, 15, 4, MAKES(M_ALLOCS), .help = "allocations since the start"},
    {"each", 9, 10, 6, MAKES(M_EACH), .help = "bytes made for an allocation, on average"},
    {"per cycle", 10, 11, 7, MAKES(M_PER_CYCLE),
     .help = "bytes made between two cycles of the collector"},
};

/* Returns a second's change, or since the mark; for a program that stands still the average over
 * its run. */
static int64_t change_of(const Model *model, int64_t marked, int64_t a_second, uint64_t all) {
    if (model->marked) return marked;
    if (shownfigure_is_now(model)) return a_second;
    return model->clock ? (int64_t)((double)all / ((double)model->clock / 1e9)) : 0;
}

/* Fills in the figures of a type, or with k LMP_KINDS of all. */
static void fill_row(TypesRow *row, const Model *model, bool by_tag, int k) {
    const LmpStats *stats = &model->stats;
    const ModelDelta *mark = &model->since_mark, *now = &model->per_s;
    const LmpKindStats *kind = k < LMP_KINDS ? &stats->kind[k] : NULL;
    LmpTally *t = &row->tally;
    uint64_t made;
    if (!kind) {
        t->live_bytes = stats->live_bytes; /* NOLINT: a panel always has a model */
        t->live_blocks = stats->live_blocks;
        t->allocs = stats->mallocs;
        made = stats->live_bytes + stats->free_bytes;
        row->delta = change_of(model, mark->total_bytes, now->total_bytes, t->live_bytes);
        row->made = change_of(model, mark->total_made, now->total_made, made);
    } else {
        t->live_bytes = by_tag ? kind->tag_live_bytes : kind->live_bytes;
        t->live_blocks = by_tag ? kind->tag_live_blocks : kind->live_blocks;
        t->allocs = by_tag ? kind->tag_allocs : kind->allocs;
        made = by_tag ? kind->tag_made_bytes : kind->made_bytes;
        row->delta = change_of(model, by_tag ? mark->tag_bytes[k] : mark->bytes[k],
                               by_tag ? now->tag_bytes[k] : now->bytes[k], t->live_bytes);
        row->made = change_of(model, by_tag ? mark->tag_made[k] : mark->made[k],
                              by_tag ? now->tag_made[k] : now->made[k], made);
    }
    t->free_bytes = made > t->live_bytes ? made - t->live_bytes : 0;
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        const LedgerLives *lives = &model->since.of_class[cls];
        if (kind && (by_tag ? class_tag(cls) : class_owner(cls)) != (LmpKind)k) continue;
        t->since.blocks += lives->blocks;
        t->since.bytes += lives->bytes;
    }
}

static bool rows(void *state, TableSource *from) {
    Types *t = state;
    for (int k = 0; k < LMP_KINDS; k++) {
        t->row[k] = (TypesRow){.name = kind_info[k].name,
                               .letter = (unsigned char)kind_info[k].letter,
                               .style = STYLE(TONE_KIND(k)),
                               .shown = UI_SHOWS(from->ui, k)};
        fill_row(&t->row[k], from->model, from->ui->by_tag, k);
    }
    TypesRow *total = &t->row[LMP_KINDS];
    *total = (TypesRow){.name = "total", .style = STYLE(TONE_STRONG), .shown = true};
    fill_row(total, from->model, from->ui->by_tag, LMP_KINDS);
    from->whole = &total->tally;
    from->rows = t->row;
    from->count = LMP_KINDS;
    from->serial = ++t->serial; /* six rows: always treat them as changed */
    return true;
}

/* Keeps a table of six short rows narrow on a wide screen. The sum has the line below it. */
static Rect table_room(const Ui *ui, Rect rect) {
    (void)ui;
    int room = rect.w > 90 ? 90 : rect.w;
    if (rect.w >= 28) {
        rect.x++;
        room -= rect.w >= 46 ? 2 : 1;
    }
    if (rect.h > LMP_KINDS + 1) rect.h = rect.h > LMP_KINDS + 2 ? LMP_KINDS + 1 : rect.h - 1;
    return (Rect){rect.x, rect.y, room, rect.h};
}

static const TablePanelDef def = {
    .table = {.name = "Types",
              TABLE_COLUMNS_OF(columns),
              .sort = COL_LIVE,
              .sort_makes = COL_MADE,
              .sort_range = COL_ALLOCATED,
              .sort_since = COL_SINCE,
              .heading = LMP_KINDS + 1,
              .no_cursor = true},
    .rows = rows,
    .room = table_room,
    .tally = tally_of,
    .row_size = sizeof(TypesRow),
    .dress = dress,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    TableSource from;
    if (!tablepanel_draw(state, model, ui, canvas, rect, &from)) return;
    Rect room = table_room(ui, rect);
    if (room.h < rect.h)
        table_draw_row(&((Types *)state)->panel.table, &from, canvas, room, room.y + room.h,
                       LMP_KINDS);
}

/* Makes a click on a row act as its type's key; on the sum, as the key that shows all. */
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
    const LmpMark *mark = model->marks ? &model->mark[model->marks - 1] : NULL;
    char clock[LMP_NUM], name[48], range[2 * LMP_NUM];
    if (t && t->panel.table.filter.used > 0) {
        table_note(&t->panel.table, out, size);
    } else if (ui->kinds != (1u << LMP_KINDS) - 1) {
        snprintf(out, size, "filtered · a shows all");
    } else if (model->against.name) {
        snprintf(out, size, "less %s", model->against.name);
    } else if (ui->time.range) {
        snprintf(out, size, "in %s",
                 describe_range(range, sizeof range, ui->time.from, ui->time.to, !ui->utf8));
    } else if (model->since.on && !model->since.now) {
        snprintf(
            out, size, "made in %s",
            describe_range(range, sizeof range, model->since.from, model->since.to, !ui->utf8));
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
                               "part count as table; v shows types as they were asked for. G "
                               "turns from what lives to what is made.",
                           .number = 2,
                           .offers = {TABLE_OFFERS_MAKES},
                           .def = &def,
                           .size = sizeof(Types),
                           .draw = draw,
                           .mouse = mouse,
                           .note = note};
