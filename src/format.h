/* format.h - numbers as people read them. All write a NUL-terminated text into `out` of at least
 * LMP_NUM bytes and return it; none depends on the locale. */
#ifndef LMP_FORMAT_H
#define LMP_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define LMP_NUM 32

/* "999 B", "1.0 KiB", "153.2 MiB", "12.0 GiB" (1 MiB = 2^20). */
char *format_bytes(char *out, uint64_t bytes);
/* The same with a sign: "+12.1 MiB", "-3 B", "0". */
char *format_delta_bytes(char *out, int64_t bytes);
/* "1,204,551" */
char *format_count(char *out, uint64_t n);
char *format_delta_count(char *out, int64_t n);
/* At most five characters: "999", "9.9 k", "182 k", "1.2 M", "44 G". */
char *format_short(char *out, uint64_t n);
/* "00:01:42"; from 100 hours on "4d 07h". */
char *format_clock(char *out, uint64_t ns);
/* "3 ms", "1.9 s", "5 min", "2.5 h". */
char *format_span(char *out, uint64_t ns);
/* Copies text, replacing control bytes and bytes that are not UTF-8 by '?' (ascii: also every
 * non-ASCII character), never cutting a character; at most size - 1 bytes and a NUL. */
char *format_text(char *out, size_t size, const char *text, int ascii);

#endif
