/* bisect.h - binary search in whatever is in order. */
#ifndef LMP_BISECT_H
#define LMP_BISECT_H

#include <stdint.h>

/* Moves `low`, a uint32_t, to the first i in [low, high) for which `before`, an expression of `i`,
 * is false; to `high` if there is none. It is to be false from there on. */
#define BISECT(low, high, i, before)                                                               \
    do {                                                                                           \
        for (uint32_t end_ = (high), i; (low) < end_;) {                                           \
            (i) = (low) + (end_ - (low)) / 2;                                                      \
            if (before)                                                                            \
                (low) = (i) + 1;                                                                   \
            else                                                                                   \
                end_ = (i);                                                                        \
        }                                                                                          \
    } while (0)

#endif
