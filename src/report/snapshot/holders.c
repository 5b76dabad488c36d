/* holders.c - the shortest paths to all objects, folded to a tree: entries of an array or of a
 * large table are one step, [*], and so are the links of a list. What is below the paths is the
 * class of the objects there. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rowindex.h"
#include "report/snapshot/snapshotreport_impl.h"

enum { FIELDS_NAMED = 100, FIELDS_NAMED_TRUNK = 1000 }; /* a table with more keys is data */
enum { DEPTH_MOST = 500 };                              /* steps; what goes deeper ends there */
enum { MANY = 1, LIST = 2, CLASS = 4 };
enum { UNKNOWN, NAMES, DATA };

typedef struct Folding {
    const LmpSnapshot *s;
    SnapshotHolders *out;
    uint32_t room;
    uint32_t *row_of; /* of each object */
    uint32_t *order;  /* objects by distance */
    uint8_t *table;   /* of each: UNKNOWN, NAMES, DATA */
    uint64_t (*key)[2];
    uint32_t key_room;
    LmpRowIndex index;
    bool failed;
} Folding;

/* ---- rows ------------------------------------------------------------------------------------ */

static bool rows_room(Folding *f) {
    return array_room(&f->out->row, &f->room, f->out->rows + 1) &&
           array_room(&f->key, &f->key_room, f->out->rows + 1);
}

/* Returns the row below `parent` with this key, made where there is none; row 0 when there is no
 * more room. */
static uint32_t row_of(Folding *f, uint32_t parent, uint64_t a, uint64_t b, SnapshotHolder made) {
    uint64_t first = (uint64_t)parent << 32 | a;
    uint32_t hash = (uint32_t)rowindex_mix(rowindex_mix(0, first), b), at = hash, row;
    while ((row = rowindex_next(&f->index, hash, &at)))
        if (f->key[row][0] == first && f->key[row][1] == b) return row;
    if (f->out->rows >= HOLDERS_MOST) return 0;
    if (!rows_room(f) || !rowindex_room(&f->index, 1)) {
        f->failed = true;
        return 0;
    }
    row = f->out->rows++;
    made.parent = parent;
    made.depth = f->out->row[parent].depth + 1;
    f->out->row[row] = made;
    f->key[row][0] = first;
    f->key[row][1] = b;
    rowindex_add(&f->index, hash, row);
    return row;
}

/* ---- folding --------------------------------------------------------------------------------- */

static bool is_data(Folding *f, uint32_t table) {
    const LmpSnapshot *s = f->s;
    uint32_t fields = 0;
    bool frame = table == s->registry || table == s->globals || table == s->loaded;
    uint32_t most = frame ? FIELDS_NAMED_TRUNK : FIELDS_NAMED;
    if (f->table[table] == UNKNOWN) {
        for (uint32_t e = s->g.edge_at[table]; e < s->g.edge_at[table + 1] && fields <= most; e++)
            fields += (s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_FIELD;
        const char *shape = s->class_list[s->class_of[table]].name;
        bool any_key = strncmp(shape, "{[string]", 9) == 0 && !frame;
        f->table[table] = fields > most || any_key ? DATA : NAMES;
    }
    return f->table[table] == DATA;
}

static uint64_t code_of(const LmpSnapshot *s, uint32_t function) {
    uint32_t proto = function ? snapshot_proto(s, function) : LMP_OBJECT_NONE;
    return proto == LMP_OBJECT_NONE ? function : proto;
}

/* Returns what tells a step from others below the same row; *many: it stands for many alike. */
static uint64_t step_key(Folding *f, uint32_t from, uint32_t e, uint32_t *many) {
    const LmpSnapshot *s = f->s;
    uint32_t label = s->g.edge_label[e], frame;
    switch (s->g.edge_kind[e] & LMP_EDGE_KIND) {
    case LMP_EDGE_INDEX:
        if (from == s->registry && label <= 2) return label + 1ull; /* main thread, globals */
        *many = MANY;
        return 0;
    case LMP_EDGE_INTEGER:
    case LMP_EDGE_FLOAT:
    case LMP_EDGE_LIGHT:
    case LMP_EDGE_OBJECT:
        *many = MANY;
        return 0;
    case LMP_EDGE_FIELD:
        if (!is_data(f, from)) return label;
        *many = MANY;
        return 0;
    case LMP_EDGE_CALL:
        return code_of(s, s->g.frame_function[label]);
    case LMP_EDGE_LOCAL:
        frame = s->g.slot_frame[label];
        return (uint64_t)s->g.slot_name[label] << 32 |
               (frame == LMP_OBJECT_NONE ? 0 : code_of(s, s->g.frame_function[frame]));
    case LMP_EDGE_ROOT:
    case LMP_EDGE_LOT:
    case LMP_EDGE_UPVALUE:
    case LMP_EDGE_USER_VALUE:
    case LMP_EDGE_BOOLEAN:
        return label;
    default:
        return 0;
    }
}

/* The kind of a key: all entries that are folded are of one. */
static uint64_t kind_key(const LmpSnapshot *s, uint32_t e, uint32_t many) {
    return many ? LMP_EDGES : s->g.edge_kind[e] & LMP_EDGE_KIND;
}

static uint32_t arrive(Folding *f, uint32_t i) {
    const LmpSnapshot *s = f->s;
    uint32_t from = s->parent[i], e = s->parent_edge[i], above = f->row_of[from], many = 0;
    if (above == 0 && from != 0) return 0; /* found no room */
    if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_VALUE) return above;
    if (f->out->row[above].depth >= DEPTH_MOST) return above;
    uint64_t label = step_key(f, from, e, &many), kind = kind_key(s, e, many);
    SnapshotHolder *last = &f->out->row[above];
    if (kind == LMP_EDGE_FIELD && above && !(last->many & MANY) && label == f->key[above][1] &&
        (f->key[above][0] & UINT32_MAX) == kind) {
        last->many |= LIST;
        return above;
    }
    return row_of(f, above, kind, label,
                  (SnapshotHolder){.from = from, .edge = e, .many = many, .sample = i});
}

