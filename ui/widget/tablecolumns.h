/* tablecolumns.h - which columns of a table a person wants to see. */
#ifndef LMP_TABLECOLUMNS_H
#define LMP_TABLECOLUMNS_H

#include "widget/table.h"

/* What a column is called where it is chosen: its title; "bar" of what is drawn. NULL: it cannot be
 * chosen, and is always there. */
const char *tablecolumns_name(const TableColumn *column);

/* Takes what the config says (`columns.NAME`, the table's name), once. */
void tablecolumns_read(Table *table, const Config *config);

bool tablecolumns_shown(const Table *table, int column);
/* Shows or hides all columns of that name (those of both modes). One stays in each mode: false. */
bool tablecolumns_show(Table *table, int column, bool shown);
/* The value for the config: names with commas; "" where all are shown. Returns out. */
char *tablecolumns_text(const Table *table, char *out, size_t size);

#endif
