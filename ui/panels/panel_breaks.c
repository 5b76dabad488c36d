/* panel_breaks.c - break conditions: the list that the viewer keeps (Ui.breaks), each switched on
 * or off, with its outcome; and the kinds that there are. Typing one uses a LineEdit. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/nearest.h"
#include "shared/breaks.h"
#include "widget/panel.h"
#include "widget/source.h"

typedef enum BreakPlaceKind {
    BREAK_PLACE_FINE,      /* memory has been made there, or nothing is known */
    BREAK_PLACE_NO_SOURCE, /* nothing of such a source has made memory yet */
    BREAK_PLACE_NO_LINE,   /* the source has fewer lines */
    BREAK_PLACE_NO_CODE,   /* an empty line, or a comment */
    BREAK_PLACE_NOTHING,   /* nothing has been made there yet */
} BreakPlaceKind;

/* What is known of the line that a break condition names, by what has made memory so far and by the
 * source text. */
typedef struct BreakPlace {
    BreakPlaceKind kind;
    int nearest;      /* the nearest line that has made memory, or has code; 0: none known */
    const char *like; /* BREAK_PLACE_NO_SOURCE: a source with a similar name that has made memory;
                         NULL: none; valid until the model's next refresh */
    uint32_t lines;   /* of the source, for BREAK_PLACE_NO_LINE */
} BreakPlace;

/* ---- places of conditions -------------------------------------------------------------------- */

/* Keeps the line if it is nearer to `wanted` than the previous one; on a tie, the one below. */
static void keep_nearest(int *nearest, int wanted, int line) {
    int far = *nearest ? abs(*nearest - wanted) : INT_MAX, now = abs(line - wanted);
    if (line > 0 && (now < far || (now == far && line > wanted))) *nearest = line;
}

/* Looks at the rows of the source that the condition names. Returns false if there are none; `at`:
 * some are of its line. */
static bool look_at_rows(const Ledger *l, const LmpBreak *b, BreakPlace *place, const char **source,
                         bool *at) {
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        if (s->line < 1 || !breaks_file_is(b->file, s->raw_source, s->short_src)) continue;
        *source = s->raw_source;
        keep_nearest(&place->nearest, b->line, s->line);
        if (s->line == b->line) *at = true;
    }
    for (uint32_t i = 0; i < l->functions && !*source; i++) {
        const LmpFunctionRow *f = &l->function[i];
        if (!f->is_c && breaks_file_is(b->file, f->raw_source, f->short_src))
            *source = f->raw_source;
    }
    return *source != NULL;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *similar_source(const Ledger *l, const LmpBreak *b) {
    Nearest near = {.typed = base_name(b->file)};
    const char *like = NULL;
    for (uint32_t i = 0; i < l->functions; i++) {
        const LmpFunctionRow *f = &l->function[i];
        const char *before = near.word;
        if (f->is_c || f->raw_source[0] != '@') continue;
        nearest_offer(&near, base_name(f->short_src));
        if (near.word != before) like = f->short_src;
    }
    return like;
}

static bool has_code(const Sources *sources, uint32_t line) {
    char text[64];
    const char *c = sources_line(sources, line, true, text, sizeof text);
    c += strspn(c, " ");
    return *c && strncmp(c, "--", 2) != 0;
}

static void look_at_text(const Ui *ui, const char *source, const LmpBreak *b, BreakPlace *place) {
    const SourceText *text = sources_get(ui->sources, source, ui->now);
    if (text->problem || text->changed) return;
    place->lines = text->lines;
    if ((uint32_t)b->line > text->lines)
        place->kind = BREAK_PLACE_NO_LINE;
    else if (!has_code(ui->sources, (uint32_t)b->line))
        place->kind = BREAK_PLACE_NO_CODE;
    if (place->kind == BREAK_PLACE_NOTHING || place->nearest) return;
    for (uint32_t i = 1; i <= text->lines; i++)
        if (has_code(ui->sources, i)) keep_nearest(&place->nearest, b->line, (int)i);
}

static BreakPlace break_place_find(const Model *model, const Ui *ui, const LmpBreak *b) {
    BreakPlace place = {BREAK_PLACE_FINE, 0, NULL, 0};
    const char *source = NULL;
    bool at = false;
    if (b->kind != LMP_BREAK_AT || !model || model->ledger.sites == 0) return place;
    if (!look_at_rows(&model->ledger, b, &place, &source, &at)) {
        place.kind = BREAK_PLACE_NO_SOURCE;
        place.like = similar_source(&model->ledger, b);
    } else if (!at) {
        place.kind = BREAK_PLACE_NOTHING;
        look_at_text(ui, source, b, &place);
    }
    return place;
}

