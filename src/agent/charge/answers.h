/* answers.h - the second cache of lines: what has been learned of more places than the first one
 * (LmpLineCache) has room for. Without it, a program of twenty thousand lines would look up each of
 * them again in every round.
 *
 * An answer is valid while the code that it is about lives: it carries the number of that code's
 * life (LmpCode.life), so nothing has to be invalidated. Private memory, doubled while answers are
 * evicted, up to LMP_ANSWERS_MOST; without memory there is no cache, and everything is looked
 * up. */
#ifndef LMP_ANSWERS_H
#define LMP_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

enum { LMP_ANSWERS_LEAST = 1 << 12, LMP_ANSWERS_MOST = 1 << 18, LMP_ANSWERS_WAYS = 4 };

typedef struct LmpAnswer {
    uint64_t key; /* as in LmpLineSlot */
    uintptr_t cfn;
    uint64_t life; /* 0: none is here */
    uint32_t cls, row;
} LmpAnswer;

/* All zeroes: none yet. */
typedef struct LmpAnswers {
    LmpAnswer *slot; /* in sets of LMP_ANSWERS_WAYS, the newest first */
    uint32_t slots;  /* a power of two */
    uint32_t pushed; /* answers evicted at this size */
    bool refused;    /* no memory for more */
} LmpAnswers;

void answers_close(LmpAnswers *a);

/* The row, 0: not known. */
uint32_t answers_find(const LmpAnswers *a, const LmpAnswer *like);
/* Enters one that was not found. */
void answers_add(LmpAnswers *a, const LmpAnswer *answer);

#endif
