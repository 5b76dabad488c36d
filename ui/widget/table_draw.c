/* table_draw.c - gives the columns their places in the room there is, draws heading, rows and
 * scroll bar, and handles the table's keys and mouse. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/search.h"
#include "widget/shownfigure.h"
#include "widget/table.h"
#include "widget/tallycell.h"

#define CURSOR_W 2     /* the cursor's arrow and a blank */
#define FLEX_ENOUGH 44 /* columns for the last text before a path gets more than its wide width */
#define TAIL_MORE 16

/* ---- columns --------------------------------------------------------------------------------- */

static bool can_sort(const TableColumn *column) {
    return column->value || column->compare || column->shown_figure || column->field.type;
}

/* Returns true if the column belongs to this mode and is wanted. */
static bool has_column(const Table *t, const TableColumn *column) {
    if (!table_column_shown(t, (int)(column - t->def->column))) return false;
    return column->mode == TABLE_BOTH || (column->mode == TABLE_MAKES) == t->makes;
}

/* Where two runs are compared, the difference matters most; in a range, what happened in it; after
 * a moment, what was made since and lives. */
static int drop_of(const Table *t, const TableSource *from, const TableColumn *column) {
    bool differs = t->against && column->shown_figure && shownfigure_differs(column->shown_figure);
    bool yields = column->yields && (shownfigure_range(from) || !shownfigure_no_since(from));
    return differs ? 0 : yields ? column->yields : column->drop;
}

/* Chooses the columns for a width: all at their narrowest, then widened from the left. */
static void place_columns(Table *t, const TableSource *source, int from, int w) {
    const TableColumn *column = t->def->column;
    int n = t->def->columns, used = from, flex = -1;
    memset(t->width, 0, sizeof t->width);
    for (int drop = 0; drop < TABLE_COLUMNS; drop++) {
        for (int i = 0; i < n; i++) {
            if (drop_of(t, source, &column[i]) != drop || !has_column(t, &column[i])) continue;
            if (column[i].hidden && column[i].hidden(source)) continue;
            int take = column[i].narrow;
            if (used + take > w && column[i].least && used + column[i].least <= w) take = w - used;
            if (used + take > w && used == from && drop == 0) take = w - from; /* better cut */
            if (take <= 0 || used + take > w) continue;
            t->width[i] = take;
            used += take;
        }
    }
    for (int i = 0; i < n; i++) {
        if (!t->width[i]) continue;
        int more = column[i].wide - t->width[i];
        if (column[i].flex) {
            flex = i;
            if (more > w - used) more = w - used;
        }
        if (used + more > w) continue;
        t->width[i] += more;
        used += more;
    }
    if (flex >= 0) t->width[flex] += w - used;
    /* paths get a share of what is left over, if one of them needs it */
    for (int i = 0; i < n && flex >= 0; i++) {
        int more = t->width[flex] - FLEX_ENOUGH, lacks = t->tail[i] + 1 - t->width[i];
        if (!t->width[i] || column[i].align != TABLE_TAIL) continue;
        if (more > TAIL_MORE) more = TAIL_MORE;
        if (more > lacks) more = lacks;
        if (more <= 0) continue;
        t->width[i] += more;
        t->width[flex] -= more;
    }
    for (int i = 0, x = from; i < n; i++) {
        t->at[i] = x;
        x += t->width[i];
    }
    /* separate a text from a figure beside it by one column */
    for (int i = 1, before = 0; i < n; i++) {
        if (!t->width[i]) continue;
        if (column[i].align != TABLE_RIGHT && column[before].align == TABLE_RIGHT &&
            t->width[before] && t->width[i] > 4) {
            t->at[i]++;
            t->width[i]--;
        }
        before = i;
    }
}

static int heading_lines(const Table *t, Rect rect) {
    return rect.h >= (t->def->heading ? t->def->heading : 3) ? 1 : 0;
}