static char *break_place_words(char *out, size_t size, const BreakPlace *place, const LmpBreak *b) {
    char nearest[64] = "";
    if (place->nearest)
        snprintf(nearest, sizeof nearest, "; the nearest with code is %d", place->nearest);
    *out = 0;
    switch (place->kind) {
    case BREAK_PLACE_FINE:
        break;
    case BREAK_PLACE_NO_SOURCE:
        snprintf(out, size, "nothing of %s has made memory%s%s%s", b->file,
                 place->like ? "; did you mean " : "", place->like ? place->like : "",
                 place->like ? "?" : "");
        break;
    case BREAK_PLACE_NO_LINE:
        snprintf(out, size, "%s has only %u lines%s", b->file, place->lines, nearest);
        break;
    case BREAK_PLACE_NO_CODE:
        snprintf(out, size, "line %d of %s has no code%s", b->line, b->file, nearest);
        break;
    case BREAK_PLACE_NOTHING:
        snprintf(out, size, "line %d of %s has made no memory", b->line, b->file);
        if (place->nearest) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "; the nearest that has is %d", place->nearest);
        }
        break;
    }
    return out;
}

enum { LIST_W = 52, KINDS_W = 60 }; /* columns, if side by side */

typedef struct Breaks {
    List list;
    LineEdit edit;
    char problem[160];      /* with the text entered; cleared when something else is typed */
    char refused[EDIT_MAX]; /* what was entered then */
    int page;
    const Model *model; /* of the last update or repaint; NULL: none yet */
} Breaks;

/* ---- the list -------------------------------------------------------------------------------- */

static void switch_row(Ui *ui, uint32_t i, bool on) {
    LmpBreak *b = &ui->breaks.row[i];
    if (on) b->turn++;
    if (on) ui->breaks.spent &= ~(1u << i);
    b->on = on;
    request_put_kind(&ui->requests, REQUEST_BREAKS);
}

/* Adds a condition; one that is already there is switched on. Returns NULL, or why not. */
static const char *add(Breaks *panel, Ui *ui, const LmpBreak *b) {
    UiBreaks *breaks = &ui->breaks;
    uint32_t i = 0;
    while (i < breaks->count && !breaks_same(&breaks->row[i], b))
        i++;
    if (i == LMP_BREAKS) return "there are as many as there can be: d deletes one";
    if (i == breaks->count) breaks->row[breaks->count++] = *b;
    switch_row(ui, i, true);
    panel->list.cursor = i;
    panel->list.count = breaks->count;
    return NULL;
}

static void delete_row(Ui *ui, uint32_t i) {
    UiBreaks *breaks = &ui->breaks;
    memmove(&breaks->row[i], &breaks->row[i + 1], (breaks->count - i - 1) * sizeof *breaks->row);
    breaks->count--;
    uint32_t below = (1u << i) - 1;
    breaks->spent = (breaks->spent & below) | (breaks->spent >> 1 & ~below);
    request_put_kind(&ui->requests, REQUEST_BREAKS);
}

/* Refuses a line that can never be met, and offers the nearest possible one for the next enter. */
static const char *refuse_place(Breaks *panel, Ui *ui, LmpBreak *b) {
    BreakPlace place = break_place_find(panel->model, ui, b);
    char words[160], text[BREAKS_TEXT];
    if (place.kind != BREAK_PLACE_NO_LINE && place.kind != BREAK_PLACE_NO_CODE) return NULL;
    break_place_words(words, sizeof words, &place, b);
    format_text(panel->problem, sizeof panel->problem, words, !ui->utf8);
    if (place.nearest) {
        b->line = place.nearest;
        edit_set(&panel->edit, breaks_text(text, sizeof text, b));
    }
    return panel->problem;
}

static void entered(LineEdit *edit, Ui *ui, bool by_enter) {
    Breaks *panel = edit->owner;
    LmpBreak b;
    panel->problem[0] = 0;
    if (!by_enter || !edit->text[strspn(edit->text, " ")]) return;
    bool read = breaks_parse(edit->text, &b, panel->problem, sizeof panel->problem);
    const char *why = read ? refuse_place(panel, ui, &b) : panel->problem;
    if (!why) why = add(panel, ui, &b);
    if (!why) return;
    if (why != panel->problem) snprintf(panel->problem, sizeof panel->problem, "%s", why);
    memcpy(panel->refused, edit->text, sizeof panel->refused); /* or what replaced it */
    ui_edit(ui, edit);                                         /* for the person to correct */
}

static void begin_typing(Breaks *panel, Ui *ui) {
    edit_set(&panel->edit, ui->break_text);
    ui->break_text[0] = 0;
    panel->problem[0] = 0;
    ui_edit(ui, &panel->edit);
}

/* ---- their outcome --------------------------------------------------------------------------- */

