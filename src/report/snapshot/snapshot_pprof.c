/* snapshot_pprof.c - bytes by the folded path that holds them as a profile for pprof: one sample a
 * path, a function for each step. */
#include <stdlib.h>

#include "report/pack/pprof.h"
#include "report/snapshot/snapshotreport_impl.h"

typedef struct Profile {
    const LmpSnapshot *s;
    SnapshotHolders holders;
    SnapshotRedact redact;
    uint32_t *function_of; /* of each text: its function, 0: none yet */
    uint32_t functions;
    uint32_t *row_function; /* of each row of the tree */
    Pprof pprof;
} Profile;

/* One function and one location for each different step. */
static bool name_steps(Profile *p) {
    uint32_t rows = p->holders.rows;
    uint32_t *text = malloc(rows * sizeof *text);
    p->row_function = calloc(rows, sizeof *p->row_function);
    for (uint32_t row = 0; text && row < rows; row++) {
        char name[160];
        holders_text(&p->holders, &p->redact, p->s, row, name, sizeof name);
        text[row] = texttable_text(&p->pprof.texts, name);
    }
    p->function_of = calloc((size_t)p->pprof.texts.texts + 1, sizeof *p->function_of);
    bool made = text && p->row_function && p->function_of && !p->pprof.texts.failed;
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
        protobuf_varint(&p->pprof.part, p->row_function[i]);
    if (row == 0) protobuf_varint(&p->pprof.part, p->row_function[0]);
    protobuf_message(&p->pprof.message, 1, &p->pprof.part);
    protobuf_varint(&p->pprof.part, h->objects);
    protobuf_varint(&p->pprof.part, h->size);
    protobuf_message(&p->pprof.message, 2, &p->pprof.part);
    protobuf_message(&p->pprof.out, 2, &p->pprof.message);
    pprof_flush(&p->pprof);
}

static void put_functions(Profile *p, uint32_t texts) {
    pprof_mapping(&p->pprof, 7);
    for (uint32_t f = 1; f <= p->functions; f++) {
        protobuf_number(&p->pprof.message, 1, f);
        protobuf_number(&p->pprof.message, 2, 1);
        protobuf_number(&p->pprof.part, 1, f);
        protobuf_message(&p->pprof.message, 4, &p->pprof.part);
        protobuf_message(&p->pprof.out, 4, &p->pprof.message);
    }
    for (uint32_t text = 0; text < texts; text++) {
        if (!p->function_of[text]) continue;
        protobuf_number(&p->pprof.message, 1, p->function_of[text]);
        protobuf_number(&p->pprof.message, 2, text);
        protobuf_message(&p->pprof.out, 5, &p->pprof.message);
    }
}

static void put_profile(Profile *p) {
    uint32_t texts = p->pprof.texts.texts;
    pprof_type(&p->pprof, 1, "inuse_objects", "count");
    pprof_type(&p->pprof, 1, "inuse_space", "bytes");
    for (uint32_t row = 0; row < p->holders.rows; row++)
        if (p->holders.row[row].objects > 0) put_sample(p, row);
    put_functions(p, texts);
    protobuf_number(&p->pprof.out, 9, p->s->info.realtime);
    pprof_type(&p->pprof, 11, "space", "bytes");
    protobuf_number(&p->pprof.out, 12, 1);
    pprof_text(&p->pprof, &p->pprof.out, 14, "inuse_space");
}

LmpErr snapshot_pprof(const SnapshotReport *report, FILE *out) {
    Profile p = {.s = report->s};
    LmpErr err = objecttext_redact_open(&p.redact, report);
    if (!err) err = holders_make(&p.holders, report->s);
    bool made = !err && pprof_open(&p.pprof, out) && name_steps(&p);
    if (made) put_profile(&p);
    made = pprof_close(&p.pprof) && made;
    free(p.function_of);
    free(p.row_function);
    holders_free(&p.holders);
    objecttext_redact_close(&p.redact);
    return made ? LMP_OK : LMP_E_NOMEM;
}
