/* classes.c - the class of each object: what a person would call things that are alike.
 *
 *     with a metatable   its __name, or where it lives: "Account"
 *     other tables       their string keys, sorted: "{id, name, price}"; "[table]" for arrays;
 *                        "{[string] = table}" for those with many keys
 *     functions          by their code, coroutines by the function they began with
 *     code               by its source
 *
 * Classes of the same type and name are one, so that two snapshots can be compared by them. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rowindex.h"
#include "read/snapshot/snapshot_impl.h"

enum {
    SHAPES_MOST = 1 << 14, /* tables that differ from more others than that are, too */
    VALUES_LOOKED_AT = 32
};

typedef struct Classes {
    LmpSnapshot *s;
    KeyMap by_name, by_shape, by_metatable, by_address;
    SnapMemory memory;
    uint32_t *of_proto, *of_code; /* by ordinal of the proto: class of its functions, and its own */
    uint32_t room, shapes;
    bool failed;
} Classes;

static uint64_t key_of(uint64_t hash) {
    return hash & INT64_MAX;
}

static uint32_t class_row(Classes *c, uint32_t kind, const char *name) {
    uint64_t hash = rowindex_mix(kind, strlen(name));
    for (const char *p = name; *p; p++)
        hash = rowindex_mix(hash, (unsigned char)*p);
    uint32_t row = keymap_get(&c->by_name, key_of(hash), LMP_OBJECT_NONE);
    if (row != LMP_OBJECT_NONE) return row;
    LmpSnapshot *s = c->s;
    if (!array_room(&s->class_list, &c->room, s->classes + 1)) {
        c->failed = true;
        return 0;
    }
    if (!keymap_set(&c->by_name, key_of(hash), s->classes)) {
        c->failed = true;
        return 0;
    }
    LmpObjectClass *class = &s->class_list[s->classes];
    memset(class, 0, sizeof *class);
    class->kind = kind;
    SnapWords w = words_begin(class->name, sizeof class->name);
    words_put(&w, name);
    return s->classes++;
}

static void remember(Classes *c, KeyMap *map, uint64_t key, uint32_t row) {
    if (!keymap_set(map, key_of(key), row)) c->failed = true;
}

/* ---- metatables ------------------------------------------------------------------------------ */

static bool metatable_name(SnapWords *w, const LmpSnapshot *s, uint32_t metatable) {
    uint32_t name = snap_field(s, metatable, "__name");
    if (name != LMP_OBJECT_NONE && s->g.kind[name] == LMP_OBJECT_STRING &&
        s->g.string_length[s->ordinal[name]] > 0) {
        words_string(w, s, name, 64);
        return true;
    }
    if (words_place(w, s, metatable)) return true;
    uint32_t index = snap_field(s, metatable, "__index");
    return index != LMP_OBJECT_NONE && s->g.kind[index] == LMP_OBJECT_TABLE &&
           words_place(w, s, index);
}

