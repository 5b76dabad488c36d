/* linetext.h - a hash of the text of a line of the program, for a recording: by it a line is known
 * again in another run, though the file was edited in between. The text itself is not kept. */
#ifndef LMP_RECORD_LINETEXT_H
#define LMP_RECORD_LINETEXT_H

#include <stddef.h>
#include <stdint.h>

/* Of one line, blanks around it left out; never 0. */
uint32_t linetext_hash(const char *text, size_t n);

typedef struct LineTexts LineTexts;

/* Of a process, whose directory its files are relative to. Of one that is gone, or cannot be looked
 * at, that is ours: `lmp run` starts it there. A file younger than `start` (nanoseconds since 1970;
 * 0: not known) is not what runs. NULL: no memory; all functions accept that. */
LineTexts *linetexts_new(uint32_t pid, uint64_t start);
void linetexts_free(LineTexts *texts);

/* Of line `line` (from 1) of a source as lua_Debug has it ("@file"), blanks around it left out. 0:
 * it is not known. Each file is read once, up to LINETEXT_BYTES of it; at most LINETEXT_FILES. */
#define LINETEXT_BYTES (8u << 20)
#define LINETEXT_FILES 4096u
uint32_t linetexts_hash(LineTexts *texts, const char *source, int32_t line);

#endif
