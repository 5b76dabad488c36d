/* limits.h - limits on a program's memory, as a person types them: "peak 64MiB", "at
 * app/cache.lua:12 live 2MiB", "leaks 0". What can be limited is a table, one row each, from which
 * the manual and docs/gate.md derive. Whether a program keeps them: gate.h. */
#ifndef LMP_LIMITS_H
#define LMP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kind.h"

/* Of what: the whole program, or of what is made at a line or in a file, of a type, under a tag. */
typedef enum LmpLimitScope {
    LIMIT_PROGRAM,
    LIMIT_AT,
    LIMIT_TYPE,
    LIMIT_TAG,
    LIMIT_SCOPES
} LmpLimitScope;

typedef struct LmpLimitScopeInfo {
    const char *word, *argument; /* "at", "FILE:LINE"; of the program both are "" */
    const char *help;
} LmpLimitScopeInfo;
extern const LmpLimitScopeInfo limit_scopes[LIMIT_SCOPES];

/* ID, word, bytes or a count, scopes besides the program, needs the program's end, help. */
#define LIMIT_FIGURES(ROW)                                                                         \
    ROW(PEAK, peak, true, true, false,                                                             \
        "the most bytes that lived at one time; of a line, type or tag: what it had then")         \
    ROW(LIVE, live, true, true, false,                                                             \
        "bytes that live at the end, with garbage that is not collected yet")                      \
    ROW(BLOCKS, blocks, false, true, false, "blocks that live at the end")                         \
    ROW(BYTES, bytes, true, true, false, "all bytes that were ever made")                          \
    ROW(ALLOCS, allocs, false, true, false, "allocations: `mallocs` of `lmp.stats()`")             \
    ROW(HELD, held, true, true, true,                                                              \
        "bytes that are still reached at the end; what only the main program's locals held is "    \
        "released")                                                                                \
    ROW(LEAKS, leaks, false, false, true, "lines whose memory grows and grows")                    \
    ROW(FRAME, frame, true, false, false, "bytes made in the worst frame (`lmp.frame`)")

typedef enum LmpLimitFigure {
#define LIMIT_ID(ID, ...) LIMIT_##ID,
    LIMIT_FIGURES(LIMIT_ID) LIMIT_FIGURE_COUNT
#undef LIMIT_ID
} LmpLimitFigure;

typedef struct LmpLimitInfo {
    const char *word;
    bool bytes;     /* else a count */
    bool scopes;    /* also of a line, a type, a tag */
    bool needs_end; /* of a program that was killed it cannot be told */
    const char *help;
} LmpLimitInfo;
extern const LmpLimitInfo limit_figures[LIMIT_FIGURE_COUNT];

#define LIMIT_TEXT 256

typedef struct LmpLimit {
    LmpLimitScope scope;
    LmpLimitFigure figure;
    uint64_t most;         /* bytes or a count: this much is allowed */
    char name[LIMIT_TEXT]; /* of a file (as breaks_file_is takes it) or tag */
    int32_t line;          /* 0: all lines of the file */
    LmpKind kind;
    char text[LIMIT_TEXT]; /* as it was typed, without blanks at its ends */
} LmpLimit;

/* Reads a limit. False: `problem` (size bytes) has one line that says what is wrong and what would
 * be right; *out is as it was. */
bool limits_parse(const char *text, LmpLimit *out, char *problem, size_t size);

/* Returns true for a limit of lines, types of lines or tags: it cannot be told of a program without
 * lines. */
bool limits_need_lines(const LmpLimit *limit);

#endif
