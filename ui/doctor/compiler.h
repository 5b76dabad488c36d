/* compiler.h - which compiler made an executable or a library, by its own account. */
#ifndef LMP_COMPILER_H
#define LMP_COMPILER_H

#include <stddef.h>

/* Reads the section .comment of an ELF file; "" if there is none. Returns out. */
const char *compiler_of(const char *file, char *out, size_t size);

#endif
