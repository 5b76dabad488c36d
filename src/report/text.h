/* text.h - how reports write texts and numbers: in columns for people, as fields of CSV, and plain
 * digits by the million. */
#ifndef LMP_TEXT_H
#define LMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns a count that keeps to its column: exact, or short where it does not fit. `out`: LMP_NUM
 * bytes. */
const char *text_count(char *out, uint64_t n, int width);
/* Returns the same of a change: with its sign, "0" has none. */
const char *text_change(char *out, int64_t n, int width);
/* Returns a share in percent, rounded to the nearest. (Of a damaged state a part can be more than
 * all.) */
unsigned text_percent(uint64_t part, uint64_t whole);

/* Returns the columns of a terminal that a text takes, rather too many than too few. */
int text_columns(const char *text);
/* Writes text in `width` columns, the rest blank. Of what is too long the beginning is shown, or
 * the end (`tail`: where the end tells more, as of the names of files). */
void text_put(FILE *out, const char *text, int width, bool tail);
/* Writes a text that is never cut: what is too long has a line of its own, and `indent` blanks
 * begin the next one. */
void text_put_whole(FILE *out, const char *text, int indent, int width);
/* Writes as text_put does, without blanks after it. */
void text_put_most(FILE *out, const char *text, int width, bool tail);

/* Writes "00:00:01.250", of nanoseconds; `out`: LMP_NUM bytes. */
const char *text_moment(char *out, uint64_t clock);

/* Writes a text that the program has chosen as a field of CSV (RFC 4180), which a spreadsheet takes
 * for a text. Quotes, commas and ends of lines stand in quotes. What begins as formulas do
 * (= + - @, tab, carriage return), or with an apostrophe, has an apostrophe before it: without the
 * first one of a field its reader has what it was. */
void text_csv(FILE *out, const char *text);
/* Writes a field that is a number, with the comma before it. */
void text_csv_number(FILE *out, uint64_t n);

/* Writes a number with six digits behind the point, whatever the locale; 0 for one whose size is
 * 1e12 or more. */
void text_number(FILE *out, double number);

/* Writes n in decimal: there are millions of numbers, and printf is several times slower. */
static inline void text_digits(FILE *out, uint64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10));
    fwrite_unlocked(digits + at, 1, sizeof digits - at, out);
}

#endif
