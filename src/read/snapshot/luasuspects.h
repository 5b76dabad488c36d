/* luasuspects.h - Lua's own usual suspects, one page each: what in a heap tends to be there for no
 * good reason. A page is a table (title, columns, rows with their objects), so that panels, the
 * summary and JSON show all of them with the same code. The pages are rows of luasuspects_pages[].
 *
 * Rows stand for objects of one sort (of one line, one function, one content ...), those that
 * matter most first; `bytes` is what the row is about and by what rows are in order. */
#ifndef LMP_SNAPSHOT_LUASUSPECTS_H
#define LMP_SNAPSHOT_LUASUSPECTS_H

#include "read/snapshot/groups.h"

#define LUASUSPECTS_COLUMNS 7u
#define LUASUSPECTS_MOST 1000u /* rows of a page */

typedef enum LmpSuspectPage {
    LMP_PAGE_REFERENCES, /* numbers in the registry (luaL_ref), by what they hold */
    LMP_PAGE_COROUTINES, /* by status and the line where they wait */
    LMP_PAGE_MAKERS,     /* coroutines by the line that made them, and how they stand */
    LMP_PAGE_CLOSURES,   /* by function, with what their upvalues hold */
    LMP_PAGE_CHUNKS,     /* loaded code, by source */
    LMP_PAGE_FINALIZERS, /* dead objects whose __gc has not been called */
    LMP_PAGE_WEAK,       /* weak tables, and how much of them stays */
    LMP_PAGE_STRINGS,    /* by content */
    LMP_PAGE_TABLES,     /* by line: slots used of those allocated */
    LMP_PAGES
} LmpSuspectPage;

typedef enum LmpCell { LMP_CELL_TEXT, LMP_CELL_COUNT, LMP_CELL_BYTES, LMP_CELL_PERCENT } LmpCell;

typedef struct LmpSuspectColumn {
    const char *title; /* at most 16 characters; NULL: no such column */
    uint32_t cell;     /* LmpCell; texts come first, at most two of them */
    const char *name;  /* a word, for JSON and CSV */
} LmpSuspectColumn;

typedef struct LmpSuspectPageInfo {
    const char *name;  /* a word: "references" */
    const char *title; /* "References in the registry" */
    const char *help;  /* one sentence: what it is, and what to do about it */
    const char *none;  /* what to say where there are no rows, a sentence */
    LmpSuspectColumn column[LUASUSPECTS_COLUMNS];
} LmpSuspectPageInfo;

typedef struct LmpSuspectRow {
    uint32_t object;         /* the one of its objects that retains most */
    uint32_t objects, first; /* how many; they are member[first] to first + objects - 1 */
    uint64_t bytes;          /* what it is about */
    uint64_t number[LUASUSPECTS_COLUMNS]; /* by column; of texts 0 */
    char text[2][160];                    /* of columns 0 and 1, safe to print */
} LmpSuspectRow;

typedef struct LmpSuspectTable {
    const LmpSuspectPageInfo *page;
    LmpSuspectRow *row; /* most bytes first */
    uint32_t rows;
    uint32_t more; /* further rows that found no room (count) ... */
    uint64_t more_bytes;
    uint64_t all_bytes; /* of all rows and more; what is in several is counted once */
    uint32_t *member;
} LmpSuspectTable;

extern const LmpSuspectPageInfo luasuspects_pages[LMP_PAGES];

/* Fills one page. Error: NOMEM (then the table is empty). */
LmpErr luasuspects_make(LmpSuspectTable *out, const LmpSnapshot *s, LmpSuspectPage page);
void luasuspects_free(LmpSuspectTable *table);

/* A cell as people read it ("1,204", "38.2 MiB", "61 %"); returns out. */
const char *luasuspects_cell(const LmpSuspectTable *table, uint32_t row, uint32_t column, char *out,
                             size_t size);

#endif
