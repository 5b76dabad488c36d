/* why_rows.c - turns paths (why_make) or shapes (why_shapes) into a list of rows, draws them by
 * kind, and moves the cursor from step to step. */
#include "snapshot/why_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "widget/flow.h"

#define BYTES 11     /* columns of a figure */
#define SITE_FROM 90 /* columns: from there on a line's name has its own place */
#define SITE 28

void why_rows_free(WhyRows *w) {
    why_free(&w->why);
    free(w->shape);
    free(w->row);
    *w = (WhyRows){0};
}

static bool stands_on(const WhyRow *row) {
    return row->what == WHY_STEP || row->what == WHY_SHAPE;
}

static void add(WhyRows *w, WhyRow row) {
    w->row[w->rows++] = row;
}

static uint32_t gap_of(const LmpWhyPath *path) {
    return path->left_out ? path->steps / 2 : UINT32_MAX;
}

static bool list_paths(WhyRows *w) {
    size_t room = 1;
    for (uint32_t p = 0; p < w->why.paths; p++)
        room += w->why.path[p].steps + 4;
    w->row = malloc(room * sizeof *w->row);
    if (!w->row) return false;
    bool chosen = false;
    for (uint32_t p = 0; p < w->why.paths; p++) {
        const LmpWhyPath *path = &w->why.path[p];
        if (p > 0) add(w, (WhyRow){.what = WHY_BLANK});
        add(w, (WhyRow){.what = WHY_HEADING, .path = p});
        for (uint32_t i = 0; i < path->steps; i++) {
            if (i == gap_of(path)) add(w, (WhyRow){.what = WHY_LEFT_OUT, .path = p});
            bool here = path->container ? path->step[i].to == path->container : path->step[i].cut;
            if (here && !chosen) {
                w->cursor = w->rows;
                chosen = true;
            }
            add(w, (WhyRow){.what = WHY_STEP, .path = p, .step = i});
        }
    }
    while (!chosen && w->cursor + 1 < w->rows && !stands_on(&w->row[w->cursor]))
        w->cursor++;
    return true;
}

static bool list_shapes(WhyRows *w, const LmpSnapshot *s, const UiObjects *about) {
    w->shape = malloc(WHY_SHAPES * sizeof *w->shape);
    w->row = malloc(WHY_SHAPES * sizeof *w->row);
    if (!w->shape || !w->row) return false;
    w->shapes = why_shapes(s, about->member, about->count, w->shape, WHY_SHAPES, &w->asked);
    for (uint32_t i = 0; i < w->shapes; i++)
        add(w, (WhyRow){.what = WHY_SHAPE, .step = i});
    return true;
}

bool why_rows_make(WhyRows *w, const LmpSnapshot *s, const UiObjects *about, const uint32_t *ignore,
                   uint32_t ignored) {
    why_rows_free(w);
    w->many = about->member != NULL;
    bool done = w->many
                    ? list_shapes(w, s, about)
                    : why_make(&w->why, s, about->object, WHY_PATHS, ignore, ignored) == LMP_OK &&
                          list_paths(w);
    if (!done) why_rows_free(w);
    return done;
}

const char *why_rows_held(const WhyRows *w, char *out, size_t size) {
    static const char *const words[] = {
        [LMP_HELD] = "",
        [LMP_HELD_WEAKLY] = "only weakly held: the next collection takes it",
        [LMP_HELD_FINALIZER] = "held only because its finaliser has not run",
        [LMP_HELD_GARBAGE] = "garbage: waits for the collector",
    };
    if (w->many) {
        if (w->shapes == 1 && w->shape[0].objects == w->asked)
            snprintf(out, size, "All are held in one way.");
        else
            snprintf(out, size, "%u way%s, most objects first:", w->shapes,
                     w->shapes == 1 ? "" : "s");
    } else if (w->why.held != LMP_HELD) {
        snprintf(out, size, "%s", words[w->why.held]);
    } else if (w->why.paths == 0) {
        snprintf(out, size, "held by nothing else");
    } else {
        snprintf(out, size, "held by %s%u path%s, from the root down:",
                 w->why.paths == WHY_PATHS ? "at least " : "", w->why.paths,
                 w->why.paths == 1 ? "" : "s");
    }
    return out;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_heading(const WhyRows *w, const LmpSnapshot *s, const WhyRow *row, Canvas *canvas,
                         Rect rect, int y) {
    const LmpWhyPath *path = &w->why.path[row->path];
    const char *then = path->container ? "; " : ": ";
    char bytes[LMP_NUM];
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_STRONG), "Path %u", row->path + 1);
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED),
                     path->shortest ? ", the shortest" : "");
    if (path->container) {
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), ": its container retains ");
        x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(TONE_GROWTH),
                         format_bytes(bytes, s->retained[path->container]));
    }
    if (path->frees == 0) {
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), then);
        canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED),
                    w->why.paths > 1 ? "cut alone, it frees nothing; the others hold on"
                                     : "no single reference of it frees the object");
        return;
    }
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), then);
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), "the marked reference frees ");
    x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(TONE_GROWTH),
                     format_bytes(bytes, path->frees));
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), " alone");
    if (path->shares > 0)
        canvas_printf(canvas, x, y, right - x, STYLE(TONE_MUTED), ", shares %s%s with others",
                      path->shares_more ? "at least " : "", format_bytes(bytes, path->shares));
}

