/* judge_impl.h - what judge.c, which compares with the API, has of judge_form.c. */
#ifndef TRUTH_HEAP_JUDGE_IMPL_H
#define TRUTH_HEAP_JUDGE_IMPL_H

#include "judge.h"

/* Notes what is wrong, the first time since judge_form began. Returns false. */
__attribute__((format(printf, 1, 2))) bool judge_wrong(const char *format, ...);

/* Returns, for each object, whether something that counts holds it; to be freed. */
uint8_t *judge_reach(const LmpObjectGraph *g);

#endif
