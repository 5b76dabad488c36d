/* verdict_impl.h - what the rules of verdicts (verdict.h) are made of. */
#ifndef LMP_VERDICT_IMPL_H
#define LMP_VERDICT_IMPL_H

#include "read/ledger/makes.h"
#include "read/verdict/verdict.h"

/* What one line made, in the tables of another. */
typedef struct VerdictHeld {
    uint32_t row;          /* in ledger->site */
    double objects, bytes; /* bytes 0: too little of what the line has to speak of */
} VerdictHeld;

/* A line where large tables grow. */
enum { VERDICT_KEEPERS = 32 };
typedef struct VerdictHolder {
    uint32_t row;    /* in ledger->site */
    uint32_t tables; /* count */
    double entries;  /* in all of them; not by references: that they have room for */
    double more;     /* of these came lately, in tables that were there or in new ones */
    bool grows;      /* they took entries lately: `gain`, in so many seconds */
    bool now;        /* ... and at present */
    double gain, gain_seconds;
    double seconds; /* for so long they did all the time; 0: they did not, or it is not long */
    uint32_t lines;
    VerdictHeld line[LMP_CONTAINER_LINES];
    /* Of the lines that leak and whose things are in there, most bytes first, if it grows; its own
     * line is one of them. leaks 0: it is not told of. */
    uint32_t leaks;
    const LmpLeak *leak[LMP_CONTAINER_LINES + 1];
    double held, grown, bytes_per_second; /* bytes */
} VerdictHolder;

typedef struct VerdictKeepers {
    bool known; /* by the heap's own references; else by when tables grew */
    uint32_t count;
    VerdictHolder holder[VERDICT_KEEPERS];
} VerdictKeepers;

/* Lines that grow, with room for those that only references tell of. */
enum { VERDICT_LEAKS_FOUND = 64, VERDICT_LEAKS = 2 * VERDICT_LEAKS_FOUND };

/* What a rule looks at. */
typedef struct VerdictFacts {
    const VerdictInput *in;
    /* of the whole; sums over sites, so that shares are right of samples, too */
    uint64_t made;        /* bytes asked for, growth of blocks included */
    uint64_t allocs;      /* count */
    uint64_t garbage;     /* bytes freed */
    uint64_t frees;       /* count */
    uint64_t short_lived; /* blocks (count) */
    LmpJudgement *growth;
    const VerdictKeepers *holders;
    /* of one line; NULL for rules of the whole */
    const LmpSiteRow *row;
    const LmpMakes *makes;
    const LmpLeak *leak; /* NULL: it does not grow, or is told of with who keeps what it makes */
    const VerdictHolder *holder; /* its tables keep what leaks; NULL: they do not */
    LmpLeak *leaks;              /* all of them */
    uint32_t leak_count;
    bool told; /* the line that grows most has a verdict that says so */
} VerdictFacts;

/* What a rule is about: where one holds for a line, later ones about the same are skipped. */
enum {
    ABOUT_GROWTH = 1,
    ABOUT_STRINGS = 2,
    ABOUT_TABLES = 4,
    ABOUT_FUNCTIONS = 8,
    ABOUT_COROUTINES = 16,
    ABOUT_PEAK = 32,
};

/* What must be known, or the rule is skipped. */
enum {
    NEEDS_LINE = 1,  /* it is evaluated for each line that matters */
    NEEDS_MAKES = 2, /* how the line makes things */
    NEEDS_BULK = 4,  /* the program has made enough to matter */
    NEEDS_EXACT = 8  /* no samples */
};

typedef struct VerdictRule {
    const char *name;
    unsigned needs, about;
    /* How much of the whole it explains, 0 to 1; 0: it does not hold. A verdict's score is that
     * times `weight`, which says how bad that is. */
    double (*holds)(const VerdictFacts *facts);
    double weight;
    void (*say)(const VerdictFacts *facts, Verdict *out); /* text and figures */
    const char *advice;
    VerdictPlace place;
    /* For the table in docs/: when it holds, and what it says, "…" standing for what changes; a
     * line each if it may say one of several. */
    const char *when, *says;
} VerdictRule;

extern const VerdictRule verdict_rules[]; /* ends with a row without a name */

/* The rules' two functions each, by file. */
#define VERDICT_RULE(name)                                                                         \
    double name##_holds(const VerdictFacts *f);                                                    \
    void name##_say(const VerdictFacts *f, Verdict *v)
/* rules_making.c: what a line makes */
VERDICT_RULE(building);
VERDICT_RULE(same_string);
VERDICT_RULE(copies);
VERDICT_RULE(short_strings);
VERDICT_RULE(rebuilt);
VERDICT_RULE(regrown);
VERDICT_RULE(short_tables);
VERDICT_RULE(closures);
VERDICT_RULE(coroutines);
VERDICT_RULE(loading);
/* rules_holding.c: what a line holds, or held */
VERDICT_RULE(keeps);
VERDICT_RULE(fills);
VERDICT_RULE(never_freed);
VERDICT_RULE(steps);
VERDICT_RULE(grows);
VERDICT_RULE(spike);
/* rules_whole.c: the collector, memory outside Lua, what is not known, and frames of the program's
 * own */
VERDICT_RULE(outside);
VERDICT_RULE(late);
VERDICT_RULE(survivors);
VERDICT_RULE(some_growth);
VERDICT_RULE(no_growth);
VERDICT_RULE(last_full);
VERDICT_RULE(wait);
VERDICT_RULE(unknown);
VERDICT_RULE(frame_spikes);

/* ---- small tools ----------------------------------------------------------------------------- */

void verdict_text(Verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Gives advice in place of its rule's. */
void verdict_advise(Verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the next figure of a verdict; beyond VERDICT_FIGURES it is left out. */
void verdict_figure(Verdict *v, const char *name, double value);
static inline double verdict_share(double part, double whole) {
    return whole > 0 && part > 0 ? (part < whole ? part / whole : 1) : 0;
}
/* Find (keepers.c) all lines where large tables grow, and what these keep of what leaks; who keeps
 * what a line makes, NULL: none; and where references are not known, the first two that have about
 * as many entries as there are things, and how many. */
void keepers_find(VerdictFacts *facts, VerdictKeepers *out);
const VerdictHolder *keepers_keep(const VerdictKeepers *all, uint32_t row);
uint32_t keepers_of(const VerdictKeepers *all, double things, uint32_t out[2]);
/* Returns the growth of a line; NULL: none that goes on. */
const LmpLeak *verdict_leak(const VerdictFacts *facts, uint32_t row);
/* Returns a line as a sentence names it: of its path as little as no other path ends in. */
enum { VERDICT_NAME = 80 };
const char *verdict_name(char out[VERDICT_NAME], const Ledger *ledger, const LmpSiteRow *row);
/* Returns true if of what a line holds most of none was ever freed. Of samples nobody knows. */
bool verdict_none_freed(const VerdictFacts *facts);
/* Returns a share in whole percent. */
unsigned verdict_percent(double share);
/* Returns bytes that a tally stands for: asked for, and grown by. */
uint64_t verdict_bytes(const LmpTally *t);

#endif
