/* describe.h - words for blocks and sizes, shared by the panels that show single blocks. */
#ifndef LMP_DESCRIBE_H
#define LMP_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kind.h"
#include "read/ledger/ledger.h"
#include "shared/layout.h"

/* Returns what a block of a class is: "table", "table part"; never NULL, even for an unknown
 * class. */
const char *describe_class(unsigned cls);
/* Returns the same at length: "array or hash part of a table". */
const char *describe_class_long(unsigned cls);
/* Writes "64 KiB", "16 B": a power of two without a fraction. `out` has at least 32 bytes. */
char *describe_cell_size(char *out, uint64_t bytes);
/* Writes how old a block is, as far as its epoch tells: "< 2 s", "14 s", "3 min", "?". */
char *describe_age(char *out, uint32_t birth, uint64_t epoch_length, uint64_t clock);
/* Writes a range of time: "00:00:30–00:01:00"; one of less than ten seconds with tenths. */
char *describe_range(char *out, size_t size, uint64_t from, uint64_t to, bool ascii);
/* Writes a site: "file.lua:12"; a pseudo-site (line -1): "(parser)". */
char *describe_where(char *out, size_t size, const char *short_src, int line, bool ascii);
/* Writes what a filter compares of a line: "load_table file.lua:12". */
char *describe_words(char *out, size_t size, const char *name, const char *short_src, int line);
/* Splits a function's name as a traceback words it ("upvalue 'sort'", "function 'a.b'", "main
 * chunk"): "sort" and "upvalue", "a.b" and "", "main chunk" and "". `kind` may be NULL. */
void describe_function(char *out, size_t size, char *kind, size_t kind_size, const char *name);
/* Returns the kind among `kinds` (bits) that has most of a site's live bytes; if none are live,
 * most of what it made. -1: none of them. */
int describe_site_kind(const LmpSiteRow *site, unsigned kinds);
/* Writes the site that made a block, by its alloc context word (layout.h): "file.lua:12"; "" if not
 * known. */
char *describe_context(char *out, size_t size, const LmpTables *tables, uint32_t alloc_context,
                       bool ascii);
/* Gives the same as source, short_src (texts of these sizes) and line. Returns false: not known. */
bool describe_context_line(const LmpTables *tables, uint32_t alloc_context, char *source,
                           size_t source_size, char *name, size_t name_size, int *line);
/* Writes the contents of a string, quoted, with escapes as Lua reads them; an ellipsis after the
 * quote stands for what the preview left out. `ascii`: escapes for other characters, too. At most
 * size - 1 bytes. */
char *describe_preview(char *out, size_t size, const LmpPreview *preview, bool ascii);
/* Writes what tables with these keys look like: "{id, name, price}", "{[n], id}", "{many keys}". */
char *describe_shape(char *out, size_t size, const LmpPreview *preview, bool ascii);

#endif
