/* cached_heap.h - the heap of a program with a leak, built by hand: a cache that forgets no
 * request, each with a callback that holds its session; handlers of a bus; a coroutine that waits
 * for ever; garbage. Sizes are what Lua's layout gives them, so screens drawn from it look real. */
#ifndef LMP_CACHED_HEAP_H
#define LMP_CACHED_HEAP_H

#include "graph_fixture.h"

#include <stdio.h>

#include "read/snapshot/snapshot.h"

static inline uint32_t cached_text(Graph *graph, size_t length, unsigned number) {
    char *text = malloc(length + 1);
    if (!text) abort();
    size_t used = (size_t)snprintf(text, length + 1, "body of request %u: ", number);
    for (size_t i = used < length ? used : length; i < length; i++)
        text[i] = (char)('a' + (i * 7 + number) % 26);
    text[length] = 0;
    uint32_t string = graph_string(graph, text);
    free(text);
    return string;
}

/* entries["req-1001"] = {callback = function, session = {id, name, body}} and so on. */
static inline void cached_requests(Graph *graph, uint32_t entries, uint32_t callback,
                                   unsigned requests) {
    for (unsigned i = 0; i < requests; i++) {
        char name[40];
        uint32_t request = graph_table(graph, 0, 0, 2, 2);
        uint32_t session = graph_table(graph, 0, 0, 4, 3);
        uint32_t function = graph_function(graph, callback);
        snprintf(name, sizeof name, "req-%u", 1001 + i);
        graph_field(graph, entries, name, request);
        graph_field(graph, request, "callback", function);
        graph_upvalue(graph, function, "self", session);
        snprintf(name, sizeof name, "user %u", i * 37 % 1000);
        graph_field(graph, session, "name", graph_string(graph, name));
        graph_field(graph, session, "body", cached_text(graph, 400 + i % 5 * 300, i));
    }
}

static inline void cached_bus(Graph *graph, uint32_t loaded, unsigned handlers) {
    uint32_t bus = graph_table(graph, 0, 0, 4, 2), list = graph_table(graph, 512, handlers, 0, 0);
    uint32_t emit = graph_proto(graph, "@bus.lua", 12, 18);
    uint32_t code = graph_proto(graph, "@views.lua", 31, 35);
    graph_field(graph, loaded, "app.bus", bus);
    graph_field(graph, bus, "handlers", list);
    graph_field(graph, bus, "emit", graph_function(graph, emit));
    for (unsigned i = 0; i < handlers; i++) {
        uint32_t handler = graph_function(graph, code);
        uint32_t page = graph_table(graph, 0, 0, 4, 3);
        graph_index(graph, list, i + 1, handler);
        graph_upvalue(graph, handler, "view", page);
        graph_field(graph, page, "title", graph_string(graph, i % 3 ? "inbox" : "settings"));
    }
}

/* With so many requests in its cache. To be freed by graph_free. */
static inline Graph *cached_graph(unsigned requests) {
    Graph *graph = graph_new();
    uint32_t registry = graph_table(graph, 3, 3, 8, 4);
    uint32_t globals = graph_table(graph, 0, 0, 64, 40), loaded = graph_table(graph, 0, 0, 16, 9);
    uint32_t thread = graph_thread(graph, 0);
    graph_edge(graph, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_edge(graph, 0, thread, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_index(graph, registry, 1, thread);
    graph_index(graph, registry, 2, globals);
    graph_field(graph, registry, "_LOADED", loaded);
    graph_field(graph, loaded, "_G", globals);
    graph_field(graph, globals, "_G", globals);

    uint32_t main = graph_function(graph, graph_proto(graph, "@server.lua", 0, 80));
    uint32_t frame = graph_frame(graph, main, 64);
    graph_local(graph, frame, "log", 1, graph_table(graph, 256, 200, 0, 0));

    uint32_t cache = graph_table(graph, 0, 0, 4, 2), entries = graph_table(graph, 0, 0, 2048, 1200);
    uint32_t get = graph_function(graph, graph_proto(graph, "@cache.lua", 3, 9));
    uint32_t put = graph_function(graph, graph_proto(graph, "@cache.lua", 11, 15));
    graph_field(graph, loaded, "app.cache", cache);
    graph_field(graph, cache, "get", get);
    graph_field(graph, cache, "put", put);
    uint32_t shared = graph_upvalue(graph, get, "entries", entries);
    graph_edge(graph, put, shared, LMP_EDGE_UPVALUE, graph_string(graph, "entries"));
    cached_requests(graph, entries, graph_proto(graph, "@server.lua", 40, 44), requests);
    cached_bus(graph, loaded, 300);

    uint32_t waits = graph_thread(graph, 1);
    graph_field(graph, globals, "worker", waits);
    uint32_t at =
        graph_frame(graph, graph_function(graph, graph_proto(graph, "@worker.lua", 7, 20)), 13);
    graph_local(graph, at, "batch", 2, cached_text(graph, 60000, 9));
    uint32_t words = graph_table(graph, 128, 128, 0, 0);
    graph_field(graph, globals, "words", words);
    for (unsigned i = 0; i < 128; i++) {
        char word[60];
        snprintf(word, sizeof word, "a sentence that is over forty bytes, no. %u", i % 16);
        graph_index(graph, words, i + 1, graph_string(graph, word));
    }
    for (unsigned i = 0; i < 90; i++)
        graph_table(graph, 0, 0, 8, 5); /* garbage */
    uint32_t lot = graph_object(graph, LMP_OBJECT_LOT, 16384);
    graph->object[lot].a = LMP_LOT_STRING_TABLE;
    graph->object[lot].b = 1;
    graph_edge(graph, 0, lot, LMP_EDGE_LOT, LMP_LOT_STRING_TABLE);
    return graph;
}

static inline LmpObjectInfo cached_info(const LmpObjectGraph *g, unsigned number) {
    LmpObjectInfo info = {.pid = 4711,
                          .serial = 1,
                          .number = number,
                          .realtime = 1700000000000000000u,
                          .clock = 62000000000u,
                          .stop = 3200000,
                          .walk = 41000000,
                          .program = "server.lua",
                          .lua = "Lua 5.4.6"};
    for (uint32_t i = 0; i < g->objects; i++)
        info.live_bytes += g->size[i];
    info.live_blocks = g->objects;
    return info;
}

#endif
