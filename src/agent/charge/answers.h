/* answers.h - the second cache of lines: what has been learned of more places than the first one
 * (LmpLineCache) has room for. A program of twenty thousand lines would else ask for each of them
 * again in every round.
 *
 * An answer is good while the code that it is about lives: it bears the number of that code's life
 * (LmpCode.life), so nothing has to be forgotten. Private memory, doubled while answers are pushed
 * out, up to LMP_ANSWERS_MOST; without memory there is none, and everything is asked for. */
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
    uint32_t pushed; /* answers that had to go at this size */
    bool refused;    /* no memory for more */
} LmpAnswers;

void answers_close(LmpAnswers *a);

/* The row, 0: not known. */
uint32_t answers_find(const LmpAnswers *a, const LmpAnswer *like);
/* Enters one that was not found. */
void answers_add(LmpAnswers *a, const LmpAnswer *answer);

#endif
