/* formats_impl.h - the formats, for their table, and how those for people begin. */
#ifndef LMP_FORMATS_IMPL_H
#define LMP_FORMATS_IMPL_H

#include "report/formats/formats.h"
#include "report/formats/value.h"

#define REPORT_WRITE(ID, name, ...) LmpErr report_##name(const LmpReport *report, FILE *out);
REPORT_KINDS(REPORT_WRITE)
#undef REPORT_WRITE

/* Returns when an interval of LmpReport.history ends, milliseconds since start; the last one is not
 * over. */
uint64_t timeline_end_ms(const LmpReport *report, uint32_t interval);
/* Returns true if any of the interval is in the report's range of time. */
bool timeline_within(const LmpReport *report, uint32_t interval);

/* ---- texthead.c: reports for people ---------------------------------------------------------- */

/* Writes "Functions of options.lua (Lua 5.4.4, pid 4711), finished after 00:01:42", what is shown,
 * what must be known to read it, and an empty line. */
void texthead_put(const LmpReport *report, FILE *out, const char *title, ReportValue value);
/* Returns a number as the unit of its value has it: "1,204 B", "1,204". At least LMP_NUM + 4
 * bytes. */
const char *texthead_number(char *out, uint64_t n, ReportValue value);
/* Writes "12.3", of 100; at least 16 bytes. */
const char *texthead_share(char *out, uint64_t part, uint64_t whole);

#endif
