/* report_tree.c - the call tree as text: calls that made at least one part in two hundred, thirty
 * deep; of the rest is said how much it is. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/formats/formats_impl.h"
#include "report/formats/paths.h"
#include "report/text.h"

enum { DEEPEST = 30, PARTS = 200, CHILDREN = PARTS };

typedef struct Tree {
    const Paths *paths;
    ReportValue value;
    uint64_t all;
    FILE *out;
} Tree;

static void put_line(const Tree *t, uint32_t depth, const LmpTally *retained, uint64_t value,
                     const char *text) {
    char share[16], number[LMP_NUM + 4], count[LMP_NUM];
    fprintf(t->out, "%6s %18s %14s  %*s%s\n", texthead_share(share, value, t->all),
            texthead_number(number, value, t->value),
            retained ? text_count(count, retained->allocs, 14) : "", (int)depth * 2, "", text);
}

static void put_rest(const Tree *t, uint32_t depth, uint32_t n, uint64_t value) {
    char text[80];
    if (value == 0) return;
    snprintf(text, sizeof text, "... %u smaller", n);
    put_line(t, depth, NULL, value, text);
}

/* At most CHILDREN of them can be as large as this, unless figures are damaged. */
static uint32_t choose(const Tree *t, const LmpTreeRow *row, ValueRow *child, uint32_t *left,
                       uint64_t *rest) {
    uint32_t n = 0;
    for (uint32_t i = row->first; i < row->first + row->children; i++) {
        LmpTally all = ledger_retained(t->paths->tree, i);
        uint64_t value = value_of(&all, t->value);
        if (value > 0 && value >= t->all / PARTS && n < CHILDREN) {
            child[n++] = (ValueRow){value, i};
        } else {
            *left += value > 0;
            *rest += value;
        }
    }
    value_sort(child, n);
    return n;
}

static void put_row(const Tree *t, uint32_t row, uint32_t depth) {
    const LmpTreeRow r = paths_row(t->paths, row);
    const LmpTally shallow = ledger_shallow(t->paths->tree, row),
                   retained = ledger_retained(t->paths->tree, row);
    uint64_t value = value_of(&retained, t->value), own = value_of(&shallow, t->value);
    ValueRow child[CHILDREN];
    uint32_t left = 0;
    uint64_t rest = 0;
    char text[800];
    snprintf(text, sizeof text, "%s%s%s", row ? t->paths->of[t->paths->frame[row]].text : "(all)",
             r.flags & LMP_NODE_COROUTINE ? " (coroutine)" : "",
             r.flags & LMP_NODE_TAIL ? " (tail call)" : "");
    put_line(t, depth, &retained, value, text);
    if (depth == DEEPEST) {
        put_rest(t, depth + 1, r.children, value > own ? value - own : 0);
        return;
    }
    uint32_t n = choose(t, &r, child, &left, &rest);
    for (uint32_t i = 0; i < n; i++)
        put_row(t, child[i].row, depth + 1);
    put_rest(t, depth + 1, left, rest);
}

LmpErr report_tree(const LmpReport *report, FILE *out) {
    Paths p;
    LmpErr err = paths_open(&p, report);
    if (err) return err;
    Tree t = {&p, value_chosen(report), 0, out};
    const LmpTally all = ledger_retained(p.tree, 0);
    t.all = value_of(&all, t.value);
    texthead_put(report, out, p.by_site ? "Lines" : "Call tree", t.value);
    fprintf(out, "%6s %18s %14s  %s\n", "%",
            report_values[t.value].metric == REPORT_LIVE        ? "live"
            : report_values[t.value].metric == REPORT_PEAK      ? "at the peak"
            : report_values[t.value].metric == REPORT_TEMPORARY ? "temporary"
                                                                : "allocated",
            "allocations", p.by_site ? "line" : "call");
    put_row(&t, 0, 0);
    paths_close(&p);
    return LMP_OK;
}
