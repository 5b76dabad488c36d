/* start_options.h - the options of lmp.start(): names, types, defaults and what each is for; and
 * how they are written as text. The messages about wrong values and the table in docs/api.md are
 * made from them; lua/options.c reads the values. A new option is one row of START_OPTIONS, and one
 * there. */
#ifndef LMP_START_OPTIONS_H
#define LMP_START_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fps.h"

/* ID, name, type, default, what a wrong value should have been, and its help, in Markdown. */
#define START_OPTIONS(OPTION)                                                                      \
    OPTION(LIVE, "live", "boolean", "`false`", "a boolean", "show the display in this terminal")   \
    OPTION(SUMMARY, "summary", "boolean or string", "`true`", "a boolean or the name of a file",   \
           "at the end: `true` prints the summary to standard error, a string writes it to the "   \
           "file of that name, `false` leaves it out")                                             \
    OPTION(HOLD, "hold", "boolean", "`true`", "a boolean",                                         \
           "at the end, the display waits for a key, unless a signal killed the program")          \
    OPTION(FPS, "fps", "number", "`" LMP_FPS_WORD(LMP_FPS_DEFAULT) "`",                            \
           "a number from " LMP_FPS_RANGE, "repaints a second, " LMP_FPS_RANGE)                    \
    OPTION(NAME, "name", "string", "the script's", "a string that is not empty",                   \
           "shown in place of the script's name")                                                  \
    OPTION(LINES, "lines", "boolean", "`true`", "a boolean",                                       \
           "charge every block to the line that made it")                                          \
    OPTION(STACKS, "stacks", "boolean", "`false`", "a boolean",                                    \
           "charge every block to its whole call path, too; needs `lines`")                        \
    OPTION(SAMPLE, "sample", "number or string", "`false`",                                        \
           "a size from 1024 bytes on (524288, '512KiB') or false",                                \
           "bytes between samples, on average, from 1024 on (`524288`, `\"512KiB\"`): lines and "  \
           "call paths (as with `stacks`) are then estimates, totals and types stay exact; "       \
           "`false` or 0: every block is accounted for; needs `lines`")                            \
    OPTION(RECORD, "record", "boolean or string", "`false`", "a boolean or the name of a file",    \
           "keep the run in a file, for `lmp replay` and `lmp report`: `true` chooses "            \
           "`lmp-PID.lmprec` in the current directory; another process writes it")                 \
    OPTION(CALLS, "calls", "boolean", "`false`", "a boolean",                                      \
           "count every call of every function, by who calls; needs `lines`")                      \
    OPTION(INSTRUCTIONS, "instructions", "boolean", "`false`", "a boolean",                        \
           "count the interpreter's instructions by line: slow; needs `lines`")                    \
    OPTION(OVERRIDES, "overrides", "boolean", "`false`", "a boolean",                              \
           "keep whose blocks each line frees and resizes; needs `lines`, and every block, so "    \
           "no `sample`")                                                                          \
    OPTION(TOP, "top", "number", "`10`", "an integer from 0 to 1000",                              \
           "rows of the summary's tables, 0 to 1000")

enum {
#define START_ID(ID, ...) START_##ID,
    START_OPTIONS(START_ID) STARTS
#undef START_ID
};

typedef struct LmpStartOption {
    const char *name, *type, *otherwise, *expected, *help;
} LmpStartOption;

extern const LmpStartOption start_options[STARTS];

/* ---- as text: NAME=VALUE, separated by blanks. A value with blanks stands between ' and ', and a
 * ' within is doubled. ------------------------------------------------------------------------- */

typedef struct LmpStartWord {
    char *name, *value; /* never NULL; without '=' the value is "" */
    bool quoted;        /* the value is text, whatever it looks like */
} LmpStartWord;

/* Takes the next word off *text, which is cut up. Returns false if there is none. */
bool start_options_next(char **text, LmpStartWord *word);

/* Writes " NAME='VALUE'" at the end of the text in `out` (size bytes). Returns false, and writes
 * nothing, if there is no room. */
bool start_options_add(char *out, size_t size, const char *name, const char *value);

#endif
