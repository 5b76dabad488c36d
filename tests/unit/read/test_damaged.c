/* test_damaged.c - a shared state that is cut off, overwritten or of another make: whoever reads it
 * gets an error or nonsense, but never crashes (run with the sanitizers). The state is a real one,
 * of a program profiled here. */
#include "profiled.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "own_state.h"
#include "read/heapmap/heapmap.h"
#include "read/ledger/ledger.h"
#include "read/view.h"
#include "report/formats/formats.h"
#include "state_parts.h"

RELEASE_AT(lua_close)
RELEASE_AT(maplist_free)

static uint8_t *good; /* mostly holes, as the state */
static size_t good_size;
static struct { size_t at, end; } written[256]; /* the parts of it that are no holes */
static size_t writtens;

/* Keeps a copy of the state in fd. */
static void read_good(int fd) {
    good_size = (size_t)lseek(fd, 0, SEEK_END);
    good = mmap(NULL, good_size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(good, MAP_FAILED);
    writtens = 0;
    for (off_t at = 0; (at = lseek(fd, at, SEEK_DATA)) >= 0;) {
        off_t end = lseek(fd, at, SEEK_HOLE);
        ck_assert_uint_lt(writtens, sizeof written / sizeof *written);
        written[writtens].at = (size_t)at;
        written[writtens++].end = (size_t)end;
        for (ssize_t n; at < end; at += n) {
            n = pread(fd, good + at, (size_t)(end - at), at);
            ck_assert_int_gt(n, 0);
        }
    }
}

/* Profiles a program and keeps a copy of its state, taken while it ran. */
static void make_good(void) {
    OWN(lua_close_at) lua_State *L = new_state();
    LmpOptions options = profiler_defaults;
    options.stacks = true;
    profiled_start(L, options);
    const char *work =
        "function walk(n) local t = {n} if n > 0 then t[2] = walk(n - 1) end return t end walk(30)"
        "for i = 1, 12 do load('local t = {} ' .. ('\\n'):rep(i) .. 'return {{}, {}}')() end "
        "t = {} for i = 1, 3000 do t[i] = {i, 's' .. i, function() return i end} end "
        "u = coroutine.wrap(function() end) s = ('x'):rep(1 << 20) collectgarbage()";
    run_lua(L, work);
    for (int i = 0; i < 100; i++)
        profiler_mark(L, i % 2 ? "mark" : NULL);
    LmpLap lap;
    for (int i = 0; i < 100; i++) {
        lua_newuserdatauv(L, (size_t)(i * i % 97) * 100, 0);
        lua_pop(L, 1);
        profiler_lap(L, i % 3 ? "frame" : NULL, &lap);
    }
    int fd = find_state();
    ck_assert_int_ge(fd, 0);
    read_good(fd);
    close(fd);
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
}

static int new_file(size_t size, bool sealed) {
    int fd = memfd_create(LMP_MEMFD_NAME, MFD_ALLOW_SEALING);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
    if (sealed) fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    return fd;
}

static void put(int fd, size_t at, const void *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = pwrite(fd, bytes, size, (off_t)at);
        ck_assert_int_gt(n, 0);
        at += (size_t)n;
        bytes = (const char *)bytes + n;
        size -= (size_t)n;
    }
}

/* Writes what the good state has between two offsets; the file has holes where it has. */
static void put_good(int fd, size_t from, size_t end) {
    for (size_t i = 0; i < writtens; i++) {
        size_t a = written[i].at > from ? written[i].at : from;
        size_t b = written[i].end < end ? written[i].end : end;
        if (a < b) put(fd, a, good + a, b - a);
    }
}

static LmpView view;
static LmpHistory history;
static LmpOp op;
static LmpReport report;
static uint32_t sites_read, nodes_read;

