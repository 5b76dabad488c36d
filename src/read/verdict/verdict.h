/* verdict.h - verdicts: what the figures amount to, in sentences that say which line, how much of
 * the whole it is, and what to change. The same ones head the summary and are in JSON and on the
 * screen.
 *
 * A sentence is only made if it is true of its figures; what cannot be told yet says so. The rules
 * are one table (verdict_rules.c), one row each. Best first: what explains most of the bytes, the
 * heap or the memory that the program has. */
#ifndef LMP_VERDICT_H
#define LMP_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "read/ledger/ledger.h"
#include "read/stats.h"

#define VERDICTS 24u       /* kept: the best */
#define VERDICT_FIGURES 6u /* of one */

/* Where the evidence is. */
typedef enum VerdictPlace {
    VERDICT_AT_SITE,     /* the page of its line */
    VERDICT_AT_LEAKS,    /* sites by growth */
    VERDICT_AT_TIMELINE, /* the heap and its collections */
    VERDICT_AT_PROCESS,
    VERDICT_AT_SNAPSHOT, /* a heap snapshot: the paths to what `kept` has made */
    VERDICT_NOWHERE
} VerdictPlace;

typedef struct VerdictFigure {
    const char *name; /* "bytes", "share" ...; NULL: none */
    double value;     /* bytes, counts, bytes a second; shares from 0 to 1 */
} VerdictFigure;

typedef struct Verdict {
    const char *rule;   /* its name, for machines */
    VerdictPlace place; /* where it leads */
    double score;       /* what it explains, weighed: for the order */
    uint32_t site;      /* LmpSiteRow.id; 0: it is not about one line */
    /* of the line, until the ledger is freed; "" and -1 without one */
    const char *source, *short_src, *func;
    int32_t line;
    char where[80];   /* "report.lua:25", or "" */
    char text[176];   /* the rest of the sentence, without a full stop */
    char advice[200]; /* what to change; "": nothing */
    char kept[100];   /* "report.lua:12", most of what its table keeps was made there; "" */
    VerdictFigure figure[VERDICT_FIGURES];
} Verdict;

typedef struct Verdicts {
    uint32_t count; /* at least one */
    Verdict verdict[VERDICTS];
} Verdicts;

typedef struct VerdictInput {
    const LmpStats *stats;
    const LmpGc *gc;           /* ring indices are checked here */
    const LmpHistory *history; /* `used` is checked here */
    const Ledger *ledger;      /* with its sites, from `tables` */
    const LmpTables *tables;   /* NULL: how lines make things is not known */
    uint64_t rss,
        own; /* resident set and what of it is the profiler's own, bytes; rss 0: not known */
} VerdictInput;

/* Makes all of them. About 30 ns a site, and some microseconds for each of the few that matter. */
void verdicts_make(const VerdictInput *input, Verdicts *out);

/* A rule in words, for documents and tests. False: there is none of that number. */
typedef struct VerdictRuleInfo {
    const char *name, *when;
    const char *says; /* a line for each of its sentences; "…": what changes */
    const char *advice;
    VerdictPlace place;
    /* What it needs: a line; how that makes things; that the program made 1 MiB; no samples. */
    bool line, makes, bulk, exact;
} VerdictRuleInfo;
bool verdict_rule_info(uint32_t i, VerdictRuleInfo *out);

/* Returns the whole sentence, without the advice. `out`: 260 bytes will do. */
char *verdict_sentence(char *out, size_t size, const Verdict *verdict);

#endif
