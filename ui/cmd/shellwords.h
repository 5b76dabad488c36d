/* shellwords.h - words in a form that can be typed again in a shell. */
#ifndef LMP_SHELLWORDS_H
#define LMP_SHELLWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Appends a word to the line (NUL-terminated, `size` bytes), separated by a blank and quoted where
 * necessary. If it does not fit, or contains what a terminal would obey, the line stays as it is;
 * returns whether the word was added. */
bool shellwords_add(char *line, size_t size, const char *word);

#endif
