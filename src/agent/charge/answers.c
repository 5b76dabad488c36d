/* answers.c - a set-associative cache: a hash of place and class chooses a set, whose slots are
 * ordered from the newest answer to the oldest; a new answer evicts the oldest. */
#include "agent/charge/answers.h"

#include <string.h>

#include "base/os.h"

static LmpAnswer *set_of(const LmpAnswers *a, const LmpAnswer *like) {
    uint64_t h = (like->key ^ (uint64_t)like->cfn << 13) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 32 ^ like->cls) * 0xc2b2ae3d27d4eb4full; /* a tag is only in the upper bits */
    return a->slot + (h >> 32 & (a->slots - 1) & ~(uint64_t)(LMP_ANSWERS_WAYS - 1));
}

uint32_t answers_find(const LmpAnswers *a, const LmpAnswer *like) {
    if (!a->slot) return 0;
    const LmpAnswer *set = set_of(a, like);
    for (int i = 0; i < LMP_ANSWERS_WAYS; i++)
        if (set[i].key == like->key && set[i].life == like->life && set[i].cfn == like->cfn &&
            set[i].cls == like->cls)
            return set[i].row;
    return 0;
}

static void put(LmpAnswers *a, const LmpAnswer *answer) {
    LmpAnswer *set = set_of(a, answer);
    if (set[LMP_ANSWERS_WAYS - 1].life) a->pushed++;
    memmove(set + 1, set, (LMP_ANSWERS_WAYS - 1) * sizeof *set);
    *set = *answer;
}

static void grow(LmpAnswers *a) {
    LmpAnswers next = {.slots = a->slots ? a->slots * 2 : LMP_ANSWERS_LEAST};
    next.slot = lmp_os->map(next.slots * sizeof *next.slot, -1, 0, true);
    if (!next.slot) {
        a->refused = true;
        return;
    }
    for (uint32_t i = a->slots; i-- > 0;) /* so that the newest of a set are inserted last */
        if (a->slot[i].life) put(&next, &a->slot[i]);
    next.pushed = 0;
    answers_close(a);
    *a = next;
}

void answers_add(LmpAnswers *a, const LmpAnswer *answer) {
    bool crowded = a->pushed >= a->slots / 16 && a->slots < LMP_ANSWERS_MOST;
    if (crowded && !a->refused) grow(a);
    if (a->slot) put(a, answer);
}

void answers_close(LmpAnswers *a) {
    if (a->slot) lmp_os->unmap(a->slot, a->slots * sizeof *a->slot);
    *a = (LmpAnswers){0};
}
