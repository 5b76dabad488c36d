/* suspects.h - what a snapshot amounts to. First in sentences: who holds most, and which of Lua's
 * own usual suspects matter. Each is a row of one table of rules (suspects.c); a rule that does not
 * fire says so.
 *
 * Then Lua's own usual suspects themselves, one page each: what in a heap tends to be there for no
 * good reason. A page is a table (title, columns, rows with their objects), so that panels, the
 * summary and JSON show all of them with the same code. The pages are rows of suspects_pages[].
 * Rows stand for objects of one sort (of one line, one function, one content ...), those that
 * matter most first; `bytes` is what the row is about and by what rows are in order. */
#ifndef LMP_SNAPSHOT_SUSPECTS_H
#define LMP_SNAPSHOT_SUSPECTS_H

#include "read/snapshot/compare.h"
#include "read/snapshot/groups.h"

/* ---- sentences ------------------------------------------------------------------------------- */

typedef enum LmpSuspectRule {
    LMP_SUSPECT_HOLDER,     /* one object retains over a tenth: its accumulation point */
    LMP_SUSPECT_CLASS,      /* a class does */
    LMP_SUSPECT_LINE,       /* a line does */
    LMP_SUSPECT_GROWN,      /* against an older snapshot */
    LMP_SUSPECT_STRINGS,    /* equal strings more than once */
    LMP_SUSPECT_SLOTS,      /* table slots never used */
    LMP_SUSPECT_GARBAGE,    /* waits for the collector */
    LMP_SUSPECT_COROUTINES, /* suspended, held, and nobody resumes them */
    LMP_SUSPECT_REFERENCES, /* in the registry */
    LMP_SUSPECT_RULES
} LmpSuspectRule;

typedef struct LmpSuspect {
    uint32_t rule;   /* LmpSuspectRule */
    bool fired;      /* false: `words` say that there is none of this */
    uint64_t bytes;  /* what it is about */
    uint32_t object; /* the accumulation point; LMP_OBJECT_NONE: none */
    uint32_t by;     /* LmpSnapshotBy of `group`, when it is about one */
    uint32_t group;  /* row of the groups; LMP_OBJECT_NONE: none */
    char words[640]; /* sentences: safe to print */
    char path[400];  /* where it is held; "" */
} LmpSuspect;

typedef struct LmpSuspects {
    LmpSuspect row[LMP_SUSPECT_RULES * 4]; /* those that fired first, most bytes first */
    uint32_t rows, fired;
} LmpSuspects;

/* Finds the suspects of a snapshot. `old`: an earlier snapshot of the same run, NULL: none.
 * `before`: growth from still earlier ones up to `old`, by suspects_steps_by; NULL or without
 * steps: there are none. Error: NOMEM. */
LmpErr suspects_make(LmpSuspects *out, const LmpSnapshot *s, const LmpSnapshot *old,
                     const LmpSnapshotSteps *before);
/* Returns by what growth is looked for: lines where they are known. */
LmpSnapshotBy suspects_steps_by(const LmpSnapshot *s);

/* ---- pages ----------------------------------------------------------------------------------- */

#define SUSPECTS_COLUMNS 7u
#define SUSPECTS_MOST 1000u /* rows of a page */

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

typedef struct LmpSuspectRow {
    uint32_t object;                   /* the one of its objects that retains most */
    uint32_t objects, first;           /* how many; they are member[first] to first + objects - 1 */
    uint64_t bytes;                    /* what it is about */
    uint64_t number[SUSPECTS_COLUMNS]; /* by column; of texts 0 */
    char text[2][160];                 /* of columns 0 and 1, safe to print */
} LmpSuspectRow;

struct SuspectMaking;
struct SuspectDraft;

typedef struct LmpSuspectPageInfo {
    const char *name;  /* a word: "references" */
    const char *title; /* "References in the registry" */
    const char *help;  /* one sentence: what it is, and what to do about it */
    const char *none;  /* what to say where there are no rows, a sentence */
    LmpSuspectColumn column[SUSPECTS_COLUMNS];
    /* How the page is made (suspects_impl.h): which column has what a row's objects retain together
     * (0: none); by which columns rows are in order (0: by how many objects they have); what puts
     * objects into rows: all of them, or one that is asked about each; what fills a row's texts. */
    uint8_t retained, order[2];
    void (*collect)(struct SuspectMaking *m);
    void (*each)(struct SuspectMaking *m, uint32_t object);
    void (*word)(const LmpSnapshot *s, const struct SuspectDraft *draft, LmpSuspectRow *row);
} LmpSuspectPageInfo;

typedef struct LmpSuspectTable {
    const LmpSuspectPageInfo *page;
    LmpSuspectRow *row; /* most bytes first */
    uint32_t rows;
    uint32_t more; /* further rows that found no room (count) ... */
    uint64_t more_bytes;
    uint64_t all_bytes; /* of all rows and more; what is in several is counted once */
    uint32_t *member;
} LmpSuspectTable;

extern const LmpSuspectPageInfo suspects_pages[LMP_PAGES];

/* Fills one page. Error: NOMEM (then the table is empty). */
LmpErr suspects_page_make(LmpSuspectTable *out, const LmpSnapshot *s, LmpSuspectPage page);
void suspects_page_free(LmpSuspectTable *table);

/* Writes a cell as people read it ("1,204", "38.2 MiB", "61 %"); returns out. */
const char *suspects_cell(const LmpSuspectTable *table, uint32_t row, uint32_t column, char *out,
                          size_t size);

#endif
