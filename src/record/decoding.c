/* decoding.c - see coding.h: reading. The bytes may be anything. */
#include <stdlib.h>
#include <string.h>

#include "record/coding.h"

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

/* ---- what was touched ------------------------------------------------------------------------ */

void touched_free(RecTouched *t) {
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        free(t->row[g]);
    *t = (RecTouched){0};
}

void touched_undo(RecTouched *t, const RecMemory *m, const RecMemory *key) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        for (uint32_t i = 0; i < t->rows[g]; i++)
            coding_copy(&rec_groups[g], m, key, t->row[g][i], t->row[g][i] + 1);
        t->rows[g] = 0;
    }
}

static bool touch(RecTouched *t, const RecGroup *own, const uint32_t *row, uint32_t rows) {
    size_t g = (size_t)(own - rec_groups);
    if (t->room[g] < rows) {
        uint32_t *more = realloc(t->row[g], rows * sizeof *more);
        if (!more) return false;
        t->row[g] = more;
        t->room[g] = rows;
    }
    if (rows) memcpy(t->row[g], row, rows * sizeof *row);
    t->rows[g] = rows;
    return true;
}

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct Changes {
    RecRead r;
    RecSection section;
    const RecSchema *schema;
    const RecMemory *m, *key;
    RecTouched *touched;
    uint32_t *high;
    uint32_t *row; /* of the group under way: those that have changed */
    uint32_t rows, room;
    RecTell *tell; /* only told, not done */
    void *of;
} Changes;

/* Row numbers, rising and below `n`. */
static LmpErr read_which(Changes *c, uint64_t n) {
    uint64_t rows = read_varint(&c->r), at = UINT64_MAX;
    if (c->r.failed || rows > n || rows > (uint64_t)(c->r.end - c->r.at)) return LMP_E_DAMAGED;
    if (rows > c->room) {
        uint32_t *more = realloc(c->row, rows * sizeof *more);
        if (!more) return LMP_E_NOMEM;
        c->row = more;
        c->room = (uint32_t)rows;
    }
    for (c->rows = 0; c->rows < rows; c->rows++) {
        uint64_t step = read_varint(&c->r);
        if (c->r.failed || step == 0 || step > n || (at += step) >= n) return LMP_E_DAMAGED;
        c->row[c->rows] = (uint32_t)at;
    }
    return LMP_OK;
}

/* One word of the row in all changed rows. `own` NULL: it is passed over. */
static void read_word_changes(Changes *c, const RecGroup *g, const RecField *own, uint32_t word) {
    uint64_t how = read_varint(&c->r);
    if (how > 1) c->r.failed = true;
    if (how != 1) return;
    if (!own) {
        for (uint32_t i = 0; i < c->rows; i++)
            read_varint(&c->r);
        return;
    }
    uint64_t at = g->at + own->at + (uint64_t)word * own->size;
    char *to = rec_at(c->m, at);
    const char *from = c->key ? rec_at(c->key, at) : NULL;
    for (uint32_t i = 0; i < c->rows; i++) {
        size_t place = (size_t)c->row[i] * g->row;
        uint64_t change = rec_unzigzag(read_varint(&c->r));
        if (c->row[i] >= g->most) continue;
        rec_put_word(to + place, own->size,
                     (from ? rec_word(from + place, own->size) : 0) + change);
    }
}

static void tell_word(Changes *c, const RecFileGroup *g, const RecFileField *f, uint32_t word) {
    uint64_t how = read_varint(&c->r);
    if (how > 1) c->r.failed = true;
    for (uint32_t i = 0; how == 1 && i < c->rows && !c->r.failed; i++) {
        uint64_t change = rec_unzigzag(read_varint(&c->r));
        if (change && !c->r.failed) c->tell(c->of, g, f, word, c->row[i], change);
    }
}

