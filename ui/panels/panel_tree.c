/* panel_tree.c - the call tree: what every function on every call path made and still holds,
 * including everything it called (live) and by itself (own); or upside down, from each function
 * that allocates to its callers. Rows: treerows.c; table: table.c. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/flame/flamestate.h"
#include "panels/treerows.h"
#include "widget/describe.h"
#include "widget/tallycell.h"

/* What the columns read: the TableSource's `rows`. */
typedef struct TreeLook {
    TreeRows *rows;
    bool callers;          /* upside down */
    char filter[EDIT_MAX]; /* for which the rows were computed */
    uint32_t skip;         /* levels cut off on the left */
    int indent;            /* columns per level */
} TreeLook;

enum {
    TREE_SHARE,
    TREE_LIVE,
    TREE_MADE,
    TREE_BAR,
    TREE_SURVIVE,
    TREE_SURVIVORS,
    TREE_RANGE_MADE,
    TREE_RANGE_FREED,
    TREE_RANGE_GREW,
    TREE_OWN,
    TREE_OWN_MADE,
    TREE_BLOCKS,
    TREE_CHANGE,
    TREE_RATE,
    TREE_ALLOCS,
    TREE_CHURN,
    TREE_AT_ONCE,
    TREE_IN_CYCLE,
    TREE_LATER,
    TREE_NAME,
    TREE_WHERE,
    TREE_COLUMNS
};

/* ---- columns --------------------------------------------------------------------------------- */

#define LEVELS_DRAWN 60

static const TreeLook *look_of(const TableSource *from) {
    return from->rows;
}

static TreeRow row_of(const TableSource *from, uint32_t row) {
    return treerows_row(look_of(from)->rows, row);
}

static const LmpTally *tree_total(const TableSource *from, uint32_t row) {
    return row_of(from, row).total;
}

static const LmpTally *own_of(const TableSource *from, uint32_t row) {
    return row_of(from, row).own;
}

/* Draws what the function made itself, in its heat; behind that what it called. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const ShownFigure *by = table_by(from->table)->shown_figure;
    TreeRow r = row_of(from, row);
    double all = shownfigure_value(by, from->model, from->whole);
    double total = all > 0 ? shownfigure_value(by, from->model, r.total) / all : 0;
    double own = r.own && all > 0 ? shownfigure_value(by, from->model, r.own) / all : total;
    tallycell_bar(canvas, x, y, w, own, total);
}

/* Returns which of two runs has come this way. */
static LmpSide side_of(const LmpTally *total) {
    bool is = tally_made(total) > 0, was = total->mark.made > 0;
    return is == was ? LMP_SIDE_BOTH : is ? LMP_SIDE_CAME : LMP_SIDE_WENT;
}

static void cell_where(const TableSource *from, uint32_t row, TableCell *cell) {
    TreeRow r = row_of(from, row);
    tallycell_where(cell, from->ui, r.short_src, r.line);
    if (!r.exact) cell->style = STYLE(TONE_MUTED); /* where the function is defined */
    if (from->model->against.read) tallycell_side(cell, side_of(r.total));
}

