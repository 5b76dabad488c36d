/* treerows_impl.h - the inside of TreeRows, for treerows.c and treerows_children.c only. */
#ifndef LMP_TREEROWS_IMPL_H
#define LMP_TREEROWS_IMPL_H

#include "base/keymap.h"
#include "panels/treerows.h"
#include "read/ledger/callfold.h"

/* A visible row. */
typedef struct Shown {
    uint64_t key;
    uint32_t group; /* group[] */
    uint32_t up;    /* shown[] of the parent; outermost: itself */
    uint32_t depth;
    bool more, open;
} Shown;

/* Siblings being visited; the children of the last one come before the next. */
typedef struct Siblings {
    uint32_t owner; /* shown[], UINT32_MAX: the root */
    uint32_t depth;
    uint32_t at, end; /* in child[] */
} Siblings;

/* A row: a call (callfold.h), or a line of its parent's. */
typedef struct Group {
    uint64_t key;
    uint32_t call; /* CALL_NONE: a line */
    uint32_t function;
    /* The only line that made anything, unless `many`: its own, or the one that called a C
     * function; then the owner of that line, and its LmpTreeRow.site. */
    int32_t line;
    uint32_t line_function, site;
    uint32_t flags;
    bool is_line, has_line, many, recursive;
    bool callees;              /* there are functions below it */
    bool keep, opens, matches; /* when a filter is set */
    LmpTally total, own;
} Group;

struct TreeRows {
    const Ledger *ledger;
    TreeWanted request;
    char filter[128];
    Shown *shown;
    uint32_t rows;

    KeyMap open;    /* rows: 1 open, 0 closed */
    KeyMap by_hand; /* the same under a filter, which opens the paths to its matches */
    KeyMap place;   /* the keys' last places */
    bool placed;    /* place is filled: rows keep their places */

    uint64_t hot; /* open this row, then its hottest child; 0: none */
    uint32_t hot_levels;
    bool hot_root; /* start with the hottest outermost row */

    /* of the filter, for the current ledger */
    bool filtering;
    uint8_t *match; /* by function: MATCH_* */
    uint8_t *keep;  /* by tree row: KEEP_* */

    /* working memory of an update */
    CallFold fold;   /* joined */
    uint32_t *child; /* groups in order */
    Siblings *siblings;
    Group *group;
    uint32_t children, levels, groups;
    uint32_t opening; /* group[] of the first call below the one that is being opened */
    uint32_t row_room, match_room, keep_room, child_room, level_room, group_room;
};

enum { KEEP_MATCH = 1, KEEP_BELOW = 2, KEEP_ABOVE = 4 };

/* Returns true if the filter matches a function as such (not one of its lines). */
bool treerows_matches_function(const TreeRows *t, uint32_t function);

/* Appends the children of a group (UINT32_MAX: the outermost) to child[]. Returns false: no memory.
 * Call children_begin before the first one of an update. */
bool children_begin(TreeRows *t);
bool children_of(TreeRows *t, uint32_t group);

#endif
