/* htmlpage_source.c - the lines of source around what made memory, where the file can be read now.
 * A report may be of a recording that came from somewhere else and names any file, so only what
 * looks like a program is taken: never a password. All of it together is bounded. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/page/htmlpage_impl.h"

enum {
    FILES = 200,           /* that are looked at */
    FILE_BYTES = 4 << 20,  /* of one */
    TOTAL_BYTES = 2 << 20, /* of the lines of all */
    WHOLE_BYTES = 64 << 10,
    AROUND = 8 /* lines before and after */
};

typedef struct Source {
    char *text;
    size_t size;
    uint32_t lines;
    size_t *line; /* where each begins, and the end of all */
    bool *wanted;
} Source;

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_program(const char *name, const char *text, size_t size) {
    static const char *const ends[] = {".lua", ".tl", ".moon", ".fnl", ".lp"};
    if (memchr(text, 0, size)) return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i])) return true;
    return size > 2 && memcmp(text, "#!", 2) == 0;
}

/* The file's bytes; NULL: it is none, or too large, or no memory. Waits for no pipe. */
static char *read_whole(const char *name, size_t *size) {
    struct stat st;
    char *text = NULL;
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return NULL;
    *size = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= FILE_BYTES)
        text = malloc((size_t)st.st_size);
    while (text && *size < (size_t)st.st_size) {
        ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);
        if (n <= 0) break;
        *size += (size_t)n;
    }
    close(fd);
    return text;
}

static bool find_lines(Source *s) {
    uint32_t n = 1;
    for (size_t i = 0; i < s->size; i++)
        n += s->text[i] == '\n';
    s->line = malloc(((size_t)n + 1) * sizeof *s->line);
    s->wanted = calloc(n, sizeof *s->wanted);
    if (!s->line || !s->wanted) return false;
    s->lines = 0;
    s->line[s->lines++] = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->text[i] == '\n') s->line[s->lines++] = i + 1;
    s->line[s->lines] = s->size;
    return true;
}

static bool source_open(Source *s, const char *name) {
    memset(s, 0, sizeof *s);
    s->text = read_whole(name, &s->size);
    return s->text && is_program(name, s->text, s->size) && find_lines(s);
}

static void source_close(Source *s) {
    free(s->text);
    free(s->line);
    free(s->wanted);
}

static void want(Source *s, int32_t line) {
    for (int32_t n = line - AROUND; n <= line + AROUND; n++)
        if (n >= 1 && (uint32_t)n <= s->lines) s->wanted[n - 1] = true;
}

/* Pieces that hang together: number of the first line, text. */
static void put_pieces(HtmlOut *o, const Source *s, size_t *left) {
    bool whole = s->size <= WHOLE_BYTES && s->size <= *left;
    htmlout_begin(o, "pieces", '[');
    for (uint32_t n = 0; n < s->lines;) {
        uint32_t end = n;
        while (end < s->lines && (whole || s->wanted[end]) &&
               s->line[end + 1] - s->line[n] <= *left)
            end++;
        if (end == n) {
            n++;
            continue;
        }
        size_t size = s->line[end] - s->line[n];
        *left -= size;
        htmlout_begin(o, NULL, '[');
        htmlout_count(o, NULL, n + 1);
        htmlout_bytes(o, NULL, s->text + s->line[n], size);
        htmlout_end(o, ']');
        n = end;
    }
    htmlout_end(o, ']');
}

/* One file, of which `first` is the first of its sites. */
static void put_file(HtmlOut *o, const Ledger *l, const HtmlKept *sites, uint32_t first,
                     uint32_t *file, uint32_t number, size_t *left) {
    const char *name = l->site[sites->row[first]].raw_source;
    Source s = {0};
    bool open = *left > 0 && source_open(&s, name + 1);
    for (uint32_t i = first; i < sites->rows; i++) {
        const LmpSiteRow *site = &l->site[sites->row[i]];
        if (file[i] || strcmp(site->raw_source, name) != 0) continue;
        file[i] = number;
        if (open) want(&s, site->line);
    }
    htmlout_begin(o, NULL, '{');
    htmlout_text(o, "name", name + 1);
    if (open) htmlout_count(o, "lines", s.lines);
    if (open) put_pieces(o, &s, left);
    htmlout_end(o, '}');
    source_close(&s);
}

LmpErr htmlpage_sources(HtmlOut *o, const LmpReport *r, const HtmlKept *sites) {
    const Ledger *l = &r->ledger;
    uint32_t files = 0, *file = calloc((size_t)sites->rows + 1, sizeof *file);
    size_t left = TOTAL_BYTES;
    if (!file) return LMP_E_NOMEM;
    htmlout_begin(o, "files", '[');
    for (uint32_t i = 0; i < sites->rows && files < FILES; i++) {
        const LmpSiteRow *s = &l->site[sites->row[i]];
        if (file[i] || s->raw_source[0] != '@' || s->line < 1) continue;
        put_file(o, l, sites, i, file, ++files, &left);
    }
    htmlout_end(o, ']');
    htmlout_begin(o, "file", '['); /* of a site: 1 + which; 0: none */
    for (uint32_t i = 0; i < sites->rows; i++)
        htmlout_count(o, NULL, file[i]);
    htmlout_end(o, ']');
    free(file);
    return LMP_OK;
}
