/* panel_members.c - single objects of a snapshot: those of a group, a suspect, a class that grew;
 * what each retains, where and when it was made, and what is in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "heap/heap_open.h"
#include "heap/heapcell.h"
#include "heap/members_alike.h"
#include "widget/bychoice.h"
#include "widget/tablepanel.h"
#include "widget/tallycell.h"

#define MOST 100000u /* listed, those that retain most */

typedef struct Members {
    TablePanel panel;
    uint64_t number;     /* of what was listed last */
    int by;              /* by_words */
    MembersAlike *alike; /* NULL: never chosen */
    uint64_t asked;
    uint32_t within; /* row of alike objects, plus one: the list has only these; 0: all */
} Members;

static const char *const by_words[] = {"object", "content", "keys"};
static const ByChoice choice = {by_words, 3};

static bool shows_groups(const Members *m) {
    return m->by > 0 && m->alike && !m->within;
}

static uint32_t object_of(const TableSource *from, uint32_t row) {
    return ((const uint32_t *)from->rows)[row];
}

static const LmpSnapshot *heap_of(const TableSource *from) {
    return &from->model->heap->now;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void cell_retained(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, heap_of(from)->retained[object_of(from, row)], STYLE(TONE_STRONG));
}

static void cell_size(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, snapshot_counted(heap_of(from), object_of(from, row)), STYLE(TONE_TEXT));
}

static void cell_age(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    heapcell_age(heap_of(from), object_of(from, row), cell->text);
    cell->style = STYLE(TONE_MUTED);
}

static void cell_site(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    char text[TABLE_TEXT];
    (void)wide;
    snapshot_site(heap_of(from), object_of(from, row), text, sizeof text);
    format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
}

static void cell_name(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint32_t object = object_of(from, row);
    char text[TABLE_TEXT];
    (void)wide;
    snapshot_name(heap_of(from), object, text, sizeof text);
    format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
    cell->style = STYLE(heapcell_tone(heap_of(from), object));
}

static void cell_preview(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    char text[TABLE_TEXT];
    (void)wide;
    snapshot_preview(heap_of(from), object_of(from, row), text, sizeof text);
    format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
    cell->style = STYLE(TONE_SOURCE);
}

static double value_retained(const TableSource *from, uint32_t row) {
    return (double)heap_of(from)->retained[object_of(from, row)];
}
static double value_size(const TableSource *from, uint32_t row) {
    return (double)snapshot_counted(heap_of(from), object_of(from, row));
}
/* Objects of unknown age come last. */
static double value_age(const TableSource *from, uint32_t row) {
    uint64_t born = snapshot_born(heap_of(from), object_of(from, row));
    return born == UINT64_MAX ? NAN : -(double)born;
}
static double value_site(const TableSource *from, uint32_t row) {
    const LmpSnapshot *s = heap_of(from);
    uint32_t site = s->site_of ? s->site_of[object_of(from, row)] : 0;
    return site ? (double)site : (double)NAN;
}
static double value_class(const TableSource *from, uint32_t row) {
    return heap_of(from)->class_of[object_of(from, row)];
}

