/* luasuspects_impl.h - how a page of luasuspects.h is made: objects are put into rows by a key,
 * then the rows are summed up, sorted and worded. */
#ifndef LMP_SNAPSHOT_LUASUSPECTS_IMPL_H
#define LMP_SNAPSHOT_LUASUSPECTS_IMPL_H

#include "base/rowindex.h"
#include "read/snapshot/luasuspects.h"

/* A row under way. */
typedef struct SuspectDraft {
    uint64_t key[3];
    uint32_t object, objects;
    uint64_t retained; /* by all of its objects: nothing counted twice */
    uint64_t number[LUASUSPECTS_COLUMNS];
    uint64_t order[2]; /* what rows are sorted by; order[0] becomes LmpSuspectRow.bytes */
} SuspectDraft;

typedef struct SuspectMaking {
    const LmpSnapshot *s;
    SuspectDraft *draft; /* from 1 */
    uint32_t drafts, room;
    LmpRowIndex index;
    uint32_t *group_of; /* of each object: its draft, 0: none */
    uint64_t all_bytes;
    bool retains; /* all_bytes is what they retain, not a sum of order[0] */
    bool failed;  /* no memory */
} SuspectMaking;

/* The row with this key; makes it. NULL: no memory (then `failed`). */
SuspectDraft *suspects_draft(SuspectMaking *m, uint64_t a, uint64_t b, uint64_t c);
/* Puts an object into a row, once. Returns the row, NULL: no memory. */
SuspectDraft *suspects_put(SuspectMaking *m, uint32_t object, uint64_t a, uint64_t b, uint64_t c);

/* With the objects from this one on? */
bool suspects_go_on(SuspectMaking *m, uint32_t object);

/* The line that made it, as a number for keys; all that is not known has the same. */
uint64_t suspects_site(const LmpSnapshot *s, uint32_t object);
/* The registry, the main thread, or whatever else the root refers to in this way; LMP_HEAP_NONE. */
uint32_t suspects_root(const LmpSnapshot *s, uint32_t root);

/* What makes a page: `collect` puts objects into rows; `finish` says of a row, when all are summed
 * up, its figures and order; `word` its texts. */
typedef struct SuspectPage {
    void (*collect)(SuspectMaking *m);
    void (*finish)(const SuspectMaking *m, SuspectDraft *draft);
    void (*word)(const LmpSnapshot *s, const SuspectDraft *draft, LmpSuspectRow *row);
    bool retains; /* as in SuspectMaking */
} SuspectPage;
extern const SuspectPage suspects_page[LMP_PAGES];
/* Of the pages of coroutines (luasuspects_coroutines.c). */
void suspects_collect_coroutines(SuspectMaking *m);
void suspects_finish_coroutines(const SuspectMaking *m, SuspectDraft *draft);
void suspects_word_coroutines(const LmpSnapshot *s, const SuspectDraft *draft, LmpSuspectRow *row);
void suspects_collect_makers(SuspectMaking *m);
void suspects_finish_makers(const SuspectMaking *m, SuspectDraft *draft);

/* For each row (group_of: rows from 1, 0 none) what all its objects retain together, into
 * retained[rows + 1]; retained[0] is what all rows do. False: no memory. */
bool suspects_retained(const LmpSnapshot *s, const uint32_t *group_of, uint32_t rows,
                       uint64_t *retained);

#endif
