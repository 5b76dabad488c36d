/* flow.h - a page of text: lines one below the other, titles, figures with their explanations,
 * bars. The canvas clips what is scrolled out of view. */
#ifndef LMP_FLOW_H
#define LMP_FLOW_H

#include "screen/canvas.h"
#include "screen/theme.h"

/* Where the next line goes: `line` counts from the page's beginning; `top` is the first one on the
 * screen. */
typedef struct Flow {
    Canvas *canvas;
    Rect rect;
    int line, top;
    bool utf8;
} Flow;

/* Returns the row of the screen where the next line goes. */
int flow_y(const Flow *flow);
/* Draws a heading, after a blank line unless it is the first; `note`: grey beside it, may be
 * NULL. */
void flow_title(Flow *flow, const char *title, const char *note);
/* Returns the lines of a histogram or list of `rows` with its title and the blank line above; an
 * empty one says so in a line. */
int flow_section_lines(int rows);
/* Draws a grey line. */
void flow_text(Flow *flow, const char *text);
/* Draws text in as many lines as it needs, all of them indented. */
void flow_wrapped(Flow *flow, int indent, Style style, const char *text);
/* Draws a label, a figure, and its explanation. */
void flow_figure(Flow *flow, const char *label, Style style, const char *figure, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));
/* Draws a line of a histogram: label, bar, bytes, blocks. */
void flow_bar(Flow *flow, const char *label, Style label_style, Style bar, double share,
              uint64_t bytes, uint64_t blocks);

#endif
