/* procfile.h - what the system says in small files of text. */
#ifndef LMP_PROCFILE_H
#define LMP_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the rest of the first line that begins with `key`, without blanks before it. Returns false,
 * and "", if there is none, or no file. */
bool procfile_line(const char *path, const char *key, char *out, size_t size);

#define PROCFILE_SELF UINT32_MAX /* this process, whatever its number is where /proc is from */
/* Returns the resident set of a process, bytes; 0: not known, or it is gone. */
uint64_t procfile_resident(uint32_t pid);

#endif
