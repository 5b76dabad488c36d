/* flameplan.c - goes from row to row: for each block of a row, chooses the children that get a
 * column (or one page of them), divides the columns by largest remainder, and keeps the rows that
 * are on the screen. */
#include "panels/flame/flameplan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/capped.h"
#include "base/order.h"

#define EXACT (1ull << 53) /* sums up to this times a screen's columns fit a word */

typedef struct Chosen {
    uint32_t node;
    uint64_t value;
} Chosen;

typedef struct FlameRow {
    FlameBlock *block;
    uint32_t used, room;
} FlameRow;

typedef struct Work {
    FlameRow now, next; /* the row being divided, the next one */
    Chosen *chosen;     /* children of one bar that are drawn, or (of a rest) all */
    uint64_t *value;
    int *width;
    uint32_t chosen_room, value_room, width_room;
} Work;

/* ---- dividing -------------------------------------------------------------------------------- */

/* Returns how far figures are shifted so that multiplying by columns does not overflow: 0 if they
 * fit any memory. */
static unsigned scale_of(uint64_t whole) {
    unsigned shift = 0;
    while (whole >> shift > EXACT)
        shift++;
    return shift;
}

typedef struct Left {
    uint64_t left;
    uint32_t item;
} Left;

ORDER_LARGEST(most_left, Left, left, item)

/* Makes the rest visible: takes a column from what is left over, else from the widest. */
static void show_rest(uint32_t n, int *width) {
    uint32_t from = n + 1;
    if (width[from] == 0)
        for (uint32_t i = 0; i < n; i++)
            if (width[from] < width[i]) from = i;
    if (width[from] == 0) return;
    width[from]--;
    width[n]++;
}

