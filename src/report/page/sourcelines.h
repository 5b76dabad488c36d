/* sourcelines.h - the program's files, for their lines, as they were kept or can be read now. A
 * report may be of a recording that came from somewhere else and names any file, so only what looks
 * like a program is taken: never a password. */
#ifndef LMP_SOURCELINES_H
#define LMP_SOURCELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/ledger/ledger.h"
#include "recording/format/texts.h"

/* ---- a file ---------------------------------------------------------------------------------- */

enum { SOURCEFILE_BYTES = 4 << 20 }; /* of one at most */

typedef struct SourceFile {
    char *text;
    size_t size;
    uint32_t lines;
    size_t *line; /* where each begins, and the end of all */
} SourceFile;

/* Opens a source. Returns false: it is none, too large, no program, or there is no memory; then it
 * is to be closed all the same. Waits for no pipe. */
bool sourcefile_open(SourceFile *file, const char *name);
/* Does the same with a text that was kept when the program ran. */
bool sourcefile_of(SourceFile *file, const char *text, size_t size);
void sourcefile_close(SourceFile *file);

/* ---- lines as they were ---------------------------------------------------------------------- */

/* The texts of lines, only of those that still are what they were when the program ran, by the hash
 * that a recording keeps of them. */
typedef struct LinesNow LinesNow;

/* `kept`: the texts of a recording, NULL: none; they are to live as long. Returns NULL: no memory;
 * the functions below accept that. Looks at LINESNOW_FILES files at most, each once. */
enum { LINESNOW_FILES = 200 };
LinesNow *linesnow_new(const KeptTexts *kept);
void linesnow_free(LinesNow *lines);

/* Returns the line of a site, without the blanks around it, and how many bytes that is; NULL and 0:
 * not known. It lives as long as `lines`. */
const char *linesnow_text(LinesNow *lines, const LmpSiteRow *site, size_t *size);

#endif
