/* likes.c - each object has a hash of what it is compared by, and equal hashes are one row; content
 * counts by the hash that the snapshot has of it, keys by the sum of theirs, in any order. */
#include "read/snapshot/likes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/rowindex.h"
#include "read/snapshot/snapshot_impl.h"

void likes_free(LmpLikes *likes) {
    free(likes->row);
    free(likes->member);
    *likes = (LmpLikes){0};
}

/* Hashes all keys of a table that are strings, in any order, and whether there are others. */
static uint64_t keys_of(const LmpSnapshot *s, uint32_t table) {
    const LmpHeapGraph *g = &s->g;
    uint64_t sum = 0, names = 0, flags = s->g.table_array_used[s->ordinal[table]] ? 1 : 0;
    for (uint32_t e = g->edge_at[table]; e < g->edge_at[table + 1]; e++) {
        unsigned kind = g->edge_kind[e] & LMP_EDGE_KIND;
        if (kind == LMP_EDGE_INDEX) flags |= 1;
        if (kind != LMP_EDGE_KEY) continue;
        uint32_t key = g->edge_to[e];
        if (g->kind[key] != LMP_HEAP_STRING) {
            flags |= 2;
            continue;
        }
        uint32_t row = s->ordinal[key];
        sum += rowindex_mix(rowindex_mix(0, g->string_hash[row]), g->string_length[row]) | 1;
        names++;
    }
    if (names > SNAP_SHAPE_KEYS) sum = names = 0, flags |= 4; /* a dictionary */
    return rowindex_mix(rowindex_mix(rowindex_mix(1, sum), names), flags);
}

static bool is_alike(const LmpSnapshot *s, uint32_t object, LmpLikeBy by) {
    return s->g.kind[object] == (by == LMP_LIKE_CONTENT ? LMP_HEAP_STRING : LMP_HEAP_TABLE);
}

static uint64_t key_of(const LmpSnapshot *s, uint32_t object, LmpLikeBy by) {
    const LmpHeapGraph *g = &s->g;
    uint64_t key = rowindex_mix(rowindex_mix(3, s->class_of[object]), 3);
    if (is_alike(s, object, by) && by == LMP_LIKE_KEYS) key = keys_of(s, object);
    if (is_alike(s, object, by) && by == LMP_LIKE_CONTENT) {
        uint32_t row = s->ordinal[object];
        key = rowindex_mix(rowindex_mix(2, g->string_hash[row]), g->string_length[row]);
    }
    return key & INT64_MAX;
}

static void name_row(const LmpSnapshot *s, LmpLike *row, LmpLikeBy by) {
    if (!row->alike) {
        snprintf(row->name, sizeof row->name, "%s", s->class_list[s->class_of[row->object]].name);
    } else if (by == LMP_LIKE_CONTENT) {
        snapshot_name(s, row->object, row->name, sizeof row->name);
    } else {
        SnapWords w = words_begin(row->name, sizeof row->name);
        words_keys(&w, s, row->object);
    }
}

static int by_size(const void *a, const void *b) {
    const LmpLike *x = a, *y = b;
    if (x->alike != y->alike) return x->alike ? -1 : 1;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->object > y->object) - (x->object < y->object);
}

/* Finds the row of each object; rows are sorted afterwards. */
static bool gather(LmpLikes *out, const LmpSnapshot *s, const uint32_t *member, uint32_t count,
                   LmpLikeBy by, KeyMap *index, uint32_t *row_of) {
    uint32_t room = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(i & SNAP_TICK) && !snap_tick(s, i)) return false;
        uint64_t key = key_of(s, member[i], by);
        uint32_t row = keymap_get(index, key, out->rows);
        if (row == out->rows) {
            if (row == room) {
                room = room ? room * 2 : 256;
                LmpLike *more = realloc(out->row, room * sizeof *more);
                if (!more) return false;
                out->row = more;
            }
            if (!keymap_set(index, key, row)) return false;
            out->row[out->rows++] = (LmpLike){.object = member[i], .first = row};
            out->row[row].alike = is_alike(s, member[i], by);
            out->alike += out->row[row].alike;
        }
        out->row[row].objects++;
        out->row[row].size += snapshot_counted(s, member[i]);
        row_of[i] = row;
    }
    return true;
}

LmpErr likes_make(LmpLikes *out, const LmpSnapshot *s, const uint32_t *member, uint32_t count,
                  LmpLikeBy by) {
    KeyMap index = {0};
    *out = (LmpLikes){0};
    uint32_t *row_of = malloc((count + 1ul) * sizeof *row_of), *now = NULL;
    out->member = malloc((count + 1ul) * sizeof *out->member);
    bool made = row_of && out->member && gather(out, s, member, count, by, &index, row_of);
    if (made) made = (now = malloc((out->rows + 1ul) * sizeof *now)) != NULL;
    if (made) {
        uint32_t at = 0;
        if (out->rows) qsort(out->row, out->rows, sizeof *out->row, by_size);
        for (uint32_t i = 0; i < out->rows; i++) {
            LmpLike *row = &out->row[i];
            now[row->first] = at; /* where its next member goes */
            row->first = at;
            at += row->objects;
            name_row(s, row, by);
        }
        for (uint32_t i = 0; i < count; i++)
            out->member[now[row_of[i]]++] = member[i];
    } else {
        likes_free(out);
    }
    free(row_of);
    free(now);
    keymap_free(&index);
    return made ? LMP_OK : LMP_E_NOMEM;
}