/* Draws tree lines, the open/closed mark, the name, and how it was reached. */
static void paint_name(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const TreeLook *s = look_of(from);
    TreeRow r = row_of(from, row);
    bool utf8 = from->ui->utf8;
    int right = x + w;
    uint32_t levels = r.depth > s->skip ? r.depth - s->skip : 0;
    if (levels > LEVELS_DRAWN) levels = LEVELS_DRAWN;
    uint64_t more = treerows_lines(s->rows, row, levels + 1);
    Style line = STYLE(TONE_BORDER);
    for (uint32_t k = levels; k-- > 0; x += s->indent) { /* k levels above the row */
        bool last = k == 0, goes_on = more >> k & 1;
        uint32_t glyph = last ? goes_on ? 0x251cu : 0x2514u : goes_on ? G_VLINE : ' ';
        canvas_put(canvas, x, y, glyph, line);
        if (s->indent > 1) canvas_put(canvas, x + 1, y, last ? G_HLINE : ' ', line);
    }
    uint32_t mark = !r.children ? (utf8 ? G_MIDDOT : ' ')
                    : r.open    ? (utf8 ? G_SORT_DOWN : '-')
                                : (utf8 ? G_RIGHT : '+');
    canvas_put(canvas, x, y, mark, STYLE(r.children ? TONE_ACCENT : TONE_BORDER));
    x += 2;
    bool filtered = s->filter[0] != 0;
    char text[256], plain[256], kind[24] = "";
    if (r.is_line) {
        snprintf(text, sizeof text, r.line < 0 ? "itself" : "line %d", (int)r.line);
    } else {
        describe_function(plain, sizeof plain, kind, sizeof kind, r.name);
        format_text(text, sizeof text, plain, !utf8);
    }
    Style style = filtered && r.matches                           ? STYLE_BOLD(TONE_ACCENT)
                  : filtered                                      ? STYLE(TONE_MUTED)
                  : r.is_line                                     ? STYLE(TONE_SOURCE)
                  : from->model->ledger.function[r.function].is_c ? STYLE(TONE_MUTED)
                                                                  : STYLE(TONE_TEXT);
    x += canvas_text(canvas, x, y, right - x, style, text);
    static const struct {
        uint32_t flag;
        const char *text;
    } marks[] = {{LMP_NODE_TAIL, " (tail call)"}, {LMP_NODE_COROUTINE, " (coroutine)"}};
    for (int i = 0; i < 2; i++)
        if (r.flags & marks[i].flag)
            x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), marks[i].text);
    if (r.recursive) x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " (recursive)");
    if (kind[0] && x + 1 + (int)strlen(kind) <= right)
        canvas_text(canvas, x + 1, y, right - x - 1, STYLE(TONE_MUTED), kind);
}

/* Makes the column sortable; treerows.c sorts siblings by name itself. */
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a).name, row_of(from, b).name);
}

static const char *name_heading(const TableSource *from) {
    return look_of(from)->callers ? "function, below it who called it" : "function";
}

static const char *total_heading(const TableSource *from) {
    bool makes = from->ui->makes;
    return look_of(from)->callers ? makes ? "made here" : "held here" : makes ? "made" : "live";
}

static const char *own_heading(const TableSource *from) {
    return look_of(from)->callers ? "" : "own";
}

static const TableColumn columns[TREE_COLUMNS] = {
    [TREE_SHARE] = {"%", 6, 6, 2, .cell = tallycell_col_share, .help = SHARE_HELP},
    [TREE_LIVE] = {NULL, 11, 11, 0, HOLDS(M_LIVE), .yields = 3, .heading = total_heading,
                   .help = "live bytes that were made there, with all that it called"},
    [TREE_MADE] = {NULL, 11, 11, 0, MAKES(M_MADE), .yields = 3, .heading = total_heading,
                   .help = "all bytes that were made there, with all that it called"},
    [TREE_BAR] = {"", 7, 12, 5, .paint = paint_bar,
                  .help = "its share; the bright part is its own"},
    [TREE_SURVIVE] = {NULL, 11, 11, 0, IN_SINCE(M_SURVIVE)},
    [TREE_SURVIVORS] = {NULL, 11, 13, 1, IN_SINCE(M_SURVIVORS)},
    [TREE_RANGE_MADE] = {"allocated", 11, 11, 0, IN_RANGE(M_RATE), .help = RANGE_MADE_HELP},
    [TREE_RANGE_FREED] = {NULL, 10, 10, 0, IN_RANGE(M_FREED)},
    [TREE_RANGE_GREW] = {"grew", 11, 11, 0, IN_RANGE(M_CHANGE), .help = RANGE_GREW_HELP},
    [TREE_OWN] = {"own", 11, 11, 3, HOLDS(M_LIVE), .tally = own_of, .heading = own_heading,
                  .help = "without what it called"},
    [TREE_OWN_MADE] = {"own", 11, 11, 3, MAKES(M_MADE), .tally = own_of, .heading = own_heading,
                       .help = "without what it called"},
    [TREE_BLOCKS] = {NULL, 8, 13, 6, HOLDS(M_BLOCKS)},
    [TREE_CHANGE] = {NULL, 11, 11, 7, HOLDS_NOW(M_CHANGE)},
    [TREE_RATE] = {NULL, 10, 11, 6, MAKES_NOW(M_RATE)},
    [TREE_ALLOCS] = {NULL, 8, 13, 7, MAKES(M_ALLOCS)},
    [TREE_CHURN] = {NULL, 7, 7, 8, HOLDS(M_CHURN)},
    [TREE_AT_ONCE] = {NULL, 9, 9, 8, MAKES(M_AT_ONCE)},
    [TREE_IN_CYCLE] = {NULL, 7, 7, 9, MAKES(M_IN_CYCLE)},
    [TREE_LATER] = {NULL, 7, 7, 9, MAKES(M_LATER)},
    [TREE_NAME] = {"function", 34, 72, 1, .least = 6, .align = TABLE_LEFT, .flex = true,
                   .rising = true, .paint = paint_name, .compare = by_name, .heading = name_heading,
                   .help = "who is called, below it whom that calls; I turns it upside down"},
    [TREE_WHERE] = {"where", 18, 28, 3, .align = TABLE_TAIL, .flex = true, .cell = cell_where,
                    .help = "the line that the call stands at"},
};

