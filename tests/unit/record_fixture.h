/* record_fixture.h - a state in private memory that can be recorded, the expected contents of its
 * recording at every frame, and a clock that the suite sets. */
#ifndef LMP_RECORD_FIXTURE_H
#define LMP_RECORD_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "fake_tables.h"
#include "recording/format/coding.h"
#include "recording/format/part.h"
#include "recording/format/recfile.h"
#include "recording/format/recscan.h"
#include "recording/reader/recording.h"
#include "recording/writer/recorder.h"
#include "shared/counters.h"
#include "shared/history.h"
#include "suite.h"

#define SECOND 1000000000ull

typedef struct Recorded {
    FakeTables *tables;
    LmpHeader header;
    LmpControl control;
    LmpView view;
    FakeSpot spot[300];
    uint32_t spots;
} Recorded;

static uint64_t record_clock = 1000 * SECOND;
static LmpOs record_os;

static uint64_t record_work = 1000; /* ns from one look at the clock to the next */

static uint64_t record_time(void) {
    return record_clock += record_work;
}

static inline Recorded *recorded_new(void) {
    Recorded *s = calloc(1, sizeof *s);
    record_os = os_real;
    record_os.clock = record_os.worked = record_time;
    lmp_os = &record_os;
    s->tables = fake_tables_new(NULL);
    s->header = (LmpHeader){.magic = LMP_MAGIC,
                            .layout = LMP_LAYOUT,
                            .header_size = sizeof(LmpHeader),
                            .control_size = sizeof(LmpControl),
                            .live_size = sizeof(LmpLive),
                            .leaf_size = sizeof(LmpLeaf),
                            .pid = 4711,
                            .serial = 1,
                            .start_clock = record_clock,
                            .top = 10,
                            .program = "options.lua",
                            .lua = "Lua 5.4.4",
                            .lmp = "1"};
    s->view = (LmpView){.fd = -1,
                        .header = &s->header,
                        .control = &s->control,
                        .live = s->tables->live,
                        .tables = s->tables->t};
    LmpLive *live = s->tables->live;
    live->history.interval = 25000000;
    counters_fold(&live->counters, 1000);
    live->gc.mode = LMP_GC_INCREMENTAL;
    live->owners_known = 1;
    atomic_store(&live->state, LMP_RUNNING);
    return s;
}

static inline void recorded_free(Recorded *s) {
    fake_tables_free(s->tables);
    free(s);
    lmp_os = &os_real;
}
RELEASE_AT(recorded_free)

/* A new place where something is made, under an old one. */
static void recorded_spot(Recorded *s) {
    FakeTables *f = s->tables;
    char source[40], name[40];
    if (s->spots == sizeof s->spot / sizeof *s->spot) return;
    snprintf(source, sizeof source, "@file%u.lua", (unsigned)suite_below(20));
    snprintf(name, sizeof name, "function 'f%u'", (unsigned)suite_below(50));
    uint32_t function = fake_function(f, LMP_F_LUA, source, (int)suite_below(100), name);
    uint32_t site = fake_site(f, function, (int)suite_below(200), 0);
    uint32_t parent = s->spots ? s->spot[suite_below(s->spots)].node : 0;
    snprintf(name, sizeof name, "tag%u", (unsigned)suite_below(5));
    s->spot[s->spots++] = (FakeSpot){
        .site = site,
        .node = fake_node(f, parent, site, 0),
        .cls = 1 + (unsigned)suite_below(LMP_C_COUNTED - 1),
        .tag = suite_below(3) ? 0 : fake_tag(f, name),
    };
}

