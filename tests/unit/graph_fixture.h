/* graph_fixture.h - heaps made up for tests: a graph of objects (objectgraph.h) built call by call,
 * in any order; graph_done() makes columns of it. Objects get ascending addresses in the order of
 * their making. Memory is given back by graph_free. */
#ifndef LMP_GRAPH_FIXTURE_H
#define LMP_GRAPH_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "own.h"

#include "shared/objectgraph.h"

typedef struct GraphObject {
    uint8_t kind, flags;
    uint64_t size;
    uint32_t context, birth;
    uint32_t a, b, c, d; /* columns of its kind, in their order */
    uint64_t wide;       /* the one of 64 bits: hash, address, bytes */
    char *text;          /* of a string */
    uint64_t length;
    int64_t addr;
} GraphObject;

typedef struct GraphEdge {
    uint32_t from, to, label, serial;
    uint8_t kind;
} GraphEdge;

typedef struct Graph {
    GraphObject *object;
    GraphEdge *edge;
    uint32_t objects, edges, object_room, edge_room;
    uint32_t frames, slots, wides; /* filled straight into g, room for GRAPH_ROWS each */
    uint32_t last_thread;
    LmpObjectGraph g;
} Graph;

enum { GRAPH_ROWS = 4096 };

static inline uint32_t graph_object(Graph *graph, uint32_t kind, uint64_t size) {
    if (graph->objects == graph->object_room) {
        graph->object_room = graph->object_room ? graph->object_room * 2 : 64;
        graph->object = realloc(graph->object, graph->object_room * sizeof *graph->object);
        if (!graph->object) abort();
    }
    uint32_t i = graph->objects++;
    graph->object[i] =
        (GraphObject){.kind = (uint8_t)kind, .size = size, .addr = 0x10000 + 64ll * i};
    return i;
}

/* One with its root, object 0. */
static inline Graph *graph_new(void) {
    Graph *graph = calloc(1, sizeof *graph);
    if (!graph) abort();
    graph_object(graph, LMP_OBJECT_ROOT, 0);
    return graph;
}

static inline void graph_edge(Graph *graph, uint32_t from, uint32_t to, unsigned kind,
                              uint32_t label) {
    if (graph->edges == graph->edge_room) {
        graph->edge_room = graph->edge_room ? graph->edge_room * 2 : 64;
        graph->edge = realloc(graph->edge, graph->edge_room * sizeof *graph->edge);
        if (!graph->edge) abort();
    }
    graph->edge[graph->edges] = (GraphEdge){from, to, label, graph->edges, (uint8_t)kind};
    graph->edges++;
}

/* A string; the same text gives the same object up to 40 bytes, as in Lua. */
static inline uint32_t graph_string(Graph *graph, const char *text) {
    size_t length = strlen(text);
    for (uint32_t i = 0; i < graph->objects && length <= 40; i++)
        if (graph->object[i].kind == LMP_OBJECT_STRING && !strcmp(graph->object[i].text, text))
            return i;
    uint32_t i = graph_object(graph, LMP_OBJECT_STRING, 25 + length);
    GraphObject *o = &graph->object[i];
    o->text = strdup(text);
    o->length = length;
    if (length > 40) o->flags |= LMP_OBJECT_LONG;
    for (const char *c = text; *c; c++)
        o->wide = (o->wide ^ (unsigned char)*c) * 0x100000001b3ull;
    return i;
}

/* A table with `array` and `hash` slots, that many of them used. */
static inline uint32_t graph_table(Graph *graph, uint32_t array, uint32_t array_used, uint32_t hash,
                                   uint32_t hash_used) {
    uint32_t i = graph_object(graph, LMP_OBJECT_TABLE, 56 + 16ull * array + 24ull * hash);
    GraphObject *o = &graph->object[i];
    o->a = array, o->b = array_used, o->c = hash, o->d = hash_used;
    return i;
}

/* from.key = to, as a table's walk gives it: the value and the key's string. */
static inline void graph_field(Graph *graph, uint32_t from, const char *key, uint32_t to) {
    uint32_t name = graph_string(graph, key);
    graph_edge(graph, from, to, LMP_EDGE_FIELD, name);
    graph_edge(graph, from, name, LMP_EDGE_KEY, 0);
}