/* ---- order ----------------------------------------------------------------------------------- */

static double figure(const TableSource *from, const ShownFigure *by, const LmpTally *tally) {
    double value = shownfigure_value(by, from->model, tally);
    return isnan(value) ? -DBL_MAX : value; /* rows without a figure come last */
}

static double by_column(const void *about, const LmpTally *total, const LmpTally *own) {
    const TableSource *from = about;
    const TableColumn *column = &columns[from->table->sort];
    double value = figure(from, column->shown_figure, column->tally == own_of && own ? own : total);
    return value > -DBL_MAX ? shownfigure_key(column->shown_figure, from->model, value) : value;
}

/* Returns the heat of the whole, even if rows are sorted by their own share. */
static double tree_heat(const void *about, const LmpTally *total, const LmpTally *own) {
    (void)own;
    const TableSource *from = about;
    return figure(from, table_by(from->table)->shown_figure, total);
}

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row).key;
}

static const TableDef tree_table = {
    .name = "Tree",
    .column = columns,
    .columns = TREE_COLUMNS,
    .sort = TREE_LIVE,
    .sort_makes = TREE_MADE,
    .sort_range = TREE_RANGE_MADE,
    .sort_since = TREE_SURVIVE,
    .id = id_of,
    .empty = "nothing was allocated",
    .own_order = true,
};

#define FIRST_LEVELS 64u   /* opened initially, along the hottest path */
#define MORE_LEVELS 10000u /* opened by one key press */
#define NAME_LEAST 22      /* least columns that tree lines leave to a name */

typedef struct Tree {
    TreeLook look;
    Table table;
    TableSource from;
    bool touched; /* a person has opened, closed or moved: do not open the hottest path again */
    bool failed;  /* no memory for the rows */

    /* what the rows were found for */
    uint64_t serial; /* of model->ledger; 0: of none */
    bool dirty, held, reverse, makes;
    int sort;
} Tree;

/* ---- state ----------------------------------------------------------------------------------- */

static bool begin(void *state) {
    Tree *s = state;
    table_init(&s->table, &tree_table);
    s->dirty = true;
    s->look.rows = treerows_new();
    return s->look.rows != NULL;
}

static void end(void *state) {
    Tree *s = state;
    treerows_free(s->look.rows);
    table_free(&s->table);
}

static bool there(const Tree *s, const Model *model) {
    return s && model->ledger.stacks && model->ledger.nodes > 0;
}