/* Returns the class that a metatable gives; LMP_OBJECT_NONE: none. */
static uint32_t of_metatable(Classes *c, uint32_t kind, uint32_t metatable) {
    uint64_t key = (uint64_t)kind << 32 | metatable;
    uint32_t row = keymap_get(&c->by_metatable, key, LMP_OBJECT_NONE - 1);
    if (row != LMP_OBJECT_NONE - 1) return row;
    char name[sizeof c->s->class_list->name];
    SnapWords w = words_begin(name, sizeof name);
    row = metatable_name(&w, c->s, metatable) ? class_row(c, kind, name) : LMP_OBJECT_NONE;
    remember(c, &c->by_metatable, key, row);
    return row;
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct Look {
    uint64_t shape;           /* sum over its string keys, in any order */
    uint32_t names;           /* string keys */
    uint32_t metatable;       /* LMP_OBJECT_NONE: none */
    uint32_t values, indexes; /* objects in it; of which by small integers */
    unsigned kinds, keys;     /* bits: LmpObjectKind of some of the values; of the other keys */
} Look;

static Look look_at(const LmpSnapshot *s, uint32_t table) {
    const LmpObjectGraph *g = &s->g;
    Look look = {.metatable = LMP_OBJECT_NONE};
    for (uint32_t e = g->edge_at[table]; e < g->edge_at[table + 1]; e++) {
        uint32_t to = g->edge_to[e];
        switch (g->edge_kind[e] & LMP_EDGE_KIND) {
        case LMP_EDGE_KEY:
            if (g->kind[to] == LMP_OBJECT_STRING) {
                look.names++;
                look.shape += rowindex_mix(0x9e3779b97f4a7c15ull, to);
            } else {
                look.keys |= 1u << g->kind[to];
            }
            break;
        case LMP_EDGE_METATABLE:
            look.metatable = to;
            break;
        case LMP_EDGE_INDEX:
            look.indexes++; /* fall through */
        case LMP_EDGE_FIELD:
        case LMP_EDGE_INTEGER:
        case LMP_EDGE_FLOAT:
        case LMP_EDGE_BOOLEAN:
        case LMP_EDGE_LIGHT:
        case LMP_EDGE_OBJECT:
            if (look.values++ < VALUES_LOOKED_AT) look.kinds |= 1u << g->kind[to];
            break;
        default:
            break;
        }
    }
    return look;
}

static const char *kinds_word(unsigned kinds) {
    unsigned functions = 1u << LMP_OBJECT_LUA_FUNCTION | 1u << LMP_OBJECT_C_FUNCTION;
    if (!kinds) return "plain";
    if (!(kinds & ~functions)) return "function";
    if (kinds & (kinds - 1)) return "any";
    for (uint32_t kind = 0; kind < LMP_OBJECT_KINDS; kind++)
        if (kinds == 1u << kind) return objectgraph_kind(kind);
    return "any";
}

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

/* `{id, name, price}`; what does not fit is an ellipsis. */
static void shape_words(SnapWords *w, const LmpSnapshot *s, uint32_t table, bool items) {
    char key[SNAP_SHAPE_KEYS][72];
    uint32_t keys = 0;
    const LmpObjectGraph *g = &s->g;
    for (uint32_t e = g->edge_at[table]; e < g->edge_at[table + 1] && keys < SNAP_SHAPE_KEYS; e++) {
        if ((g->edge_kind[e] & LMP_EDGE_KIND) != LMP_EDGE_KEY) continue;
        if (g->kind[g->edge_to[e]] != LMP_OBJECT_STRING) continue;
        SnapWords k = words_begin(key[keys++], sizeof *key);
        words_key(&k, s, g->edge_to[e], false);
    }
    qsort(key, keys, sizeof *key, by_text);
    words_put(w, items ? "{[n]" : "{");
    for (uint32_t i = 0; i < keys; i++) {
        if (i || items) words_put(w, ", ");
        /* room for the key, and for ", …}" after it */
        if (w->at + strlen(key[i]) + sizeof ", \xe2\x80\xa6}" > w->size) {
            words_put(w, "\xe2\x80\xa6");
            break;
        }
        words_put(w, key[i]);
    }
    words_put(w, "}");
}

void classes_put_keys(SnapWords *w, const LmpSnapshot *s, uint32_t table) {
    Look look = look_at(s, table);
    if (look.names > SNAP_SHAPE_KEYS)
        words_put(w, "{many keys}");
    else if (!look.names && look.keys)
        words_put(w, "{any}");
    else if (!look.names)
        words_put(w, s->g.table_array_used[s->ordinal[table]] || look.indexes ? "{[n]}" : "{}");
    else
        shape_words(w, s, table, s->g.table_array_used[s->ordinal[table]] || look.indexes);
}

static void dictionary_words(SnapWords *w, const Look *look, bool items) {
    unsigned keys = look->keys;
    const char *word = kinds_word(keys | (look->names ? 1u << LMP_OBJECT_STRING : 0));
    if (!keys && !look->names) word = "number";
    if (items && (keys || look->names)) word = "any";
    words_format(w, "{[%s] = %s}", word, kinds_word(look->kinds));
}

static uint32_t of_table(Classes *c, uint32_t table) {
    const LmpSnapshot *s = c->s;
    uint32_t row = s->ordinal[table];
    Look look = look_at(s, table);
    if (look.metatable != LMP_OBJECT_NONE) {
        uint32_t class = of_metatable(c, LMP_OBJECT_TABLE, look.metatable);
        if (class != LMP_OBJECT_NONE) return class;
    }
    bool items = look.indexes || s->g.table_array_used[row];
    bool weak = s->g.flags[table] & (LMP_OBJECT_WEAK_KEYS | LMP_OBJECT_WEAK_VALUES);
    bool shape = look.names && look.names <= SNAP_SHAPE_KEYS && !look.keys;
    uint64_t hash = rowindex_mix(look.shape, look.names);
    hash = shape ? hash : rowindex_mix(look.keys, look.kinds * 2ull + (look.names > 0 ? 1 : 0));
    bool hashed = look.names || look.keys || s->g.table_hash_used[row];
    uint64_t flags = (shape ? 8u : 0u) | (items ? 4u : 0u) | (weak ? 2u : 0u) | (hashed ? 1u : 0u);
    hash = rowindex_mix(hash, flags);
    uint32_t class = keymap_get(&c->by_shape, key_of(hash), LMP_OBJECT_NONE);
    if (class != LMP_OBJECT_NONE) return class;
    if (shape && c->shapes >= SHAPES_MOST) shape = false;
    char name[sizeof s->class_list->name];
    SnapWords w = words_begin(name, sizeof name);
    if (weak) words_put(&w, "weak ");
    if (shape)
        shape_words(&w, s, table, items);
    else if (!hashed && !items)
        words_put(&w, "{}");
    else if (items && !look.names && !look.keys)
        words_format(&w, "[%s]", kinds_word(look.kinds));
    else
        dictionary_words(&w, &look, items);
    class = class_row(c, LMP_OBJECT_TABLE, name);
    if (shape) c->shapes++;
    if (shape || c->shapes < SHAPES_MOST) remember(c, &c->by_shape, hash, class);
    return class;
}

/* ---- functions, coroutines, code ------------------------------------------------------------- */

static uint32_t of_code(Classes *c, uint32_t proto) {
    uint32_t *class = &c->of_code[c->s->ordinal[proto]];
    if (*class) return *class - 1;
    char name[sizeof c->s->class_list->name];
    SnapWords w = words_begin(name, sizeof name);
    words_put(&w, "code of ");
    words_source(&w, c->s, proto);
    uint32_t row = class_row(c, LMP_OBJECT_PROTO, name);
    *class = row + 1;
    return row;
}

static uint32_t of_function(Classes *c, uint32_t function) {
    uint32_t proto = snapshot_proto(c->s, function);
    if (proto == LMP_OBJECT_NONE) return class_row(c, LMP_OBJECT_LUA_FUNCTION, "function");
    uint32_t *class = &c->of_proto[c->s->ordinal[proto]];
    if (*class) return *class - 1;
    char name[sizeof c->s->class_list->name];
    SnapWords w = words_begin(name, sizeof name);
    words_function(&w, c->s, proto, "function ");
    uint32_t row = class_row(c, LMP_OBJECT_LUA_FUNCTION, name);
    *class = row + 1;
    return row;
}

static uint32_t of_c_function(Classes *c, uint32_t function) {
    uint64_t address = c->s->g.c_address[c->s->ordinal[function]];
    uint32_t row = keymap_get(&c->by_address, key_of(address), LMP_OBJECT_NONE);
    if (row != LMP_OBJECT_NONE) return row;
    char name[sizeof c->s->class_list->name], known[100];
    SnapWords w = words_begin(name, sizeof name), k = words_begin(known, sizeof known);
    words_c_function(&k, c->s, function);
    words_format(&w, "function %s [C]", known);
    row = class_row(c, LMP_OBJECT_C_FUNCTION, name);
    remember(c, &c->by_address, address, row);
    return row;
}

static uint32_t of_thread(Classes *c, uint32_t thread) {
    if (thread == c->s->main_thread) return class_row(c, LMP_OBJECT_THREAD, "main thread");
    char name[sizeof c->s->class_list->name];
    SnapWords w = words_begin(name, sizeof name);
    words_put(&w, "coroutine");
    uint32_t function = snap_thread_function(c->s, thread);
    uint32_t proto = function ? snapshot_proto(c->s, function) : LMP_OBJECT_NONE;
    if (proto != LMP_OBJECT_NONE) words_function(&w, c->s, proto, " ");
    return class_row(c, LMP_OBJECT_THREAD, name);
}

static uint32_t of_userdata(Classes *c, uint32_t userdata) {
    uint32_t metatable = snap_edge_of(c->s, userdata, LMP_EDGE_METATABLE);
    uint32_t class = metatable == LMP_OBJECT_NONE ? LMP_OBJECT_NONE
                                                  : of_metatable(c, LMP_OBJECT_USERDATA, metatable);
    return class == LMP_OBJECT_NONE ? class_row(c, LMP_OBJECT_USERDATA, "userdata") : class;
}

static uint32_t class_of(Classes *c, uint32_t i) {
    const LmpObjectGraph *g = &c->s->g;
    switch (g->kind[i]) {
    case LMP_OBJECT_TABLE:
        return of_table(c, i);
    case LMP_OBJECT_LUA_FUNCTION:
        return of_function(c, i);
    case LMP_OBJECT_C_FUNCTION:
        return of_c_function(c, i);
    case LMP_OBJECT_USERDATA:
        return of_userdata(c, i);
    case LMP_OBJECT_THREAD:
        return of_thread(c, i);
    case LMP_OBJECT_PROTO:
        return of_code(c, i);
    case LMP_OBJECT_LOT:
        return class_row(c, LMP_OBJECT_LOT, objectgraph_lot(g->lot_what[c->s->ordinal[i]]));
    default:
        return class_row(c, g->kind[i], objectgraph_kind(g->kind[i]));
    }
}

/* The line that made each object. */
static void find_sites(LmpSnapshot *s) {
    if (!s->view || !s->view->tables.text) return;
    uint32_t last = 0, record = 0;
    for (uint32_t i = 1; i < s->g.objects; i++) {
        if (s->g.context[i] != last) {
            last = s->g.context[i];
            record = last ? tables_record_of(&s->view->tables, last) : 0;
        }
        s->site_of[i] = record;
    }
}

bool classes_make(LmpSnapshot *s) {
    SnapMemory *own = &snap_own(s)->memory;
    uint32_t protos = s->g.count[LMP_OBJECT_PROTO];
    Classes c = {.s = s};
    s->class_of = snap_memory_rough(own, s->g.objects, sizeof *s->class_of);
    s->site_of = snap_memory_sparse(own, s->g.objects, sizeof *s->site_of);
    c.of_proto = snap_memory_take(&c.memory, protos, sizeof *c.of_proto);
    c.of_code = snap_memory_take(&c.memory, protos, sizeof *c.of_code);
    bool made = s->class_of && s->site_of && c.of_proto && c.of_code;
    if (made) {
        uint32_t
            plain[LMP_OBJECT_KINDS]; /* strings and upvalues, of which there are most, are alike */
        for (uint32_t kind = 0; kind < LMP_OBJECT_KINDS; kind++)
            plain[kind] = LMP_OBJECT_NONE;
        for (uint32_t i = 0; i < s->g.objects && !c.failed; i++) {
            uint32_t kind = s->g.kind[i];
            if (!(i & SNAP_TICK) && !snap_tick(s, i)) c.failed = true;
            if (kind == LMP_OBJECT_STRING || kind == LMP_OBJECT_UPVALUE) {
                if (plain[kind] == LMP_OBJECT_NONE) plain[kind] = class_of(&c, i);
                s->class_of[i] = plain[kind];
            } else {
                s->class_of[i] = class_of(&c, i);
            }
        }
        find_sites(s);
    }
    keymap_free(&c.by_name);
    keymap_free(&c.by_shape);
    keymap_free(&c.by_metatable);
    keymap_free(&c.by_address);
    snap_memory_free(&c.memory);
    return made && !c.failed;
}
