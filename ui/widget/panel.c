/* panel.c - what panels have in common: opening one over another, scrolling lists. */
#include "widget/panel.h"

#include "base/format.h"
#include "shared/breaks.h"

#include <stdarg.h>
#include <stdio.h>

#include "widget/source.h"

void ui_open(Ui *ui, const Panel *panel) {
    int at = 0;
    while (at < ui->unders && ui->under[at] != panel)
        at++;
    if (at < ui->unders) {
        ui->unders = at;
    } else if (!ui->over) {
        ui->before = ui->focus;
    } else if (ui->over != panel && ui->unders < UI_UNDER) {
        ui->under[ui->unders++] = ui->over;
    }
    ui->over = ui->focus = panel;
    ui->edit = NULL;
}

void ui_close(Ui *ui) {
    ui->edit = NULL;
    if (!ui->over) return;
    ui->over = ui->unders > 0 ? ui->under[--ui->unders] : NULL;
    if (ui->over) {
        ui->focus = ui->over;
    } else {
        if (ui->before) ui->focus = ui->before;
        ui->before = NULL;
    }
}

void ui_close_all(Ui *ui) {
    ui->unders = 0;
    ui_close(ui);
}

void ui_open_site(Ui *ui, uint64_t id) {
    ui->site = id;
    ui_open(ui, ui->site_page);
}

void ui_ask_why_block(Ui *ui, uint64_t addr) {
    ui->wish = (UiWish){.what = WISH_BLOCK, .addr = addr};
    request_put_kind(&ui->requests, REQUEST_OPEN_SNAPSHOT);
}

void ui_ask_why_line(Ui *ui, const char *short_src, int line) {
    ui->wish = (UiWish){.what = WISH_LINE};
    format_where(ui->wish.line, sizeof ui->wish.line, short_src, line > 0 ? line : -1);
    request_put_kind(&ui->requests, REQUEST_OPEN_SNAPSHOT);
}

bool panel_offers(const Panel *panel, Action action) {
    for (size_t i = 0; i < sizeof panel->offers / sizeof *panel->offers; i++)
        if (panel->offers[i] == action) return action != ACT_NONE;
    return false;
}

PanelPlace panel_place_of(const LmpSiteRow *site) {
    return (PanelPlace){
        .source = site->raw_source, .short_src = site->short_src, .line = site->line};
}

void ui_show_piece(Ui *ui, uint64_t from, uint64_t to) {
    Request request = {.kind = REQUEST_SINCE,
                       .since = {.what = SINCE_PIECE, .from = from, .to = to}};
    if (ui->time.replay)
        request = (Request){.kind = REQUEST_TIME,
                            .time = {.what = TIME_SPAN, .ns = (int64_t)from, .to = (int64_t)to}};
    request_put(&ui->requests, &request);
}

void ui_say(Ui *ui, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(ui->said, sizeof ui->said, format, args);
    va_end(args);
}

void ui_open_source(Ui *ui, const char *source, int line) {
    const SourceText *text = sources_get(ui->sources, source, ui->now);
    if (text->path && !text->problem) {
        Request request = {.kind = REQUEST_OPEN, .file = {.line = line > 0 ? line : 1}};
        snprintf(request.file.path, sizeof request.file.path, "%s", text->path);
        request_put(&ui->requests, &request);
    } else {
        ui_say(ui, "No file to open: %s", text->problem ? text->problem : "a chunk made from text");
    }
}

void ui_edit(Ui *ui, LineEdit *edit) {
    ui->edit = edit;
}

void ui_break_at(Ui *ui, const char *short_src, int line) {
    LmpBreak b = {.kind = LMP_BREAK_AT, .line = line};
    if (short_src[0] == '.' && short_src[1] == '/') short_src += 2;
    snprintf(b.file, sizeof b.file, "%s", short_src);
    breaks_text(ui->break_text, sizeof ui->break_text, &b);
}

uint32_t ui_breaks_on(const Ui *ui) {
    uint32_t on = 0;
    for (uint32_t i = 0; i < ui->breaks.count && i < LMP_BREAKS; i++)
        on += ui->breaks.row[i].on != 0;
    return on;
}

void list_fit(List *list, uint64_t count, int page) {
    uint64_t rows = page > 0 ? (uint64_t)page : 1;
    list->count = count;
    if (list->cursor >= count) list->cursor = count ? count - 1 : 0;
    if (list->top > list->cursor) list->top = list->cursor;
    if (list->cursor >= list->top + rows) list->top = list->cursor - rows + 1;
    if (list->top + rows > count) list->top = count > rows ? count - rows : 0;
}

int list_draw(List *list, uint64_t count, ListRow *draw, const Model *model, const Ui *ui,
              Canvas *canvas, Rect rect) {
    int page = rect.h > 0 ? rect.h : 1;
    list_fit(list, count, page);
    for (int i = 0; i < rect.h && list->top + (uint64_t)i < count; i++) {
        Rect line = {rect.x, rect.y + i, rect.w, 1};
        draw(model, ui, list->top + (uint64_t)i, canvas, line);
        if (list->top + (uint64_t)i != list->cursor || ui->edit) continue;
        canvas_put(canvas, line.x, line.y, G_RIGHT, STYLE(TONE_ACCENT));
        canvas_tint(canvas, line, TONE_SELECT);
    }
    return page;
}

bool list_act(List *list, Action action, int page) {
    uint64_t rows = page > 1 ? (uint64_t)page - 1 : 1, last = list->count ? list->count - 1 : 0;
    switch (action) {
    case ACT_UP:
        list->cursor -= list->cursor > 0;
        break;
    case ACT_DOWN:
        list->cursor += list->cursor < last;
        break;
    case ACT_PAGE_UP:
        list->cursor = list->cursor > rows ? list->cursor - rows : 0;
        break;
    case ACT_PAGE_DOWN:
        list->cursor = last - list->cursor > rows ? list->cursor + rows : last;
        break;
    case ACT_HOME:
        list->cursor = 0;
        break;
    case ACT_END:
        list->cursor = last;
        break;
    default:
        return false;
    }
    list_fit(list, list->count, page);
    return true;
}
