/* report_callgraph.c - the call graph, as gprof and lmprof print it: a block for each function,
 * with its callers above its own line and what it called below. What a function made below itself
 * is counted once in what it retains; such functions and such calls are marked. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/text.h"

typedef struct Graph {
    const LmpReport *report;
    ReportValue value;
    uint64_t all;
    Edges edges;
    uint32_t *rank;          /* of each function: its number in the report, from 1 */
    uint32_t *function;      /* by rank */
    uint32_t *below, *above; /* edges by caller, by callee, the largest first in each */
    uint32_t *below_at, *above_at;
    KeyMap call; /* of caller and callee: where in calls[] */
    uint64_t *calls;
    FILE *out;
} Graph;

static const Graph *sorted; /* qsort has no argument of the caller's */

static uint64_t retained(const Graph *g, uint32_t f) {
    const LmpFunctionRow *row = &g->report->ledger.function[f];
    return value_of(g->report->ledger.stacks ? &row->retained : &row->shallow, g->value);
}

static int by_retained(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t n = retained(sorted, x), m = retained(sorted, y);
    return n != m ? (n < m ? 1 : -1) : x < y ? -1 : x > y;
}

static int by_made(uint32_t x, uint32_t y) {
    uint64_t n = value_of(&sorted->edges.edge[x].made, sorted->value);
    uint64_t m = value_of(&sorted->edges.edge[y].made, sorted->value);
    return n != m ? (n < m ? 1 : -1) : x < y ? -1 : x > y;
}

static int by_caller(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t f = sorted->edges.edge[x].caller, g = sorted->edges.edge[y].caller;
    return f != g ? (f < g ? -1 : 1) : by_made(x, y);
}

static int by_callee(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t f = sorted->edges.edge[x].callee, g = sorted->edges.edge[y].callee;
    return f != g ? (f < g ? -1 : 1) : by_made(x, y);
}

static bool sort_edges(const Graph *g, bool callers, uint32_t **list, uint32_t **at) {
    uint32_t n = g->edges.edges, functions = g->edges.root + 1;
    *list = malloc(((size_t)n + 1) * sizeof **list);
    *at = calloc((size_t)functions + 1, sizeof **at);
    if (!*list || !*at) return false;
    for (uint32_t i = 0; i < n; i++) {
        (*list)[i] = i;
        (*at)[(callers ? g->edges.edge[i].caller : g->edges.edge[i].callee) + 1]++;
    }
    for (uint32_t f = 0; f < functions; f++)
        (*at)[f + 1] += (*at)[f];
    qsort(*list, n, sizeof **list, callers ? by_caller : by_callee);
    return true;
}

/* How often each function called each other one, from any line; none where it was not counted. */
static bool count_calls(Graph *g) {
    const Ledger *l = &g->report->ledger;
    uint32_t used = 0;
    g->calls = calloc((size_t)l->edges + 1, sizeof *g->calls);
    if (!g->calls) return false;
    for (uint32_t i = 0; i < l->edges; i++) {
        uint64_t key = (uint64_t)l->edge[i].caller << 32 | l->edge[i].callee;
        uint32_t at = keymap_get(&g->call, key, UINT32_MAX);
        if (at == UINT32_MAX && !keymap_set(&g->call, key, at = used++)) return false;
        g->calls[at] += l->edge[i].calls;
    }
    return true;
}

static bool prepare(Graph *g) {
    uint32_t n = g->report->ledger.functions;
    g->rank = calloc((size_t)n + 1, sizeof *g->rank);
    g->function = malloc(((size_t)n + 1) * sizeof *g->function);
    if (!g->rank || !g->function) return false;
    sorted = g;
    for (uint32_t f = 0; f < n; f++)
        g->function[f] = f;
    qsort(g->function, n, sizeof *g->function, by_retained);
    for (uint32_t i = 0; i < n; i++)
        g->rank[g->function[i]] = i + 1;
    return count_calls(g) && sort_edges(g, true, &g->below, &g->below_at) &&
           sort_edges(g, false, &g->above, &g->above_at);
}

