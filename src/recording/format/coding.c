/* coding.c - writing the schema and rows; and groups in memory, copied, cleared and put back. */
#include "recording/format/coding.h"

#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* Finds the fields from f on that lie one after another in memory: their bytes are moved
 * together. */
static uint32_t run_of(const RecGroup *g, uint32_t f, uint32_t *end) {
    const RecField *x = &g->field[f];
    *end = x->at + (uint32_t)x->size * x->count;
    for (f++; f < g->fields && g->field[f].at == *end; f++)
        *end += (uint32_t)g->field[f].size * g->field[f].count;
    return f;
}

void coding_copy(const RecGroup *g, const RecMemory *to, const RecMemory *from, uint32_t first,
                 uint32_t end) {
    uint32_t stop;
    for (uint32_t f = 0, next; f < g->fields; f = next) {
        next = run_of(g, f, &stop);
        uint32_t at = g->field[f].at, n = stop - at;
        char *t = rec_at(to, g->at) + at;
        const char *s = rec_at(from, g->at) + at;
        if (n == g->row) {
            memcpy(t + (size_t)first * n, s + (size_t)first * n, (size_t)(end - first) * n);
            continue;
        }
        for (uint32_t i = first; i < end; i++)
            memcpy(t + (size_t)i * g->row, s + (size_t)i * g->row, n);
    }
}

void coding_clear(const RecGroup *g, const RecMemory *m, uint32_t first, uint32_t end) {
    uint32_t stop;
    for (uint32_t f = 0, next; f < g->fields; f = next) {
        next = run_of(g, f, &stop);
        uint32_t at = g->field[f].at, n = stop - at;
        char *t = rec_at(m, g->at) + at;
        for (uint32_t i = first; i < end; i++)
            memset(t + (size_t)i * g->row, 0, n);
    }
}

void coding_put_back(const RecGroup *g, const RecMemory *m, const uint32_t *row, uint32_t rows,
                     const char *held, uint32_t from, uint32_t to) {
    char *base = rec_at(m, g->at);
    uint32_t end;
    for (uint32_t f = 0, next; f < g->fields && rows > 0; f = next) {
        next = run_of(g, f, &end);
        uint32_t at = g->field[f].at;
        if (at < from) at = from;
        if (end > to) end = to;
        for (uint32_t i = 0; i < rows && at < end; i++)
            memcpy(base + (size_t)row[i] * g->row + at, held + (size_t)i * (to - from) + at - from,
                   end - at);
    }
}

/* ---- the schema ------------------------------------------------------------------------------ */

static void put_name(RecBytes *out, const char *name) {
    size_t n = strlen(name);
    bytes_varint(out, n);
    bytes_put(out, name, n);
}

void coding_put_schema(RecBytes *out) {
    bytes_varint(out, REC_GROUPS);
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        const RecGroup *group = &rec_groups[g];
        put_name(out, group->name);
        bytes_varint(out, group->section);
        bytes_varint(out, group->most);
        bytes_varint(out, group->fields);
        for (uint32_t f = 0; f < group->fields; f++) {
            const RecField *field = &group->field[f];
            put_name(out, field->name);
            bytes_varint(out, field->size);
            bytes_varint(out, field->count);
            bytes_varint(out, field->text);
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

void coding_put_rows(RecBytes *out, uint32_t group, const RecMemory *now, uint32_t first,
                     uint32_t end) {
    const RecGroup *g = &rec_groups[group];
    const char *a = rec_at(now, g->at);
    bytes_varint(out, group);
    bytes_varint(out, first);
    bytes_varint(out, end - first);
    for (uint32_t f = 0; f < g->fields; f++) {
        const RecField *field = &g->field[f];
        if (field->text && g->row == 1) {
            bytes_put(out, a + first, end - first);
            continue;
        }
        for (uint32_t w = 0; w < field->count; w++) {
            const char *at = a + field->at + w * field->size;
            uint64_t before = 0; /* what came before may be damaged */
            for (uint32_t i = first; i < end; i++) {
                uint64_t v = rec_word(at + (size_t)i * g->row, field->size);
                bytes_varint(out, rec_zigzag(v - before));
                before = v;
            }
        }
    }
}
