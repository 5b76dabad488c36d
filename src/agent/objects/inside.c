/* inside.c - a value with contents is opened as a box, whose places (slots, then nodes) are
 * numbered; a request follows the numbers of its way from box to box, and describes a page of the
 * last one's places. */
#include "agent/objects/inside.h"

#include <stdio.h>
#include <string.h>

#include "agent/interp/locals.h"
#include "agent/map/shadow.h"
#include "agent/objects/objects.h"
#include "agent/objects/offsets.h"
#include "agent/objects/shape.h"

enum {
    SCAN_MOST = 1 << 22, /* slots that one request looks at */
    GLANCE = 256,        /* slots of each part of a table that a preview looks at */
    NAME_KEYS = 64       /* slots of a metatable in which its __name is looked for */
};

/* An object that has something in it. Places of entries: of a table first its array, then its
 * nodes; of a function its upvalues, of a userdata its user values. */
typedef struct Box {
    const LmpInsideSource *source;
    unsigned type; /* LMP_TT_ */
    uintptr_t at, meta;
    uint64_t slots, nodes;           /* in all; upvalues and user values are slots, too */
    uintptr_t array, node;           /* where they can be read ... */
    uint64_t slots_read, nodes_read; /* ... and how many of them */
} Box;

/* Returns where a part can be read now, and how many bytes of it. */
static uintptr_t readable(const LmpInsideSource *source, LmpObjectPart part, uint64_t *read) {
    const LmpObjectHand *hand = &source->hand;
    uintptr_t at = part.block, now = part.entries ? objecthand_moved(hand, at) : 0;
    uint64_t bytes = part.bytes, size;
    *read = 0;
    if (!now) return 0;
    if (source->p && shadow_lookup(source->p, now, &size) && bytes > size) bytes = size;
    if (at == hand->old_addr && hand->new_addr) { /* what is beyond has not been written yet */
        if (bytes > hand->old_size) bytes = hand->old_size;
        if (bytes > hand->new_size) bytes = hand->new_size;
    }
    *read = bytes;
    return now;
}

static void open_parts(const LmpInsideSource *source, LmpObjectPart array, LmpObjectPart hash,
                       Box *box) {
    uint64_t bytes;
    box->slots = array.entries;
    box->array = readable(source, array, &bytes);
    box->slots_read = luafacts_array_readable(array.entries, bytes);
    box->nodes = box->nodes_read = hash.entries;
    box->node = readable(source, hash, &bytes);
    box->node = object_first_node(box->node, bytes, &box->nodes_read);
}

static bool open_box(const LmpInsideSource *source, uintptr_t object, Box *box) {
    *box = (Box){.source = source, .at = object, .type = object_u8(object + LMP_AT_TYPE)};
    switch (box->type) {
    case LMP_TT_TABLE:
        box->meta = object_word(object + LMP_AT_TABLE_META);
        open_parts(source, object_array(offsets_get(), object), object_hash_part(object), box);
        return true;
    case LMP_TT_LUA_CLOSURE:
    case LMP_TT_C_CLOSURE:
        box->slots = box->slots_read = object_u8(object + LMP_AT_CLOSURE_UPVALUES);
        box->array = object + LMP_AT_CLOSURE_UPVALUE;
        return true;
    case LMP_TT_USERDATA:
        box->meta = object_word(object + LMP_AT_USERDATA_META);
        box->slots = box->slots_read = object_u16(object + LMP_AT_USERDATA_VALUES);
        box->array = object + offsets_get()->user_values;
        return true;
    default:
        return false;
    }
}

static const LmpObjectSlot no_slot = {0, 0};

/* Returns the value at a place that can be read; no_slot: none. */
static LmpObjectSlot value_at(const Box *box, uint64_t place) {
    if (place < box->slots) {
        if (place >= box->slots_read) return no_slot;
        if (box->type == LMP_TT_TABLE) return object_array_slot(box->array, box->slots, place);
        if (box->type != LMP_TT_LUA_CLOSURE) return object_slot(box->array + place * LMP_SLOT);
        uintptr_t upvalue = object_word(box->array + place * 8);
        uintptr_t at = upvalue ? object_word(upvalue + LMP_AT_UPVALUE_AT) : 0;
        return at ? object_slot(at) : no_slot;
    }
    place -= box->slots;
    return place < box->nodes_read ? object_slot(box->node + place * LMP_SIZE_NODE) : no_slot;
}

static bool is_used(LmpObjectSlot slot) {
    return slot.value && object_is_used(slot);
}

