/* groups.c - each object gets a key, and groups are the keys with members; what a group retains is
 * found in one pass over the dominators' tree; members are sorted once, then dealt out. */
#include "read/snapshot/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "base/rowindex.h"
#include "read/snapshot/snapshot_impl.h"

enum { AGES = 10 };

typedef struct Grouping {
    const LmpSnapshot *s;
    LmpSnapshotBy by;
    uint32_t keys;         /* possible groups; the last two: from before start, not known */
    uint32_t *row_of;      /* of each object: its key and 1; 0: none */
    LmpObjectGroup *group; /* by key */
    Ledger tree;           /* by path: the call tree, rows of which are the keys */
    uint32_t *row;         /* of its nodes by their numbers; NULL: there are no call paths */
    SnapMemory *memory;
} Grouping;

/* ---- which group ----------------------------------------------------------------------------- */

static uint32_t key_by_line(const Grouping *g, uint32_t i) {
    const LmpSnapshot *s = g->s;
    if (!s->view || !s->g.context[i]) return g->keys - 1;
    uint32_t row = ledger_site_of(&s->ledger, &s->view->tables, s->g.context[i]);
    return row < s->ledger.sites ? row : g->keys - 1;
}

/* The call tree, where it is wanted and known. */
static bool tree_open(Grouping *g) {
    const LmpSnapshot *s = g->s;
    if (g->by != LMP_BY_PATH || !s->view || !s->ledger.stacks) return true;
    const LmpTables *tables = &s->view->tables;
    if (ledger_refresh(&g->tree, tables, LEDGER_TREE, s->ledger.clock) != LMP_OK) return false;
    g->row = snap_memory_take(g->memory, (size_t)tables_nodes(tables) + 1, sizeof *g->row);
    for (uint32_t row = 1; g->row && row < g->tree.nodes; row++)
        if (g->tree.tree[row].id < tables_nodes(tables)) g->row[g->tree.tree[row].id] = row;
    return g->row != NULL;
}

static uint32_t key_by_path(const Grouping *g, uint32_t i) {
    uint32_t context = g->s->g.context[i];
    const LmpTables *tables = g->row ? &g->s->view->tables : NULL;
    if (!tables || !context || context >= tables_paths(tables)) return g->keys - 1;
    uint32_t node = tables->path[context].node;
    uint32_t row = node < tables_nodes(tables) ? g->row[node] : 0;
    return row ? row : g->keys - 1;
}

/* Returns the length of a group of ages: a tenth of the run, unless births are known less finely.
 */
static uint64_t tenth_of(const LmpSnapshot *s) {
    uint64_t tenth = s->info.clock / AGES + 1, known = s->view ? s->view->live->epoch_length : 0;
    return tenth > known ? tenth : known;
}

static uint32_t key_by_age(const Grouping *g, uint32_t i) {
    uint64_t born = snapshot_born(g->s, i), clock = g->s->info.clock;
    if (born == UINT64_MAX || clock == 0) return g->keys - 1;
    uint64_t tenth = born / tenth_of(g->s);
    return tenth < AGES ? (uint32_t)tenth : AGES - 1;
}

static uint32_t key_of(const Grouping *g, uint32_t i) {
    const LmpSnapshot *s = g->s;
    if (g->by == LMP_BY_CLASS) return s->class_of[i];
    if (g->by == LMP_BY_TYPE) return s->g.kind[i];
    if (s->g.flags[i] & LMP_OBJECT_BEFORE) return g->keys - 2;
    if (g->by == LMP_BY_PATH) return key_by_path(g, i);
    return g->by == LMP_BY_LINE ? key_by_line(g, i) : key_by_age(g, i);
}

static uint32_t keys_of(const Grouping *g) {
    uint32_t own = g->by == LMP_BY_CLASS  ? g->s->classes
                   : g->by == LMP_BY_TYPE ? LMP_OBJECT_KINDS
                   : g->by == LMP_BY_LINE ? g->s->ledger.sites
                   : g->by == LMP_BY_PATH ? g->tree.nodes
                                          : AGES;
    return own + 2;
}