/* Returns true if what the program says is about the current version of the list. */
static bool is_answered(const Model *model, const Ui *ui) {
    return ui->breaks.sent != 0 && ui->breaks.sent == atomic_load(&model->breaks.taken) &&
           !request_waits(&ui->requests, REQUEST_BREAKS);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    (void)rect;
    UiBreaks *breaks = &ui->breaks;
    Breaks *panel = state;
    if (panel) panel->model = model;
    if (breaks->sent != 0 && !request_waits(&ui->requests, REQUEST_BREAKS) && !model->breaks_ours &&
        model->view) {
        for (uint32_t i = 0; i < breaks->count; i++)
            breaks->row[i].on = 0; /* another display has set its own list */
        breaks->taken_over = breaks->count > 0;
        breaks->sent = 0;
    }
    if (!is_answered(model, ui)) return;
    for (uint32_t i = 0; i < breaks->count; i++) {
        if (!(model->breaks.spent >> i & 1) || !breaks->row[i].on) continue;
        breaks->row[i].on = 0;
        breaks->spent |= 1u << i;
    }
}

static uint64_t hits_of(const Model *model, const Ui *ui, uint32_t i) {
    return is_answered(model, ui) && i < model->breaks.count ? model->breaks.hits[i] : 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Returns why the condition has not been met, if known; "" if not. */
static const char *why_not_yet(const Model *model, const Ui *ui, const LmpBreak *b) {
    if (b->kind == LMP_BREAK_GC && model->gc.mode == LMP_GC_UNKNOWN)
        return "cycles cannot be seen here";
    static const char *const words[] = {
        [BREAK_PLACE_FINE] = "",
        [BREAK_PLACE_NO_SOURCE] = "nothing of it has made memory",
        [BREAK_PLACE_NO_LINE] = "no such line",
        [BREAK_PLACE_NO_CODE] = "no code on that line",
        [BREAK_PLACE_NOTHING] = "nothing made there",
    };
    return words[break_place_find(model, ui, b).kind];
}

static void draw_row(const Model *model, const Ui *ui, uint64_t row, Canvas *canvas, Rect rect) {
    uint32_t i = (uint32_t)row;
    const LmpBreak *b = &ui->breaks.row[i];
    char words[BREAKS_TEXT], text[BREAKS_TEXT], count[LMP_NUM], state[48] = "";
    bool here = model->seen == LMP_SEEN_PAUSED && model->op.hits >> i & 1 && is_answered(model, ui);
    bool waits = false;
    int x = rect.x + 2, y = rect.y, right = rect.x + rect.w;
    format_text(words, sizeof words, breaks_words(text, sizeof text, b), !ui->utf8);
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_MUTED), "%2u ", i + 1);
    canvas_put(canvas, x++, y, b->on ? G_DOT : G_MIDDOT, STYLE(b->on ? TONE_RUNNING : TONE_FAINT));
    x += canvas_printf(canvas, x, y, right - x, STYLE(b->on ? TONE_ACCENT : TONE_FAINT), " %s ",
                       b->on ? "on " : "off");
    Style style = STYLE(here ? TONE_PAUSED : b->on ? TONE_STRONG : TONE_MUTED);
    x += canvas_text(canvas, x, y, right - x, style, words);
    uint64_t hits = hits_of(model, ui, i);
    if (here) {
        snprintf(state, sizeof state, "met here");
    } else if (!b->on && ui->breaks.spent >> i & 1) {
        bool room = right - x > 36;
        snprintf(state, sizeof state, "was met%s", room ? ": enter waits for the next" : "");
    } else if (hits > 0) {
        snprintf(state, sizeof state, "%s pause%s", format_count(count, hits),
                 hits == 1 ? "" : "s");
    } else if (b->on) {
        snprintf(state, sizeof state, "%s", why_not_yet(model, ui, b));
        waits = true;
    }
    int width = canvas_width(state);
    if (width > 0 && right - x > width + 1)
        canvas_text_right(canvas, right, y, width,
                          STYLE(here    ? TONE_PAUSED
                                : waits ? TONE_PAUSED
                                        : TONE_MUTED),
                          state);
}

static void draw_kinds(Canvas *canvas, Rect rect) {
    for (int kind = 1; kind < LMP_BREAK_KINDS && kind <= rect.h; kind++) {
        const BreakInfo *info = &break_info[kind];
        int x = rect.x, y = rect.y + kind - 1, right = rect.x + rect.w;
        x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_ACCENT), "%-4s ", info->name);
        x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_TEXT), "%-9s  ",
                           info->argument ? info->argument : "");
        if (right - x >= 20) canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), info->help);
    }
}

