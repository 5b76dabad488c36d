/* why_rows.h - the lines of the page that says why an object is alive: for each path a heading and
 * its steps; for many objects the shapes of their paths. The cursor stands on a step or a shape. */
#ifndef LMP_SNAPSHOT_WHY_ROWS_H
#define LMP_SNAPSHOT_WHY_ROWS_H

#include "read/snapshot/why.h"
#include "widget/panel.h"

#define WHY_PATHS 8u
#define WHY_SHAPES 40u

typedef struct WhyRow {
    enum { WHY_BLANK, WHY_HEADING, WHY_STEP, WHY_LEFT_OUT, WHY_SHAPE } what;
    uint32_t path, step; /* or the shape */
} WhyRow;

typedef struct WhyRows {
    LmpWhyPaths why;
    LmpWhyShape *shape;
    uint32_t shapes;
    uint32_t asked; /* objects whose paths were looked at (count) */
    WhyRow *row;
    uint32_t rows, cursor, top;
    bool many;
} WhyRows;

/* Finds paths, or shapes, and makes lines of them; the cursor is on the reference to cut. Returns
 * false, with no lines: no memory. */
bool why_rows_make(WhyRows *rows, const LmpSnapshot *s, const UiObjects *about,
                   const uint32_t *ignore, uint32_t ignored);
void why_rows_free(WhyRows *rows);

/* Writes "held by 3 paths", "only weakly held", "garbage: waits for the collector". Returns out. */
const char *why_rows_held(const WhyRows *rows, char *out, size_t size);

/* Draws the titles of the columns, in line y. */
void why_rows_titles(const WhyRows *rows, Canvas *canvas, Rect rect, int y);
void why_rows_draw(WhyRows *rows, const LmpSnapshot *s, const Ui *ui, Canvas *canvas, Rect rect);
/* Moves the cursor. Returns false: not such an action. */
bool why_rows_act(WhyRows *rows, Action action, int page);
/* Puts the cursor on a line of the screen, counted from the first one drawn, if a cursor can stand
 * there. */
void why_rows_choose_line(WhyRows *rows, int line);

/* Returns the object that the row under the cursor leads to, or one of a shape's objects;
 * LMP_OBJECT_NONE: none. */
uint32_t why_rows_object(const WhyRows *rows);
/* Returns the holder to leave out: that object, or if that is `object` itself the one before it. */
uint32_t why_rows_holder(const WhyRows *rows, uint32_t object);
/* Returns an object at the cursor whose code or line can be opened. */
uint32_t why_rows_code(const WhyRows *rows, const LmpSnapshot *s);

#endif
