/* suspects_impl.h - how the sentences of suspects.h come about: each rule adds its rows. And how a
 * page does: objects are put into rows by a key, then the rows are summed up, sorted and worded. */
#ifndef LMP_SNAPSHOT_SUSPECTS_IMPL_H
#define LMP_SNAPSHOT_SUSPECTS_IMPL_H

#include "base/rowindex.h"
#include "read/snapshot/suspects.h"

/* ---- rules ----------------------------------------------------------------------------------- */

/* Shares of the heap, in percent, from which on a rule fires. */
enum {
    SUSPECT_HOLDS = 10,    /* one object, a class, a line */
    SUSPECT_GROWS = 2,     /* of the older heap */
    SUSPECT_WASTES = 5,    /* the rest */
    SUSPECT_DROP = 70,     /* the biggest child of an accumulation point retains less of it */
    SUSPECT_TOGETHER = 80, /* of a group's paths pass its holder */
    SUSPECT_ROWS = 4       /* of a rule */
};

typedef struct SuspectRun {
    const LmpSnapshot *s, *old;
    const LmpSnapshotSteps *before; /* the steps that led to `old`; NULL: none */
    uint32_t *was; /* of each object: that of `old`, from suspects_grown on; NULL */
    LmpSuspects *out;
    uint64_t heap;   /* reachable bytes */
    uint8_t *trunk;  /* of each object: is it of the trunk that everything hangs from? */
    uint8_t *told;   /* ... is it told with a holder? */
    uint32_t *count; /* scratch, of each object */
    bool failed;     /* no memory */
} SuspectRun;

/* Adds a row; NULL: there is no more room. Its words are of printf. */
LmpSuspect *suspect_add(SuspectRun *run, LmpSuspectRule rule, uint64_t bytes, uint32_t object,
                        const char *words, ...) __attribute__((format(printf, 5, 6)));
/* Notes that the rule did not fire. */
void suspect_none(SuspectRun *run, LmpSuspectRule rule, const char *words, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns true if the rule did. */
bool suspect_any(const SuspectRun *run, LmpSuspectRule rule);
/* Writes "61 % (38.2 MiB)" of a whole. `out`: 64 bytes. */
const char *suspect_share(char *out, uint64_t bytes, uint64_t whole);
static inline bool suspect_over(uint64_t bytes, uint64_t whole, unsigned percent) {
    return bytes > 0 && bytes / percent * 100 + bytes % percent * 100 / percent >= whole;
}

/* Apply the rules of suspects_retainers.c, suspects_grown.c ... */
void suspects_retainers(SuspectRun *run);
void suspects_classes(SuspectRun *run);
void suspects_lines(SuspectRun *run);
void suspects_grown(SuspectRun *run);
/* ... and suspects_wastes.c, most of them about a page that makes up enough of the heap. */
void suspects_garbage(SuspectRun *run);
void suspects_strings(SuspectRun *run, const LmpSuspectTable *page);
void suspects_slots(SuspectRun *run, const LmpSuspectTable *page);
void suspects_suspended(SuspectRun *run, const LmpSuspectTable *page);
void suspects_references(SuspectRun *run, const LmpSuspectTable *page);

/* Returns the deepest object that most of the members' paths pass, and in words how they go;
 * LMP_OBJECT_NONE: what everything hangs from. */
uint32_t suspects_holder_of(SuspectRun *run, const uint32_t *member, uint32_t members, char *path,
                            size_t size);
/* Returns true if this coroutine is suspended where the older snapshot has it, with the same in its
 * variables. */
bool suspects_stayed(const SuspectRun *run, uint32_t thread);

/* ---- pages ----------------------------------------------------------------------------------- */

/* A row under way. */
typedef struct SuspectDraft {
    uint64_t key[3];
    uint32_t object, objects;
    uint64_t retained; /* by all of its objects: nothing counted twice */
    uint64_t number[SUSPECTS_COLUMNS];
    uint64_t order[2]; /* what rows are sorted by; order[0] becomes LmpSuspectRow.bytes */
} SuspectDraft;

typedef struct SuspectMaking {
    const LmpSnapshot *s;
    uint32_t running;    /* the thread that runs; LMP_OBJECT_NONE */
    SuspectDraft *draft; /* from 1 */
    uint32_t drafts, room;
    LmpRowIndex index;
    uint32_t *group_of; /* of each object: its draft, 0: none */
    uint64_t all_bytes;
    bool failed; /* no memory */
} SuspectMaking;

/* Returns the row with this key, made where there is none. NULL: no memory (then `failed`). */
SuspectDraft *suspects_draft(SuspectMaking *m, uint64_t a, uint64_t b, uint64_t c);
/* Puts an object into a row, once. Returns the row, NULL: no memory. */
SuspectDraft *suspects_put(SuspectMaking *m, uint32_t object, uint64_t a, uint64_t b, uint64_t c);

/* Returns false if the pages are not wanted any more, or there is no memory. */
bool suspects_go_on(SuspectMaking *m, uint32_t object);

/* Returns the line that made it, as a number for keys; all that is not known has the same. */
uint64_t suspects_site(const LmpSnapshot *s, uint32_t object);

/* As suspects_page_make, but with rows only if they make up enough of so many bytes for a rule. */
LmpErr suspects_page_make_of(LmpSuspectTable *out, const LmpSnapshot *s, LmpSuspectPage which,
                             uint64_t heap);

/* Put and word the pages of coroutines (suspects_coroutines.c). */
void suspects_put_coroutine(SuspectMaking *m, uint32_t i);
void suspects_word_coroutines(const LmpSnapshot *s, const SuspectDraft *draft, LmpSuspectRow *row);
void suspects_put_maker(SuspectMaking *m, uint32_t i);

#endif
