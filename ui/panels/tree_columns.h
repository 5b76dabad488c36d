/* tree_columns.h - the columns of the call tree: what each one shows, and how siblings are sorted
 * by it. */
#ifndef LMP_TREE_COLUMNS_H
#define LMP_TREE_COLUMNS_H

#include "panels/treerows.h"
#include "widget/table.h"

/* What the columns read: the TableSource's `rows`. */
typedef struct TreeLook {
    TreeRows *rows;
    bool callers;          /* upside down */
    char filter[EDIT_MAX]; /* for which the rows were computed */
    uint32_t skip;         /* levels cut off on the left */
    int indent;            /* columns per level */
} TreeLook;

enum {
    TREE_SHARE,
    TREE_LIVE,
    TREE_MADE,
    TREE_BAR,
    TREE_SURVIVE,
    TREE_SURVIVORS,
    TREE_RANGE_MADE,
    TREE_RANGE_FREED,
    TREE_RANGE_GREW,
    TREE_OWN,
    TREE_OWN_MADE,
    TREE_BLOCKS,
    TREE_CHANGE,
    TREE_RATE,
    TREE_ALLOCS,
    TREE_CHURN,
    TREE_AT_ONCE,
    TREE_IN_CYCLE,
    TREE_LATER,
    TREE_NAME,
    TREE_WHERE,
    TREE_COLUMNS
};

extern const TableDef tree_table;
const LmpTally *tree_total(const TableSource *from, uint32_t row);
/* How siblings are sorted by this column, and what the hottest path follows: for TreeWanted, with
 * the TableSource as `about`. */
TreeMeasure tree_order(int column);
double tree_heat(const void *from, const LmpTally *total, const LmpTally *own);

#endif
