/* describe.c - writes words for classes (a table), sizes, ages, places and function names, and
 * shows the contents of strings and tables in Lua's notation. */
#include "widget/describe.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "read/heapmap/heapmap.h"
#include "screen/canvas.h"

#define SECOND 1000000000ull

static const struct {
    const char *name, *full;
} classes[LMP_CLASSES] = {
    [LMP_C_NONE] = {"before start", "block from before the profile's start"},
    [LMP_C_STRING] = {"string", "string"},
    [LMP_C_FUNCTION] = {"function", "function (closure)"},
    [LMP_C_USERDATA] = {"userdata", "userdata"},
    [LMP_C_THREAD] = {"thread", "thread (coroutine)"},
    [LMP_C_TABLE] = {"table", "table"},
    [LMP_C_STRING_PART] = {"string part", "string buffer or string table"},
    [LMP_C_FUNCTION_PART] = {"function part", "prototype, upvalue or parser's buffer"},
    [LMP_C_USERDATA_PART] = {"userdata part", "buffer of a userdata"},
    [LMP_C_THREAD_PART] = {"thread part", "stack or call frame of a thread"},
    [LMP_C_TABLE_PART] = {"table part", "array or hash part of a table"},
    [LMP_C_OTHER] = {"other", "other: no owner can be told"},
    [LMP_C_OWN] = {"profiler", "the profiler's own"},
};

const char *describe_class(unsigned cls) {
    return cls < LMP_CLASSES && classes[cls].name ? classes[cls].name : "?";
}

const char *describe_class_long(unsigned cls) {
    return cls < LMP_CLASSES && classes[cls].full ? classes[cls].full : "?";
}

char *describe_cell_size(char *out, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(out, LMP_NUM, "%llu %s", (unsigned long long)bytes, units[unit]);
    return out;
}

char *describe_age(char *out, uint32_t birth, uint64_t epoch_length, uint64_t clock) {
    uint64_t least, most;
    char span[LMP_NUM];
    if (!maplist_age(birth, epoch_length, clock, &least, &most)) {
        snprintf(out, LMP_NUM, "?");
    } else if (least == 0 && epoch_length % SECOND == 0) {
        snprintf(out, LMP_NUM, "< %llu s", (unsigned long long)(epoch_length / SECOND));
    } else if (least == 0) {
        snprintf(out, LMP_NUM, "< %s", format_span(span, epoch_length));
    } else if (most < 120 * SECOND && epoch_length >= SECOND) {
        snprintf(out, LMP_NUM, "%llu s", (unsigned long long)((least + most) / 2 / SECOND));
    } else {
        format_span(out, least + (most - least) / 2);
    }
    return out;
}

char *describe_range(char *out, size_t size, uint64_t from, uint64_t to, bool ascii) {
    char a[LMP_NUM], b[LMP_NUM];
    bool fine = to - from < 10000000000u;
    char *(*format)(char *, uint64_t) = fine ? format_clock_fine : format_clock;
    snprintf(out, size, "%s%s%s", format(a, from), ascii ? "-" : "–", format(b, to));
    return out;
}

char *describe_where(char *out, size_t size, const char *short_src, int line, bool ascii) {
    format_text(out, size, short_src, ascii);
    size_t used = strlen(out);
    if (line > 0) snprintf(out + used, size - used, ":%d", line);
    return out;
}

char *describe_words(char *out, size_t size, const char *name, const char *short_src, int line) {
    size_t used = strlen(name) + 1;
    snprintf(out, size, "%s ", name);
    if (used < size) format_where(out + used, size - used, short_src, line);
    return out;
}

void describe_function(char *out, size_t size, char *kind, size_t kind_size, const char *name) {
    const char *open = strstr(name, " '");
    size_t n = strlen(name), before = open ? (size_t)(open - name) : 0;
    bool quoted = open && n > before + 3 && name[n - 1] == '\'';
    if (kind) kind[0] = 0;
    if (!quoted) {
        snprintf(out, size, "%s", name);
        return;
    }
    snprintf(out, size, "%.*s", (int)(n - before - 3), open + 2);
    bool says = strncmp(name, "function ", 9) != 0;
    if (kind && says) snprintf(kind, kind_size, "%.*s", (int)before, name);
}

int describe_site_kind(const LmpSiteRow *site, unsigned kinds) {
    int live = -1, made = -1;
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpTally *t = &site->kind[k].tally;
        if (!(kinds >> k & 1)) continue;
        if (t->live_bytes > (live < 0 ? 0 : site->kind[live].tally.live_bytes)) live = k;
        if (t->allocs > 0 && (made < 0 || t->bytes > site->kind[made].tally.bytes)) made = k;
    }
    return live >= 0 ? live : made;
}

