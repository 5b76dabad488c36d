/* objectgraph.c - the table of columns with their coding, and names of kinds, roots and lots. */
#include "shared/objectgraph.h"

#include <stddef.h>

#define COLUMN(member, rows, width, coding)                                                        \
    { #member, (uint32_t)offsetof(LmpObjectGraph, member), (rows), (width), LMP_CODING_##coding }
#define OF(kind) (LMP_ROWS_KIND + (int)LMP_OBJECT_##kind)

const LmpObjectColumn objectgraph_columns[LMP_SNAP_COLUMNS] = {
    COLUMN(kind, LMP_ROWS_OBJECTS, 1, BYTES),
    COLUMN(flags, LMP_ROWS_OBJECTS, 1, BYTES),
    COLUMN(size, LMP_ROWS_OBJECTS, 8, VARINT),
    COLUMN(addr, LMP_ROWS_OBJECTS, 8, DELTA),
    COLUMN(context, LMP_ROWS_OBJECTS, 4, VARINT),
    COLUMN(birth, LMP_ROWS_OBJECTS, 4, VARINT),
    COLUMN(edge_at, LMP_ROWS_OBJECTS_1, 4, DELTA),
    COLUMN(edge_to, LMP_ROWS_EDGES, 4, DELTA),
    COLUMN(edge_label, LMP_ROWS_EDGES, 4, DELTA),
    COLUMN(edge_kind, LMP_ROWS_EDGES, 1, BYTES),
    COLUMN(wide, LMP_ROWS_WIDES, 8, DELTA),
    COLUMN(string_length, OF(STRING), 8, VARINT),
    COLUMN(string_shown, OF(STRING), 4, VARINT),
    COLUMN(string_hash, OF(STRING), 8, VARINT),
    COLUMN(table_array, OF(TABLE), 4, VARINT),
    COLUMN(table_array_used, OF(TABLE), 4, VARINT),
    COLUMN(table_hash, OF(TABLE), 4, VARINT),
    COLUMN(table_hash_used, OF(TABLE), 4, VARINT),
    COLUMN(c_address, OF(C_FUNCTION), 8, DELTA),
    COLUMN(userdata_bytes, OF(USERDATA), 8, VARINT),
    COLUMN(proto_line, OF(PROTO), 4, DELTA),
    COLUMN(proto_last, OF(PROTO), 4, DELTA),
    COLUMN(proto_code, OF(PROTO), 4, VARINT),
    COLUMN(proto_source, OF(PROTO), 4, DELTA),
    COLUMN(thread_status, OF(THREAD), 1, BYTES),
    COLUMN(thread_frames, OF(THREAD), 4, VARINT),
    COLUMN(thread_stack, OF(THREAD), 4, VARINT),
    COLUMN(thread_stack_used, OF(THREAD), 4, VARINT),
    COLUMN(lot_what, OF(LOT), 4, VARINT),
    COLUMN(lot_blocks, OF(LOT), 4, VARINT),
    COLUMN(frame_function, LMP_ROWS_FRAMES, 4, DELTA),
    COLUMN(frame_address, LMP_ROWS_FRAMES, 8, DELTA),
    COLUMN(frame_line, LMP_ROWS_FRAMES, 4, DELTA),
    COLUMN(slot_frame, LMP_ROWS_SLOTS, 4, DELTA),
    COLUMN(slot_name, LMP_ROWS_SLOTS, 4, DELTA),
    COLUMN(slot_number, LMP_ROWS_SLOTS, 4, DELTA),
    COLUMN(text, LMP_ROWS_TEXT, 1, BYTES),
};

uint64_t objectgraph_rows(const LmpObjectGraph *graph, const LmpObjectColumn *column) {
    switch (column->rows) {
    case LMP_ROWS_OBJECTS:
        return graph->objects;
    case LMP_ROWS_OBJECTS_1:
        return (uint64_t)graph->objects + 1;
    case LMP_ROWS_EDGES:
        return graph->edges;
    case LMP_ROWS_WIDES:
        return graph->wides;
    case LMP_ROWS_FRAMES:
        return graph->frames;
    case LMP_ROWS_SLOTS:
        return graph->slots;
    case LMP_ROWS_TEXT:
        return graph->text_bytes;
    default:
        return graph->count[column->rows - LMP_ROWS_KIND];
    }
}

void objectgraph_ordinals(const LmpObjectGraph *graph, uint32_t *out) {
    uint32_t next[LMP_OBJECT_KINDS] = {0};
    for (uint32_t i = 0; i < graph->objects; i++)
        out[i] = graph->kind[i] < LMP_OBJECT_KINDS ? next[graph->kind[i]]++ : 0;
}

const char *objectgraph_kind(uint32_t kind) {
    static const char *const name[LMP_OBJECT_KINDS] = {
        "root",     "string", "table", "function", "C function",
        "userdata", "thread", "code",  "upvalue",  "blocks of no object"};
    return kind < LMP_OBJECT_KINDS ? name[kind] : "?";
}

const char *objectgraph_root(uint32_t root) {
    static const char *const name[LMP_ROOTS] = {"registry",
                                                "main thread",
                                                "running coroutine",
                                                "waits for its finalizer",
                                                "the interpreter's own",
                                                "metatable of nil",
                                                "metatable of booleans",
                                                "metatable of light userdata",
                                                "metatable of numbers",
                                                "metatable of strings",
                                                "metatable of tables",
                                                "metatable of functions",
                                                "metatable of userdata",
                                                "metatable of threads"};
    return root < LMP_ROOTS ? name[root] : "?";
}

const char *objectgraph_lot(uint32_t lot) {
    static const char *const name[LMP_LOTS] = {
        "the table of strings",         "the Lua state",
        "string buffers under way",     "the parser's",
        "requested by C code directly", "parts whose object was not found",
        "objects being made or freed",  "operation in hand"};
    return lot < LMP_LOTS ? name[lot] : "?";
}
