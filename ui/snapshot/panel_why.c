/* panel_why.c - why an object is alive: paths from the root down, with the one reference to cut and
 * what that frees; x leaves a holder out and finds the next path. For many objects: the shapes of
 * their paths, most objects first. */
#include <stdio.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/proof.h"
#include "snapshot/snapshot_pages.h"
#include "snapshot/why_rows.h"

#define IGNORED 32
#define BYTES 11 /* columns of what is retained */

typedef struct Why {
    uint64_t number; /* of what this is about (UiObjects) */
    WhyRows rows;
    uint32_t ignored[IGNORED];
    uint32_t ignores;
    bool missing; /* the snapshot does not have what was asked for */
    char wished[160];
} Why;

static void end(void *state) {
    Why *w = state;
    why_rows_free(&w->rows);
}

/* ---- what it is about ------------------------------------------------------------------------ */

/* Finds in the snapshot what a panel of the program has asked for. */
static void take_wish(Why *w, OpenedSnapshot *heap, Ui *ui) {
    UiWish wish = ui->wish;
    if (wish.what == WISH_NOTHING) return;
    ui->wish.what = WISH_NOTHING;
    w->missing = false;
    if (wish.what == WISH_BLOCK) {
        uint32_t object = snapshot_at(&heap->now, wish.addr);
        snprintf(w->wished, sizeof w->wished, "The block at 0x%llx", (unsigned long long)wish.addr);
        w->missing = object == LMP_OBJECT_NONE;
        if (!w->missing) ui_open_why(ui, heap, object);
        return;
    }
    const LmpObjectGroup *group = proof_group(heap, wish.line);
    snprintf(w->wished, sizeof w->wished, "What %.120s has made", wish.line);
    w->missing = !group;
    if (!group) return;
    UiProof proof;
    if (wish.site && proof_make(heap, group, &wish, &proof)) proof_keep(ui, &proof);
    ui_open_why_of(ui, heap, opened_groups(heap, LMP_BY_LINE)->member + group->first,
                   group->objects, group->name);
}

/* Finds the paths if the page is about something new. Returns false: there is nothing to show. */
static bool sync(Why *w, OpenedSnapshot *heap, Ui *ui) {
    take_wish(w, heap, ui);
    const UiObjects *about = &ui->why;
    if (w->missing || about->serial != heap->serial) return false;
    if (!about->member && about->object >= heap->now.g.objects) return false;
    if (w->number == about->number) return true;
    w->number = about->number;
    w->ignores = 0;
    return why_rows_make(&w->rows, &heap->now, about, w->ignored, w->ignores);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_object(const Why *w, const LmpSnapshot *s, const UiObjects *about, Canvas *canvas,
                        Rect rect) {
    char name[300], site[160], bytes[LMP_NUM], age[LMP_NUM];
    uint32_t i = about->object;
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    snapshot_name(s, i, name, sizeof name);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE_BOLD(objectcell_tone(s, i)), name);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_MUTED), "  retains ");
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_STRONG),
                     format_bytes(bytes, s->retained[i]));
    snapshot_site(s, i, site, sizeof site);
    if (site[0])
        x += canvas_printf(canvas, x, rect.y, right - x, STYLE(TONE_MUTED), "  made by %s", site);
    if (objectcell_age(s, i, age)[0])
        canvas_printf(canvas, x, rect.y, right - x, STYLE(TONE_MUTED), ", %s before", age);
    char words[200];
    why_rows_held(&w->rows, words, sizeof words);
    x = rect.x + 1;
    x += canvas_text(canvas, x, rect.y + 1, right - x, STYLE(TONE_TEXT), words);
    if (w->ignores > 0)
        canvas_printf(canvas, x, rect.y + 1, right - x, STYLE(TONE_PAUSED),
                      "  without %u holder%s; esc: with all", w->ignores,
                      w->ignores == 1 ? "" : "s");
}

static void draw_many(const Why *w, const UiObjects *about, Canvas *canvas, Rect rect) {
    char count[LMP_NUM + 16], words[200];
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    x += canvas_text(canvas, x, rect.y, right - x, STYLE_BOLD(TONE_STRONG), about->name);
    canvas_printf(canvas, x, rect.y, right - x, STYLE(TONE_MUTED), "  %s",
                  objectcell_objects(count, about->count));
    why_rows_held(&w->rows, words, sizeof words);
    canvas_text(canvas, rect.x + 1, rect.y + 1, right - rect.x - 1, STYLE(TONE_TEXT), words);
}

