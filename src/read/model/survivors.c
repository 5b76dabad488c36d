/* survivors.c - reads the map a part at a time for as long as a repaint may take, and compares each
 * entry's birth with the moment; for "since now" two bits for each entry remember what was
 * there. */
#include "read/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keymap.h"
#include "base/os.h"
#include "read/heapmap/mapscan.h"

#define REST 10 /* the wait before the next reading, in durations of the last */

/* What an entry held at the moment: nothing, a block of an earlier cycle, of that cycle but an
 * earlier epoch, of that very cycle and epoch. */
enum { WAS_NONE, WAS_OLDER, WAS_EARLIER, WAS_YOUNG };

/* The figures of a reading. */
typedef struct Figures {
    LedgerSince since;
    LedgerLives of_class[LMP_C_COUNTED];
    LedgerLives *record, *node;
    uint32_t room_records, room_nodes;
} Figures;

struct Survivors {
    const LmpView *view;
    uint64_t from, to;
    /* since now: epoch and cycle then, and what was there, two bits an entry */
    bool since_now;
    uint32_t epoch, cycle;
    uint64_t epoch_length, renumbered;
    uint8_t *there[LMP_MAX_LEAVES];
    KeyMap odd; /* blocks off the grid, by address */
    /* the reading under way: part `part` of leaf `leaf` is next */
    uint32_t leaf, part;
    uint64_t spent, rest_until;
    bool looked; /* `found` is of a complete one */
    Figures sum, found;
};

/* ---- births ---------------------------------------------------------------------------------- */

/* Returns the number of the collector's cycle that blocks are stamped with, which begins at 1 and,
 * at its end, again at 2 (cycles.c); *renumbered: how often it has done so. */
static uint32_t cycle_of(const LmpLive *live, uint64_t *renumbered) {
    enum { END = LMP_BLOCK_CYCLES - 1 };
    uint64_t n = live->gc.cycles + (live->gc.sweeping != 0) + 1;
    *renumbered = n < END ? 0 : 1 + (n - END) / (END - 2);
    return (uint32_t)(n < END ? n : 2 + (n - END) % (END - 2));
}

/* When the program runs for long, epochs become longer, and all births are rewritten. */
static uint32_t epoch_now(uint32_t epoch, uint64_t length, uint64_t now) {
    for (; length < now && epoch > 1; length *= 2)
        epoch = (epoch + 1) / 2;
    return epoch;
}

/* What a reading compares births with. */
typedef struct Births {
    uint32_t first, last; /* epochs that count, the first one maybe in part */
    bool part, same_cycles;
    uint32_t cycle;
    unsigned young; /* from here on what was there may be what is there in that cycle */
} Births;

static Births births_of(const Survivors *s) {
    uint64_t length = s->view->live->epoch_length, renumbered;
    Births b = {.last = 255, .part = s->since_now, .cycle = s->cycle};
    if (length == 0) length = 1;
    if (s->since_now) {
        cycle_of(s->view->live, &renumbered);
        b.first = epoch_now(s->epoch, s->epoch_length, length);
        b.same_cycles = renumbered == s->renumbered;
        b.young = length == s->epoch_length ? WAS_YOUNG : WAS_EARLIER;
    } else {
        uint64_t first = s->from / length + 1, last = s->to > 0 ? (s->to - 1) / length + 1 : 1;
        b.first = first < 256 ? (uint32_t)first : 256;
        b.last = last < 255 ? (uint32_t)last : 255;
    }
    return b;
}

static bool counts(const Births *b, uint32_t entry, unsigned was) {
    uint32_t birth = LMP_BLOCK_BIRTH(entry), cycle = LMP_BLOCK_CYCLE(entry);
    if (birth != b->first || !b->part) return birth >= b->first && birth <= b->last;
    if (!b->same_cycles) return was == WAS_NONE;
    return cycle > b->cycle || (cycle == b->cycle && was < b->young);
}

