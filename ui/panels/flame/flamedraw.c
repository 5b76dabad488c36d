/* flamedraw.c - draws each block of the layout: a ground by share, type or change (or brackets and
 * a letter where colours are few), the bar's name and figure; and up to four lines below about
 * the selected bar. */
#include "panels/flame/flamedraw.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/describe.h"

#define CRUMBS 600 /* bytes of the names of the bars around the one that is zoomed to */

/* ---- words ----------------------------------------------------------------------------------- */

/* Writes the name of a bar, as on its block: safe to draw. The root: "all". */
static void flamedraw_name(const FlameTree *tree, uint32_t bar, bool utf8, char *out, size_t size) {
    char plain[256];
    uint32_t function = flametree_call(tree, bar)->function;
    if (function == FLAME_NONE) {
        snprintf(out, size, "all");
        return;
    }
    const LmpFunctionRow *row = &flametree_fold(tree)->ledger->function[function];
    describe_function(plain, sizeof plain, NULL, 0, row->name);
    if (strcmp(plain, "?") == 0) { /* name not known: the place says more */
        describe_where(out, size, row->short_src, row->linedefined, !utf8);
        return;
    }
    format_text(out, size, plain, !utf8);
}

char *flamedraw_figure(char *out, FlameMetric metric, uint64_t value) {
    return flame_metric[metric].bytes ? format_bytes(out, value) : format_count(out, value);
}

const char *flamedraw_word(FlameMetric metric, bool range) {
    const FlameMetricInfo *info = &flame_metric[metric];
    return range && info->ranged_word ? info->ranged_word : info->word;
}

