/* report_impl.h - the reports, for their table, and what the files of one report share. */
#ifndef LMP_REPORT_IMPL_H
#define LMP_REPORT_IMPL_H

#include "report/report.h"

#define REPORT_WRITE(ID, name, ...) void report_##name(const LmpReport *report, FILE *out);
REPORT_KINDS(REPORT_WRITE)
#undef REPORT_WRITE

/* ---- summary -----------------------------------------------------------------------------------
 */

/* A count that keeps to its column: exact, or short where it does not fit. */
const char *fit_count(char *out, uint64_t n, int width);
/* Share in percent, rounded to the nearest. (Of a damaged state a part can be more than all.) */
unsigned percent(uint64_t part, uint64_t whole);

void summary_leaks(const LmpReport *report, FILE *out);  /* one line or more, if lines are known */
void summary_tables(const LmpReport *report, FILE *out); /* sites, functions, tags */

/* ---- json --------------------------------------------------------------------------------------
 */

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD, so that the whole stays valid. */
void json_string(FILE *out, const char *text);
/* A number with six digits behind its point, whatever the locale. */
void json_number(FILE *out, double number);

/* All figures of a list, without braces. */
void json_figures(const void *of, const LmpFigure *list, FILE *out);
void json_ledger(const LmpReport *report, FILE *out); /* keys, each with a comma before it */

#endif
