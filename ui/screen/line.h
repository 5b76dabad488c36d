/* line.h - a line of the screen made of pieces, of which the least important are left out until the
 * rest fits: header and footer. */
#ifndef LMP_LINE_H
#define LMP_LINE_H

#include "screen/action.h"
#include "screen/canvas.h"

#define LINE_PIECES 80
#define LINE_TEXT 96

typedef struct LinePiece {
    Style style;
    int priority;         /* 1 stays longest; pieces of one priority are dropped together */
    Key key;              /* that a click on it stands for; K_NONE: none */
    char text[LINE_TEXT]; /* including the blanks that separate it */
} LinePiece;

typedef struct Line {
    int count;
    LinePiece piece[LINE_PIECES];
} Line;

/* Adds a piece; excess ones are dropped. */
void line_add(Line *line, int priority, Style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Lets a click on the piece added last stand for this key. */
void line_key(Line *line, Key key);
/* Returns the lowest priority number that must be dropped for the line to fit `w` columns; pieces
 * with a lower number are shown. */
int line_limit(const Line *line, int w);
int line_width(const Line *line, int limit);

/* What a line showed when it was last drawn, so that words do not come and go as figures beside
 * them change from repaint to repaint. All zeroes before the first time. */
typedef struct LineFit {
    int w, pieces, limit;
} LineFit;
/* Does as line_limit, for two lines beside each other (`right` may be NULL). A piece dropped once
 * stays away while there are as many pieces in as much room. `fit` NULL: it does not. */
int line_fit(LineFit *fit, const Line *left, const Line *right, int w);
/* Draws the pieces that fit, or those below a limit, starting at x; returns the columns used. */
int line_draw_below(const Line *line, int limit, Canvas *canvas, int x, int y, int w);
int line_draw(const Line *line, Canvas *canvas, int x, int y, int w);

#endif
