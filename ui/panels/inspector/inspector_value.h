/* inspector_value.h - puts a variable or an entry of the paused operation into words: its name and
 * its value, safe to print. */
#ifndef LMP_INSPECTOR_VALUE_H
#define LMP_INSPECTOR_VALUE_H

#include "base/format.h"
#include "screen/canvas.h"
#include "shared/layout.h"

enum { INSPECTOR_NAME = 64, INSPECTOR_VALUE = 4 * LMP_LOCAL_BYTES };

/* Writes "count", "[3]", "[\"any text\"]", "metatable". Returns out. */
char *inspector_name(const LmpLocal *local, bool ascii, char out[INSPECTOR_NAME]);
/* Writes "nil", "12.5", "\"text\"…", "{id, name, …}", "function app.lua:12". Returns out. */
char *inspector_value(const LmpLocal *local, bool ascii, char out[INSPECTOR_VALUE]);
/* Writes what stands at the right of a value that is cut: a string's size, a table's entries. "":
 * nothing. */
char *inspector_extent(const LmpLocal *local, char out[LMP_NUM]);
Style inspector_style(const LmpLocal *local);

#endif
