/* output.h - what the program printed, as lines for the output panel: the last ones, without escape
 * sequences. The bytes themselves are kept elsewhere (the spool); nothing here is the only copy. */
#ifndef LMP_OUTPUT_H
#define LMP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTPUT_LINES 2000u   /* kept */
#define OUTPUT_COLUMNS 1024u /* bytes of a line that are kept */

typedef struct Output Output;

/* Returns NULL: no memory. */
Output *output_new(void);
void output_free(Output *output);
/* Takes the next bytes: newline, carriage return, backspace and tab work, escape sequences are
 * skipped (even when split between two calls). */
void output_feed(Output *output, const char *bytes, size_t size);
/* Takes bytes whose time is known: a line has the time of its first byte. */
void output_feed_at(Output *output, const char *bytes, size_t size, uint64_t clock);
/* Starts anew after so many lines and bytes, which are no longer kept. */
void output_restart(Output *output, uint64_t lines, uint64_t bytes);
/* Returns when line `i` began; 0: not known, or no longer kept. */
uint64_t output_clock(const Output *output, uint64_t i);
/* Returns the lines so far, with the unfinished last one. The last OUTPUT_LINES of them are
 * kept. */
uint64_t output_lines(const Output *output);
uint64_t output_bytes(const Output *output);
/* Returns line `i`, NUL-terminated, "" if it is no longer kept. */
const char *output_line(const Output *output, uint64_t i);

#endif