void flameplan_divide(const uint64_t *value, uint32_t n, uint64_t rest, uint64_t own, int w,
                      int *width) {
    Left few[64], *left = n + 2 <= 64 ? few : malloc((n + 2) * sizeof *left);
    uint64_t whole = capped_plus(rest, own), sum = 0;
    for (uint32_t i = 0; i < n; i++)
        whole = capped_plus(whole, value[i]);
    unsigned shift = scale_of(whole);
    for (uint32_t i = 0; i < n + 2; i++)
        sum += (i < n ? value[i] : i == n ? rest : own) >> shift;
    int over = w;
    for (uint32_t i = 0; i < n + 2; i++) {
        uint64_t v = (i < n ? value[i] : i == n ? rest : own) >> shift;
        width[i] = sum ? (int)(v * (uint64_t)w / sum) : 0;
        if (left) left[i] = (Left){sum ? v * (uint64_t)w % sum : 0, i};
        over -= width[i];
    }
    if (left) qsort(left, n + 2, sizeof *left, most_left);
    for (uint32_t i = 0; i < n + 2 && over > 0; i++, over--)
        width[left ? left[i].item : n + 1]++;
    if (!left) width[n + 1] += over; /* no memory: the columns left over belong to no child */
    if (rest && width[n] == 0) show_rest(n, width);
    if (left != few) free(left);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool chosen_room(Work *work, uint32_t n) {
    return array_room(&work->chosen, &work->chosen_room, n);
}

static bool row_room(FlameRow *row, uint32_t n) {
    return array_room(&row->block, &row->room, n);
}

/* C11 has no sort that passes a context on. */
static _Thread_local const FlameNodes *sorting;

static int by_order(const void *a, const void *b) {
    const Chosen *x = a, *y = b;
    return sorting->compare(sorting->context, x->node, y->node);
}

static int by_value(const void *a, const void *b) {
    const Chosen *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return by_order(a, b);
}

static void sort(const FlameNodes *nodes, Chosen *chosen, uint32_t n,
                 int (*compare)(const void *, const void *)) {
    sorting = nodes;
    if (n > 1) qsort(chosen, n, sizeof *chosen, compare);
}

typedef struct Choice {
    uint32_t chosen, rest;
    uint64_t rest_value, own;
    bool paged; /* widths are shares of the chosen children, not of the bar */
} Choice;

/* Chooses the children that get at least one of the bar's w columns. */
static bool choose(Work *work, const FlameNodes *nodes, uint32_t node, int w, Choice *out) {
    uint32_t first, n = nodes->children(nodes->context, node, &first);
    uint64_t whole = nodes->value(nodes->context, node), sum = 0;
    unsigned shift = scale_of(whole);
    *out = (Choice){0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = nodes->value(nodes->context, first + i);
        sum = capped_plus(sum, v);
        if (v == 0) continue;
        if ((v >> shift) * (uint64_t)w < whole >> shift) {
            out->rest++;
            out->rest_value = capped_plus(out->rest_value, v);
            continue;
        }
        if (!chosen_room(work, out->chosen + 1)) return false;
        work->chosen[out->chosen++] = (Chosen){first + i, v};
    }
    out->own = whole > sum ? whole - sum : 0;
    sort(nodes, work->chosen, out->chosen, by_order);
    return true;
}

/* Chooses among the children without the `skip` largest: as many of the largest as get a column
 * each if they have the whole row but one. So any number of children can be paged through. */
static bool choose_page(Work *work, const FlameNodes *nodes, const FlameView *view, Choice *out) {
    uint32_t first, n = nodes->children(nodes->context, view->root, &first), all = 0;
    *out = (Choice){.paged = true};
    if (!chosen_room(work, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = nodes->value(nodes->context, first + i);
        if (v) work->chosen[all++] = (Chosen){first + i, v};
    }
    sort(nodes, work->chosen, all, by_value);
    uint32_t skip = view->skip < all ? view->skip : all, left = all - skip;
    memmove(work->chosen, work->chosen + skip, left * sizeof(Chosen));
    uint64_t sum = 0;
    for (; out->chosen < left; out->chosen++) {
        uint64_t v = work->chosen[out->chosen].value, with = capped_plus(sum, v);
        unsigned shift = scale_of(with);
        if (out->chosen > 0 && (v >> shift) * (uint64_t)(view->w - 1) < with >> shift) break;
        sum = with;
    }
    for (uint32_t i = out->chosen; i < left; i++)
        out->rest_value = capped_plus(out->rest_value, work->chosen[i].value);
    out->rest = left - out->chosen;
    sort(nodes, work->chosen, out->chosen, by_order);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool divide_room(Work *work, uint32_t n) {
    return array_room(&work->value, &work->value_room, n) &&
           array_room(&work->width, &work->width_room, n);
}

/* Appends the blocks below `block` to the next row. */
static bool divide(Work *work, FlameBlock block, uint32_t up, const Choice *choice) {
    uint32_t n = choice->chosen;
    if (!divide_room(work, n + 2) || !row_room(&work->next, work->next.used + n + 1)) return false;
    for (uint32_t i = 0; i < n; i++)
        work->value[i] = work->chosen[i].value;
    int *width = work->width, x = block.x;
    if (choice->paged) {
        int rest = choice->rest > 0 && block.w > 1;
        flameplan_divide(work->value, n, 0, 0, block.w - rest, width);
        width[n] = rest;
    } else {
        flameplan_divide(work->value, n, choice->rest_value, choice->own, block.w, width);
    }
    for (uint32_t i = 0; i <= n; i++) {
        if (width[i] <= 0) continue;
        bool rest = i == n;
        work->next.block[work->next.used++] =
            (FlameBlock){.x = x,
                         .w = width[i],
                         .node = rest ? block.node : work->chosen[i].node,
                         .rest = rest ? choice->rest : 0,
                         .up = up,
                         .value = rest ? choice->rest_value : work->value[i]};
        x += width[i];
    }
    return true;
}

static bool keep(FlamePlan *layout, const FlameRow *row) {
    if (!array_room(&layout->block, &layout->block_room, layout->blocks + row->used)) return false;
    memcpy(layout->block + layout->blocks, row->block, row->used * sizeof *row->block);
    layout->blocks += row->used;
    layout->row[++layout->rows] = layout->blocks;
    return true;
}

/* Divides the whole row; `from`: the block that its first one is kept as; FLAME_NONE: not kept. */
static bool divide_row(Work *work, const FlameNodes *nodes, const FlameView *view, bool first,
                       uint32_t from) {
    work->next.used = 0;
    for (uint32_t i = 0; i < work->now.used; i++) {
        FlameBlock block = work->now.block[i];
        Choice choice;
        if (block.rest) continue;
        bool ok = first && view->paged ? choose_page(work, nodes, view, &choice)
                                       : choose(work, nodes, block.node, block.w, &choice);
        if (!ok || !divide(work, block, from == FLAME_NONE ? FLAME_NONE : from + i, &choice))
            return false;
    }
    return true;
}

static bool make_rows(FlamePlan *layout, Work *work, const FlameNodes *nodes,
                      const FlameView *view) {
    if (!array_room(&layout->row, &layout->row_room, (uint32_t)view->h + 2) ||
        !row_room(&work->now, 1))
        return false;
    layout->row[0] = 0;
    work->now.block[work->now.used++] =
        (FlameBlock){.w = view->w,
                     .node = view->root,
                     .up = FLAME_NONE,
                     .value = nodes->value(nodes->context, view->root)};
    for (int row = 0; work->now.used > 0; row++) {
        uint32_t from = row >= view->top ? layout->blocks : FLAME_NONE;
        layout->deeper = row >= view->top + view->h;
        if (layout->deeper) break;
        layout->depth = row + 1;
        if (from != FLAME_NONE && !keep(layout, &work->now)) return false;
        if (!divide_row(work, nodes, view, row == 0, from)) return false;
        FlameRow next = work->next;
        work->next = work->now;
        work->now = next;
    }
    return true;
}

static void work_free(Work *work) {
    free(work->now.block);
    free(work->next.block);
    free(work->chosen);
    free(work->value);
    free(work->width);
}

void flameplan_make(FlamePlan *layout, const FlameNodes *nodes, const FlameView *view) {
    Work work = {0};
    layout->blocks = 0;
    layout->rows = layout->depth = 0;
    layout->top = view->top;
    layout->deeper = layout->failed = false;
    if (view->w <= 0 || view->h <= 0 || nodes->value(nodes->context, view->root) == 0) return;
    layout->failed = !make_rows(layout, &work, nodes, view);
    if (layout->failed) layout->blocks = 0;
    if (layout->failed) layout->rows = 0;
    work_free(&work);
}

void flameplan_free(FlamePlan *layout) {
    free(layout->block);
    free(layout->row);
    *layout = (FlamePlan){0};
}

/* ---- finding --------------------------------------------------------------------------------- */

uint32_t flameplan_at(const FlamePlan *layout, int x, int row) {
    int i = row - layout->top;
    if (i < 0 || i >= layout->rows) return FLAME_NONE;
    const FlameBlock *block = layout->block;
    uint32_t at = layout->row[i], end = layout->row[i + 1];
    BISECT(at, end, k, block[k].x + block[k].w <= x); /* the first that ends beyond x */
    return at < end && block[at].x <= x ? at : FLAME_NONE;
}

int flameplan_row_of(const FlamePlan *layout, uint32_t block) {
    int i = 0;
    while (i + 1 < layout->rows && layout->row[i + 1] <= block)
        i++;
    return layout->top + i;
}
