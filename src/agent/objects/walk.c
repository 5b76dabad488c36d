/* walk.c - in order: the map is swept (index.c); the collector's lists say which of its blocks are
 * objects, and which objects are not in it; these get their numbers; one pass over them in that
 * order writes their columns and references and claims their parts; what nobody has claimed goes
 * into the lots. */
#include "agent/objects/walk.h"

#include <string.h>

#include "agent/objects/offsets.h"
#include "agent/objects/walk_impl.h"

enum { TEXT_MAX = 96, MARK_THREAD = 4, FIRST_EDGES = 1 << 16 };

/* ---- kinds ----------------------------------------------------------------------------------- */

static int kind_of(unsigned type) {
    switch (type) {
    case LMP_TT_SHORT_STRING:
    case LMP_TT_LONG_STRING:
        return LMP_OBJECT_STRING;
    case LMP_TT_TABLE:
        return LMP_OBJECT_TABLE;
    case LMP_TT_LUA_CLOSURE:
        return LMP_OBJECT_LUA_FUNCTION;
    case LMP_TT_C_CLOSURE:
        return LMP_OBJECT_C_FUNCTION;
    case LMP_TT_USERDATA:
        return LMP_OBJECT_USERDATA;
    case LMP_TT_THREAD:
        return LMP_OBJECT_THREAD;
    case LMP_TT_UPVALUE:
        return LMP_OBJECT_UPVALUE;
    case LMP_TT_PROTO:
        return LMP_OBJECT_PROTO;
    default:
        return -1;
    }
}

uint32_t walk_is(const LmpObjectWalk *w, uintptr_t at, int type) {
    uint32_t n = walk_number(w, at);
    return n && object_u8(at + LMP_AT_TYPE) == type ? n : 0;
}

/* ---- room ------------------------------------------------------------------------------------ */

static bool grow(LmpObjectWalk *w, void **column, uint64_t used, uint64_t room, uint64_t width) {
    return objectmemory_grow(w->memory, column, used * width, room * width);
}

/* One more column of a growing table. */
#define GROW(column, used, room)                                                                   \
    do {                                                                                           \
        void *at_ = (column);                                                                      \
        bool grown_ = grow(w, &at_, used, room, sizeof *(column));                                 \
        (column) = at_;                                                                            \
        if (!grown_) return false;                                                                 \
    } while (0)

static uint64_t larger(uint64_t room, uint64_t need) {
    uint64_t twice = room * 2 + 1024;
    return twice > need ? twice : need;
}

bool walk_room(LmpObjectWalk *w, uint64_t edges, uint64_t wides, uint64_t frames, uint64_t slots) {
    LmpObjectGraph *g = w->g;
    if (w->edges + edges > w->edges_room) {
        uint64_t room = larger(w->edges_room, w->edges + edges);
        if (room >= LMP_OBJECT_NONE && (room = w->edges + edges) >= LMP_OBJECT_NONE) return false;
        GROW(g->edge_to, w->edges, room);
        GROW(g->edge_label, w->edges, room);
        GROW(g->edge_kind, w->edges, room);
        w->edges_room = room;
    }
    if (g->wides + wides > w->wides_room) {
        uint64_t room = larger(w->wides_room, g->wides + wides);
        GROW(g->wide, g->wides, room);
        w->wides_room = room;
    }
    if (g->frames + frames > w->frames_room) {
        uint64_t room = larger(w->frames_room, g->frames + frames);
        GROW(g->frame_function, g->frames, room);
        GROW(g->frame_address, g->frames, room);
        GROW(g->frame_line, g->frames, room);
        w->frames_room = room;
    }
    if (g->slots + slots > w->slots_room) {
        uint64_t room = larger(w->slots_room, g->slots + slots);
        GROW(g->slot_frame, g->slots, room);
        GROW(g->slot_name, g->slots, room);
        GROW(g->slot_number, g->slots, room);
        w->slots_room = room;
    }
    return true;
}

#define COLUMN(column, rows)                                                                       \
    if (!((column) = objectmemory_get(w->memory, (uint64_t)(rows) * sizeof *(column)))) return false

