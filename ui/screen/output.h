/* output.h - what the program printed, as lines for the output panel: the last ones, without escape
 * sequences. The bytes themselves are kept elsewhere (the spool); nothing here is the only copy of
 * anything. */
#ifndef LMP_OUTPUT_H
#define LMP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTPUT_LINES 2000u   /* kept */
#define OUTPUT_COLUMNS 1024u /* bytes of a line that are kept */

typedef struct Output Output;

/* NULL: no memory. */
Output *output_new(void);
void output_free(Output *output);
/* Takes the next bytes: newline, carriage return, backspace and tab work, escape sequences are
 * skipped (even when split between two calls). */
void output_feed(Output *output, const char *bytes, size_t size);
/* The same, of bytes whose time is known: that of a line is that of its first byte. */
void output_feed_at(Output *output, const char *bytes, size_t size, uint64_t clock);
/* As if nothing had come yet but so many lines and bytes, which are no longer kept. */
void output_restart(Output *output, uint64_t lines, uint64_t bytes);
/* When line `i` began; 0: not known, or no longer kept. */
uint64_t output_clock(const Output *output, uint64_t i);
/* Lines so far, including the unfinished last one, of which the last OUTPUT_LINES are kept. */
uint64_t output_lines(const Output *output);
uint64_t output_bytes(const Output *output);
/* Line `i`, NUL-terminated, "" if it is no longer kept. */
const char *output_line(const Output *output, uint64_t i);

#endif
