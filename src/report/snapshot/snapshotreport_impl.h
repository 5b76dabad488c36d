/* snapshotreport_impl.h - the reports of a snapshot, for their table, and what several of them
 * share.
 */
#ifndef LMP_REPORT_SNAPSHOT_SNAPSHOTREPORT_IMPL_H
#define LMP_REPORT_SNAPSHOT_SNAPSHOTREPORT_IMPL_H

#include "report/snapshot/snapshotreport.h"

#define SNAPSHOT_REPORT_WRITE(ID, name, ...)                                                       \
    LmpErr snapshot_##name(const SnapshotReport *report, FILE *out);
SNAPSHOT_REPORTS(SNAPSHOT_REPORT_WRITE)
#undef SNAPSHOT_REPORT_WRITE

/* ---- numbers of objects: snapshotreport.c
 * ------------------------------------------------------------
 */

enum { OBJECT_ID_ROOT = 1, OBJECT_ID_GARBAGE = 3 };

/* Makes the number of each object; the caller frees them. NULL: no memory. */
uint32_t *snapshotreport_ids(const LmpSnapshot *s);

/* ---- words: objecttext.c --------------------------------------------------------------------- */

/* A program's words hidden: what its strings contain, its keys and its names of files, functions,
 * classes and variables. Lua's own and lmp's stay. All zeroes: nothing is hidden. */
typedef struct SnapshotRedact {
    uint8_t *known; /* of each object: is it a word of Lua's? NULL: nothing is hidden */
} SnapshotRedact;
LmpErr objecttext_redact_open(SnapshotRedact *redact, const SnapshotReport *report);
void objecttext_redact_close(SnapshotRedact *redact);

/* Write as snapshot_name and snapshot_step do (without ` ▸ ` before it), and a class's name. */
const char *objecttext_name(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object,
                            char *out, size_t size);
const char *objecttext_step(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t from,
                            uint32_t edge, char *out, size_t size);
const char *objecttext_class(const SnapshotRedact *r, const LmpSnapshot *s, uint32_t object,
                             char *out, size_t size);

/* Returns the program's name, safe to print. */
const char *objecttext_program(const SnapshotReport *report, char *out, size_t size);

/* ---- holders.c: paths folded ----------------------------------------------------------------- */

/* A tree of folded reference paths: `registry`, below it `_LOADED` ... A step through many alike is
 * one, [*]; a list is one. Rows come after their parents. Row 0 is the root. */
typedef struct SnapshotHolder {
    uint32_t parent;
    uint32_t depth;
    uint32_t from, edge;    /* a reference that it stands for; the root: LMP_OBJECT_NONE */
    uint32_t many;          /* 1: [*] of many alike, 2: a list, 4: the objects of one class */
    uint32_t sample;        /* an object there */
    uint64_t objects, size; /* those whose path ends here: how many, counted bytes */
} SnapshotHolder;

typedef struct SnapshotHolders {
    SnapshotHolder *row; /* those beyond HOLDERS_MOST are in row 0 */
    uint32_t rows;
} SnapshotHolders;

#define HOLDERS_MOST 200000u

LmpErr holders_make(SnapshotHolders *out, const LmpSnapshot *s);
void holders_free(SnapshotHolders *holders);
/* Writes "handlers[*]", "upvalue entries", "{id, name}". */
const char *holders_text(const SnapshotHolders *h, const SnapshotRedact *r, const LmpSnapshot *s,
                         uint32_t row, char *out, size_t size);

#endif
