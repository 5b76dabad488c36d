/* shape.c - reads a table's keys if it is one for certain: the parts of a table that the map knows
 * are in the map, too, with exactly their size, so a block that only looks like a table does not
 * pass, nor does one that is being freed. Tables that the collector has found to be garbage may
 * refer to what it has freed already, and are left alone; any other refers to nothing that is
 * gone. */
#include "agent/objects/shape.h"

#include <string.h>

#include "agent/map/shadow.h"
#include "agent/objects/offsets.h"

enum { GLANCE = 256 /* nodes that are looked at: more are a dictionary */ };

bool shape_is_dead(const LmpProfile *p, uintptr_t object) {
    uintptr_t global = frames_word(p->main, LMP_AT_L_GLOBAL);
    unsigned white = object_u8(global + offsets_get()->colour) & LMP_WHITES;
    return object_u8(object + LMP_AT_MARKED) & (white ^ LMP_WHITES);
}

/* Returns where a part of that size is now, and how much of it can be read; 0: nowhere. */
static uintptr_t part(LmpProfile *p, const LmpObjectHand *hand, uintptr_t at, uint64_t *bytes) {
    uintptr_t now = objecthand_moved(hand, at);
    uint64_t size = 0;
    if (!now || (shadow_lookup(p, now, &size) & 15) != LMP_C_TABLE_PART) return 0;
    if (at == hand->old_addr && at) {
        if (*bytes != hand->old_size) return 0;
        if (*bytes > size) *bytes = size;
    } else if (size != *bytes) {
        return 0;
    }
    return now;
}

typedef struct Shape {
    LmpObjectKeys keys;
    uint64_t sum;    /* over its string keys, in any order */
    uint32_t names;  /* string keys */
    unsigned others; /* LMP_SHAPE_ */
} Shape;

static void look_at(Shape *shape, uintptr_t node, uint64_t nodes) {
    for (uint64_t i = 0; i < nodes; i++, node += LMP_SIZE_NODE) {
        uint64_t size;
        if (!(object_u8(node + LMP_AT_SLOT_TAG) & LMP_TT_TYPE)) continue;
        unsigned tag = object_u8(node + LMP_AT_NODE_KEY_TAG);
        if (tag == LMP_TT_INTEGER) {
            shape->others |= LMP_SHAPE_ITEMS;
        } else if (!object_is_string(tag)) {
            shape->others |= LMP_SHAPE_OTHERS;
        } else if (shape->names++ < LMP_OBJECT_KEYS) {
            const char *bytes = object_string(object_word(node + LMP_AT_NODE_KEY), &size);
            shape->sum += object_hash((uintptr_t)bytes, size) | 1;
            objectkeys_add(&shape->keys, bytes, size);
        }
    }
    if (shape->names > LMP_OBJECT_KEYS) shape->others |= LMP_SHAPE_MANY;
}

/* Returns true if there are items. A few slots tell, as arrays are filled from their beginning. */
static bool has_items(uintptr_t array, uint64_t slots, uint64_t readable) {
    for (uint64_t i = 0; i < readable && i < GLANCE; i++)
        if (object_is_used(object_array_slot(array, slots, i))) return true;
    return false;
}

void shape_read(LmpProfile *p, const LmpObjectHand *hand, uintptr_t table, uint64_t size,
                LmpPreview *out) {
    bool made = table == hand->new_addr || p->closing; /* or all is being freed */
    if (made || size != LMP_SIZE_TABLE || object_u8(table + LMP_AT_TYPE) != LMP_TT_TABLE) return;
    if (shape_is_dead(p, table)) return;
    Shape shape = {.names = 0};
    LmpObjectPart items = object_array(offsets_get(), table), hash = object_hash_part(table);
    uint64_t nodes = hash.entries;
    uintptr_t array = items.entries ? part(p, hand, items.block, &items.bytes) : 0;
    uintptr_t node = nodes ? part(p, hand, hash.block, &hash.bytes) : 0;
    if ((items.entries && !array) || (nodes && !node)) return;
    uint64_t readable = luafacts_array_readable(items.entries, items.bytes);
    if (array && has_items(array, items.entries, readable)) shape.others |= LMP_SHAPE_ITEMS;
    node = object_first_node(node, hash.bytes, &nodes);
    if (nodes > GLANCE)
        shape.others |= LMP_SHAPE_MANY;
    else
        look_at(&shape, node, nodes);
    bool many = shape.others & LMP_SHAPE_MANY;
    uint32_t names = many ? 0 : shape.names;
    out->valid = LMP_PREVIEW_SHAPE;
    out->shape = shape.others | (names ? LMP_SHAPE_NAMES : 0u);
    out->size = names;
    out->hash = (many ? 0 : shape.sum) * 0x9e3779b97f4a7c15ull + names * 64ull + out->shape + 1;
    if (names &&
        objectkeys_join(&shape.keys, (char *)out->bytes, LMP_PREVIEW_BYTES, &out->shown) < names)
        out->shape |= LMP_SHAPE_CUT;
}

/* ---- keys in order --------------------------------------------------------------------------- */

static int compare(const char *a, uint64_t a_size, const char *b, uint64_t b_size) {
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

void objectkeys_add(LmpObjectKeys *keys, const char *bytes, uint64_t size) {
    uint32_t i = keys->count;
    if (i < LMP_OBJECT_KEYS) {
        keys->count++;
    } else {
        i = LMP_OBJECT_KEYS - 1;
        if (compare(keys->bytes[i], keys->size[i], bytes, size) <= 0) return;
    }
    for (; i > 0 && compare(keys->bytes[i - 1], keys->size[i - 1], bytes, size) > 0; i--) {
        keys->bytes[i] = keys->bytes[i - 1];
        keys->size[i] = keys->size[i - 1];
    }
    keys->bytes[i] = bytes;
    keys->size[i] = size;
}

uint32_t objectkeys_join(const LmpObjectKeys *keys, char *out, uint32_t room, uint32_t *size) {
    *size = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        uint32_t before = i ? 2 : 0;
        if (*size + before + keys->size[i] > room) return i;
        memcpy(out + *size, ", ", before);
        memcpy(out + *size + before, keys->bytes[i], keys->size[i]);
        *size += before + (uint32_t)keys->size[i];
    }
    return keys->count;
}
