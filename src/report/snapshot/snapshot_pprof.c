/* snapshot_pprof.c - bytes by the folded path that holds them as a profile for pprof: one sample a
 * path, a function for each step. */
#include <stdlib.h>

#include "report/pack/protobuf.h"
#include "report/snapshot/snapshotreport_impl.h"
#include "report/texttable.h"

typedef struct Profile {
    const LmpSnapshot *s;
    SnapshotHolders holders;
    SnapshotRedact redact;
    TextTable texts;
    uint32_t *function_of; /* of each text: its function, 0: none yet */
    uint32_t functions;
    uint32_t *row_function; /* of each row of the tree */
    Gzip *gzip;
    Protobuf out, message, part;
} Profile;

static void put_type(Profile *p, unsigned field, const char *type, const char *unit) {
    protobuf_number(&p->message, 1, texttable_text(&p->texts, type));
    protobuf_number(&p->message, 2, texttable_text(&p->texts, unit));
    protobuf_message(&p->out, field, &p->message);
}

/* One function and one location for each different step. */
static bool name_steps(Profile *p) {
    uint32_t rows = p->holders.rows;
    uint32_t *text = malloc(rows * sizeof *text);
    p->row_function = calloc(rows, sizeof *p->row_function);
    for (uint32_t row = 0; text && row < rows; row++) {
        char name[160];
        holders_text(&p->holders, &p->redact, p->s, row, name, sizeof name);
        text[row] = texttable_text(&p->texts, name);
    }
    p->function_of = calloc((size_t)p->texts.texts + 1, sizeof *p->function_of);
    bool made = text && p->row_function && p->function_of && !p->texts.failed;
    for (uint32_t row = 0; made && row < rows; row++) {
        uint32_t *function = &p->function_of[text[row]];
        if (!*function) *function = ++p->functions;
        p->row_function[row] = *function;
    }
    free(text);
    return made;
}

static void put_sample(Profile *p, uint32_t row) {
    const SnapshotHolder *h = &p->holders.row[row];
    for (uint32_t i = row; i != 0; i = p->holders.row[i].parent) /* leaf first */
        protobuf_varint(&p->part, p->row_function[i]);
    if (row == 0) protobuf_varint(&p->part, p->row_function[0]);
    protobuf_message(&p->message, 1, &p->part);
    protobuf_varint(&p->part, h->objects);
    protobuf_varint(&p->part, h->size);
    protobuf_message(&p->message, 2, &p->part);
    protobuf_message(&p->out, 2, &p->message);
    if (p->out.used > 1u << 16) gzip_put(p->gzip, &p->out);
}

static void put_functions(Profile *p, uint32_t texts) {
    protobuf_number(&p->message, 1, 1);
    protobuf_number(&p->message, 7, 1);
    protobuf_message(&p->out, 3, &p->message); /* a mapping, so that none is made up */
    for (uint32_t f = 1; f <= p->functions; f++) {
        protobuf_number(&p->message, 1, f);
        protobuf_number(&p->message, 2, 1);
        protobuf_number(&p->part, 1, f);
        protobuf_message(&p->message, 4, &p->part);
        protobuf_message(&p->out, 4, &p->message);
    }
    for (uint32_t text = 0; text < texts; text++) {
        if (!p->function_of[text]) continue;
        protobuf_number(&p->message, 1, p->function_of[text]);
        protobuf_number(&p->message, 2, text);
        protobuf_message(&p->out, 5, &p->message);
    }
}

static void put_profile(Profile *p) {
    uint32_t texts = p->texts.texts;
    put_type(p, 1, "inuse_objects", "count");
    put_type(p, 1, "inuse_space", "bytes");
    for (uint32_t row = 0; row < p->holders.rows; row++)
        if (p->holders.row[row].objects > 0) put_sample(p, row);
    put_functions(p, texts);
    protobuf_number(&p->out, 9, p->s->info.realtime);
    put_type(p, 11, "space", "bytes");
    protobuf_number(&p->out, 12, 1);
    protobuf_number(&p->out, 14, texttable_text(&p->texts, "inuse_space"));
    for (uint32_t text = 0; text < p->texts.texts; text++)
        protobuf_bytes(&p->out, 6, p->texts.bytes + p->texts.at[text],
                       p->texts.at[text + 1] - p->texts.at[text]);
    p->out.failed = p->out.failed || p->texts.failed;
    gzip_put(p->gzip, &p->out);
}

LmpErr snapshot_pprof(const SnapshotReport *report, FILE *out) {
    Profile p = {.s = report->s};
    LmpErr err = objecttext_redact_open(&p.redact, report);
    if (!err) err = holders_make(&p.holders, report->s);
    bool made = !err && texttable_open(&p.texts, "") && name_steps(&p) && (p.gzip = gzip_open(out));
    if (made) {
        put_profile(&p);
        made = gzip_close(p.gzip);
    }
    protobuf_free(&p.out);
    protobuf_free(&p.message);
    protobuf_free(&p.part);
    free(p.function_of);
    free(p.row_function);
    texttable_close(&p.texts);
    holders_free(&p.holders);
    objecttext_redact_close(&p.redact);
    return made ? LMP_OK : LMP_E_NOMEM;
}
