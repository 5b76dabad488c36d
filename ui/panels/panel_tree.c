/* panel_tree.c - the call tree: what every function on every call path made and still holds, with
 * all that it called (live) and by itself (own); or upside down, from each function that allocates
 * to its callers. Which rows there are: treerows.c; the table around them: table.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "panels/treerows.h"
#include "widget/tallycell.h"

#define FIRST_LEVELS 64u   /* opened at first, along the hottest path */
#define MORE_LEVELS 10000u /* opened at once by hand */
#define NAME_LEAST 22      /* columns that tree lines leave to a name */
#define LEVELS_DRAWN 60

typedef struct Tree {
    TreeRows *rows;
    Table table;
    TableSource from;
    bool callers;
    bool touched; /* a person has opened, closed or moved: the hottest path is not opened again */
    bool failed;  /* no memory for the rows */

    /* what the rows were found for */
    uint64_t serial; /* of model->ledger; 0: of none */
    bool dirty, held, reverse;
    int sort;
    char filter[EDIT_MAX];

    /* how tree lines are drawn in this frame */
    uint32_t skip; /* levels that are left out on the left */
    int indent;    /* columns a level */
} Tree;

static const Tree *tree_of(const TableSource *from) {
    return from->rows;
}

static TreeRow row_of(const TableSource *from, uint32_t row) {
    return treerows_row(tree_of(from)->rows, row);
}

static double share_of(const TableSource *from, uint64_t bytes) {
    uint64_t all = from->model->ledger.tree[0].retained.live_bytes;
    return all ? (double)bytes / (double)all : 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

static uint64_t live_bytes(const LmpTally *total, const LmpTally *own) {
    (void)own;
    return total->live_bytes;
}
static uint64_t own_bytes(const LmpTally *total, const LmpTally *own) {
    return own ? own->live_bytes : total->live_bytes;
}
static uint64_t allocs(const LmpTally *total, const LmpTally *own) {
    (void)own;
    return total->allocs;
}
static uint64_t made(const LmpTally *total, const LmpTally *own) {
    (void)own;
    return tally_made(total);
}
static uint64_t churn(const LmpTally *total, const LmpTally *own) {
    (void)own;
    double share = tally_churn(total);
    return share > 0 ? (uint64_t)(share * 1e9) : 0;
}

static void cell_live(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint64_t bytes = row_of(from, row).total->live_bytes;
    (void)wide;
    tallycell_bytes(cell, bytes, STYLE_BOLD(table_heat(share_of(from, bytes))));
}

static void cell_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_share(cell, share_of(from, row_of(from, row).total->live_bytes));
}

/* What it made itself in its heat, what it called behind that. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    TreeRow r = row_of(from, row);
    double total = share_of(from, r.total->live_bytes);
    double own = r.own ? share_of(from, r.own->live_bytes) : total;
    tallycell_bar(canvas, x, y, w, own, total);
}

static void cell_own(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpTally *own = row_of(from, row).own;
    (void)wide;
    if (!own) return;
    tallycell_bytes(cell, own->live_bytes, STYLE(table_heat(share_of(from, own->live_bytes))));
}

static void cell_allocs(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_count(cell, row_of(from, row).total->allocs, false);
}

static void cell_made(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, tally_made(row_of(from, row).total), STYLE(TONE_TEXT));
}

static void cell_churn(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_churn(cell, row_of(from, row).total);
}

static void cell_where(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    TreeRow r = row_of(from, row);
    (void)wide;
    tallycell_where(cell, from->ui, r.short_src, r.line);
    if (!r.exact) cell->style = STYLE(TONE_MUTED); /* where it is defined */
}

