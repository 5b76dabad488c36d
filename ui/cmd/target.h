/* target.h - how a person names a profiled state: PID or PID:SERIAL.
 */
#ifndef LMP_TARGET_H
#define LMP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* False: it is none. *serial 0: none was named. */
bool target_parse(const char *text, uint32_t *pid, uint32_t *serial);

#endif