static const TableColumn columns[] = {
    {"retains", 10, 11, 0, .cell = cell_retained, .value = value_retained,
     .help = "what would be freed without it"},
    {"size", 10, 11, 2, .cell = cell_size, .value = value_size,
     .help = "its own bytes, with all its parts; nothing for what was there before the start"},
    {"age", 8, 8, 4, .cell = cell_age, .value = value_age,
     .help = "how long before the snapshot it was made", .hidden = heapcell_no_lines},
    {"line", 14, 20, 3, .align = TABLE_TAIL, .rising = true, .cell = cell_site, .value = value_site,
     .help = "the line that made it", .hidden = heapcell_no_lines},
    {"object", 20, 26, 1, .least = 8, .align = TABLE_LEFT, .rising = true, .cell = cell_name,
     .value = value_class, .help = "what it is"},
    {"contents", 20, 30, 5, .align = TABLE_LEFT, .flex = true, .cell = cell_preview,
     .help = "what is in it, as far as it fits"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return object_of(from, row);
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSnapshot *s = heap_of(from);
    uint32_t object = object_of(from, row);
    char name[160], site[160], text[256];
    snprintf(out, size, "%s %s %s", snapshot_name(s, object, name, sizeof name),
             snapshot_site(s, object, site, sizeof site),
             snapshot_preview(s, object, text, sizeof text));
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    Members *m = state;
    const UiObjects *some = &ui->members;
    if (!model->heap || some->serial != model->heap->serial || !some->member) return false;
    if (m->number != some->number) {
        m->number = some->number;
        m->within = 0;
        tablepanel_reset(&m->panel);
    }
    if (m->within && m->alike->made && m->within <= m->alike->likes.rows) {
        const LmpLike *like = &m->alike->likes.row[m->within - 1];
        from->rows = m->alike->likes.member + like->first;
        from->count = like->objects < MOST ? like->objects : MOST;
        from->serial = some->number << 32 | m->within;
        return true;
    }
    from->rows = some->member;
    from->count = some->count < MOST ? some->count : MOST;
    from->serial = some->number << 32;
    return true;
}

static bool look_inside(const TableSource *from, uint32_t row, Ui *ui) {
    ui_open_object(ui, object_of(from, row));
    return true;
}

static bool place(const TableSource *from, uint32_t row, PanelPlace *out) {
    return heapcell_place(heap_of(from), object_of(from, row), out);
}

static Rect room(const Ui *ui, Rect rect) {
    (void)ui;
    return bychoice_below(rect);
}

static const TablePanelDef def = {
    .table = {.name = "Members",
              .column = columns,
              .columns = sizeof columns / sizeof *columns,
              .id = id_of,
              .words = words_of,
              .empty = "no objects"},
    .rows = rows,
    .room = room,
    .enter = look_inside,
    .place = place,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void *create(void) {
    return tablepanel_new(&def, sizeof(Members));
}

static void destroy(void *state) {
    Members *m = state;
    if (m) members_alike_free(m->alike);
    tablepanel_free(m);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Members *m = state;
    TableSource from;
    OpenedHeap *heap = heapcell_heap(model, canvas, rect);
    if (!heap || !m || rect.h <= 0) return;
    int x = bychoice_draw(&choice, m->by, canvas, rect) + 1;
    if (rect.h >= BYCHOICE_ROOM && rect.w > x + 16)
        canvas_text(canvas, rect.x + x, rect.y, rect.w - x, STYLE(TONE_MUTED),
                    ui->utf8 ? "← →" : "left, right");
    if (m->number != ui->members.number) m->within = 0;
    bool some = ui->members.serial == heap->serial && ui->members.member;
    LmpLikeBy by = m->by == 1 ? LMP_LIKE_CONTENT : LMP_LIKE_KEYS;
    bool groups = some && shows_groups(m);
    if (groups && !members_alike_made(m->alike, &ui->members, by) &&
        heapcell_wait(heap, &m->asked, ui->members.number * 2 + by, "by what is in them", ui,
                      canvas, bychoice_below(rect)))
        return;
    bool alike =
        groups && opened_begin(heap) && members_alike_make(m->alike, &heap->now, &ui->members, by);
    if (groups) opened_end(heap);
    if (alike)
        tablepanel_draw(m->alike, model, ui, canvas, rect, &from);
    else
        tablepanel_draw(m, model, ui, canvas, rect, &from);
}

static void turn(Members *m, int to) {
    if (!m->alike) m->alike = members_alike_new();
    if (!m->alike) return;
    m->by = to;
    m->within = 0;
}

/* Lists alike objects on enter, goes back on escape. Returns false for other actions. */
static bool act_alike(Members *m, const Model *model, Ui *ui, Action action, Rect rect) {
    if (action == ACT_BACK && m->within) {
        m->within = 0;
        return true;
    }
    if (!shows_groups(m)) return false;
    m->alike->entered = 0;
    bool done = tablepanel_act(m->alike, model, ui, action, rect);
    if (m->alike->entered) {
        m->within = m->alike->entered;
        table_to_top(&m->panel.table);
    }
    return done;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Members *m = state;
    TableSource from;
    int to = bychoice_act(&choice, m->by, action);
    if (to >= 0 && model->heap) {
        turn(m, to);
        return true;
    }
    if (act_alike(m, model, ui, action, rect)) return true;
    if (shows_groups(m)) return false;
    if (action != ACT_WHY) return tablepanel_act(state, model, ui, action, rect);
    if (!tablepanel_fill(state, model, ui, &from)) return false;
    uint32_t row = table_selected(&m->panel.table);
    if (row == TABLE_NONE) return false;
    ui_open_why(ui, model->heap, object_of(&from, row));
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Members *m = state;
    int to = m->by;
    if (!bychoice_mouse(&choice, &to, event, rect))
        return tablepanel_mouse(shows_groups(m) ? (void *)m->alike : state, model, ui, event, rect);
    if (to != m->by) turn(m, to);
    return true;
}

static struct Table *table(void *state) {
    Members *m = state;
    return tablepanel_table(m && shows_groups(m) ? (void *)m->alike : state);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Members *m = state;
    char count[LMP_NUM + 16], first[LMP_NUM];
    const char *dot = ui->utf8 ? "·" : "-";
    if (!m || !model->heap) return;
    bool groups = shows_groups(m) && m->alike->made;
    table_note(groups ? &m->alike->panel.table : &m->panel.table, ui, out, size);
    if (out[0]) return;
    if (groups) {
        members_alike_note(m->alike, &ui->members, ui, out, size);
        return;
    }
    if (m->within) {
        const LmpLike *like = &m->alike->likes.row[m->within - 1];
        heapcell_objects(count, like->objects);
        snprintf(out, size, "%.80s %s %s %s esc back", like->name, dot, count, dot);
        return;
    }
    heapcell_objects(count, ui->members.count);
    if (ui->members.count > MOST)
        snprintf(out, size, "%.80s %s the first %s of %s %s esc back", ui->members.name, dot,
                 format_count(first, MOST), count, dot);
    else
        snprintf(out, size, "%.80s %s %s %s esc back", ui->members.name, dot, count, dot);
}

const Panel panel_members = {
    .title = "Single objects",
    .about = "Single objects of the snapshot, what they retain and what is in them. enter opens "
             "the page of one, w says why it is alive. left and right choose: strings of equal "
             "content, or "
             "tables with the same keys, in one line, of which enter lists the objects.",
    .all_types = true,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY},
    .min_w = 14,
    .min_h = 3,
    .table = table,
    .create = create,
    .destroy = destroy,
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note,
    .place = tablepanel_place};