/* Names a moment of the run, as fine as tenths of it are long. */
static char *name_moment(char *out, uint64_t ns, uint64_t tenth) {
    enum { MS = 1000000, S = 1000000000 };
    if (tenth >= 60ull * S)
        format_clock(out, ns);
    else if (tenth >= 10ull * S)
        snprintf(out, LMP_NUM, "%llu s", (unsigned long long)(ns / S));
    else if (tenth >= S / 10)
        snprintf(out, LMP_NUM, "%llu.%llu s", (unsigned long long)(ns / S),
                 (unsigned long long)(ns % S / (S / 10)));
    else
        snprintf(out, LMP_NUM, "%llu ms", (unsigned long long)(ns / MS));
    return out;
}

/* Names a path from the line that made it outwards, as far as there is room; a path that is cut has
 * its number, so that no two have one name. */
static void name_path(const Grouping *g, uint32_t key, SnapWords *w) {
    enum { PATH_MOST = 104 };
    char path[PATH_MOST];
    SnapWords p = words_begin(path, sizeof path);
    const LmpTreeRow *tree = g->tree.tree;
    for (uint32_t row = key; row && !p.full; row = tree[row].parent) {
        if (row != key) words_put(&p, " < ");
        words_put(&p, tree[row].line >= 0 ? tree[row].short_src : tree[row].name);
        if (tree[row].line >= 0) words_format(&p, ":%d", tree[row].line);
    }
    words_put(w, path);
    if (p.full) words_format(w, " #%u", tree[key].id);
}

static void name_unknown(const Grouping *g, SnapWords *w) {
    const LmpSnapshot *s = g->s;
    bool by_maker = g->by == LMP_BY_LINE || g->by == LMP_BY_PATH;
    if (g->by == LMP_BY_PATH && !g->row)
        words_put(w, "(not known: the program ran without --stacks)");
    else
        words_put(w, s->ledger.sample && by_maker ? "(not sampled)" : "(not known)");
}