static void put_object(Folding *f, uint32_t i) {
    const LmpSnapshot *s = f->s;
    uint32_t row = f->row_of[i], size_row = row;
    bool plain = s->g.kind[i] == LMP_OBJECT_UPVALUE || s->g.kind[i] == LMP_OBJECT_LOT;
    if (row && !plain)
        size_row = row_of(
            f, row, LMP_EDGES + 1, s->class_of[i],
            (SnapshotHolder){
                .from = LMP_OBJECT_NONE, .edge = LMP_OBJECT_NONE, .many = CLASS, .sample = i});
    if (size_row == 0) size_row = row;
    f->out->row[size_row].objects++;
    f->out->row[size_row].size += snapshot_counted(s, i);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Reachable objects by distance. */
static uint32_t sort(Folding *f) {
    const LmpSnapshot *s = f->s;
    uint32_t far = 0, n = 0;
    for (uint32_t i = 1; i < s->g.objects; i++)
        if (!snapshot_garbage(s, i) && s->distance[i] > far) far = s->distance[i];
    uint32_t *at = calloc((size_t)far + 2, sizeof *at);
    if (!at) {
        f->failed = true;
        return 0;
    }
    for (uint32_t i = 1; i < s->g.objects; i++)
        if (!snapshot_garbage(s, i)) at[s->distance[i] + 1]++;
    for (uint32_t d = 0; d <= far; d++)
        at[d + 1] += at[d];
    for (uint32_t i = 1; i < s->g.objects; i++)
        if (!snapshot_garbage(s, i)) {
            f->order[at[s->distance[i]]++] = i;
            n++;
        }
    free(at);
    return n;
}

static void fold(Folding *f) {
    f->out->row[0] = (SnapshotHolder){.from = LMP_OBJECT_NONE, .edge = LMP_OBJECT_NONE};
    f->out->rows = 1;
    f->key[0][0] = f->key[0][1] = UINT64_MAX;
    uint32_t n = sort(f);
    for (uint32_t k = 0; k < n && !f->failed; k++) {
        uint32_t i = f->order[k];
        f->row_of[i] = arrive(f, i);
        put_object(f, i);
    }
}

LmpErr holders_make(SnapshotHolders *out, const LmpSnapshot *s) {
    Folding f = {.s = s, .out = out};
    size_t n = (size_t)s->g.objects + 1;
    *out = (SnapshotHolders){0};
    f.row_of = calloc(n, sizeof *f.row_of);
    f.order = malloc(n * sizeof *f.order);
    f.table = calloc(n, 1);
    bool index = rowindex_open(&f.index, 1024);
    f.failed = !index || !f.row_of || !f.order || !f.table || !rows_room(&f);
    if (!f.failed) fold(&f);
    if (index) rowindex_close(&f.index);
    free(f.row_of);
    free(f.order);
    free(f.table);
    free(f.key);
    if (f.failed) holders_free(out);
    return f.failed ? LMP_E_NOMEM : LMP_OK;
}

void holders_free(SnapshotHolders *holders) {
    free(holders->row);
    *holders = (SnapshotHolders){0};
}

const char *holders_text(const SnapshotHolders *h, const SnapshotRedact *r, const LmpSnapshot *s,
                         uint32_t row, char *out, size_t size) {
    const SnapshotHolder *of = &h->row[row];
    if (row == 0)
        snprintf(out, size, "heap");
    else if (of->many & CLASS)
        objecttext_class(r, s, of->sample, out, size);
    else if ((s->g.edge_kind[of->edge] & LMP_EDGE_KIND) == LMP_EDGE_KEY)
        snprintf(out, size, "key");
    else if (of->many & MANY)
        snprintf(out, size, "[*]");
    else
        objecttext_step(r, s, of->from, of->edge, out, size);
    size_t used = strlen(out);
    if (of->many & LIST && used + 2 <= size) memcpy(out + used, "*", 2);
    return out;
}
