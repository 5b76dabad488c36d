/* paths.c - frames are numbered by function and line, ranked by their texts, and siblings sorted by
 * rank; places in the walk follow from the sizes of what is below each row, so nothing recurses. */
#include "report/formats/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"

enum { NAME = 256, TEXT = 640 };
#define FRAMES_MOST (24u << 20) /* in all paths together, where that can be had */
#define DEEPEST 2000u

/* ---- rows ------------------------------------------------------------------------------------ */

/* Makes lines a tree of one level. */
static bool rows_of_sites(Paths *p) {
    const Ledger *l = p->ledger;
    LmpTreeRow *row = calloc((size_t)l->sites + 1, sizeof *row);
    if (!row) return false;
    row[0].name = row[0].short_src = "";
    row[0].first = 1;
    row[0].children = l->sites;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        row[i + 1] = (LmpTreeRow){.id = s->id,
                                  .function = s->function,
                                  .site = s->id,
                                  .name = s->func,
                                  .short_src = s->short_src,
                                  .line = s->line,
                                  .depth = 1,
                                  .shallow = s->tally,
                                  .retained = s->tally};
        tally_add(&row[0].retained, &s->tally);
    }
    p->own = (Ledger){.tree = row, .nodes = l->sites + 1};
    p->tree = &p->own;
    p->rows = l->sites + 1;
    p->by_site = true;
    return true;
}

LmpTreeRow paths_row(const Paths *p, uint32_t row) {
    LmpTreeRow out;
    ledger_node(p->tree, row, &out);
    return out;
}

/* ---- frames ---------------------------------------------------------------------------------- */

const char *paths_name(char *out, size_t size, const char *name) {
    const char *quote = strchr(name, '\''), *end = strrchr(name, '\'');
    if (quote && end > quote + 1 && end[1] == 0)
        snprintf(out, size, "%.*s", (int)(end - quote - 1), quote + 1);
    else
        snprintf(out, size, "%s", *name ? name : "?");
    return out;
}

static uint64_t key_of(const Paths *p, uint32_t i) {
    LmpTreeRow row = paths_row(p, i);
    return (uint64_t)row.function << 32 | (uint32_t)row.line;
}

/* Numbers the frames. Returns how many there are; 0: no memory. */
static uint32_t number_frames(Paths *p) {
    uint32_t n = 0;
    p->frame = malloc(p->rows * sizeof *p->frame);
    if (!p->frame) return 0;
    p->frame[0] = 0;
    for (uint32_t i = 1; i < p->rows; i++) {
        uint64_t key = key_of(p, i);
        uint32_t f = keymap_get(&p->index, key, UINT32_MAX);
        if (f == UINT32_MAX) {
            f = n++;
            if (!keymap_set(&p->index, key, f)) return 0;
        }
        p->frame[i] = f;
    }
    return n + 1;
}

/* Moves on past a text that snprintf has written with at most `size` bytes. */
static char *past(char *at, int n, size_t size) {
    return at + (n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1) + 1;
}

static void frame_of(const Paths *p, uint32_t i, PathFrame *out, char **at) {
    const LmpTreeRow row = paths_row(p, i);
    char name[NAME];
    char where[TEXT - NAME];
    paths_name(name, sizeof name, row.name);
    out->function = row.function < p->ledger->functions ? row.function : LEDGER_NO_ROW;
    out->line = row.line;
    out->where = row.short_src;
    out->name = *at;
    *at = past(*at, snprintf(*at, NAME, "%s", name), NAME);
    out->text = *at;
    format_where(where, sizeof where, row.short_src, row.line > 0 ? row.line : -1);
    int n = strcmp(name, where) == 0 ? snprintf(*at, TEXT, "%s", name)
                                     : snprintf(*at, TEXT, "%s (%s)", name, where);
    *at = past(*at, n, TEXT);
}