static void name_key(const Grouping *g, uint32_t key, char *out, size_t size) {
    const LmpSnapshot *s = g->s;
    SnapWords w = words_begin(out, size);
    char begin[LMP_NUM], end[LMP_NUM];
    uint64_t tenth = tenth_of(s), until = (key + 1) * tenth;
    if (key == g->keys - 2) {
        words_put(&w, "(before start)");
    } else if (key == g->keys - 1) {
        name_unknown(g, &w);
    } else if (g->by == LMP_BY_PATH) {
        name_path(g, key, &w);
    } else if (g->by == LMP_BY_CLASS) {
        words_put(&w, s->class_list[key].name);
    } else if (g->by == LMP_BY_TYPE) {
        words_put(&w, objectgraph_kind(key));
    } else if (g->by == LMP_BY_LINE) {
        words_put(&w, s->ledger.site[key].short_src);
        if (s->ledger.site[key].line >= 0) words_format(&w, ":%d", s->ledger.site[key].line);
    } else {
        name_moment(begin, key * tenth, tenth);
        words_format(&w, "%s to %s after start", begin,
                     name_moment(end, until < s->info.clock ? until : s->info.clock, tenth));
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Sums up the groups, with the bytes of each kind in them, for the kind that most are of. */
static bool sum_up(Grouping *g, bool garbage) {
    const LmpSnapshot *s = g->s;
    uint64_t(*bytes)[LMP_OBJECT_KINDS] = snap_memory_take(g->memory, g->keys, sizeof *bytes);
    if (!bytes) return false;
    g->row_of[0] = 0;
    for (uint32_t i = 1; i < s->g.objects; i++) {
        if (!(i & SNAP_TICK) && !snap_tick(s, i)) return false;
        g->row_of[i] = 0;
        if (snapshot_garbage(s, i) != garbage) continue;
        uint32_t key = key_of(g, i);
        g->row_of[i] = key + 1;
        uint64_t size = snapshot_counted(s, i);
        g->group[key].objects++;
        g->group[key].size += size;
        bytes[key][s->g.kind[i]] += size + 1; /* what counts nothing has a kind, too */
    }
    for (uint32_t key = 0; key < g->keys; key++)
        for (uint32_t kind = 0; kind < LMP_OBJECT_KINDS; kind++)
            if (bytes[key][kind] > bytes[key][g->group[key].kind]) g->group[key].kind = kind;
    return true;
}

bool groups_retained(const LmpSnapshot *s, const uint32_t *row_of, uint32_t rows,
                     uint64_t *retained) {
    enum { AHEAD = 16 };
    uint32_t held = s->tree_end[0];
    uint32_t *end = calloc((size_t)rows + 1, sizeof *end); /* of the last one that counts, by row */
    bool made = end != NULL;
    memset(retained, 0, ((size_t)rows + 1) * sizeof *retained);
    for (uint32_t at = 0; made && at < held; at++) {
        if (!(at & SNAP_TICK)) made = snap_tick(s, at);
        if (at + 2 * AHEAD < held) __builtin_prefetch(&row_of[s->in_tree[at + 2 * AHEAD]]);
        uint32_t i = s->in_tree[at], soon = s->in_tree[at + AHEAD < held ? at + AHEAD : at];
        if (row_of[soon]) {
            __builtin_prefetch(&s->retained[soon]);
            __builtin_prefetch(&s->tree_end[soon]);
        }
        if (!row_of[i]) continue;
        for (uint32_t row = row_of[i];; row = 0) {
            if (at >= end[row]) {
                retained[row] += s->retained[i];
                end[row] = s->tree_end[i];
            }
            if (!row) break;
        }
    }
    for (uint32_t i = 1; made && i < s->g.objects; i++) /* garbage is in no tree */
        if (row_of[i] && snapshot_garbage(s, i)) {
            retained[row_of[i]] += s->retained[i];
            retained[0] += s->retained[i];
        }
    free(end);
    return made;
}

/* What each group's objects retain. */
static bool retain(Grouping *g) {
    uint64_t *retained = snap_memory_rough(g->memory, (size_t)g->keys + 1, sizeof *retained);
    if (!retained || !groups_retained(g->s, g->row_of, g->keys, retained)) return false;
    for (uint32_t key = 0; key < g->keys; key++)
        g->group[key].retained = retained[key + 1];
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int by_retained(const void *a, const void *b) {
    const LmpObjectGroup *x = a, *y = b;
    if (x->retained != y->retained) return x->retained < y->retained ? 1 : -1;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Groups that have members, largest first. Their keys are in `first` until members are put in. */
static bool list_groups(Grouping *g, LmpObjectGroups *out) {
    for (uint32_t key = 0; key < g->keys; key++)
        out->groups += g->group[key].objects > 0;
    out->group = calloc((size_t)out->groups + 1, sizeof *out->group);
    if (!out->group) return false;
    uint32_t n = 0;
    for (uint32_t key = 0; key < g->keys; key++) {
        if (!g->group[key].objects) continue;
        out->group[n] = g->group[key];
        out->group[n].first = key;
        name_key(g, key, out->group[n].name, sizeof out->group[n].name);
        n++;
    }
    qsort(out->group, n, sizeof *out->group, by_retained);
    return true;
}

/* Sorts all objects by size at once, then puts them into their groups in that order. */
static bool put_members(Grouping *g, LmpObjectGroups *out) {
    const LmpSnapshot *s = g->s;
    uint32_t members = 0, n = 0;
    for (uint32_t k = 0; k < out->groups; k++)
        members += out->group[k].objects;
    out->member = calloc((size_t)members + 1, sizeof *out->member);
    out->group_of = calloc(s->g.objects, sizeof *out->group_of);
    SortPair *sized = snap_memory_rough(g->memory, members, sizeof *sized);
    SortPair *room = snap_memory_rough(g->memory, members, sizeof *room);
    uint32_t *row = snap_memory_take(g->memory, g->keys, sizeof *row);
    uint32_t *next = snap_memory_take(g->memory, (size_t)out->groups + 1, sizeof *next);
    if (!out->member || !out->group_of || !sized || !room || !row || !next) return false;
    for (uint32_t k = 0, at = 0; k < out->groups; k++) {
        row[out->group[k].first] = k;
        out->group[k].first = next[k] = at;
        at += out->group[k].objects;
    }
    for (uint32_t i = 0; i < s->g.objects; i++) {
        if (!(i & SNAP_TICK) && !snap_tick(s, i)) return false;
        out->group_of[i] = g->row_of[i] ? row[g->row_of[i] - 1] : LMP_OBJECT_NONE;
        if (g->row_of[i]) sized[n++] = (SortPair){s->retained[i], i};
    }
    pairsort(sized, room, members);
    for (uint32_t k = 0; k < members; k++)
        out->member[next[out->group_of[sized[k].row]]++] = sized[k].row;
    return true;
}

LmpErr groups_make(LmpObjectGroups *out, const LmpSnapshot *s, LmpSnapshotBy by, bool garbage) {
    *out = (LmpObjectGroups){0};
    Grouping g = {.s = s, .by = by, .memory = &snap_own(s)->scratch};
    bool opened = tree_open(&g);
    g.keys = keys_of(&g);
    g.row_of = snap_memory_rough(g.memory, s->g.objects, sizeof *g.row_of);
    g.group = snap_memory_take(g.memory, g.keys, sizeof *g.group);
    bool made = opened && g.row_of && g.group && sum_up(&g, garbage) && retain(&g) &&
                list_groups(&g, out) && put_members(&g, out);
    snap_memory_again(g.memory);
    ledger_free(&g.tree);
    if (made) return LMP_OK;
    groups_free(out);
    return LMP_E_NOMEM;
}

void groups_free(LmpObjectGroups *groups) {
    free(groups->group);
    free(groups->member);
    free(groups->group_of);
    *groups = (LmpObjectGroups){0};
}

/* ---- what is alike --------------------------------------------------------------------------- */

/* Each object has a hash of what it is compared by, and equal hashes are one row; content counts by
 * the hash that the snapshot has of it, keys by the sum of theirs, in any order. */

void likes_free(LmpLikes *likes) {
    free(likes->row);
    free(likes->member);
    *likes = (LmpLikes){0};
}

/* Hashes all keys of a table that are strings, in any order, and whether there are others. */
static uint64_t like_keys(const LmpSnapshot *s, uint32_t table) {
    const LmpObjectGraph *g = &s->g;
    uint64_t sum = 0, names = 0, flags = s->g.table_array_used[s->ordinal[table]] ? 1 : 0;
    for (uint32_t e = g->edge_at[table]; e < g->edge_at[table + 1]; e++) {
        unsigned kind = g->edge_kind[e] & LMP_EDGE_KIND;
        if (kind == LMP_EDGE_INDEX) flags |= 1;
        if (kind != LMP_EDGE_KEY) continue;
        uint32_t key = g->edge_to[e];
        if (g->kind[key] != LMP_OBJECT_STRING) {
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
    return s->g.kind[object] == (by == LMP_LIKE_CONTENT ? LMP_OBJECT_STRING : LMP_OBJECT_TABLE);
}

static uint64_t like_key(const LmpSnapshot *s, uint32_t object, LmpLikeBy by) {
    const LmpObjectGraph *g = &s->g;
    uint64_t key = rowindex_mix(rowindex_mix(3, s->class_of[object]), 3);
    if (is_alike(s, object, by) && by == LMP_LIKE_KEYS) key = like_keys(s, object);
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
        classes_put_keys(&w, s, row->object);
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
        uint64_t key = like_key(s, member[i], by);
        uint32_t row = keymap_get(index, key, out->rows);
        if (row == out->rows) {
            if (!array_room(&out->row, &room, row + 1) || !keymap_set(index, key, row))
                return false;
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
