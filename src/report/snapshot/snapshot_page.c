/* snapshot_page.c - the two reports that are a page for a browser (snapshot.html), with their tree
 * in it as arrays. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/snapshot/snapshotreport_impl.h"
#include "report/webpage.h"

/* ---- the page -------------------------------------------------------------------------------- */

/* A tree as it is drawn: rows come after their parents. */
typedef struct SnapshotPageRow {
    uint32_t parent;
    uint8_t kind;       /* LmpKind */
    uint64_t size, all; /* its own, with all below it (bytes) */
    uint32_t objects;   /* (count) */
    char name[160];
    char site[100];
} SnapshotPageRow;

typedef struct SnapshotPage {
    const char *view; /* "treemap", "icicle" */
    SnapshotPageRow *row;
    uint32_t rows;
} SnapshotPage;

typedef struct Drawn {
    const SnapshotPage *page;
    const SnapshotReport *report;
} Drawn;

static void put_head(Json *json, const Drawn *d) {
    const LmpSnapshot *s = d->report->s;
    char program[300], lua[64];
    json_text(json, "view", d->page->view);
    json_text(json, "program", objecttext_program(d->report, program, sizeof program));
    json_text(json, "lua", format_text(lua, sizeof lua, s->info.lua, 0));
    json_count(json, "number", s->info.number);
    json_count(json, "pid", s->info.pid);
    json_count(json, "at", s->info.clock / 1000000);
    json_count(json, "live", s->info.live_bytes);
    json_count(json, "garbage", s->garbage_bytes);
    json_line(json);
    JSON_LIST(json, "kinds", k, LMP_KINDS, json_text(json, NULL, kind_info[k].name));
}

/* parent, kind, with all below, own, objects, name, line */
static void put_row(Json *json, const SnapshotPageRow *row) {
    json_line(json);
    json_begin(json, NULL, '[');
    json_count(json, NULL, row->parent);
    json_count(json, NULL, row->kind);
    json_count(json, NULL, row->all);
    json_count(json, NULL, row->size);
    json_count(json, NULL, row->objects);
    json_text(json, NULL, row->name);
    json_text(json, NULL, row->site);
    json_end(json, ']');
}

static LmpErr put_data(Json *json, const void *of) {
    const Drawn *d = of;
    put_head(json, d);
    json_line(json);
    json_begin(json, "rows", '[');
    for (uint32_t i = 0; i < d->page->rows && !ferror(json->out); i++)
        put_row(json, &d->page->row[i]);
    json_end(json, ']');
    return LMP_OK;
}

static LmpErr page_write(const SnapshotPage *page, const SnapshotReport *report, FILE *out) {
    const Drawn drawn = {page, report};
    return webpage_write(&snapshot_page, JSON_IN_SCRIPT, put_data, &drawn, out);
}

/* ---- treemap --------------------------------------------------------------------------------- */

/* Who retains what, as nested rectangles: the tree of dominators, of which the page has as many of
 * the largest as a person can look at. What is left out of an object's children is one row more. */

/* Rows at most, and the part of the heap that is the smallest one shown. */
enum { TREEMAP_ROWS = 6000, TREEMAP_SMALLEST = 20000 };

typedef struct Candidate {
    uint64_t retained;
    uint32_t next, end; /* in s->child: the largest one not taken yet */
    uint32_t row;       /* its parent's */
} Candidate;

typedef struct Tree {
    const LmpSnapshot *s;
    SnapshotRedact redact;
    SnapshotPageRow *row;
    uint32_t rows, most;
    Candidate *heap; /* the largest on top */
    uint32_t candidates;
} Tree;

static void sift_up(Candidate *h, uint32_t i) {
    while (i > 0 && h[(i - 1) / 2].retained < h[i].retained) {
        Candidate c = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = c;
        i = (i - 1) / 2;
    }
}

static void sift_down(Candidate *h, uint32_t n) {
    for (uint32_t i = 0;;) {
        uint32_t most = i, a = 2 * i + 1, b = 2 * i + 2;
        if (a < n && h[a].retained > h[most].retained) most = a;
        if (b < n && h[b].retained > h[most].retained) most = b;
        if (most == i) return;
        Candidate c = h[i];
        h[i] = h[most];
        h[most] = c;
        i = most;
    }
}

static void offer(Tree *t, uint32_t row, uint32_t object) {
    const LmpSnapshot *s = t->s;
    uint32_t at = s->child_at[object], end = s->child_at[object + 1];
    if (at == end) return;
    t->heap[t->candidates] = (Candidate){s->retained[s->child[at]], at, end, row};
    sift_up(t->heap, t->candidates++);
}

static void add(Tree *t, uint32_t parent, uint32_t object) {
    const LmpSnapshot *s = t->s;
    SnapshotPageRow *row = &t->row[t->rows];
    *row = (SnapshotPageRow){.parent = parent,
                             .kind = (uint8_t)snapshot_kind(s, object),
                             .size = object ? snapshot_counted(s, object) : 0,
                             .all = s->retained[object],
                             .objects = 1};
    char name[160], step[100] = "";
    bool direct = object && s->parent[object] == s->idom[object];
    bool by_class = direct && s->g.kind[object] == LMP_OBJECT_TABLE && s->idom[object] != 0;
    if (by_class)
        objecttext_class(&t->redact, s, object, name, sizeof name);
    else
        objecttext_name(&t->redact, s, object, name, sizeof name);
    if (direct)
        objecttext_step(&t->redact, s, s->parent[object], s->parent_edge[object], step,
                        sizeof step);
    if (!object)
        snprintf(row->name, sizeof row->name, "heap");
    else if (*step && strcmp(step, name) != 0 && object != s->globals && object != s->loaded)
        snprintf(row->name, sizeof row->name, "%.98s  %.58s", step, name);
    else
        snprintf(row->name, sizeof row->name, "%s", *step ? step : name);
    if (object) snapshot_site(s, object, row->site, sizeof row->site);
    offer(t, t->rows++, object);
}

