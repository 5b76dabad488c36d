/* suspects_table.c - how a page of suspects.h is made: rows by key, summed up and sorted. What
 * belongs on which page is in suspects_pages.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "read/snapshot/snapshot_impl.h"
#include "read/snapshot/suspects_impl.h"

/* ---- rows by key ----------------------------------------------------------------------------- */

static bool same_key(const SuspectDraft *d, const uint64_t key[3]) {
    return d->key[0] == key[0] && d->key[1] == key[1] && d->key[2] == key[2];
}

SuspectDraft *suspects_draft(SuspectMaking *m, uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t key[3] = {a, b, c};
    uint32_t hash = (uint32_t)rowindex_mix(rowindex_mix(rowindex_mix(0, a), b), c), at = hash, row;
    if (m->failed) return NULL;
    while ((row = rowindex_next(&m->index, hash, &at)))
        if (same_key(&m->draft[row], key)) return &m->draft[row];
    if (!rowindex_room(&m->index, 1) || !array_room(&m->draft, &m->room, m->drafts + 2)) {
        m->failed = true;
        return NULL;
    }
    row = ++m->drafts;
    m->draft[row] = (SuspectDraft){.key = {a, b, c}, .object = LMP_OBJECT_NONE};
    rowindex_add(&m->index, hash, row);
    return &m->draft[row];
}

/* Returns true if `a` is nearer to the root than `b`, or as near and earlier in the order of keys:
 * numbers of objects differ from run to run. */
static bool is_earlier(const LmpSnapshot *s, uint32_t a, uint32_t b) {
    enum { STEPS = 64 };
    if (s->distance[a] != s->distance[b]) return s->distance[a] < s->distance[b];
    for (int i = 0; i < STEPS && s->parent_edge[a] != LMP_OBJECT_NONE; i++) {
        if (s->parent[a] == s->parent[b]) return s->parent_edge[a] < s->parent_edge[b];
        a = s->parent[a];
        b = s->parent[b];
    }
    return a < b;
}

SuspectDraft *suspects_put(SuspectMaking *m, uint32_t object, uint64_t a, uint64_t b, uint64_t c) {
    if (m->group_of[object]) return &m->draft[m->group_of[object]];
    SuspectDraft *d = suspects_draft(m, a, b, c);
    if (!d) return NULL;
    m->group_of[object] = (uint32_t)(d - m->draft);
    d->objects++;
    const uint64_t *retained = m->s->retained;
    if (d->object == LMP_OBJECT_NONE || retained[object] > retained[d->object] ||
        (retained[object] == retained[d->object] && is_earlier(m->s, object, d->object)))
        d->object = object;
    return d;
}

/* ---- what all pages ask ---------------------------------------------------------------------- */

bool suspects_go_on(SuspectMaking *m, uint32_t object) {
    if (!(object & SNAP_TICK) && !snap_tick(m->s, object)) m->failed = true;
    return !m->failed;
}

