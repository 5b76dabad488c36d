/* damage.c - checks every part's checksum first, then counts frames and tables whose own part or
 * first part of the chunk is bad; and puts the counts into words. */
#include "recording/reader/damage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "recording/format/redundancy.h"

/* ---- what is lost ---------------------------------------------------------------------------- */

typedef struct Look {
    const RecScan *scan;
    RecBytes stored;
    bool *bad; /* of each part */
    RecDamage *out;
    uint64_t mending, clock;
    uint32_t rows; /* bad parts of rows since the last copy */
    bool found[REC_KINDS], missed[REC_KINDS];
} Look;

static bool is_bad(Look *l, const RecPart *part) {
    if (recscan_read(l->scan, part, &l->stored) != LMP_OK) return true;
    return part_checksum(l->stored.at, l->stored.n) != part->checksum &&
           !redundancy_mend(l->scan, part, &l->stored, &l->mending);
}

/* Returns true if the part at `place`, or the first one of its chunk, is bad or missing. */
static bool is_lost(const Look *l, uint64_t place) {
    for (int first = 0; first < 2; first++) {
        uint32_t i = recscan_find(l->scan, place);
        if (i >= l->scan->parts || l->bad[i]) return true;
        place = l->scan->part[i].base;
        if (place == 0) return false;
    }
    return true;
}

static void look_at(Look *l, uint32_t i) {
    const RecPart *part = &l->scan->part[i];
    bool bad = l->bad[i], copy = part->flags & REC_COPY;
    if (part->kind < REC_KINDS) (bad ? l->missed : l->found)[part->kind] = true;
    switch (part->kind) {
    case REC_ROWS_PART:
        if (!copy) l->rows += bad;
        if (!copy) break;
        if (bad) l->out->rows += l->rows;
        l->rows = 0;
        break;
    case REC_TABLES_PART:
        l->out->tables += is_lost(l, part->place);
        break;
    case REC_LIVE_PART:
        l->out->all++;
        l->out->frames += part->clock < l->clock || is_lost(l, part->place) ||
                          (part->flags & REC_OWN_TABLES && is_lost(l, part->tables));
        if (part->clock > l->clock) l->clock = part->clock;
        break;
    case REC_OUTPUT:
        l->out->output += bad;
        break;
    case REC_SOURCE:
        l->out->sources += bad;
        break;
    default:
        break;
    }
}

LmpErr damage_find(RecDamage *out, const RecScan *scan) {
    Look l = {.scan = scan, .out = out, .bad = calloc(scan->parts + 1ull, sizeof *l.bad)};
    *out = (RecDamage){.open = !scan->complete,
                       .cut = scan->complete ? 0 : scan->cut,
                       .stray = scan->lost - scan->cut,
                       .index = scan->complete && !scan->indexed};
    if (!l.bad) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < scan->parts; i++)
        l.bad[i] = is_bad(&l, &scan->part[i]);
    for (uint32_t i = 0; i < scan->parts; i++)
        look_at(&l, i);
    out->rows += l.rows;
    out->header = !l.found[REC_HEADER];
    out->again = l.missed[REC_AGAIN] && !l.found[REC_AGAIN];
    out->directory = l.missed[REC_DIRECTORY] && !l.found[REC_DIRECTORY];
    free(l.bad);
    bytes_free(&l.stored);
    return LMP_OK;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void add(char out[DAMAGE_WORDS], const char *first, const char *next, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

/* `first` stands before the first one, `next` between two. */
static void add(char out[DAMAGE_WORDS], const char *first, const char *next, const char *format,
                ...) {
    size_t n = strlen(out);
    va_list args;
    va_start(args, format);
    n += (size_t)snprintf(out + n, DAMAGE_WORDS - n, "%s", n ? next : first);
    if (n < DAMAGE_WORDS) vsnprintf(out + n, DAMAGE_WORDS - n, format, args);
    va_end(args);
}

bool damage_words(char out[DAMAGE_WORDS], const RecDamage *d) {
    char bytes[LMP_NUM], all[LMP_NUM], lost[DAMAGE_WORDS] = "";
    out[0] = 0;
    if (d->open) add(out, "", "", "its end is missing");
    if (d->cut) add(out, "", ", ", "%s were cut off", format_bytes(bytes, d->cut));
    if (d->stray) add(out, "", "; ", "%s of it are no part", format_bytes(bytes, d->stray));
    if (d->index) add(out, "", "; ", "its index is missing or wrong, and maybe more is missing");
    if (d->frames)
        add(lost, "", ", ", "%s of %s moments", format_count(bytes, d->frames),
            format_count(all, d->all));
    if (d->tables) add(lost, "", ", ", "tables of %s", format_count(bytes, d->tables));
    if (d->unknown)
        add(lost, "", ", ", "%s rows of its tables (what they stood for is shown as (others) or ?)",
            format_count(bytes, d->unknown));
    else if (d->rows)
        add(lost, "", ", ", "texts of its tables");
    if (d->output) add(lost, "", ", ", "%s parts of the output", format_count(bytes, d->output));
    if (d->header) add(lost, "", ", ", "which program, process and version it was");
    if (d->again) add(lost, "", ", ", "how it was started");
    if (d->sources)
        add(lost, "", ", ", "the text of %s source file%s", format_count(bytes, d->sources),
            d->sources == 1 ? "" : "s");
    if (d->directory) add(lost, "", ", ", "where it ran");
    if (*lost) add(out, "", "; ", "it has lost %s", lost);
    return *out;
}
