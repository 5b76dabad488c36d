/* containers.c - a look is one sweep over all leaves, some units of work at each tick: a part of a
 * table is sampled for used slots, and a few entries are followed breadth first. At its end each
 * line's row is concluded, and the rows with the most entries are published. */
#include "agent/objects/containers.h"

#include "agent/map/shadow.h"
#include "agent/objects/objects.h"
#include "agent/objects/offsets.h"

enum {
    /* Of one tick. A unit is about 8 ns: 8 entries of the map, or a slot; an object takes more. */
    UNITS_LEAST = 250,
    UNITS_MOST = 25000,
    UNIT_PASSED = 1600, /* nanoseconds for each since units were spent last */
    UNIT_ENTRIES = 8,
    OBJECT_UNITS = 8,
    SLOTS_LEAST = 32, /* of a part that is looked at */
    RUNS = 256,       /* stretches of a part in which slots are counted ... */
    RUN = 4,          /* ... and the slots of each: neighbours are seldom alike by chance */
    RUN_UNITS = 8,    /* a stretch is a miss of the caches */
    LOOKED = 64,      /* parts of one line that are looked into, of each look ... */
    ENTERED = 16,     /* ... and of these, those of which entries are followed */
    FOLLOWED = 12,    /* entries of one part */
    OBJECTS = 16,     /* of one entry, and below it */
    CHILDREN = 4,     /* of one object: chance says which */
    MISSED_MOST = 2,  /* looks in which a part that moved meanwhile was not met */
    WAIT_PART = 16,   /* of the run between two looks */
    PART_ENTRIES = LMP_LEAF_ENTRIES / LMP_TOUCHES,
};
#define WAIT_LEAST 20000000u     /* nanoseconds */
#define FIRST_INTERVAL 62500000u /* nanoseconds between moments, at first */

/* ---- what an entry holds --------------------------------------------------------------------- */

typedef struct Found {
    uintptr_t at;  /* of the block */
    double weight; /* objects that it stands for */
    uint64_t size;
    unsigned cls;
} Found;

typedef struct Walk {
    LmpProfile *p;
    LmpContainerRow *row;
    uint32_t born; /* epoch of the entry: what is older is not its own */
    uint32_t turn;
    uint32_t found, done;
    Found object[OBJECTS];
} Walk;

static void count(LmpContainerRow *row, uint32_t site, double weight) {
    uint32_t least = 0;
    for (uint32_t i = 0; i < LMP_CONTAINER_LINES; i++) {
        if (row->out.line[i].site == site) {
            row->seen[i] += weight;
            return;
        }
        if (row->seen[i] < row->seen[least]) least = i;
    }
    if (row->seen[least] > weight) { /* those of which little is found take turns */
        row->seen[least] -= weight;
        return;
    }
    row->out.line[least].site = site;
    row->seen[least] = weight;
}

static bool is_older(const Walk *w, uint32_t born) {
    return born + 1 < w->born && born < w->p->containers->earlier[w->born];
}

/* Notes an object, if the map knows its block, it is not older than the entry, and new here. */
static void meet(Walk *w, uintptr_t at, double weight) {
    Found *f = &w->object[w->found];
    uint32_t entry, site;
    if (w->found == OBJECTS || !at) return;
    site = shadow_site(w->p, at, &entry, &f->size);
    f->cls = entry & 15;
    uint32_t born = LMP_BLOCK_BIRTH(entry);
    if (!site || f->cls > LMP_C_FUNCTION_PART || (w->found > 0 && is_older(w, born))) return;
    for (uint32_t i = 0; i < w->found; i++)
        if (w->object[i].at == at) return;
    if (w->found == 0) w->born = born;
    f->at = at;
    f->weight = weight;
    w->found++;
    count(w->row, site, weight);
}

static void meet_value(Walk *w, unsigned tag, uintptr_t value, double weight) {
    if (!(tag & LMP_TAG_COLLECTABLE)) return;
    if ((tag & LMP_TT_TYPE) == LMP_TT_THREAD) value -= frames_bits.extra;
    meet(w, value, weight);
}