uint64_t suspects_site(const LmpSnapshot *s, uint32_t object) {
    if (!s->view || !s->g.context[object]) return LEDGER_NO_ROW;
    return ledger_site_of(&s->ledger, &s->view->tables, s->g.context[object]);
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void finish(SuspectDraft *d, const LmpSuspectPageInfo *page) {
    if (page->retained) d->number[page->retained] = d->retained;
    for (uint32_t c = 1; c < SUSPECTS_COLUMNS; c++) /* in percent of the column before */
        if (page->column[c].cell == LMP_CELL_PERCENT)
            d->number[c] = d->number[c - 1] ? d->number[c] * 100 / d->number[c - 1] : 100;
    for (int i = 0; i < 2; i++)
        d->order[i] = page->order[i] ? d->number[page->order[i]] : d->objects;
}

static bool sum_up(SuspectMaking *m, const LmpSuspectPageInfo *page) {
    uint64_t *retained = malloc(((size_t)m->drafts + 1) * sizeof *retained);
    bool done = retained && groups_retained(m->s, m->group_of, m->drafts, retained);
    m->all_bytes = 0;
    for (uint32_t i = 1; done && i <= m->drafts; i++) {
        m->draft[i].retained = retained[i];
        finish(&m->draft[i], page);
        m->all_bytes += m->draft[i].order[0];
    }
    if (done && page->retained) m->all_bytes = retained[0];
    free(retained);
    return done;
}

/* ---- in order -------------------------------------------------------------------------------- */

/* Strings by what is in them, other objects by their class and where they were made: addresses
 * differ from run to run. */
static int by_words(const LmpSnapshot *s, uint32_t a, uint32_t b) {
    char x[96], y[96];
    size_t n = 0, m = 0;
    if (s->g.kind[a] != s->g.kind[b]) return s->g.kind[a] < s->g.kind[b] ? -1 : 1;
    const char *text = snapshot_text(s, a, &n), *than = snapshot_text(s, b, &m);
    int differs = text && than ? memcmp(text, than, n < m ? n : m) : 0;
    if (differs || n != m) return differs ? differs : n < m ? -1 : 1;
    if (!text)
        differs = strcmp(s->class_list[s->class_of[a]].name, s->class_list[s->class_of[b]].name);
    return differs ? differs
                   : strcmp(snapshot_site(s, a, x, sizeof x), snapshot_site(s, b, y, sizeof y));
}

static int by_order(const void *a, const void *b, void *of) {
    const SuspectDraft *const *x = a, *const *y = b;
    for (int i = 0; i < 2; i++)
        if ((*x)->order[i] != (*y)->order[i]) return (*x)->order[i] > (*y)->order[i] ? -1 : 1;
    const LmpSnapshot *s = of;
    bool known = (*x)->object < s->g.objects && (*y)->object < s->g.objects;
    int differs = known ? by_words(s, (*x)->object, (*y)->object) : 0;
    return differs ? differs : (*x)->object < (*y)->object ? -1 : (*x)->object > (*y)->object;
}

static uint32_t number_rows(SuspectMaking *m, LmpSuspectTable *out, SuspectDraft **sorted,
                            uint32_t *row_of) {
    uint32_t members = 0;
    for (uint32_t i = 0; i < m->drafts; i++) {
        if (i >= SUSPECTS_MOST) {
            out->more++;
            out->more_bytes += sorted[i]->order[0];
            continue;
        }
        LmpSuspectRow *row = &out->row[i];
        *row = (LmpSuspectRow){.object = sorted[i]->object,
                               .objects = sorted[i]->objects,
                               .first = members,
                               .bytes = sorted[i]->order[0]};
        memcpy(row->number, sorted[i]->number, sizeof row->number);
        members += row->objects;
        row_of[sorted[i] - m->draft] = i + 1;
    }
    return members;
}

/* Makes the rows of the drafts. `row_of`: drafts + 1 zeroes. */
static bool make_rows(SuspectMaking *m, LmpSuspectTable *out, SuspectDraft **sorted,
                      uint32_t *row_of) {
    for (uint32_t i = 0; i < m->drafts; i++)
        sorted[i] = &m->draft[i + 1];
    qsort_r(sorted, m->drafts, sizeof(SuspectDraft *), by_order, (void *)m->s); /* NOLINT */
    out->rows = m->drafts < SUSPECTS_MOST ? m->drafts : SUSPECTS_MOST;
    uint32_t members = number_rows(m, out, sorted, row_of);
    out->member = malloc(((size_t)members + 1) * sizeof *out->member);
    if (!out->member) return false;
    uint32_t *at = calloc((size_t)out->rows + 1, sizeof *at);
    for (uint32_t i = 0; at && i < m->s->g.objects; i++) {
        uint32_t row = row_of[m->group_of[i]];
        if (m->group_of[i] && row) out->member[out->row[row - 1].first + at[row]++] = i;
    }
    bool done = at != NULL;
    free(at);
    return done;
}

static bool order_rows(SuspectMaking *m, LmpSuspectTable *out, const LmpSuspectPageInfo *page) {
    SuspectDraft **sorted = malloc(((size_t)m->drafts + 1) * sizeof *sorted);
    uint32_t *row_of = calloc((size_t)m->drafts + 1, sizeof *row_of);
    out->row = malloc((SUSPECTS_MOST + 1) * sizeof *out->row);
    bool done = sorted && row_of && out->row && make_rows(m, out, sorted, row_of);
    for (uint32_t i = 0; done && i < out->rows; i++)
        page->word(m->s, sorted[i], &out->row[i]);
    free(sorted);
    free(row_of);
    return done;
}

/* Whatever the root refers to in this way; LMP_OBJECT_NONE. */
static uint32_t root_of(const LmpSnapshot *s, uint32_t root) {
    for (uint32_t e = s->g.edge_at[0]; e < s->g.edge_at[1]; e++)
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_ROOT && s->g.edge_label[e] == root)
            return s->g.edge_to[e];
    return LMP_OBJECT_NONE;
}

static void collect(SuspectMaking *m, const LmpSuspectPageInfo *page) {
    m->running = root_of(m->s, LMP_ROOT_RUNNING);
    if (page->collect) page->collect(m);
    for (uint32_t i = 1; page->each && i < m->s->g.objects && suspects_go_on(m, i); i++)
        page->each(m, i);
}

LmpErr suspects_page_make(LmpSuspectTable *out, const LmpSnapshot *s, LmpSuspectPage which) {
    return suspects_page_make_of(out, s, which, 0);
}

LmpErr suspects_page_make_of(LmpSuspectTable *out, const LmpSnapshot *s, LmpSuspectPage which,
                             uint64_t heap) {
    const LmpSuspectPageInfo *page = &suspects_pages[which];
    SuspectMaking m = {.s = s, .group_of = calloc((size_t)s->g.objects + 1, sizeof *m.group_of)};
    memset(out, 0, sizeof *out);
    out->page = page;
    bool index = rowindex_open(&m.index, 256);
    m.failed = !m.group_of || !index;
    if (!m.failed) collect(&m, page);
    bool done = !m.failed && sum_up(&m, page);
    if (done && (heap == 0 || suspect_over(m.all_bytes, heap, SUSPECT_WASTES)))
        done = order_rows(&m, out, page);
    out->all_bytes = m.all_bytes;
    if (index) rowindex_close(&m.index);
    free(m.group_of);
    free(m.draft);
    if (done) return LMP_OK;
    suspects_page_free(out);
    return LMP_E_NOMEM;
}

void suspects_page_free(LmpSuspectTable *table) {
    const LmpSuspectPageInfo *page = table->page;
    free(table->row);
    free(table->member);
    memset(table, 0, sizeof *table);
    table->page = page;
}

const char *suspects_cell(const LmpSuspectTable *table, uint32_t row, uint32_t column, char *out,
                          size_t size) {
    const LmpSuspectRow *r = &table->row[row];
    char number[LMP_NUM] = "";
    switch (table->page->column[column].cell) {
    case LMP_CELL_TEXT:
        snprintf(out, size, "%s", r->text[column]);
        return out;
    case LMP_CELL_COUNT:
        format_count(number, r->number[column]);
        break;
    case LMP_CELL_BYTES:
        format_bytes(number, r->number[column]);
        break;
    case LMP_CELL_PERCENT:
        snprintf(number, sizeof number, "%llu %%", (unsigned long long)r->number[column]);
        break;
    }
    snprintf(out, size, "%s", number);
    return out;
}