/* Something happens to it, at the clock of now. */
static inline void recorded_change(Recorded *s) {
    FakeTables *f = s->tables;
    LmpLive *live = f->live;
    uint64_t clock = record_clock - s->header.start_clock;
    live->tables.stacks = 1;
    live->clock = clock;
    if (s->spots == 0 || suite_below(3) == 0) recorded_spot(s);
    for (uint64_t n = suite_below(8); n > 0; n--) {
        FakeSpot *at = &s->spot[suite_below(s->spots)];
        uint64_t blocks = 1 + suite_below(1000);
        fake_made(f, *at, blocks, blocks * 40);
        if (suite_below(2))
            fake_freed(f, *at, s->spot[0], blocks, blocks * 40, suite_below(blocks));
    }
    if (suite_below(10) == 0) {
        LmpGcCycle *cycle = &live->gc.ring[live->gc.cycles++ % LMP_GC_RING];
        *cycle = (LmpGcCycle){clock - 5, clock, suite_below(10000), 7, live->counters.live_bytes};
    }
    if (suite_below(20) == 0) fake_grown(f, clock);
    if (suite_below(25) == 0) fake_mark(f);
    if (suite_below(30) == 0) fake_path(f, 2, suite_below(2) ? "a.b" : "c.d");
    LmpHistoryPoint point = {.max_bytes = live->counters.live_bytes, .allocs = clock};
    history_add(&live->history, clock, &point);
    LmpLapMoment moment = {.clock = clock, .allocs = suite_below(1 << 20)};
    LmpLap lap;
    laps_end(&live->laps, &moment, "lap", &lap);
}

/* ---- what must be said ----------------------------------------------------------------------- */

static inline RecMemory expected_new(void) {
    char *at = lmp_os->map(VIEW_WHOLE, -1, 0, true);
    ck_assert_ptr_nonnull(at);
    return (RecMemory){at, at + LMP_TABLES_AT};
}

static inline void expected_free(RecMemory *m) {
    if (m->fixed) lmp_os->unmap(m->fixed, VIEW_WHOLE);
}

static RecMemory view_memory_of(const LmpView *view, char **copy) {
    *copy = calloc(1, REC_FIXED);
    memcpy(*copy + LMP_CONTROL_AT, view->control, sizeof *view->control);
    memcpy(*copy + LMP_LIVE_AT, view->live, sizeof *view->live);
    return (RecMemory){*copy, view->tables.text};
}

static unsigned expected_layers = REC_ALL; /* which are looked at */

static bool expected_speaks(const RecGroup *g, bool tables) {
    if (!rec_in(g, expected_layers)) return false;
    if (g->section == REC_INFO || (g->at >= REC_EXTRA_AT && g->at < REC_FIXED)) return false;
    return g->section == REC_LIVE ? !tables : tables;
}

/* Now the live part, or the tables, are these. */
static inline void expected_take(RecMemory *m, const LmpView *view, bool tables) {
    char *copy;
    RecMemory now = view_memory_of(view, &copy);
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        if (!expected_speaks(&rec_groups[g], tables)) continue;
        uint32_t rows = rec_rows(&rec_groups[g], &now);
        if (rec_groups[g].count_at == 0 || rec_groups[g].section != REC_LIVE)
            coding_copy(&rec_groups[g], m, &now, 0, rows);
        else
            coding_copy(&rec_groups[g], m, &now, 0, rec_groups[g].most);
    }
    free(copy);
}

/* What stands for a row that is not known: zero; for a text a question mark; and for the name that
 * a function got late its first one. */
static bool is_unknown(const char *row, const char *wanted, const RecGroup *g) {
    if (g->section != REC_ROWS) return false;
    if (g->at == LMP_FUNCTIONS_AT) {
        LmpFunction first = *(const LmpFunction *)(const void *)row;
        const LmpFunction *last = (const void *)wanted;
        if (first.kind == last->kind && first.name < last->name) return true;
    }
    for (uint32_t f = 0; f < g->fields; f++)
        for (uint32_t k = 0; k < (uint32_t)g->field[f].size * g->field[f].count; k++)
            if (row[g->field[f].at + k] && (g->row > 1 || *row != '?')) return false;
    return true;
}

/* Does a view say what is expected? NULL: yes; else the group where it does not. `unknown`: rows
 * may be unknown; their fields are counted there (NULL: none may). */