/* What has entries: slots in a row, an array's block, or nodes. */
typedef enum VectorKind { SLOTS, ARRAY, NODES } VectorKind;
typedef struct Vector {
    uintptr_t at;
    uint64_t slots;
    VectorKind kind;
} Vector;

static inline LmpObjectSlot slot_of(const Vector *v, uint64_t i) {
    if (v->kind == ARRAY) return object_array_slot(v->at, v->slots, i);
    return object_slot(v->at + i * (v->kind == NODES ? LMP_SIZE_NODE : LMP_SLOT));
}

/* Returns the entries of a part of a table, by its block. */
static Vector part_entries(uintptr_t at, uint64_t size) {
    bool hash;
    uint64_t n = luafacts_part_entries(size, &hash);
    return (Vector){hash ? at + luafacts_before_nodes(n) : at, n, hash ? NODES : ARRAY};
}

/* A slot's value, and if it is a node its key. */
static void meet_entry(Walk *w, const Vector *v, uint64_t i, double weight) {
    LmpObjectSlot slot = slot_of(v, i);
    meet_value(w, object_u8(slot.tag), object_word(slot.value), weight);
    if (v->kind == NODES)
        meet_value(w, object_u8(slot.value + LMP_AT_NODE_KEY_TAG),
                   object_word(slot.value + LMP_AT_NODE_KEY), weight);
}

/* Some of a vector's slots, each for as many as there are for one of them. */
static void meet_some(Walk *w, Vector v, double weight) {
    uint64_t n = v.slots < CHILDREN ? v.slots : CHILDREN;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t one = (i * v.slots + w->turn % v.slots) / n % v.slots;
        if (object_is_used(slot_of(&v, one)))
            meet_entry(w, &v, one, weight * (double)v.slots / (double)n);
    }
}

/* Returns the bytes of an object's part, if the block that begins there is one of the class; else
 * 0. */
static uint64_t part(Walk *w, const Found *of, uintptr_t at, unsigned cls) {
    uint64_t size;
    uint32_t entry, site = at ? shadow_site(w->p, at, &entry, &size) : 0;
    if (!site || (entry & 15) != cls) return 0;
    count(w->row, site, of->weight);
    return size;
}

static void meet_table(Walk *w, const Found *f) {
    uintptr_t array = luafacts_array_block(object_word(f->at + LMP_AT_TABLE_ARRAY),
                                           object_u32(f->at + LMP_AT_TABLE_LIMIT));
    uint64_t nodes = 1u << (object_u8(f->at + LMP_AT_TABLE_LOG) & 31);
    uintptr_t node = object_word(f->at + LMP_AT_TABLE_NODE) - luafacts_before_nodes(nodes);
    uint64_t slots = part(w, f, array, LMP_C_TABLE_PART) / LMP_ARRAY_ENTRY;
    meet_some(w, (Vector){array, slots, ARRAY}, f->weight);
    uint64_t some = part(w, f, node, LMP_C_TABLE_PART) / LMP_SIZE_NODE;
    meet_some(w, (Vector){node + luafacts_before_nodes(nodes), some, NODES}, f->weight);
}

static void meet_closure(Walk *w, const Found *f) {
    unsigned n = object_u8(f->at + LMP_AT_CLOSURE_UPVALUES);
    bool c = object_u8(f->at + LMP_AT_TYPE) == LMP_TT_C_CLOSURE;
    uintptr_t at = f->at + LMP_AT_CLOSURE_UPVALUE;
    if (f->size < LMP_AT_CLOSURE_UPVALUE + n * (c ? 16u : 8u)) return;
    if (c) {
        meet_some(w, (Vector){at, n, SLOTS}, f->weight);
        return;
    }
    for (unsigned i = 0; i < n && i < 2 * CHILDREN; i++)
        meet(w, object_word(at + i * 8ul), f->weight);
}

/* Meets some of a stack's slots up to its top. */
static void meet_thread(Walk *w, const Found *f) {
    uintptr_t state = f->at + frames_bits.extra;
    if (f->size < frames_bits.extra + frames_bits.at_stack + 8ul) return;
    uintptr_t stack = object_word(state + frames_bits.at_stack);
    uintptr_t top = object_word(state + LMP_AT_L_TOP);
    uint64_t size = part(w, f, stack, LMP_C_THREAD_PART);
    if (!size || top <= stack || top - stack > size) return;
    meet_some(w, (Vector){stack, (top - stack) / LMP_SLOT, SLOTS}, f->weight);
}