static LmpErr read_group_changes(Changes *c) {
    uint64_t number = read_varint(&c->r), n = read_varint(&c->r);
    if (c->r.failed || number >= c->schema->groups) return LMP_E_DAMAGED;
    const RecFileGroup *g = &c->schema->group[number];
    if (g->section != c->section || n > g->most) return LMP_E_DAMAGED;
    LmpErr err = read_which(c, n);
    if (err) return err;
    if (c->tell) c->tell(c->of, g, NULL, 0, n, c->rows);
    if (g->own && !c->tell) {
        uint32_t most = g->own->most, known = c->rows;
        while (known > 0 && c->row[known - 1] >= most)
            known--;
        if (c->touched && !touch(c->touched, g->own, c->row, known)) return LMP_E_NOMEM;
        uint32_t *high = c->high ? &c->high[g->own - rec_groups] : NULL;
        if (high && known > 0 && *high <= c->row[known - 1]) *high = c->row[known - 1] + 1;
    }
    for (uint32_t f = 0; f < g->fields && c->rows > 0 && !c->r.failed; f++)
        for (uint32_t w = 0; w < g->field[f].count && !c->r.failed; w++) {
            const RecField *own = g->field[f].own;
            if (c->tell)
                tell_word(c, g, &g->field[f], w);
            else
                read_word_changes(c, g->own, own && w < own->count ? own : NULL, w);
        }
    return c->r.failed ? LMP_E_DAMAGED : LMP_OK;
}

static LmpErr read_changes(Changes *c) {
    LmpErr err = LMP_OK;
    while (!err && c->r.at < c->r.end)
        err = read_group_changes(c);
    free(c->row);
    return err;
}

LmpErr coding_read_changes(const RecSchema *schema, RecSection section, const uint8_t *bytes,
                           size_t n, const RecMemory *m, const RecMemory *key, RecTouched *touched,
                           uint32_t *high) {
    Changes c = {.r = {bytes, bytes + n, false},
                 .section = section,
                 .schema = schema,
                 .m = m,
                 .key = key,
                 .touched = touched,
                 .high = high};
    return read_changes(&c);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct Rows {
    RecRead r;
    const RecSchema *schema;
    const RecMemory *m;
    uint32_t *have;
    RecTell *tell;
    void *of;
} Rows;

static void read_row_word(Rows *c, const RecFileGroup *g, const RecFileField *f, uint32_t word,
                          uint64_t first, uint64_t n) {
    const RecField *own = c->have && g->own && f->own && word < f->own->count ? f->own : NULL;
    uint64_t value = 0;
    char *to = own ? rec_at(c->m, g->own->at + own->at + (uint64_t)word * own->size) : NULL;
    if (own && first) value = rec_word(to + (first - 1) * g->own->row, own->size);
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
    if (have && (first > *have || first + n > g->own->most)) return LMP_E_DAMAGED;
    if (c->tell) c->tell(c->of, g, NULL, 0, first + n, n);
    for (uint32_t f = 0; f < g->fields && !c->r.failed; f++) {
        const RecFileField *field = &g->field[f];
        if (field->text && g->fields == 1 && field->count == 1) {
            const uint8_t *bytes = read_bytes(&c->r, n);
            if (!bytes) break;
            if (have && field->own && g->own->row == 1)
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

LmpErr coding_read_rows(const RecSchema *schema, const uint8_t *bytes, size_t n, const RecMemory *m,
                        uint32_t *have) {
    Rows c = {.r = {bytes, bytes + n, false}, .schema = schema, .m = m, .have = have};
    LmpErr err = LMP_OK;
    while (!err && c.r.at < c.r.end)
        err = read_group_rows(&c);
    return err;
}

LmpErr coding_tell(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                   RecTell *tell, void *of) {
    LmpErr err = LMP_OK;
    Changes c = {.r = {bytes, bytes + n, false},
                 .section = section,
                 .schema = schema,
                 .tell = tell,
                 .of = of};
    if (section != REC_ROWS) return read_changes(&c);
    static const RecMemory none;
    Rows rows = {.r = c.r, .schema = schema, .m = &none, .tell = tell, .of = of};
    while (!err && rows.r.at < rows.r.end)
        err = read_group_rows(&rows);
    return err;
}
