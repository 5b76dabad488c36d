/* heapreport_impl.h - the reports of a snapshot, for their table, and what several of them share.
 */
#ifndef LMP_HEAPREPORT_IMPL_H
#define LMP_HEAPREPORT_IMPL_H

#include "report/heap/heapreport.h"

#define HEAP_REPORT_WRITE(ID, name, ...) LmpErr heap_##name(const HeapReport *report, FILE *out);
HEAP_REPORTS(HEAP_REPORT_WRITE)
#undef HEAP_REPORT_WRITE

/* ---- numbers of objects: heapreport.c
 * ------------------------------------------------------------
 */

enum { HEAP_ID_ROOT = 1, HEAP_ID_GARBAGE = 3 };

/* Of each object; the caller frees them. NULL: no memory. */
uint32_t *heapids_make(const LmpSnapshot *s);

/* ---- words: heaptext.c ----------------------------------------------------------------------- */

/* A program's words hidden: what its strings contain, its keys and its names of files, functions,
 * classes and variables. Lua's own and lmp's stay. All zeroes: nothing is hidden. */
typedef struct HeapRedact {
    uint8_t *known; /* of each object: is it a word of Lua's? NULL: nothing is hidden */
} HeapRedact;
LmpErr redact_open(HeapRedact *redact, const HeapReport *report);
void redact_close(HeapRedact *redact);

/* As snapshot_name, snapshot_step (without ` ▸ ` before it) and a class's name. */
const char *heaptext_name(const HeapRedact *r, const LmpSnapshot *s, uint32_t object, char *out,
                          size_t size);
const char *heaptext_step(const HeapRedact *r, const LmpSnapshot *s, uint32_t from, uint32_t edge,
                          char *out, size_t size);
const char *heaptext_class(const HeapRedact *r, const LmpSnapshot *s, uint32_t object, char *out,
                           size_t size);

/* Returns the program's name, safe to print. */
const char *heaptext_program(const HeapReport *report, char *out, size_t size);

/* ---- holders.c: paths folded ----------------------------------------------------------------- */

/* A tree of folded reference paths: `registry`, below it `_LOADED` ... A step through many alike is
 * one, [*]; a list is one. Rows come after their parents. Row 0 is the root. */
typedef struct HeapHolder {
    uint32_t parent;
    uint32_t depth;
    uint32_t from, edge;    /* a reference that it stands for; the root: LMP_HEAP_NONE */
    uint32_t many;          /* 1: [*] of many alike, 2: a list, 4: the objects of one class */
    uint32_t sample;        /* an object there */
    uint64_t objects, size; /* those whose path ends here: how many, counted bytes */
} HeapHolder;

typedef struct HeapHolders {
    HeapHolder *row;
    uint32_t rows;
    uint64_t left_objects, left_size; /* beyond HOLDERS_MOST: in row 0 */
} HeapHolders;

#define HOLDERS_MOST 200000u

LmpErr holders_make(HeapHolders *out, const LmpSnapshot *s);
void holders_free(HeapHolders *holders);
/* "handlers[*]", "upvalue entries", "{id, name}". */
const char *holders_text(const HeapHolders *h, const HeapRedact *r, const LmpSnapshot *s,
                         uint32_t row, char *out, size_t size);

#endif
