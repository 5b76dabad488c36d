/* shellwords.h - words as they can be typed again in a shell. */
#ifndef LMP_SHELLWORDS_H
#define LMP_SHELLWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Appends a word to the line (NUL-terminated, `size` bytes), after a blank where there is one
 * before it, in quotes where it needs them. What does not fit, or what a terminal would obey,
 * leaves the line as it is; returns whether the word is there. */
bool shellwords_add(char *line, size_t size, const char *word);

#endif
