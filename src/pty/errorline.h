/* errorline.h - the error that a Lua program ended with, from the end of what it printed. */
#ifndef LMP_ERRORLINE_H
#define LMP_ERRORLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds, in the bytes from `from` on to the end of file `fd`, the line above the last "stack
 * traceback:", or the last line, if it begins as the interpreter's own messages do ("lua5.4: ...").
 * Control bytes are replaced. Returns false if there is none; `out` is "". */
bool errorline_find(int fd, uint64_t from, char *out, size_t size);

#endif
