/* source_below.h - draws, below a table, the source of the site under the table's cursor. */
#ifndef LMP_SOURCE_BELOW_H
#define LMP_SOURCE_BELOW_H

#include "widget/panel.h"

/* Returns how many of a panel's `h` lines the source takes. */
int source_below_rows(const Ui *ui, int h);
void source_below(const Model *model, Ui *ui, Canvas *canvas, Rect rect, const LmpSiteRow *site);

#endif
