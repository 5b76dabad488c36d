/* linesnow.c - opens each file once, from the kept texts or from where it is now, and compares the
 * hash of the line, blanks at its ends cut off. */
#include "report/page/linesnow.h"

#include <stdlib.h>
#include <string.h>

#include "record/format/linetext.h"
#include "report/page/sourcefile.h"

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