static double share(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

/* Writes "all > main chunk > run": if there is too little room, only the innermost names. */
static void name_path(const FlameTree *tree, uint32_t bar, bool utf8, char out[CRUMBS]) {
    const char *sign = utf8 ? " ▸ " : " > ";
    char name[256];
    size_t at = CRUMBS - 1;
    out[at] = 0;
    for (bool first = true;; first = false) {
        flamedraw_name(tree, bar, utf8, name, sizeof name);
        size_t n = strlen(name), between = first ? 0 : strlen(sign);
        if (n + between > at) break;
        at -= between;
        memcpy(out + at, sign, between);
        at -= n;
        memcpy(out + at, name, n);
        if (bar == FLAME_ROOT) break;
        bar = flametree_call(tree, bar)->parent;
    }
    memmove(out, out + at, CRUMBS - at);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* Returns the level 0 .. THEME_FLAME - 1 of a share; the whole is the last level. */
static unsigned level_of(double part) {
    int level = (int)(part * THEME_FLAME);
    return (unsigned)(level < 0 ? 0 : level >= THEME_FLAME ? THEME_FLAME - 1 : level);
}

/* Returns -2 .. 2: much less, less, as before, more, much more than at the mark. */
static int change_of(FlameSum sum) {
    double now = (double)sum.live, then = (double)sum.marked, size = now > then ? now : then;
    double part = size > 0 ? (now - then) / size : 0;
    return part > 0.5 ? 2 : part > 0.01 ? 1 : part < -0.5 ? -2 : part < -0.01 ? -1 : 0;
}

/* Returns a block's ground, and the sign that says the same without colours (0: none). */
static Tone ground_of(const FlameLook *look, uint32_t bar, char *sign) {
    *sign = 0;
    if (look->colour == FLAME_BY_TYPE) {
        unsigned kind = flametree_kind(look->tree, bar);
        if (kind >= LMP_KINDS) return TONE_FLAME_REST;
        *sign = kind_info[kind].letter;
        return TONE_KIND(kind);
    }
    FlameSum sum = flametree_sum(look->tree, bar);
    if (look->colour == FLAME_BY_CHANGE) {
        int change = change_of(sum);
        *sign = change > 0 ? '+' : change < 0 ? '-' : 0;
        return TONE_CHANGED(change);
    }
    return TONE_FLAMES(level_of(share(sum.live, sum.made)));
}

/* Returns true if a tone colours the ground on this terminal. */
static bool is_filled(const Ui *ui, Tone ground) {
    return ui->colours >= 16 || (ui->colours >= 8 && ground != TONE_FLAME_REST);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct Paint {
    Style style;
    bool filled; /* false: the block stands in brackets */
} Paint;

/* Tells rows apart: every other row has another shade, or with few colours each has a line below
 * it. `line`: of the block. */
static unsigned edge_of(const FlameLook *look, const Ui *ui, int row, int line) {
    if (ui->colours >= 256) return row % 2 ? ATTR_SHADE : 0;
    return line == look->tall - 1 ? ATTR_UNDERLINE : 0;
}

static Paint paint_of(const FlameLook *look, const Ui *ui, Tone ground, unsigned edge, bool hit,
                      bool at) {
    Paint paint = {.filled = is_filled(ui, ground)};
    Tone text = ground == TONE_FLAME_REST ? TONE_TEXT : TONE_CURSOR_GROUND;
    paint.style = paint.filled ? STYLE_ON(text, ground) : STYLE(TONE_TEXT);
    if (paint.filled) paint.style = STYLE_WITH(paint.style, edge);
    if (look->find && hit) paint.style = STYLE_WITH(paint.style, ATTR_BOLD | ATTR_UNDERLINE);
    if (at) paint.style = STYLE_WITH(paint.style, ATTR_REVERSE | ATTR_BOLD);
    return paint;
}

/* Draws children that are too narrow: "…12", or as much of that as is not another number. */
static void draw_rest(const FlameBlock *block, Canvas *canvas, int x, int y, int tall, bool at) {
    char count[LMP_NUM + 4], number[LMP_NUM];
    Style style = STYLE(TONE_MUTED);
    if (at) style = STYLE_WITH(style, ATTR_REVERSE | ATTR_BOLD);
    snprintf(count, sizeof count, "…%s", format_count(number, block->rest));
    if (canvas_width(count) > block->w)
        snprintf(count, sizeof count, "…%s", format_short(number, block->rest));
    if (canvas_width(count) > block->w) snprintf(count, sizeof count, "…");
    int w = block->w > 1 && canvas_width(count) < block->w ? block->w - 1 : block->w;
    canvas_fill(canvas, (Rect){x, y, w, tall}, ' ', style);
    canvas_text(canvas, x, y, w, style, count);
}

/* Adds the file to "main chunk", as all modules are named. A name that is too long loses its
 * beginning, so the file stays; its ".lua" goes first. */
static void add_file(const FlameTree *tree, uint32_t bar, bool utf8, int room, char *out,
                     size_t size) {
    char file[128];
    size_t used = strlen(out);
    uint32_t function = flametree_call(tree, bar)->function;
    if (function == FLAME_NONE) return;
    const LmpFunctionRow *row = &flametree_fold(tree)->ledger->function[function];
    if (row->is_c || row->linedefined != 0 || strcmp(row->name, "main chunk") != 0) return;
    if (row->short_src[0] == '[') return; /* [string "..."] */
    const char *slash = strrchr(row->short_src, '/');
    format_text(file, sizeof file, slash ? slash + 1 : row->short_src, !utf8);
    size_t n = strlen(file);
    bool lua = n > 4 && strcmp(file + n - 4, ".lua") == 0;
    if (lua && canvas_width(out) + 1 + canvas_width(file) > room) file[n - 4] = 0;
    if (*file) snprintf(out + used, size - used, " %s", file);
}

/* Draws, in the lines below a bar's name, its figure and its share of all, if there is room. */
static void draw_line(const FlameLook *look, const FlameBlock *block, Canvas *canvas, Rect rect,
                      Style style, int line) {
    char text[LMP_NUM + 8];
    if (line == 1)
        flamedraw_figure(text, look->metric, block->value);
    else
        snprintf(text, sizeof text, "%.1f %%",
                 share(block->value, flametree_value(look->tree, FLAME_ROOT)) * 100);
    int wide = canvas_width(text),
        pad = rect.w >= 8 && wide + 2 <= rect.w; /* padded like the name */
    if (wide <= rect.w) canvas_text(canvas, rect.x + pad, rect.y, wide, style, text);
}

/* Draws the text of a bar's block, and at its right the figure if there is room for both and the
 * figure has no line of its own. */
static void draw_words(const FlameLook *look, const Ui *ui, const FlameBlock *block, Canvas *canvas,
                       Rect rect, Style style, char sign) {
    char text[CRUMBS + 8], name[CRUMBS], figure[LMP_NUM];
    if (block->node == look->root && look->root != FLAME_ROOT)
        name_path(look->tree, block->node, ui->utf8, name);
    else
        flamedraw_name(look->tree, block->node, ui->utf8, name, sizeof name);
    bool mark = sign && ui->colours < 8;
    int pad = rect.w >= 8, room = rect.w - 2 * pad;
    add_file(look->tree, block->node, ui->utf8, room - 2 * mark, name, sizeof name);
    if (mark)
        snprintf(text, sizeof text, "%c %s", sign, name);
    else
        snprintf(text, sizeof text, "%s", name);
    flamedraw_figure(figure, look->metric, block->value);
    int wide = canvas_width(figure), used = canvas_width(text);
    canvas_tail(canvas, rect.x + pad, rect.y, room, style, style, text);
    if (look->tall == 1 && used + 2 + wide <= room)
        canvas_text_right(canvas, rect.x + pad + room, rect.y, wide, style, figure);
}

static void draw_block(const FlameLook *look, const Ui *ui, uint32_t i, Canvas *canvas, int x,
                       int y) {
    const FlameBlock *block = &look->layout->block[i];
    if (block->rest) {
        draw_rest(block, canvas, x, y, look->tall, i == look->at);
        return;
    }
    char sign;
    bool hit = look->find && flamefind_has(look->find, look->tree, block->node);
    Tone ground = look->find && !hit ? TONE_FLAME_REST : ground_of(look, block->node, &sign);
    if (look->find && !hit) sign = 0;
    int row = flameplan_row_of(look->layout, i), w = block->w;
    for (int line = 0; line < look->tall; line++, y++) {
        Paint paint = paint_of(look, ui, ground, edge_of(look, ui, row, line), hit, i == look->at);
        Rect rect = {x, y, w > 1 ? w - 1 : w,
                     1}; /* a column separates the block from the next one */
        if (paint.filled || w > 2)
            canvas_fill(canvas, paint.filled ? rect : (Rect){x, y, w, 1}, ' ', paint.style);
        if (!paint.filled) {
            canvas_put(canvas, x, y, w > 1 ? '[' : '|', paint.style);
            if (w > 1) canvas_put(canvas, x + w - 1, y, ']', paint.style);
            rect = (Rect){x + 1, y, w - 2, 1};
        }
        if (rect.w <= 1) continue;
        if (line == 0)
            draw_words(look, ui, block, canvas, rect, paint.style, sign);
        else
            draw_line(look, block, canvas, rect, paint.style, line);
    }
}

void flamedraw_graph(const FlameLook *look, const Ui *ui, Canvas *canvas, Rect rect) {
    const FlamePlan *layout = look->layout;
    for (int row = 0; row < layout->rows; row++)
        for (uint32_t i = layout->row[row]; i < layout->row[row + 1]; i++)
            draw_block(look, ui, i, canvas, rect.x + layout->block[i].x, rect.y + row * look->tall);
    int h = layout->rows;
    if (layout->top > 0 && h > 0)
        canvas_put(canvas, rect.x + rect.w - 1, rect.y, G_UP, STYLE(TONE_ACCENT));
    if (layout->deeper && h > 0)
        canvas_put(canvas, rect.x + rect.w - 1, rect.y + h - 1, G_DOWN, STYLE(TONE_ACCENT));
}

/* ---- below ----------------------------------------------------------------------------------- */

int flamedraw_lines(int h) {
    return h >= 13 ? 4 : h >= 9 ? 3 : h >= 6 ? 2 : h >= 4 ? 1 : 0;
}

typedef struct Pen {
    Canvas *canvas;
    int x, y, right;
} Pen;

static void put(Pen *pen, Style style, const char *text) {
    pen->x += canvas_text(pen->canvas, pen->x, pen->y, pen->right - pen->x, style, text);
}

/* Draws a figure and its word, if there is room for both. */
static void put_figure(Pen *pen, const char *figure, const char *what) {
    char text[96];
    snprintf(text, sizeof text, "%s %s  ", figure, what);
    if (canvas_width(text) - 2 > pen->right - pen->x) return;
    put(pen, STYLE(TONE_STRONG), figure);
    put(pen, STYLE(TONE_MUTED), " ");
    put(pen, STYLE(TONE_MUTED), what);
    put(pen, STYLE(TONE_MUTED), "  ");
}

static void put_percent(Pen *pen, double part, const char *what) {
    char text[32];
    snprintf(text, sizeof text, part > 0 && part < 0.0005 ? "<0.1 %%" : "%.1f %%", part * 100);
    put_figure(pen, text, what);
}

static void draw_who(const FlameLook *look, const Ui *ui, Pen pen) {
    char name[256], kind[24] = "", where[160] = "", plain[256], words[64];
    const Ledger *ledger = flametree_fold(look->tree)->ledger;
    uint32_t function = flametree_call(look->tree, look->selected)->function;
    flamedraw_name(look->tree, look->selected, ui->utf8, name, sizeof name);
    if (look->rest && look->at != FLAME_NONE) {
        uint32_t n = look->layout->block[look->at].rest;
        snprintf(words, sizeof words, "%u of what ", n);
        put(&pen, STYLE(TONE_TEXT), words);
    }
    put(&pen, STYLE(TONE_STRONG), name);
    if (look->rest) {
        bool callers = flametree_fold(look->tree)->how.inverted && look->selected != FLAME_ROOT;
        put(&pen, STYLE(TONE_TEXT), callers ? " is called by" : " calls");
        put(&pen, STYLE(TONE_MUTED), ", each too narrow: enter shows them");
        return;
    }
    if (function == FLAME_NONE) return;
    const LmpFunctionRow *row = &ledger->function[function];
    describe_function(plain, sizeof plain, kind, sizeof kind, row->name);
    if (kind[0]) {
        put(&pen, STYLE(TONE_MUTED), " ");
        put(&pen, STYLE(TONE_MUTED), kind);
    }
    describe_where(where, sizeof where, row->short_src, row->linedefined, !ui->utf8);
    put(&pen, STYLE(TONE_MUTED), "  ");
    int room = pen.right - pen.x;
    if (room > 6)
        pen.x += canvas_tail(pen.canvas, pen.x, pen.y, room, STYLE(TONE_SOURCE), STYLE(TONE_MUTED),
                             where);
    int32_t line = flametree_line(look->tree, look->selected);
    if (line > 0 && line != row->linedefined) {
        snprintf(words, sizeof words, "  in line %d", (int)line);
        if (canvas_width(words) <= pen.right - pen.x) put(&pen, STYLE(TONE_MUTED), words);
    }
    bool hidden = look->at != FLAME_NONE && look->layout->block[look->at].node != look->selected;
    if (hidden || (look->at != FLAME_NONE && look->layout->block[look->at].rest))
        put(&pen, STYLE(TONE_ACCENT), "  too narrow here");
}

static void draw_shares(const FlameLook *look, const Ui *ui, Pen pen) {
    char figure[LMP_NUM], words[300], name[256];
    uint64_t value = flametree_value(look->tree, look->selected);
    if (look->rest && look->at != FLAME_NONE) value = look->layout->block[look->at].value;
    put_figure(&pen, flamedraw_figure(figure, look->metric, value),
               flamedraw_word(look->metric, look->range));
    put_percent(&pen, share(value, flametree_value(look->tree, FLAME_ROOT)), "of all");
    if (look->root == FLAME_ROOT) return;
    flamedraw_name(look->tree, look->root, ui->utf8, name, sizeof name);
    snprintf(words, sizeof words, "of %.60s", name);
    put_percent(&pen, share(value, flametree_value(look->tree, look->root)), words);
}

static const char *change_words(const FlameLook *look, const LmpTally *t) {
    return look->range                              ? "in the range"
           : !look->against                         ? "since the mark"
           : t->live_bytes == 0 && t->mark.live > 0 ? "against the other run, all gone"
           : t->mark.live == 0 && t->live_bytes > 0 ? "against the other run, all new"
                                                    : "against the other run";
}

/* Draws all figures of the bar: first, if two runs are compared, what differs; in a range, what
 * happened in it. */
static void draw_figures(const FlameLook *look, Pen pen) {
    char figure[LMP_NUM];
    LmpTally t = flametree_tally(look->tree, look->selected);
    int64_t change = (int64_t)(t.live_bytes - t.mark.live);
    bool marked = flametree_fold(look->tree)->ledger->marked;
    if (look->rest) return;
    if (marked && look->range) {
        put_figure(&pen, format_bytes(figure, flame_metric[FLAME_MADE_SINCE].of(&t)), "allocated");
        put_figure(&pen, format_bytes(figure, flame_metric[FLAME_FREED_SINCE].of(&t)), "freed");
    }
    if (marked && (look->against || look->range))
        put_figure(&pen, format_delta_bytes(figure, change), change_words(look, &t));
    put_percent(&pen, share(t.live_bytes, tally_made(&t)), "still lives");
    put_figure(&pen, format_bytes(figure, t.live_bytes), "live");
    put_figure(&pen, format_bytes(figure, tally_made(&t)), "made");
    put_figure(&pen, format_count(figure, t.live_blocks), "blocks");
    put_figure(&pen, format_bytes(figure, t.peak_bytes), "at the peak");
    put_percent(&pen, share(t.temporary, t.allocs), "freed at once");
    if (marked && !look->against && !look->range)
        put_figure(&pen, format_delta_bytes(figure, change), change_words(look, &t));
}

static void put_swatch(Pen *pen, Tone tone, const char *text) {
    if (canvas_width(text) + 3 > pen->right - pen->x) return;
    pen->x += canvas_printf(pen->canvas, pen->x, pen->y, -1, STYLE_ON(TONE_CURSOR_GROUND, tone),
                            " %s ", text);
    put(pen, STYLE(TONE_MUTED), " ");
}

static void draw_legend(const FlameLook *look, const Ui *ui, Pen pen) {
    static const char *const parts[THEME_FLAME] = {"0 %", "20", "40", "60", "80 to 100 %"};
    static const char *const changes[] = {"half gone", "less", "as it was", "more", "doubled"};
    bool few = ui->colours < 8;
    if (look->colour == FLAME_BY_LIVES) {
        put(&pen, STYLE(TONE_MUTED), few ? "T: letters of types" : "still lives: ");
        for (unsigned i = 0; i < THEME_FLAME && !few; i++)
            put_swatch(&pen, TONE_FLAMES(i), parts[i]);
    } else if (look->colour == FLAME_BY_TYPE) {
        put(&pen, STYLE(TONE_MUTED), "mostly: ");
        for (unsigned k = 0; k < LMP_KINDS; k++) {
            char letter[3] = {kind_info[k].letter, ' ', 0};
            if (few) put(&pen, STYLE(TONE_STRONG), letter);
            if (few) put(&pen, STYLE(TONE_MUTED), kind_info[k].name);
            if (few) put(&pen, STYLE(TONE_MUTED), "  ");
            if (!few) put_swatch(&pen, TONE_KIND(k), kind_info[k].name);
        }
    } else {
        put(&pen, STYLE(TONE_MUTED),
            look->against ? "against the other run: "
            : look->range ? "in the range: "
                          : "since the mark: ");
        if (few) put(&pen, STYLE(TONE_MUTED), "+ more, - less");
        for (int i = -2; i <= 2 && !few; i++)
            put_swatch(&pen, TONE_CHANGED(i), changes[i + 2]);
    }
}

void flamedraw_below(const FlameLook *look, const Ui *ui, Canvas *canvas, Rect rect, int lines) {
    Pen pen = {canvas, rect.x + (rect.w > 30), rect.y, rect.x + rect.w};
    for (int i = 0; i < lines; i++, pen.y++) {
        if (i == 0) draw_who(look, ui, pen);
        if (i == 1) draw_shares(look, ui, pen);
        if (i == 2) draw_figures(look, pen);
        if (i == 3) draw_legend(look, ui, pen);
    }
}
