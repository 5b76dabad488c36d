/* panel_members.c - single objects of a snapshot: those of a group, a suspect, a class that grew;
 * what each retains, where and when it was made, and what is in it. */
#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "snapshot/members_alike.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/tablepanel.h"

#define MOST 100000u /* listed, those that retain most */

typedef struct Members {
    TablePanel panel;
    uint64_t number;     /* of what was listed last */
    MembersAlike *alike; /* NULL: never chosen */
    uint64_t asked;
    uint32_t within; /* row of alike objects, plus one: the list has only these; 0: all */
} Members;

static const char *const by_words[] = {"object", "content", "keys"};
static const ByChoice choice = {by_words, 3, true};

static bool shows_groups(const Members *m) {
    return m->panel.by > 0 && m->alike && !m->within;
}

static uint32_t object_of(const TableSource *from, uint32_t row) {
    return ((const uint32_t *)from->rows)[row];
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Objects of unknown age come last. */
static double value_age(const TableSource *from, uint32_t row) {
    uint64_t born = snapshot_born(objectcell_col_whole(from), object_of(from, row));
    return born == UINT64_MAX ? NAN : -(double)born;
}
static double value_site(const TableSource *from, uint32_t row) {
    const LmpSnapshot *s = objectcell_col_whole(from);
    uint32_t site = s->site_of ? s->site_of[object_of(from, row)] : 0;
    return site ? (double)site : (double)NAN;
}
static const TableColumn columns[] = {
    {"retains", 10, 11, 0, .value = objectcell_col_retained, .look = LOOK_BYTES,
     .tone = TONE_STRONG, .help = "what would be freed without it"},
    {"size", 10, 11, 2, .value = objectcell_col_size, .look = LOOK_BYTES,
     .help = "its own bytes, with all its parts; nothing for what was there before the start"},
    {"age", 8, 8, 4, .cell = objectcell_col_age, .value = value_age,
     .help = "how long before the snapshot it was made", .hidden = objectcell_no_lines},
    {"line", 14, 20, 3, .align = TABLE_TAIL, .rising = true, .cell = objectcell_col_site,
     .value = value_site, .help = "the line that made it", .hidden = objectcell_no_lines},
    {"object", 20, 26, 1, .least = 8, .align = TABLE_LEFT, .rising = true,
     .cell = objectcell_col_name, .value = objectcell_col_class, .help = "what it is"},
    {"contents", 20, 30, 5, .align = TABLE_LEFT, .flex = true, .cell = objectcell_col_preview,
     .help = "what is in it, as far as it fits"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSnapshot *s = objectcell_col_whole(from);
    uint32_t object = object_of(from, row);
    char name[160], site[160], text[256];
    snprintf(out, size, "%s %s %s", snapshot_name(s, object, name, sizeof name),
             snapshot_site(s, object, site, sizeof site),
             snapshot_preview(s, object, text, sizeof text));
}

static bool rows(void *state, TableSource *from) {
    Members *m = state;
    const UiObjects *some = &from->ui->members;
    if (!from->model->heap || some->serial != from->model->heap->serial || !some->member)
        return false;
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

/* ---- panel ----------------------------------------------------------------------------------- */

static void end(void *state) {
    members_alike_free(((Members *)state)->alike);
}

/* Makes the groups of alike objects, if these are to be shown. */
static bool ready(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Members *m = state;
    OpenedSnapshot *heap = model->heap;
    if (m->number != ui->members.number) m->within = 0;
    bool some = ui->members.serial == heap->serial && ui->members.member;
    LmpLikeBy by = m->panel.by == 1 ? LMP_LIKE_CONTENT : LMP_LIKE_KEYS;
    if (!some || !shows_groups(m)) return true;
    if (!members_alike_made(m->alike, &ui->members, by) &&
        objectcell_wait(heap, &m->asked, ui->members.number * 2 + by, "by what is in them", ui,
                        canvas, tablepanel_room(&m->panel, ui, rect)))
        return false;
    if (opened_begin(heap)) members_alike_make(m->alike, &heap->now, &ui->members, by);
    opened_end(heap);
    return true;
}

static bool why(const TableSource *from, uint32_t row, Ui *ui) {
    ui_open_why(ui, from->model->heap, object_of(from, row));
    return true;
}

static void turn(void *state, int to) {
    Members *m = state;
    if (!m->alike) m->alike = members_alike_new();
    if (!m->alike) return;
    m->panel.by = to;
    m->within = 0;
}

/* Lists alike objects on enter, goes back on escape. Returns false for other actions. */
static bool act_alike(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Members *m = state;
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

static void *instead(void *state) {
    return shows_groups(state) ? ((Members *)state)->alike : NULL;
}

static const TablePanelDef def = {
    .table = {.name = "Members",
              TABLE_COLUMNS_OF(columns),
              .words = words_of,
              .empty = "no objects"},
    .rows = rows,
    .object = object_of,
    .enter = look_inside,
    .place = objectcell_col_place,
    .why = why,
    .choice = &choice,
    .turn = turn,
    .can = objectcell_can,
    .ready = ready,
    .act = act_alike,
    .instead = instead,
};

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Members *m = state;
    char count[LMP_NUM + 16], first[LMP_NUM];
    if (!m || !model->heap) return;
    bool groups = shows_groups(m) && m->alike->made;
    if (tablepanel_noted(groups ? &m->alike->panel : &m->panel, out, size)) return;
    if (groups) {
        members_alike_note(m->alike, &ui->members, out, size);
        return;
    }
    if (m->within) {
        const LmpLike *like = &m->alike->likes.row[m->within - 1];
        objectcell_objects(count, like->objects);
        snprintf(out, size, "%.80s · %s · esc back", like->name, count);
        return;
    }
    objectcell_objects(count, ui->members.count);
    if (ui->members.count > MOST)
        snprintf(out, size, "%.80s · the first %s of %s · esc back", ui->members.name,
                 format_count(first, MOST), count);
    else
        snprintf(out, size, "%.80s · %s · esc back", ui->members.name, count);
}

const Panel panel_members = {
    .title = "Single objects",
    .about = "Single objects of the snapshot, what they retain and what is in them. enter opens "
             "the page of one, w says why it is alive. left and right choose: strings of equal "
             "content, or "
             "tables with the same keys, in one line, of which enter lists the objects.",
    .all_types = true,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY},
    .def = &def,
    .size = sizeof(Members),
    .end = end,
    .note = note};
