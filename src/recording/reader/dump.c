/* dump.c - goes through the parts in order, unpacks each, and prints what coding_tell tells of it:
 * a line for each field. */
#include "recording/reader/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/format/coding.h"
#include "recording/format/recscan.h"
#include "recording/format/texts.h"

enum { TEXT_ROWS = 64, TEXT_WORDS = 1200 };

typedef struct Dump {
    FILE *out;
    RecScan scan;
    RecSchema schema;
    bool told;                /* it was */
    RecPack *pack, *based[2]; /* based: of tables, of frames */
    uint64_t base[2];
    RecBytes stored, plain;
    /* the piece under way */
    bool rows; /* of rows that never change: values are sums of differences */
    const RecFileGroup *group;
    const RecFileField *field;
    uint32_t word;
    uint64_t value;                   /* of the row before */
    uint64_t (*last)[64];             /* of each group and field: its last row */
    char text[TEXT_ROWS][TEXT_WORDS]; /* characters of a field */
    bool any_text;
} Dump;

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_shown(unsigned char c) {
    return c >= 32 && c < 127 && c != '"' && c != '\\';
}

/* Prints one byte of a text. Bytes that a terminal could obey are told as numbers, and so is all
 * that is not ASCII, since an old terminal obeys single bytes of that, too. */
static void put_char(FILE *out, unsigned char c) {
    if (is_shown(c))
        fputc(c, out);
    else if (c == '"' || c == '\\')
        fprintf(out, "\\%c", c);
    else if (c == '\n')
        fputs("\\n", out);
    else
        fprintf(out, "\\x%02x", c);
}

static void put_text(FILE *out, const char *bytes, size_t n) {
    fputc('"', out);
    for (size_t i = 0; i < n; i++)
        put_char(out, (unsigned char)bytes[i]);
    fputc('"', out);
}

/* Names of groups and fields are the file's, too. */
static void put_name(FILE *out, const char *name) {
    for (; *name; name++)
        put_char(out, (unsigned char)*name);
}

static void end_field(Dump *d) {
    for (uint32_t i = 0; d->any_text && i < TEXT_ROWS; i++) {
        size_t n = strnlen(d->text[i], TEXT_WORDS);
        if (n == 0) continue;
        fprintf(d->out, " %u:", i);
        put_text(d->out, d->text[i], n);
    }
    if (d->any_text) memset(d->text, 0, sizeof d->text);
    d->any_text = false;
    if (d->field) fputc('\n', d->out);
    d->field = NULL;
}

/* The table of texts: one a line, with its place. */
static void tell_text(Dump *d, uint64_t at, uint64_t byte) {
    if (byte == 0 && d->word == 0) return; /* none, or one that was wiped */
    if (d->word == 0) fprintf(d->out, "    %" PRIu64 ": \"", at);
    d->word = 1;
    if (byte == 0) {
        fputs("\"\n", d->out);
        d->word = 0;
    } else {
        put_char(d->out, (unsigned char)byte);
    }
}

static void begin_field(Dump *d, const RecFileField *field, uint32_t word) {
    bool same = field == d->field && (word == d->word || field->text);
    if (same) {
        d->word = word;
        return;
    }
    end_field(d);
    d->field = field;
    d->word = word;
    uint32_t g = (uint32_t)(d->group - d->schema.group), f = (uint32_t)(field - d->group->field);
    d->value = d->rows && d->scan.version == REC_VERSION_LINKED && f < 64 ? d->last[g][f] : 0;
    fputs("    ", d->out);
    put_name(d->out, field->name);
    if (field->count > 1 && !field->text) fprintf(d->out, "[%u]", word);
    fputc(':', d->out);
}

