/* source_ends.h - where functions end in a Lua source, and where those begin.
 *
 * Lua counts the making of a function to the line of its `end`: what `on("key", function() ...`
 * makes is counted to the line of `end)`, whose text does not show that. */
#ifndef LMP_SOURCE_ENDS_H
#define LMP_SOURCE_ENDS_H

#include <stddef.h>
#include <stdint.h>

/* Sets begins[i], for each line i + 1 of the text, to the line where the function begins that ends
 * there (of several the one that ends first); 0: none, or one that begins there, too. Text that is
 * not Lua does no harm, but gives meaningless lines. */
void source_ends(const char *text, size_t size, uint32_t *begins, uint32_t lines);

#endif
