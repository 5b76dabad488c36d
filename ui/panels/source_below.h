/* source_below.h - the source of the site under a table's cursor, below the table. */
#ifndef LMP_SOURCE_BELOW_H
#define LMP_SOURCE_BELOW_H

#include "widget/panel.h"

/* How many of a panel's `h` lines it takes. */
int source_below_rows(const Ui *ui, int h);
void source_below(const Model *model, Ui *ui, Canvas *canvas, Rect rect, const LmpSiteRow *site);

#endif