/* from[n] = to */
static inline void graph_index(Graph *graph, uint32_t from, uint32_t n, uint32_t to) {
    graph_edge(graph, from, to, LMP_EDGE_INDEX, n);
}

/* Compiled code of `source` (as lua_Debug has it), lines `first` to `last`. */
static inline uint32_t graph_proto(Graph *graph, const char *source, uint32_t first,
                                   uint32_t last) {
    uint32_t text = graph_string(graph, source);
    uint32_t i = graph_object(graph, LMP_OBJECT_PROTO, 128 + 4 * 10);
    GraphObject *o = &graph->object[i];
    o->a = first, o->b = last, o->c = 10, o->d = text;
    graph_edge(graph, i, text, LMP_EDGE_DEBUG, 0);
    return i;
}

static inline uint32_t graph_function(Graph *graph, uint32_t proto) {
    uint32_t i = graph_object(graph, LMP_OBJECT_LUA_FUNCTION, 32);
    graph_edge(graph, i, proto, LMP_EDGE_PROTO, 0);
    return i;
}

/* A closed upvalue `name` of `function` that has `value` in it. */
static inline uint32_t graph_upvalue(Graph *graph, uint32_t function, const char *name,
                                     uint32_t value) {
    uint32_t i = graph_object(graph, LMP_OBJECT_UPVALUE, 40);
    graph->object[function].size += 8;
    graph_edge(graph, function, i, LMP_EDGE_UPVALUE, graph_string(graph, name));
    if (value) graph_edge(graph, i, value, LMP_EDGE_VALUE, 0);
    return i;
}

/* A thread with no frames yet; `status` as lua_status. */
static inline uint32_t graph_thread(Graph *graph, unsigned status) {
    uint32_t i = graph_object(graph, LMP_OBJECT_THREAD, 208 + 720);
    GraphObject *o = &graph->object[i];
    o->a = status, o->c = 45, o->d = 4;
    graph->last_thread = i;
    return i;
}

static void graph_rows(Graph *graph) {
    LmpObjectGraph *g = &graph->g;
    if (g->frame_function) return;
    g->frame_function = calloc(GRAPH_ROWS, sizeof *g->frame_function);
    g->frame_address = calloc(GRAPH_ROWS, sizeof *g->frame_address);
    g->frame_line = calloc(GRAPH_ROWS, sizeof *g->frame_line);
    g->slot_frame = calloc(GRAPH_ROWS, sizeof *g->slot_frame);
    g->slot_name = calloc(GRAPH_ROWS, sizeof *g->slot_name);
    g->slot_number = calloc(GRAPH_ROWS, sizeof *g->slot_number);
    g->wide = calloc(GRAPH_ROWS, sizeof *g->wide);
}

/* A frame of the thread made last (frames of a thread innermost first, one after another). Returns
 * its row. */
static inline uint32_t graph_frame(Graph *graph, uint32_t function, int line) {
    graph_rows(graph);
    uint32_t row = graph->frames++;
    if (row >= GRAPH_ROWS) abort();
    graph->g.frame_function[row] = function;
    graph->g.frame_line[row] = line;
    graph->object[graph->last_thread].b++;
    if (function) graph_edge(graph, graph->last_thread, function, LMP_EDGE_CALL, row);
    return row;
}

/* A local of a frame (name NULL: a temporary), slot `number`, of the thread made last. */
static inline void graph_local(Graph *graph, uint32_t frame, const char *name, uint32_t number,
                               uint32_t value) {
    graph_rows(graph);
    uint32_t row = graph->slots++;
    if (row >= GRAPH_ROWS) abort();
    graph->g.slot_frame[row] = frame;
    graph->g.slot_name[row] = name ? graph_string(graph, name) : 0;
    graph->g.slot_number[row] = number;
    graph_edge(graph, graph->last_thread, value, LMP_EDGE_LOCAL, row);
}

/* A label of 64 bits: its row. */
static inline uint32_t graph_wide(Graph *graph, int64_t label) {
    graph_rows(graph);
    if (graph->wides >= GRAPH_ROWS) abort();
    graph->g.wide[graph->wides] = label;
    return graph->wides++;
}