/* Returns the function whose upvalue, local or code a step goes through; LMP_OBJECT_NONE. */
static uint32_t code_of(const LmpSnapshot *s, const LmpWhyStep *step) {
    unsigned kind = s->g.kind[step->from];
    if (kind == LMP_OBJECT_LUA_FUNCTION || kind == LMP_OBJECT_PROTO || kind == LMP_OBJECT_UPVALUE)
        return step->from;
    return s->g.kind[step->to] == LMP_OBJECT_LUA_FUNCTION ? step->to : LMP_OBJECT_NONE;
}

static void name_site(const LmpSnapshot *s, const LmpWhyStep *step, char *out, size_t size) {
    uint32_t code = code_of(s, step);
    PanelPlace place;
    out[0] = 0;
    if (code != LMP_OBJECT_NONE && objectcell_place(s, code, &place) && place.line > 0)
        format_where(out, size, place.short_src, place.line);
    else
        snapshot_site(s, step->to, out, size);
}

static void draw_step(const WhyRows *w, const LmpSnapshot *s, const Ui *ui, const WhyRow *row,
                      Canvas *canvas, Rect rect, int y) {
    const LmpWhyPath *path = &w->why.path[row->path];
    const LmpWhyStep *step = &path->step[row->step];
    char text[300], name[300], bytes[LMP_NUM], count[LMP_NUM];
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    int indent = (int)row->step, most = rect.w / 4;
    canvas_text_right(canvas, x + BYTES, y, BYTES, STYLE(step->cut ? TONE_STRONG : TONE_TEXT),
                      format_bytes(bytes, step->retained));
    x += BYTES + 2;
    if (rect.w >= SITE_FROM) {
        name_site(s, step, text, sizeof text);
        canvas_tail(canvas, right - SITE, y, SITE, STYLE(TONE_MUTED), STYLE(TONE_MUTED), text);
        right -= SITE + 2;
    }
    if (step->cut) canvas_put(canvas, x, y, ui->utf8 ? 0x2702 : 'X', STYLE(TONE_GROWTH));
    x += 2 + (indent < most ? indent : most);
    snapshot_step(s, step->from, step->edge, text, sizeof text);
    char *p = text + strspn(text, " ");
    if (strncmp(p, "▸", 3) == 0) p += 3;
    p += strspn(p, " ");
    Style style = step->cut ? STYLE_BOLD(TONE_GROWTH) : STYLE(TONE_SOURCE);
    x += canvas_text(canvas, x, y, right - x, style, p);
    if (step->times > 1)
        x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_ACCENT), "%s%s",
                           ui->utf8 ? "×" : " x", format_count(count, step->times));
    snapshot_name(s, step->to, name, sizeof name);
    if (step->cut && right - x > 16)
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_GROWTH), "  cut here");
    else if (step->to == path->container && right - x > 16)
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_GROWTH), "  take entries out here");
    if (strcmp(name, p) != 0 && right - x > 6)
        canvas_text(canvas, x + 2, y, right - x - 2, STYLE(objectcell_tone(s, step->to)), name);
}

static void draw_left_out(const WhyRows *w, const WhyRow *row, Canvas *canvas, Rect rect, int y) {
    char count[LMP_NUM];
    canvas_printf(canvas, rect.x + BYTES + 5, y, rect.w - BYTES - 6, STYLE(TONE_MUTED),
                  "... %s more steps", format_count(count, w->why.path[row->path].left_out));
}

static void draw_shape(const WhyRows *w, const WhyRow *row, Canvas *canvas, Rect rect, int y) {
    const LmpWhyShape *shape = &w->shape[row->step];
    char bytes[LMP_NUM], count[LMP_NUM], of[LMP_NUM];
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    canvas_text_right(canvas, x + BYTES, y, BYTES, STYLE(TONE_STRONG),
                      format_bytes(bytes, shape->size));
    x += BYTES + 2;
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_TEXT), "%s of %s through ",
                       format_count(count, shape->objects), format_count(of, w->asked));
    canvas_tail(canvas, x, y, right - x, STYLE(TONE_SOURCE), STYLE(TONE_MUTED), shape->path);
}

/* Keeps the cursor on the screen, with the heading of its path if that fits. */
static void scroll(WhyRows *w, int page) {
    uint32_t lines = page > 0 ? (uint32_t)page : 1, from = w->cursor;
    while (from > 0 && w->cursor - from + 1 < lines && w->row[from].what != WHY_HEADING &&
           w->row[from].what != WHY_SHAPE)
        from--;
    if (w->top > from) w->top = from;
    if (w->cursor >= w->top + lines) w->top = w->cursor - lines + 1;
    if (w->top + lines > w->rows) w->top = w->rows > lines ? w->rows - lines : 0;
}

