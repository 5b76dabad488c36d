/* Survivors: what was made since a moment and lives, by the books of a program that makes, frees
 * and moves blocks at random, while epochs pass and become longer, and the collector's cycles are
 * numbered anew. */
#include "fake_heap.h"
#include "fake_program.h"
#include "suite.h"

#include "read/model/model.h"

#define SLOTS 2000u
#define AT 0x55d0c2a00000ull
#define EPOCH 1000000000ull

typedef struct Block {
    bool lives;
    uint64_t addr, size, born; /* a count of all that was made */
    uint32_t cls, record, epoch, cycle;
} Block;

static FakeHeap *heap;
static FakeTables *tables;
static Block block[SLOTS];
static uint64_t made, epochs;
static uint32_t cycle;

/* Some stand off the grid. */
static uint64_t address(uint32_t slot) {
    return AT + slot * 1024ull + (slot % 50 == 49 ? 0x108 : 0);
}

static LmpOverflowBlock *odd_at(uint64_t addr) {
    for (uint32_t i = 0; i < heap->overflow->slots; i++)
        if (heap->overflow->block[i].addr == addr) return &heap->overflow->block[i];
    return NULL;
}

static void enter(const Block *b) {
    fake_place(heap, b->addr, b->size, b->cls, b->epoch);
    uint32_t cycles = b->cycle << LMP_BLOCK_CYCLE_SHIFT;
    LmpOverflowBlock *odd = odd_at(b->addr);
    if (odd) {
        odd->entry |= cycles;
        odd->alloc_context = b->record;
        return;
    }
    LmpLeaf *leaf = fake_leaf(heap, b->addr, 0);
    *fake_entry(leaf, b->addr) |= cycles;
    leaf->alloc_context[fake_entry(leaf, b->addr) - leaf->entry] = b->record;
}

static void leave(const Block *b) {
    LmpOverflowBlock *odd = odd_at(b->addr);
    if (odd) {
        odd->addr = 1;
        return;
    }
    uint32_t *entry = fake_entry(fake_leaf(heap, b->addr, 0), b->addr);
    if (b->size >= 64) entry[1] = 0;
    entry[0] = 0;
}

/* A block in the slot in place of the one that is there. One at the very address of another of the
 * same epoch and cycle cannot be told from that: model.h says so. */
static void make(uint32_t slot) {
    Block *b = &block[slot];
    if (b->cycle == cycle && (b->epoch == heap->live.epoch || cycle > 1)) return;
    if (b->lives) leave(b);
    *b = (Block){.lives = true,
                 .addr = address(slot),
                 .size = 17 + suite_below(400),
                 .born = ++made,
                 .cls = 1 + (uint32_t)suite_below(LMP_C_COUNTED - 1),
                 .record = 2 + (uint32_t)suite_below(20),
                 .epoch = heap->live.epoch,
                 .cycle = cycle};
    enter(b);
}

static void drop(uint32_t slot) {
    if (block[slot].lives) leave(&block[slot]);
    block[slot].lives = false;
}

static void enter_all(void) {
    for (uint32_t i = 0; i < SLOTS; i++)
        if (block[i].lives) leave(&block[i]);
    for (uint32_t i = 0; i < SLOTS; i++)
        if (block[i].lives) enter(&block[i]);
}

/* As next_epoch and begin_cycle do it. */
static void pass_epoch(void) {
    uint64_t clock = ++epochs * EPOCH;
    if (clock / heap->live.epoch_length + 1 > 255) {
        heap->live.epoch_length *= 2;
        for (uint32_t i = 0; i < SLOTS; i++)
            block[i].epoch = (block[i].epoch + 1) / 2;
        enter_all();
    }
    heap->live.epoch = (uint32_t)(clock / heap->live.epoch_length + 1);
}

static void pass_cycle(void) {
    heap->live.gc.cycles++;
    if (++cycle < LMP_BLOCK_CYCLES - 1) return;
    cycle = 2;
    for (uint32_t i = 0; i < SLOTS; i++)
        block[i].cycle = block[i].cycle == LMP_BLOCK_CYCLES - 2 ? 1 : 0;
    enter_all();
}