static void read_heap(void) {
    HeapMap *map = heapmap_new(&view);
    if (!map) return;
    heapmap_refresh(map, 1u << 22);
    static MapCell cells[256];
    uint64_t total = heapmap_total(map);
    heapmap_cells(map, 0, heapmap_fit(map, 256, HEAPMAP_MIN_CELL), 256, cells);
    heapmap_cells(map, total / 2, HEAPMAP_MIN_CELL, 256, cells);
    heapmap_cells(map, ~0ull - 5, ~0ull, 3, cells);
    MapRange range = heapmap_range(map, total / 3, 4096);
    heapmap_free(map);
    OWN(maplist_free_at) MapList *list = maplist_new(&view);
    if (!list) return;
    static MapListBlock blocks[64];
    MapListQuery query = {.from = 0, .to = ~0ull, .kinds = 63, .key = range.start};
    maplist_read(list, &query, blocks, 64);
    query.from = range.start;
    query.first = 10;
    maplist_read(list, &query, blocks, 64);
}

/* Who made what, all of it, and who made a block. */
static void read_tables(void) {
    static Ledger ledger;
    ck_assert_int_eq(ledger_refresh(&ledger, &view.tables, LEDGER_ALL, 1), LMP_OK);
    for (uint32_t alloc_context = 0; alloc_context < 10000; alloc_context += 1 + alloc_context / 8)
        ledger_site_of(&ledger, &view.tables, alloc_context);
    sites_read = ledger.sites;
    nodes_read = ledger.nodes;
    ledger_free(&ledger);
}

/* Everything that a viewer does with a state. The view owns `fd` from here on. */
static LmpErr read_all(int fd, bool heap) {
    LmpErr err = view_open(&view, fd);
    if (err) {
        ck_assert_ptr_null(view.header);
        return err;
    }
    view_refresh(&view);
    view_copy_history(&view, &history);
    view_copy_op(&view, &op);
    ck_assert_uint_le(history.used, LMP_HISTORY);
    ck_assert_uint_le(op.frames, LMP_FRAMES);
    for (int i = 0; i < 2; i++)
        view_seen(&view, i);
    LmpStats stats;
    stats_derive(view.live, 12345, &stats);
    report_fill_with(&report, view.header, view.live, &view.tables,
                     LEDGER_TREE | LEDGER_TREE_KINDS | REPORT_PART_HISTORY, 12345, "damaged",
                     LEDGER_END);
    for (unsigned kind = 0; kind < REPORTS; kind++) {
        ck_assert_int_eq(report_kinds[kind].write(&report, suite_write()), LMP_OK);
        free(suite_written());
        ck_assert_uint_lt(suite_wrote, 64u << 20);
    }
    report_close(&report);
    if (heap) read_heap();
    if (heap) read_tables();
    view_pause(&view, true);
    view_preview(&view, (const uint64_t[]){1, 2, 3}, 3, true);
    view_close(&view);
    return LMP_OK;
}

TEST(good_state_is_read) {
    make_good();
    int fd = new_file(good_size, true);
    put_good(fd, 0, good_size);
    ck_assert_int_eq(read_all(fd, true), LMP_OK);
    ck_assert_uint_gt(report.stats.mallocs, 6000);
    ck_assert_uint_gt(report.stats.live_bytes, 1u << 20);
    ck_assert_uint_eq(report.stats.frames, 99);
    ck_assert_uint_eq(report.stats.worst_frames.count, LMP_LAPS_WORST);
    ck_assert_uint_gt(sites_read, 10);
    ck_assert_uint_gt(nodes_read, 30);
    munmap(good, good_size);
}

/* The file ends early; or it has its size, but the rest was never written. */
TEST(prefixes) {
    make_good();
    size_t fixed = LMP_LIVE_AT + sizeof(LmpLive);
    for (size_t n = 0; n < good_size; n += n < sizeof(LmpHeader) + 8 ? 1
                                           : n < LMP_LIVE_AT         ? 509
                                           : n < fixed               ? 8191
                                           : n < LMP_LEAVES_AT       ? 61234567
                                                                     : 999983) {
        int fd = new_file(n, true);
        put_good(fd, 0, n);
        LmpErr err = read_all(fd, n > fixed);
        ck_assert_int_eq(err, n < LMP_LEAVES_AT ? LMP_E_FOREIGN : LMP_OK);
        fd = new_file(good_size, true);
        put_good(fd, 0, n);
        err = read_all(fd, n > fixed);
        if (n < 8) ck_assert_int_eq(err, LMP_E_FOREIGN);
        if (n >= sizeof(LmpHeader)) ck_assert_int_eq(err, LMP_OK);
    }
    munmap(good, good_size);
}