/* The texts have room for the longest that there can be: what is not touched takes no memory. */
static bool name_frames(Paths *p, uint32_t frames) {
    p->of = calloc(frames, sizeof *p->of);
    p->texts = malloc((NAME + TEXT) * (size_t)frames + sizeof PATHS_DEEPER);
    if (!p->of || !p->texts) return false;
    char *at = p->texts;
    for (uint32_t i = 1; i < p->rows; i++)
        if (!p->of[p->frame[i]].text) frame_of(p, i, &p->of[p->frame[i]], &at);
    PathFrame *deeper = &p->of[frames - 1];
    *deeper = (PathFrame){LEDGER_NO_ROW, -1, PATHS_DEEPER, PATHS_DEEPER, at};
    strcpy(at, PATHS_DEEPER);
    p->frames = frames;
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct Ranked {
    const char *text;
    uint32_t frame;
} Ranked;

static int by_text(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->frame < y->frame ? -1 : 1;
}

static bool rank_frames(Paths *p) {
    Ranked *ranked = malloc(p->frames * sizeof *ranked);
    p->rank = malloc(p->frames * sizeof *p->rank);
    if (ranked && p->rank) {
        for (uint32_t f = 0; f < p->frames; f++)
            ranked[f] = (Ranked){p->of[f].text, f};
        qsort(ranked, p->frames, sizeof *ranked, by_text);
        for (uint32_t i = 0; i < p->frames; i++)
            p->rank[ranked[i].frame] = i;
    }
    bool made = ranked && p->rank;
    free(ranked);
    return made;
}

/* Sorts siblings by rank: all rows by rank (counted), dealt out to their parents. `place` of a
 * parent: where its next child goes. */
static void sort_siblings(const Paths *p, uint32_t *by_rank, uint32_t *sorted, uint32_t *place,
                          uint32_t *count) {
    memset(count, 0, (p->frames + 1) * sizeof *count);
    for (uint32_t i = 1; i < p->rows; i++)
        count[p->rank[p->frame[i]] + 1]++;
    for (uint32_t f = 0; f < p->frames; f++)
        count[f + 1] += count[f];
    for (uint32_t i = 1; i < p->rows; i++)
        by_rank[count[p->rank[p->frame[i]]]++] = i;
    for (uint32_t i = 0; i < p->rows; i++)
        place[i] = ledger_links(p->tree, i).first;
    for (uint32_t i = 0; i + 1 < p->rows; i++)
        sorted[place[ledger_links(p->tree, by_rank[i]).parent]++] = by_rank[i];
}

/* Sets the rows' places in a walk, from the sizes of what is below: parents stand before their
 * children in row[]. */
static void place_rows(Paths *p, const uint32_t *sorted, uint32_t *size, uint32_t *place) {
    for (uint32_t i = 0; i < p->rows; i++)
        size[i] = 1;
    for (uint32_t i = p->rows; i-- > 1;)
        size[ledger_links(p->tree, i).parent] += size[i];
    place[0] = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        uint32_t at = place[i] + 1;
        const LedgerLinks row = ledger_links(p->tree, i);
        for (uint32_t k = 0; k < row.children; k++) {
            uint32_t child = sorted[row.first + k];
            place[child] = at;
            at += size[child];
        }
        p->order[place[i]] = i;
    }
}

static bool order_rows(Paths *p) {
    uint32_t *sorted = malloc(p->rows * sizeof *sorted), *place = malloc(p->rows * sizeof *place);
    uint32_t *other = malloc(p->rows * sizeof *other);
    uint32_t *count = malloc((p->frames + 1) * sizeof *count);
    p->order = malloc(p->rows * sizeof *p->order);
    bool made = sorted && place && other && count && p->order;
    if (made) {
        sort_siblings(p, other, sorted, place, count);
        place_rows(p, sorted, other, place);
    }
    free(sorted);
    free(place);
    free(other);
    free(count);
    return made;
}

/* ---- depth ----------------------------------------------------------------------------------- */

static bool bound_depth(Paths *p) {
    p->depth = ledger_links(p->tree, p->rows - 1).depth; /* they are in the order of their depth */
    uint32_t *count = calloc((size_t)p->depth + 1, sizeof *count);
    if (!count) return false;
    for (uint32_t i = 0; i < p->rows; i++)
        count[ledger_links(p->tree, i).depth]++;
    uint64_t sum = 0;
    for (p->deepest = 0; p->deepest < p->depth && p->deepest < DEEPEST; p->deepest++) {
        sum += (uint64_t)count[p->deepest + 1] * (p->deepest + 1);
        if (sum > FRAMES_MOST && p->deepest >= 16) break;
    }
    free(count);
    return true;
}

bool paths_own(const Paths *p, uint32_t row, LmpTally *own) {
    bool counts = ledger_links(p->tree, row).depth <= p->deepest;
    if (counts) *own = ledger_shallow(p->tree, row);
    return counts;
}

