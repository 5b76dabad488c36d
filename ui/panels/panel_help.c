/* panel_help.c - the help page: what the panel shows for which a person asked, with its columns,
 * from its table; every key and what it does, from the table of actions. */
#include <stdlib.h>
#include <string.h>

#include "widget/search.h"
#include "widget/shownfigure.h"
#include "widget/table.h"

#define KEY_W 13
#define HELP_LINES 1000 /* that can be searched; more only if a single word fills the width */

typedef struct HelpState {
    int top, most; /* first line shown, and the largest it can be */
    Search search;
    Canvas *whole; /* the whole text, for searching; NULL: not needed yet */
    int height;    /* lines */
} HelpState;

static void end(void *state) {
    HelpState *s = state;
    canvas_free(s->whole);
}

/* Where the next line goes; lines scrolled out of view are counted but not drawn. */
typedef struct Page {
    Canvas *canvas;
    Rect rect;
    int line, top;
} Page;

static int page_y(const Page *page) {
    return page->rect.y + page->line - page->top;
}

/* Breaks text at blanks into lines of the column that begins at x; returns the line after the
 * last. */
static void put_wrapped(Page *page, int x, int w, const char *text) {
    while (*text) {
        size_t end = 0, fit = 0;
        for (size_t i = 0; text[i] && (int)i < w; i++) {
            end = i + 1;
            if (text[i + 1] == ' ' || text[i + 1] == 0) fit = end;
        }
        if (fit == 0) fit = end > 0 ? end : strlen(text);
        canvas_printf(page->canvas, x, page_y(page), w, STYLE(TONE_TEXT), "%.*s", (int)fit, text);
        page->line++;
        text += fit;
        while (*text == ' ')
            text++;
    }
}

static void put_group(Page *page, ActionGroup group) {
    Rect rect = page->rect;
    canvas_text(page->canvas, rect.x, page_y(page), rect.w, STYLE(TONE_STRONG),
                action_group_title[group]);
    page->line++;
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) {
        const ActionInfo *info = &action_info[i];
        if (info->group != group || !info->help) continue;
        int kind = action_kind((Action)i);
        char key[16];
        snprintf(key, sizeof key, "%s", info->shown);
        if (kind >= 0) snprintf(key, sizeof key, "%c", kind_info[kind].letter);
        canvas_text(page->canvas, rect.x + 1, page_y(page), KEY_W - 2,
                    STYLE(kind >= 0 ? TONE_KIND(kind) : TONE_ACCENT), key);
        put_wrapped(page, rect.x + KEY_W, rect.w - KEY_W, info->help);
    }
    page->line++;
}

static void put_about(Page *page) {
    static const char *const lines[] = {
        "Live: bytes that are allocated now, as Lua asked for them. Peak: the most there ever "
        "were.",
        "RSS: what of the process is in memory, at the same moment as the heap. Outside Lua: what "
        "that has beyond the heap and lmp's own, the least of ten seconds: code, C libraries and "
        "their buffers, what malloc keeps for later.",
        "Note: the most useful true sentence right now, and what to change. w leads to its "
        "evidence, "
        "W to the next one.",
        "Tables: while the cursor moves the order is held; five seconds after the last move, or "
        "with Home, rows are sorted again.",
        "PAUSED stops the program; FROZEN stops only this display.",
    };
    Rect rect = page->rect;
    canvas_text(page->canvas, rect.x, page_y(page), rect.w, STYLE(TONE_STRONG), "What is shown");
    page->line++;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        put_wrapped(page, rect.x + 1, rect.w - 1, lines[i]);
    }
}

/* Describes the panel that help was asked for: what it shows, and what the columns of its table
 * mean. */
static void put_panel(Page *page, const Ui *ui) {
    const Table *table = ui->help_table;
    Rect rect = page->rect;
    if (!ui->help_of || (!ui->help_of->about && !table)) return;
    canvas_printf(page->canvas, rect.x, page_y(page), rect.w, STYLE(TONE_STRONG), "This panel: %s",
                  ui->help_of->title);
    page->line++;
    if (ui->help_of->about) put_wrapped(page, rect.x + 1, rect.w - 1, ui->help_of->about);
    for (int i = 0; table && i < table->def->columns; i++) {
        const TableColumn *column = &table->def->column[i];
        const char *name = table_column_name(column), *help = table_column_help(column);
        if (!name || !help || !table_column_in_mode(table, i)) continue;
        canvas_text(page->canvas, rect.x + 1, page_y(page), KEY_W - 2, STYLE(TONE_SOURCE),
                    shownfigure_word(name, ui->utf8));
        put_wrapped(page, rect.x + KEY_W, rect.w - KEY_W, help);
    }
    page->line++;
}

