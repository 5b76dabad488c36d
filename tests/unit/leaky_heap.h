/* leaky_heap.h - a heap made up for tests, with all that a snapshot can have in it: a bus whose
 * handlers nobody removes, a cache of equal strings, coroutines that wait, references of C code,
 * weak tables, garbage, and what waits for its finalizer. */
#ifndef LMP_LEAKY_HEAP_H
#define LMP_LEAKY_HEAP_H

#include <stdio.h>

#include "graph_fixture.h"

enum {
    LEAKY_HANDLERS = 120,
    LEAKY_ENTRIES = 30,
    LEAKY_WORKERS = 4,
    LEAKY_REFERENCES = 12,
    LEAKY_PAYLOAD = 300 /* bytes of a handler's string */
};

typedef struct Leaky {
    Graph *graph;
    uint32_t registry, globals, loaded, main_thread;
    uint32_t handlers; /* the table that holds most */
    uint32_t handler;  /* code of the handlers */
    uint32_t entries;  /* of the cache */
    uint32_t worker;   /* the last coroutine */
    uint32_t weak, ephemeron_key, ephemeron_value;
    uint32_t garbage;
} Leaky;

static inline void leaky_frame(Leaky *l) {
    Graph *g = l->graph;
    l->registry = graph_table(g, 16, 14, 4, 1);
    l->globals = graph_table(g, 0, 0, 8, 3);
    l->loaded = graph_table(g, 0, 0, 8, 3);
    uint32_t chunk = graph_function(g, graph_proto(g, "@app.lua", 0, 90));
    l->main_thread = graph_thread(g, 0);
    uint32_t frame = graph_frame(g, chunk, 42);
    graph_local(g, frame, "chunk", 1, chunk);
    graph_edge(g, 0, l->registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_edge(g, 0, l->main_thread, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_edge(g, 0, l->main_thread, LMP_EDGE_ROOT, LMP_ROOT_RUNNING);
    graph_index(g, l->registry, 1, l->main_thread);
    graph_index(g, l->registry, 2, l->globals);
    graph_field(g, l->registry, "_LOADED", l->loaded);
    graph_field(g, l->globals, "_G", l->globals);
    graph_field(g, l->loaded, "_G", l->globals);
}

static inline void leaky_bus(Leaky *l, uint32_t handlers) {
    Graph *g = l->graph;
    uint32_t bus = graph_table(g, 0, 0, 2, 1);
    l->handlers = graph_table(g, 128, handlers, 0, 0);
    l->handler = graph_proto(g, "@bus.lua", 31, 35);
    graph_field(g, l->loaded, "bus", bus);
    graph_field(g, bus, "handlers", l->handlers);
    for (uint32_t i = 1; i <= handlers; i++) {
        char text[LEAKY_PAYLOAD + 1], name[32];
        uint32_t function = graph_function(g, l->handler), self = graph_table(g, 0, 0, 4, 3);
        snprintf(name, sizeof name, "client %u", i);
        memset(text, 'a' + (int)(i % 26), sizeof text);
        text[LEAKY_PAYLOAD] = 0;
        snprintf(text, 20, "payload %03u", i);
        text[strlen(text)] = ' ';
        graph_index(g, l->handlers, i, function);
        graph_upvalue(g, function, "self", self);
        graph_field(g, self, "name", graph_string(g, name));
        graph_field(g, self, "payload", graph_string(g, text));
        graph_edge(g, self, graph_string(g, "id"), LMP_EDGE_KEY, 0); /* a number */
    }
}

static inline void leaky_cache(Leaky *l, uint32_t entries) {
    Graph *g = l->graph;
    uint32_t cache = graph_table(g, 0, 0, 2, 1);
    uint32_t get = graph_function(g, graph_proto(g, "@cache.lua", 3, 9));
    l->entries = graph_table(g, 0, 0, 256, entries);
    graph_field(g, l->loaded, "cache", cache);
    graph_field(g, cache, "get", get);
    graph_upvalue(g, get, "entries", l->entries);
    for (uint32_t i = 0; i < entries; i++) {
        char key[32];
        uint32_t entry = graph_table(g, 0, 0, 2, 2);
        snprintf(key, sizeof key, "req-%u \"<%u>\"\n", 1000 + i, i);
        graph_field(g, l->entries, key, entry);
        graph_field(g, entry, "url",
                    graph_string(g, "https://example.org/that/is/longer/than/forty/bytes"));
    }
}

static inline void leaky_workers(Leaky *l) {
    Graph *g = l->graph;
    uint32_t workers = graph_table(g, 4, LEAKY_WORKERS, 0, 0);
    uint32_t body = graph_function(g, graph_proto(g, "@worker.lua", 7, 30));
    graph_field(g, l->globals, "workers", workers);
    for (uint32_t i = 1; i <= LEAKY_WORKERS; i++) {
        char text[1200];
        memset(text, 'w', sizeof text);
        snprintf(text, sizeof text, "buffer %u", i);
        text[strlen(text)] = ' ';
        text[sizeof text - 1] = 0;
        l->worker = graph_thread(g, 1);
        uint32_t yield = graph_frame(g, 0, -1), frame = graph_frame(g, body, 18);
        (void)yield;
        graph_local(g, frame, "buffer", 1, graph_string(g, text));
        graph_index(g, workers, i, l->worker);
    }
}

static inline void leaky_rest(Leaky *l, uint32_t handlers) {
    Graph *g = l->graph;
    for (uint32_t i = 0; i < LEAKY_REFERENCES; i++) {
        uint32_t block = graph_object(g, LMP_OBJECT_USERDATA, 40 + 24);
        g->object[block].wide = 24;
        graph_index(g, l->registry, 3 + i, block);
    }
    l->weak = graph_table(g, 0, 0, 2, 1);
    g->object[l->weak].flags |= LMP_OBJECT_WEAK_KEYS;
    l->ephemeron_key = graph_table(g, 0, 0, 0, 0);
    l->ephemeron_value = graph_table(g, 3, 3, 0, 0);
    graph_field(g, l->globals, "weak", l->weak);
    graph_index(g, l->handlers, handlers + 1, l->ephemeron_key);
    graph_edge(g, l->weak, l->ephemeron_key, LMP_EDGE_KEY | LMP_EDGE_WEAK, 0);
    graph_edge(g, l->weak, l->ephemeron_value, LMP_EDGE_OBJECT | LMP_EDGE_EPHEMERON,
               l->ephemeron_key);
    uint32_t dying = graph_object(g, LMP_OBJECT_USERDATA, 40 + 100);
    g->object[dying].wide = 100;
    g->object[dying].flags |= LMP_OBJECT_FINALIZER | LMP_OBJECT_FINALIZING;
    graph_edge(g, 0, dying, LMP_EDGE_ROOT, LMP_ROOT_FINALIZING);
    l->garbage = graph_table(g, 60, 60, 0, 0);
    graph_index(g, l->garbage, 1, l->entries);
    graph_index(g, l->garbage, 2, graph_table(g, 0, 0, 16, 16));
    uint32_t before = graph_table(g, 0, 0, 16, 12);
    g->object[before].flags |= LMP_OBJECT_BEFORE;
    graph_field(g, l->globals, "string", before);
    uint32_t lot = graph_object(g, LMP_OBJECT_LOT, 1024);
    g->object[lot].a = LMP_LOT_STRING_TABLE;
    g->object[lot].b = 1;
    graph_edge(g, 0, lot, LMP_EDGE_LOT, LMP_LOT_STRING_TABLE);
}

/* With so many handlers, and entries of the cache. Free `graph` by graph_free. */
static inline Leaky leaky_heap_of(uint32_t handlers, uint32_t entries) {
    Leaky l = {.graph = graph_new()};
    leaky_frame(&l);
    leaky_bus(&l, handlers);
    leaky_cache(&l, entries);
    leaky_workers(&l);
    leaky_rest(&l, handlers);
    return l;
}

static inline Leaky leaky_heap(void) {
    return leaky_heap_of(LEAKY_HANDLERS, LEAKY_ENTRIES);
}

static inline LmpObjectInfo leaky_info(const LmpObjectGraph *g) {
    LmpObjectInfo info = {.pid = 4711, .serial = 1, .number = 1, .taken = LMP_TAKEN_FORKED};
    info.realtime = 1790000000000000000;
    info.clock = 62412345678;
    info.stop = 1200000;
    info.walk = 8400000;
    for (uint32_t i = 0; i < g->objects; i++)
        info.live_bytes += g->flags[i] & LMP_OBJECT_BEFORE ? 0 : g->size[i];
    info.live_blocks = g->objects - 1;
    snprintf(info.program, sizeof info.program, "app.lua");
    snprintf(info.lua, sizeof info.lua, "Lua 5.4.6");
    snprintf(info.lmp, sizeof info.lmp, "0");
    return info;
}

#endif
