/* breaks.h - break conditions: what they are called, how they are typed and worded, which file a
 * line's condition means. One row each in break_info. Known to both sides; break_check.h checks
 * whether one is met, and the list that a viewer keeps is in its Ui. */
#ifndef LMP_BREAKS_H
#define LMP_BREAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "shared/layout.h"

#define BREAKS_TEXT 128  /* bytes that breaks_text and breaks_words need at most */
#define BREAKS_WORDS 160 /* and breaks_hit_words */

typedef struct BreakInfo {
    const char *name;     /* "size" */
    const char *argument; /* "BYTES"; NULL: it takes none */
    const char *example;  /* "size 64KiB" */
    const char *help;     /* "pause when a block larger than this is asked for" */
    bool once;            /* switches itself off when it has been met */
} BreakInfo;
extern const char *const break_action_name[LMP_BREAK_ACTIONS];
extern const BreakInfo break_info[LMP_BREAK_KINDS]; /* [LMP_BREAK_NONE] is empty */

/* Reads a condition as a person types it ("size 64KiB", "at file.lua:12", "peak"; "snapshot size
 * 64KiB" for a snapshot in place of the pause). True: *out is it, switched on. False: *out is as it
 * was, and `problem` (size bytes) has one line that says what is wrong and what would be right. */
bool breaks_parse(const char *text, LmpBreak *out, char *problem, size_t size);

/* Reads conditions, one a line (empty lines are none), until one cannot be read or LMP_BREAKS are
 * there. Returns how many are in row[]. */
uint32_t breaks_parse_lines(const char *lines, LmpBreak row[LMP_BREAKS]);

/* Writes the condition as breaks_parse reads it. Returns out. */
char *breaks_text(char *out, size_t size, const LmpBreak *b);
/* Writes what it waits for: "block larger than 64 KiB". Returns out. */
char *breaks_words(char *out, size_t size, const LmpBreak *b);
/* Writes the same when it has been met; `value`: the bytes asked for (size), live bytes (heap,
 * peak), the number of the cycle (gc), else nothing: "block larger than 64 KiB: 131,072 B". Returns
 * out. */
char *breaks_hit_words(char *out, size_t size, const LmpBreak *b, uint64_t value);

/* Returns true if both wait for the same, on or off. */
bool breaks_same(const LmpBreak *a, const LmpBreak *b);

/* Makes a row from another process safe: its text ends; an unknown kind or type makes it
 * LMP_BREAK_NONE, which is never met. */
void breaks_check(LmpBreak *b);

/* Returns true if a condition's file means this source: it equals the last parts of its path, or
 * its short name as the screen has it. `source`, `short_src`: as lua_Debug has them. */
bool breaks_file_is(const char *file, const char *source, const char *short_src);

#endif
