/* texthead.h - how reports for people begin. */
#ifndef LMP_TEXTHEAD_H
#define LMP_TEXTHEAD_H

#include "report/formats/value.h"

/* "Functions of options.lua (Lua 5.4.4, pid 4711), finished after 00:01:42", what is shown, what
 * must be known to read it, and an empty line. */
void texthead_put(const LmpReport *report, FILE *out, const char *title, ReportValue value);
/* A number as the unit of its value has it: "1,204 B", "1,204". At least LMP_NUM + 4 bytes. */
const char *texthead_number(char *out, uint64_t n, ReportValue value);
/* "12.3", of 100; at least 16 bytes. */
const char *texthead_share(char *out, uint64_t part, uint64_t whole);

#endif
