/* heap_fixture.h - the heap of a plausible program, the same every time, for pictures. */
#ifndef LMP_HEAP_FIXTURE_H
#define LMP_HEAP_FIXTURE_H

#include "fake_heap.h"
#include "fake_tables.h"
#include "read/heapmap/heapmap.h"
#include "read/heapmap/mapscan.h"
#include "read/model/model.h"
#include "widget/panel.h"

#define FIXTURE_LOW 0x55d0c2a00000ull
#define FIXTURE_HIGH 0x7f10a0000000ull

static uint64_t fixture_state;
static uint64_t fixture_random(uint64_t below) {
    fixture_state ^= fixture_state << 13;
    fixture_state ^= fixture_state >> 7;
    fixture_state ^= fixture_state << 17;
    return fixture_state % below;
}

/* Fills `bytes` of addresses with stretches of blocks of one kind mostly, some of them thin. */
static void fixture_fill(FakeHeap *f, uint64_t addr, uint64_t bytes) {
    static const uint8_t mostly[16] = {
        LMP_C_TABLE,       LMP_C_TABLE,    LMP_C_TABLE_PART, LMP_C_TABLE_PART,
        LMP_C_TABLE,       LMP_C_STRING,   LMP_C_STRING,     LMP_C_STRING,
        LMP_C_STRING_PART, LMP_C_FUNCTION, LMP_C_TABLE,      LMP_C_FUNCTION_PART,
        LMP_C_USERDATA,    LMP_C_OTHER,    LMP_C_THREAD,     LMP_C_USERDATA_PART};
    uint64_t end = addr + bytes;
    while (addr < end) {
        uint64_t stretch = bytes / 200 + fixture_random(bytes / 20), until = addr + stretch;
        unsigned main = mostly[fixture_random(16)];
        uint64_t thin = fixture_random(5) == 0 ? 1 + fixture_random(12) : 0;
        if (until > end) until = end;
        while (addr < until) {
            unsigned cls =
                fixture_random(10) ? main : 1 + (unsigned)fixture_random(LMP_C_COUNTED - 1);
            uint64_t size =
                fixture_random(40) ? 17 + fixture_random(80) : 200 + fixture_random(4000);
            uint64_t chunk = (size + 8 + 15) & ~15ull;
            if (thin == 0 || fixture_random(thin + 1) == 0)
                fake_place(f, addr, size, cls, 1 + (unsigned)fixture_random(51));
            addr += chunk;
        }
    }
}

static inline FakeHeap *heap_fixture_new(uint64_t bytes) {
    FakeHeap *f = fake_new(true);
    fixture_state = 88172645463325252ull;
    fixture_fill(f, FIXTURE_LOW + 0x2a0, bytes);
    fake_place(f, FIXTURE_HIGH + 16, bytes / 16, LMP_C_TABLE_PART, 3);
    fake_place(f, FIXTURE_HIGH + bytes / 16 + 4096, bytes / 40, LMP_C_STRING, 9);
    view_next_frame(&f->view);
    return f;
}

/* A model of it, a minute and 42 seconds after start. */
static inline Model *heap_fixture_model(FakeHeap *f) {
    Model *m = calloc(1, sizeof *m);
    snprintf(m->program, sizeof m->program, "options.lua");
    snprintf(m->lua, sizeof m->lua, "Lua 5.4.4");
    m->view = f ? &f->view : NULL;
    m->clock = 102000000000ull;
    m->epoch = 51;
    m->epoch_length = 2000000000ull;
    m->seen = LMP_SEEN_RUNNING;
    m->history.interval = 1;
    return m;
}

/* Gives the blocks of the heap alloc contexts: stretches of them to one record after the other. */
static inline void heap_fixture_contexts(FakeHeap *heap, FakeTables *tables) {
    LmpTablesUsed *used = &tables->live->tables;
    for (uint32_t i = 1; i < used->records; i++)
        tables->t.path[i] = (LmpPath){.node = 1, .record = i};
    used->paths = used->records;
    for (uint32_t l = 0; l < heap->view.leaves; l++) {
        for (uint32_t part = 0; part < LMP_TOUCHES; part++) {
            MapScan scan = mapscan_part(heap->leaf[l], heap->view.leaf_base[l], part);
            MapBlock block;
            if (!mapscan_touch(heap->leaf[l], part)) continue;
            while (mapscan_next(&scan, &block))
                heap->leaf[l]->alloc_context[block.index] =
                    1 + (block.index >> 6 ^ block.index >> 11) % (used->records - 1);
        }
    }
}

#endif