/* Returns the room of the paths, below two lines. */
static Rect list_of(Rect rect) {
    int above = rect.h >= 6 ? 3 : rect.h >= 4 ? 2 : 0;
    return (Rect){rect.x, rect.y + above, rect.w, rect.h - above};
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Why *w = state;
    OpenedSnapshot *heap = objectcell_opened(model, canvas, rect);
    if (!w || !heap || rect.w <= 0 || rect.h <= 0) return;
    if (!sync(w, heap, ui)) {
        canvas_printf(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_TEXT),
                      w->missing ? "%s is not in this snapshot." : "There is nothing to explain.",
                      w->wished);
        if (w->missing)
            canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_MUTED),
                        "It was made since, or is gone: S takes a new snapshot and asks that.");
        return;
    }
    Rect list = list_of(rect);
    if (list.h < rect.h && ui->why.member)
        draw_many(w, &ui->why, canvas, rect);
    else if (list.h < rect.h)
        draw_object(w, &heap->now, &ui->why, canvas, rect);
    if (list.y - rect.y == 3 && w->rows.rows > 0)
        why_rows_titles(&w->rows, canvas, rect, list.y - 1);
    why_rows_draw(&w->rows, &heap->now, ui, canvas, list);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static void again(Why *w, const OpenedSnapshot *heap, const Ui *ui) {
    why_rows_make(&w->rows, &heap->now, &ui->why, w->ignored, w->ignores);
}

/* Leaves out the holder under the cursor: what the step leads to, or if that is the object itself,
 * who has the reference. */
static bool ignore(Why *w, OpenedSnapshot *heap, Ui *ui) {
    uint32_t holder = why_rows_holder(&w->rows, ui->why.object);
    if (ui->why.member) {
        ui_say(ui, "x leaves out a holder of one object: enter opens one");
    } else if (holder == LMP_OBJECT_NONE || holder == 0) {
        ui_say(ui, "x leaves out the holder under the cursor; there is none");
    } else if (w->ignores == IGNORED) {
        ui_say(ui, "No more than %d holders can be left out", IGNORED);
    } else {
        w->ignored[w->ignores++] = holder;
        again(w, heap, ui);
    }
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Why *w = state;
    if (!w || !model->heap) return false;
    if (!sync(w, model->heap, ui)) {
        if (action == ACT_BACK) w->missing = false;
        return false;
    }
    if (action == ACT_UNMARK) return ignore(w, model->heap, ui);
    if (action == ACT_BACK && w->ignores > 0) {
        w->ignores = 0;
        again(w, model->heap, ui);
        return true;
    }
    uint32_t object = why_rows_object(&w->rows);
    if (action == ACT_ENTER || action == ACT_WHY) {
        if (object == LMP_OBJECT_NONE || object == 0) return true;
        if (ui->why.member || action == ACT_WHY)
            ui_open_why(ui, model->heap, object);
        else
            ui_open_object(ui, object);
        return true;
    }
    return why_rows_act(&w->rows, action, list_of(rect).h);
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    (void)ui;
    Why *w = state;
    if (!w || !model->heap) return false;
    Rect list = list_of(rect);
    if (event.what == MOUSE_WHEEL_UP || event.what == MOUSE_WHEEL_DOWN) return false;
    why_rows_choose_line(&w->rows, event.y - (list.y - rect.y));
    return event.what == MOUSE_CLICK;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)ui;
    const Why *w = state;
    if (!w || !model->heap) return false;
    uint32_t object = why_rows_code(&w->rows, &model->heap->now);
    return object != LMP_OBJECT_NONE && objectcell_place(&model->heap->now, object, out);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Why *w = state;
    if (!w || !model->heap) return;
    if (ui->why.member)
        snprintf(out, size, "how they are held · enter: one of them · esc back");
    else
        snprintf(out, size, "x leaves out a holder · enter: look inside · esc back");
}

const Panel panel_why = {
    .title = "Why it is alive",
    .about = "The paths by which the root holds an object, from the root down, each step with what "
             "it retains. The marked reference is the one to cut. x leaves out the holder under "
             "the cursor and finds the next path. Of many objects: how their paths go.",
    .all_types = true,
    .offers = {ACT_ENTER, ACT_UNMARK, ACT_EDIT, ACT_WHY},
    .size = sizeof(Why),
    PANEL_OWN_CALLS};