static void tell(void *of, const RecFileGroup *group, const RecFileField *field, uint32_t word,
                 uint64_t row, uint64_t value) {
    Dump *d = of;
    if (!field) {
        end_field(d);
        d->group = group;
        d->word = 0;
        if (value == 0 && !d->rows) return;
        fputs("  ", d->out);
        put_name(d->out, group->name);
        fprintf(d->out, ": rows %" PRIu64 ", %s %" PRIu64 "\n", row, d->rows ? "new" : "changed",
                value);
        return;
    }
    if (d->rows && field->text && group->fields == 1) {
        tell_text(d, row, value);
        return;
    }
    begin_field(d, field, word);
    if (field->text && row < TEXT_ROWS && word < TEXT_WORDS) {
        d->text[row][word] = (char)value;
        d->any_text = true;
        return;
    }
    if (d->rows) {
        uint32_t g = (uint32_t)(group - d->schema.group), f = (uint32_t)(field - group->field);
        d->value += value;
        if (f < 64) d->last[g][f] = d->value;
        bool narrow = field->size < 8 && (int64_t)d->value < 0; /* -1 of 32 bits */
        fprintf(d->out, " %" PRId64, narrow ? (int64_t)(int32_t)d->value : (int64_t)d->value);
        return;
    }
    fprintf(d->out, " %" PRIu64 ":%+" PRId64, row, (int64_t)value);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_schema(const Dump *d) {
    for (uint32_t g = 0; g < d->schema.groups; g++) {
        const RecFileGroup *group = &d->schema.group[g];
        fprintf(d->out, "  %u ", g);
        put_name(d->out, group->name);
        fprintf(d->out, ", section %u, at most %" PRIu64 " rows%s:", group->section, group->most,
                group->own ? "" : " (not known here)");
        for (uint32_t f = 0; f < group->fields; f++) {
            const RecFileField *field = &group->field[f];
            fputs(f ? ", " : " ", d->out);
            put_name(d->out, field->name);
            fprintf(d->out, " %u", field->size);
            if (field->count > 1) fprintf(d->out, "x%u", field->count);
        }
        fputc('\n', d->out);
    }
}

static LmpErr put_output(Dump *d, const RecPart *part) {
    RecOutputs o = {0};
    LmpErr err = outputs_read(&o, part->clock, d->plain.at, d->plain.n);
    for (uint32_t i = 0; i < o.pieces; i++) {
        fprintf(d->out, "  %" PRIu64 " ns ", o.piece[i].clock);
        put_text(d->out, (const char *)o.text.at + o.piece[i].at, o.piece[i].n);
        fputc('\n', d->out);
    }
    outputs_free(&o);
    return err;
}

/* Reads the plain bytes of a part, for which its chunk's first one may be needed. */
static LmpErr read_part(Dump *d, const RecPart *part) {
    RecPack *pack = d->pack;
    if (part->packing == REC_ZSTD_BASE) {
        uint32_t k = part->kind == REC_LIVE_PART, i = recscan_find(&d->scan, part->base);
        if (i >= d->scan.parts || d->scan.part[i].packing == REC_ZSTD_BASE) return LMP_E_DAMAGED;
        pack = d->based[k];
        if (d->base[k] != part->base) {
            LmpErr err = read_part(d, &d->scan.part[i]);
            if (err) return err;
            if (!pack_set_base(pack, d->plain.at, d->plain.n, false)) return LMP_E_NOMEM;
            d->base[k] = part->base;
        }
    }
    LmpErr err = recscan_read(&d->scan, part, &d->stored);
    return err ? err : pack_unpack(pack, part, d->stored.at, &d->plain);
}

static LmpErr put_changes(Dump *d, RecSection section) {
    d->rows = section == REC_ROWS;
    d->field = NULL;
    LmpErr err = coding_tell(&d->schema, section, d->plain.at, d->plain.n, tell, d);
    end_field(d);
    return err;
}

static LmpErr put_source(Dump *d) {
    KeptTexts *texts = NULL;
    const char *source;
    size_t n;
    LmpErr err = kepttexts_add(&texts, d->plain.at, d->plain.n);
    if (!err) {
        const char *text = kepttexts_at(texts, 0, &source, &n);
        fputs("  ", d->out);
        put_text(d->out, source, strlen(source));
        fputs(": ", d->out);
        put_text(d->out, text, n);
        fputc('\n', d->out);
    }
    kepttexts_free(texts);
    return err;
}

static LmpErr put_content(Dump *d, const RecPart *part) {
    LmpErr err = read_part(d, part);
    if (err) return err;
    switch (part->kind) {
    case REC_SCHEMA:
        if (!d->told) put_schema(d);
        d->told = true;
        return LMP_OK;
    case REC_AGAIN:
    case REC_DIRECTORY:
        fputs("  ", d->out);
        put_text(d->out, (const char *)d->plain.at, d->plain.n);
        fputc('\n', d->out);
        return LMP_OK;
    case REC_OUTPUT:
        return put_output(d, part);
    case REC_SOURCE:
        return put_source(d);
    case REC_ENDED:
        fprintf(d->out, "  status %" PRIu64 "\n", part->live_bytes);
        if (part->rss) fprintf(d->out, "  frames without room for tables %" PRIu64 "\n", part->rss);
        return LMP_OK;
    default:
        break;
    }
    if (d->schema.groups == 0) return LMP_E_DAMAGED;
    if (part->kind == REC_HEADER) return put_changes(d, REC_INFO);
    if (part->kind == REC_ROWS_PART) return put_changes(d, REC_ROWS);
    if (part->kind == REC_TABLES_PART) return put_changes(d, REC_TABLES);
    if (part->kind == REC_LIVE_PART) return put_changes(d, REC_LIVE);
    return LMP_OK;
}

static void put_head(const Dump *d, const RecPart *part) {
    static const char *const flag[] = {"tables", "mark", "peak", "cycle", "end"};
    bool known = part->kind < REC_KINDS && rec_kind_names[part->kind];
    fprintf(d->out, "%" PRIu64 " %s", part->place, known ? rec_kind_names[part->kind] : "unknown");
    fprintf(d->out, ": clock %" PRIu64 ".%09u, %u of %u bytes", part->clock / 1000000000,
            (unsigned)(part->clock % 1000000000), part->stored, part->plain);
    if (part->base) fprintf(d->out, ", base %" PRIu64, part->base);
    if (part->kind != REC_LIVE_PART && part->flags & REC_COPY) fputs(", copy", d->out);
    if (part->kind == REC_LIVE_PART) {
        fprintf(d->out, ", live %" PRIu64 ", rss %" PRIu64 ", tables %" PRIu64, part->live_bytes,
                part->rss, part->tables);
        for (unsigned i = 0; i < sizeof flag / sizeof *flag; i++)
            if (part->flags >> i & 1) fprintf(d->out, " %s", flag[i]);
    }
    fputc('\n', d->out);
}

static LmpErr put_parts(Dump *d, bool heads) {
    for (uint32_t i = 0; i < d->scan.parts; i++) {
        const RecPart *part = &d->scan.part[i];
        put_head(d, part);
        LmpErr err = heads ? LMP_OK : put_content(d, part);
        if (err == LMP_E_NOMEM) return err;
        if (err) fputs("  damaged\n", d->out);
    }
    return LMP_OK;
}

LmpErr recording_dump(int fd, bool heads, FILE *out) {
    Dump *d = calloc(1, sizeof *d);
    if (!d) return LMP_E_NOMEM;
    d->out = out;
    LmpErr err = recscan_open(&d->scan, fd);
    d->pack = pack_new();
    d->based[0] = pack_new();
    d->based[1] = pack_new();
    if (!err && (!d->pack || !d->based[0] || !d->based[1])) err = LMP_E_NOMEM;
    if (!err)
        fprintf(out, "recording, version %u, generation %u, %" PRIu64 " bytes, %u parts%s%s\n",
                d->scan.version, d->scan.generation, d->scan.size, d->scan.parts,
                d->scan.indexed ? ", index" : "", d->scan.complete ? "" : ", not closed");
    if (!err) err = recscan_schema(&d->scan, &d->schema);
    if (!err && !(d->last = calloc((size_t)d->schema.groups + 1, sizeof *d->last)))
        err = LMP_E_NOMEM;
    if (!err) err = put_parts(d, heads);
    if (!err && d->scan.lost) fprintf(out, "%" PRIu64 " bytes in no whole part\n", d->scan.lost);
    recscan_free(&d->scan);
    coding_free_schema(&d->schema);
    free(d->last);
    pack_free(d->pack);
    pack_free(d->based[0]);
    pack_free(d->based[1]);
    bytes_free(&d->stored);
    bytes_free(&d->plain);
    free(d);
    return err;
}
