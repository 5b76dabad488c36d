/* runjoin.h - two runs as one ledger, so that panels show what differs between them as they show
 * what has changed since a mark: the newer run's rows with the older one's figures as their marks,
 * and behind them the rows that only the older run has, whose own figures are nothing. So all marks
 * add up to the older run, and all changes to the difference of the two. */
#ifndef LMP_RUNJOIN_H
#define LMP_RUNJOIN_H

#include "read/rundiff/rundiff.h"

/* Set in the ids of rows that only the older run has, so that no row of the newer one has them. */
#define RUNJOIN_WENT 0x80000000u

/* Lines that hold something in one of the two only, and what they hold. */
typedef struct RunJoined {
    uint32_t came, went;
    uint64_t came_bytes, went_bytes;
} RunJoined;

/* Puts the older run's figures and rows into the newer one's ledger, until its next refresh. Texts
 * of these rows are those of `old`, which must stay as it is that long. Where only one of the two
 * has call paths, what is by path has not changed. Costs n log n in rows. Errors: NOMEM (the rows
 * are the newer run's alone, with any marks). */
LmpErr runjoin(Ledger *newer, const Ledger *old, RunJoined *out);

#endif
