/* learned.h - what a study of the interpreter's code has found, kept for the next start.
 *
 * What is learned at start (owner.c, saved_regs.c) depends on two modules only, the interpreter's
 * and lmp's, and on where AddressSanitizer puts locals, if they are compiled with it. So the rows
 * are kept in the user's cache directory, under the build ids of both, a sum of all their code, and
 * that choice. A kept row counts only if the code around each address that it speaks of is, byte
 * for byte, what it was when the row was learned; else nothing is believed, and the study is made
 * anew. Without build ids, with 16 MiB of code or more, with other modules in between, or where no
 * file can be read or written, each start studies.
 */
#ifndef LMP_LEARNED_H
#define LMP_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

enum { LMP_LEARNED_PLACES = 6, LMP_LEARNED_NUMBERS = 6 };

typedef struct LmpLearnedRow {
    uintptr_t place[LMP_LEARNED_PLACES]; /* addresses of code; 0: none */
    int32_t
        number[LMP_LEARNED_NUMBERS]; /* what they mean is the owner's business, who checks them */
} LmpLearnedRow;

/* Reads the rows that were kept under a name. Returns rows that the caller frees, NULL: none are to
 * be believed. Only at start: allocates, opens a file. */
LmpLearnedRow *learned_read(const char *name, uint32_t *rows);

/* Keeps them, if that is possible. */
void learned_write(const char *name, const LmpLearnedRow *row, uint32_t rows);

#endif
