/* damage.h - what damage to a recording has cost. Reads all of it once, for the checksums. */
#ifndef LMP_RECORDING_READER_DAMAGE_H
#define LMP_RECORDING_READER_DAMAGE_H

#include "recording/format/recscan.h"

#define DAMAGE_WORDS 512u /* bytes, with the NUL */

/* All in counts, but for bytes; zero where nothing is lost. What is there as a copy is not lost. */
typedef struct RecDamage {
    bool open;               /* it was not closed, */
    uint64_t cut;            /* and so many bytes at its end are no whole part */
    uint64_t stray;          /* bytes elsewhere */
    bool index;              /* it was closed, and has none: whole parts may be gone, too */
    uint32_t frames, all;    /* that cannot be had, of so many */
    uint32_t tables, output; /* parts */
    uint32_t rows;           /* parts, and */
    uint64_t unknown;        /* rows of tables that nobody knows now, set by the caller */
    bool header, again;      /* what program it was; how it was started */
    uint32_t sources;        /* files whose text is lost */
    bool directory;          /* where it ran */
} RecDamage;

/* Errors: NOMEM. */
LmpErr damage_find(RecDamage *out, const RecScan *scan);
/* Writes "it has lost 3 of 41 moments, ...": for after the name of the file and "is damaged: ".
 * Returns false if it has lost nothing. */
bool damage_words(char out[DAMAGE_WORDS], const RecDamage *damage);

#endif
