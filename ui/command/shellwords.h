/* shellwords.h - words in a form that can be typed again in a shell. */
#ifndef LMP_SHELLWORDS_H
#define LMP_SHELLWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Appends a word to the line (NUL-terminated, `size` bytes), after a blank and quoted where
 * necessary. Returns false and leaves the line as it is if the word does not fit or contains what a
 * terminal would obey. */
bool shellwords_add(char *line, size_t size, const char *word);

#endif
