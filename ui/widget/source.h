/* source.h - the text of the program's source files, to show the line of a site and to open it in
 * an editor.
 *
 * A source is named as lua_Debug names it: "@file" is a file, relative to the program's directory;
 * "=name" cannot be read; anything else is the text of the chunk itself. Files are read as they are
 * now; SourceText.changed says if one is younger than the program's start, for its lines may differ
 * from those that run. A text that a recording has kept takes precedence.
 *
 * Lua counts the making of a function to the line of its `end`: what `on("key", function() ...`
 * makes is counted to the line of `end)`, whose text does not show that. So it is known, too, where
 * functions end in a text, and where those begin. */
#ifndef LMP_SOURCE_H
#define LMP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "screen/canvas.h"

typedef struct Sources Sources;

typedef struct SourceText {
    const char *problem; /* one line: why there is no text; NULL: there is one */
    uint32_t lines;
    bool changed;     /* the file is younger than the program's start */
    const char *path; /* of the file, as this process can open it; NULL: not a file */
} SourceText;

/* Returns NULL: no memory. All functions then accept NULL for `sources`. */
Sources *sources_new(void);
void sources_free(Sources *sources);

/* Sets whose sources: the process, and when the profile began (nanoseconds since 1970, 0: not
 * known). Call it while the process exists: its directory is remembered. Cheap if nothing
 * changed. */
void sources_program(Sources *sources, uint32_t pid, uint64_t start);

/* Looks for files in this directory instead of the program's. */
void sources_directory(Sources *sources, const char *path);

/* Texts of the program's files that a recording kept when it ran: a text that `find` has is used,
 * whatever the file is now. Other files are looked for in `directory` (NULL: not known), where it
 * ran. */
typedef struct SourcesKept {
    /* Returns `*n` bytes; NULL: not kept. Good until sources_get returns. */
    const char *(*find)(void *of, const char *source, size_t *n);
    void *of;
    const char *directory;
} SourcesKept;
void sources_kept(Sources *sources, const SourcesKept *kept);

/* Returns the text of a source, never NULL, valid until the next call. Checks now and then whether
 * the file has changed. `now`: nanoseconds, any origin. */
const SourceText *sources_get(Sources *sources, const char *source, uint64_t now);

/* Writes line `line` (from 1) of the text got last, made printable: tabs as blanks, other control
 * characters as '?', at most size - 1 bytes. "" for a line that does not exist. Returns out. */
char *sources_line(const Sources *sources, uint32_t line, bool ascii, char *out, size_t size);

/* Returns the line where the function begins that ends in line `line` of the text got last: Lua
 * counts its making to its end. 0: none ends there, or it begins there, too. */
uint32_t sources_function(const Sources *sources, uint32_t line);

/* Draws the lines of a source around `line`, which is marked, with their numbers and without the
 * indentation that all of them have; if there is room for one line only, "name:line | text".
 * `name`: as shown (short_src). */
void source_draw(Sources *sources, Canvas *canvas, Rect rect, const char *source, const char *name,
                 int line, uint64_t now);

/* Draws the lines around `around`, whatever line is marked. Returns the first line drawn (from 1);
 * 0: a message instead. */
int source_draw_around(Sources *sources, Canvas *canvas, Rect rect, const char *source,
                       const char *name, int line, int around, uint64_t now);

/* Sets begins[i], for each line i + 1 of the text, to the line where the function begins that ends
 * there (of several the one that ends first); 0: none, or one that begins there, too. Text that is
 * not Lua does no harm, but gives meaningless lines. */
void source_ends(const char *text, size_t size, uint32_t *begins, uint32_t lines);

#endif