/* ---- what is there --------------------------------------------------------------------------- */

static unsigned was_at(const Survivors *s, uint32_t leaf, uint32_t i) {
    const uint8_t *there = s->there[leaf];
    return there ? (unsigned)there[i / 4] >> i % 4 * 2 & 3u : WAS_NONE;
}

static unsigned age_of(const Survivors *s, uint32_t entry) {
    if (LMP_BLOCK_CYCLE(entry) != s->cycle) return WAS_OLDER;
    return LMP_BLOCK_BIRTH(entry) == s->epoch ? WAS_YOUNG : WAS_EARLIER;
}

static bool remember_part(Survivors *s, uint32_t l, uint32_t p) {
    const LmpView *view = s->view;
    MapScan scan = mapscan_part(view->leaf[l], view->leaf_base[l], p);
    MapBlock block;
    if (!s->there[l]) s->there[l] = calloc(LMP_LEAF_ENTRIES / 4, 1);
    if (!s->there[l]) return false;
    while (mapscan_next(&scan, &block))
        s->there[l][block.index / 4] |= (uint8_t)(age_of(s, block.entry) << block.index % 4 * 2);
    return true;
}

/* Finds the next block off the grid. Returns false if there are no more. */
static bool next_odd(const LmpView *view, uint32_t *at, LmpOverflowBlock *out) {
    uint32_t slots = *(const volatile uint32_t *)&view->overflow->slots;
    if (slots > LMP_OVERFLOW_MAX) slots = LMP_OVERFLOW_MAX;
    while (*at < slots) {
        *out = view->overflow->block[(*at)++];
        if (out->addr >= 2 && mapscan_counts(out->entry)) return true;
    }
    return false;
}

static bool remember(Survivors *s) {
    LmpOverflowBlock odd;
    for (uint32_t l = 0; l < s->view->leaves; l++)
        for (uint32_t p = 0; p < LMP_TOUCHES; p++)
            if (mapscan_touch(s->view->leaf[l], p) && !remember_part(s, l, p)) return false;
    for (uint32_t at = 0; next_odd(s->view, &at, &odd);)
        if (!keymap_set(&s->odd, odd.addr, age_of(s, odd.entry))) return false;
    return true;
}

Survivors *survivors_since_now(const LmpView *view, uint64_t clock) {
    Survivors *s = survivors_between(view, clock, UINT64_MAX);
    if (!s) return NULL;
    s->since_now = true;
    s->epoch = view->live->epoch;
    s->epoch_length = view->live->epoch_length;
    s->cycle = cycle_of(view->live, &s->renumbered);
    if (remember(s)) return s;
    survivors_free(s);
    return NULL;
}

Survivors *survivors_between(const LmpView *view, uint64_t from, uint64_t to) {
    Survivors *s = calloc(1, sizeof *s);
    if (s) *s = (Survivors){.view = view, .from = from, .to = to};
    return s;
}