static void draw_heading(const Table *t, const TableSource *from, Canvas *canvas, Rect rect) {
    for (int i = 0; i < t->def->columns; i++) {
        const TableColumn *column = &t->def->column[i];
        if (!t->width[i]) continue;
        const char *title = column->heading        ? column->heading(from)
                            : column->title        ? column->title
                            : column->shown_figure ? shownfigure_title(column->shown_figure, from)
                                                   : "";
        bool sorted = i == t->sort && can_sort(column);
        Style style = STYLE(sorted ? TONE_TEXT : TONE_MUTED);
        int x = rect.x + t->at[i], room = t->width[i] - 1, end = x + room;
        if (canvas_width(title) > room) title = ""; /* a truncated title would say nothing */
        if (column->align == TABLE_RIGHT) {
            canvas_text_right(canvas, end, rect.y, room, style, title);
        } else {
            end = x + canvas_text(canvas, x, rect.y, room, style, title);
        }
        bool down = column->rising == t->reverse; /* largest first */
        if (sorted) {
            canvas_put(canvas, end, rect.y, down ? G_SORT_DOWN : G_SORT_UP, STYLE(TONE_ACCENT));
        }
    }
}

/* Drops the fraction of a figure too long for its column, rather than its unit: "1009.4 KiB". */
static void shorten_figure(char *text, int w) {
    char *point = strchr(text, '.');
    if (canvas_width(text) <= w || !point) return;
    const char *rest = point + 1 + strspn(point + 1, "0123456789");
    memmove(point, rest, strlen(rest) + 1);
}

/* Draws the text, followed by its kind in grey if there is room for all of that. */
static void draw_left(Canvas *canvas, int x, int y, int w, const TableCell *cell) {
    int used = canvas_text(canvas, x, y, w, cell->style, cell->text);
    if (cell->kind[0] && used + 1 + canvas_width(cell->kind) <= w)
        canvas_text(canvas, x + used + 1, y, w - used - 1, STYLE(TONE_MUTED), cell->kind);
}

static void put_figure(const TableSource *from, const TableColumn *column, double value,
                       TableCell *cell) {
    bool beyond = value > 9e18 || value < -9e18;
    uint64_t whole = value > 0 && !beyond ? (uint64_t)value : 0;
    int64_t change = beyond ? 0 : (int64_t)value;
    char count[LMP_NUM];
    if (whole == 0) cell->style = STYLE(TONE_FAINT);
    switch (column->look) {
    case LOOK_BYTES:
        format_bytes(cell->text, whole);
        break;
    case LOOK_COUNT:
        cell->wide ? format_count(cell->text, whole) : format_short(cell->text, whole);
        break;
    case LOOK_TIMES:
        snprintf(cell->text, sizeof cell->text, "×%s", format_count(count, whole));
        break;
    case LOOK_CHANGE:
        format_delta_bytes(cell->text, change);
        cell->style = STYLE(change > 0 ? TONE_GROWTH : change < 0 ? TONE_SHRINK : TONE_FAINT);
        break;
    case LOOK_SHARE:
        tallycell_share(cell, tallycell_share_of(whole, from->all));
        break;
    default:
        break;
    }
}

/* Fills a cell; the sort column has the heat of its share. */
static void fill_cell(const Table *t, const TableSource *from, const TableColumn *column,
                      uint32_t row, TableCell *cell) {
    const char *text = table_text(from, column, row);
    if (column->cell) {
        column->cell(from, row, cell);
    } else if (text) {
        format_text(cell->text, sizeof cell->text, text, !from->ui->utf8);
    } else if (column->shown_figure) {
        shownfigure_cell(column->shown_figure, from, row, table_tally(from, column, row), cell);
        if (column == table_by(t) && cell->style == STYLE(TONE_TEXT))
            cell->style = STYLE_BOLD(table_heat(table_share(from, row)));
    } else {
        double value = table_value(from, column, row);
        if (column->tone) cell->style = STYLE(column->tone);
        if (!isnan(value)) put_figure(from, column, value, cell);
    }
    if (from->dress) from->dress(from, row, column, cell);
}