/* Meets what an object holds. Metatables and code are shared by many, and left out. */
static void meet_children(Walk *w, Found f) {
    switch (f.cls) {
    case LMP_C_TABLE:
        if (f.size >= LMP_SIZE_TABLE) meet_table(w, &f);
        break;
    case LMP_C_FUNCTION:
        if (f.size >= LMP_AT_CLOSURE_UPVALUE) meet_closure(w, &f);
        break;
    case LMP_C_THREAD:
        meet_thread(w, &f);
        break;
    case LMP_C_FUNCTION_PART: /* an upvalue that has its value itself */
        if (f.size == LMP_SIZE_UPVALUE &&
            object_word(f.at + LMP_AT_UPVALUE_AT) == f.at + LMP_AT_UPVALUE_VALUE)
            meet_some(w, (Vector){f.at + LMP_AT_UPVALUE_VALUE, 1, SLOTS}, f.weight);
        break;
    case LMP_C_USERDATA: {
        unsigned n = object_u16(f.at + LMP_AT_USERDATA_VALUES);
        if (n && f.size >= offsets_userdata_head(n))
            meet_some(w, (Vector){f.at + offsets_get()->user_values, n, SLOTS}, f.weight);
        break;
    }
    default:
        break;
    }
}

/* Follows one entry of a part. Returns what that cost. */
static uint32_t follow(LmpProfile *p, LmpContainerRow *row, const Vector *v, uint64_t i,
                       uint64_t turn) {
    Walk w = {.p = p, .row = row, .turn = (uint32_t)(turn >> 16)};
    meet_entry(&w, v, i, 1);
    while (w.done < w.found)
        meet_children(&w, w.object[w.done++]);
    row->followed++;
    return (1 + w.found) * OBJECT_UNITS;
}

/* ---- one part -------------------------------------------------------------------------------- */

/* Returns the row of a line; NULL: the line has fewer entries than all lines that have a row. */
static LmpContainerRow *row_of(LmpContainerLooks *l, uint32_t site, uint64_t slots) {
    LmpContainerRow *least = &l->row[0];
    for (uint32_t i = 0; i < CONTAINER_ROWS; i++) {
        LmpContainerRow *row = &l->row[i];
        if (row->out.site == site) return row;
        if (row->slots + row->out.entries < least->slots + least->out.entries) least = row;
    }
    if (least->out.site && least->slots + least->out.entries >= slots) return NULL;
    *least = (LmpContainerRow){.out = {.site = site}};
    return least;
}

/* Counts the entries of a part, or of stretches of it, and follows some. Returns what that cost. */
static uint32_t look_into(LmpProfile *p, LmpContainerRow *row, uintptr_t at, uint64_t size) {
    LmpContainerLooks *l = p->containers;
    Vector v = part_entries(at, size);
    uint32_t cost = 0, followed = 0;
    uint64_t slots = v.slots, runs = (slots + RUN - 1) / RUN;
    if (runs > RUNS) runs = RUNS;
    for (uint64_t i = 0; i < runs; i++) {
        l->turn = l->turn * 6364136223846793005u + 1442695040888963407u;
        uint64_t from = i * slots / runs, to = (i + 1) * slots / runs;
        if (to - from > RUN) from += (l->turn >> 33) % (to - from - RUN + 1), to = from + RUN;
        uint64_t chosen = from + (l->turn >> 20) % (to - from);
        for (uint64_t s = from; s < to; s++)
            row->used += object_is_used(slot_of(&v, s));
        row->slots_looked += to - from;
        cost += (uint32_t)(to - from) + RUN_UNITS;
        bool turn = row->looked < ENTERED &&
                    followed * runs < (i + 1) * FOLLOWED; /* from all of it, not its beginning */
        if (!turn || !object_is_used(slot_of(&v, chosen))) continue;
        cost += follow(p, row, &v, chosen, l->turn);
        followed++;
    }
    row->looked++;
    return cost;
}

