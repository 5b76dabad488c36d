/* ledger_moments.c - the figures of records and nodes about a second ago, which are kept here, and
 * at the mark, which the program has kept (ledger_impl.h).
 *
 * Of each moment a record and a node have three figures, which add up like all of a tally: so what
 * lines, functions, call paths and tags make a second, or since the mark, follows from theirs. */
#include <stdlib.h>

#include "read/ledger/ledger_impl.h"

#define RATE_WINDOW 1000000000ull /* rates are over about this long, nanoseconds */
#define RATE_STEP 500000000ull    /* moments to derive them from are at least this far apart */

/* ---- room ------------------------------------------------------------------------------------ */

static bool reserve(LedgerMoment *m, uint32_t records, uint32_t nodes) {
    return ledger_pile_reserve(&m->record, records, sizeof(LmpThen)) &&
           ledger_pile_reserve(&m->node, nodes, sizeof(LmpThen));
}

bool moment_reserve(LedgerStore *s, unsigned parts) {
    if (!(parts & LEDGER_RATES)) return true;
    for (uint32_t i = 0; i < LEDGER_MOMENTS; i++)
        if (!reserve(&s->moment[i], s->records, s->nodes)) return false;
    return reserve(&s->now, s->records, s->nodes);
}

static void release(LedgerMoment *m) {
    free(m->record.data);
    free(m->node.data);
}

void moments_free(LedgerStore *s) {
    for (uint32_t i = 0; i < LEDGER_MOMENTS; i++)
        release(&s->moment[i]);
    release(&s->now);
    release(&s->held);
}

/* ---- moments --------------------------------------------------------------------------------- */

/* Of the moments older than the window, the youngest stays: rates are relative to it. */
static uint32_t stale(const LedgerStore *s, uint64_t clock) {
    uint32_t n = 0;
    while (n + 1 < s->moments && s->moment[n + 1].clock + RATE_WINDOW <= clock)
        n++;
    return n == 0 && s->moments == LEDGER_MOMENTS ? 1 : n;
}

void moment_begin(LedgerStore *s, unsigned parts, uint64_t clock) {
    s->then = NULL;
    s->keeps = parts & LEDGER_RATES;
    if (!s->keeps) return;
    if (s->moments && clock < s->moment[s->moments - 1].clock) s->moments = 0; /* started over */
    for (uint32_t drop = stale(s, clock); drop > 0; drop--) {
        LedgerMoment first = s->moment[0];
        memmove(s->moment, s->moment + 1, (LEDGER_MOMENTS - 1) * sizeof first);
        s->moment[LEDGER_MOMENTS - 1] = first; /* its memory is reused */
        s->moments--;
    }
    /* if the clock has not moved, nothing runs */
    if (s->moments && s->moment[0].clock < clock && s->clock != clock) s->then = &s->moment[0];
    s->now.clock = clock;
    s->now.records = s->records;
    s->now.nodes = s->nodes;
    /* not every row is visited */
    if (s->records) memset(s->now.record.data, 0, s->records * sizeof(LmpThen));
    if (s->nodes) memset(s->now.node.data, 0, s->nodes * sizeof(LmpThen));
}

/* There is room. */
static void copy(LedgerMoment *to, const LedgerMoment *from) {
    to->clock = from->clock;
    to->records = from->records;
    to->nodes = from->nodes;
    if (from->records) memcpy(to->record.data, from->record.data, from->records * sizeof(LmpThen));
    if (from->nodes) memcpy(to->node.data, from->node.data, from->nodes * sizeof(LmpThen));
}

void moment_end(LedgerStore *s, uint64_t clock) {
    if (!s->keeps || (s->moments && s->moment[s->moments - 1].clock + RATE_STEP > clock)) return;
    copy(&s->moment[s->moments++], &s->now);
}

/* ---- the mark -------------------------------------------------------------------------------- */

LmpErr ledger_hold(Ledger *ledger) {
    LedgerStore *s = ledger->store;
    if (!s || !s->keeps || !reserve(&s->held, s->now.records, s->now.nodes)) return LMP_E_NOMEM;
    copy(&s->held, &s->now);
    return LMP_OK;
}

void moments_find_mark(Ledger *ledger, const LmpTables *t) {
    LedgerStore *s = ledger->store;
    s->from_held = ledger->count_from == LEDGER_HELD && s->held.records > 0;
    uint64_t number = ledger->count_from, marks = read_once32(&t->live->marks);
    s->marked = false;
    ledger->marked = s->from_held;
    if (number == 0 || number > marks || marks - number >= LMP_MARKS) return;
    const LmpMark *mark = &t->live->mark[(number - 1) % LMP_MARKS];
    uint32_t rows = read_once32(&mark->rows), all = read_once32(&t->live->marked);
    if (rows == 0 || rows > all || all - rows >= LMP_MARKED) return;
    s->mark_column = (rows - 1) % LMP_MARKED;
    s->mark_records = read_once32(&mark->records);
    s->mark_nodes = read_once32(&mark->nodes);
    s->marked_record = (const LmpMarked(*)[LMP_MARKED])t->marked_record;
    s->marked_node = (const LmpMarked(*)[LMP_MARKED])t->marked_node;
    s->marked = ledger->marked = true;
}

/* ---- tallies --------------------------------------------------------------------------------- */

static LmpThen as_now(const LmpTally *tally) {
    return (LmpThen){tally->allocs, tally_made(tally), tally->live_bytes};
}

/* A row that was added since was zero then. */
static LmpThen at(const LedgerPile *rows, uint32_t n, uint32_t row) {
    return row < n ? PILE(*rows, const LmpThen)[row] : (LmpThen){0};
}

static LmpThen marked_at(const LmpMarked (*marked)[LMP_MARKED], const LedgerStore *s, uint32_t row,
                         uint32_t rows) {
    if (row >= rows) return (LmpThen){0};
    const LmpMarked *m = &marked[row][s->mark_column];
    return (LmpThen){read_once64(&m->allocs), read_once64(&m->made), read_once64(&m->live)};
}

void moment_record(LedgerStore *s, uint32_t record, LmpTally *tally) {
    LmpThen now = as_now(tally);
    if (s->lives && record < s->lives->records) tally->since = s->lives->record[record];
    tally->was = s->then ? at(&s->then->record, s->then->records, record) : now;
    tally->mark = s->from_held ? at(&s->held.record, s->held.records, record)
                  : s->marked  ? marked_at(s->marked_record, s, record, s->mark_records)
                               : now;
    if (s->keeps) PILE(s->now.record, LmpThen)[record] = now;
}

void moment_node(LedgerStore *s, uint32_t node, LmpTally *tally) {
    LmpThen now = as_now(tally);
    if (s->lives && node < s->lives->nodes) tally->since = s->lives->node[node];
    bool then = s->then && s->then->nodes > 0;
    tally->was = then ? at(&s->then->node, s->then->nodes, node) : now;
    bool held = s->from_held && s->held.nodes > 0;
    tally->mark = held        ? at(&s->held.node, s->held.nodes, node)
                  : s->marked ? marked_at(s->marked_node, s, node, s->mark_nodes)
                              : now;
    if (s->keeps) PILE(s->now.node, LmpThen)[node] = now;
}

double ledger_rate(const Ledger *ledger, uint64_t now, uint64_t was) {
    if (ledger->since == 0 || ledger->since >= ledger->clock) return 0;
    return (double)(int64_t)(now - was) / ((double)(ledger->clock - ledger->since) / 1e9);
}
