/* panel_held.c - the first page of a snapshot: what holds most, in sentences with their path, most
 * bytes first; below, which suspects (suspects.h) were not found. */
#include <stdio.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/flow.h"

#define FIGURES 20   /* columns before the sentences: bytes, percent */
#define BAR 16       /* and of a bar, where there is room */
#define BAR_FROM 100 /* columns */

typedef struct Held {
    List list; /* of those that fired */
    uint64_t serial, asked;
    int top; /* first line on the screen */
    int page;
    int line[LMP_SUSPECT_RULES * 4 + 1]; /* where each begins, and the end */
} Held;

static Tone tone_of(OpenedSnapshot *heap, const LmpSuspect *row) {
    const LmpObjectGroups *groups =
        row->group != LMP_OBJECT_NONE && row->by < LMP_BYS ? opened_groups(heap, row->by) : NULL;
    if (row->object != LMP_OBJECT_NONE && row->object < heap->now.g.objects)
        return objectcell_tone(&heap->now, row->object);
    if (groups && row->group < groups->groups && groups->group[row->group].objects > 0)
        return objectcell_tone(&heap->now, groups->member[groups->group[row->group].first]);
    return TONE_KIND(LMP_OTHER);
}

static void draw_figures(OpenedSnapshot *heap, const LmpSuspect *row, Flow *flow, Rect rect) {
    char bytes[LMP_NUM];
    int y = flow_y(flow), x = rect.x + 1;
    double share = objectcell_share(&heap->now, row->bytes);
    if (rect.w < 50) return;
    canvas_text_right(flow->canvas, x + 11, y, 11, STYLE(TONE_STRONG),
                      format_bytes(bytes, row->bytes));
    canvas_printf(flow->canvas, x + 12, y, 6, STYLE(table_heat(share)), "%3.0f %%", share * 100);
    if (rect.w < BAR_FROM) return;
    int full = (int)(share * BAR * 2 + 0.5);
    for (int i = 0; i < BAR; i++)
        canvas_put(flow->canvas, x + FIGURES - 1 + i, y, G_BAR,
                   STYLE(i * 2 < full ? tone_of(heap, row) : TONE_FAINT));
}

static void draw_all(Held *h, OpenedSnapshot *heap, const LmpSuspects *all, Flow *flow, Rect rect) {
    int indent = rect.w >= BAR_FROM ? FIGURES + BAR + 1 : rect.w >= 50 ? FIGURES : 2;
    char text[520];
    flow->line = 0;
    for (uint32_t i = 0; i < all->fired; i++) {
        const LmpSuspect *row = &all->row[i];
        if (i > 0) flow->line++;
        h->line[i] = flow->line;
        draw_figures(heap, row, flow, rect);
        bool here = i == h->list.cursor;
        flow_wrapped(flow, indent, here ? STYLE(TONE_STRONG) : STYLE(TONE_TEXT), row->words);
        if (!row->path[0]) continue;
        snprintf(text, sizeof text, "%s", row->path);
        flow_wrapped(flow, indent, STYLE(TONE_SOURCE), text);
    }
    h->line[all->fired] = flow->line;
    if (all->fired == 0) flow_text(flow, "Nothing stands out.");
    if (all->fired < all->rows) flow_title(flow, " Looked for, and not found", NULL);
    for (uint32_t i = all->fired; i < all->rows; i++)
        flow_wrapped(flow, 3, STYLE(TONE_MUTED), all->row[i].words);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Held *h = state;
    OpenedSnapshot *heap = objectcell_opened(model, canvas, rect);
    if (!h || !heap || rect.w <= 0 || rect.h <= 0) return;
    if (h->serial != heap->serial || !heap->suspects_made) {
        if (!heap->suspects_made &&
            objectcell_wait(heap, &h->asked, 0, "for what stands out", ui, canvas, rect))
            return;
        h->serial = heap->serial;
        h->list = (List){0};
        h->top = 0;
    }
    const LmpSuspects *all = opened_suspects(heap);
    Rect text = {rect.x, rect.y, rect.w - 1, rect.h}; /* beside the scroll bar */
    Flow flow = {.canvas = canvas, .rect = text, .utf8 = ui->utf8};
    list_fit(&h->list, all->fired, (int)all->fired + 1);
    Rect old = canvas_clip(canvas, (Rect){rect.x, rect.y, 0, 0});
    draw_all(h, heap, all, &flow, rect); /* finds where each sentence begins */
    canvas_unclip(canvas, old);
    int lines = flow.line;
    h->page = rect.h;
    if (all->fired > 0) {
        uint64_t c = h->list.cursor;
        if (h->line[c + 1] > h->top + rect.h) h->top = h->line[c + 1] - rect.h;
        if (h->line[c] < h->top) h->top = h->line[c];
    }
    if (h->top > lines - rect.h) h->top = lines - rect.h;
    if (h->top < 0) h->top = 0;
    flow.top = h->top;
    draw_all(h, heap, all, &flow, rect);
    if (all->fired > 0) {
        uint64_t c = h->list.cursor;
        int from = h->line[c], to = c + 1 < all->fired ? h->line[c + 1] - 1 : h->line[c + 1];
        canvas_tint(canvas, (Rect){rect.x, rect.y + from - h->top, rect.w, to - from}, TONE_SELECT);
    }
    if (lines > rect.h)
        canvas_scroll(canvas, rect.x + rect.w - 1, rect.y, rect.h, (uint64_t)h->top,
                      (uint64_t)rect.h, (uint64_t)lines);
}

