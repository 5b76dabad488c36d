/* inside_fixture.h - a program under a display, which answers what is in values: tables by their
 * addresses, as a model has them. */
#ifndef LMP_INSIDE_FIXTURE_H
#define LMP_INSIDE_FIXTURE_H

#include "suite.h"

#include "read/model/model.h"
#include "widget/request.h"

/* A table, whose entries are in the order of their places. */
typedef struct PlayTable {
    uint64_t object;
    uint32_t entries;
    LmpLocal entry[8];
    uint64_t more; /* further entries: integers from entries + 1 on, each its own square */
} PlayTable;

typedef struct PlayTables {
    PlayTable table[8];
    uint32_t tables;
    uint32_t asked; /* requests so far (count) */
} PlayTables;

static LmpLocal play_value(LmpKey key, const char *name, const char *type, const char *value) {
    LmpLocal l = {.key = key};
    snprintf(l.name, sizeof l.name, "%s", name);
    snprintf(l.type, sizeof l.type, "%s", type);
    l.size = (uint32_t)strlen(value);
    l.whole = l.size;
    memcpy(l.value, value, l.size);
    return l;
}

/* A value that is a table: `keys` as a preview has them. */
static LmpLocal play_table_value(LmpKey key, const char *name, uint64_t object, const char *keys,
                                 uint64_t entries) {
    LmpLocal l = play_value(key, name, "table", keys);
    l.object = object;
    l.whole = entries;
    l.flags = LMP_LOCAL_SEEN | (entries ? LMP_LOCAL_OPENS : 0u) |
              (*keys ? LMP_LOCAL_KEYS | LMP_LOCAL_ALL : LMP_LOCAL_PLAIN);
    return l;
}

static void play_entry(PlayTable *t, LmpLocal value) {
    value.place = t->entries;
    t->entry[t->entries++] = value;
}

static LmpLocal play_at(const PlayTable *t, uint64_t place) {
    char name[32], value[32];
    if (place < t->entries) return t->entry[place];
    snprintf(name, sizeof name, "%llu", (unsigned long long)place + 1);
    snprintf(value, sizeof value, "%llu", (unsigned long long)((place + 1) * (place + 1)));
    LmpLocal l = play_value(LMP_KEY_INTEGER, name, "number", value);
    l.place = place;
    return l;
}

static const PlayTable *play_table(const PlayTables *all, uint64_t object) {
    for (uint32_t i = 0; i < all->tables; i++)
        if (all->table[i].object == object) return &all->table[i];
    return NULL;
}

/* Answers the request that waits, if one does, as the program would. */
static bool play_answer(PlayTables *all, Model *m, Requests *requests) {
    if (!request_waits(requests, REQUEST_INSIDE)) return false;
    const LmpInsideWish *wish = &requests->of[REQUEST_INSIDE].inside;
    LmpInside *out = &m->inside;
    requests->waiting &= ~(1u << REQUEST_INSIDE);
    all->asked++;
    memset(out, 0, sizeof *out);
    out->wish = *wish;
    out->next = LMP_INSIDE_END;
    m->inside_ready = true;
    const LmpOp *op = &m->op;
    const LmpLocal *from = wish->variable < LMP_LOCALS ? &op->local[wish->variable]
                                                       : &op->upvalue[wish->variable - LMP_LOCALS];
    const PlayTable *t = play_table(all, from->object);
    for (uint32_t i = 0; i < wish->steps && t; i++)
        t = play_table(all, play_at(t, wish->step[i]).object);
    if (!t) return true;
    out->state = LMP_INSIDE_READ;
    out->object = t->object;
    out->entries = t->entries + t->more;
    uint64_t place = wish->from;
    for (; place < out->entries && out->rows < wish->rows; place++)
        out->row[out->rows++] = play_at(t, place);
    if (place < out->entries) out->next = place;
    return true;
}

#endif
