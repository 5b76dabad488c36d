/* treerows.c - lists visible rows with a stack of siblings in place of recursion: shows one row,
 * and if it is open pushes its sorted children. Keeps what is open, filters, and follows the
 * hottest path. The rows below a row: treerows_children.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "panels/treerows_impl.h"
#include "widget/describe.h"
#include "widget/table.h"

#define NOWHERE UINT32_MAX
#define ENOUGH_PATHS (1u << 19) /* of callers */
#define ENOUGH_ROWS 20000u      /* that a filter opens */

TreeRows *treerows_new(void) {
    return calloc(1, sizeof(TreeRows));
}

void treerows_free(TreeRows *t) {
    if (!t) return;
    free(t->shown);
    free(t->match);
    free(t->keep);
    free(t->child);
    free(t->siblings);
    free(t->group);
    callfold_free(&t->fold);
    keymap_free(&t->open);
    keymap_free(&t->by_hand);
    keymap_free(&t->place);
    free(t);
}

static const LmpTreeRow *node_of(const TreeRows *t, uint32_t node) {
    return &t->ledger->tree[node];
}

static const Group *group_of(const TreeRows *t, uint32_t group) {
    return &t->group[group];
}

static const LmpTally *own_of(const TreeRows *t, const Group *g) {
    return t->request.callers ? NULL : &g->own;
}

static bool has_children(const TreeRows *t, const Group *g) {
    return g->callees || (g->many && !t->request.callers);
}

/* ---- filter ---------------------------------------------------------------------------------- */

/* Looks up a match: a function's name and file are compared once; a line is compared only if the
 * words match when cut off at their colons. */
enum { MATCH = 1, MATCH_LINE = 2 };

static bool matches(const TreeRows *t, uint32_t function, int32_t line) {
    uint8_t match = t->match[function];
    if (match & MATCH) return true;
    if (!(match & MATCH_LINE) || line < 0) return false;
    char text[512];
    const LmpFunctionRow *row = &t->ledger->function[function];
    describe_words(text, sizeof text, row->name, row->short_src, line);
    return table_words_match(t->filter, text);
}

bool treerows_matches_function(const TreeRows *t, uint32_t function) {
    uint8_t match = t->match[function];
    if (match & MATCH || !t->request.callers) return match & MATCH;
    return matches(t, function, t->ledger->function[function].linedefined);
}

/* Marks what a filter keeps of the tree: matches, their ancestors and their descendants. */
static bool apply_filter(TreeRows *t) {
    const Ledger *l = t->ledger;
    t->filtering = t->filter[strspn(t->filter, " ")] != 0;
    if (!t->filtering) return true;
    if (!array_room(&t->match, &t->match_room, l->functions) ||
        !array_room(&t->keep, &t->keep_room, l->nodes))
        return false;
    uint8_t *match = t->match, *keep = t->keep;
    char text[512], cut[sizeof t->filter];
    size_t n = 0;
    bool colon = false;
    for (const char *p = t->filter; *p; p++) {
        cut[n++] = *p;
        if (*p != ':') continue;
        colon = true;
        p += strcspn(p, " ") - 1;
    }
    cut[n] = 0;
    for (uint32_t f = 0; f < l->functions; f++) {
        const LmpFunctionRow *row = &l->function[f];
        snprintf(text, sizeof text, "%s %s:", row->name, row->short_src);
        match[f] = colon && table_words_match(cut, text) ? MATCH_LINE : 0;
        text[strlen(text) - 1] = 0;
        if (table_words_match(t->filter, text)) match[f] |= MATCH;
    }
    /* parents come before their children */
    keep[0] = 0;
    for (uint32_t i = 1; i < l->nodes; i++) {
        bool own = matches(t, node_of(t, i)->function, node_of(t, i)->line);
        uint8_t above = keep[node_of(t, i)->parent] & (KEEP_MATCH | KEEP_ABOVE);
        keep[i] = (uint8_t)((own ? KEEP_MATCH : 0) | (above ? KEEP_ABOVE : 0));
    }
    for (uint32_t i = l->nodes; i-- > 1;)
        if (keep[i] & (KEEP_MATCH | KEEP_BELOW)) keep[node_of(t, i)->parent] |= KEEP_BELOW;
    return true;
}

/* Returns true if so much is open already that nothing more is opened automatically. */
static bool is_costly(const TreeRows *t) {
    return (t->request.callers && t->fold.members > ENOUGH_PATHS) ||
           (t->filtering && t->rows > ENOUGH_ROWS);
}