static void tear_down(void) {
    fake_free(heap);
    fake_tables_free(tables);
}

static void set_up(void) {
    suite_closes(tear_down);
    suite_again();
    heap = fake_new(false);
    tables = fake_tables_new(NULL);
    fake_program(tables, false);
    heap->view.tables = tables->t;
    heap->live.epoch_length = EPOCH;
    memset(block, 0, sizeof block);
    made = epochs = 0;
    cycle = 1;
}

/* `epoch`, `cycles`: one passes after so many operations; 0: never. */
static void work(uint32_t operations, uint32_t epoch, uint32_t cycles) {
    for (uint32_t i = 1; i <= operations; i++) {
        uint32_t slot = (uint32_t)suite_below(SLOTS);
        if (suite_below(3))
            make(slot);
        else
            drop(slot);
        if (epoch && i % epoch == 0) pass_epoch();
        if (cycles && i % cycles == 0) pass_cycle();
    }
}

static Model *model_of(Survivors *s) {
    static Model model;
    survivors_step(s, UINT64_MAX, UINT64_MAX);
    model = (Model){.clock = heap->live.epoch * heap->live.epoch_length,
                    .epoch_length = heap->live.epoch_length};
    survivors_fill(s, &model);
    return &model;
}

/* What the books say of what was made after `from` of all, up to `to`. */
static uint64_t check(Survivors *s, uint64_t from, uint64_t to) {
    LedgerLives by_class[LMP_C_COUNTED] = {{0}}, by_record[64] = {{0}};
    uint64_t n = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        const Block *b = &block[i];
        if (!b->lives || b->born <= from || b->born > to) continue;
        LedgerLives *const row[] = {&by_class[b->cls], &by_record[b->record]};
        for (int k = 0; k < 2; k++) {
            row[k]->blocks++;
            row[k]->bytes += b->size;
        }
        n++;
    }
    const Model *m = model_of(s);
    ck_assert(m->since.on && m->since.shown && m->since.lines);
    ck_assert_mem_eq(m->since.of_class, by_class, sizeof by_class);
    for (uint32_t r = 0; r < 64 && r < m->ledger.lives->records; r++)
        ck_assert_mem_eq(&m->ledger.lives->record[r], &by_record[r], sizeof by_record[r]);
    return n;
}

BEFORE_TESTS(set_up)

TEST(since_now) {
    static const struct {
        uint32_t epochs, cycles; /* pass after so many operations */
    } run[] = {{100, 300}, {0, 500}, {2000, 0}, {3000, 70}, {100, 0}, {20, 70}, {40000, 2}};
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        set_up();
        work(3000, run[i].epochs, run[i].cycles);
        /* the moment is in the middle of an epoch and a cycle */
        uint64_t before = made, seen = 0;
        Survivors *s = survivors_since_now(&heap->view, 5 * EPOCH);
        ck_assert_uint_eq(check(s, before, UINT64_MAX), 0);
        for (int n = 0; n < 20; n++) {
            work(n < 10 ? 50 : 2000, run[i].epochs, run[i].cycles);
            if (heap->live.gc.cycles < LMP_BLOCK_CYCLES) seen += check(s, before, UINT64_MAX);
        }
        ck_assert_uint_gt(seen, run[i].epochs || run[i].cycles ? 500 : 0);
        survivors_free(s);
    }
}

/* When cycles have been numbered anew, what is of the moment's own epoch is told by its address. */
TEST(cycles_anew) {
    for (uint32_t i = 0; i < SLOTS / 2; i++)
        make(i);
    Survivors *s = survivors_since_now(&heap->view, EPOCH);
    uint64_t before = made;
    for (uint32_t i = SLOTS / 2; i < SLOTS; i++) {
        make(i);
        for (int k = 0; k < 9; k++)
            pass_cycle();
    }
    ck_assert_uint_gt(heap->live.gc.cycles, 2 * LMP_BLOCK_CYCLES);
    ck_assert_uint_eq(check(s, before, UINT64_MAX), SLOTS / 2);
    pass_epoch();
    for (uint32_t i = 0; i < SLOTS; i += 2)
        make(i);
    ck_assert_uint_eq(check(s, before, UINT64_MAX), SLOTS / 2 + SLOTS / 4);
    survivors_free(s);
}

