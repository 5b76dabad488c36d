/* survivors.h - which of the blocks that live now were made since a moment, or between two, by line
 * and call path: read from the shadow map, whose entries say when a block was born. So what came
 * and stayed is told apart from what old blocks have left room for, which no difference of live
 * bytes can; and the program counts nothing for it.
 *
 * Births are known by epoch (LmpLive.epoch: a 128th of the run or less) and collector cycle. That
 * is exact enough for a piece of the past, whose ends are moved to those of epochs. For "since now"
 * the map is read at once: of the blocks that are born in the same epoch and cycle those count that
 * are not there yet. What is still taken for older then is a block made at the very address of one
 * that was freed meanwhile, in the same epoch and cycle; and the milliseconds of that reading
 * belong to neither side. A block that grows keeps its birth. */
#ifndef LMP_SURVIVORS_H
#define LMP_SURVIVORS_H

#include "read/model/model.h"

typedef struct Survivors Survivors;

/* Returns a reader of what is made from now on. The view must stay open. NULL: no memory. */
Survivors *survivors_since_now(const LmpView *view, uint64_t clock);
/* Returns a reader of what was made between two moments (nanoseconds since start). */
Survivors *survivors_between(const LmpView *view, uint64_t from, uint64_t to);
void survivors_free(Survivors *survivors);

/* Goes on reading the map for about `budget` nanoseconds; after all of it has been read it rests
 * for ten times as long. `now`: any clock. */
void survivors_step(Survivors *survivors, uint64_t now, uint64_t budget);
/* What the last complete reading has found, into model->since and for the next refresh of
 * model->ledger; it stays valid until the next step. NULL: nothing is to be shown. */
void survivors_fill(const Survivors *survivors, Model *model);

#endif
