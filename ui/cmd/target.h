/* target.h - how a person names a profiled state: PID or PID:SERIAL. */
#ifndef LMP_TARGET_H
#define LMP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/command.h"

/* False: it is none. *serial 0: none was named. */
bool target_parse(const char *text, uint32_t *pid, uint32_t *serial);

/* What follows the options of a command that takes a state, and a file if one wants it (*file NULL:
 * none). TARGET_THERE, or the exit status: help was asked for, or what is wrong has been said. */
enum { TARGET_THERE = -1 };
int target_operands(const Parse *parse, uint32_t *pid, uint32_t *serial, const char **file);

#endif
