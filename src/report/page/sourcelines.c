/* sourcelines.c - reads a regular file whole, if its name or text is a program's (linetext.h), and
 * notes where each line begins. Each file is opened once; a line is compared by its hash, blanks at
 * its ends cut off. */
#include "report/page/sourcelines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "recording/format/linetext.h"

/* ---- a file ---------------------------------------------------------------------------------- */

/* Returns the file's bytes; NULL: it is no regular file, or too large, or there is no memory. Waits
 * for no pipe. */
static char *read_whole(const char *name, size_t *size) {
    struct stat st;
    char *text = NULL;
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return NULL;
    *size = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        st.st_size <= SOURCEFILE_BYTES)
        text = malloc((size_t)st.st_size);
    if (text) *size = io_read_at(fd, 0, text, (size_t)st.st_size);
    close(fd);
    return text;
}

static bool find_lines(SourceFile *s) {
    uint32_t n = 1;
    for (size_t i = 0; i < s->size; i++)
        n += s->text[i] == '\n';
    s->line = malloc(((size_t)n + 1) * sizeof *s->line);
    if (!s->line) return false;
    s->lines = 0;
    s->line[s->lines++] = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->text[i] == '\n') s->line[s->lines++] = i + 1;
    s->line[s->lines] = s->size;
    return true;
}

bool sourcefile_open(SourceFile *s, const char *name) {
    memset(s, 0, sizeof *s);
    s->text = read_whole(name, &s->size);
    return s->text && linetext_is_program(name, s->text, s->size) && find_lines(s);
}

bool sourcefile_of(SourceFile *s, const char *text, size_t size) {
    *s = (SourceFile){.text = malloc(size + 1), .size = size};
    if (!s->text) return false;
    memcpy(s->text, text, size);
    return find_lines(s);
}

void sourcefile_close(SourceFile *s) {
    free(s->text);
    free(s->line);
    memset(s, 0, sizeof *s);
}

/* ---- lines as they were ---------------------------------------------------------------------- */

typedef struct NamedFile {
    char *name;
    SourceFile file; /* without lines: it cannot be read */
} NamedFile;

struct LinesNow {
    const KeptTexts *kept;
    uint32_t files, last; /* `last`: the one asked for last, most often the next one, too */
    NamedFile of[LINESNOW_FILES];
};

LinesNow *linesnow_new(const KeptTexts *kept) {
    LinesNow *lines = calloc(1, sizeof *lines);
    if (lines) lines->kept = kept;
    return lines;
}

void linesnow_free(LinesNow *lines) {
    for (uint32_t i = 0; lines && i < lines->files; i++) {
        free(lines->of[i].name);
        sourcefile_close(&lines->of[i].file);
    }
    free(lines);
}

/* `source`: "@file". */
static const SourceFile *file_of(LinesNow *lines, const char *source) {
    const char *name = source + 1;
    for (uint32_t k = 0; k < lines->files; k++) {
        uint32_t i = (lines->last + k) % lines->files;
        if (strcmp(lines->of[i].name, name) != 0) continue;
        lines->last = i;
        return &lines->of[i].file;
    }
    if (lines->files == LINESNOW_FILES) return NULL;
    NamedFile *f = &lines->of[lines->files];
    f->name = strdup(name);
    if (!f->name) return NULL;
    lines->last = lines->files++;
    size_t n;
    const char *text = kepttexts_find(lines->kept, source, &n);
    bool open = text ? sourcefile_of(&f->file, text, n) : sourcefile_open(&f->file, name);
    if (!open) sourcefile_close(&f->file);
    return &f->file;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *linesnow_text(LinesNow *lines, const LmpSiteRow *site, size_t *size) {
    *size = 0;
    if (!lines || site->text == 0 || site->line < 1 || site->raw_source[0] != '@') return NULL;
    const SourceFile *f = file_of(lines, site->raw_source);
    if (!f || (uint32_t)site->line > f->lines) return NULL;
    const char *text = f->text + f->line[site->line - 1];
    const char *end = f->text + f->line[site->line];
    while (end > text && is_blank(end[-1]))
        end--;
    while (end > text && is_blank(*text))
        text++;
    if (linetext_hash(text, (size_t)(end - text)) != site->text) return NULL;
    *size = (size_t)(end - text);
    return text;
}
