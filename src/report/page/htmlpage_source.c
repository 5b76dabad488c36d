/* htmlpage_source.c - the lines of source around what made memory, where the recording has kept
 * them, or the file can be read now. All of it together is bounded. */
#include <stdlib.h>
#include <string.h>

#include "recording/format/texts.h"
#include "report/page/htmlpage_impl.h"
#include "report/page/sourcelines.h"

enum {
    FILES = 200,           /* that are looked at */
    TOTAL_BYTES = 2 << 20, /* of the lines of all */
    WHOLE_BYTES = 64 << 10,
    AROUND = 8 /* lines before and after */
};

typedef struct Source {
    SourceFile file;
    bool *wanted; /* by line */
} Source;

/* `source`: "@file". */
static bool source_open(Source *s, const KeptTexts *kept, const char *source) {
    size_t n;
    const char *text = kepttexts_find(kept, source, &n);
    bool open = text ? sourcefile_of(&s->file, text, n) : sourcefile_open(&s->file, source + 1);
    if (open) s->wanted = calloc(s->file.lines, sizeof *s->wanted);
    return s->wanted != NULL;
}

static void want(Source *s, int32_t line) {
    for (int32_t n = line - AROUND; n <= line + AROUND; n++)
        if (n >= 1 && (uint32_t)n <= s->file.lines) s->wanted[n - 1] = true;
}

/* Pieces that hang together: number of the first line, text. */
static void put_pieces(Json *json, const Source *s, size_t *left) {
    bool whole = s->file.size <= WHOLE_BYTES && s->file.size <= *left;
    json_begin(json, "pieces", '[');
    for (uint32_t n = 0; n < s->file.lines;) {
        uint32_t end = n;
        while (end < s->file.lines && (whole || s->wanted[end]) &&
               s->file.line[end + 1] - s->file.line[n] <= *left)
            end++;
        if (end == n) {
            n++;
            continue;
        }
        size_t size = s->file.line[end] - s->file.line[n];
        *left -= size;
        json_begin(json, NULL, '[');
        json_count(json, NULL, n + 1);
        json_bytes(json, NULL, s->file.text + s->file.line[n], size);
        json_end(json, ']');
        n = end;
    }
    json_end(json, ']');
}

/* One file, of which `first` is the first of its sites. */
static void put_file(Json *json, const LmpReport *r, const HtmlKept *sites, uint32_t first,
                     uint32_t *file, uint32_t number, size_t *left) {
    const Ledger *l = &r->ledger;
    const char *name = l->site[sites->row[first]].raw_source;
    Source s = {0};
    bool open = *left > 0 && source_open(&s, r->sources, name);
    for (uint32_t i = first; i < sites->rows; i++) {
        const LmpSiteRow *site = &l->site[sites->row[i]];
        if (file[i] || strcmp(site->raw_source, name) != 0) continue;
        file[i] = number;
        if (open) want(&s, site->line);
    }
    json_begin(json, NULL, '{');
    json_text(json, "name", name + 1);
    if (open) json_count(json, "lines", s.file.lines);
    if (open) put_pieces(json, &s, left);
    json_end(json, '}');
    sourcefile_close(&s.file);
    free(s.wanted);
}

LmpErr htmlpage_sources(Json *json, const LmpReport *r, const HtmlKept *sites) {
    const Ledger *l = &r->ledger;
    uint32_t files = 0, *file = calloc((size_t)sites->rows + 1, sizeof *file);
    size_t left = TOTAL_BYTES;
    if (!file) return LMP_E_NOMEM;
    json_begin(json, "files", '[');
    for (uint32_t i = 0; i < sites->rows && files < FILES; i++) {
        const LmpSiteRow *s = &l->site[sites->row[i]];
        if (file[i] || s->raw_source[0] != '@' || s->line < 1) continue;
        put_file(json, r, sites, i, file, ++files, &left);
    }
    json_end(json, ']');
    JSON_LIST(json, "file", i, sites->rows,
              json_count(json, NULL, file[i])); /* of a site: 1 + which; 0: none */
    free(file);
    return LMP_OK;
}