void table_draw_row(const Table *t, const TableSource *from, Canvas *canvas, Rect rect, int y,
                    uint32_t row) {
    for (int i = 0; i < t->def->columns; i++) {
        const TableColumn *column = &t->def->column[i];
        int x = rect.x + t->at[i], room = t->width[i] - 1;
        if (room < 1) continue;
        if (column->paint) {
            column->paint(from, row, canvas, x, y, room);
            continue;
        }
        TableCell cell = {.style = STYLE(TONE_TEXT), .wide = t->width[i] >= column->wide};
        fill_cell(t, from, column, row, &cell);
        if (column->align == TABLE_RIGHT) {
            shorten_figure(cell.text, room);
            canvas_text_right(canvas, x + room, y, room, cell.style, cell.text);
        } else if (column->align == TABLE_TAIL) {
            canvas_tail(canvas, x, y, room, cell.style, STYLE(TONE_MUTED), cell.text);
        } else {
            draw_left(canvas, x, y, room, &cell);
        }
    }
}

/* Lights up what the filter matches in texts: it is not matched against figures. */
static void light_row(const Table *t, Canvas *canvas, Rect rect, int y) {
    for (int i = 0; t->filter.used > 0 && i < t->def->columns; i++)
        if (t->width[i] > 1 && t->def->column[i].align != TABLE_RIGHT)
            search_light_words(canvas, (Rect){rect.x + t->at[i], y, t->width[i] - 1, 1},
                               t->filter.text);
}

static void draw_nothing(const Table *t, Canvas *canvas, Rect rect) {
    const char *text = t->no_memory ? "no memory for this table" : t->def->empty;
    if (!t->no_memory && t->total > 0) {
        canvas_printf(canvas, rect.x + CURSOR_W, rect.y, rect.w - CURSOR_W, STYLE(TONE_MUTED),
                      "nothing matches \"%s\" (esc clears the filter)", t->filter.text);
    } else if (text) {
        canvas_text(canvas, rect.x + CURSOR_W, rect.y, rect.w - CURSOR_W, STYLE(TONE_MUTED), text);
    }
}

/* Notes the widest path ever shown, so that columns do not move to and fro. */
static void shownfigure_tails(Table *t, const TableSource *from, int page) {
    for (int i = 0; i < t->def->columns; i++) {
        const TableColumn *column = &t->def->column[i];
        if (column->align != TABLE_TAIL || !column->cell) continue;
        for (int line = 0; line < page && t->list.top + (uint64_t)line < t->list.count; line++) {
            TableCell cell = {.style = STYLE(TONE_TEXT), .wide = true};
            column->cell(from, t->order[t->list.top + (uint64_t)line], &cell);
            int w = canvas_width(cell.text);
            if (w > t->tail[i]) t->tail[i] = w;
        }
    }
}

