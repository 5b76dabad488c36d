/* digits.h - numbers by the million, for which printf takes several times as long. */
#ifndef LMP_DIGITS_H
#define LMP_DIGITS_H

#include <stdint.h>
#include <stdio.h>

/* Writes n in decimal. */
static inline void digits_put(FILE *out, uint64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10));
    fwrite_unlocked(digits + at, 1, sizeof digits - at, out);
}

#endif
