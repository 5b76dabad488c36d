/* reserve.h - memory for what will be touched, where the system counts every page beforehand.
 *
 * A memory file gets its pages when they are first touched. Under strict overcommit
 * (vm.overcommit_memory = 2) that can fail where everything else gets a plain "no memory": the
 * program would die of SIGBUS. There, every part of the state is reserved before it is used: small
 * at first, the tables by a level at a time. What cannot be reserved is treated as full or refused,
 * as under any other limit. Elsewhere nothing is done, at no cost. */
#ifndef LMP_RESERVE_H
#define LMP_RESERVE_H

#include "agent/state/profile.h"

/* Reserves bytes [at, at + size) of the file. Returns false if they are not available. */
bool reserve_range(LmpProfile *p, uint64_t at, uint64_t size);

/* Reserves what every state needs, right after its file was made. */
bool reserve_open(LmpProfile *p);

/* Reserves the first level of the tables; p->limits are the most rows, and are cut to it. */
bool reserve_tables(LmpProfile *p);

/* Reserves the next level, if one is half full: call before a row is added to a table. */
void reserve_next(LmpProfile *p);
static inline void reserve_more(LmpProfile *p) {
    if (p->reserve.strict) reserve_next(p);
}

#endif
