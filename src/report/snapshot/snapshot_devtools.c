/* snapshot_devtools.c - Chrome's .heapsnapshot: every object with its references, and the call
 * paths that made them where there are such. Opens in DevTools (Memory, Load), VS Code and memlab.
 *
 * What their readers want, and what follows from it here: keys in this order; unsigned numbers of
 * 32 bits alone; node 0 is the root, and every node is reached from it; the last one has no
 * references out, so what has none comes last. Ids are odd, and the same in each snapshot of a run
 * for one object: they are made of its address, type and birth. Garbage hangs from a node of its
 * own, and what it refers to is not held by that, so the retained sizes are those of lmp. */
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/snapshot/snapshotreport_impl.h"
#include "report/texttable.h"

enum { FIELDS = 7, TEXT_MOST = 200 };
enum {
    N_HIDDEN,
    N_ARRAY,
    N_STRING,
    N_OBJECT,
    N_CODE,
    N_CLOSURE,
    N_REGEXP,
    N_NUMBER,
    N_NATIVE,
    N_SYNTHETIC
};
enum { E_CONTEXT, E_ELEMENT, E_PROPERTY, E_INTERNAL, E_HIDDEN, E_SHORTCUT, E_WEAK };

typedef struct Chrome {
    const LmpSnapshot *s;
    Json json;
    SnapshotRedact redact;
    TextTable texts;
    uint32_t *node_of;     /* of each object */
    uint32_t *object_of;   /* of each node; of the node for garbage 0 */
    uint32_t *id;          /* of each object */
    uint32_t *string_text; /* of strings, by ordinal: their text + 1, 0: not asked yet */
    uint32_t *class_text;  /* of classes, the same */
    uint32_t *proto_text;  /* of functions, by their proto's ordinal, the same */
    uint32_t *trace;       /* of paths (tables): node of the trace tree + 1 */
    uint32_t nodes;
    Ledger ledger;
} Chrome;