/* Draws what the text being typed would mean, or what is wrong with it. */
static void draw_typed(const Breaks *panel, const Ui *ui, Canvas *canvas, Rect rect, int y) {
    LmpBreak b;
    char problem[160], words[160], text[160];
    const char *typed = panel->edit.text;
    if (panel->problem[0] && strcmp(panel->refused, typed) == 0) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_WRONG), panel->problem);
    } else if (breaks_parse(typed, &b, problem, sizeof problem)) {
        BreakPlace place = break_place_find(panel->model, ui, &b);
        if (place.kind != BREAK_PLACE_FINE) {
            break_place_words(text, sizeof text, &place, &b);
            format_text(words, sizeof words, text, !ui->utf8);
            canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_PAUSED), words);
            return;
        }
        format_text(words, sizeof words, breaks_words(text, sizeof text, &b), !ui->utf8);
        int x = rect.x;
        x += canvas_text(canvas, x, y, rect.w, STYLE(TONE_MUTED), "pauses at: ");
        canvas_text(canvas, x, y, rect.x + rect.w - x, STYLE(TONE_STRONG), words);
    } else {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED),
                    "a condition, as \"size 64KiB\" or \"at main.lua:12\"; enter adds it");
    }
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Breaks none = {0}, *panel = state ? state : &none;
    if (rect.w >= 34) {
        rect.x++;
        rect.w -= 2;
    }
    if (state) panel->model = model;
    bool typing = ui->edit && ui->edit == &panel->edit;
    int rows = rect.h, kinds = LMP_BREAK_KINDS - 1, y = rect.y;
    if (typing && rows > 1) {
        draw_typed(panel, ui, canvas, rect, y++);
        rows--;
        if (rows > kinds + 2) {
            y++;
            rows--;
        }
    }
    int count = (int)ui->breaks.count, list_h = rows;
    bool beside = rect.w >= LIST_W + KINDS_W && count > 0;
    if (!beside) { /* while typing the kinds matter more, else the list */
        int most = typing ? rows - kinds - 1 : rows;
        list_h = count < most ? count : most > 0 ? most : 0;
    }
    int list_w = beside ? rect.w - KINDS_W - 2 : rect.w;
    panel->page = list_draw(&panel->list, ui->breaks.count, draw_row, model, ui, canvas,
                            (Rect){rect.x, y, list_w, list_h});
    if (beside) {
        draw_kinds(canvas, (Rect){rect.x + list_w + 2, y, KINDS_W, rows});
    } else {
        int below = y + list_h + (list_h > 0);
        draw_kinds(canvas, (Rect){rect.x, below, rect.w, rect.y + rect.h - below});
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)model, (void)state;
    if (ui->breaks.taken_over) {
        snprintf(out, size, "another display has set its own");
    } else if (ui->breaks.count > 0) {
        snprintf(out, size, "b add · d delete · %u of %u on", ui_breaks_on(ui), ui->breaks.count);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model, (void)rect;
    Breaks *panel = state;
    if (!panel) return false;
    uint32_t i = (uint32_t)panel->list.cursor;
    bool chosen = i < ui->breaks.count;
    switch (action) {
    case ACT_BREAK:
    case ACT_ZOOM_IN:
        begin_typing(panel, ui);
        return true;
    case ACT_ENTER:
    case ACT_PAUSE:
        if (chosen) switch_row(ui, i, !ui->breaks.row[i].on);
        if (!chosen && action == ACT_ENTER) begin_typing(panel, ui);
        break;
    case ACT_DELETE:
        if (chosen) delete_row(ui, i);
        list_fit(&panel->list, ui->breaks.count, panel->page); /* keys may come before drawing */
        break;
    default:
        list_fit(&panel->list, ui->breaks.count, panel->page);
        return list_act(&panel->list, action, panel->page);
    }
    return chosen || action == ACT_ENTER;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    (void)model, (void)rect;
    Breaks *panel = state;
    uint64_t i = panel ? panel->list.top + (uint64_t)event.y : 0;
    if (!panel || event.what != MOUSE_CLICK || ui->edit || event.y < 0 || event.y >= panel->page ||
        i >= ui->breaks.count)
        return false;
    panel->list.cursor = i;
    return true;
}

static bool begin(void *state) {
    Breaks *panel = state;
    panel->edit = (LineEdit){
        .prompt = "break", .help = "enter add  esc close", .done = entered, .owner = panel};
    return true;
}

const Panel panel_breaks = {.title = "Break conditions",
                            .ledger = LEDGER_SITES | LEDGER_FUNCTIONS,
                            .offers = {ACT_DELETE, ACT_PAUSE, ACT_ENTER},
                            .size = sizeof(Breaks),
                            .begin = begin,
                            .update = update,
                            .draw = draw,
                            .act = act,
                            .mouse = mouse,
                            .note = note};
