/* fuzz_state.c - a shared state in which anything may stand: whoever reads it gets an error or
 * nonsense, but never crashes, hangs or leaks. tests/unit/read/test_damaged.c has the same claim
 * and draws at random; here the fuzzer looks for ways that were not gone yet.
 *
 * An input is a row of overwritings of a sound state: part, length, place (4 bytes), bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_heap.h"
#include "fake_tables.h"
#include "read/heapmap/heapmap.h"
#include "read/ledger/ledger.h"
#include "read/model/model.h"
#include "read/stats.h"
#include "report/formats/formats.h"
#include "state_parts.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_SIZE (LMP_LEAVES_AT + STATE_LEAVES * sizeof(LmpLeaf))
#define MOST_ROWS 1024u /* in a table: large ones take their time, and nothing else */
#define LOW 0x555540000000ull
#define HIGH 0x7f0040000000ull

static int file = -1;
static uint8_t *now, *sound; /* the file, and what it is made like again after each input */

/* ---- a sound state --------------------------------------------------------------------------- */

static void copy_written(uint8_t *to, const void *from, size_t size) {
    static const uint8_t zero[4096];
    const uint8_t *bytes = from;
    for (size_t at = 0; at < size; at += 4096) {
        size_t n = size - at < 4096 ? size - at : 4096;
        if (memcmp(bytes + at, zero, n) != 0) memcpy(to + at, bytes + at, n);
    }
}

static void fill_header(LmpHeader *h) {
    *h = (LmpHeader){.magic = LMP_MAGIC,
                     .layout = LMP_LAYOUT,
                     .header_size = sizeof(LmpHeader),
                     .control_size = sizeof(LmpControl),
                     .live_size = sizeof(LmpLive),
                     .leaf_size = sizeof(LmpLeaf),
                     .pid = 1,
                     .serial = 1,
                     .top = 10,
                     .program = "fuzzed.lua",
                     .lua = "Lua 5.4.4",
                     .lmp = "1"};
}

static void fill_heap(FakeHeap *f) {
    fake_place(f, LOW + 32, 40, LMP_C_STRING, 1);
    fake_place(f, LOW + 96, 56, LMP_C_TABLE, 1);
    fake_place(f, LOW + 160, 4000, LMP_C_TABLE_PART, 1);
    fake_place(f, LOW + 8192, 1 << 20, LMP_C_STRING, 1);
    fake_place(f, HIGH + 64, 3ull << 28, LMP_C_USERDATA, 1);
    fake_place(f, HIGH + 264, 24, LMP_C_FUNCTION, 1); /* off the grid: the overflow table */
    if (f->view.leaves > STATE_LEAVES) abort();
}

static void fill_live(LmpLive *live) {
    atomic_store(&live->state, LMP_PAUSED);
    live->marks = 3;
    live->gc.cycles = 20;
    live->op.op = LMP_OP_ALLOC;
    live->op.depth = live->op.frames = 3;
    live->op.locals = 2;
    live->op.hit = 1;
    live->history.interval = 25000000;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    FakeHeap *f = fake_new(false);
    FakeTables *t = fake_tables_new(&f->live);
    fake_program(t, true);
    fill_heap(f);
    fill_live(&f->live);
    fill_header(&f->header);
    file = memfd_create(LMP_MEMFD_NAME, MFD_ALLOW_SEALING | MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, FILE_SIZE) != 0) abort();
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0) abort();
    now = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    sound = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (now == MAP_FAILED || sound == MAP_FAILED) abort();
    copy_written(sound, &f->header, sizeof f->header);
    copy_written(sound + LMP_CONTROL_AT, &f->control, sizeof f->control);
    copy_written(sound + LMP_LIVE_AT, &f->live, sizeof f->live);
    copy_written(sound + LMP_OVERFLOW_AT, f->overflow, LMP_TABLES_AT - LMP_OVERFLOW_AT);
    copy_written(sound + LMP_TABLES_AT, t->base, LMP_TABLES_SIZE);
    for (uint32_t i = 0; i < f->view.leaves; i++)
        copy_written(sound + LMP_LEAVES_AT + i * sizeof(LmpLeaf), f->leaf[i], sizeof(LmpLeaf));
    copy_written(now, sound, FILE_SIZE);
    fake_tables_free(t);
    fake_free(f);
    return 0;
}

/* ---- damage ---------------------------------------------------------------------------------- */

#define MOST_HITS 64u
static struct { size_t at, size; } hit[MOST_HITS];
static uint32_t hits;

