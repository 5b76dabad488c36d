/* mappings.c - parses smaps line by line; a mapping's sort comes from its name, or from the mapping
 * right before it, and all parts of a file that is run in part become the program's. */
#include "read/process/mappings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os.h"

#define ARENA (64ull << 20) /* malloc's other arenas begin at multiples of it */
#define GUARD (64u << 10)   /* the largest that is taken for a stack's */
#define MOST_TEXT (64u << 20)

/* A mapping as the text has it, with what is needed until its sort is known. */
typedef struct Line {
    uint64_t start, end;
    bool readable, writable, runs, shared;
    const char *name; /* in the text, up to its end of line; "" */
    size_t length;
} Line;

/* ---- lines ----------------------------------------------------------------------------------- */

/* "7f10a0000000-7f10a0021000 rw-p 00000000 00:00 0    [heap]" */
static bool parse_head(const char *at, const char *end, Line *out) {
    char *next;
    const char *p = at;
    out->start = strtoull(p, &next, 16);
    if (next == p || *next != '-') return false;
    p = next + 1;
    out->end = strtoull(p, &next, 16);
    if (next == p || *next != ' ' || out->end <= out->start || end - next < 6) return false;
    p = next + 1;
    out->readable = p[0] == 'r';
    out->writable = p[1] == 'w';
    out->runs = p[2] == 'x';
    out->shared = p[3] == 's';
    if (p[4] != ' ' || !strchr("sp", p[3])) return false;
    for (int field = 0; field < 4; field++) { /* permissions, offset, device, inode */
        while (p < end && *p != ' ')
            p++;
        while (p < end && *p == ' ')
            p++;
    }
    out->name = p;
    out->length = (size_t)(end - p);
    return true;
}

/* "Rss:                 132 kB" */
static bool parse_resident(const char *at, const char *end, uint64_t *bytes) {
    if (end - at < 5 || memcmp(at, "Rss:", 4) != 0) return false;
    unsigned long long kib = strtoull(at + 4, NULL, 10);
    *bytes = kib < 1ull << 50 ? kib * 1024 : 0;
    return true;
}

static bool begins(const Line *line, const char *with) {
    size_t n = strlen(with);
    return line->length >= n && memcmp(line->name, with, n) == 0;
}

