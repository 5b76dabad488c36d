/* source_ends.h - where functions end in a Lua source, and where those begin.
 *
 * Lua counts the making of a function to the line of its `end`: what `on("key", function() ...`
 * makes stands in the line of `end)`, which says nothing of it. */
#ifndef LMP_SOURCE_ENDS_H
#define LMP_SOURCE_ENDS_H

#include <stddef.h>
#include <stdint.h>

/* begins[i], for each line i + 1 of the text: in which line the function begins that ends there, of
 * several the one that ends first; 0: none, or one that begins there, too. Text that is no Lua
 * does no harm, but what is said of it means nothing. */
void source_ends(const char *text, size_t size, uint32_t *begins, uint32_t lines);

#endif
