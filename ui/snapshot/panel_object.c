/* panel_object.c - the page of one object: what it is, how large, how old, where it was made, and
 * its references: those that it has (what it holds), or those to it (who holds it). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/tablepanel.h"

#define ABOVE 4      /* lines above the table */
#define MOST 200000u /* references listed */

typedef struct Object {
    TablePanel panel;
    uint64_t serial;
    uint32_t object;
    bool inwards;         /* shows references to the object */
    uint32_t *edge, *end; /* the references shown, and the object at the other end of each */
    uint32_t count, room;
    uint64_t rows_serial;
} Object;

static const Object *page_of(const TableSource *from) {
    return from->rows;
}

static uint32_t end_of(const TableSource *from, uint32_t row) {
    return page_of(from)->end[row];
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Writes the reference, and whether it holds anything. */
static void cell_step(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpSnapshot *s = objectcell_col_whole(from);
    const Object *page = page_of(from);
    uint32_t edge = page->edge[row], source = page->inwards ? page->end[row] : page->object;
    char text[TABLE_TEXT];
    snapshot_step(s, source, edge, text, sizeof text);
    format_text(cell->text, sizeof cell->text, text + strspn(text, " "), !from->ui->utf8);
    bool weak = (s->g.edge_kind[edge] & LMP_EDGE_WEAK) != 0;
    if (weak) snprintf(cell->kind, sizeof cell->kind, "weak");
    cell->style = STYLE(weak ? TONE_MUTED : TONE_SOURCE);
}

/* The interpreter's order: arrays from the first entry on. */
static double value_order(const TableSource *from, uint32_t row) {
    return page_of(from)->edge[row];
}

static const TableColumn columns[] = {
    {"retains", 10, 11, 1, .value = objectcell_col_retained, .look = LOOK_BYTES,
     .tone = TONE_STRONG, .help = "what would be freed without the object at the other end"},
    {"size", 10, 11, 3, .value = objectcell_col_size, .look = LOOK_BYTES, .help = "its own bytes"},
    {"reference", 16, 30, 0, .align = TABLE_LEFT, .rising = true, .cell = cell_step,
     .value = value_order, .help = "key, upvalue, local ...; a weak one holds nothing"},
    {"object", 16, 30, 0, .least = 8, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = objectcell_col_name, .value = objectcell_col_class,
     .help = "the object at the other end"},
    {"line", 14, 26, 4, .align = TABLE_TAIL, .cell = objectcell_col_site,
     .help = "the line that made it", .hidden = objectcell_no_lines},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return page_of(from)->edge[row];
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    TableCell step = {0}, name = {0};
    cell_step(from, row, &step);
    objectcell_col_name(from, row, &name);
    snprintf(out, size, "%s %s", step.text, name.text);
}

static void list(Object *o, const LmpSnapshot *s) {
    uint32_t first = o->inwards ? s->in_at[o->object] : s->g.edge_at[o->object];
    uint32_t end = o->inwards ? s->in_at[o->object + 1] : s->g.edge_at[o->object + 1];
    uint32_t want = end - first < MOST ? end - first : MOST;
    if (want > o->room) {
        free(o->edge);
        free(o->end);
        o->edge = malloc(want * sizeof *o->edge);
        o->end = malloc(want * sizeof *o->end);
        o->room = o->edge && o->end ? want : 0;
        if (!o->room) want = 0;
    }
    for (uint32_t i = 0; i < want; i++) {
        o->edge[i] = o->inwards ? s->in[first + i] : first + i;
        o->end[i] = o->inwards ? s->in_from[first + i] : s->g.edge_to[first + i];
    }
    o->count = want;
    o->rows_serial++;
}

static bool rows(void *state, TableSource *from) {
    Object *o = state;
    if (!from->model->heap || from->ui->object >= from->model->heap->now.g.objects) return false;
    if (o->serial != from->model->heap->serial || o->object != from->ui->object) {
        o->serial = from->model->heap->serial;
        o->object = from->ui->object;
        o->inwards = false;
        list(o, &from->model->heap->now);
        tablepanel_reset(&o->panel);
    }
    from->rows = o;
    from->count = o->count;
    from->serial = o->rows_serial;
    return true;
}

static bool look_inside(const TableSource *from, uint32_t row, Ui *ui) {
    ui->object = end_of(from, row); /* opens that page in the place of this one */
    return true;
}

/* ---- panel ----------------------------------------------------------------------------------- */

static void end(void *state) {
    Object *o = state;
    free(o->edge);
    free(o->end);
}

static void around(void *state, const TableSource *from, Ui *ui, Canvas *canvas, Rect rect) {
    const Object *o = state;
    const LmpSnapshot *s = objectcell_col_whole(from);
    char text[512], site[160], size[LMP_NUM], held[LMP_NUM], age[LMP_NUM];
    uint32_t i = o->object;
    int x = rect.x + 1, w = rect.w - 2;
    if (tablepanel_room(&o->panel, ui, rect).h == rect.h) return;
    snapshot_name(s, i, text, sizeof text);
    int used = canvas_text(canvas, x, rect.y, w, STYLE_BOLD(objectcell_tone(s, i)), text);
    snapshot_preview(s, i, text, sizeof text);
    if (used + 4 < w)
        canvas_text(canvas, x + used + 2, rect.y, w - used - 2, STYLE(TONE_SOURCE), text);
    snapshot_site(s, i, site, sizeof site);
    bool before = (s->g.flags[i] & LMP_OBJECT_BEFORE) != 0;
    bool outside = s->g.kind[i] == LMP_OBJECT_STRING && s->g.flags[i] & LMP_OBJECT_OUTSIDE;
    PageFigure figures[] = {
        {"retains ", format_bytes(held, s->retained[i])},
        {before ? "size by layout " : "size ", format_bytes(size, s->g.size[i])},
        {"made by ", site},
        {"age ", objectcell_age(s, i, age)},
        {"", before ? "from before the start" : ""},
        {"", outside ? "its bytes are outside of Lua's memory" : ""},
        {"", snapshot_garbage(s, i) ? "garbage: waits for the collector" : ""},
    };
    tablepanel_draw_figures(canvas, x, x + w, rect.y + 1, figures,
                            sizeof figures / sizeof *figures);
    objectcell_path(s, i, text, sizeof text);
    canvas_tail(canvas, x, rect.y + 2, w, STYLE(TONE_TEXT), STYLE(TONE_MUTED), text);
    uint32_t out = s->g.edge_at[i + 1] - s->g.edge_at[i], in = s->in_at[i + 1] - s->in_at[i];
    Style on = STYLE(TONE_ACCENT), off = STYLE(TONE_TEXT);
    char count[LMP_NUM];
    used = canvas_printf(canvas, x, rect.y + 3, w, o->inwards ? off : on, "refers to %s",
                         format_short(count, out));
    used += 3;
    used += canvas_printf(canvas, x + used, rect.y + 3, w - used, o->inwards ? on : off,
                          "referred to by %s", format_short(count, in));
    if (w - used > 14)
        canvas_text(canvas, x + used + 3, rect.y + 3, w - used - 3, STYLE(TONE_MUTED),
                    ui->utf8 ? "← →" : "left, right");
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect;
    Object *o = state;
    TableSource from;
    bool turns = action == ACT_LEFT || action == ACT_RIGHT;
    if ((!turns && action != ACT_WHY) || !tablepanel_fill(state, model, ui, &from)) return false;
    if (action == ACT_WHY) {
        ui_open_why(ui, model->heap, o->object);
        return true;
    }
    o->inwards = !o->inwards;
    list(o, &model->heap->now);
    table_to_top(&o->panel.table);
    return true;
}

static const TablePanelDef def = {
    .table = {.name = "Object",
              TABLE_COLUMNS_OF(columns),
              .id = id_of,
              .words = words_of,
              .empty = "no references"},
    .rows = rows,
    .above = ABOVE,
    .object = end_of,
    .act = act,
    .can = objectcell_can,
    .around = around,
    .enter = look_inside,
};

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)state;
    return model->heap && ui->object < model->heap->now.g.objects &&
           objectcell_place(&model->heap->now, ui->object, out);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Object *o = state;
    if (!o || !model->heap || o->object >= model->heap->now.g.objects) return;
    if (!tablepanel_noted(&o->panel, out, size))
        snprintf(out, size, "0x%llx · w why it is alive · esc back",
                 (unsigned long long)model->heap->now.g.addr[o->object]);
}

const Panel panel_object = {
    .title = "Object",
    .about = "One object: what it is, and its references; left and right choose between those "
             "that it has and those to it. enter goes to the object at the other end.",
    .all_types = true,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY},
    .def = &def,
    .size = sizeof(Object),
    .end = end,
    .note = note,
    .place = place};
