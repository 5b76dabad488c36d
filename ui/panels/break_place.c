/* break_place.c - looks for the condition's line among the ledger's sites, for its file among sites
 * and functions (or a similar name), and then into the source's text: is there such a line, with
 * code? */
#include "panels/break_place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "widget/source.h"

/* Keeps the line if it is nearer to `wanted` than the previous one; on a tie, the one below. */
static void keep_nearest(int *nearest, int wanted, int line) {
    int far = *nearest ? abs(*nearest - wanted) : INT_MAX, now = abs(line - wanted);
    if (line > 0 && (now < far || (now == far && line > wanted))) *nearest = line;
}

/* Looks at the rows of the source that the condition names. Returns false if there are none; `at`:
 * some are of its line. */
static bool look_at_rows(const Ledger *l, const LmpBreak *b, BreakPlace *place, const char **source,
                         bool *at) {
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        if (s->line < 1 || !breaks_file_is(b->file, s->raw_source, s->short_src)) continue;
        *source = s->raw_source;
        keep_nearest(&place->nearest, b->line, s->line);
        if (s->line == b->line) *at = true;
    }
    for (uint32_t i = 0; i < l->functions && !*source; i++) {
        const LmpFunctionRow *f = &l->function[i];
        if (!f->is_c && breaks_file_is(b->file, f->raw_source, f->short_src))
            *source = f->raw_source;
    }
    return *source != NULL;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *similar_source(const Ledger *l, const LmpBreak *b) {
    Nearest near = {.typed = base_name(b->file)};
    const char *like = NULL;
    for (uint32_t i = 0; i < l->functions; i++) {
        const LmpFunctionRow *f = &l->function[i];
        const char *before = near.word;
        if (f->is_c || f->raw_source[0] != '@') continue;
        nearest_offer(&near, base_name(f->short_src));
        if (near.word != before) like = f->short_src;
    }
    return like;
}

static bool has_code(const Sources *sources, uint32_t line) {
    char text[64];
    const char *c = sources_line(sources, line, true, text, sizeof text);
    c += strspn(c, " ");
    return *c && strncmp(c, "--", 2) != 0;
}

static void look_at_text(const Ui *ui, const char *source, const LmpBreak *b, BreakPlace *place) {
    const SourceText *text = sources_get(ui->sources, source, ui->now);
    if (text->problem || text->changed) return;
    place->lines = text->lines;
    if ((uint32_t)b->line > text->lines)
        place->kind = BREAK_PLACE_NO_LINE;
    else if (!has_code(ui->sources, (uint32_t)b->line))
        place->kind = BREAK_PLACE_NO_CODE;
    if (place->kind == BREAK_PLACE_NOTHING || place->nearest) return;
    for (uint32_t i = 1; i <= text->lines; i++)
        if (has_code(ui->sources, i)) keep_nearest(&place->nearest, b->line, (int)i);
}

BreakPlace break_place_find(const Model *model, const Ui *ui, const LmpBreak *b) {
    BreakPlace place = {BREAK_PLACE_FINE, 0, NULL, 0};
    const char *source = NULL;
    bool at = false;
    if (b->kind != LMP_BREAK_AT || !model || model->ledger.sites == 0) return place;
    if (!look_at_rows(&model->ledger, b, &place, &source, &at)) {
        place.kind = BREAK_PLACE_NO_SOURCE;
        place.like = similar_source(&model->ledger, b);
    } else if (!at) {
        place.kind = BREAK_PLACE_NOTHING;
        look_at_text(ui, source, b, &place);
    }
    return place;
}

char *break_place_words(char *out, size_t size, const BreakPlace *place, const LmpBreak *b) {
    char nearest[64] = "";
    if (place->nearest)
        snprintf(nearest, sizeof nearest, "; the nearest with code is %d", place->nearest);
    *out = 0;
    switch (place->kind) {
    case BREAK_PLACE_FINE:
        break;
    case BREAK_PLACE_NO_SOURCE:
        snprintf(out, size, "nothing of %s has made memory%s%s%s", b->file,
                 place->like ? "; did you mean " : "", place->like ? place->like : "",
                 place->like ? "?" : "");
        break;
    case BREAK_PLACE_NO_LINE:
        snprintf(out, size, "%s has only %u lines%s", b->file, place->lines, nearest);
        break;
    case BREAK_PLACE_NO_CODE:
        snprintf(out, size, "line %d of %s has no code%s", b->line, b->file, nearest);
        break;
    case BREAK_PLACE_NOTHING:
        snprintf(out, size, "line %d of %s has made no memory", b->line, b->file);
        if (place->nearest) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "; the nearest that has is %d", place->nearest);
        }
        break;
    }
    return out;
}
