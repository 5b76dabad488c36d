/* places.c - what lives where: tables and functions that names alone lead to, from the globals and
 * from loaded modules, at most three names deep. So a metatable is "app.Account" and a function
 * "table.insert", by whatever way it is held. And the names of Lua functions, by their code; what
 * the tables of who made what call them is found by their source and line. */
#include <string.h>

#include "base/rowindex.h"
#include "read/snapshot/snapshot_impl.h"

enum { DEEP = 3, MOST = 1 << 16, MOST_KEYS = 4096 };

static bool has_place(uint32_t kind) {
    return kind == LMP_OBJECT_TABLE || kind == LMP_OBJECT_LUA_FUNCTION ||
           kind == LMP_OBJECT_C_FUNCTION;
}

typedef struct Places {
    LmpSnapshot *s;
    SnapOwn *own;
    bool failed;
} Places;

/* The fields of `table`, which has the place `above`, where they have none yet. */
static void look_into(Places *p, uint32_t table, uint32_t above) {
    const LmpObjectGraph *g = &p->s->g;
    SnapOwn *own = p->own;
    if (table >= g->objects || g->kind[table] != LMP_OBJECT_TABLE) return;
    uint32_t end = g->edge_at[table + 1], begin = g->edge_at[table];
    if (above != LMP_OBJECT_NONE && end - begin > MOST_KEYS) return; /* data */
    for (uint32_t e = begin; e < end && own->places < MOST && !p->failed; e++) {
        uint32_t to = g->edge_to[e];
        if ((g->edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_FIELD || !has_place(g->kind[to]))
            continue;
        if (to == p->s->globals || to == p->s->loaded || to == p->s->registry) continue;
        if (keymap_get(&own->place_of, to, LMP_OBJECT_NONE) != LMP_OBJECT_NONE) continue;
        own->place[own->places] = (SnapPlace){to, above, g->edge_label[e]};
        p->failed = !keymap_set(&own->place_of, to, own->places++);
    }
}

static bool name_places(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    Places p = {s, own, false};
    own->place = snap_memory_take(&own->memory, MOST, sizeof *own->place);
    if (!own->place) return false;
    look_into(&p, s->globals, LMP_OBJECT_NONE);
    look_into(&p, s->loaded, LMP_OBJECT_NONE);
    uint32_t begin = 0;
    for (int deep = 1; deep < DEEP && !p.failed; deep++) {
        uint32_t end = own->places;
        for (; begin < end; begin++)
            look_into(&p, own->place[begin].object, begin);
    }
    return !p.failed;
}

/* Returns what the reference by which a function is held calls it: its key, its local, its
 * upvalue. */
static uint32_t name_by_holder(const LmpSnapshot *s, uint32_t object) {
    uint32_t edge = s->parent_edge[object];
    if (edge == LMP_OBJECT_NONE) return 0;
    uint32_t label = s->g.edge_label[edge];
    switch (s->g.edge_kind[edge] & LMP_EDGE_KIND) {
    case LMP_EDGE_FIELD:
        return label;
    case LMP_EDGE_LOCAL:
        return label < s->g.slots ? s->g.slot_name[label] : 0;
    case LMP_EDGE_VALUE:
        return snap_upvalue_name(s, s->parent[object]);
    default:
        return 0;
    }
}

/* Returns true if the first text comes before the other by alphabet. */
static bool is_before(const LmpSnapshot *s, uint32_t string, uint32_t other) {
    size_t n = 0, m = 0;
    const char *text = snapshot_text(s, string, &n), *than = snapshot_text(s, other, &m);
    int differs = text && than ? memcmp(text, than, n < m ? n : m) : 0;
    return differs ? differs < 0 : n < m;
}

/* The name of a proto is that of its nearest function; a place is better than who holds it. */
static bool name_protos(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    SnapMemory *memory = &own->scratch;
    const LmpObjectGraph *g = &s->g;
    uint32_t protos = g->count[LMP_OBJECT_PROTO];
    uint32_t *nearest = snap_memory_rough(memory, protos, sizeof *nearest);
    own->proto_name = snap_memory_take(&own->memory, protos, sizeof *own->proto_name);
    if (!own->proto_name || !nearest) return false;
    memset(nearest, 0xff, protos * sizeof *nearest);
    for (uint32_t k = 0; k < own->places; k++) {
        const SnapPlace *place = &own->place[k];
        if (g->kind[place->object] != LMP_OBJECT_LUA_FUNCTION) continue;
        uint32_t proto = snapshot_proto(s, place->object);
        if (proto == LMP_OBJECT_NONE || own->proto_name[s->ordinal[proto]]) continue;
        own->proto_name[s->ordinal[proto]] = place->key;
        nearest[s->ordinal[proto]] = 0;
    }
    for (uint32_t i = 1; i < g->objects; i++) {
        if (g->kind[i] != LMP_OBJECT_LUA_FUNCTION) continue;
        uint32_t proto = snapshot_proto(s, i), name = name_by_holder(s, i);
        if (proto == LMP_OBJECT_NONE || !name) continue;
        uint32_t row = s->ordinal[proto], far = s->distance[i];
        if (far > nearest[row] || (far == nearest[row] && own->proto_name[row] &&
                                   !is_before(s, name, own->proto_name[row])))
            continue;
        own->proto_name[row] = name;
        nearest[row] = far;
    }
    snap_memory_again(memory);
    return true;
}

/* Functions of C that are the same code have one name. */
static bool name_c_functions(LmpSnapshot *s) {
    SnapOwn *own = snap_own(s);
    bool made = true;
    for (uint32_t k = 0; k < own->places && made; k++) {
        uint32_t object = own->place[k].object;
        if (s->g.kind[object] != LMP_OBJECT_C_FUNCTION) continue;
        uint64_t key = s->g.c_address[s->ordinal[object]] & INT64_MAX;
        if (keymap_get(&own->c_place_of, key, LMP_OBJECT_NONE) == LMP_OBJECT_NONE)
            made = keymap_set(&own->c_place_of, key, object);
    }
    return made;
}

uint64_t snap_code_key(const char *source, size_t n, int64_t line) {
    uint64_t hash = rowindex_mix(n, (uint64_t)line);
    for (size_t i = 0; i < n; i++)
        hash = rowindex_mix(hash, (unsigned char)source[i]);
    return hash & INT64_MAX;
}

static bool index_functions(LmpSnapshot *s) {
    enum { SOURCE_MOST = 4096 };
    const LmpTables *t = s->view ? &s->view->tables : NULL;
    bool made = true;
    for (uint32_t i = 1, n = t && t->text ? tables_functions(t) : 0; i < n && made; i++) {
        const LmpFunction *f = &t->function[i];
        char source[SOURCE_MOST];
        uint64_t key = f->address & INT64_MAX;
        if (f->kind == LMP_F_LUA) {
            tables_text(t, f->source, source, sizeof source);
            key = snap_code_key(source, strlen(source), f->linedefined);
        }
        if (key && (f->kind == LMP_F_LUA || f->kind == LMP_F_C))
            made = keymap_set(&snap_own(s)->function_of, key, i);
    }
    return made;
}

bool places_make(LmpSnapshot *s) {
    return name_places(s) && name_protos(s) && name_c_functions(s) && index_functions(s);
}
