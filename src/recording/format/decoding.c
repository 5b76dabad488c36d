/* decoding.c - reading the schema and rows, and telling changes to a listener (coding.h); changes
 * to memory are read by apply.c. The bytes may be anything, so rows are read twice: first without
 * putting them anywhere. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/format/coding.h"
#include "recording/format/part.h"

enum { MOST_GROUPS = 1000, MOST_FIELDS = 1000, MOST_WORDS = 65535 };

/* ---- the schema ------------------------------------------------------------------------------ */

static void read_name(RecRead *r, char out[64]) {
    uint64_t n = read_varint(r);
    const uint8_t *at = n < 64 ? read_bytes(r, n) : NULL;
    if (!at) {
        r->failed = true;
        return;
    }
    memcpy(out, at, n);
    out[n] = 0;
}

static const RecGroup *own_group(const RecFileGroup *group) {
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (strcmp(rec_groups[g].name, group->name) == 0 && rec_groups[g].section == group->section)
            return &rec_groups[g];
    return NULL;
}

static const RecField *own_field(const RecGroup *group, const char *name) {
    for (uint32_t f = 0; group && f < group->fields; f++)
        if (strcmp(group->field[f].name, name) == 0) return &group->field[f];
    return NULL;
}

static bool is_word(uint64_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static LmpErr read_group(RecRead *r, RecFileGroup *group) {
    read_name(r, group->name);
    uint64_t section = read_varint(r);
    group->most = read_varint(r);
    uint64_t fields = read_varint(r);
    if (r->failed || section >= REC_SECTIONS || fields > MOST_FIELDS || group->most > UINT32_MAX)
        return LMP_E_DAMAGED;
    group->section = (uint32_t)section;
    group->own = own_group(group);
    group->field = calloc(fields + 1, sizeof *group->field);
    if (!group->field) return LMP_E_NOMEM;
    for (; group->fields < fields; group->fields++) {
        RecFileField *f = &group->field[group->fields];
        read_name(r, f->name);
        uint64_t size = read_varint(r), count = read_varint(r), text = read_varint(r);
        if (r->failed || !is_word(size) || count == 0 || count > MOST_WORDS || text > 1)
            return LMP_E_DAMAGED;
        f->size = (uint16_t)size;
        f->count = (uint16_t)count;
        f->text = text;
        f->own = own_field(group->own, f->name);
    }
    return LMP_OK;
}

LmpErr coding_read_schema(RecSchema *out, const uint8_t *bytes, size_t n) {
    RecRead r = {bytes, bytes + n, false};
    uint64_t groups = read_varint(&r);
    *out = (RecSchema){0};
    if (r.failed || groups > MOST_GROUPS) return LMP_E_DAMAGED;
    out->group = calloc(groups + 1, sizeof *out->group);
    if (!out->group) return LMP_E_NOMEM;
    LmpErr err = LMP_OK;
    while (!err && out->groups < groups)
        err = read_group(&r, &out->group[out->groups++]);
    for (uint32_t g = 1; !err && g < out->groups;
         g++) /* a group of ours stands for one of theirs */
        for (uint32_t h = 0; h < g; h++)
            if (out->group[g].own && out->group[g].own == out->group[h].own) err = LMP_E_DAMAGED;
    if (err) coding_free_schema(out);
    return err;
}

void coding_free_schema(RecSchema *schema) {
    for (uint32_t g = 0; g < schema->groups; g++)
        free(schema->group[g].field);
    free(schema->group);
    *schema = (RecSchema){0};
}

/* ---- changes --------------------------------------------------------------------------------- */

LmpErr which_read(RecWhich *w, RecRead *r, uint64_t n) {
    uint64_t rows = read_varint(r), at = UINT64_MAX;
    if (r->failed || rows > n || rows > (uint64_t)(r->end - r->at)) return LMP_E_DAMAGED;
    if (!array_room(&w->row, &w->room, rows)) return LMP_E_NOMEM;
    for (w->rows = 0; w->rows < rows; w->rows++) {
        uint64_t step = read_varint(r);
        if (r->failed || step == 0 || step > n || (at += step) >= n) return LMP_E_DAMAGED;
        w->row[w->rows] = (uint32_t)at;
    }
    return LMP_OK;
}

/* What is told, to whom. */
typedef struct Teller {
    RecTell *tell;
    void *of;
} Teller;

static void tell_word(const Teller *t, RecRead *r, const RecWhich *which, const RecFileGroup *g,
                      const RecFileField *f, uint32_t word) {
    uint64_t how = read_varint(r);
    if (how > 1) r->failed = true;
    for (uint32_t i = 0; how == 1 && i < which->rows && !r->failed; i++) {
        uint64_t change = rec_unzigzag(read_varint(r));
        if (change && !r->failed) t->tell(t->of, g, f, word, which->row[i], change);
    }
}

static LmpErr tell_changes(const Teller *t, RecRead *r, const RecSchema *schema, RecSection section,
                           RecWhich *which) {
    uint64_t number = read_varint(r), n = read_varint(r);
    if (r->failed || number >= schema->groups) return LMP_E_DAMAGED;
    const RecFileGroup *g = &schema->group[number];
    if (g->section != section || n > g->most) return LMP_E_DAMAGED;
    LmpErr err = which_read(which, r, n);
    if (err) return err;
    t->tell(t->of, g, NULL, 0, n, which->rows);
    for (uint32_t f = 0; f < g->fields && which->rows > 0; f++)
        for (uint32_t w = 0; w < g->field[f].count && !r->failed; w++)
            tell_word(t, r, which, g, &g->field[f], w);
    return r->failed ? LMP_E_DAMAGED : LMP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct Rows {
    RecRead r;
    const RecSchema *schema;
    const RecMemory *m; /* NULL: nothing is put anywhere */
    uint32_t *have;
    bool linked; /* rows are differences from those of the part before */
    RecTell *tell;
    void *of;
} Rows;

static void read_row_word(Rows *c, const RecFileGroup *g, const RecFileField *f, uint32_t word,
                          uint64_t first, uint64_t n) {
    const RecField *own = c->m && g->own && f->own && word < f->own->count ? f->own : NULL;
    uint64_t value = 0;
    char *to = own ? rec_at(c->m, g->own->at + own->at + (uint64_t)word * own->size) : NULL;
    if (own && first && c->linked) value = rec_word(to + (first - 1) * g->own->row, own->size);
    for (uint64_t i = first; i < first + n && !c->r.failed; i++) {
        uint64_t change = rec_unzigzag(read_varint(&c->r));
        value += change;
        if (own) rec_put_word(to + i * g->own->row, own->size, value);
        if (c->tell && !c->r.failed) c->tell(c->of, g, f, word, i, change);
    }
}

static LmpErr read_group_rows(Rows *c) {
    uint64_t number = read_varint(&c->r), first = read_varint(&c->r), n = read_varint(&c->r);
    if (c->r.failed || number >= c->schema->groups) return LMP_E_DAMAGED;
    const RecFileGroup *g = &c->schema->group[number];
    if (g->section != REC_ROWS || first > g->most || n > g->most - first ||
        n > (uint64_t)(c->r.end - c->r.at))
        return LMP_E_DAMAGED;
    uint32_t *have = g->own && c->have ? &c->have[g->own - rec_groups] : NULL;
    if (have && ((c->linked && first > *have) || first + n > g->own->most)) return LMP_E_DAMAGED;
    if (c->tell) c->tell(c->of, g, NULL, 0, first + n, n);
    for (uint32_t f = 0; f < g->fields && !c->r.failed; f++) {
        const RecFileField *field = &g->field[f];
        if (field->text && g->fields == 1 && field->count == 1) {
            const uint8_t *bytes = read_bytes(&c->r, n);
            if (!bytes) break;
            if (c->m && have && field->own && g->own->row == 1)
                memcpy(rec_at(c->m, g->own->at) + first, bytes, n);
            for (uint64_t i = 0; c->tell && i < n; i++)
                c->tell(c->of, g, field, 0, first + i, bytes[i]);
            continue;
        }
        for (uint32_t w = 0; w < field->count && !c->r.failed; w++)
            read_row_word(c, g, field, w, first, n);
    }
    if (have && !c->r.failed && *have < first + n) *have = (uint32_t)(first + n);
    return c->r.failed ? LMP_E_DAMAGED : LMP_OK;
}

LmpErr coding_read_rows(const RecSchema *schema, uint32_t version, const uint8_t *bytes, size_t n,
                        const RecMemory *m, uint32_t *have) {
    uint32_t would[REC_GROUPS];
    const Rows begin = {
        .r = {bytes, bytes + n, false}, .schema = schema, .linked = version == REC_VERSION_LINKED};
    LmpErr err = LMP_OK;
    memcpy(would, have, sizeof would);
    for (int put = 0; put < 2 && !err; put++) { /* rows of a damaged piece are no rows */
        Rows c = begin;
        c.m = put ? m : NULL;
        c.have = put ? have : would;
        while (!err && c.r.at < c.r.end)
            err = read_group_rows(&c);
    }
    return err;
}

LmpErr coding_tell(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                   RecTell *tell, void *of) {
    LmpErr err = LMP_OK;
    RecWhich which = {0};
    const Teller t = {tell, of};
    RecRead r = {bytes, bytes + n, false};
    Rows rows = {.r = r, .schema = schema, .tell = tell, .of = of};
    while (!err && section != REC_ROWS && r.at < r.end)
        err = tell_changes(&t, &r, schema, section, &which);
    while (!err && section == REC_ROWS && rows.r.at < rows.r.end)
        err = read_group_rows(&rows);
    free(which.row);
    return err;
}