/* Returns true if there is an entry. Upvalues and user values are entries, whatever their value. */
static bool is_entry(const Box *box, uint64_t place) {
    LmpObjectSlot slot = value_at(box, place);
    return box->type == LMP_TT_TABLE ? is_used(slot) : slot.value != 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void name_bytes(LmpLocal *out, const char *bytes, uint64_t size) {
    uint64_t n = size < sizeof out->name - 1 ? size : sizeof out->name - 1;
    memcpy(out->name, bytes, n);
    out->name[n] = 0;
    if (n < size || memchr(bytes, 0, n)) out->flags |= LMP_LOCAL_CUT;
}

static const char *type_name(unsigned tag) {
    static const char *const names[] = {"nil",   "boolean",  "userdata", "number", "string",
                                        "table", "function", "userdata", "thread"};
    unsigned type = tag & LMP_TT_TYPE;
    return type < sizeof names / sizeof *names ? names[type] : "?";
}

static lua_Number number_of(uintptr_t word) {
    lua_Number n;
    _Static_assert(sizeof n == sizeof word, "Lua's numbers are words");
    memcpy(&n, &word, sizeof n);
    return n;
}

/* A key that is neither a string nor an integer. */
static void name_other(LmpLocal *out, unsigned tag, uintptr_t key) {
    out->key = LMP_KEY_OTHER;
    if (tag == LMP_TT_FLOAT) {
        locals_write_number(out->name, sizeof out->name, number_of(key));
    } else if ((tag & LMP_TT_TYPE) == LUA_TBOOLEAN) {
        snprintf(out->name, sizeof out->name, "%s", tag == LMP_TT_TRUE ? "true" : "false");
    } else {
        snprintf(out->name, sizeof out->name, "%s 0x%llx", type_name(tag), (unsigned long long)key);
    }
}

static void name_node(LmpLocal *out, uintptr_t node) {
    unsigned tag = object_u8(node + LMP_AT_NODE_KEY_TAG);
    uintptr_t key = object_word(node + LMP_AT_NODE_KEY);
    uint64_t size;
    if (object_is_string(tag)) {
        const char *bytes = object_string(key, &size);
        out->key = LMP_KEY_STRING;
        name_bytes(out, bytes, size);
    } else if (tag == LMP_TT_INTEGER) {
        out->key = LMP_KEY_INTEGER;
        snprintf(out->name, sizeof out->name, "%lld", (long long)key);
    } else {
        name_other(out, tag, key);
    }
}

/* The name of an upvalue as its function's code has it; none where that is stripped. */
static void name_upvalue(LmpLocal *out, const Box *box, uint64_t place) {
    out->key = LMP_KEY_VARIABLE;
    if (box->type != LMP_TT_LUA_CLOSURE) return;
    uintptr_t proto = object_word(box->at + LMP_AT_CLOSURE_CODE), name;
    uint64_t names, size;
    if (!proto) return;
    uint64_t n = object_u32(proto + LMP_AT_PROTO_UPVALUES);
    LmpObjectPart part = {object_word(proto + LMP_AT_PROTO_V_UPVALUES), n * LMP_SIZE_UPVALUE_NAME,
                          n};
    uintptr_t from = readable(box->source, part, &names);
    names /= LMP_SIZE_UPVALUE_NAME;
    if (place >= names || !(name = object_word(from + place * LMP_SIZE_UPVALUE_NAME))) return;
    const char *bytes = object_string(name, &size);
    name_bytes(out, bytes, size);
}

static void name_entry(LmpLocal *out, const Box *box, uint64_t place) {
    if (place == LMP_INSIDE_META) {
        out->key = LMP_KEY_METATABLE;
    } else if (box->type == LMP_TT_USERDATA) {
        out->key = LMP_KEY_VALUE;
        snprintf(out->name, sizeof out->name, "%llu", (unsigned long long)place + 1);
    } else if (box->type != LMP_TT_TABLE) {
        name_upvalue(out, box, place);
    } else if (place < box->slots) {
        out->key = LMP_KEY_INTEGER;
        snprintf(out->name, sizeof out->name, "%llu", (unsigned long long)place + 1);
    } else {
        name_node(out, value_at(box, place).value);
    }
}

/* ---- previews -------------------------------------------------------------------------------- */

static void preview_table(const Box *box, LmpLocal *out) {
    LmpObjectKeys keys = {.count = 0};
    uint64_t entries = 0, names = 0, size;
    uint64_t slots = box->slots_read < GLANCE ? box->slots_read : GLANCE;
    uint64_t nodes = box->nodes_read < GLANCE ? box->nodes_read : GLANCE;
    for (uint64_t i = 0; i < slots; i++)
        entries += is_used(object_array_slot(box->array, box->slots, i));
    for (uint64_t i = 0; i < nodes; i++) {
        uintptr_t node = box->node + i * LMP_SIZE_NODE;
        if (!is_used(object_slot(node))) continue;
        entries++;
        if (!object_is_string(object_u8(node + LMP_AT_NODE_KEY_TAG))) continue;
        const char *bytes = object_string(object_word(node + LMP_AT_NODE_KEY), &size);
        objectkeys_add(&keys, bytes, size);
        names++;
    }
    bool all = slots == box->slots && nodes == box->nodes;
    out->whole = entries;
    out->flags |= LMP_LOCAL_SEEN;
    if (!all) out->flags |= LMP_LOCAL_LEAST;
    if (names < entries) out->flags |= LMP_LOCAL_PLAIN;
    if (entries || !all || box->meta) out->flags |= LMP_LOCAL_OPENS;
    if (!names) return;
    uint32_t shown = objectkeys_join(&keys, out->value, LMP_LOCAL_BYTES, &out->size);
    out->flags |= LMP_LOCAL_KEYS | (all && shown == names ? LMP_LOCAL_ALL : 0u);
}

/* "app.lua:12", of the end of the source's name. */
static void preview_function(const Box *box, LmpLocal *out) {
    uintptr_t proto = object_word(box->at + LMP_AT_CLOSURE_CODE);
    uintptr_t source = proto ? object_word(proto + LMP_AT_PROTO_SOURCE) : 0;
    if (!source) return;
    uint64_t size;
    char text[LMP_LOCAL_BYTES];
    const char *name = object_string(source, &size), *slash;
    bool file = size && *name == '@', stripped = size && *name == '=';
    if (!file && !stripped) {
        name = "[string]";
        size = strlen(name);
    } else {
        name++, size--;
    }
    while (file && (slash = memchr(name, '/', size))) {
        size -= (uint64_t)(slash + 1 - name);
        name = slash + 1;
    }
    int shown = size < 48 ? (int)size : 48;
    snprintf(text, sizeof text, "%.*s:%u", shown, name, object_u32(proto + LMP_AT_PROTO_LINE));
    locals_put_bytes(out, text, strlen(text));
    out->flags |= LMP_LOCAL_NAMED;
}

/* Returns the __name of a metatable, if it is found soon; NULL. */
static const char *type_of_metatable(const LmpInsideSource *source, uintptr_t meta,
                                     uint64_t *size) {
    static const char name[] = "__name";
    Box box;
    if (!open_box(source, meta, &box) || box.type != LMP_TT_TABLE) return NULL;
    for (uint64_t i = 0; i < box.nodes_read && i < NAME_KEYS; i++) {
        uintptr_t node = box.node + i * LMP_SIZE_NODE;
        if (!is_used(object_slot(node)) || !object_is_string(object_u8(node + LMP_AT_NODE_KEY_TAG)))
            continue;
        const char *key = object_string(object_word(node + LMP_AT_NODE_KEY), size);
        if (*size != sizeof name - 1 || memcmp(key, name, *size)) continue;
        if (!object_is_string(object_u8(node + LMP_AT_SLOT_TAG))) return NULL;
        return object_string(object_word(node), size);
    }
    return NULL;
}

static void preview_userdata(const Box *box, LmpLocal *out) {
    uint64_t size;
    const char *name = box->meta ? type_of_metatable(box->source, box->meta, &size) : NULL;
    if (!name || !size) return;
    locals_put_bytes(out, name, size);
    out->flags |= LMP_LOCAL_NAMED;
}

void inside_preview(const LmpInsideSource *source, LmpLocal *local) {
    Box box;
    if (!local->object || !open_box(source, local->object, &box)) return;
    if (box.type == LMP_TT_TABLE) {
        preview_table(&box, local);
        return;
    }
    if (box.slots || box.meta) local->flags |= LMP_LOCAL_OPENS;
    if (box.type == LMP_TT_LUA_CLOSURE) preview_function(&box, local);
    if (box.type == LMP_TT_USERDATA) preview_userdata(&box, local);
}

/* The value in a slot. */
static void describe(const LmpInsideSource *source, unsigned tag, uintptr_t word, LmpLocal *out) {
    uint64_t size;
    snprintf(out->type, sizeof out->type, "%s", type_name(tag));
    if (tag & LMP_TAG_COLLECTABLE) out->object = word;
    if (object_is_string(tag)) {
        const char *bytes = object_string(word, &size);
        locals_put_bytes(out, bytes, size);
    } else if (tag == LMP_TT_INTEGER) {
        locals_put_integer(out, (lua_Integer)word);
    } else if (tag == LMP_TT_FLOAT) {
        locals_put_float(out, number_of(word));
    } else if ((tag & LMP_TT_TYPE) == LUA_TBOOLEAN) {
        locals_put_boolean(out, tag == LMP_TT_TRUE);
    } else if (tag & LMP_TT_TYPE) {
        uintptr_t at = word;
        if (tag == LMP_TAG_USERDATA) { /* as "%p" of it says */
            unsigned values = object_u16(word + LMP_AT_USERDATA_VALUES);
            at += offsets_userdata_head(values);
        }
        locals_put_address(out, (const void *)at); /* NOLINT */
        inside_preview(source, out);
    }
}

/* ---- a request ------------------------------------------------------------------------------- */

/* Returns the object at the end of the way; 0: it leads nowhere. */
static uintptr_t follow(const LmpInsideSource *source, uintptr_t object,
                        const LmpInsideWish *wish) {
    uint32_t steps = wish->steps < LMP_INSIDE_STEPS ? wish->steps : LMP_INSIDE_STEPS;
    for (uint32_t i = 0; i < steps && object; i++) {
        Box box;
        if (!open_box(source, object, &box)) return 0;
        if (wish->step[i] == LMP_INSIDE_META) {
            object = box.meta;
            continue;
        }
        LmpObjectSlot slot = value_at(&box, wish->step[i]);
        if (!is_used(slot)) return 0;
        object = object_u8(slot.tag) & LMP_TAG_COLLECTABLE ? object_word(slot.value) : 0;
    }
    return object;
}

static uint64_t places_of(const Box *box) {
    return box->slots + box->nodes;
}

/* Returns the place after `place`, past those that cannot be read now. */
static uint64_t next_place(const Box *box, uint64_t place) {
    place++;
    if (place >= box->slots_read && place < box->slots) place = box->slots;
    if (place >= box->slots + box->nodes_read && place < places_of(box)) place = places_of(box);
    return place;
}

static void count_entries(const Box *box, LmpInside *out) {
    uint64_t place = box->slots_read || !box->slots ? 0 : box->slots;
    for (uint32_t looked = 0; place < places_of(box); place = next_place(box, place)) {
        if (looked++ == SCAN_MOST) {
            out->least = 1;
            break;
        }
        out->entries += is_entry(box, place);
    }
    out->entries += box->meta != 0;
}

static void put_row(const Box *box, uint64_t place, LmpInside *out) {
    LmpLocal *row = &out->row[out->rows++];
    memset(row, 0, sizeof *row);
    row->place = place;
    name_entry(row, box, place);
    if (place == LMP_INSIDE_META) {
        describe(box->source, LMP_TAG_TABLE, box->meta, row);
        return;
    }
    LmpObjectSlot slot = value_at(box, place);
    describe(box->source, object_u8(slot.tag), object_word(slot.value), row);
}

static void read_page(const Box *box, const LmpInsideWish *wish, LmpInside *out) {
    uint32_t rows = wish->rows < LMP_INSIDE_ROWS ? wish->rows : LMP_INSIDE_ROWS, looked = 0;
    uint64_t place = wish->from;
    if (place >= box->slots_read && place < box->slots) place = box->slots;
    for (; place < places_of(box); place = next_place(box, place)) {
        if (!is_entry(box, place)) {
            if (looked++ < SCAN_MOST) continue;
            out->next = place;
            return;
        }
        if (out->rows == rows) {
            out->next = place;
            return;
        }
        put_row(box, place, out);
    }
    if (!box->meta || wish->from > LMP_INSIDE_META) return;
    if (out->rows < rows)
        put_row(box, LMP_INSIDE_META, out);
    else
        out->next = LMP_INSIDE_META;
}

void inside_read(const LmpInsideSource *source, const LmpLocal *variable, const LmpInsideWish *wish,
                 LmpInside *out) {
    Box box;
    out->state = LMP_INSIDE_NONE;
    out->object = follow(source, variable->object, wish);
    out->entries = out->unseen = 0;
    out->least = out->rows = 0;
    out->next = LMP_INSIDE_END;
    if (!out->object || !open_box(source, out->object, &box)) return;
    out->state = LMP_INSIDE_READ;
    out->unseen = box.slots - box.slots_read + box.nodes - box.nodes_read;
    if (wish->from == 0) count_entries(&box, out);
    read_page(&box, wish, out);
}
