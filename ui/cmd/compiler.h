/* compiler.h - which compiler made an executable or a library, by its own account. */
#ifndef LMP_COMPILER_H
#define LMP_COMPILER_H

#include <stddef.h>

/* From the section .comment of an ELF file; "" when there is none. Returns out. */
const char *compiler_of(const char *file, char *out, size_t size);

#endif