/* Lines, the mark of what is open, the name, and how it was reached. */
static void paint_name(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const Tree *s = tree_of(from);
    TreeRow r = row_of(from, row);
    bool utf8 = from->ui->utf8;
    int right = x + w;
    uint32_t levels = r.depth > s->skip ? r.depth - s->skip : 0;
    if (levels > LEVELS_DRAWN) levels = LEVELS_DRAWN;
    uint64_t more = treerows_lines(s->rows, row, levels + 1);
    Style line = STYLE(TONE_FRAME);
    for (uint32_t k = levels; k-- > 0; x += s->indent) { /* k levels above the row */
        bool last = k == 0, goes_on = more >> k & 1;
        uint32_t glyph = last ? goes_on ? 0x251cu : 0x2514u : goes_on ? G_VLINE : ' ';
        canvas_put(canvas, x, y, glyph, line);
        if (s->indent > 1) canvas_put(canvas, x + 1, y, last ? G_HLINE : ' ', line);
    }
    uint32_t mark = !r.children ? (utf8 ? G_MIDDOT : ' ')
                    : r.open    ? (utf8 ? G_SORT_DOWN : '-')
                                : (utf8 ? G_RIGHT : '+');
    canvas_put(canvas, x, y, mark, STYLE(r.children ? TONE_ACCENT : TONE_FRAME));
    x += 2;
    bool filtered = s->filter[0] != 0;
    char text[256];
    if (r.is_line) {
        snprintf(text, sizeof text, r.line < 0 ? "itself" : "line %d", (int)r.line);
    } else {
        format_text(text, sizeof text, r.name, !utf8);
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
    if (r.recursive) canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " (recursive)");
}

/* Chosen, siblings are sorted by name: treerows.c does it. */
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a).name, row_of(from, b).name);
}

static const char *name_heading(const TableSource *from) {
    return tree_of(from)->callers ? "function, below it who called it" : "function";
}

static const char *live_heading(const TableSource *from) {
    return tree_of(from)->callers ? "made here" : "live";
}

enum {
    COL_LIVE,
    COL_SHARE,
    COL_BAR,
    COL_OWN,
    COL_ALLOCS,
    COL_MADE,
    COL_CHURN,
    COL_NAME,
    COL_WHERE,
    COLS
};

/* The table asks for the order by figure; siblings are put in it by the measure of the same column
 * (rows come in their own order). */
#define VALUE(measure)                                                                             \
    static double value_##measure(const TableSource *from, uint32_t row) {                         \
        TreeRow r = row_of(from, row);                                                             \
        return (double)measure(r.total, r.own);                                                    \
    }
VALUE(live_bytes)
VALUE(own_bytes)
VALUE(allocs)
VALUE(made)
VALUE(churn)

static const TreeMeasure measures[COLS] = {
    [COL_LIVE] = live_bytes, [COL_OWN] = own_bytes, [COL_ALLOCS] = allocs,
    [COL_MADE] = made,       [COL_CHURN] = churn,
};

static bool upside_down(const TableSource *from) {
    return tree_of(from)->callers;
}

static const TableColumn columns[COLS] = {
    [COL_LIVE] = {NULL, 11, 11, 0, .cell = cell_live, .value = value_live_bytes,
                  .heading = live_heading},
    [COL_SHARE] = {"%", 6, 6, 2, .cell = cell_share},
    [COL_BAR] = {"", 7, 12, 5, .paint = paint_bar},
    [COL_OWN] = {"own", 11, 11, 3, .cell = cell_own, .value = value_own_bytes,
                 .hidden = upside_down},
    [COL_ALLOCS] = {"allocs", 8, 8, 4, .cell = cell_allocs, .value = value_allocs},
    [COL_MADE] = {"allocated", 11, 11, 6, .cell = cell_made, .value = value_made},
    [COL_CHURN] = {"churn", 7, 7, 7, .cell = cell_churn, .value = value_churn},
    [COL_NAME] = {NULL, 36, 72, 1, .least = 6, .align = TABLE_LEFT, .flex = true, .rising = true,
                  .paint = paint_name, .compare = by_name, .heading = name_heading},
    [COL_WHERE] = {"where", 18, 28, 3, .align = TABLE_TAIL, .flex = true, .cell = cell_where},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row).key;
}

