/* target.h - how a person names a profiled state: PID or PID:SERIAL. */
#ifndef LMP_TARGET_H
#define LMP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "command/command.h"

/* Returns false if the text names no state. *serial 0: no serial was named. */
bool target_parse(const char *text, uint32_t *pid, uint32_t *serial);

/* Reads the operands of a command that takes a state and perhaps a file (*file NULL: none). Returns
 * TARGET_THERE, or the exit status if help was asked for or a line has said what is wrong. */
enum { TARGET_THERE = -1 };
int target_operands(const Parse *parse, uint32_t *pid, uint32_t *serial, const char **file);

#endif
