/* report_folded.c - call paths folded, a line each: frames from the outermost, joined by `;`, a
 * blank, a count. For flame graph tools; their readers take no comments, so nothing is said here of
 * samples or of lines without paths. Lines are sorted, for diff and join. */
#include <stdlib.h>
#include <string.h>

#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/formats/value.h"
#include "report/text.h"

typedef struct Folded {
    const Paths *paths;
    ReportValue value;
    char *line;  /* the path so far, a `;` after each frame */
    size_t *end; /* of each depth, in `line` */
    FILE *out;
} Folded;

/* Frames contain no `;`, and texts no control characters as it is. */
static void without_separators(Paths *p) {
    for (uint32_t f = 0; f < p->frames; f++)
        for (char *c = p->of[f].text; *c; c++)
            if (*c == ';') *c = ',';
}

static size_t room_for(const Paths *p) {
    size_t most = 0;
    for (uint32_t f = 0; f < p->frames; f++) {
        size_t n = strlen(p->of[f].text);
        if (n > most) most = n;
    }
    return (most + 1) * ((size_t)p->deepest + 2);
}

static size_t append(Folded *f, size_t at, uint32_t frame) {
    const char *text = f->paths->of[frame].text;
    size_t n = strlen(text);
    memcpy(f->line + at, text, n);
    f->line[at + n] = ';';
    return at + n + 1;
}

static void put(const Folded *f, size_t end, uint64_t n) {
    if (n == 0) return;
    fwrite_unlocked(f->line, 1, end - 1, f->out);
    putc_unlocked(' ', f->out);
    text_digits(f->out, n);
    putc_unlocked('\n', f->out);
}

static void put_row(Folded *f, uint32_t row) {
    const Paths *p = f->paths;
    uint32_t depth = ledger_links(p->tree, row).depth;
    LmpTally own, below;
    if (!paths_own(p, row, &own)) return;
    f->end[depth] = append(f, f->end[depth - 1], p->frame[row]);
    put(f, f->end[depth], value_of(&own, f->value));
    if (!paths_below(p, row, &below)) return;
    put(f, append(f, f->end[depth], p->frames - 1), value_of(&below, f->value));
}

/* A line that is no stack, which all readers skip; only where there is something to say. */
static void put_head(const LmpReport *r, FILE *out) {
    char sampled[200];
    if (*r->moment.said) fprintf(out, "# of %s.\n", r->moment.said);
    if (*value_sampled(sampled, sizeof sampled, r, value_chosen(r)))
        fprintf(out, "# %s.\n", sampled);
}

LmpErr report_folded(const LmpReport *report, FILE *out) {
    Paths p;
    LmpErr err = paths_open(&p, report);
    if (err) return err;
    without_separators(&p);
    Folded f = {&p, value_chosen(report), malloc(room_for(&p)),
                calloc((size_t)p.deepest + 1, sizeof *f.end), out};
    bool made = f.line && f.end;
    if (made) put_head(report, out);
    for (uint32_t i = 1; made && i < p.rows; i++) {
        put_row(&f, p.order[i]);
    }
    free(f.line);
    free(f.end);
    paths_close(&p);
    return made ? LMP_OK : LMP_E_NOMEM;
}