void why_rows_titles(const WhyRows *w, Canvas *canvas, Rect rect, int y) {
    int right = rect.x + rect.w - 1;
    canvas_text_right(canvas, rect.x + 1 + BYTES, y, BYTES, STYLE(TONE_MUTED),
                      w->many ? "size" : "retains");
    if (!w->many && rect.w >= SITE_FROM)
        canvas_text(canvas, right - SITE, y, SITE, STYLE(TONE_MUTED), "line");
}

void why_rows_draw(WhyRows *w, const LmpSnapshot *s, const Ui *ui, Canvas *canvas, Rect rect) {
    scroll(w, rect.h);
    for (int i = 0; i < rect.h && w->top + (uint32_t)i < w->rows; i++) {
        const WhyRow *row = &w->row[w->top + (uint32_t)i];
        int y = rect.y + i;
        switch (row->what) {
        case WHY_HEADING:
            draw_heading(w, s, row, canvas, rect, y);
            break;
        case WHY_STEP:
            draw_step(w, s, ui, row, canvas, rect, y);
            break;
        case WHY_LEFT_OUT:
            draw_left_out(w, row, canvas, rect, y);
            break;
        case WHY_SHAPE:
            draw_shape(w, row, canvas, rect, y);
            break;
        case WHY_BLANK:
            break;
        }
        if (w->top + (uint32_t)i == w->cursor && stands_on(row))
            canvas_tint(canvas, (Rect){rect.x, y, rect.w, 1}, TONE_SELECT);
    }
    int below = rect.y + (int)w->rows + 1;
    if (w->many && w->rows + 3 < (uint32_t)rect.h && w->cursor < w->rows) {
        /* the chosen shape's whole path, which may not fit beside its figures */
        Flow flow = {.canvas = canvas, .rect = {rect.x, below, rect.w, 1}, .utf8 = ui->utf8};
        flow_wrapped(&flow, 1, STYLE(TONE_SOURCE), w->shape[w->row[w->cursor].step].path);
    }
    if (rect.h > 0 && w->rows > (uint32_t)rect.h)
        canvas_scroll(canvas, rect.x + rect.w - 1, rect.y, rect.h, w->top, (uint64_t)rect.h,
                      w->rows);
}

/* ---- the cursor ------------------------------------------------------------------------------ */

static void move(WhyRows *w, int step, uint32_t times) {
    uint32_t at = w->cursor;
    for (uint32_t n = 0; n < times; n++) {
        uint32_t next = at;
        do {
            if (step < 0 ? next == 0 : next + 1 >= w->rows) {
                w->cursor = at;
                if (step < 0) w->top = 0;
                return;
            }
            next = step < 0 ? next - 1 : next + 1;
        } while (!stands_on(&w->row[next]));
        at = next;
    }
    w->cursor = at;
}

bool why_rows_act(WhyRows *w, Action action, int page) {
    uint32_t lines = page > 1 ? (uint32_t)page - 1 : 1;
    if (w->rows == 0) return false;
    switch (action) {
    case ACT_UP:
        move(w, -1, 1);
        return true;
    case ACT_DOWN:
        move(w, 1, 1);
        return true;
    case ACT_PAGE_UP:
        move(w, -1, lines);
        return true;
    case ACT_PAGE_DOWN:
        move(w, 1, lines);
        return true;
    case ACT_HOME:
        move(w, -1, w->rows);
        return true;
    case ACT_END:
        move(w, 1, w->rows);
        return true;
    default:
        return false;
    }
}

void why_rows_choose_line(WhyRows *w, int line) {
    if (line < 0 || w->top + (uint32_t)line >= w->rows) return;
    if (stands_on(&w->row[w->top + (uint32_t)line])) w->cursor = w->top + (uint32_t)line;
}

static const WhyRow *row_at(const WhyRows *w) {
    return w->cursor < w->rows && stands_on(&w->row[w->cursor]) ? &w->row[w->cursor] : NULL;
}

static const LmpWhyStep *step_at(const WhyRows *w) {
    const WhyRow *row = row_at(w);
    return row && row->what == WHY_STEP ? &w->why.path[row->path].step[row->step] : NULL;
}

uint32_t why_rows_object(const WhyRows *w) {
    const WhyRow *row = row_at(w);
    if (!row) return LMP_OBJECT_NONE;
    return row->what == WHY_SHAPE ? w->shape[row->step].sample : step_at(w)->to;
}

uint32_t why_rows_holder(const WhyRows *w, uint32_t object) {
    const LmpWhyStep *step = step_at(w);
    if (!step) return LMP_OBJECT_NONE;
    return step->to == object ? step->from : step->to;
}

uint32_t why_rows_code(const WhyRows *w, const LmpSnapshot *s) {
    const LmpWhyStep *step = step_at(w);
    if (!step) return why_rows_object(w);
    uint32_t code = code_of(s, step);
    return code != LMP_OBJECT_NONE ? code : step->to;
}