static bool make_columns(LmpObjectWalk *w, uint32_t objects) {
    LmpObjectGraph *g = w->g;
    COLUMN(g->kind, objects);
    COLUMN(g->flags, objects);
    COLUMN(g->size, objects);
    COLUMN(g->addr, objects);
    COLUMN(g->context, objects);
    COLUMN(g->birth, objects);
    COLUMN(g->edge_at, objects + 1ull);
    COLUMN(g->string_length, g->count[LMP_OBJECT_STRING]);
    COLUMN(g->string_shown, g->count[LMP_OBJECT_STRING]);
    COLUMN(g->string_hash, g->count[LMP_OBJECT_STRING]);
    COLUMN(g->table_array, g->count[LMP_OBJECT_TABLE]);
    COLUMN(g->table_array_used, g->count[LMP_OBJECT_TABLE]);
    COLUMN(g->table_hash, g->count[LMP_OBJECT_TABLE]);
    COLUMN(g->table_hash_used, g->count[LMP_OBJECT_TABLE]);
    COLUMN(g->c_address, g->count[LMP_OBJECT_C_FUNCTION]);
    COLUMN(g->userdata_bytes, g->count[LMP_OBJECT_USERDATA]);
    COLUMN(g->proto_line, g->count[LMP_OBJECT_PROTO]);
    COLUMN(g->proto_last, g->count[LMP_OBJECT_PROTO]);
    COLUMN(g->proto_code, g->count[LMP_OBJECT_PROTO]);
    COLUMN(g->proto_source, g->count[LMP_OBJECT_PROTO]);
    COLUMN(g->thread_status, g->count[LMP_OBJECT_THREAD]);
    COLUMN(g->thread_frames, g->count[LMP_OBJECT_THREAD]);
    COLUMN(g->thread_stack, g->count[LMP_OBJECT_THREAD]);
    COLUMN(g->thread_stack_used, g->count[LMP_OBJECT_THREAD]);
    COLUMN(g->lot_what, LMP_LOTS);
    COLUMN(g->lot_blocks, LMP_LOTS);
    COLUMN(g->text, w->text_max);
    w->text_room = w->text_max;
    return walk_room(w, objects * 2ull + FIRST_EDGES, 1, 1, 1);
}

/* ---- the collector's lists ------------------------------------------------------------------- */

/* Enters one object: as its block in the map, or as one from before start. */
static LmpErr note(LmpObjectWalk *w, uintptr_t object, uint8_t flags) {
    unsigned type = object_u8(object + LMP_AT_TYPE);
    int kind = kind_of(type);
    if (kind < 0) return LMP_E_DAMAGED;
    uintptr_t at = walk_block(w, type, object);
    uint32_t block = index_find(&w->index, at);
    if (block == LMP_NO_BLOCK) block = index_add(&w->index, at);
    if (block == LMP_NO_BLOCK) return LMP_E_NOMEM;
    uint8_t *mark = index_mark(&w->index, block);
    if (*mark) return LMP_E_DAMAGED; /* in two lists, or a list in a circle */
    *mark = LMP_MARK_OBJECT | flags;
    w->g->count[kind]++;
    if (kind != LMP_OBJECT_THREAD) return LMP_OK;
    *mark |= MARK_THREAD;
    return walk_note_thread(w, object) ? LMP_OK : LMP_E_NOMEM;
}

/* Returns true if the string is "__mode", the field that says how weak a table is. */
static bool is_mode(uintptr_t string) {
    static const char mode[] = "__mode";
    return object_u8(string + LMP_AT_TYPE) == LMP_TT_SHORT_STRING &&
           object_u8(string + LMP_AT_STRING_SHORT) == sizeof mode - 1 &&
           !memcmp((const char *)string + LMP_STRING_HEAD, mode, sizeof mode - 1); /* NOLINT */
}

