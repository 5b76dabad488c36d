/* term_output.c - brings a canvas to the terminal: sets colours, and sends the cells that
 * changed. */
#include <string.h>
#include <wchar.h>

#include "terminal/term_impl.h"

/* Returns the colour's number on this terminal: with direct colour it is the colour itself. */
static int terminal_colour(int colour) {
    if (colour < 0 || COLORS <= 256 || colour < 8) return colour;
    return (int)theme_rgb(colour);
}

static int pair_of(Term *term, int fg, int bg) {
    if (fg < 0 && bg < 0) return 0;
    uint16_t *pair = &term->pair[(fg + 1) * GROUNDS + bg + 1];
    if (*pair == 0) {
        if (term->pairs + 1 >= term->pairs_most) { /* none left: better no ground than no figure */
            return bg >= 0 && fg >= 0 ? pair_of(term, fg, -1) : 0;
        }
        int next = term->pairs + 1;
        if (init_extended_pair(next, terminal_colour(fg), terminal_colour(bg)) != OK) return 0;
        term->pairs = next;
        *pair = (uint16_t)next;
    }
    return *pair;
}

static void put_cell(Term *term, int x, int y, const Cell *cell) {
    Look look = theme_look(&term->theme, cell->style);
    int pair = pair_of(term, look.fg, look.bg);
    attr_t attr = 0;
    if (look.attr & ATTR_BOLD) attr |= A_BOLD;
    if (look.attr & ATTR_DIM) attr |= A_DIM;
    if (look.attr & ATTR_UNDERLINE) attr |= A_UNDERLINE;
    if (look.attr & ATTR_REVERSE) attr |= A_REVERSE;
    wchar_t text[2] = {(wchar_t)cell->glyph, 0};
    /* if the C library disagrees about a character's width, the line would shift */
    if (cell->glyph > 0x7e &&
        (!term->utf8 || wcwidth(text[0]) != canvas_glyph_width(cell->glyph))) {
        text[0] = '?';
    }
    cchar_t out;
    setcchar(&out, text, attr, 0, &pair);
    mvadd_wch(y, x, &out);
}

void term_redraw(Term *term) {
    term->redraw = true;
}

void term_show(Term *term, const Canvas *canvas) {
    if (term->away) return;
    if (LINES != canvas->h || COLS != canvas->w) {
        resizeterm(canvas->h, canvas->w);
        term->redraw = true;
    }
    Canvas *shown = term->shown;
    if (shown->w != canvas->w || shown->h != canvas->h) {
        if (!canvas_resize(shown, canvas->w, canvas->h)) return;
        term->redraw = true;
    }
    size_t n = (size_t)canvas->w * (size_t)canvas->h;
    bool all = term->redraw, any = all;
    if (all) {
        werase(stdscr);
        clearok(curscr, TRUE);
    }
    for (size_t i = 0; i < n; i++) {
        const Cell *cell = &canvas->cells[i];
        bool same = cell->glyph == shown->cells[i].glyph && cell->style == shown->cells[i].style;
        if (same && !all) continue;
        any = true;
        if (cell->glyph == 0) continue; /* drawn with its left half */
        int w = canvas->w;
        put_cell(term, (int)(i % (size_t)w), (int)(i / (size_t)w), cell);
    }
    term->redraw = false;
    if (!any) return;
    memcpy(shown->cells, canvas->cells, n * sizeof *shown->cells);
    wnoutrefresh(stdscr);
    doupdate();
    fflush(term->out);
}
