/* makes.h - how one line allocates: its figures by way, and what looks at its strings have shown.
 * It walks the records of that line, so use it for the few lines that matter. */
#ifndef LMP_MAKES_H
#define LMP_MAKES_H

#include "read/ledger/ledger.h"

typedef enum LmpWay {
    LMP_WAY_CONCAT,    /* strings that `..` made (where that is known, else as below) */
    LMP_WAY_STRING,    /* other strings */
    LMP_WAY_TABLE,     /* tables, without their parts */
    LMP_WAY_PART,      /* array and hash parts of tables */
    LMP_WAY_CLOSURE,   /* functions that the line itself makes */
    LMP_WAY_LOADED,    /* functions that load() and its like have compiled */
    LMP_WAY_COROUTINE, /* without their stacks */
    LMP_WAY_USERDATA,
    LMP_WAY_OTHER, /* prototypes, upvalues, stacks ... */
    LMP_WAYS
} LmpWay;

#define LMP_BUILD_LINES 8u

typedef struct LmpMakes {
    LmpTally way[LMP_WAYS];
    uint32_t how;            /* LmpHow of all instructions on the line; 0: not known */
    uint64_t given_back;     /* parts of tables that were given back for others here (count) */
    uint64_t regrown;        /* these, and those that were resized */
    uint64_t regrown_arrays; /* of them, array parts */
    /* Bytes that array parts grew by here, or of those that were given back; of hash parts that
     * were given back. */
    uint64_t regrown_array_bytes, regrown_hash_bytes;
    uint64_t slot_bytes;  /* of an array part, each */
    uint64_t loads;       /* calls of load() and its like (count) */
    uint64_t load_bytes;  /* all that these have made */
    uint64_t texts, same; /* as in LmpSite */
    /* Lines whose strings are made of each other's, this one first: a string that is built up, and
     * copied in full at each step. 0: none known. */
    uint32_t builds;
    uint32_t build[LMP_BUILD_LINES]; /* rows in ledger->site */
    uint64_t build_bytes;            /* size of the last such string that was seen */
    bool copies; /* of what `..` makes here half or more is one string that was there before */
} LmpMakes;

/* Tells how a line makes what it makes. `site`: a row in ledger->site of the last refresh, which
 * was of these tables. */
void ledger_makes(const Ledger *ledger, const LmpTables *tables, uint32_t site, LmpMakes *out);

#endif
