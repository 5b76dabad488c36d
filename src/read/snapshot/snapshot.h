/* snapshot.h - a heap snapshot with what follows from it: who is reachable, by which shortest path,
 * who dominates whom, what each object retains, its class. Everything that panels, reports and the
 * Lua functions show of a heap is asked here.
 *
 * Reachable means held by the root through references that hold (not weak ones; a value in a table
 * with weak keys only when its key is held). What is not reachable is garbage that waits for the
 * collector. Retained size of an object: what would be freed without it, garbage not counted.
 * Dominators by semi-NCA; nothing recurses. */
#ifndef LMP_SNAPSHOT_H
#define LMP_SNAPSHOT_H

#include "base/err.h"
#include "read/ledger/ledger.h"
#include "read/view.h"
#include "shared/snapfile.h"

typedef struct LmpSnapshot {
    LmpObjectInfo info;
    LmpObjectGraph g; /* const for users */
    LmpView *view;    /* the shared state as of then; NULL: none */
    Ledger ledger;    /* its lines, functions ...; lines LMP_LINES_OFF: nothing is known */
    char file[512];   /* its name; "" */

    uint32_t *ordinal;     /* row among its kind (objectgraph_ordinals) */
    uint32_t *distance;    /* edges from the root; LMP_OBJECT_NONE: garbage */
    uint32_t *parent_edge; /* the edge by which a shortest path comes; LMP_OBJECT_NONE: none */
    uint32_t *parent;      /* ... and the object that it comes from */
    uint32_t *idom;        /* immediate dominator; of the root and of garbage LMP_OBJECT_NONE */
    /* Numbers of a walk through the tree of dominators: i dominates whoever has one from tree_at[i]
     * to tree_end[i] - 1 (snapshot_dominates). Of garbage LMP_OBJECT_NONE. */
    uint32_t *tree_at, *tree_end;
    uint32_t *in_tree;         /* whoever has each number */
    uint64_t *retained;        /* bytes counted in live_bytes; of garbage its own size */
    uint64_t *retained_before; /* bytes of objects from before start that it retains */
    /* dominated objects of i, largest retained first: child[child_at[i]] to child_at[i + 1] - 1 */
    uint32_t *child_at, *child;
    /* references to i: edges in[in_at[i]] to in_at[i + 1] - 1, and where each comes from */
    uint32_t *in_at, *in, *in_from;
    uint64_t *text_at; /* of each string (by ordinal): offset of its beginning in g.text */
    /* Objects that everybody asks for; LMP_OBJECT_NONE: not there. `loaded` is package.loaded. */
    uint32_t registry, globals, loaded, main_thread;

    uint64_t garbage_bytes, reachable_bytes, before_bytes;
    uint32_t garbage_objects, reachable_objects, before_objects;

    uint32_t *class_of;                /* of each object: row of class[] */
    struct LmpObjectClass *class_list; /* sorted by nothing; see groups.h for rows in order */
    uint32_t classes;
    uint32_t *site_of; /* of each object: record row (tables_record_of its context), 0: not known */
    void *own;         /* private */
} LmpSnapshot;

/* Returns the number of objects: the root, object 0, is none. */
static inline uint32_t snapshot_objects(const LmpSnapshot *s) {
    return s->reachable_objects + s->garbage_objects;
}

/* A class: type, and what tells objects of it from others. */
typedef struct LmpObjectClass {
    uint32_t kind;  /* LmpObjectKind */
    char name[120]; /* "{id, name, price}", "Account", "function app.lua:12", "string" ...: safe to
                       print, UTF-8, cut with an ellipsis */
} LmpObjectClass;

/* Opens a file. Errors: as snapfile_read, and FILE (cannot be opened: errno says why). */
LmpErr snapshot_open(LmpSnapshot *snapshot, const char *file);
/* Does the same, telling how far it is (NULL: nobody). Error: STOPPED, too. */
LmpErr snapshot_open_told(LmpSnapshot *snapshot, const char *file, LmpProgress *progress);
/* Reads what the head of a file alone says of it, to know when it was taken. Errors: the same. */
LmpErr snapshot_info(LmpObjectInfo *out, const char *file);
/* Makes a snapshot of a graph in memory, for tests and for the program itself. The graph's columns
 * are taken over as they are and are not freed by snapshot_close. */