static uint32_t text(Chrome *c, const char *word) {
    return texttable_text(&c->texts, word);
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t keep(uint32_t *kept, uint32_t text) {
    *kept = text + 1;
    return text;
}

/* Returns what a string contains, cut between two characters. */
static uint32_t content(Chrome *c, uint32_t object) {
    uint32_t *kept = &c->string_text[c->s->ordinal[object]];
    size_t n = 0, most = TEXT_MOST;
    char name[64], cut[TEXT_MOST + 4];
    if (*kept) return *kept - 1;
    if (c->redact.known) {
        snprintf(name, sizeof name, "(string of %llu bytes)",
                 (unsigned long long)c->s->g.string_length[c->s->ordinal[object]]);
        return keep(kept, text(c, name));
    }
    const char *bytes = snapshot_text(c->s, object, &n);
    if (!bytes) return keep(kept, 0);
    bool whole = n <= most && n == c->s->g.string_length[c->s->ordinal[object]];
    if (n < most) most = n;
    while (!whole && most > 0 && most < n && ((unsigned char)bytes[most] & 0xc0) == 0x80)
        most--;
    memcpy(cut, bytes, most);
    if (!whole) memcpy(cut + most, "\xe2\x80\xa6", 3);
    return keep(kept, texttable_bytes(&c->texts, cut, most + (whole ? 0 : 3)));
}

static uint32_t name_after(Chrome *c, uint32_t object, const char *word) {
    char name[200];
    objecttext_name(&c->redact, c->s, object, name, sizeof name);
    size_t skip = strncmp(name, word, strlen(word)) == 0 ? strlen(word) : 0;
    return text(c, name + skip);
}

static uint32_t class_name(Chrome *c, uint32_t object) {
    uint32_t *kept = &c->class_text[c->s->class_of[object]];
    char name[160];
    if (*kept && !c->redact.known) return *kept - 1;
    objecttext_class(&c->redact, c->s, object, name, sizeof name);
    bool shape = name[0] == '{' || strcmp(name, "table") == 0;
    return keep(kept, text(c, shape && c->s->g.kind[object] == LMP_OBJECT_TABLE ? "Object" : name));
}

static uint32_t function_name(Chrome *c, uint32_t object) {
    uint32_t proto = snapshot_proto(c->s, object);
    if (proto == LMP_OBJECT_NONE) return name_after(c, object, "function ");
    uint32_t *kept = &c->proto_text[c->s->ordinal[proto]];
    return *kept ? *kept - 1 : keep(kept, name_after(c, object, "function "));
}

static uint32_t node_name(Chrome *c, uint32_t i) {
    const LmpSnapshot *s = c->s;
    switch (s->g.kind[i]) {
    case LMP_OBJECT_STRING:
        return content(c, i);
    case LMP_OBJECT_TABLE:
        if (i == s->registry) return text(c, "(registry)");
        if (i == s->globals) return text(c, "_G");
        if (i == s->loaded) return text(c, "package.loaded");
        return class_name(c, i);
    case LMP_OBJECT_USERDATA:
        return class_name(c, i);
    case LMP_OBJECT_LUA_FUNCTION:
        return function_name(c, i);
    case LMP_OBJECT_UPVALUE:
        return text(c, "upvalue");
    case LMP_OBJECT_C_FUNCTION:
        return name_after(c, i, "function ");
    default:
        return name_after(c, i, "");
    }
}

static unsigned node_type(const LmpSnapshot *s, uint32_t i) {
    static const uint8_t type[LMP_OBJECT_KINDS] = {
        [LMP_OBJECT_ROOT] = N_SYNTHETIC,     [LMP_OBJECT_STRING] = N_STRING,
        [LMP_OBJECT_TABLE] = N_OBJECT,       [LMP_OBJECT_LUA_FUNCTION] = N_CLOSURE,
        [LMP_OBJECT_C_FUNCTION] = N_CLOSURE, [LMP_OBJECT_USERDATA] = N_NATIVE,
        [LMP_OBJECT_THREAD] = N_NATIVE,      [LMP_OBJECT_PROTO] = N_CODE,
        [LMP_OBJECT_UPVALUE] = N_HIDDEN,     [LMP_OBJECT_LOT] = N_NATIVE};
    return type[s->g.kind[i]];
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t edges_out(const LmpSnapshot *s, uint32_t i) {
    return s->g.edge_at[i + 1] - s->g.edge_at[i];
}

/* Keys that own the value of an entry of a weak table have an edge more: by key. */
typedef struct Owned {
    uint32_t *at, *edge, *table;
} Owned;

static bool ephemeron(const LmpSnapshot *s, uint32_t e, uint32_t table) {
    return (s->g.edge_kind[e] & (LMP_EDGE_EPHEMERON | LMP_EDGE_WEAK)) == LMP_EDGE_EPHEMERON &&
           !snapshot_garbage(s, table) && !snapshot_garbage(s, s->g.edge_label[e]);
}

static bool owned_open(Owned *o, const LmpSnapshot *s) {
    uint32_t n = s->g.objects, owned = 0;
    o->at = calloc((size_t)n + 2, sizeof *o->at);
    for (uint32_t i = 0; o->at && i < n; i++)
        for (uint32_t e = s->g.edge_at[i]; e < s->g.edge_at[i + 1]; e++)
            if (ephemeron(s, e, i)) {
                o->at[s->g.edge_label[e] + 1]++;
                owned++;
            }
    o->edge = malloc(((size_t)owned + 1) * sizeof *o->edge);
    o->table = malloc(((size_t)owned + 1) * sizeof *o->table);
    if (!o->at || !o->edge || !o->table) return false;
    for (uint32_t i = 0; i < n; i++)
        o->at[i + 1] += o->at[i];
    for (uint32_t i = n; i-- > 0;) /* backwards: at[] ends up at each one's beginning */
        for (uint32_t e = s->g.edge_at[i + 1]; e-- > s->g.edge_at[i];)
            if (ephemeron(s, e, i)) {
                uint32_t k = --o->at[s->g.edge_label[e] + 1];
                o->edge[k] = e;
                o->table[k] = i;
            }
    memmove(o->at, o->at + 1, n * sizeof *o->at);
    o->at[n] = owned;
    return true;
}

static void owned_close(Owned *o) {
    free(o->at);
    free(o->edge);
    free(o->table);
}

/* Objects in their order, what has references first; the node for garbage is the second. */
static void number_nodes(Chrome *c, const Owned *o) {
    const LmpSnapshot *s = c->s;
    c->object_of[0] = c->object_of[1] = 0;
    c->nodes = 2;
    for (int leaves = 0; leaves < 2; leaves++)
        for (uint32_t i = 1; i < s->g.objects; i++) {
            bool leaf = edges_out(s, i) + (o->at[i + 1] - o->at[i]) == 0;
            if (leaf != (leaves == 1)) continue;
            c->node_of[i] = c->nodes;
            c->object_of[c->nodes++] = i;
        }
}

static uint32_t garbage_nodes(const LmpSnapshot *s) {
    uint32_t n = 0;
    for (uint32_t i = 1; i < s->g.objects; i++)
        n += snapshot_garbage(s, i);
    return n;
}

static void begin(Chrome *c, const char *key) {
    json_line(&c->json);
    json_begin(&c->json, key, '[');
}

/* The next numbers of an array, a line but for its first. */
static void put(Chrome *c, const uint64_t *number, size_t n) {
    if (c->json.comma) json_line(&c->json);
    for (size_t i = 0; i < n; i++)
        json_count(&c->json, NULL, number[i]);
}

static uint64_t at_most_32_bits(uint64_t n) {
    return n < UINT32_MAX ? n : UINT32_MAX;
}

static void put_node(Chrome *c, uint32_t n, unsigned type, uint32_t name, uint64_t size,
                     uint32_t edges, uint32_t trace) {
    uint32_t id = n == 1 ? OBJECT_ID_GARBAGE : c->id[c->object_of[n]];
    put(c, (uint64_t[FIELDS]){type, name, id, at_most_32_bits(size), edges, trace}, FIELDS);
}

static uint32_t trace_of(const Chrome *c, uint32_t i) {
    const LmpTables *t = c->s->view ? &c->s->view->tables : NULL;
    uint32_t context = c->s->g.context[i];
    if (!c->trace || !t || !context || context >= tables_paths(t)) return 0;
    uint32_t node = t->path[context].node; /* in a file anything may stand */
    return node < LMP_NODES_MAX ? c->trace[node] : 0;
}

static void put_nodes(Chrome *c, const Owned *o) {
    const LmpSnapshot *s = c->s;
    begin(c, "nodes");
    put_node(c, 0, N_SYNTHETIC, text(c, ""), 0, edges_out(s, 0) + 1, 0);
    put_node(c, 1, N_SYNTHETIC, text(c, "(garbage: waits for the collector)"), 0, garbage_nodes(s),
             0);
    for (uint32_t n = 2; n < c->nodes && !ferror(c->json.out); n++) {
        uint32_t i = c->object_of[n];
        put_node(c, n, node_type(s, i), node_name(c, i), snapshot_counted(s, i),
                 edges_out(s, i) + (o->at[i + 1] - o->at[i]), trace_of(c, i));
    }
    json_end(&c->json, ']');
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void put_edge(Chrome *c, unsigned type, uint32_t label, uint32_t node) {
    put(c, (uint64_t[]){type, label, (uint64_t)node * FIELDS}, 3);
}

static uint32_t label_text(Chrome *c, uint32_t from, uint32_t e) {
    char step[200];
    if ((c->s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_FIELD)
        return content(c, c->s->g.edge_label[e]);
    return text(c, objecttext_step(&c->redact, c->s, from, e, step, sizeof step));
}

static unsigned edge_type(const LmpSnapshot *s, uint32_t from, uint32_t e) {
    static const uint8_t type[LMP_EDGES] = {
        [LMP_EDGE_ROOT] = E_INTERNAL,       [LMP_EDGE_FIELD] = E_PROPERTY,
        [LMP_EDGE_INDEX] = E_ELEMENT,       [LMP_EDGE_INTEGER] = E_PROPERTY,
        [LMP_EDGE_FLOAT] = E_PROPERTY,      [LMP_EDGE_BOOLEAN] = E_PROPERTY,
        [LMP_EDGE_LIGHT] = E_PROPERTY,      [LMP_EDGE_OBJECT] = E_PROPERTY,
        [LMP_EDGE_KEY] = E_INTERNAL,        [LMP_EDGE_METATABLE] = E_INTERNAL,
        [LMP_EDGE_UPVALUE] = E_CONTEXT,     [LMP_EDGE_VALUE] = E_CONTEXT,
        [LMP_EDGE_USER_VALUE] = E_INTERNAL, [LMP_EDGE_PROTO] = E_INTERNAL,
        [LMP_EDGE_CONSTANT] = E_INTERNAL,   [LMP_EDGE_DEBUG] = E_INTERNAL,
        [LMP_EDGE_CALL] = E_CONTEXT,        [LMP_EDGE_LOCAL] = E_CONTEXT,
        [LMP_EDGE_THREAD] = E_INTERNAL,     [LMP_EDGE_LOT] = E_INTERNAL};
    return snapshot_holds(s, e) && !snapshot_garbage(s, from)
               ? type[s->g.edge_kind[e] & LMP_EDGE_KIND]
               : E_WEAK;
}

/* The value of an entry whose key is weak belongs to the key; DevTools knows it by this name, and
 * for others the table's own edge, which is weak, says where it is. */
static void put_owned(Chrome *c, uint32_t e, uint32_t table, uint32_t key) {
    char name[160];
    uint32_t value = c->s->g.edge_to[e];
    snprintf(name, sizeof name,
             "1 / part of key (K @%u) -> value (V @%u) pair in WeakMap (table @%u)", c->id[key],
             c->id[value], c->id[table]);
    put_edge(c, E_INTERNAL, text(c, name), c->node_of[value]);
}

static void put_edges(Chrome *c, const Owned *o) {
    const LmpSnapshot *s = c->s;
    uint32_t number = 0;
    begin(c, "edges");
    for (uint32_t n = 0; n < c->nodes && !ferror(c->json.out); n++) {
        uint32_t i = c->object_of[n];
        if (n == 1) { /* garbage */
            for (uint32_t g = 1; g < s->g.objects; g++)
                if (snapshot_garbage(s, g)) put_edge(c, E_ELEMENT, number++, c->node_of[g]);
            continue;
        }
        for (uint32_t e = s->g.edge_at[i]; e < s->g.edge_at[i + 1]; e++) {
            unsigned type = edge_type(s, i, e);
            uint32_t label = type == E_ELEMENT ? s->g.edge_label[e] : label_text(c, i, e);
            put_edge(c, type, label, c->node_of[s->g.edge_to[e]]);
        }
        if (n == 0)
            put_edge(c, E_INTERNAL, text(c, "garbage"), 1);
        else
            for (uint32_t k = o->at[i]; k < o->at[i + 1]; k++)
                put_owned(c, o->edge[k], o->table[k], i);
    }
    json_end(&c->json, ']');
}

static uint64_t edges_of(const Chrome *c, const Owned *o) {
    return (uint64_t)c->s->g.edges + 1 + garbage_nodes(c->s) + o->at[c->s->g.objects];
}

/* ---- call paths ------------------------------------------------------------------------------ */

/* The ledger's tree, if there are call paths: row of the tree + 1 is the id of its trace node. */
static bool trace_open(Chrome *c, bool wanted) {
    const LmpSnapshot *s = c->s;
    if (!wanted || !s->view || !s->view->tables.text || !s->ledger.stacks) return true;
    if (ledger_refresh(&c->ledger, &s->view->tables, LEDGER_TREE, s->ledger.clock)) return false;
    if (c->ledger.nodes == 0) return true;
    c->trace = calloc(LMP_NODES_MAX, sizeof *c->trace);
    if (!c->trace) return false;
    for (uint32_t row = 0; row < c->ledger.nodes; row++)
        if (c->ledger.tree[row].id < LMP_NODES_MAX) c->trace[c->ledger.tree[row].id] = row + 1;
    return true;
}

static void put_function(Chrome *c, uint32_t n, const LmpTreeRow *row) {
    uint32_t name = text(c, n ? row->name : "(root)");
    uint32_t source = text(c, n ? row->short_src : "");
    put(c, (uint64_t[6]){n, name, source, 0, n && row->line > 0 ? (uint64_t)row->line : 0}, 6);
}

/* Depth first, without recursion: what is open is closed when a row's depth says so. */
static void put_tree(Chrome *c) {
    uint32_t row = 0;
    uint32_t *next = calloc(c->ledger.nodes, sizeof *next);
    if (!next) {
        c->texts.failed = true;
        return;
    }
    for (;;) {
        const LmpTreeRow *t = &c->ledger.tree[row];
        if (next[row] == 0) {
            json_count(&c->json, NULL, row + 1);
            json_count(&c->json, NULL, row);
            json_count(&c->json, NULL, at_most_32_bits(t->shallow.allocs));
            json_count(&c->json, NULL, at_most_32_bits(t->shallow.bytes));
            json_begin(&c->json, NULL, '[');
        }
        if (next[row] < t->children) {
            row = t->first + next[row]++;
            continue;
        }
        json_end(&c->json, ']');
        if (row == 0) break;
        row = t->parent;
    }
    free(next);
}

static void put_trace(Chrome *c) {
    begin(c, "trace_function_infos");
    for (uint32_t n = 0; n < c->ledger.nodes && !ferror(c->json.out); n++)
        put_function(c, n, &c->ledger.tree[n]);
    json_end(&c->json, ']');
    begin(c, "trace_tree");
    if (c->ledger.nodes > 0) put_tree(c);
    json_end(&c->json, ']');
}

/* ---- the file -------------------------------------------------------------------------------- */

/* What the arrays below are made of, in the order in which DevTools wants that: names of fields,
 * or, after the words that the first field is one of, the types of fields. */
static const struct {
    const char *key, *words, *fields;
} meta[] = {
    {"node_fields", NULL, "type,name,id,self_size,edge_count,trace_node_id,detachedness"},
    {"node_types",
     "hidden,array,string,object,code,closure,regexp,number,native,synthetic,"
     "concatenated string,sliced string,symbol,bigint,object shape",
     "string,number,number,number,number,number"},
    {"edge_fields", NULL, "type,name_or_index,to_node"},
    {"edge_types", "context,element,property,internal,hidden,shortcut,weak",
     "string_or_number,node"},
    {"trace_function_info_fields", NULL, "function_id,name,script_name,script_id,line,column"},
    {"trace_node_fields", NULL, "id,function_info_index,count,size,children"},
    {"sample_fields", NULL, "timestamp_us,last_assigned_id"},
    {"location_fields", NULL, "object_index,script_id,line,column"},
};

static void put_list(Json *json, const char *list) {
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        json_bytes(json, NULL, list, n);
    }
}

static void put_head(Chrome *c, const Owned *o) {
    Json *json = &c->json;
    json_begin(json, "snapshot", '{');
    json_begin(json, "meta", '{');
    for (size_t i = 0; i < sizeof meta / sizeof *meta; i++) {
        begin(c, meta[i].key);
        if (meta[i].words) {
            json_begin(json, NULL, '[');
            put_list(json, meta[i].words);
            json_end(json, ']');
        }
        put_list(json, meta[i].fields);
        json_end(json, ']');
    }
    json_end(json, '}');
    json_line(json);
    json_count(json, "node_count", c->nodes);
    json_count(json, "edge_count", edges_of(c, o));
    json_count(json, "trace_function_count", c->ledger.nodes);
    json_end(json, '}');
}

static void put_strings(Chrome *c) {
    begin(c, "samples");
    json_end(&c->json, ']');
    json_begin(&c->json, "locations", '[');
    json_end(&c->json, ']');
    begin(c, "strings");
    for (uint32_t row = 0; row < c->texts.texts; row++) {
        size_t at = c->texts.at[row];
        if (row > 0) json_line(&c->json);
        json_bytes(&c->json, NULL, c->texts.bytes + at, c->texts.at[row + 1] - at);
    }
    json_end(&c->json, ']');
}

static bool chrome_open(Chrome *c, bool stacks) {
    const LmpObjectGraph *g = &c->s->g;
    if (!texttable_open(&c->texts, "")) return false;
    c->node_of = calloc((size_t)g->objects + 2, sizeof *c->node_of);
    c->object_of = calloc((size_t)g->objects + 2, sizeof *c->object_of);
    c->id = snapshotreport_ids(c->s);
    c->string_text = calloc((size_t)g->count[LMP_OBJECT_STRING] + 1, sizeof *c->string_text);
    c->class_text = calloc((size_t)c->s->classes + 1, sizeof *c->class_text);
    c->proto_text = calloc((size_t)g->count[LMP_OBJECT_PROTO] + 1, sizeof *c->proto_text);
    if (!c->node_of || !c->object_of || !c->id || !c->string_text || !c->class_text ||
        !c->proto_text)
        return false;
    return trace_open(c, stacks);
}

static void chrome_close(Chrome *c) {
    texttable_close(&c->texts);
    free(c->node_of);
    free(c->object_of);
    free(c->id);
    free(c->string_text);
    free(c->class_text);
    free(c->proto_text);
    free(c->trace);
    ledger_free(&c->ledger);
    objecttext_redact_close(&c->redact);
}

LmpErr snapshot_heapsnapshot(const SnapshotReport *report, FILE *out) {
    Chrome c = {.s = report->s, .json = {.out = out, .style = JSON_IN_SCRIPT}};
    Owned owned = {0};
    LmpErr err = objecttext_redact_open(&c.redact, report);
    bool made = !err && chrome_open(&c, !report->no_stacks) && owned_open(&owned, c.s);
    if (made) {
        number_nodes(&c, &owned);
        json_begin(&c.json, NULL, '{');
        put_head(&c, &owned);
        put_nodes(&c, &owned);
        put_edges(&c, &owned);
        put_trace(&c);
        put_strings(&c);
        json_end(&c.json, '}');
        fputc('\n', out);
    }
    made = made && !c.texts.failed;
    owned_close(&owned);
    chrome_close(&c);
    return made ? LMP_OK : LMP_E_NOMEM;
}
