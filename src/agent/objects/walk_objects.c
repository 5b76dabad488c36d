/* walk_objects.c - what each kind of object refers to, and its columns: strings, tables, functions,
 * userdata, prototypes. The steps of a walk are in walk.c. */
#include "agent/objects/offsets.h"
#include "agent/objects/walk_impl.h"

#include <string.h>

/* ---- strings --------------------------------------------------------------------------------- */

static bool text_room(LmpObjectWalk *w) {
    LmpObjectGraph *g = w->g;
    if (w->text_room - g->text_bytes >= w->text_max) return true;
    void *text = g->text;
    uint64_t room = w->text_room * 2 + w->text_max;
    if (!objectmemory_grow(w->memory, &text, g->text_bytes, room)) return false;
    g->text = text;
    w->text_room = room;
    return true;
}

bool walk_string(LmpObjectWalk *w, int type) {
    LmpObjectGraph *g = w->g;
    uint32_t row = w->row[LMP_OBJECT_STRING]++;
    uint64_t length, given;
    const char *bytes = object_string(w->at, &length);
    if (!text_room(w)) return false;
    if (type == LMP_TT_LONG_STRING) g->flags[w->object] |= LMP_OBJECT_LONG;
    if (!w->mapped) w->uncounted += object_string_block(w->at);
    g->string_length[row] = length;
    if (luafacts_string_kind(w->at) != LMP_STRING_OWN) {
        uintptr_t block = object_string_given(w->global, w->at, &given);
        if (!block) g->flags[w->object] |= LMP_OBJECT_OUTSIDE;
        if (block && !walk_part(w, block, &given)) length = 0; /* it is being freed */
    }
    uint64_t shown = length < w->text_max ? length : w->text_max;
    g->string_shown[row] = (uint32_t)shown;
    g->string_hash[row] = object_hash((uintptr_t)bytes, length);
    memcpy(g->text + g->text_bytes, bytes, shown);
    g->text_bytes += shown;
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool is_string(unsigned tag) {
    return (tag & LMP_TT_TYPE) == LMP_TT_SHORT_STRING;
}

/* Returns the value of a field of a table, by the key's object; 0: it has none. */
static uintptr_t field(const LmpObjectWalk *w, uintptr_t table, uintptr_t key) {
    LmpObjectPart part = object_hash_part(table);
    uint32_t nodes = (uint32_t)part.entries;
    uintptr_t node = nodes ? walk_moved(w, part.block) : 0;
    if (!node) return 0;
    node += luafacts_before_nodes(nodes);
    int64_t i = object_u32(key + LMP_AT_STRING_HASH) & (nodes - 1);
    for (uint32_t n = 0; n < nodes && i >= 0 && i < nodes; n++) {
        uintptr_t at = node + (uintptr_t)i * LMP_SIZE_NODE;
        if (object_word(at + LMP_AT_NODE_KEY) == key &&
            is_string(object_u8(at + LMP_AT_NODE_KEY_TAG) & ~(unsigned)LMP_TAG_COLLECTABLE))
            return at;
        int32_t next = (int32_t)object_u32(at + LMP_AT_NODE_NEXT);
        if (!next) break;
        i += next;
    }
    return 0;
}

/* Returns how weak the tables of a metatable are, as flags: what its __mode says, read raw. */
static uint32_t weakness(LmpObjectWalk *w, uintptr_t meta) {
    if (meta == w->last_meta) return w->last_mode;
    uint32_t flags = 0;
    uintptr_t value = w->mode && walk_is(w, meta, LMP_TT_TABLE) ? field(w, meta, w->mode) : 0;
    uintptr_t string = value ? object_word(value) : 0;
    if (value && is_string(object_u8(value + LMP_AT_SLOT_TAG)) && walk_number(w, string)) {
        uint64_t length;
        const char *s = object_string(string, &length);
        if (strchr(s, 'k')) flags |= LMP_OBJECT_WEAK_KEYS;
        if (strchr(s, 'v')) flags |= LMP_OBJECT_WEAK_VALUES;
    }
    w->last_meta = meta;
    w->last_mode = flags;
    return flags;
}

/* Returns the kind of reference to a value by its key; *label: the label. */
static unsigned key_label(LmpObjectWalk *w, unsigned tag, uintptr_t key, uint32_t *label) {
    *label = 0;
    switch (tag) {
    case LMP_TAG_SHORT_STRING:
    case LMP_TAG_LONG_STRING:
        *label = walk_number(w, key);
        return LMP_EDGE_FIELD;
    case LMP_TT_INTEGER:
        if (key <= UINT32_MAX) {
            *label = (uint32_t)key;
            return LMP_EDGE_INDEX;
        }
        *label = walk_wide(w, key);
        return LMP_EDGE_INTEGER;
    case LMP_TT_FLOAT:
        *label = walk_wide(w, key);
        return LMP_EDGE_FLOAT;
    case LMP_TT_FALSE:
    case LMP_TT_TRUE:
        *label = tag == LMP_TT_TRUE;
        return LMP_EDGE_BOOLEAN;
    default:
        if (!walk_is_object(tag)) {
            *label = walk_wide(w, key);
            return LMP_EDGE_LIGHT;
        }
        *label = walk_number(w, walk_block(w, tag, key));
        return LMP_EDGE_OBJECT;
    }
}

static void walk_node(LmpObjectWalk *w, uintptr_t node, uint32_t weak) {
    unsigned tag = object_u8(node + LMP_AT_SLOT_TAG),
             key_tag = object_u8(node + LMP_AT_NODE_KEY_TAG);
    uintptr_t key = object_word(node + LMP_AT_NODE_KEY);
    bool key_held =
        !walk_is_object(key_tag) || is_string(key_tag) || !(weak & LMP_OBJECT_WEAK_KEYS);
    if (walk_is_object(tag)) {
        uint32_t label;
        unsigned kind = key_label(w, key_tag, key, &label);
        if (!is_string(tag) && weak & LMP_OBJECT_WEAK_VALUES) {
            kind |= LMP_EDGE_WEAK;
        } else if (!key_held && !(weak & LMP_OBJECT_WEAK_VALUES)) {
            kind |= LMP_EDGE_EPHEMERON;
        }
        walk_edge(w, walk_block(w, tag, object_word(node)), kind, label);
    }
    if (walk_is_object(key_tag))
        walk_edge(w, walk_block(w, key_tag, key), LMP_EDGE_KEY | (key_held ? 0 : LMP_EDGE_WEAK), 0);
}

bool walk_table(LmpObjectWalk *w) {
    LmpObjectGraph *g = w->g;
    uint32_t row = w->row[LMP_OBJECT_TABLE]++, weak = 0;
    LmpObjectPart items = object_array(w->layout, w->at), hash = object_hash_part(w->at);
    uint64_t slots = items.entries, nodes = hash.entries;
    uintptr_t array = slots ? walk_part(w, items.block, &items.bytes) : 0;
    uintptr_t node = nodes ? walk_part(w, hash.block, &hash.bytes) : 0;
    uintptr_t meta = object_word(w->at + LMP_AT_TABLE_META);
    uint64_t readable = array ? luafacts_array_readable(slots, items.bytes) : 0;
    if (!w->mapped) w->uncounted += LMP_SIZE_TABLE;
    g->table_array[row] = (uint32_t)slots;
    g->table_hash[row] = (uint32_t)nodes;
    if (w->dead) return true;
    node = object_first_node(node, node ? hash.bytes : 0, &nodes);
    if (!walk_room(w, 1 + readable + 2 * nodes, nodes, 0, 0)) return false;
    if (meta) {
        weak = weakness(w, meta);
        g->flags[w->object] |= (uint8_t)weak;
        walk_edge(w, meta, LMP_EDGE_METATABLE, 0);
    }
    uint32_t used = 0;
    for (uint64_t i = 0; i < readable; i++) {
        LmpObjectSlot slot = object_array_slot(array, slots, i);
        unsigned tag = object_u8(slot.tag);
        if (tag & LMP_TT_TYPE) used++;
        if (!walk_is_object(tag)) continue;
        bool held = is_string(tag) || !(weak & LMP_OBJECT_WEAK_VALUES);
        walk_edge(w, walk_block(w, tag, object_word(slot.value)),
                  LMP_EDGE_INDEX | (held ? 0 : LMP_EDGE_WEAK), (uint32_t)i + 1);
    }
    g->table_array_used[row] = used;
    used = 0;
    for (uint64_t i = 0; i < nodes; i++) {
        uintptr_t n = node + i * LMP_SIZE_NODE;
        if (!(object_u8(n + LMP_AT_SLOT_TAG) & LMP_TT_TYPE)) continue; /* its key may be dead */
        used++;
        walk_node(w, n, weak);
    }
    g->table_hash_used[row] = used;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns the name of upvalue number i of a prototype: its object, 0: none. */
static uint32_t upvalue_name(const LmpObjectWalk *w, uintptr_t proto, unsigned i) {
    if (!proto || i >= object_u32(proto + LMP_AT_PROTO_UPVALUES)) return 0;
    uintptr_t names = walk_moved(w, object_word(proto + LMP_AT_PROTO_V_UPVALUES));
    return names ? walk_number(w, object_word(names + i * (uintptr_t)LMP_SIZE_UPVALUE_NAME)) : 0;
}

bool walk_lua_function(LmpObjectWalk *w) {
    unsigned n = object_u8(w->at + LMP_AT_CLOSURE_UPVALUES);
    if (!w->mapped) w->uncounted += LMP_AT_CLOSURE_UPVALUE + n * 8ull;
    if (w->dead) return true;
    if (!walk_room(w, 1 + n, 0, 0, 0)) return false;
    uintptr_t proto = object_word(w->at + LMP_AT_CLOSURE_CODE);
    if (proto) walk_edge(w, proto, LMP_EDGE_PROTO, 0);
    if (!walk_is(w, proto, LMP_TT_PROTO)) proto = 0;
    for (unsigned i = 0; i < n; i++) {
        uintptr_t upvalue = object_word(w->at + LMP_AT_CLOSURE_UPVALUE + i * 8ul);
        if (upvalue) walk_edge(w, upvalue, LMP_EDGE_UPVALUE, upvalue_name(w, proto, i));
    }
    return true;
}

bool walk_c_function(LmpObjectWalk *w) {
    unsigned n = object_u8(w->at + LMP_AT_CLOSURE_UPVALUES);
    if (!w->mapped) w->uncounted += LMP_AT_CLOSURE_UPVALUE + n * (uint64_t)LMP_SLOT;
    w->g->c_address[w->row[LMP_OBJECT_C_FUNCTION]++] = object_word(w->at + LMP_AT_CLOSURE_CODE);
    if (w->dead) return true;
    if (!walk_room(w, n, 0, 0, 0)) return false;
    for (unsigned i = 0; i < n; i++)
        walk_value(w, w->at + LMP_AT_CLOSURE_UPVALUE + i * (uintptr_t)LMP_SLOT, LMP_EDGE_UPVALUE,
                   i + 1);
    return true;
}

bool walk_upvalue(LmpObjectWalk *w) {
    uintptr_t at = object_word(w->at + LMP_AT_UPVALUE_AT), slot = w->at + LMP_AT_UPVALUE_VALUE;
    if (!w->mapped) w->uncounted += LMP_SIZE_UPVALUE;
    bool is_open = at != slot;
    if (is_open) w->g->flags[w->object] |= LMP_OBJECT_OPEN;
    if (w->dead) return true;
    if (!walk_room(w, 2, 0, 0, 0)) return false;
    if (is_open) {
        const LmpObjectThread *thread = walk_stack_of(w, at, &slot);
        if (!thread) return true;
        walk_edge(w, thread->state - w->layout->extra, LMP_EDGE_THREAD | LMP_EDGE_WEAK, 0);
    }
    if (slot) walk_value(w, slot, LMP_EDGE_VALUE, 0);
    return true;
}

/* ---- userdata -------------------------------------------------------------------------------- */

bool walk_userdata(LmpObjectWalk *w) {
    unsigned n = object_u16(w->at + LMP_AT_USERDATA_VALUES);
    uint64_t bytes = object_word(w->at + LMP_AT_USERDATA_SIZE);
    uintptr_t meta = object_word(w->at + LMP_AT_USERDATA_META);
    if (!w->mapped) w->uncounted += bytes + offsets_userdata_head(n);
    w->g->userdata_bytes[w->row[LMP_OBJECT_USERDATA]++] = bytes;
    if (w->dead) return true;
    if (!walk_room(w, 1 + n, 0, 0, 0)) return false;
    if (meta) walk_edge(w, meta, LMP_EDGE_METATABLE, 0);
    for (unsigned i = 0; i < n; i++)
        walk_value(w, w->at + offsets_get()->user_values + i * (uintptr_t)LMP_SLOT,
                   LMP_EDGE_USER_VALUE, i + 1);
    return true;
}

/* ---- prototypes ------------------------------------------------------------------------------ */

/* Returns where a vector of the prototype at hand can be read; *n: how many elements of it. */
static uintptr_t vector(LmpObjectWalk *w, int count, int at, uint64_t element, uint32_t *n) {
    *n = object_u32(w->at + (uintptr_t)count);
    uintptr_t from = object_word(w->at + (uintptr_t)at);
    uint64_t bytes = *n * element;
    from = from ? walk_part(w, from, &bytes) : 0;
    *n = from ? (uint32_t)(bytes / element) : 0;
    return from;
}

bool walk_proto(LmpObjectWalk *w) {
    LmpObjectGraph *g = w->g;
    uint32_t row = w->row[LMP_OBJECT_PROTO]++, names, constants, protos, locals, n;
    uintptr_t at = w->at, source = object_word(at + LMP_AT_PROTO_SOURCE);
    if (!w->mapped) w->uncounted += LMP_SIZE_PROTO;
    uintptr_t name =
        vector(w, LMP_AT_PROTO_UPVALUES, LMP_AT_PROTO_V_UPVALUES, LMP_SIZE_UPVALUE_NAME, &names);
    uintptr_t constant =
        vector(w, LMP_AT_PROTO_CONSTANTS, LMP_AT_PROTO_V_CONSTANTS, LMP_SLOT, &constants);
    uintptr_t proto = vector(w, LMP_AT_PROTO_PROTOS, LMP_AT_PROTO_V_PROTOS, 8, &protos);
    uintptr_t local =
        vector(w, LMP_AT_PROTO_LOCALS, LMP_AT_PROTO_V_LOCALS, LMP_SIZE_LOCAL_VARIABLE, &locals);
    vector(w, LMP_AT_PROTO_SIZECODE, LMP_AT_PROTO_CODE, LMP_INSTRUCTION, &n);
    vector(w, LMP_AT_PROTO_LINES, LMP_AT_PROTO_V_LINES, 1, &n);
    vector(w, LMP_AT_PROTO_ABSOLUTE, LMP_AT_PROTO_V_ABSOLUTE, LMP_SIZE_ABSOLUTE, &n);
    g->proto_line[row] = object_u32(at + LMP_AT_PROTO_LINE);
    g->proto_last[row] = object_u32(at + LMP_AT_PROTO_LAST);
    g->proto_code[row] = object_u32(at + LMP_AT_PROTO_SIZECODE);
    g->proto_source[row] = w->dead ? 0 : walk_number(w, source);
    if (w->dead) return true;
    if (!walk_room(w, 1ull + names + constants + protos + locals, 0, 0, 0)) return false;
    if (source) walk_edge(w, source, LMP_EDGE_DEBUG, 0);
    for (uint32_t i = 0; i < constants; i++)
        walk_value(w, constant + i * (uintptr_t)LMP_SLOT, LMP_EDGE_CONSTANT, i);
    for (uint32_t i = 0; i < protos; i++) {
        uintptr_t p = object_word(proto + i * 8ul);
        if (p) walk_edge(w, p, LMP_EDGE_PROTO, i);
    }
    for (uint32_t i = 0; i < names; i++) {
        uintptr_t s = object_word(name + i * (uintptr_t)LMP_SIZE_UPVALUE_NAME);
        if (s) walk_edge(w, s, LMP_EDGE_DEBUG, 1);
    }
    for (uint32_t i = 0; i < locals; i++) {
        uintptr_t s = object_word(local + i * (uintptr_t)LMP_SIZE_LOCAL_VARIABLE);
        if (s) walk_edge(w, s, LMP_EDGE_DEBUG, 1);
    }
    return true;
}