bool paths_below(const Paths *p, uint32_t row, LmpTally *below) {
    const LedgerLinks r = ledger_links(p->tree, row);
    if (r.depth != p->deepest || r.children == 0) return false;
    const LmpTally own = ledger_shallow(p->tree, row);
    *below = ledger_retained(p->tree, row);
    tally_sub(below, &own);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

LmpErr paths_open(Paths *p, const LmpReport *report) {
    const Ledger *l = &report->ledger;
    *p = (Paths){.ledger = l, .tree = l, .rows = l->nodes};
    bool made = (l->stacks && l->nodes > 0) || rows_of_sites(p);
    uint32_t frames = made ? number_frames(p) : 0;
    made =
        frames > 0 && name_frames(p, frames) && rank_frames(p) && order_rows(p) && bound_depth(p);
    if (!made) paths_close(p);
    return made ? LMP_OK : LMP_E_NOMEM;
}

void paths_close(Paths *p) {
    free(p->own.tree);
    free(p->order);
    free(p->frame);
    free(p->of);
    free(p->rank);
    free(p->texts);
    keymap_free(&p->index);
    *p = (Paths){0};
}

/* ---- callers and callees --------------------------------------------------------------------- */

typedef struct Walk {
    const Paths *paths;
    Edges *edges;
    KeyMap index;
    uint32_t *above;    /* edges of the path, from the outermost */
    uint32_t depth;     /* how many */
    uint32_t *on_path;  /* of each edge: how often it is on the path */
    uint32_t room;      /* in it */
    uint32_t *function; /* of each function: the same */
} Walk;

static uint32_t function_of(const Walk *w, uint32_t row) {
    uint32_t f = paths_row(w->paths, row).function;
    return row == 0 || f >= w->edges->root ? w->edges->root : f;
}

static bool more_room(Walk *w) {
    Edges *e = w->edges;
    return array_room(&e->edge, &e->room, e->edges + 1) &&
           array_room(&w->on_path, &w->room, e->edges + 1);
}

/* Returns an edge's number; UINT32_MAX: no memory. Functions are fewer than 2^16. */
static uint32_t edge_of(Walk *w, uint32_t caller, uint32_t callee, int32_t line) {
    uint64_t key = (uint64_t)caller << 48 | (uint64_t)callee << 32 | (uint32_t)line;
    uint32_t e = keymap_get(&w->index, key, UINT32_MAX);
    if (e != UINT32_MAX) return e;
    if (!more_room(w) || !keymap_set(&w->index, key, w->edges->edges)) return UINT32_MAX;
    e = w->edges->edges++;
    w->edges->edge[e] = (Edge){.caller = caller, .callee = callee, .line = line};
    w->on_path[e] = 0;
    return e;
}

static void leave_to(Walk *w, uint32_t depth) {
    while (w->depth > depth) {
        uint32_t e = w->above[--w->depth];
        w->on_path[e]--;
        w->function[w->edges->edge[e].callee]--;
    }
}

static bool enter(Walk *w, uint32_t row, bool by_line) {
    uint32_t parent = ledger_links(w->paths->tree, row).parent;
    int32_t line = by_line && parent != 0 ? paths_row(w->paths, parent).line : -1;
    uint32_t e = edge_of(w, function_of(w, parent), function_of(w, row), line);
    if (e == UINT32_MAX) return false;
    Edge *edge = &w->edges->edge[e];
    edge->paths++;
    const LmpTally all = ledger_retained(w->paths->tree, row);
    if (w->on_path[e]++ == 0) tally_add(&edge->made, &all);
    if (w->function[edge->callee]++ > 0) {
        edge->recursive = true;
        w->edges->recursive[edge->callee] = 1;
    }
    w->above[w->depth++] = e;
    return true;
}

/* One walk over the tree, with the edges of the path on a stack; an edge counts what is below it
 * when it is entered for the first time on a path. */
LmpErr edges_make(Edges *edges, const Paths *paths, bool by_line) {
    *edges = (Edges){.root = paths->ledger->functions};
    if (paths->by_site) return LMP_OK;
    Walk w = {.paths = paths, .edges = edges};
    w.above = malloc(((size_t)paths->depth + 1) * sizeof *w.above);
    w.function = calloc((size_t)edges->root + 1, sizeof *w.function);
    edges->recursive = calloc((size_t)edges->root + 1, 1);
    bool made = w.above && w.function && edges->recursive;
    for (uint32_t i = 1; made && i < paths->rows; i++) {
        uint32_t row = paths->order[i];
        leave_to(&w, ledger_links(paths->tree, row).depth - 1);
        made = enter(&w, row, by_line);
    }
    free(w.above);
    free(w.function);
    free(w.on_path);
    keymap_free(&w.index);
    if (!made) edges_free(edges);
    return made ? LMP_OK : LMP_E_NOMEM;
}

void edges_free(Edges *edges) {
    free(edges->edge);
    free(edges->recursive);
    *edges = (Edges){0};
}