void survivors_free(Survivors *s) {
    if (!s) return;
    for (uint32_t i = 0; i < LMP_MAX_LEAVES; i++)
        free(s->there[i]);
    keymap_free(&s->odd);
    free(s->sum.record);
    free(s->sum.node);
    free(s->found.record);
    free(s->found.node);
    free(s);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* `n` rows, all zeroes; where there is no memory: none. */
static uint32_t clear(LedgerLives **row, uint32_t *room, uint32_t n) {
    if (!array_room(row, room, n)) return 0;
    if (n > 0) memset(*row, 0, n * sizeof **row);
    return n;
}

/* Begins a reading. Figures by line are only made where all blocks are counted by line: a sample
 * says nothing of the other blocks. */
static void begin(Survivors *s) {
    const LmpTables *t = &s->view->tables;
    Figures *f = &s->sum;
    bool lines = t->text && tables_used(t)->sample == 0;
    memset(f->of_class, 0, sizeof f->of_class);
    f->since.records = clear(&f->record, &f->room_records, lines ? tables_records(t) : 0);
    f->since.nodes =
        clear(&f->node, &f->room_nodes, lines && tables_used(t)->stacks == 1 ? tables_nodes(t) : 0);
    f->since.record = f->record;
    f->since.node = f->node;
    s->leaf = s->part = 0;
    s->spent = 0;
}

static void add(LedgerLives *row, uint32_t rows, uint32_t at, uint64_t size) {
    if (at >= rows) return;
    row[at].blocks++;
    row[at].bytes += size;
}

static void count(Survivors *s, uint32_t entry, uint64_t size, uint32_t context) {
    Figures *f = &s->sum;
    const LmpTables *t = &s->view->tables;
    add(f->of_class, LMP_C_COUNTED, entry & 15, size);
    if (f->since.records == 0) return;
    add(f->record, f->since.records, tables_record_of(t, context), size);
    if (f->since.nodes > 0 && context < tables_paths(t))
        add(f->node, f->since.nodes, *(const volatile uint32_t *)&t->path[context].node, size);
}

static void look_at_part(Survivors *s, const Births *births) {
    const LmpLeaf *leaf = s->view->leaf[s->leaf];
    if (!mapscan_touch(leaf, s->part)) return;
    MapScan scan = mapscan_part(leaf, s->view->leaf_base[s->leaf], s->part);
    MapBlock block;
    while (mapscan_next(&scan, &block))
        if (mapscan_counts(block.entry) &&
            counts(births, block.entry, was_at(s, s->leaf, block.index)))
            count(s, block.entry, block.size,
                  *(const volatile uint32_t *)&leaf->alloc_context[block.index]);
}

static void look_at_odd(Survivors *s, const Births *births) {
    LmpOverflowBlock odd;
    for (uint32_t at = 0; next_odd(s->view, &at, &odd);)
        if (counts(births, odd.entry, keymap_get(&s->odd, odd.addr, WAS_NONE)))
            count(s, odd.entry, odd.size, odd.alloc_context);
}

void survivors_step(Survivors *s, uint64_t now, uint64_t budget) {
    if (now < s->rest_until) return;
    uint64_t start = lmp_os->clock(), time = start;
    Births births = births_of(s);
    if (s->leaf == 0 && s->part == 0) begin(s);
    while (s->leaf < s->view->leaves && time - start < budget) {
        look_at_part(s, &births);
        if (++s->part == LMP_TOUCHES) {
            s->part = 0;
            s->leaf++;
        }
        time = lmp_os->clock();
    }
    s->spent += time - start;
    if (s->leaf < s->view->leaves) return;
    look_at_odd(s, &births);
    Figures spare = s->found;
    s->found = s->sum;
    s->sum = spare;
    s->looked = true;
    s->leaf = s->part = 0;
    s->rest_until = now + s->spent * REST;
}

/* ---- what was found -------------------------------------------------------------------------- */

void survivors_fill(const Survivors *s, Model *model) {
    ModelSince *since = &model->since;
    bool shown = s && s->looked;
    *since = (ModelSince){0};
    model->ledger.lives = shown && s->found.since.records > 0 ? &s->found.since : NULL;
    if (!s) return;
    since->on = true;
    since->now = s->since_now;
    since->from = s->from;
    since->to = s->since_now ? model->clock : s->to;
    since->shown = shown;
    since->lines = model->ledger.lives != NULL;
    if (shown) memcpy(since->of_class, s->found.of_class, sizeof since->of_class);
    if (s->since_now || model->epoch_length == 0) return;
    /* where epochs begin and end */
    since->from -= since->from % model->epoch_length;
    since->to +=
        model->epoch_length - 1 - (since->to + model->epoch_length - 1) % model->epoch_length;
    if (since->to > model->clock) since->to = model->clock;
}
