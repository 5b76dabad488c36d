/* format.h - numbers and foreign text as people read them. The format_* functions that take `out`
 * write a NUL-terminated text there, of at least LMP_NUM bytes unless a size is given, and return
 * it; none depends on the locale. */
#ifndef LMP_FORMAT_H
#define LMP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LMP_NUM 32

/* Writes "999 B", "1.0 KiB", "153.2 MiB", "12.0 GiB" (1 MiB = 2^20), rounded to the nearest tenth.
 * */
char *format_bytes(char *out, uint64_t bytes);
/* Returns the same with a sign: "+12.1 MiB", "-3 B", "0". */
char *format_delta_bytes(char *out, int64_t bytes);
/* Writes "1,204,551". */
char *format_count(char *out, uint64_t n);
/* Writes at most five characters: "999", "9.9 k", "182 k", "1.2 M", "44 G". */
char *format_short(char *out, uint64_t n);
/* Writes "00:01:42"; from 100 hours on "4d 07h". Rounds down. */
char *format_clock(char *out, uint64_t ns);
/* Returns the same with tenths of a second: "00:01:42.7"; from 100 hours on as that. */
char *format_clock_fine(char *out, uint64_t ns);
/* Writes "850 ns", "412 us", "3 ms", "1.9 s", "42 s", "5 min", "2.5 h", "12 d". Rounds down. */
char *format_span(char *out, uint64_t ns);
/* Copies text, replacing control characters (also those that change the direction of writing) and
 * bytes that are not UTF-8 by '?' (ascii: also every non-ASCII character), never cutting a
 * character; at most size - 1 bytes and a NUL. `out` may be `text`. */
char *format_text(char *out, size_t size, const char *text, int ascii);
/* Returns true for a word that no shell takes for anything else; for a line of such words, plain or
 * in single quotes, and of nothing else. */
bool format_plain_word(const char *text);
bool format_plain_line(const char *text);
/* Returns true for a character that a terminal obeys, or that changes the direction of writing. */
bool format_is_control(uint32_t c);
/* Returns the length in bytes of the UTF-8 character that `text` (NUL-terminated) begins with, and
 * its number in *code; 0 when it is none (truncated, overlong, a surrogate, beyond U+10FFFF). */
size_t format_utf8(const char *text, uint32_t *code);
/* Reads a number without sign, exponent or locale, 1e18 at most; its point may be first or last.
 * Returns what follows it; NULL: there is none. */
const char *format_number(const char *text, double *out);
/* Reads a size: bytes of "1048576", "64k", "512KiB", "1.5 MiB", "10m", "2 GB". Every prefix is a
 * power of 1024, in either case; a fraction is rounded down. False: it is no size, or does not
 * fit. */
bool format_parse_size(const char *text, uint64_t *bytes);

/* Returns "SIGKILL" for a signal that has a name of its own, NULL for others. */
const char *format_signal(int number);
/* Writes "a.lua:12"; for line -1 "(host)", which has none. */
const char *format_where(char *out, size_t size, const char *short_src, int32_t line);

#endif