static bool is_open(const TreeRows *t, const Group *g) {
    if (!t->filtering) return keymap_get(&t->open, g->key, 0) != 0;
    uint32_t by_hand = keymap_get(&t->by_hand, g->key, 2);
    return by_hand == 2 ? g->opens && !is_costly(t) : by_hand;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* qsort has no context argument; updates never run concurrently. */
static _Thread_local const TreeRows *ordered;

static int by_shown(const void *a, const void *b) {
    const TreeRows *t = ordered;
    const Group *x = group_of(t, *(const uint32_t *)a), *y = group_of(t, *(const uint32_t *)b);
    if (t->placed) {
        uint32_t p = keymap_get(&t->place, x->key, NOWHERE);
        uint32_t q = keymap_get(&t->place, y->key, NOWHERE);
        if (p != q) return p < q ? -1 : 1;
    }
    int order = 0;
    if (t->request.shown_figure) {
        double p = t->request.shown_figure(t->request.about, &x->total, own_of(t, x));
        double q = t->request.shown_figure(t->request.about, &y->total, own_of(t, y));
        order = p > q ? -1 : p < q;
    }
    /* functions by their names, then lines */
    if (order == 0) order = x->is_line - y->is_line;
    if (order == 0 && x->is_line) order = x->line < y->line ? -1 : x->line > y->line;
    if (order == 0)
        order =
            strcmp(t->ledger->function[x->function].name, t->ledger->function[y->function].name);
    if (order == 0) order = x->key < y->key ? -1 : x->key > y->key;
    return t->request.reverse ? -order : order;
}

/* Appends a row's children to child[], sorted. `from`, `end`: their range. */
static bool gather(TreeRows *t, uint32_t group, uint32_t *from, uint32_t *end) {
    *from = t->children;
    if (!children_of(t, group)) return false;
    uint32_t *child = t->child;
    if (t->filtering) {
        uint32_t keep = *from;
        for (uint32_t i = *from; i < t->children; i++)
            if (group_of(t, child[i])->keep) child[keep++] = child[i];
        t->children = keep;
    }
    *end = t->children;
    ordered = t;
    if (*end - *from > 1) qsort(child + *from, *end - *from, sizeof(uint32_t), by_shown);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns the child on the hottest path; 0: none. */
static uint64_t hottest_child(const TreeRows *t, uint32_t from, uint32_t end) {
    double most = 0;
    uint64_t key = 0;
    for (uint32_t i = from; i < end; i++) {
        const Group *g = group_of(t, t->child[i]);
        double heat = t->request.heat ? t->request.heat(t->request.about, &g->total, own_of(t, g))
                                      : (double)g->total.live_bytes;
        if (!(heat > most)) continue;
        most = heat;
        key = g->key;
    }
    return key;
}

/* Pushes a row's children onto the stack of rows still to be shown. */
static bool descend(TreeRows *t, uint32_t group, uint32_t shown, uint32_t depth) {
    Siblings s = {.owner = shown, .depth = depth};
    if (!gather(t, group, &s.at, &s.end) ||
        !array_room(&t->siblings, &t->level_room, t->levels + 1))
        return false;
    t->siblings[t->levels++] = s;
    bool hot = group == NOWHERE ? t->hot_root : t->hot != 0 && group_of(t, group)->key == t->hot;
    if (hot) t->hot = t->hot_levels > 0 ? hottest_child(t, s.at, s.end) : 0;
    return true;
}

static void set_open(TreeRows *t, const Group *g, bool open) {
    if (t->filtering) {
        keymap_set(&t->by_hand, g->key, open);
    } else {
        keymap_set(&t->open, g->key, open);
    }
}

/* Opens the row if it is the one on the hottest path. */
static void heat(TreeRows *t, const Group *g) {
    if (t->hot == 0 || g->key != t->hot) return;
    if (!has_children(t, g) || t->hot_levels == 0 || is_costly(t)) {
        t->hot = 0;
    } else {
        t->hot_levels -= !is_open(t, g); /* levels already open do not count */
        set_open(t, g, true);
    }
}

static bool show_one(TreeRows *t, const Siblings *s, uint32_t group) {
    if (!array_room(&t->shown, &t->row_room, t->rows + 1)) return false;
    uint32_t i = t->rows++;
    const Group *g = group_of(t, group);
    heat(t, g);
    Shown shown = {.key = g->key,
                   .group = group,
                   .up = s->owner == NOWHERE ? i : s->owner,
                   .depth = s->depth,
                   .more = s->at < s->end,
                   .open = has_children(t, g) && i < TREE_MOST_ROWS && is_open(t, g)};
    t->shown[i] = shown;
    return !shown.open || descend(t, group, i, s->depth + 1);
}

static bool show_all(TreeRows *t) {
    t->children = t->levels = t->rows = 0;
    if (!children_begin(t) || !descend(t, NOWHERE, NOWHERE, 0)) return false;
    while (t->levels > 0) {
        Siblings *last = &t->siblings[t->levels - 1];
        if (last->at == last->end) {
            t->levels--; /* everything after it in child[] was its own descendants */
            t->children = last->end;
            continue;
        }
        uint32_t group = t->child[last->at++];
        Siblings now = *last; /* descend may move them */
        if (!show_one(t, &now, group)) return false;
    }
    return true;
}

/* Records the places of the rows, before they are recomputed. */
static void note_places(TreeRows *t) {
    keymap_clear(&t->place);
    t->placed = true;
    for (uint32_t i = 0; i < t->rows && t->placed; i++)
        t->placed = keymap_set(&t->place, t->shown[i].key, i);
}

bool treerows_update(TreeRows *t, const Ledger *ledger, const TreeWanted *request) {
    bool ordered_so = t->request.shown_figure == request->shown_figure &&
                      t->request.reverse == request->reverse &&
                      t->request.callers == request->callers;
    t->placed = false;
    if (ordered_so && request->still) note_places(t);
    t->ledger = ledger;
    t->request = *request;
    if (strncmp(t->filter, request->filter, sizeof t->filter - 1) != 0) {
        snprintf(t->filter, sizeof t->filter, "%s", request->filter);
        keymap_clear(&t->by_hand);
    }
    t->request.filter = t->filter;
    bool done = ledger->nodes == 0 || (apply_filter(t) && show_all(t));
    if (!done || ledger->nodes == 0) t->rows = 0;
    t->hot = 0;
    t->hot_root = false;
    return done;
}

uint32_t treerows_count(const TreeRows *t) {
    return t->rows;
}

TreeRow treerows_row(const TreeRows *t, uint32_t i) {
    const Shown *s = &t->shown[i];
    const Group *g = group_of(t, s->group);
    const LmpFunctionRow *function = &t->ledger->function[g->function];
    bool only = g->has_line && !g->many && g->line >= 0;
    bool line = g->is_line || (only && (t->request.callers || !g->callees));
    const LmpFunctionRow *in = line ? &t->ledger->function[g->line_function] : function;
    return (TreeRow){.key = s->key,
                     .name = function->name,
                     .source = in->raw_source,
                     .short_src = in->short_src,
                     .line = line ? g->line : function->linedefined,
                     .site = line ? g->site : 0,
                     .function = g->function,
                     .total = &g->total,
                     .own = own_of(t, g),
                     .depth = s->depth,
                     .up = s->up,
                     .flags = g->flags,
                     .is_line = g->is_line,
                     .exact = line,
                     .some_line = g->has_line && g->line_function == g->function ? g->line : 0,
                     .recursive = g->recursive,
                     .children = has_children(t, g),
                     .open = s->open,
                     .more = s->more,
                     .matches = t->filtering && g->matches};
}

uint64_t treerows_lines(const TreeRows *t, uint32_t i, uint32_t levels) {
    uint64_t lines = 0;
    for (uint32_t k = 0; k < levels && k < 64; k++) {
        const Shown *s = &t->shown[i];
        lines |= (uint64_t)s->more << k;
        if (s->up == i) break;
        i = s->up;
    }
    return lines;
}

/* ---- opening --------------------------------------------------------------------------------- */

void treerows_open(TreeRows *t, uint32_t i, bool open) {
    set_open(t, group_of(t, t->shown[i].group), open);
}

void treerows_open_hottest(TreeRows *t, uint32_t i, uint32_t levels) {
    t->hot_root = i >= treerows_count(t);
    t->hot = t->hot_root ? 0 : t->shown[i].key;
    t->hot_levels = levels;
}

void treerows_close_all(TreeRows *t) {
    keymap_clear(&t->open);
    keymap_clear(&t->by_hand);
}