static void damage(const uint8_t *data, size_t size) {
    for (hits = 0; size >= 7 && hits < MOST_HITS; hits++) {
        size_t part = data[0] % (sizeof state_part / sizeof *state_part), n = 1 + data[1] % 32,
               place;
        uint32_t word;
        memcpy(&word, data + 2, 4);
        data += 6, size -= 6;
        place = word % state_part[part].size;
        if (n > size) n = size;
        if (n > state_part[part].size - place) n = state_part[part].size - place;
        hit[hits].at = state_part[part].at + place;
        hit[hits].size = n;
        memcpy(now + hit[hits].at, data, n);
        data += n, size -= n;
    }
    LmpTablesUsed *used = (void *)(now + LMP_LIVE_AT + offsetof(LmpLive, tables));
    uint32_t *const counts[] = {&used->functions, &used->sites, &used->records,
                                &used->nodes,     &used->paths, &used->tags};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (*counts[i] > MOST_ROWS) *counts[i] %= MOST_ROWS;
}

static void repair(void) {
    for (uint32_t i = 0; i < hits; i++)
        memcpy(now + hit[i].at, sound + hit[i].at, hit[i].size);
    memcpy(now + LMP_LIVE_AT + offsetof(LmpLive, tables),
           sound + LMP_LIVE_AT + offsetof(LmpLive, tables), sizeof(LmpTablesUsed));
    memcpy(now + LMP_CONTROL_AT, sound + LMP_CONTROL_AT, sizeof(LmpControl));
}

/* ---- whoever reads it ------------------------------------------------------------------------ */

static LmpView view;

static void must(bool holds) {
    if (!holds) abort();
}

static void read_heap(void) {
    static MapCell cells[256];
    static MapListBlock blocks[64];
    HeapMap *map = heapmap_new(&view);
    if (map) {
        heapmap_refresh(map, 1u << 22);
        uint64_t total = heapmap_total(map), key;
        heapmap_cells(map, 0, heapmap_fit(map, 256, HEAPMAP_MIN_CELL), 256, cells);
        heapmap_cells(map, total / 2, HEAPMAP_MIN_CELL, 256, cells);
        heapmap_range(map, total / 3, 4096);
        heapmap_position(map, LOW + 96, &key);
        heapmap_free(map);
    }
    MapList *list = maplist_new(&view);
    if (!list) return;
    MapListQuery query = {.from = 0, .to = ~0ull, .kinds = 63, .key = LOW + 96};
    MapListResult got = maplist_read(list, &query, blocks, 64);
    must(got.count <= 64);
    for (uint32_t i = 0; i < got.count; i++)
        must(blocks[i].kind < LMP_KINDS);
    maplist_free(list);
}

static void read_tables(void) {
    static Ledger ledger;
    must(ledger_refresh(&ledger, &view.tables, LEDGER_ALL, 1) == LMP_OK);
    for (uint32_t alloc_context = 0; alloc_context < 64; alloc_context++) {
        uint32_t row = ledger_site_of(&ledger, &view.tables, alloc_context);
        must(row == LEDGER_NO_ROW || row < ledger.sites);
    }
    for (uint32_t i = 0; i < ledger.nodes; i++)
        must(ledger.tree[i].first + ledger.tree[i].children <= ledger.nodes &&
             ledger.tree[i].parent <= i);
    ledger_free(&ledger);
}

static void read_model(void) {
    static Model model;
    ModelInput input = {.now = 1000000000, .alive = true};
    model_fill(&model, &view, &input);
    must(model.history.used <= LMP_HISTORY && model.op.frames <= LMP_FRAMES);
    must(model.op.locals <= LMP_LOCALS && model.op.hit <= LMP_BREAKS);
    must(model.breaks.count <= LMP_BREAKS && model.preview_count <= LMP_PREVIEWS);
    must(model.marks <= LMP_MARKS);
    memset(&model, 0, sizeof model);
}

static void read_report(void) {
    static LmpReport report;
    report_fill_with(&report, view.header, view.live, &view.tables,
                     LEDGER_TREE | LEDGER_TREE_KINDS | REPORT_PART_HISTORY, 12345, "fuzzed",
                     LEDGER_END);
    for (size_t i = 0; i < REPORTS; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out) abort();
        if (report_kinds[i].write(&report, out) != LMP_OK) abort();
        fclose(out);
        free(text);
    }
    report_close(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    damage(data, size);
    if (view_open(&view, dup(file)) == LMP_OK) {
        LmpStats stats;
        stats_derive(view.live, 12345, &stats);
        read_heap();
        read_tables();
        read_model();
        read_report();
        view_pause(&view, true);
        view_breaks(&view, NULL, 0);
        view_collect_no_more(&view);
        view_close(&view);
    }
    repair();
    return 0;
}
