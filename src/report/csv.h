/* csv.h - a text as a field of CSV (RFC 4180), which a spreadsheet takes for a text. */
#ifndef LMP_CSV_H
#define LMP_CSV_H

#include <stdio.h>

/* Writes a text that the program has chosen. Quotes, commas and ends of lines stand in quotes. What
 * begins as formulas do (= + - @, tab, carriage return), or with an apostrophe, has an apostrophe
 * before it: without the first one of a field its reader has what it was. */
void csv_text(FILE *out, const char *text);

#endif
