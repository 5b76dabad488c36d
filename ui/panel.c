/* panel.c - what panels have in common: opening one over another, scrolling lists. */
#include "panel.h"

void ui_open(Ui *ui, const Panel *panel) {
    if (ui->over != panel) {
        if (!ui->over) ui->before = ui->focus;
        ui->over = panel;
    }
    ui->focus = panel;
}

void ui_close(Ui *ui) {
    if (!ui->over) return;
    if (ui->before) ui->focus = ui->before;
    ui->over = ui->before = NULL;
}

void list_fit(List *list, uint64_t count, int page) {
    uint64_t rows = page > 0 ? (uint64_t)page : 1;
    list->count = count;
    if (list->cursor >= count) list->cursor = count ? count - 1 : 0;
    if (list->top > list->cursor) list->top = list->cursor;
    if (list->cursor >= list->top + rows) list->top = list->cursor - rows + 1;
    if (list->top + rows > count) list->top = count > rows ? count - rows : 0;
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
