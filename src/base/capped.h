/* capped.h - sums and differences that stay at an end in place of wrapping. */
#ifndef LMP_CAPPED_H
#define LMP_CAPPED_H

#include <stdint.h>

static inline uint64_t capped_plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
static inline uint64_t capped_less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

#endif
