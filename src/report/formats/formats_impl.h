/* formats_impl.h - the formats, for their table. */
#ifndef LMP_FORMATS_IMPL_H
#define LMP_FORMATS_IMPL_H

#include "report/formats/formats.h"

#define REPORT_WRITE(ID, name, ...) LmpErr report_##name(const LmpReport *report, FILE *out);
REPORT_KINDS(REPORT_WRITE)
#undef REPORT_WRITE

/* When an interval of LmpReport.history ends, milliseconds since start; the last one is not over.
 */
uint64_t history_end_ms(const LmpReport *report, uint32_t interval);
/* Returns true if any of the interval is in the report's range of time. */
bool history_within(const LmpReport *report, uint32_t interval);

#endif