LmpErr snapshot_of_graph(LmpSnapshot *snapshot, const LmpObjectInfo *info,
                         const LmpObjectGraph *graph);
void snapshot_close(LmpSnapshot *snapshot);

/* Lets somebody wait (NULL: nobody, and memory for steps is given back) for what is made of the
 * snapshot, who may stop that, which then fails; snapshot_stopped says so until the next call. */
void snapshot_waits(const LmpSnapshot *snapshot, LmpProgress *progress);
bool snapshot_stopped(const LmpSnapshot *snapshot);

/* size of i that is counted in live_bytes: 0 for objects from before start and the root */
static inline uint64_t snapshot_counted(const LmpSnapshot *s, uint32_t i) {
    return s->g.flags[i] & LMP_OBJECT_BEFORE ? 0 : s->g.size[i];
}
static inline bool snapshot_garbage(const LmpSnapshot *s, uint32_t i) {
    return s->distance[i] == LMP_OBJECT_NONE;
}
/* Returns true if every path to `object` is one to `by`, or they are the same. Garbage dominates
 * nothing. */
static inline bool snapshot_dominates(const LmpSnapshot *s, uint32_t by, uint32_t object) {
    uint32_t at = s->tree_at[object];
    return at >= s->tree_at[by] && at < s->tree_end[by];
}
/* Returns true if an edge holds its target. Ephemeron ones do not by themselves. */
static inline bool snapshot_holds(const LmpSnapshot *s, uint32_t edge) {
    return !(s->g.edge_kind[edge] & (LMP_EDGE_WEAK | LMP_EDGE_EPHEMERON));
}

/* Words, safe to print: valid UTF-8 without control characters, cut to size - 1 bytes; all return
 * out.
 *     snapshot_name    an object: `table {id, name}`, `"some text"…`, `function get (cache.lua:3)`,
 *                      `coroutine (worker.lua:7)`, `registry`
 *     snapshot_step    a reference as a step of a path: `.callback`, `["req-1042"]`, `[3]`,
 *                      ` ▸ upvalue entries`, ` ▸ metatable`, ` ▸ local conn (server.lua:18)`
 *     snapshot_site    where it was made, `cache.lua:12`; "" when not known
 *     snapshot_preview what is in it: `{id = 7, name = "bolt", …}`, the string's text, upvalues */
const char *snapshot_name(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
/* Returns true if a reference is that of a stack's slot without a name, which a call happens to
 * use. */
bool snapshot_is_temporary(const LmpSnapshot *s, uint32_t edge);
const char *snapshot_step(const LmpSnapshot *s, uint32_t from, uint32_t edge, char *out,
                          size_t size);
const char *snapshot_site(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
const char *snapshot_preview(const LmpSnapshot *s, uint32_t object, char *out, size_t size);
/* Returns a string's beginning: pointer into g.text and length; NULL for what is none. */
const char *snapshot_text(const LmpSnapshot *s, uint32_t object, size_t *length);
/* Returns the table with weak keys that has the edge's target as a value, which its key holds: in
 * paths the step goes from the key. LMP_OBJECT_NONE: it is no such edge. */
uint32_t snapshot_weak_table(const LmpSnapshot *s, uint32_t edge);
/* Returns the kind for colour and filter. */
LmpKind snapshot_kind(const LmpSnapshot *s, uint32_t object);
/* Returns when it was made, nanoseconds since start; UINT64_MAX: not known. */
uint64_t snapshot_born(const LmpSnapshot *s, uint32_t object);
/* Returns the function behind: prototype of a Lua function or upvalue's owner; LMP_OBJECT_NONE. */
uint32_t snapshot_proto(const LmpSnapshot *s, uint32_t object);
/* Returns the object at an address, LMP_OBJECT_NONE: none. */
uint32_t snapshot_at(const LmpSnapshot *s, uint64_t addr);

#endif