static const LmpSuspect *chosen(const Held *h, OpenedSnapshot *heap) {
    const LmpSuspects *all = opened_suspects(heap);
    return h->list.cursor < all->fired ? &all->row[h->list.cursor] : NULL;
}

static const LmpObjectGroup *group_of(OpenedSnapshot *heap, const LmpSuspect *row,
                                      const LmpObjectGroups **groups) {
    if (row->group == LMP_OBJECT_NONE || row->by >= LMP_BYS) return NULL;
    *groups = opened_groups(heap, (LmpSnapshotBy)row->by);
    return *groups && row->group < (*groups)->groups ? &(*groups)->group[row->group] : NULL;
}

/* Opens the objects of the row, or why they are alive; for Lua's own usual suspects, their page. */
static bool look(Held *h, OpenedSnapshot *heap, Ui *ui, bool why) {
    const LmpSuspect *row = chosen(h, heap);
    const LmpObjectGroups *groups = NULL;
    if (!row) return false;
    const LmpObjectGroup *group = group_of(heap, row, &groups);
    if (group && why) {
        ui_open_why_of(ui, heap, groups->member + group->first, group->objects, group->name);
    } else if (group) {
        ui_open_members(ui, heap, groups->member + group->first, group->objects, group->name);
    } else if (row->object != LMP_OBJECT_NONE && why) {
        ui_open_why(ui, heap, row->object);
    } else if (row->object != LMP_OBJECT_NONE) {
        ui_open_object(ui, row->object);
    } else {
        ui_say(ui, "This is about no single object: see 5, Lua's own suspects");
    }
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect;
    Held *h = state;
    if (!h || !model->heap) return false;
    if (action == ACT_ENTER || action == ACT_WHY)
        return look(h, model->heap, ui, action == ACT_WHY);
    list_fit(&h->list, opened_suspects(model->heap)->fired, 100);
    bool down = action == ACT_DOWN && h->list.cursor + 1 >= h->list.count;
    if (down || action == ACT_END || action == ACT_PAGE_DOWN) h->top += h->page / 2 + 1;
    return list_act(&h->list, action, 4);
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    (void)rect, (void)ui;
    Held *h = state;
    if (!h || !model->heap || event.y < 0) return false;
    if (event.what != MOUSE_CLICK && event.what != MOUSE_DOUBLE) return false;
    for (uint64_t i = 0; i < h->list.count; i++)
        if (event.y + h->top >= h->line[i] && event.y + h->top < h->line[i + 1]) h->list.cursor = i;
    return event.what == MOUSE_CLICK;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)ui;
    Held *h = state;
    const LmpSuspect *row = h && model->heap ? chosen(h, model->heap) : NULL;
    const LmpObjectGroups *groups = NULL;
    const LmpObjectGroup *group = row ? group_of(model->heap, row, &groups) : NULL;
    if (group && group->objects > 0 && row->by == LMP_BY_LINE)
        return objectcell_place(&model->heap->now, groups->member[group->first], out);
    return row && row->object != LMP_OBJECT_NONE &&
           objectcell_place(&model->heap->now, row->object, out);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Held *h = state;
    if (!h || !model->heap || !model->heap->suspects_made) return;
    snprintf(out, size, "what holds most · enter: look inside · w why");
}

const Panel panel_held = {
    .title = "Verdict",
    .about = "What this heap amounts to: what holds most, with the path to it, and what else "
             "stands out. What a sentence is about may be in another one, too. enter leads to the "
             "objects, w says why they are alive.",
    .number = 1,
    .all_types = true,
    .offers = {ACT_ENTER, ACT_WHY, ACT_EDIT},
    .size = sizeof(Held),
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note,
    .place = place};