/* Recomputes the rows if anything that they depend on has changed. */
static void sync(Tree *s, const Model *model, const Ui *ui) {
    const Ledger *ledger = &model->ledger;
    table_follow_mode(&s->table, model, ui);
    s->from.model = model;
    s->from.ui = ui;
    s->from.table = &s->table;
    s->from.whole = &ledger->tree[0].retained;
    s->from.tally = tree_total;
    table_compare(&s->table, model);
    bool held = table_is_held(&s->table, ui);
    bool so = s->sort == s->table.sort && s->reverse == s->table.reverse && s->makes == ui->makes;
    bool same = !s->dirty && s->serial == model->ledger_serial && s->held == held && so &&
                strcmp(s->look.filter, s->table.filter.text) == 0;
    if (!same) {
        s->dirty = false;
        s->serial = model->ledger_serial;
        s->held = held;
        s->makes = ui->makes;
        s->sort = s->table.sort;
        s->reverse = s->table.reverse;
        snprintf(s->look.filter, sizeof s->look.filter, "%s", s->table.filter.text);
        if (!s->touched && s->look.filter[0] == 0) {
            treerows_close_all(s->look.rows);
            treerows_open_hottest(s->look.rows, UINT32_MAX, FIRST_LEVELS);
        }
        TreeWanted request = {.callers = s->look.callers,
                              .shown_figure = columns[s->sort].shown_figure ? by_column : NULL,
                              .heat = tree_heat,
                              .about = &s->from,
                              .reverse = s->reverse,
                              .still = held && so,
                              .filter = s->look.filter};
        s->failed = !treerows_update(s->look.rows, ledger, &request);
        s->from.serial++;
    }
    s->from.rows = &s->look;
    s->from.count = treerows_count(s->look.rows);
    table_fill(&s->table, &s->from);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Chooses how far the page is shifted left so that its deepest rows have room. */
static void choose_indent(Tree *s, const List *list, int page, int room) {
    uint32_t deepest = 0;
    for (uint64_t i = list->top; i < list->count && i < list->top + (uint64_t)page; i++) {
        uint32_t depth = treerows_row(s->look.rows, (uint32_t)i).depth;
        if (depth > deepest) deepest = depth;
    }
    int levels = room > NAME_LEAST ? room - NAME_LEAST : 0;
    s->look.indent = deepest <= (uint32_t)levels / 2 ? 2 : 1;
    s->look.skip = deepest > (uint32_t)levels ? deepest - (uint32_t)levels : 0;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Tree *s = state;
    if (!s || rect.w <= 0 || rect.h <= 0) return;
    if (!tallycell_can(model, ui, canvas, rect, NEED_STACKS, LEDGER_TREE)) return;
    if (!there(s, model)) return;
    sync(s, model, ui);
    int page = rect.h - (rect.h >= 3);
    List list = s->table.list;
    list_fit(&list, list.count, page);
    int room = s->table.width[TREE_NAME];
    choose_indent(s, &list, page, room > 0 ? room - 1 : rect.w - 14);
    table_draw(&s->table, &s->from, canvas, rect);
    if (s->table.width[TREE_NAME] == room) return;
    /* the columns' widths have changed since the lines were made */
    choose_indent(s, &list, page, s->table.width[TREE_NAME] - 1);
    canvas_fill(canvas, rect, ' ', STYLE(TONE_NONE));
    table_draw(&s->table, &s->from, canvas, rect);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Tree *s = state;
    char count[LMP_NUM], text[128];
    if (!there(s, model)) return;
    table_note(&s->table, text, sizeof text);
    if (s->look.filter[0]) {
        snprintf(out, size, "%s rows · \"%s\" · esc clears",
                 format_count(count, s->table.list.count), s->look.filter);
    } else if (text[0]) {
        snprintf(out, size, "%s", text);
    } else if (model->ledger.pathless > 0) {
        char live[LMP_NUM];
        snprintf(out, size, "no room for more paths: %s allocations, %s live, in (others)",
                 format_short(count, model->ledger.pathless),
                 format_bytes(live, model->ledger.pathless_bytes));
    } else {
        snprintf(out, size, "%s%s nodes · I %s · * hottest path",
                 model->ledger.sample ? "sampled, " : "",
                 format_count(count, model->ledger.nodes - 1),
                 s->look.callers ? "callees" : "callers");
    }
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

/* Keeps the row under the cursor, and the others in place, after one was opened or closed. */
static void changed(Tree *s, const Model *model, Ui *ui) {
    table_hold(&s->table, ui);
    s->touched = true;
    s->dirty = true;
    sync(s, model, ui);
}

static void choose_row(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    table_choose(&s->table, treerows_row(s->look.rows, row).key);
    changed(s, model, ui);
}

static bool unfold(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    TreeRow r = treerows_row(s->look.rows, row);
    if (r.open) {
        if (row + 1 < s->from.count) choose_row(s, model, ui, row + 1);
    } else if (r.children) {
        treerows_open(s->look.rows, row, true);
        changed(s, model, ui);
    }
    return true;
}

static bool fold(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    TreeRow r = treerows_row(s->look.rows, row);
    if (r.open) {
        treerows_open(s->look.rows, row, false);
        changed(s, model, ui);
    } else if (r.up != row) {
        choose_row(s, model, ui, r.up);
    }
    return true;
}

static bool toggle(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    TreeRow r = treerows_row(s->look.rows, row);
    if (r.children) {
        treerows_open(s->look.rows, row, !r.open);
        changed(s, model, ui);
    } else if (r.site) {
        ui_open_site(ui, r.site);
    }
    return true;
}

static bool hottest(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    treerows_open_hottest(s->look.rows, row, MORE_LEVELS);
    changed(s, model, ui);
    return true;
}

static bool invert(Tree *s, const Model *model, Ui *ui) {
    s->look.callers = !s->look.callers;
    s->touched = false;
    s->dirty = true;
    s->table.list = (List){0};
    s->table.has_chosen = false;
    s->table.moved = 0;
    if (there(s, model)) sync(s, model, ui);
    return true;
}

/* Goes to the next row that the filter matches itself, not as a way to a match; wraps around. */
static bool next_match(Tree *s, Ui *ui, int step) {
    uint64_t count = s->table.list.count, at = s->table.list.cursor;
    if (s->table.filter.used == 0) return false;
    for (uint64_t i = 0; i < count; i++) {
        at = step > 0 ? (at + 1) % count : (at + count - 1) % count;
        if (!treerows_row(s->look.rows, (uint32_t)at).matches) continue;
        s->table.list.cursor = at;
        table_hold(&s->table, ui);
        break;
    }
    return true;
}

static const struct {
    Action action;
    bool (*act)(Tree *s, const Model *model, Ui *ui, uint32_t row);
} acts[] = {
    {ACT_RIGHT, unfold},  {ACT_ZOOM_IN, unfold}, {ACT_LEFT, fold},
    {ACT_ZOOM_OUT, fold}, {ACT_ENTER, toggle},   {ACT_HOTTEST, hottest},
};

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect;
    Tree *s = state;
    if (action == ACT_FLAME) {
        ui_open(ui, &panel_flame);
        return true;
    }
    if (s && model->ledger.stacks && action == ACT_INVERT) return invert(s, model, ui);
    if (!there(s, model)) return false;
    sync(s, model, ui);
    bool next = action == ACT_NEXT_MATCH;
    if (next || action == ACT_MATCH_BEFORE) return next_match(s, ui, next ? 1 : -1);
    uint32_t row = table_selected(&s->table);
    for (size_t i = 0; row != TABLE_NONE && i < sizeof acts / sizeof *acts; i++)
        if (acts[i].action == action) return acts[i].act(s, model, ui, row);
    if (!table_act(&s->table, &s->from, ui, action)) return false;
    s->touched = true;
    sync(s, model, ui);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Tree *s = state;
    if (!there(s, model)) return false;
    sync(s, model, ui);
    bool done = table_mouse(&s->table, &s->from, event, rect);
    if (!done) return false;
    s->touched = true;
    sync(s, model, ui);
    /* a click on the mark opens or closes */
    uint32_t row = table_selected(&s->table);
    if (event.what != MOUSE_CLICK || row == TABLE_NONE || (rect.h >= 3 && event.y == 0))
        return true;
    TreeRow r = treerows_row(s->look.rows, row);
    uint32_t levels = r.depth > s->look.skip ? r.depth - s->look.skip : 0;
    int mark = s->table.at[TREE_NAME] + (int)levels * s->look.indent;
    if (event.x == mark || event.x == mark + 1) toggle(s, model, ui, row);
    return true;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    Tree *s = state;
    if (!there(s, model)) return false;
    sync(s, model, ui);
    uint32_t row = table_selected(&s->table);
    if (row == TABLE_NONE) return false;
    TreeRow r = treerows_row(s->look.rows, row);
    int line = r.some_line > 0 ? r.some_line : r.line;
    *out = (PanelPlace){.source = r.source,
                        .short_src = r.short_src,
                        .line = line ? line : 1, /* 0: a main chunk */
                        .defined = !r.exact && r.some_line <= 0};
    return true;
}

static struct Table *table_of(void *state) {
    return state ? &((Tree *)state)->table : NULL;
}

static bool seeks(const void *state) {
    return state && ((const Tree *)state)->table.filter.used > 0;
}

const Panel panel_tree = {
    .title = "Tree",
    .seeks = seeks,
    .about = "Calls from the outside in, with what each path of them made. * opens the path of "
             "most bytes.",
    .table = table_of,
    .number = 8,
    .all_types = true,
    .ledger = LEDGER_TREE | LEDGER_FUNCTIONS,
    .offers = {TABLE_OFFERS_MAKES, ACT_INVERT, ACT_HOTTEST, ACT_FLAME, ACT_EDIT, ACT_ENTER},
    .size = sizeof(Tree),
    .begin = begin,
    PANEL_OWN_CALLS};