/* Draws everything from line `top` on; returns the number of lines. */
static int put_all(Canvas *canvas, Rect rect, int top, const Ui *ui) {
    int gap = 3, half = (rect.w - gap) / 2, height = 0;
    bool two = half >= 48;
    Page page = {canvas, rect, 0, top};
    if (two) page.rect.w = half;
    put_panel(&page, ui);
    for (int g = 0; g < GROUPS; g++) {
        if (two && g == GROUP_MOVE) { /* second column */
            height = page.line;
            page.line = 0;
            page.rect.x += half + gap;
        }
        put_group(&page, (ActionGroup)g);
    }
    put_about(&page);
    return page.line > height ? page.line : height;
}

static Rect inside(Rect rect) {
    return rect.w > 4 ? (Rect){rect.x + 1, rect.y, rect.w - 2, rect.h} : rect;
}

/* Leaves out the column of the scroll bar. */
static Rect text_rect(Rect rect) {
    rect = inside(rect);
    rect.w -= rect.w > 20 ? 2 : 1;
    return rect;
}

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    const HelpState *s = context;
    size_t used = 0;
    for (int x = 0; x < s->whole->w; x++) {
        const Cell *cell = canvas_at(s->whole, x, (int)line);
        if (!cell || cell->glyph == 0 || used + 5 > size) continue;
        used += (size_t)canvas_encode(out + used, cell->glyph);
    }
    out[used] = 0;
}

/* Returns the lines to search, as they are broken at this width; none if out of memory. */
static SearchLines search_lines(HelpState *s, int w, const Ui *ui) {
    Rect all = {0, 0, w, HELP_LINES};
    if (s->whole && (s->whole->w != w || s->whole->utf8 != ui->utf8)) {
        canvas_free(s->whole);
        s->whole = NULL;
    }
    if (!s->whole) s->whole = canvas_new(w, HELP_LINES, ui->utf8);
    if (!s->whole) return (SearchLines){0, 0, text_of, s};
    canvas_clear(s->whole, STYLE(TONE_NONE)); /* begins with the panel that help was asked for */
    s->height = put_all(s->whole, all, 0, ui);
    return (SearchLines){0, (uint64_t)(s->height < HELP_LINES ? s->height : HELP_LINES), text_of,
                         s};
}

static void show_match(HelpState *s, int page) {
    s->top = (int)search_top(s->search.at, (uint64_t)s->top, page);
    if (s->top > s->most) s->top = s->most;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    (void)model;
    HelpState nothing = {0}, *s = state ? state : &nothing;
    int bar = inside(rect).x + inside(rect).w - 1;
    rect = text_rect(rect);
    if (rect.w < 1) return;
    if (search_on(&s->search)) {
        SearchLines lines = search_lines(s, rect.w, ui);
        s->most = s->height > rect.h ? s->height - rect.h : 0;
        if (search_follow(&s->search, &lines, (uint64_t)s->top)) show_match(s, rect.h);
    } else {
        search_follow(&s->search, &(SearchLines){0}, 0);
    }
    int height = put_all(canvas, rect, s->top, ui);
    s->most = height > rect.h ? height - rect.h : 0;
    if (s->top > s->most) { /* it has become shorter */
        s->top = s->most;
        canvas_fill(canvas, rect, ' ', STYLE(TONE_NONE));
        put_all(canvas, rect, s->top, ui);
    }
    bool found = s->search.found;
    search_light(&s->search, canvas, rect, found ? rect.y + (int)s->search.at - s->top : -1);
    canvas_scroll(canvas, bar, rect.y, rect.h, (uint64_t)s->top,
                  (uint64_t)(rect.h > 0 ? rect.h : 1), (uint64_t)height);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model;
    HelpState *s = state;
    if (action == ACT_ENTER) {
        ui_close(ui);
        return true;
    }
    if (!s) return false;
    bool goes = action == ACT_NEXT_MATCH || action == ACT_MATCH_BEFORE;
    SearchLines lines = {0};
    if (goes) lines = search_lines(s, text_rect(rect).w, ui);
    if (search_act(&s->search, ui, action, &lines)) {
        if (goes && s->search.found) show_match(s, rect.h);
        return true;
    }
    List list = {.cursor = (uint64_t)s->top, .count = (uint64_t)s->most + 1};
    if (!list_act(&list, action, rect.h)) return false;
    s->top = (int)list.cursor;
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)model;
    if (state) search_note(&((HelpState *)state)->search, ui, out, size);
}

static bool seeks(const void *state) {
    return search_on(&((const HelpState *)state)->search);
}

const Panel panel_help = {.title = "Help",
                          .size = sizeof(HelpState),
                          .end = end,
                          .offers = {ACT_FILTER, ACT_NEXT_MATCH},
                          .seeks = seeks,
                          .note = note,
                          .draw = draw,
                          .act = act};