/* A block that has moved is as old as it was. */
TEST(what_moves_is_not_new) {
    for (uint32_t i = 0; i < 100; i++)
        make(i);
    pass_cycle();
    Survivors *s = survivors_since_now(&heap->view, EPOCH);
    uint64_t before = made;
    for (uint32_t i = 0; i < 100; i++) {
        Block *b = &block[i], *to = &block[i + 1000];
        leave(b);
        *to = *b;
        b->lives = false;
        to->addr = address(i + 1000);
        to->size *= 2;
        enter(to);
    }
    ck_assert_uint_eq(check(s, before, UINT64_MAX), 0);
    make(0);
    ck_assert_uint_eq(check(s, before, UINT64_MAX), 1);
    survivors_free(s);
}

/* A piece of the past: whole epochs, also after these have become longer. */
TEST(between) {
    uint64_t by[600] = {0};
    while (epochs < 500) {
        work(20, 0, 7);
        by[epochs + 1] = made;
        pass_epoch();
    }
    ck_assert_uint_eq(heap->live.epoch_length, 2 * EPOCH);
    for (uint32_t n = 0; n < 200; n++) { /* now two of the first ones are one */
        uint64_t from = suite_below(250), to = from + 1 + suite_below(250 - from);
        Survivors *s = survivors_between(&heap->view, from * 2 * EPOCH + suite_below(EPOCH),
                                         to * 2 * EPOCH - suite_below(EPOCH));
        check(s, by[from * 2], by[to * 2]);
        ck_assert_uint_eq(model_of(s)->since.from, from * 2 * EPOCH);
        ck_assert_uint_eq(model_of(s)->since.to, to * 2 * EPOCH);
        survivors_free(s);
    }
}

/* A sample says nothing of the other blocks: by line nothing is known then. */
TEST(samples) {
    tables->live->tables.sample = 1 << 19;
    make(1);
    Survivors *s = survivors_between(&heap->view, 0, 10 * EPOCH);
    const Model *m = model_of(s);
    ck_assert(m->since.shown && !m->since.lines);
    ck_assert_uint_eq(m->since.of_class[block[1].cls].bytes, block[1].size);
    ck_assert_ptr_null(m->ledger.lives);
    survivors_free(s);
}

static uint64_t ticking(void) {
    static uint64_t now;
    return now += 10;
}

/* A little at a time: what is shown is of a complete reading, and the next one waits. */
TEST(budget) {
    static LmpOs os;
    os = os_real;
    os.clock = ticking;
    lmp_os = &os;
    work(500, 0, 0);
    Survivors *s = survivors_between(&heap->view, 0, EPOCH);
    Model m = {.epoch_length = EPOCH, .clock = EPOCH};
    int steps = 0;
    do {
        survivors_step(s, 0, 1);
        survivors_fill(s, &m);
        ck_assert(m.since.on);
        ck_assert_int_lt(++steps, 10000);
    } while (!m.since.shown);
    ck_assert_int_gt(steps, 50); /* a part in each */
    LedgerLives was[LMP_C_COUNTED];
    memcpy(was, m.since.of_class, sizeof was);
    for (uint32_t i = 0; i < SLOTS; i++)
        drop(i);
    survivors_step(s, 1, UINT64_MAX); /* it rests */
    survivors_fill(s, &m);
    ck_assert_mem_eq(was, m.since.of_class, sizeof was);
    survivors_step(s, UINT64_MAX, UINT64_MAX);
    survivors_fill(s, &m);
    for (int i = 0; i < (int)LMP_C_COUNTED; i++)
        ck_assert_uint_eq(m.since.of_class[i].bytes, 0);
    survivors_fill(NULL, &m);
    ck_assert(!m.since.on && !m.ledger.lives);
    survivors_free(s);
}
