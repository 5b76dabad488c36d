/* report_impl.h - what the files of the summary share. */
#ifndef LMP_REPORT_IMPL_H
#define LMP_REPORT_IMPL_H

#include "report/report.h"

void summary_leaks(const LmpReport *report, FILE *out); /* one line or more, if lines are known */
void summary_conditions(const LmpReport *report, FILE *out); /* how to read lines */
/* Instead of all of these, after the head. */
void summary_range(const LmpReport *report, FILE *out);
void summary_tables(const LmpReport *report, FILE *out); /* sites, functions, tags */

#endif
