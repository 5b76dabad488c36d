/* output.h - what the program printed, as lines for the output panel: the last of them, with escape
 * sequences taken out. The bytes themselves are kept elsewhere (the spool); nothing here is the
 * only copy of anything. */
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
/* Takes the next bytes: newline, carriage return, backspace and tab work, sequences of a terminal
 * are skipped (also when they are cut between two calls). */
void output_feed(Output *output, const char *bytes, size_t size);
/* Lines so far, the unfinished last one included (count), of which the last OUTPUT_LINES remain. */
uint64_t output_lines(const Output *output);
uint64_t output_bytes(const Output *output);
/* Line `i`, NUL-terminated, "" when it is not kept any more. */
const char *output_line(const Output *output, uint64_t i);

#endif
