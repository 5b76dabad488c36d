/* luawords.h - words that are Lua's own: what is hidden of a program leaves them. */
#ifndef LMP_LUAWORDS_H
#define LMP_LUAWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Is a word of n bytes in a list whose words stand between blanks? */
bool luawords_in(const char *list, const char *word, size_t n);

/* Are all words in n bytes of text names of the standard libraries and of what is in them, or in
 * `more`? What stands between words may be signs and numbers, but none of a quoted text. */
bool luawords_only(const char *text, size_t n, const char *more);

#endif
