/* suspects.h - what a snapshot amounts to, in sentences: who holds most, and Lua's own usual
 * suspects. Rows of one table of rules (suspects.c); a rule that does not fire says so. */
#ifndef LMP_SNAPSHOT_SUSPECTS_H
#define LMP_SNAPSHOT_SUSPECTS_H

#include "read/snapshot/groups.h"
#include "read/snapshot/growth.h"
#include "read/snapshot/why.h"

typedef enum LmpSuspectRule {
    LMP_SUSPECT_HOLDER,     /* one object retains over a tenth: its accumulation point */
    LMP_SUSPECT_CLASS,      /* a class does */
    LMP_SUSPECT_LINE,       /* a line does */
    LMP_SUSPECT_GROWTH,     /* against an older snapshot */
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
    uint32_t object; /* the accumulation point; LMP_HEAP_NONE: none */
    uint32_t by;     /* LmpHeapBy of `group`, when it is about one */
    uint32_t group;  /* row of the groups; LMP_HEAP_NONE: none */
    char words[640]; /* sentences: safe to print */
    char path[400];  /* where it is held; "" */
} LmpSuspect;

typedef struct LmpSuspects {
    LmpSuspect row[LMP_SUSPECT_RULES * 4]; /* those that fired first, most bytes first */
    uint32_t rows, fired;
} LmpSuspects;

/* `old`: an earlier snapshot of the same run, NULL: none. `before`: growth from still earlier ones
 * up to `old`, by suspects_growth_by; NULL or without steps: there are none. Error: NOMEM. */
LmpErr suspects_make(LmpSuspects *out, const LmpSnapshot *s, const LmpSnapshot *old,
                     const LmpHeapGrowth *before);
/* By what growth is looked for: lines where they are known. */
LmpHeapBy suspects_growth_by(const LmpSnapshot *s);

#endif
