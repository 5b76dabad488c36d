/* report_impl.h - what the files of the summary share. */
#ifndef LMP_REPORT_IMPL_H
#define LMP_REPORT_IMPL_H

#include "report/report.h"

void report_summary_leaks(const LmpReport *report,
                          FILE *out); /* one line or more, if lines are known */
void report_summary_conditions(const LmpReport *report, FILE *out); /* how to read lines */
/* Write a range of time instead of all of these, after the head. */
void report_summary_range(const LmpReport *report, FILE *out);
void report_summary_tables(const LmpReport *report, FILE *out); /* sites, functions, tags */

#endif
