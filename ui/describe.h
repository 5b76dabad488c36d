/* describe.h - words for blocks and sizes, shared by the panels that show single blocks. */
#ifndef LMP_DESCRIBE_H
#define LMP_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind.h"
#include "shared.h"

/* What a block of a class is: "table", "table part"; never NULL, also for a foreign class. */
const char *describe_class(unsigned cls);
/* The same at length: "array or hash part of a table". */
const char *describe_class_long(unsigned cls);
/* "64 KiB", "16 B": a power of two without a fraction. `out` has at least 32 bytes. */
char *describe_cell_size(char *out, uint64_t bytes);
/* How old a block is, as far as its epoch tells: "< 2 s", "14 s", "3 min", "?". */
char *describe_age(char *out, uint32_t birth, uint64_t epoch_length, uint64_t clock);
/* The contents of a string, quoted, with escapes as Lua reads them; what the preview left out is an
 * ellipsis after the quote. `ascii`: other characters as escapes too. At most size - 1 bytes. */
char *describe_preview(char *out, size_t size, const LmpPreview *preview, bool ascii);

#endif