/* The children from `at` on, as one row. */
static void add_rest(Tree *t, const Candidate *c) {
    uint64_t sum = 0;
    char count[LMP_NUM];
    for (uint32_t k = c->next; k < c->end; k++)
        sum += t->s->retained[t->s->child[k]];
    if (sum == 0 || t->rows >= t->most) return;
    SnapshotPageRow *row = &t->row[t->rows++];
    uint32_t n = c->end - c->next;
    *row = (SnapshotPageRow){
        .parent = c->row, .kind = LMP_OTHER, .size = sum, .all = sum, .objects = n};
    snprintf(row->name, sizeof row->name, "%s more", format_count(count, n));
}

static void grow(Tree *t) {
    uint64_t least = t->s->retained[0] / TREEMAP_SMALLEST;
    add(t, 0, 0);
    while (t->candidates > 0 && t->rows < TREEMAP_ROWS && t->heap[0].retained > least) {
        Candidate *c = &t->heap[0];
        uint32_t object = t->s->child[c->next], row = c->row;
        if (++c->next < c->end) {
            c->retained = t->s->retained[t->s->child[c->next]];
        } else {
            *c = t->heap[--t->candidates];
        }
        sift_down(t->heap, t->candidates);
        add(t, row, object);
    }
    for (uint32_t i = 0; i < t->candidates; i++)
        add_rest(t, &t->heap[i]);
}

LmpErr snapshot_treemap(const SnapshotReport *report, FILE *out) {
    Tree t = {.s = report->s, .most = 2 * TREEMAP_ROWS + 2};
    LmpErr err = objecttext_redact_open(&t.redact, report);
    t.row = malloc(t.most * sizeof *t.row);
    t.heap = malloc((TREEMAP_ROWS + 2) * sizeof *t.heap);
    if (!err && (!t.row || !t.heap)) err = LMP_E_NOMEM;
    if (!err) {
        grow(&t);
        err = page_write(&(SnapshotPage){"treemap", t.row, t.rows}, report, out);
    }
    free(t.row);
    free(t.heap);
    objecttext_redact_close(&t.redact);
    return err;
}

/* ---- icicle ---------------------------------------------------------------------------------- */

/* Bytes by the folded path that holds them: each step's width is what is reached through it. Paths
 * that hold next to nothing are left to the row above them. */

enum { ICICLE_ROWS = 20000, ICICLE_SMALLEST = 10000 };

typedef struct Sums {
    uint64_t *all;
    uint32_t *objects;
    uint32_t *page; /* of each row of the tree: its row of the page */
} Sums;

static void sum_up(const SnapshotHolders *h, Sums *sums) {
    for (uint32_t i = 0; i < h->rows; i++) {
        sums->all[i] = h->row[i].size;
        sums->objects[i] = (uint32_t)h->row[i].objects;
    }
    for (uint32_t i = h->rows; i-- > 1;) {
        sums->all[h->row[i].parent] += sums->all[i];
        sums->objects[h->row[i].parent] += sums->objects[i];
    }
}

static uint32_t make_rows(const SnapshotHolders *h, const SnapshotRedact *r, const LmpSnapshot *s,
                          Sums *sums, SnapshotPageRow *row) {
    uint32_t rows = 0;
    uint64_t least = sums->all[0] / ICICLE_SMALLEST;
    for (uint32_t i = 0; i < h->rows; i++) {
        uint32_t above = sums->page[h->row[i].parent];
        bool shown =
            i == 0 || (sums->all[i] > least && above != LMP_OBJECT_NONE && rows < ICICLE_ROWS);
        sums->page[i] = shown ? rows : LMP_OBJECT_NONE;
        if (!shown) continue;
        SnapshotPageRow *now = &row[rows++];
        *now = (SnapshotPageRow){.parent = i ? above : 0,
                                 .kind = (uint8_t)snapshot_kind(s, h->row[i].sample),
                                 .size = h->row[i].size,
                                 .all = sums->all[i],
                                 .objects = sums->objects[i]};
        holders_text(h, r, s, i, now->name, sizeof now->name);
        if (h->row[i].sample) snapshot_site(s, h->row[i].sample, now->site, sizeof now->site);
    }
    return rows;
}

LmpErr snapshot_icicle(const SnapshotReport *report, FILE *out) {
    SnapshotHolders h = {0};
    SnapshotRedact redact;
    LmpErr err = objecttext_redact_open(&redact, report);
    if (!err) err = holders_make(&h, report->s);
    Sums sums = {calloc((size_t)h.rows + 1, sizeof *sums.all),
                 calloc((size_t)h.rows + 1, sizeof *sums.objects),
                 calloc((size_t)h.rows + 1, sizeof *sums.page)};
    SnapshotPageRow *row = malloc((ICICLE_ROWS + 1) * sizeof *row);
    if (!err && (!sums.all || !sums.objects || !sums.page || !row)) err = LMP_E_NOMEM;
    if (!err) {
        sum_up(&h, &sums);
        uint32_t rows = make_rows(&h, &redact, report->s, &sums, row);
        err = page_write(&(SnapshotPage){"icicle", row, rows}, report, out);
    }
    free(sums.all);
    free(sums.objects);
    free(sums.page);
    free(row);
    holders_free(&h);
    objecttext_redact_close(&redact);
    return err;
}