static uint32_t meet_part(LmpProfile *p, uintptr_t at, uint64_t size, uint32_t site) {
    uint64_t slots = part_entries(at, size).slots;
    LmpContainerRow *row = slots >= SLOTS_LEAST ? row_of(p->containers, site, slots) : NULL;
    if (!row) return OBJECT_UNITS;
    uint64_t looked = row->slots_looked, used = row->used;
    uint32_t cost = row->looked < LOOKED ? look_into(p, row, at, size) : 0;
    if (row->tables < CONTAINER_PARTS)
        row->part[row->tables] =
            (LmpContainerPart){at, size, slots, row->slots_looked - looked, row->used - used};
    row->tables++;
    row->slots += slots;
    row->bytes += size;
    return OBJECT_UNITS + cost;
}

/* Subtracts the old parts of tables that grew during the look, and so were met twice. */
static void forget_parts(LmpProfile *p, LmpContainerRow *row) {
    uint32_t n = row->tables < CONTAINER_PARTS ? row->tables : CONTAINER_PARTS;
    for (uint32_t i = 0; i < n && row->tables > 1; i++) {
        const LmpContainerPart *part = &row->part[i];
        uint64_t size = 0;
        shadow_lookup(p, part->at, &size);
        if (size == part->size) continue;
        row->tables--;
        row->slots -= part->slots;
        row->bytes -= part->size;
        row->slots_looked -= part->looked;
        row->used -= part->used;
    }
}

/* ---- the look -------------------------------------------------------------------------------- */

/* Goes through entries of one part of a leaf, to a large part of a table or for as long as there
 * are units. Returns what that cost. */
static uint32_t sweep(LmpProfile *p, LmpLeaf *leaf, uint64_t word, uint32_t units) {
    LmpContainerLooks *l = p->containers;
    uint32_t from = l->entry, to = (from / PART_ENTRIES + 1) * PART_ENTRIES;
    if (!leaf->touch[from / PART_ENTRIES]) { /* reading untouched memory would allocate it */
        l->entry = to;
        return 1;
    }
    if (to - from > units * UNIT_ENTRIES) to = from + units * UNIT_ENTRIES;
    for (uint32_t i = from; i < to; i++) {
        uint32_t e = leaf->entry[i];
        if ((e & (15 | LMP_BLOCK_SIZE_MASK)) != LMP_C_TABLE_PART) continue;
        uintptr_t at = (uintptr_t)LMP_LEAF_BASE(word) << LMP_LEAF_BITS | LMP_LEAF_LOW(word);
        at |= (uintptr_t)i << LMP_GRAIN_BITS | (e & LMP_BLOCK_OFFSET);
        uint64_t size;
        uint32_t site = shadow_site(p, at, &e, &size);
        l->entry = i + 1;
        if (!site) continue;
        return 1 + (i - from) / UNIT_ENTRIES + meet_part(p, at, size, site);
    }
    l->entry = to;
    return 1 + (to - from) / UNIT_ENTRIES;
}

/* Sets a row's figures of the look that has ended, and clears its sums for the next. */
static void conclude(LmpContainerRow *row, const LmpContainerLooks *l, uint32_t before) {
    LmpContainer *out = &row->out;
    if (row->slots_looked) {
        out->tables = row->tables;
        out->bytes = row->bytes;
        out->entries =
            (uint64_t)((double)row->used / (double)row->slots_looked * (double)row->slots);
    }
    row->missed = row->slots_looked ? 0 : row->missed + 1;
    for (uint32_t i = before; i < l->moments; i++) {
        out->entries_at[i] = out->entries;
        out->tables_at[i] = out->tables;
    }
    for (uint32_t i = 0; i < LMP_CONTAINER_LINES; i++) {
        double each = row->followed > 0 ? row->seen[i] / row->followed * LMP_CONTAINER_EACH : 0;
        out->line[i].each = each < UINT32_MAX ? (uint32_t)each : UINT32_MAX;
        row->seen[i] /= 2;
    }
    row->followed /= 2;
    row->tables = row->looked = 0;
    row->bytes = row->slots = row->slots_looked = row->used = 0;
}

