/* linetext.h - a hash of the text of a line of the program, for a recording: by it a line is known
 * again in another run, though the file was edited in between. And the texts of small files. */
#ifndef LMP_RECORDING_FORMAT_LINETEXT_H
#define LMP_RECORDING_FORMAT_LINETEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the hash of one line, blanks around it left out; never 0. */
uint32_t linetext_hash(const char *text, size_t n);

/* Returns true if a file looks like a program: a recording may name any file, a password's, too. */
bool linetext_is_program(const char *name, const char *text, size_t size);

typedef struct LineTexts LineTexts;

/* Tells in which directory a process runs; of a process that is gone, or cannot be looked at, ours:
 * `lmp run` starts it there. Returns false if that is not known. */
bool linetexts_directory(uint32_t pid, char *out, size_t size);

/* Returns the texts of lines of a process, whose files are relative to `directory`; NULL: to
 * linetexts_directory. A file younger than `start` (nanoseconds since 1970; 0: not known) is not
 * what runs. NULL: no memory; all functions accept that. */
LineTexts *linetexts_new(uint32_t pid, uint64_t start, const char *directory);
void linetexts_free(LineTexts *texts);

/* Of line `line` (from 1) of a source as lua_Debug has it ("@file"), blanks around it left out. 0:
 * it is not known. Each file is read once, up to LINETEXT_BYTES of it; at most LINETEXT_FILES. */
#define LINETEXT_BYTES (8u << 20)
#define LINETEXT_FILES 4096u
uint32_t linetexts_hash(LineTexts *texts, const char *source, int32_t line);

/* Texts of programs' files read from now on are kept for linetexts_take, if they are of at most
 * LINETEXT_KEPT bytes each, and `most` all together, with those of before. */
#define LINETEXT_KEPT (256u << 10)
#define LINETEXT_KEPT_ALL                                                                          \
    (1u << 20) /* Sets how many bytes of text a recording should have at most. */
void linetexts_keep(LineTexts *texts, size_t most);
/* Returns the next one kept, `*n` bytes, which lives until the next call; NULL: all have been
 * taken. */
const char *linetexts_take(LineTexts *texts, const char **source, size_t *n);
/* Gives the text of a source that is known from elsewhere: its file is not read. It counts as kept,
 * and taken. */
void linetexts_set(LineTexts *texts, const char *source, const char *text, size_t n);

#endif
