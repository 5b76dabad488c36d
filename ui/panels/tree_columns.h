/* tree_columns.h - the columns of the call tree: what stands in each, and by which measure siblings
 * are sorted. */
#ifndef LMP_TREE_COLUMNS_H
#define LMP_TREE_COLUMNS_H

#include "panels/treerows.h"
#include "widget/table.h"

/* What the columns draw from: `rows` of the TableSource. */
typedef struct TreeLook {
    TreeRows *rows;
    bool callers;          /* upside down */
    char filter[EDIT_MAX]; /* that the rows were found for */
    uint32_t skip;         /* levels that are left out on the left */
    int indent;            /* columns a level */
} TreeLook;

enum {
    TREE_LIVE,
    TREE_SHARE,
    TREE_BAR,
    TREE_OWN,
    TREE_ALLOCS,
    TREE_MADE,
    TREE_CHURN,
    TREE_NAME,
    TREE_WHERE,
    TREE_COLUMNS
};

extern const TableDef tree_table;
/* NULL: this column has none. */
extern const TreeMeasure tree_measures[TREE_COLUMNS];

#endif
