/* walk_impl.h - what the files of the walk share: walk.c has the order of things, walk_objects.c
 * the references out of each kind of object, walk_threads.c stacks and frames. */
#ifndef LMP_AGENT_OBJECTS_WALK_IMPL_H
#define LMP_AGENT_OBJECTS_WALK_IMPL_H

#include "agent/objects/index.h"
#include "agent/objects/objects.h"
#include "agent/objects/walk.h"

/* A thread, where its stack is. While a stack is being moved, what points into it is still relative
 * to its old place, or (from 5.4.5 on) an offset in it. */
typedef struct LmpObjectThread {
    uintptr_t state;       /* lua_State */
    uintptr_t stack, from; /* where it is now, and the address that pointers into it start from */
    uint64_t bytes;        /* of it that can be read */
    uint64_t span;         /* bytes that pointers into it may be away from `from` */
    bool offsets;          /* they may be offsets */
} LmpObjectThread;

typedef struct LmpObjectWalk {
    const LmpObjectSource *source;
    const LmpObjectOffsets *layout;
    LmpObjectMemory *memory;
    LmpObjectGraph *g;
    LmpObjectIndex index;
    LmpObjectSums sums;
    uintptr_t global;
    uint8_t dead_white; /* colour of what is about to be freed */
    uintptr_t mode;     /* the string "__mode" */
    uint32_t text_max;

    /* threads: first as they are met, then by `from` */
    LmpObjectThread *thread;
    uint32_t threads, threads_room;
    uint32_t moving;   /* row + 1 of the one whose stack is being moved, 0: none */
    uintptr_t running; /* lua_State; 0: not known */

    /* rows so far, and room for them */
    uint64_t edges, edges_room, wides_room, frames_room, slots_room, text_room;
    uint32_t row[LMP_OBJECT_KINDS]; /* of the columns of each kind */
    uint32_t root_edges, roots_at;  /* of the root: room, and how many there are so far */

    uint32_t steps; /* for source->beat */

    /* the object at hand */
    uint32_t object;
    uintptr_t at;        /* its address: for threads the lua_State */
    bool dead;           /* about to be freed: its references may be stale */
    bool mapped;         /* its own block is counted */
    bool counted;        /* any of its blocks is */
    uint64_t uncounted;  /* bytes of it that are from before start */
    uintptr_t last_meta; /* the last metatable that was looked at */
    uint32_t last_mode;  /* flags of its weak tables */
} LmpObjectWalk;

enum { WALK_BEAT = 1 << 16 /* steps */ };
static inline void walk_step(LmpObjectWalk *w) {
    if (++w->steps % WALK_BEAT == 0 && w->source->beat) w->source->beat(w->source->ud);
}

/* Makes room for the references of one object. Returns false if there is no memory. */
bool walk_room(LmpObjectWalk *w, uint64_t edges, uint64_t wides, uint64_t frames, uint64_t slots);

/* Counts a part of the object at hand, which it says is at `at`, with that object. Returns where
 * its contents can be read, and in *bytes how many of them; 0: nowhere. */
uintptr_t walk_part(LmpObjectWalk *w, uintptr_t at, uint64_t *bytes);
/* Does the same for a part that is at `now`. */
uintptr_t walk_claim(LmpObjectWalk *w, uintptr_t now, uint64_t *bytes);

/* Returns where a vector is that is not claimed; 0: it is being freed. */
static inline uintptr_t walk_moved(const LmpObjectWalk *w, uintptr_t at) {
    return objecthand_moved(&w->source->hand, at);
}

static inline bool walk_is_object(unsigned tag) {
    return tag & LMP_TAG_COLLECTABLE;
}

/* Address of the block of an object that a value leads to. */
static inline uintptr_t walk_block(const LmpObjectWalk *w, unsigned tag, uintptr_t object) {
    return (tag & LMP_TT_TYPE) == LMP_TT_THREAD ? object - w->layout->extra : object;
}

/* Returns the number of an object; 0: none that is known. */
static inline uint32_t walk_number(const LmpObjectWalk *w, uintptr_t object) {
    return object ? index_object(&w->index, object) : 0;
}

/* Enters a reference to the object with this block, if it is one. */
static inline void walk_edge(LmpObjectWalk *w, uintptr_t block, unsigned kind, uint32_t label) {
    uint32_t to = walk_number(w, block);
    if (!to) {
        w->sums.missing++;
        return;
    }
    LmpObjectGraph *g = w->g;
    g->edge_to[w->edges] = to;
    g->edge_label[w->edges] = label;
    g->edge_kind[w->edges++] = (uint8_t)kind;
}

/* Does the same for a value in a slot, if it is an object. */
static inline void walk_value(LmpObjectWalk *w, uintptr_t slot, unsigned kind, uint32_t label) {
    unsigned tag = object_u8(slot + LMP_AT_SLOT_TAG);
    if (walk_is_object(tag)) walk_edge(w, walk_block(w, tag, object_word(slot)), kind, label);
}

/* Puts a label of 64 bits. */
static inline uint32_t walk_wide(LmpObjectWalk *w, uintptr_t value) {
    w->g->wide[w->g->wides] = (int64_t)value;
    return w->g->wides++;
}

/* Returns the object's number if it is of that kind, else 0. */
uint32_t walk_is(const LmpObjectWalk *w, uintptr_t at, int type);

/* ---- walk_objects.c: references and columns of the object at hand; false: no memory ---------- */

bool walk_string(LmpObjectWalk *w, int type);
bool walk_table(LmpObjectWalk *w);
bool walk_lua_function(LmpObjectWalk *w);
bool walk_c_function(LmpObjectWalk *w);
bool walk_userdata(LmpObjectWalk *w);
bool walk_proto(LmpObjectWalk *w);
bool walk_upvalue(LmpObjectWalk *w);

/* ---- walk_threads.c -------------------------------------------------------------------------- */

/* Notes where a thread's stack is. Returns false if there is no memory. */
bool walk_note_thread(LmpObjectWalk *w, uintptr_t state);
/* Call once all threads are noted. */
void walk_sort_threads(LmpObjectWalk *w);
bool walk_thread(LmpObjectWalk *w);
/* Returns the thread in whose stack that is, which an upvalue says is its place; NULL: none. *slot:
 * where it is now, 0: not to be read. */
const LmpObjectThread *walk_stack_of(const LmpObjectWalk *w, uintptr_t at, uintptr_t *slot);

#endif