static int graph_by_from(const void *a, const void *b) {
    const GraphEdge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void *graph_column(size_t rows, size_t width) {
    void *p = calloc(rows ? rows : 1, width);
    if (!p) abort();
    return p;
}

static void graph_of_kind(LmpObjectGraph *g, const GraphObject *o, uint32_t row, uint64_t text_at) {
    switch (o->kind) {
    case LMP_OBJECT_STRING:
        g->string_length[row] = o->length;
        g->string_shown[row] = (uint32_t)o->length;
        g->string_hash[row] = o->wide;
        memcpy(g->text + text_at, o->text, o->length);
        break;
    case LMP_OBJECT_TABLE:
        g->table_array[row] = o->a, g->table_array_used[row] = o->b;
        g->table_hash[row] = o->c, g->table_hash_used[row] = o->d;
        break;
    case LMP_OBJECT_C_FUNCTION:
        g->c_address[row] = o->wide;
        break;
    case LMP_OBJECT_USERDATA:
        g->userdata_bytes[row] = o->wide;
        break;
    case LMP_OBJECT_PROTO:
        g->proto_line[row] = o->a, g->proto_last[row] = o->b;
        g->proto_code[row] = o->c, g->proto_source[row] = o->d;
        break;
    case LMP_OBJECT_THREAD:
        g->thread_status[row] = (uint8_t)o->a, g->thread_frames[row] = o->b;
        g->thread_stack[row] = o->c, g->thread_stack_used[row] = o->d;
        break;
    case LMP_OBJECT_LOT:
        g->lot_what[row] = o->a, g->lot_blocks[row] = o->b;
        break;
    default:
        break;
    }
}

/* The graph as columns, good until graph_free. Only once. */
static inline const LmpObjectGraph *graph_done(Graph *graph) {
    LmpObjectGraph *g = &graph->g;
    graph_rows(graph);
    if (graph->edges) qsort(graph->edge, graph->edges, sizeof *graph->edge, graph_by_from);
    g->objects = graph->objects, g->edges = graph->edges;
    g->frames = graph->frames, g->slots = graph->slots, g->wides = graph->wides;
    for (uint32_t i = 0; i < graph->objects; i++) {
        g->count[graph->object[i].kind]++;
        if (graph->object[i].kind == LMP_OBJECT_STRING) g->text_bytes += graph->object[i].length;
    }
    for (uint32_t c = 0; c < LMP_SNAP_COLUMNS; c++) {
        const LmpObjectColumn *column = &objectgraph_columns[c];
        void **at = (void **)((char *)g + column->at);
        if (!*at) *at = graph_column((size_t)objectgraph_rows(g, column), column->width);
    }
    uint32_t *ordinal = graph_column(g->objects, sizeof *ordinal);
    for (uint32_t i = 0; i < g->objects; i++)
        g->kind[i] = graph->object[i].kind;
    objectgraph_ordinals(g, ordinal);
    uint64_t text_at = 0;
    for (uint32_t i = 0; i < g->objects; i++) {
        const GraphObject *o = &graph->object[i];
        g->flags[i] = o->flags;
        g->size[i] = o->size;
        g->addr[i] = i ? (uint64_t)o->addr : 0;
        g->context[i] = o->context;
        g->birth[i] = o->birth;
        graph_of_kind(g, o, ordinal[i], text_at);
        if (o->kind == LMP_OBJECT_STRING) text_at += o->length;
    }
    free(ordinal);
    for (uint32_t e = 0; e < g->edges; e++) {
        g->edge_at[graph->edge[e].from + 1]++;
        g->edge_to[e] = graph->edge[e].to;
        g->edge_label[e] = graph->edge[e].label;
        g->edge_kind[e] = graph->edge[e].kind;
    }
    for (uint32_t i = 0; i < g->objects; i++)
        g->edge_at[i + 1] += g->edge_at[i];
    return g;
}

static inline void graph_free(Graph *graph) {
    for (uint32_t i = 0; i < graph->objects; i++)
        free(graph->object[i].text);
    for (uint32_t c = 0; c < LMP_SNAP_COLUMNS; c++)
        free(*(void **)((char *)&graph->g + objectgraph_columns[c].at));
    free(graph->object);
    free(graph->edge);
    free(graph);
}
RELEASE_AT(graph_free)

#endif