void table_draw(Table *t, const TableSource *from, Canvas *canvas, Rect rect) {
    if (rect.w <= 0 || rect.h <= 0) return;
    int heading = heading_lines(t, rect), page = rect.h - heading;
    t->page = page;
    list_fit(&t->list, t->list.count, page);
    bool cursor = !t->def->no_cursor;
    /* reserve the scroll bar's column, so that nothing moves when it appears */
    bool narrow = rect.w <= 24, bar = t->list.count > (uint64_t)page && !narrow;
    Rect body = {rect.x, rect.y + heading, rect.w - bar, page};
    shownfigure_tails(t, from, page);
    place_columns(t, from, cursor ? CURSOR_W : 0, rect.w - !narrow);
    if (heading) draw_heading(t, from, canvas, (Rect){rect.x, rect.y, body.w, 1});
    if (t->list.count == 0) draw_nothing(t, canvas, body);
    for (int line = 0; line < page && t->list.top + (uint64_t)line < t->list.count; line++) {
        uint64_t place = t->list.top + (uint64_t)line;
        table_draw_row(t, from, canvas, body, body.y + line, t->order[place]);
        if (cursor && place == t->list.cursor) {
            canvas_put(canvas, body.x, body.y + line, G_RIGHT, STYLE(TONE_ACCENT));
            canvas_tint(canvas, (Rect){body.x, body.y + line, body.w, 1}, TONE_SELECT);
        }
        light_row(t, canvas, body, body.y + line);
    }
    if (bar) {
        canvas_scroll(canvas, rect.x + rect.w - 1, body.y, page, t->list.top, (uint64_t)page,
                      t->list.count);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool is_shown(const Table *t, int column) {
    bool any = false;
    for (int i = 0; i < t->def->columns; i++)
        any = any || t->width[i] > 0;
    if (!has_column(t, &t->def->column[column])) return false;
    return !any || t->width[column] > 0; /* not drawn yet: all columns */
}

/* Chooses the next sortable column, to the right (1) or the left (-1), wrapping around. */
static bool choose_column(Table *t, int step) {
    int n = t->def->columns;
    for (int i = 1; i <= n; i++) {
        int column = ((t->sort + i * step) % n + n) % n;
        if (!can_sort(&t->def->column[column]) || !is_shown(t, column)) continue;
        t->sort = column;
        t->reverse = false;
        return true;
    }
    return false;
}

void table_hold(Table *t, const Ui *ui) {
    t->moved = ui->now ? ui->now : 1;
    t->has_chosen = t->list.count > 0;
    if (t->has_chosen) t->chosen = t->ids[t->list.cursor];
}

static void filter_done(LineEdit *edit, struct Ui *ui, bool entered) {
    (void)ui;
    if (!entered) edit_clear(edit);
}

bool table_act(Table *t, const TableSource *from, Ui *ui, Action action) {
    bool done = true;
    switch (action) {
    case ACT_FILTER:
        t->filter.done = filter_done;
        ui_edit(ui, &t->filter);
        return true;
    case ACT_BACK:
        if (t->filter.used == 0) return false;
        edit_clear(&t->filter);
        break;
    case ACT_SORT_LEFT:
    case ACT_SORT_RIGHT:
        done = choose_column(t, action == ACT_SORT_LEFT ? -1 : 1);
        break;
    case ACT_REVERSE:
        done = t->sort >= 0 && can_sort(&t->def->column[t->sort]);
        t->reverse = t->reverse != done;
        break;
    default:
        if (t->def->no_cursor || !list_act(&t->list, action, t->page)) return false;
        if (action == ACT_HOME) {
            table_to_top(t);
        } else {
            table_hold(t, ui);
        }
    }
    table_fill(t, from);
    return done;
}

/* ---- mouse ----------------------------------------------------------------------------------- */

static int column_at(const Table *t, int x) {
    for (int i = 0; i < t->def->columns; i++)
        if (x >= t->at[i] && x < t->at[i] + t->width[i]) return i;
    return -1;
}

static bool click_heading(Table *t, const TableSource *from, int x) {
    int column = column_at(t, x);
    if (column < 0 || !can_sort(&t->def->column[column])) return false;
    t->reverse = column == t->sort && !t->reverse;
    t->sort = column;
    table_fill(t, from);
    return true;
}

uint32_t table_row_at(const Table *t, int y, Rect rect) {
    int heading = heading_lines(t, rect);
    if (y < heading || y >= rect.h) return TABLE_NONE;
    uint64_t place = t->list.top + (uint64_t)(y - heading);
    return place < t->list.count ? t->order[place] : TABLE_NONE;
}

bool table_mouse(Table *t, const TableSource *from, MouseEvent event, Rect rect) {
    if (event.what == MOUSE_WHEEL_UP || event.what == MOUSE_WHEEL_DOWN) {
        if (t->def->no_cursor) return false;
        for (int i = 0; i < 3; i++)
            list_act(&t->list, event.what == MOUSE_WHEEL_UP ? ACT_UP : ACT_DOWN, t->page);
        table_hold(t, from->ui);
        table_fill(t, from);
        return true;
    }
    int heading = heading_lines(t, rect);
    int x = event.x, y = event.y;
    if (x < 0 || x >= rect.w || y < 0 || y >= rect.h) return false;
    if (heading && y == 0) return click_heading(t, from, x) || event.what == MOUSE_DOUBLE;
    uint64_t place = t->list.top + (uint64_t)(y - heading);
    if (y < heading || place >= t->list.count || t->def->no_cursor) return false;
    t->list.cursor = place;
    table_hold(t, from->ui);
    return event.what == MOUSE_CLICK; /* the second click acts as enter */
}

/* ---- note ------------------------------------------------------------------------------------ */

void table_note(const Table *t, char *out, size_t size) {
    char shown[LMP_NUM], all[LMP_NUM];
    out[0] = 0;
    if (t->filter.used > 0) {
        snprintf(out, size, "%s of %s match \"%s\"", format_count(shown, t->list.count),
                 format_count(all, t->total), t->filter.text);
    } else if (t->held) {
        snprintf(out, size, "order held · Home sorts");
    }
}