static void put_calls(const Graph *g, const Edge *e) {
    char count[LMP_NUM];
    uint32_t at = keymap_get(&g->call, (uint64_t)e->caller << 32 | e->callee, UINT32_MAX);
    if (at != UINT32_MAX && g->calls[at] > 0)
        fprintf(g->out, " {%s calls}", format_count(count, g->calls[at]));
}

static void put_name(const Graph *g, uint32_t f, bool recursive) {
    char name[256], where[640];
    if (f == g->edges.root) {
        fputs("(outermost)", g->out);
        return;
    }
    const LmpFunctionRow *row = &g->report->ledger.function[f];
    fprintf(g->out, "%s  %s [%u]%s", paths_name(name, sizeof name, row->name),
            format_where(where, sizeof where, row->short_src,
                         row->linedefined > 0 ? row->linedefined : -1),
            g->rank[f], recursive ? " (recursive)" : "");
}

static void put_edge(const Graph *g, const Edge *e, uint32_t other) {
    char share[16], number[LMP_NUM + 4], count[LMP_NUM];
    uint64_t made = value_of(&e->made, g->value);
    fprintf(g->out, "%8s %6s %18s %18s %14s    ", "", texthead_share(share, made, g->all), "",
            texthead_number(number, made, g->value), text_count(count, e->made.allocs, 14));
    put_name(g, other, e->recursive);
    put_calls(g, e);
    fputc('\n', g->out);
}

static void put_function(const Graph *g, uint32_t f) {
    const LmpFunctionRow *row = &g->report->ledger.function[f];
    char share[16], number[LMP_NUM + 4], all[LMP_NUM + 4], count[LMP_NUM], rank[16];
    const LmpTally *t = g->report->ledger.stacks ? &row->retained : &row->shallow;
    for (uint32_t i = g->above_at[f]; i < g->above_at[f + 1]; i++)
        put_edge(g, &g->edges.edge[g->above[i]], g->edges.edge[g->above[i]].caller);
    snprintf(rank, sizeof rank, "[%u]", g->rank[f]);
    fprintf(g->out, "%-8s %6s %18s %18s %14s  ", rank,
            texthead_share(share, retained(g, f), g->all),
            texthead_number(number, value_of(&row->shallow, g->value), g->value),
            texthead_number(all, retained(g, f), g->value), text_count(count, t->allocs, 14));
    put_name(g, f, g->edges.recursive && g->edges.recursive[f]);
    fputc('\n', g->out);
    if (row->calls > 0)
        fprintf(g->out, "%8s called %s times\n", "", format_count(count, row->calls));
    for (uint32_t i = g->below_at[f]; i < g->below_at[f + 1]; i++)
        put_edge(g, &g->edges.edge[g->below[i]], g->edges.edge[g->below[i]].callee);
    fputs("--\n", g->out);
}

LmpErr report_callgraph(const LmpReport *report, FILE *out) {
    Graph g = {.report = report, .value = value_chosen(report), .out = out};
    Paths p;
    LmpErr err = paths_open(&p, report);
    if (err) return err;
    g.all = value_of(&report->ledger.all, g.value);
    err = edges_make(&g.edges, &p, false);
    if (!err && !prepare(&g)) err = LMP_E_NOMEM;
    if (!err) {
        texthead_put(report, out, "Call graph", g.value);
        fprintf(out, "%-8s %6s %18s %18s %14s  %s\n--\n", "", "%", "self", "with callees",
                "allocations", "function, its callers above, what it called below");
        for (uint32_t i = 0; i < report->ledger.functions; i++)
            put_function(&g, g.function[i]);
    }
    free(g.rank);
    free(g.function);
    free(g.below);
    free(g.above);
    free(g.below_at);
    free(g.above_at);
    free(g.calls);
    keymap_free(&g.call);
    edges_free(&g.edges);
    paths_close(&p);
    return err;
}