static LmpErr note_lists(LmpObjectWalk *w) {
    const struct {
        uint16_t at;
        uint8_t flags;
    } list[] = {{w->layout->all, 0},
                {w->layout->finalizers, LMP_OBJECT_FINALIZER},
                {w->layout->waiting, LMP_OBJECT_FINALIZER | LMP_OBJECT_FINALIZING},
                {w->layout->fixed, LMP_OBJECT_FIXED}};
    LmpErr err = note(w, (uintptr_t)w->source->main, 0);
    for (unsigned i = 0; i < sizeof list / sizeof *list && err == LMP_OK; i++) {
        uintptr_t o = object_word(w->global + list[i].at);
        for (; o && err == LMP_OK; o = object_word(o + LMP_AT_NEXT)) {
            if (o == (uintptr_t)w->source->main) continue; /* in the list of some releases */
            walk_step(w);
            err = note(w, o, list[i].flags);
            if (list[i].flags & (LMP_OBJECT_FINALIZING | LMP_OBJECT_FIXED)) w->root_edges++;
            if (list[i].flags & LMP_OBJECT_FIXED && is_mode(o)) w->mode = o;
        }
    }
    return err;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

uintptr_t walk_claim(LmpObjectWalk *w, uintptr_t now, uint64_t *bytes) {
    const LmpObjectHand *hand = &w->source->hand;
    uint32_t block = index_find(&w->index, now);
    uint64_t size = block == LMP_NO_BLOCK ? 0 : index_size(&w->index, block);
    if (!size) { /* from before start */
        w->uncounted += *bytes;
        return now;
    }
    uint8_t *mark = index_mark(&w->index, block);
    if (!*mark) {
        *mark = LMP_MARK_PART;
        w->g->size[w->object] += size;
        w->sums.bytes += size;
        w->sums.blocks++;
        w->counted = true;
    }
    if (*bytes > size) *bytes = size;
    if (now == hand->new_addr && hand->old_addr && *bytes > hand->old_size)
        *bytes = hand->old_size; /* the rest has not been written yet */
    return now;
}

uintptr_t walk_part(LmpObjectWalk *w, uintptr_t at, uint64_t *bytes) {
    uintptr_t now = walk_moved(w, at);
    return now ? walk_claim(w, now, bytes) : 0;
}

/* Returns the lot of a block that no object has. */
static LmpObjectLot lot_of(unsigned cls) {
    switch (cls) {
    case LMP_C_STRING:
    case LMP_C_FUNCTION:
    case LMP_C_USERDATA:
    case LMP_C_THREAD:
    case LMP_C_TABLE:
        return LMP_LOT_OBJECTS;
    case LMP_C_STRING_PART:
        return LMP_LOT_STRINGS;
    case LMP_C_FUNCTION_PART:
        return LMP_LOT_CODE;
    case LMP_C_OTHER:
        return LMP_LOT_HOST;
    default:
        return LMP_LOT_PARTS;
    }
}

typedef struct Lots {
    uint64_t bytes[LMP_LOTS];
    uint32_t blocks[LMP_LOTS];
} Lots;

static void gather_lots(LmpObjectWalk *w, Lots *lots) {
    const LmpObjectIndex *x = &w->index;
    uint32_t all = x->blocks + x->odd;
    uintptr_t strings = walk_moved(w, object_word(w->global + w->layout->strings));
    uintptr_t in_hand = w->source->hand.new_addr;
    uint32_t table = strings ? index_find(x, strings) : LMP_NO_BLOCK;
    uint32_t hand = in_hand ? index_find(x, in_hand) : LMP_NO_BLOCK;
    for (uint32_t i = 0; i < all; i++) {
        walk_step(w);
        if (*index_mark(x, i)) continue;
        LmpObjectLot lot = lot_of(index_entry(x, i) & 15);
        if (i == hand) lot = LMP_LOT_HAND;
        if (i == table) lot = LMP_LOT_STRING_TABLE;
        lots->bytes[lot] += index_size(&w->index, i);
        lots->blocks[lot]++;
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool walk_one(LmpObjectWalk *w, int type) {
    switch (type) {
    case LMP_TT_SHORT_STRING:
    case LMP_TT_LONG_STRING:
        return walk_string(w, type);
    case LMP_TT_TABLE:
        return walk_table(w);
    case LMP_TT_LUA_CLOSURE:
        return walk_lua_function(w);
    case LMP_TT_C_CLOSURE:
        return walk_c_function(w);
    case LMP_TT_USERDATA:
        return walk_userdata(w);
    case LMP_TT_THREAD:
        return walk_thread(w);
    case LMP_TT_PROTO:
        return walk_proto(w);
    default:
        return walk_upvalue(w);
    }
}

static void root_edge(LmpObjectWalk *w, uint32_t to, uint32_t label, unsigned kind) {
    if (!to) return;
    w->g->edge_to[w->roots_at] = to;
    w->g->edge_label[w->roots_at] = label;
    w->g->edge_kind[w->roots_at++] = (uint8_t)kind;
}

static void roots(LmpObjectWalk *w) {
    uintptr_t main = (uintptr_t)w->source->main;
    uint32_t extra = w->layout->extra;
    root_edge(w, walk_number(w, object_word(w->global + w->layout->registry)), LMP_ROOT_REGISTRY,
              LMP_EDGE_ROOT);
    root_edge(w, walk_number(w, main - extra), LMP_ROOT_MAIN, LMP_EDGE_ROOT);
    if (w->running && w->running != main)
        root_edge(w, walk_number(w, w->running - extra), LMP_ROOT_RUNNING, LMP_EDGE_ROOT);
    for (uint32_t i = 0; i < LMP_BASIC_TYPES; i++)
        root_edge(w, walk_number(w, object_word(w->global + w->layout->metatables + i * 8ul)),
                  LMP_ROOT_METATABLE + i, LMP_EDGE_ROOT);
}

static bool walk_object(LmpObjectWalk *w, const LmpObjectCursor *c) {
    LmpObjectGraph *g = w->g;
    const LmpObjectIndex *x = &w->index;
    uint32_t n = w->object;
    uint8_t mark = *index_mark(x, c->block);
    uint64_t size = index_size(x, c->block);
    w->at = c->at + (mark & MARK_THREAD ? w->layout->extra : 0);
    unsigned type = object_u8(w->at + LMP_AT_TYPE);
    w->dead = object_u8(w->at + LMP_AT_MARKED) & w->dead_white;
    w->mapped = w->counted = size != 0;
    w->uncounted = 0;
    w->sums.dead += w->dead;
    w->sums.bytes += size;
    w->sums.blocks += w->mapped;
    g->kind[n] = (uint8_t)kind_of(type);
    g->flags[n] = mark & LMP_MARK_FLAGS;
    g->addr[n] = c->at;
    g->size[n] = size;
    g->edge_at[n] = (uint32_t)w->edges;
    if (w->mapped) {
        g->birth[n] = index_entry(x, c->block);
        g->context[n] = index_context(x, c->block);
    }
    if (mark & LMP_OBJECT_FINALIZING) root_edge(w, n, LMP_ROOT_FINALIZING, LMP_EDGE_ROOT);
    if (mark & LMP_OBJECT_FIXED) root_edge(w, n, LMP_ROOT_FIXED, LMP_EDGE_ROOT);
    if (!walk_one(w, (int)type)) return false;
    if (!w->counted) {
        g->flags[n] |= LMP_OBJECT_BEFORE;
        g->size[n] = w->uncounted;
    }
    return true;
}

/* The lots are the last objects; the root leads to each. Its references stand before all others,
 * where there is room for as many as there might be. */
static void end_lots(LmpObjectWalk *w, const Lots *lots) {
    LmpObjectGraph *g = w->g;
    for (uint32_t lot = 0; lot < LMP_LOTS; lot++) {
        if (!lots->blocks[lot]) continue;
        uint32_t n = w->object++, row = w->row[LMP_OBJECT_LOT]++;
        g->kind[n] = LMP_OBJECT_LOT;
        g->size[n] = lots->bytes[lot];
        g->edge_at[n] = (uint32_t)w->edges;
        g->lot_what[row] = lot;
        g->lot_blocks[row] = lots->blocks[lot];
        w->sums.bytes += lots->bytes[lot];
        w->sums.blocks += lots->blocks[lot];
        root_edge(w, n, lot, LMP_EDGE_LOT);
    }
    uint32_t unused = w->root_edges - w->roots_at, used = w->roots_at;
    memmove(g->edge_to + unused, g->edge_to, used * sizeof *g->edge_to);
    memmove(g->edge_label + unused, g->edge_label, used * sizeof *g->edge_label);
    memmove(g->edge_kind + unused, g->edge_kind, used);
    g->edge_to += unused;
    g->edge_label += unused;
    g->edge_kind += unused;
    g->edge_at[w->object] = (uint32_t)w->edges;
    for (uint32_t i = 1; i <= w->object; i++)
        g->edge_at[i] -= unused;
    g->count[LMP_OBJECT_LOT] = w->row[LMP_OBJECT_LOT];
    g->objects = w->object;
    g->edges = (uint32_t)w->edges - unused;
}

static bool walk_all(LmpObjectWalk *w) {
    LmpObjectGraph *g = w->g;
    uint32_t objects;
    Lots lots = {{0}, {0}};
    if (!index_number(&w->index, &objects)) return false;
    w->root_edges += 3 + LMP_BASIC_TYPES + LMP_LOTS;
    if (!make_columns(w, objects + LMP_LOTS) || !walk_room(w, w->root_edges, 0, 0, 0)) return false;
    walk_sort_threads(w);
    g->kind[0] = LMP_OBJECT_ROOT;
    g->count[LMP_OBJECT_ROOT] = 1;
    w->edges = w->root_edges;
    roots(w);
    LmpObjectCursor c = {.x = &w->index};
    for (w->object = 1; index_next(&c); w->object++) {
        walk_step(w);
        if (!walk_object(w, &c)) return false;
    }
    gather_lots(w, &lots);
    end_lots(w, &lots);
    return true;
}

static LmpErr walk(LmpObjectWalk *w) {
    if (!index_sweep(&w->index, w->source, w->memory)) return LMP_E_NOMEM;
    LmpErr err = note_lists(w);
    if (err != LMP_OK) return err;
    if (!walk_all(w)) return LMP_E_NOMEM;
    objectmemory_drop(w->memory, w->thread);
    index_drop(&w->index);
    return LMP_OK;
}

/* ---- for who calls --------------------------------------------------------------------------- */

void walk_source(LmpObjectSource *source, const LmpProfile *p, const LmpObjectHand *hand) {
    *source = (LmpObjectSource){.main = p->main,
                                .p = p,
                                .leaves = p->live->leaves,
                                .leaf_base = p->live->leaf_base,
                                .leaf = p->leaves.all,
                                .overflow = p->overflow};
    if (hand) source->hand = *hand;
}

void walk_source_bare(LmpObjectSource *source, lua_State *main) {
    *source = (LmpObjectSource){.main = main};
}

LmpErr walk_run(const LmpObjectSource *source, LmpObjectMemory *memory, LmpObjectGraph *out,
                LmpObjectSums *sums) {
    objectmemory_init(memory);
    memset(out, 0, sizeof *out);
    LmpErr err = offsets_known();
    if (err != LMP_OK) return err;
    if (source->p && source->p->closing) return LMP_E_CLOSED;
    const LmpObjectOffsets *layout = offsets_get();
    LmpObjectWalk w = {.source = source,
                       .layout = layout,
                       .memory = memory,
                       .g = out,
                       .global = frames_word(source->main, LMP_AT_L_GLOBAL),
                       .text_max = source->text_max ? source->text_max : TEXT_MAX};
    w.dead_white = (object_u8(w.global + layout->colour) & LMP_WHITES) ^ LMP_WHITES;
    err = walk(&w);
    if (err != LMP_OK) {
        objectmemory_free(memory);
        memset(out, 0, sizeof *out);
    }
    if (sums) *sums = w.sums;
    return err;
}
