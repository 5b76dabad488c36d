/* localwords.h - values as the display gets them: their type and what can be said of them in a few
 * bytes. Allocates nothing and converts nothing. */
#ifndef LMP_LOCALWORDS_H
#define LMP_LOCALWORDS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/layout.h"

/* The bytes of `value`, as many as there is room for; `whole` is set to `size`. */
void localwords_bytes(LmpLocal *local, const char *bytes, size_t size);
/* As tostring() has them. */
void localwords_integer(LmpLocal *local, lua_Integer value);
void localwords_float(LmpLocal *local, lua_Number value);
void localwords_boolean(LmpLocal *local, bool value);
void localwords_address(LmpLocal *local, const void *at);
/* The same for a number that is no value: "0.5", "2.0". */
void localwords_number(char *out, size_t size, lua_Number value);

#endif