static bool same_name(const Line *a, const Line *b) {
    return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

/* ---- sorts ----------------------------------------------------------------------------------- */

static const char *file_name(const Line *line, size_t *length) {
    const char *slash = memrchr(line->name, '/', line->length);
    const char *name = slash ? slash + 1 : line->name;
    *length = line->length - (size_t)(name - line->name);
    return name;
}

static MappingSort sort_by_name(const Line *line) {
    size_t length;
    const char *file = file_name(line, &length);
    if (line->length == 0) return line->shared ? MAPPING_SHARED : MAPPING_HEAP;
    if (begins(line, "/memfd:lmp-")) return MAPPING_OWN;
    if (length >= 14 && memcmp(file, "luamemprofiler", 14) == 0) return MAPPING_OWN;
    if (begins(line, "[stack") ||
        (begins(line, "[anon:") && memmem(line->name, line->length, "stack", 5)))
        return MAPPING_STACK;
    if (begins(line, "[heap]") || begins(line, "[anon:")) return MAPPING_HEAP;
    if (begins(line, "[anon_shmem:") || begins(line, "/memfd:") || begins(line, "/dev/shm/") ||
        begins(line, "/dev/zero") || begins(line, "/SYSV"))
        return MAPPING_SHARED;
    if (line->name[0] == '[' || !memchr(line->name, '/', line->length)) return MAPPING_KERNEL;
    return line->runs ? MAPPING_PROGRAM : MAPPING_FILE;
}

/* Returns true for a small mapping that nobody may touch. */
static bool is_guard(const Line *line) {
    return line->length == 0 && !line->readable && !line->writable && !line->runs &&
           line->end - line->start <= GUARD;
}

/* Returns the sort of a mapping without a name, by the one right before it. */
static MappingSort sort_by_place(const Line *line, const Line *before, MappingSort of_before) {
    if (before->end != line->start || !line->writable) return MAPPING_HEAP;
    bool file =
        of_before == MAPPING_PROGRAM || of_before == MAPPING_FILE || of_before == MAPPING_OWN;
    if (file && before->length > 0 && before->writable && !before->shared) return of_before;
    return is_guard(before) && line->start % ARENA != 0 ? MAPPING_STACK : MAPPING_HEAP;
}

/* Makes all of a file the program's if a part of it is run. The parts of a file lie one after the
 * other. */
static void mark_program(Mappings *maps, const Line *line, Line *last, uint32_t *first) {
    if (line->length == 0) return;
    if (maps->count == 1 || !same_name(line, last)) *first = maps->count - 1;
    *last = *line;
    bool run = false;
    for (uint32_t i = *first; i < maps->count; i++)
        run = run || maps->row[i].sort == MAPPING_PROGRAM;
    for (uint32_t i = *first; run && i < maps->count; i++)
        if (maps->row[i].sort == MAPPING_FILE) maps->row[i].sort = MAPPING_PROGRAM;
}

/* Notes which C library it is, and whether another malloc stands before its own. */
static void note_library(Mappings *maps, const Line *line) {
    static const char *const others[] = {"jemalloc", "tcmalloc", "mimalloc", "hoard", "libasan",
                                         "libtsan",  "libmsan",  "snmalloc", "scudo", "rpmalloc"};
    size_t length;
    const char *file = file_name(line, &length);
    if (line->name[0] != '/' || line->length == 0) return;
    /* from 2.34 on the file has no number in its name */
    if (length >= 9 && memcmp(file, "libc.so.6", 9) == 0) maps->glibc = 34;
    if (length >= 7 && memcmp(file, "libc-2.", 7) == 0)
        maps->glibc = (uint32_t)strtoul(file + 7, NULL, 10);
    if (maps->malloc[0]) return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (memmem(file, length, others[i], strlen(others[i])))
            snprintf(maps->malloc, sizeof maps->malloc, "%.*s", (int)length, file);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Returns true if a [heap] goes on: one that was there before a fork and one that has come since
 * are two mappings, of which malloc knows nothing. */
static bool goes_on(const Mappings *maps, const Line *line) {
    const Mapping *last = maps->count > 0 ? &maps->row[maps->count - 1] : NULL;
    return last && last->brk && last->end == line->start && begins(line, "[heap]");
}

static Mapping *add(Mappings *maps) {
    if (!array_room(&maps->row, &maps->room, maps->count + 1)) return NULL;
    return &maps->row[maps->count++];
}

bool mappings_parse(Mappings *maps, const char *text, size_t size) {
    const char *at = text, *all = text + size;
    Line before = {0}, named = {0};
    uint32_t first = 0;
    Mapping *row = NULL;
    uint64_t earlier = 0, earlier_resident = 0; /* of the row: from a mapping that goes on here */
    maps->count = 0;
    maps->resident = 0;
    maps->glibc = 0;
    maps->malloc[0] = 0;
    while (at < all) {
        const char *end = memchr(at, '\n', (size_t)(all - at));
        if (!end) break; /* cut off: it is not known what it would say */
        Line line;
        uint64_t bytes;
        if (row && parse_resident(at, end, &bytes)) {
            uint64_t most = row->end - row->start - earlier;
            row->resident = earlier_resident + (bytes < most ? bytes : most);
        } else if (!parse_head(at, end, &line) || line.start < before.end) {
            /* nonsense, or a line that does not matter here */
        } else if (goes_on(maps, &line)) {
            earlier = row->end - row->start;
            earlier_resident = row->resident;
            row->end = line.end;
            before = line;
        } else {
            row = add(maps);
            if (!row) return false;
            MappingSort sort = sort_by_name(&line);
            if (sort == MAPPING_HEAP && line.length == 0 && maps->count > 1)
                sort = sort_by_place(&line, &before, row[-1].sort);
            earlier = earlier_resident = 0;
            *row = (Mapping){.start = line.start,
                             .end = line.end,
                             .sort = (uint8_t)sort,
                             .brk = begins(&line, "[heap]")};
            mark_program(maps, &line, &named, &first);
            note_library(maps, &line);
            before = line;
        }
        at = end + 1;
    }
    for (uint32_t i = 0; i < maps->count; i++)
        maps->resident += maps->row[i].resident;
    return true;
}

bool mappings_read(Mappings *maps, uint32_t pid) {
    char path[32];
    int64_t got = -1;
    snprintf(path, sizeof path, "/proc/%u/smaps", pid);
    if (maps->text_room == 0) maps->text_room = 128u << 10;
    maps->count = 0;
    for (;;) {
        if (!maps->text) maps->text = malloc(maps->text_room + 1);
        if (!maps->text) return false;
        got = lmp_os->read_file(path, 0, maps->text, maps->text_room);
        if (got < (int64_t)maps->text_room || maps->text_room >= MOST_TEXT) break;
        free(maps->text); /* there may be more */
        maps->text = NULL;
        maps->text_room *= 2;
    }
    if (got <= 0) return false;
    maps->text[got] = 0;
    return mappings_parse(maps, maps->text, (size_t)got) && maps->count > 0;
}

void mappings_free(Mappings *maps) {
    free(maps->row);
    free(maps->text);
    *maps = (Mappings){0};
}
