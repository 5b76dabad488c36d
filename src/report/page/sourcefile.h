/* sourcefile.h - a file of the program, for its lines, as it can be read now or as it was kept. A
 * report may be of a recording that came from somewhere else and names any file, so only what looks
 * like a program is taken: never a password. */
#ifndef LMP_SOURCEFILE_H
#define LMP_SOURCEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCEFILE_BYTES = 4 << 20 }; /* of one at most */

typedef struct SourceFile {
    char *text;
    size_t size;
    uint32_t lines;
    size_t *line; /* where each begins, and the end of all */
} SourceFile;

/* False: it is none, too large, no program, or there is no memory; then it is to be closed all the
 * same. Waits for no pipe. */
bool sourcefile_open(SourceFile *file, const char *name);
/* The same of a text that was kept when the program ran. */
bool sourcefile_of(SourceFile *file, const char *text, size_t size);
void sourcefile_close(SourceFile *file);

#endif