/* Makes moments twice as long: of two the later one counts, if there is one. */
static void halve_moments(LmpContainerLooks *l) {
    for (uint32_t r = 0; r < CONTAINER_ROWS; r++) {
        LmpContainer *out = &l->row[r].out;
        for (uint32_t i = 0; 2 * i < l->moments; i++) {
            uint32_t from = 2 * i + (2 * i + 1 < l->moments);
            out->entries_at[i] = out->entries_at[from];
            out->tables_at[i] = out->tables_at[from];
        }
    }
    l->moments = (l->moments + 1) / 2;
    l->interval *= 2;
}

/* Copies the rows with the most entries for readers. */
static void publish(LmpProfile *p, uint64_t clock) {
    LmpContainerLooks *l = p->containers;
    LmpContainers *to = &p->live->containers;
    uint32_t rows = 0;
    bool taken[CONTAINER_ROWS] = {false}, any = to->looks > 0;
    for (uint32_t i = 0; i < CONTAINER_ROWS; i++)
        any |= l->row[i].out.site != 0;
    if (!any) return; /* a small program's state is to stay small */
    atomic_store_explicit(&to->seq, to->seq + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    while (rows < LMP_CONTAINERS) {
        uint32_t best = CONTAINER_ROWS;
        for (uint32_t i = 0; i < CONTAINER_ROWS; i++)
            if (!taken[i] && l->row[i].out.tables &&
                (best == CONTAINER_ROWS || l->row[i].out.entries > l->row[best].out.entries))
                best = i;
        if (best == CONTAINER_ROWS) break;
        taken[best] = true;
        to->row[rows++] = l->row[best].out;
    }
    to->rows = rows;
    to->moments = l->moments;
    to->interval = l->interval;
    to->clock = clock;
    to->looks++;
    atomic_store_explicit(&to->seq, to->seq + 1, memory_order_release);
}

static void end_look(LmpProfile *p, uint64_t clock) {
    LmpContainerLooks *l = p->containers;
    if (!l->interval) l->interval = FIRST_INTERVAL;
    while (clock / l->interval >= LMP_CONTAINER_MOMENTS)
        halve_moments(l);
    uint32_t before = l->moments, now = (uint32_t)(clock / l->interval) + 1;
    l->moments = now;
    if (before == now) before--; /* the last one is still open */
    for (uint32_t i = 0; i < CONTAINER_ROWS; i++) {
        if (!l->row[i].out.site) continue;
        forget_parts(p, &l->row[i]);
        conclude(&l->row[i], l, before);
        if (l->row[i].missed > MISSED_MOST) l->row[i] = (LmpContainerRow){0};
    }
    publish(p, clock);
    l->leaf = l->entry = 0;
    l->due = clock + clock / WAIT_PART + WAIT_LEAST;
}

void containers_epoch(LmpProfile *p, uint32_t epoch, uint32_t earlier) {
    if (epoch != earlier) p->containers->earlier[epoch & 255] = (uint8_t)earlier;
}

COLD void containers_halve_births(LmpProfile *p) {
    uint8_t *all = p->containers->earlier;
    for (uint32_t i = 1; i < 256; i++) {
        uint32_t to = (i + 1) / 2, earlier = (all[i] + 1u) / 2;
        all[i] = 0;
        if (earlier && earlier < to) all[to] = (uint8_t)earlier;
    }
}

COLD void containers_tick(LmpProfile *p, uint64_t passed) {
    LmpContainerLooks *l = p->containers;
    const LmpLive *live = p->live;
    if (!p->exact || !p->framed || live->clock < l->due) return;
    l->passed += passed; /* where ticks are frequent, one does what several may */
    uint64_t share = l->passed / UNIT_PASSED;
    if (share < UNITS_LEAST) return;
    uint32_t units = share < UNITS_MOST ? (uint32_t)share : UNITS_MOST;
    l->passed = 0;
    for (uint32_t used = 0; used < units;) {
        if (l->leaf == live->leaves) {
            end_look(p, live->clock);
            return;
        }
        if (l->entry < LMP_LEAF_ENTRIES) {
            used += sweep(p, p->leaves.all[l->leaf], live->leaf_base[l->leaf], units - used);
        } else {
            l->leaf++;
            l->entry = 0;
        }
    }
}
