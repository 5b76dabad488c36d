/* target.c - see target.h. */
#include "cmd/target.h"

#include <stdio.h>
#include <string.h>

bool target_parse(const char *text, uint32_t *pid, uint32_t *serial) {
    unsigned p = 0, s = 0;
    int used = 0;
    *serial = 0;
    if (sscanf(text, "%9u%n:%9u%n", &p, &used, &s, &used) < 1 || text[used] || p == 0) return false;
    if (strchr(text, ':') && s == 0) return false;
    *pid = p;
    *serial = s;
    return true;
}
