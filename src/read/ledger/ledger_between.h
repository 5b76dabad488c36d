/* ledger_between.h - what happened between two moments of one run, as a ledger: the difference of
 * the later one and the earlier one. */
#ifndef LMP_LEDGER_BETWEEN_H
#define LMP_LEDGER_BETWEEN_H

#include "read/ledger/ledger.h"

/* Takes `before` away from `ledger`, row by row (rows keep their ids): every figure becomes what
 * was added in between, so allocations, frees and reallocations are those of that time, and what is
 * live is how much more it is, in two's complement: less than zero where it shrank. Sums stay sums.
 * A figure of the peak is none of a range and becomes 0. Rows stay in their order, also those that
 * are 0 now; LmpTally.mark becomes what there was before, `was` too.
 *
 * Both must be of one state and have been asked for the same parts. Moments that are not in order
 * give figures below zero, nothing worse. What rows refer to in the store of `ledger` (histories)
 * stays; it may be refreshed again, which makes it whole again. With Ledger.less of that moment
 * `before` needs no tree. Errors: NOMEM (nothing changed). */
LmpErr ledger_between(Ledger *ledger, const Ledger *before);

#endif
