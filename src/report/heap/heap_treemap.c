/* heap_treemap.c - who retains what, as nested rectangles: the tree of dominators, of which the
 * page has as many of the largest as a person can look at. What is left out of an object's children
 * is one row more. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/heap/heapreport_impl.h"

enum { ROWS = 6000, SMALLEST = 20000 }; /* of the heap; smaller ones are nobody's business */

typedef struct Candidate {
    uint64_t retained;
    uint32_t next, end; /* in s->child: the largest one not taken yet */
    uint32_t row;       /* its parent's */
} Candidate;

typedef struct Tree {
    const LmpSnapshot *s;
    HeapRedact redact;
    HeapPageRow *row;
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
    HeapPageRow *row = &t->row[t->rows];
    *row = (HeapPageRow){.parent = parent,
                         .kind = (uint8_t)snapshot_kind(s, object),
                         .size = object ? snapshot_counted(s, object) : 0,
                         .all = s->retained[object],
                         .objects = 1};
    char name[160], step[100] = "";
    bool direct = object && s->parent[object] == s->idom[object];
    bool by_class = direct && s->g.kind[object] == LMP_HEAP_TABLE && s->idom[object] != 0;
    if (by_class)
        heaptext_class(&t->redact, s, object, name, sizeof name);
    else
        heaptext_name(&t->redact, s, object, name, sizeof name);
    if (direct)
        heaptext_step(&t->redact, s, s->parent[object], s->parent_edge[object], step, sizeof step);
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
    HeapPageRow *row = &t->row[t->rows++];
    uint32_t n = c->end - c->next;
    *row =
        (HeapPageRow){.parent = c->row, .kind = LMP_OTHER, .size = sum, .all = sum, .objects = n};
    snprintf(row->name, sizeof row->name, "%s more", format_count(count, n));
}

static void grow(Tree *t) {
    uint64_t least = t->s->retained[0] / SMALLEST;
    add(t, 0, 0);
    while (t->candidates > 0 && t->rows < ROWS && t->heap[0].retained > least) {
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

LmpErr heap_treemap(const HeapReport *report, FILE *out) {
    Tree t = {.s = report->s, .most = 2 * ROWS + 2};
    LmpErr err = redact_open(&t.redact, report);
    t.row = malloc(t.most * sizeof *t.row);
    t.heap = malloc((ROWS + 2) * sizeof *t.heap);
    if (!err && (!t.row || !t.heap)) err = LMP_E_NOMEM;
    if (!err) {
        grow(&t);
        err = page_write(&(HeapPage){"treemap", t.row, t.rows}, report, out);
    }
    free(t.row);
    free(t.heap);
    redact_close(&t.redact);
    return err;
}