static const TableDef def = {
    .column = columns,
    .columns = COLS,
    .sort = COL_LIVE,
    .id = id_of,
    .empty = "nothing allocated yet",
    .own_order = true,
};

/* ---- state ----------------------------------------------------------------------------------- */

static void *create(void) {
    Tree *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->rows = treerows_new();
    if (!s->rows) {
        free(s);
        return NULL;
    }
    table_init(&s->table, &def);
    s->dirty = true;
    return s;
}

static void destroy(void *state) {
    Tree *s = state;
    treerows_free(s->rows);
    table_free(&s->table);
    free(s);
}

static bool there(const Tree *s, const Model *model) {
    return s && model->ledger.stacks && model->ledger.nodes > 0;
}

/* Finds the rows anew when anything has changed that they depend on. */
static void sync(Tree *s, const Model *model, const Ui *ui) {
    const Ledger *ledger = &model->ledger;
    bool held = table_is_held(&s->table, ui);
    bool same = !s->dirty && s->serial == model->ledger_serial && s->held == held &&
                s->sort == s->table.sort && s->reverse == s->table.reverse &&
                strcmp(s->filter, s->table.filter.text) == 0;
    if (!same) {
        s->dirty = false;
        s->serial = model->ledger_serial;
        s->held = held;
        s->sort = s->table.sort;
        s->reverse = s->table.reverse;
        snprintf(s->filter, sizeof s->filter, "%s", s->table.filter.text);
        if (!s->touched && s->filter[0] == 0) {
            treerows_close_all(s->rows);
            treerows_open_hottest(s->rows, UINT32_MAX, FIRST_LEVELS);
        }
        TreeWanted request = {.callers = s->callers,
                              .measure = measures[s->sort],
                              .reverse = s->reverse,
                              .still = held,
                              .filter = s->filter};
        s->failed = !treerows_update(s->rows, ledger, &request);
        s->from.serial++;
    }
    s->from.rows = s;
    s->from.count = treerows_count(s->rows);
    s->from.model = model;
    s->from.ui = ui;
    table_fill(&s->table, &s->from);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* How far to the left the page is moved, so that its deepest rows have room. */
static void choose_indent(Tree *s, const List *list, int page, int room) {
    uint32_t deepest = 0;
    for (uint64_t i = list->top; i < list->count && i < list->top + (uint64_t)page; i++) {
        uint32_t depth = treerows_row(s->rows, (uint32_t)i).depth;
        if (depth > deepest) deepest = depth;
    }
    int levels = room > NAME_LEAST ? room - NAME_LEAST : 0;
    s->indent = deepest <= (uint32_t)levels / 2 ? 2 : 1;
    s->skip = deepest > (uint32_t)levels ? deepest - (uint32_t)levels : 0;
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
    int room = s->table.width[COL_NAME];
    choose_indent(s, &list, page, room > 0 ? room - 1 : rect.w - 14);
    table_draw(&s->table, &s->from, canvas, rect);
    if (s->table.width[COL_NAME] == room) return;
    /* the columns have other widths now than the lines were made for */
    choose_indent(s, &list, page, s->table.width[COL_NAME] - 1);
    canvas_fill(canvas, rect, ' ', STYLE(TONE_NONE));
    table_draw(&s->table, &s->from, canvas, rect);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Tree *s = state;
    char count[LMP_NUM], text[128];
    if (!there(s, model)) return;
    const char *dot = ui->utf8 ? "·" : "-";
    table_note(&s->table, ui, text, sizeof text);
    if (s->filter[0]) {
        snprintf(out, size, "%s rows %s \"%s\" %s esc clears",
                 format_count(count, s->table.list.count), dot, s->filter, dot);
    } else if (text[0]) {
        snprintf(out, size, "%s", text);
    } else if (model->ledger.pathless > 0) {
        char live[LMP_NUM];
        snprintf(out, size, "no room for more paths: %s allocations, %s live, in (others)",
                 format_short(count, model->ledger.pathless),
                 format_bytes(live, model->ledger.pathless_bytes));
    } else {
        snprintf(out, size, "%s%s nodes %s I %s %s * hottest path",
                 model->ledger.sample ? "sampled, " : "",
                 format_count(count, model->ledger.nodes - 1), dot,
                 s->callers ? "callees" : "callers", dot);
    }
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

/* Something was opened or closed: the row under the cursor stays there, and the others in place. */
static void changed(Tree *s, const Model *model, Ui *ui) {
    table_hold(&s->table, ui);
    s->touched = true;
    s->dirty = true;
    sync(s, model, ui);
}

static void choose_row(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    table_choose(&s->table, treerows_row(s->rows, row).key);
    changed(s, model, ui);
}

static bool unfold(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    TreeRow r = treerows_row(s->rows, row);
    if (r.open) {
        if (row + 1 < s->from.count) choose_row(s, model, ui, row + 1);
    } else if (r.children) {
        treerows_open(s->rows, row, true);
        changed(s, model, ui);
    }
    return true;
}

static bool fold(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    TreeRow r = treerows_row(s->rows, row);
    if (r.open) {
        treerows_open(s->rows, row, false);
        changed(s, model, ui);
    } else if (r.up != row) {
        choose_row(s, model, ui, r.up);
    }
    return true;
}

static bool toggle(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    TreeRow r = treerows_row(s->rows, row);
    if (r.children) {
        treerows_open(s->rows, row, !r.open);
        changed(s, model, ui);
    } else if (r.site) {
        ui_open_site(ui, r.site);
    }
    return true;
}

static bool hottest(Tree *s, const Model *model, Ui *ui, uint32_t row) {
    treerows_open_hottest(s->rows, row, MORE_LEVELS);
    changed(s, model, ui);
    return true;
}

static bool invert(Tree *s, const Model *model, Ui *ui) {
    s->callers = !s->callers;
    s->touched = false;
    s->dirty = true;
    s->table.list = (List){0};
    s->table.has_chosen = false;
    s->table.moved = 0;
    if (there(s, model)) sync(s, model, ui);
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
    Tree *s = state;
    (void)rect;
    if (s && model->ledger.stacks && action == ACT_INVERT) return invert(s, model, ui);
    if (!there(s, model)) return false;
    sync(s, model, ui);
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
    TreeRow r = treerows_row(s->rows, row);
    uint32_t levels = r.depth > s->skip ? r.depth - s->skip : 0;
    int mark = s->table.at[COL_NAME] + (int)levels * s->indent;
    if (event.x == mark || event.x == mark + 1) toggle(s, model, ui, row);
    return true;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    Tree *s = state;
    if (!there(s, model)) return false;
    sync(s, model, ui);
    uint32_t row = table_selected(&s->table);
    if (row == TABLE_NONE) return false;
    TreeRow r = treerows_row(s->rows, row);
    int line = r.some_line > 0 ? r.some_line : r.line;
    *out = (PanelPlace){.source = r.source,
                        .short_src = r.short_src,
                        .line = line ? line : 1, /* 0: a main chunk */
                        .defined = !r.exact && r.some_line <= 0};
    return true;
}

const Panel panel_tree = {.title = "Tree",
                          .number = 8,
                          .all_types = true,
                          .ledger = LEDGER_TREE | LEDGER_FUNCTIONS,
                          .offers = {TABLE_OFFERS, ACT_INVERT, ACT_HOTTEST, ACT_EDIT, ACT_ENTER},
                          .min_w = 17,
                          .min_h = 2,
                          .create = create,
                          .destroy = destroy,
                          .draw = draw,
                          .act = act,
                          .mouse = mouse,
                          .note = note,
                          .place = place};
