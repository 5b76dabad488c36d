/* line_below.h - describes a line of the program: in sentences, on its page and below tables of
 * lines if there is room; and by the source around it, below such tables. */
#ifndef LMP_LINE_BELOW_H
#define LMP_LINE_BELOW_H

#include "widget/flow.h"
#include "widget/panel.h"

/* Draws the verdicts on a line, with their advice. */
void line_verdicts(Flow *flow, const Model *model, const LmpSiteRow *row);
/* Draws what the line holds and has made, in one sentence. */
void line_holds(Flow *flow, const LmpSiteRow *row);

/* Returns how many of a panel's `h` lines the source takes. */
int line_below_source_rows(const Ui *ui, int h);
void line_below_source(const Model *model, Ui *ui, Canvas *canvas, Rect rect,
                       const LmpSiteRow *site);

#endif
