/* luawords.h - words that are Lua's own: what is hidden of a program leaves them. */
#ifndef LMP_LUAWORDS_H
#define LMP_LUAWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if a word of n bytes is in a list whose words stand between blanks. */
bool luawords_in(const char *list, const char *word, size_t n);

/* Returns true if all words in n bytes of text are names of the standard libraries and of what is
 * in them, or in `more`. Between the words there may be signs and numbers, but none of a quoted
 * text. */
bool luawords_only(const char *text, size_t n, const char *more);

#endif
