/* breaks_parsed.h - makes a break condition from its text, for tests. */
#ifndef LMP_BREAKS_PARSED_H
#define LMP_BREAKS_PARSED_H

#include "suite.h"

#include "shared/breaks.h"

static LmpBreak parsed(const char *text) {
    LmpBreak b = {0};
    char problem[200] = "";
    ck_assert_msg(breaks_parse(text, &b, problem, sizeof problem), "\"%s\": %s", text, problem);
    ck_assert_int_eq(b.on, 1);
    return b;
}

#endif