static inline const char *expected_contradicts(const RecMemory *m, const LmpView *view, bool tables,
                                               uint32_t *unknown) {
    char *copy;
    RecMemory now = view_memory_of(view, &copy);
    const char *wrong = NULL;
    for (uint32_t g = 0; g < REC_GROUPS && !wrong; g++) {
        const RecGroup *group = &rec_groups[g];
        if (!expected_speaks(group, tables)) continue;
        uint32_t rows = rec_rows(group, m);
        if (rec_rows(group, &now) != rows) wrong = group->name;
        for (uint32_t f = 0; f < group->fields; f++)
            for (uint32_t i = 0; i < rows && !wrong; i++) {
                uint64_t at = group->at + (uint64_t)i * group->row + group->field[f].at;
                size_t n = (size_t)group->field[f].size * group->field[f].count;
                if (memcmp(rec_at(m, at), rec_at(&now, at), n) != 0) {
                    uint64_t row = group->at + (uint64_t)i * group->row;
                    if (unknown && is_unknown(rec_at(&now, row), rec_at(m, row), group)) {
                        (*unknown)++;
                        continue;
                    }
                    wrong = group->name;
                    fprintf(stderr, "%s row %u, %s\n", wrong, i, group->field[f].name);
                }
            }
    }
    free(copy);
    return wrong;
}

static inline const char *expected_differs(const RecMemory *m, const LmpView *view, bool tables) {
    return expected_contradicts(m, view, tables, NULL);
}

static inline int record_memfd(void) {
    int fd = memfd_create("recording", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

/* ---- made up --------------------------------------------------------------------------------- */

/* Changes a part and its plain bytes; how often it is to be there: 2 is once more as it was. */
typedef int RecordForge(RecPart *part, RecBytes *plain, void *of);

/* A recording's parts as they are before packing, as `forge` changes them (NULL: not at all), with
 * right checksums and no index. */
static inline RecFile record_unpacked(int fd, RecordForge *forge, void *of) {
    RecFile file;
    RecScan scan;
    RecBytes stored = {0}, plain = {0};
    RecPack *pack = pack_new();
    if (!pack || recscan_open(&scan, fd) || recfile_begin(&file, record_memfd(), 0)) abort();
    uint64_t *place = calloc(scan.parts + 1, sizeof *place);
    for (uint32_t i = 0; i < scan.parts; i++) {
        RecPart part = scan.part[i];
        uint32_t base = recscan_find(&scan, part.base), tables = recscan_find(&scan, part.tables);
        if (part.packing == REC_ZSTD_BASE) {
            if (recscan_read(&scan, &scan.part[base], &stored)) abort();
            if (pack_unpack(pack, &scan.part[base], stored.at, &plain)) abort();
            pack_set_base(pack, plain.at, plain.n, false);
        }
        if (recscan_read(&scan, &part, &stored) || pack_unpack(pack, &part, stored.at, &plain))
            abort();
        if (base < i) part.base = place[base];
        if (tables < i) part.tables = place[tables];
        part.packing = REC_PLAIN;
        RecPart was = part;
        RecBytes sound = {0};
        bytes_put(&sound, plain.at, plain.n);
        int times = forge ? forge(&part, &plain, of) : 1;
        for (int k = 0; k < times; k++) {
            RecPart *one = k ? &was : &part;
            RecBytes *bytes = k ? &sound : &plain;
            one->stored = one->plain = (uint32_t)bytes->n;
            one->checksum = part_checksum(bytes->at, bytes->n);
            if (recfile_put(&file, one, bytes->at)) abort();
            place[i] = one->place;
        }
        bytes_free(&sound);
    }
    free(place);
    pack_free(pack);
    bytes_free(&stored);
    bytes_free(&plain);
    recscan_free(&scan);
    return file;
}

RELEASE_AT(recording_close)

static inline LmpRecording *open_recording(int fd) {
    LmpRecording *r;
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    return r;
}

#endif
