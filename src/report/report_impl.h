/* report_impl.h - what the files of one report share. */
#ifndef LMP_REPORT_IMPL_H
#define LMP_REPORT_IMPL_H

#include "report/json.h"
#include "report/report.h"

void summary_verdicts(const LmpReport *report, FILE *out); /* what it amounts to: sentences */
void summary_leaks(const LmpReport *report, FILE *out);  /* one line or more, if lines are known */
void summary_frames(const LmpReport *report, FILE *out); /* two lines, if there are any */
void summary_worst_frames(const LmpReport *report, FILE *out); /* a table */
void summary_conditions(const LmpReport *report, FILE *out);   /* how to read lines */
void summary_range(const LmpReport *report,
                   FILE *out); /* instead of all of these, after the head */
void summary_tables(const LmpReport *report, FILE *out); /* sites, functions, tags */

void json_verdicts(Json *json, const LmpReport *report); /* a field, verdicts */
void json_ledger(Json *json, const LmpReport *report);   /* fields: sites, functions, tags, leaks */

#endif