TEST(foreign) {
    make_good();
    int fd = new_file(good_size, false); /* could be cut under our mapping */
    put_good(fd, 0, good_size);
    ck_assert_int_eq(read_all(fd, false), LMP_E_FOREIGN);
    static const struct {
        size_t at, size;
        LmpErr err;
    } fields[] = {
        {offsetof(LmpHeader, magic), 8, LMP_E_FOREIGN},
        {offsetof(LmpHeader, layout), 4, LMP_E_VERSION},
        {offsetof(LmpHeader, header_size), 4, LMP_E_VERSION},
        {offsetof(LmpHeader, control_size), 4, LMP_E_VERSION},
        {offsetof(LmpHeader, live_size), 4, LMP_E_VERSION},
        {offsetof(LmpHeader, leaf_size), 8, LMP_E_VERSION},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (size_t k = 0; k < fields[i].size; k++) {
            fd = new_file(good_size, true);
            put_good(fd, 0, LMP_LIVE_AT);
            uint8_t other = (uint8_t)(good[fields[i].at + k] + 1);
            put(fd, fields[i].at + k, &other, 1);
            ck_assert_int_eq(read_all(fd, false), fields[i].err);
        }
    static const size_t texts[][2] = {
        {offsetof(LmpHeader, program), sizeof(((LmpHeader *)0)->program)},
        {offsetof(LmpHeader, lua), sizeof(((LmpHeader *)0)->lua)},
        {offsetof(LmpHeader, lmp), sizeof(((LmpHeader *)0)->lmp)}};
    for (size_t i = 0; i < 3; i++) { /* a text without an end */
        char full[256];
        memset(full, 'A', sizeof full);
        fd = new_file(good_size, true);
        put_good(fd, 0, LMP_LIVE_AT);
        put(fd, texts[i][0], full, texts[i][1]);
        ck_assert_int_eq(read_all(fd, false), LMP_E_DAMAGED);
    }
    ck_assert_int_eq(read_all(open("/dev/null", O_RDWR), false), LMP_E_FOREIGN);
    ck_assert_int_eq(read_all(open("/", O_RDONLY), false), LMP_E_FOREIGN);
    ck_assert_int_eq(read_all(-1, false), LMP_E_FOREIGN);
    munmap(good, good_size);
}

/* Large tables take their time, though nothing else: seen in a few rounds only. */
static void limit_tables(int fd) {
    LmpTablesUsed used;
    off_t at = LMP_LIVE_AT + offsetof(LmpLive, tables);
    ck_assert_int_eq(pread(fd, &used, sizeof used, at), sizeof used);
    uint32_t *const counts[] = {&used.functions, &used.sites, &used.records,
                                &used.nodes,     &used.paths, &used.tags};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (*counts[i] > 5000) *counts[i] = (uint32_t)suite_below(5000);
    put(fd, (size_t)at, &used, sizeof used);
}

/* Random bytes over parts of it; the header stays right, or nobody would read on. */
TEST(random_bytes) {
    make_good();
    static uint8_t noise[4096];
    int fd = new_file(good_size, true);
    for (int round = 0; round < 60; round++) {
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)good_size);
        put_good(fd, 0, good_size);
        int hits = 1 + (int)suite_below(40);
        for (int i = 0; i < hits; i++) {
            size_t part = 1 + suite_below(sizeof state_part / sizeof *state_part - 1);
            size_t size = 1 + suite_below(suite_below(2) ? 16 : sizeof noise);
            if (size > state_part[part].size) size = state_part[part].size;
            size_t at = state_part[part].at + suite_below(state_part[part].size - size + 1);
            int kind = (int)suite_below(3);
            for (size_t k = 0; k < size; k++)
                noise[k] = kind == 0 ? 0xff : kind == 1 ? 0 : (uint8_t)suite_random();
            if (at + size <= good_size) put(fd, at, noise, size);
        }
        if (round % 15) limit_tables(fd);
        ck_assert_int_eq(read_all(dup(fd), true), LMP_OK);
    }
    close(fd);
    munmap(good, good_size);
}
