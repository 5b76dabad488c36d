/* linesnow.h - the texts of lines, by what a recording has kept of their files, or else by these as
 * they can be read now: only of lines that still are what they were when the program ran, by the
 * hash that a recording keeps of them. */
#ifndef LMP_LINESNOW_H
#define LMP_LINESNOW_H

#include "read/ledger/ledger.h"
#include "record/format/texts.h"

typedef struct LinesNow LinesNow;

/* `kept`: the texts of a recording, NULL: none; they are to live as long. Returns NULL: no memory;
 * the functions below accept that. Looks at LINESNOW_FILES files at most, each
 * once. */
enum { LINESNOW_FILES = 200 };
LinesNow *linesnow_new(const KeptTexts *kept);
void linesnow_free(LinesNow *lines);

/* The line of a site, without the blanks around it, and how many bytes that is; NULL and 0: not
 * known. It lives as long as `lines`. */
const char *linesnow_text(LinesNow *lines, const LmpSiteRow *site, size_t *size);

#endif
