/* table_columns.c - which columns of a table a person wants: a bit mask (Table.off), read from the
 * config's list of titles and written back as one. Every mode keeps at least one column. */
#include <stdio.h>
#include <string.h>

#include "widget/shownfigure.h"
#include "widget/table.h"

const char *table_column_name(const TableColumn *column) {
    if (column->title && *column->title) return column->title;
    if (column->shown_figure) return shownfigure_name(column->shown_figure);
    return column->paint ? "bar" : NULL;
}

const char *table_column_help(const TableColumn *column) {
    if (column->help) return column->help;
    return column->shown_figure ? shownfigure_help(column->shown_figure) : NULL;
}

static bool is_in_mode(const TableColumn *column, TableMode mode) {
    return column->mode == TABLE_BOTH || column->mode == mode;
}

static bool some_left(const Table *table, uint32_t off) {
    bool holds = false, makes = !table->def->sort_makes;
    for (int i = 0; i < table->def->columns; i++) {
        if (off >> i & 1) continue;
        holds = holds || is_in_mode(&table->def->column[i], TABLE_HOLDS);
        makes = makes || is_in_mode(&table->def->column[i], TABLE_MAKES);
    }
    return holds && makes;
}

static bool is_listed(const char *list, const char *word) {
    size_t length = strlen(word);
    while (*list) {
        list += strspn(list, " ,");
        size_t n = strcspn(list, ",");
        size_t end = n;
        while (end > 0 && list[end - 1] == ' ')
            end--;
        if (end == length && strncmp(list, word, length) == 0) return true;
        list += n;
    }
    return false;
}

void table_columns_read(Table *table, const Config *config) {
    char name[48];
    if (table->columns_read || !table->def->name || !config) return;
    table->columns_read = true;
    snprintf(name, sizeof name, "columns.%s", table->def->name);
    const char *list = config_get(config, name);
    uint32_t off = 0;
    for (int i = 0; list && i < table->def->columns; i++) {
        const char *title = table_column_name(&table->def->column[i]);
        if (title && !is_listed(list, title)) off |= 1u << i;
    }
    if (some_left(table, off)) table->off = off;
}

bool table_column_in_mode(const Table *table, int column) {
    return is_in_mode(&table->def->column[column], table->makes ? TABLE_MAKES : TABLE_HOLDS);
}

bool table_column_shown(const Table *table, int column) {
    return !(table->off >> column & 1);
}

bool table_column_show(Table *table, int column, bool shown) {
    const char *name = table_column_name(&table->def->column[column]);
    uint32_t off = table->off;
    for (int i = 0; name && i < table->def->columns; i++) {
        const char *other = table_column_name(&table->def->column[i]);
        if (!other || strcmp(other, name) != 0) continue;
        off = shown ? off & ~(1u << i) : off | 1u << i;
    }
    if (!name || !some_left(table, off)) return false;
    table->off = off;
    return true;
}

char *table_columns_text(const Table *table, char *out, size_t size) {
    size_t used = 0;
    *out = 0;
    for (int i = 0; table->off && i < table->def->columns; i++) {
        const char *name = table_column_name(&table->def->column[i]);
        if (!name || !table_column_shown(table, i) || is_listed(out, name)) continue;
        int n = snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
    }
    return out;
}
