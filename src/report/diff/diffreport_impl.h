/* diffreport_impl.h - the formats of a comparison, for their table, and what they share. */
#ifndef LMP_DIFFREPORT_IMPL_H
#define LMP_DIFFREPORT_IMPL_H

#include "report/diff/diffreport.h"
#include "report/page/htmlkeep.h"

#define DIFF_WRITE(ID, name, ...) LmpErr diff_##name(const DiffReport *report, FILE *out);
DIFF_REPORTS(DIFF_WRITE)
#undef DIFF_WRITE

/* What a row is: the line, function or tag, and where it stood before if it has moved. */
typedef struct DiffWhat {
    const char *name; /* of the function or tag */
    const char *short_src;
    int32_t line, was_line; /* -1: none */
} DiffWhat;

DiffWhat diff_what(const DiffReport *report, RunDiffBy by, const RunDiffRow *row);

/* "kept", "moved", "new", "gone" */
extern const char *const diff_how_words[];

/* Why the two can hardly be compared, a line each; NULL: nothing stands against it. At most
 * DIFF_DOUBTS. */
enum { DIFF_DOUBTS = 4 };
typedef struct DiffDoubts {
    const char *line[DIFF_DOUBTS];
    uint32_t lines;
} DiffDoubts;
DiffDoubts diff_doubts(const DiffReport *report);

/* ---- the page: diff_html*.c ------------------------------------------------------------------ */

/* Writes the call paths of both, as one field; nothing where a side has none. */
LmpErr diff_html_paths(Json *json, const DiffReport *report, const HtmlKept *sites);

#endif