bool describe_context_line(const LmpTables *tables, uint32_t alloc_context, char *source,
                           size_t source_size, char *name, size_t name_size, int *line) {
    uint32_t record = tables->text ? tables_record_of(tables, alloc_context) : 0;
    if (record == 0 || record >= tables_records(tables)) return false;
    uint32_t site = tables->record[record].site;
    if (site == 0 || site >= tables_sites(tables)) return false;
    uint32_t function = tables->site[site].function;
    if (function == 0 || function >= tables_functions(tables)) return false;
    tables_text(tables, tables->function[function].source, source, source_size);
    tables_text(tables, tables->function[function].short_src, name, name_size);
    *line = tables->site[site].line;
    return true;
}

char *describe_context(char *out, size_t size, const LmpTables *tables, uint32_t alloc_context,
                       bool ascii) {
    char source[1], name[80];
    int line;
    out[0] = 0;
    if (describe_context_line(tables, alloc_context, source, sizeof source, name, sizeof name,
                              &line))
        describe_where(out, size, name, line, ascii);
    return out;
}

/* Appends `text` if it fits together with `reserve` bytes that must follow. */
static bool append(char *out, size_t size, size_t *used, size_t reserve, const char *text) {
    size_t n = strlen(text);
    if (*used + n + reserve >= size) return false;
    memcpy(out + *used, text, n + 1);
    *used += n;
    return true;
}

/* Writes one character or byte of the contents; returns the bytes consumed. */
static size_t show_one(char *out, const char *bytes, size_t left, bool ascii) {
    static const char plain[] = "\a\b\t\n\v\f\r\"\\", names[] = "abtnvfr\"\\";
    unsigned char c = (unsigned char)bytes[0];
    const char *at = c ? strchr(plain, c) : NULL;
    uint32_t code = 0;
    char copy[5] = "";
    if (at) {
        snprintf(out, 16, "\\%c", names[at - plain]);
        return 1;
    }
    if (c >= ' ' && c < 0x7f) {
        snprintf(out, 16, "%c", c);
        return 1;
    }
    memcpy(copy, bytes, left < 4 ? left : 4);
    size_t n = c >= 0x80 ? format_utf8(copy, &code) : 0;
    if (n == 0 || n > left) {
        snprintf(out, 16, "\\x%02x", c);
        return 1;
    }
    if (ascii || code < 0xa0 || canvas_glyph_width(code) == 0) {
        snprintf(out, 16, "\\u{%x}", code);
    } else {
        snprintf(out, 16, "%s", copy);
        out[n] = 0;
    }
    return n;
}

char *describe_preview(char *out, size_t size, const LmpPreview *preview, bool ascii) {
    const char *more = ascii ? "\"..." : "\"\u2026";
    size_t shown = preview->shown < LMP_PREVIEW_BYTES ? preview->shown : LMP_PREVIEW_BYTES;
    size_t used = 0, i = 0;
    out[0] = 0;
    if (size < 8) return out;
    append(out, size, &used, 0, "\"");
    bool cut = preview->size > shown;
    const char *bytes = (const char *)preview->bytes;
    while (i < shown) {
        char one[16];
        size_t n = show_one(one, bytes + i, shown - i, ascii);
        /* a character that the preview cut in two is part of the ellipsis */
        if (cut && n == 1 && (unsigned char)bytes[i] >= 0xc0 && shown - i < 4) break;
        if (!append(out, size, &used, strlen(more), one)) break;
        i += n;
    }
    append(out, size, &used, 0, i < shown || cut ? more : "\"");
    return out;
}

char *describe_shape(char *out, size_t size, const LmpPreview *preview, bool ascii) {
    char keys[LMP_PREVIEW_BYTES + 1], text[LMP_PREVIEW_BYTES + 1];
    uint32_t shape = preview->shape;
    size_t shown = preview->shown < LMP_PREVIEW_BYTES ? preview->shown : LMP_PREVIEW_BYTES;
    memcpy(keys, preview->bytes, shown);
    keys[shown] = 0;
    for (size_t i = 0; i < shown; i++)
        if (!keys[i]) keys[i] = '?';
    format_text(text, sizeof text, keys, ascii);
    if (shape & LMP_SHAPE_MANY) snprintf(text, sizeof text, "many keys");
    bool more = !(shape & LMP_SHAPE_MANY) && shape & (LMP_SHAPE_CUT | LMP_SHAPE_OTHERS);
    snprintf(out, size, "{%s%s%s%s%s}", shape & LMP_SHAPE_ITEMS ? "[n]" : "",
             shape & LMP_SHAPE_ITEMS && *text ? ", " : "", text,
             more && (*text || shape & LMP_SHAPE_ITEMS) ? ", " : "",
             !more   ? ""
             : ascii ? "..."
                     : "\u2026");
    return out;
}
