/* panel_columns.c - shows or hides each column of a table; the choice goes to the config file. */
#include <stdio.h>

#include "widget/panel.h"
#include "widget/shownfigure.h"
#include "widget/table.h"

typedef struct Columns {
    List list;
    int page;
} Columns;

/* Lists the columns that can be chosen in the table's mode, in its order. Returns how many; at[]
 * (of TABLE_COLUMNS) receives their positions in its definition. */
static int choices(const Table *table, int *at) {
    int count = 0;
    for (int i = 0; table && i < table->def->columns; i++) {
        if (table_column_in_mode(table, i) && table_column_name(&table->def->column[i]))
            at[count++] = i;
    }
    return count;
}

static void draw_row(const Model *model, const Ui *ui, uint64_t row, Canvas *canvas, Rect line) {
    (void)model;
    const Table *table = ui->columns_of;
    int at[TABLE_COLUMNS], x = line.x + 2, right = line.x + line.w - 1;
    choices(table, at);
    const TableColumn *column = &table->def->column[at[row]];
    bool shown = table_column_shown(table, at[row]);
    canvas_put(canvas, x, line.y, shown ? G_DOT : G_MIDDOT,
               STYLE(shown ? TONE_RUNNING : TONE_FAINT));
    x += 2;
    x += canvas_printf(canvas, x, line.y, right - x, STYLE(shown ? TONE_STRONG : TONE_MUTED),
                       "%-12s  ", shownfigure_word(table_column_name(column), ui->utf8));
    const char *help = table_column_help(column);
    if (help) canvas_text(canvas, x, line.y, right - x, STYLE(TONE_MUTED), help);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Columns none = {{0}, 0}, *columns = state ? state : &none;
    int at[TABLE_COLUMNS];
    uint64_t count = (uint64_t)choices(ui->columns_of, at);
    columns->page = list_draw(&columns->list, count, draw_row, model, ui, canvas, rect);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)model, (void)state;
    const char *name = ui->columns_of ? ui->columns_of->def->name : "";
    snprintf(out, size, "of %s", name);
}

static void toggle(Ui *ui, int column) {
    Table *table = ui->columns_of;
    Request request = {.kind = REQUEST_REMEMBER};
    if (!table_column_show(table, column, !table_column_shown(table, column))) {
        ui_say(ui, "One column stays");
        return;
    }
    snprintf(request.remember.name, sizeof request.remember.name, "columns.%s", table->def->name);
    table_columns_text(table, request.remember.value, sizeof request.remember.value);
    request_put(&ui->requests, &request);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model, (void)rect;
    Columns *columns = state;
    int at[TABLE_COLUMNS], count = choices(ui->columns_of, at);
    if (!columns) return false;
    list_fit(&columns->list, (uint64_t)count, columns->page);
    if (action != ACT_ENTER && action != ACT_PAUSE)
        return list_act(&columns->list, action, columns->page);
    if (columns->list.cursor < (uint64_t)count) toggle(ui, at[columns->list.cursor]);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    (void)model, (void)rect;
    Columns *columns = state;
    int at[TABLE_COLUMNS], count = choices(ui->columns_of, at);
    if (!columns || event.what != MOUSE_CLICK || event.y < 0 ||
        (int)columns->list.top + event.y >= count)
        return false;
    columns->list.cursor = columns->list.top + (uint64_t)event.y;
    toggle(ui, at[columns->list.cursor]);
    return true;
}

const Panel panel_columns = {.title = "Columns",
                             .offers = {ACT_PAUSE, ACT_ENTER},
                             .size = sizeof(Columns),
                             .draw = draw,
                             .act = act,
                             .mouse = mouse,
                             .note = note};
