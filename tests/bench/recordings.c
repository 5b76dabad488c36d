/* recordings.c - what a recording costs who writes and who reads it. Prints Markdown.
 *
 *     recordings seek [SITES RECORDS NODES CHANGED [FILE]]
 *                                                     sizes and processor time of frames and seeks,
 *                                                     CHANGED percent of all rows from frame to
 *                                                     frame; without figures: of three programs
 *     recordings in FILE [SEEKS]                      the same for seeks in a file
 *     recordings day [HOURS [MIB [FILE]]]             a day, the clock simulated: is the file ever
 *                                                     above its limit, and what is kept?
 *     recordings busy MINUTES MIB SITES RECORDS NODES CHANGED
 *                                                     the recorder's share of a processor beside
 *                                                     such a program, CHANGED percent of all rows
 *                                                     a minute; the clock simulated; and its memory
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os.h"
#include "large_run.h"
#include "recording/reader/recording.h"
#include "recording/writer/recorder.h"
#include "shared/counters.h"

#define SECOND 1000000000ull
#define MINUTE (60 * SECOND)

/* ---- the clock ------------------------------------------------------------------------------- */

/* Processor time goes on while somebody works. */
static LmpOs os;
static uint64_t simulated = 1000 * SECOND, since;

static uint64_t now(void) {
    return simulated + (spent() - since);
}

static void set_now(uint64_t clock) {
    simulated = clock;
    since = spent();
}

/* ---- a program ------------------------------------------------------------------------------- */

typedef struct Program {
    FakeTables *f;
    LmpHeader header;
    LmpControl control;
    LmpView view;
    uint32_t *site, sites, nodes;
} Program;

static Program *program_new(uint32_t sites, uint32_t records, uint32_t nodes) {
    Program *p = calloc(1, sizeof *p);
    FakeTables *f = p->f = fake_tables_new(NULL);
    LmpTablesUsed *u = &f->live->tables;
    p->header = (LmpHeader){.magic = LMP_MAGIC,
                            .layout = LMP_LAYOUT,
                            .header_size = sizeof(LmpHeader),
                            .control_size = sizeof(LmpControl),
                            .live_size = sizeof(LmpLive),
                            .leaf_size = sizeof(LmpLeaf),
                            .pid = 4711,
                            .start_clock = simulated,
                            .program = "app.lua",
                            .lua = "Lua 5.4.4"};
    p->view = (LmpView){
        .fd = -1, .header = &p->header, .control = &p->control, .live = f->live, .tables = f->t};
    f->live->history.interval = 25000000;
    u->stacks = 1;
    for (uint32_t i = 0; i < sites; i++) {
        if (i % 8 == 0) {
            uint32_t at = u->text;
            u->text += 1 + (uint32_t)snprintf(f->t.text + at, 64, "@app/module_%u.lua", i / 400);
            uint32_t name = u->text;
            u->text += 1 + (uint32_t)snprintf(f->t.text + name, 64, "function 'step_%u'", i / 8);
            f->t.function[u->functions++] = (LmpFunction){.kind = LMP_F_LUA,
                                                          .source = at,
                                                          .short_src = at + 1,
                                                          .linedefined = (int)(i % 400),
                                                          .name = name};
        }
        f->t.site[u->sites++] = (LmpSite){.function = u->functions - 1, .line = (int)(i % 400) + 1};
    }
    for (uint32_t i = u->records; i < records; i++)
        fake_record(f, 2 + (uint32_t)below(sites), 1 + (unsigned)below(LMP_C_COUNTED - 1),
                    (unsigned)(i / sites));
    for (uint32_t i = u->nodes; i < nodes && i < LMP_NODES_MAX; i++) {
        uint32_t parent = i > 2 ? 2 + (uint32_t)below(i - 2) : 0;
        f->t.node[i] = (LmpNode){.parent = parent, .site = 2 + (uint32_t)below(sites)};
        f->t.path[u->paths++] = (LmpPath){.node = i, .record = 1 + (uint32_t)below(u->records - 1)};
        f->t.usage[i] = (LmpUsage){0}; /* its page is there, and not the recorder's */
        u->nodes = i + 1;
    }
    atomic_store(&f->live->state, LMP_RUNNING);
    return p;
}

static void program_free(Program *p) {
    fake_tables_free(p->f);
    free(p);
}

static void use(LmpUsage *u, uint64_t blocks, uint64_t bytes, uint64_t freed, uint64_t clock) {
    u->allocs += blocks;
    u->bytes += bytes;
    u->frees += blocks * freed / bytes;
    u->free_bytes += freed;
    u->short_lived += freed / 64;
    u->last = clock;
}

/* So many rows change. What is held swings within ten minutes and grows a little. */
static void program_change(Program *p, uint32_t records, uint32_t nodes, uint64_t clock) {
    FakeTables *f = p->f;
    LmpTablesUsed *u = &f->live->tables;
    LmpCounters *c = &f->live->counters;
    bool shrinks = clock / (5 * MINUTE) % 2;
    for (uint32_t i = 0; i < records + nodes; i++) {
        uint64_t blocks = 1 + below(100), bytes = blocks * (16 + below(100));
        uint64_t freed = bytes;
        if (i < records) {
            LmpRecord *r = &f->t.record[1 + below(u->records - 1)];
            uint64_t live = r->use.bytes - r->use.free_bytes;
            freed = shrinks ? bytes + live / 64 : bytes - bytes / 8;
            use(&r->use, blocks, bytes, freed, clock);
            LmpClassCount *of = &c->count[r->use.cls];
            of->allocs += blocks;
            of->alloc_bytes += bytes;
            of->frees += blocks * freed / bytes;
            of->free_bytes += freed;
            c->live_bytes += bytes - freed;
        } else {
            use(&f->t.usage[1 + below(u->nodes - 1)], blocks, bytes, freed, clock);
        }
    }
    if (c->live_bytes > c->peak_bytes) {
        c->peak_bytes = c->live_bytes;
        c->peak_clock = clock;
    }
    f->live->clock = clock;
}

static void program_cycle(Program *p, uint64_t clock) {
    LmpGc *gc = &p->f->live->gc;
    gc->ring[gc->cycles++ % LMP_GC_RING] =
        (LmpGcCycle){clock - SECOND / 50, clock, below(100000), below(1000), 1000000};
}

static void program_mark(Program *p, uint64_t clock) {
    LmpLive *live = p->f->live;
    LmpMark *mark = &live->mark[live->marks % LMP_MARKS];
    *mark = (LmpMark){.clock = clock, .number = ++live->marks};
    snprintf(mark->name, sizeof mark->name, "mark %u", live->marks);
}

/* ---- seeks ----------------------------------------------------------------------------------- */

static double ms(uint64_t ns) {
    return (double)ns / 1e6;
}

typedef LmpErr Seek(LmpRecording *r, uint32_t i);

/* Milliseconds of seeks at random: their mean, and the slowest. */
typedef struct Seeks {
    double mean, most;
} Seeks;

static Seeks seek_about(LmpRecording *read, Seek *one, int seeks) {
    Seeks sum = {0};
    for (int i = 0; i < seeks; i++) {
        uint32_t to = (uint32_t)below(recording_frames(read));
        uint64_t before = spent();
        if (one(read, to)) exit(1);
        double took = ms(spent() - before);
        sum.mean += took / seeks;
        if (took > sum.most) sum.most = took;
    }
    return sum;
}

static void seek_in(const char *file, int seeks) {
    LmpRecording *read;
    uint64_t before = spent();
    if (recording_open(&read, file) || recording_frames(read) == 0) exit(1);
    double opened = ms(spent() - before);
    Seeks lines = seek_about(read, recording_seek_lines, seeks);
    Seeks all = seek_about(read, recording_seek, seeks);
    printf("%s: %u frames, opened in %.1f ms; a seek %.1f ms, at most %.1f ms; with call paths "
           "%.1f ms, %.1f ms\n",
           file, recording_frames(read), opened, lines.mean, lines.most, all.mean, all.most);
    recording_close(read);
}

static void seek(uint32_t sites, uint32_t records, uint32_t nodes, uint32_t changed,
                 const char *file) {
    enum { FRAMES = 40, SEEKS = 60 };
    Program *p = program_new(sites, records, nodes);
    LmpRecorder *r;
    LmpRecording *read;
    uint64_t first = 0, others = 0, first_size = 0, before;
    int fd = file ? open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                  : memfd_create("recording", MFD_CLOEXEC);
    set_now(simulated);
    if (recorder_open(&r, &p->view, &(LmpRecorderOptions){.fd = fd, .limit = 1ull << 32})) exit(1);
    program_change(p, p->f->live->tables.records * 3, p->f->live->tables.nodes * 3, 1);
    for (int i = 0; i < FRAMES; i++) {
        program_change(p, records / 100 * changed, nodes / 100 * changed, simulated);
        before = spent();
        set_now(simulated + SECOND);
        if (recorder_frame(r, &p->view, simulated)) exit(1);
        *(i ? &others : &first) += spent() - before;
        if (i == 0) first_size = recorder_size(r);
    }
    uint64_t size = recorder_size(r) - first_size;
    if (recorder_close(r, NULL, 0) || recording_open_fd(&read, fd)) exit(1);
    Seeks lines = seek_about(read, recording_seek_lines, SEEKS);
    Seeks all = seek_about(read, recording_seek, SEEKS);
    printf("| %u | %u | %u | %u %% | %.1f ms, %.0f KB | %.1f ms, %.0f KB | %.1f ms; %.1f ms | "
           "%.1f ms; %.1f ms |%s\n",
           sites, records, nodes, changed, ms(first), (double)first_size / 1e3,
           ms(others) / (FRAMES - 1), (double)size / 1e3 / (FRAMES - 1), lines.mean, lines.most,
           all.mean, all.most, lines.most > 33 ? " misses the aim" : "");
    fflush(stdout);
    recording_close(read);
    close(fd);
    program_free(p);
}

static void seeks(int argc, char **argv) {
    uint32_t n[4];
    printf(
        "| sites | records | nodes | changed | first frame of a chunk | others | seek; slowest | "
        "with call paths; slowest |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < argc && i < 4; i++)
        n[i] = (uint32_t)strtoul(argv[i], NULL, 10);
    if (argc >= 4) {
        seek(n[0], n[1], n[2], n[3], argc > 4 ? argv[4] : NULL);
        return;
    }
    seek(300, 600, 2000, 30, NULL);
    seek(10000, 20000, 50000, 10, NULL);
    seek(100000, 150000, 1000000, 5, NULL);
}

/* ---- a day ----------------------------------------------------------------------------------- */

static uint64_t written;

static bool write_counted(int fd, uint64_t at, const void *from, size_t n) {
    written += n;
    return os_real.write_at(fd, at, from, n);
}

typedef struct Day {
    uint64_t length, limit;
    uint64_t largest, peak, last; /* bytes of the file, of the heap; clock of the last frame */
    uint32_t ticks, marks, cycles, newest_tables;
    uint64_t written, spent;
} Day;

/* Ten frames a second, a collector cycle every three, a mark every ten minutes. */
static void record_day(Day *day, LmpRecorder *r, Program *p) {
    uint64_t begun = p->header.start_clock, next, before;
    for (uint64_t clock = 0; clock < day->length; clock += SECOND / 10, day->ticks++) {
        set_now(begun + clock);
        program_change(p, 30, 100, clock);
        if (day->ticks % 30 == 29) program_cycle(p, clock);
        if (day->ticks % 6000 == 5999) program_mark(p, clock);
        uint64_t live_bytes = p->f->live->counters.live_bytes;
        if (live_bytes > day->peak) day->peak = live_bytes;
        before = spent();
        set_now(begun + clock);
        if (recorder_tick(r, &p->view, begun + clock, &next)) {
            fprintf(stderr, "the recording has ended after %.0f s\n", (double)clock / 1e9);
            exit(1);
        }
        day->spent += spent() - before;
        day->last = clock;
        if (recorder_size(r) > day->largest) day->largest = recorder_size(r);
    }
    day->marks = p->f->live->marks;
    day->cycles = (uint32_t)p->f->live->gc.cycles;
}

static bool tell_day(const Day *day, const LmpRecording *read) {
    uint32_t n = recording_frames(read), fine = 0, tables = 0, marks = 0, cycles = 0;
    uint64_t peak = 0;
    for (uint32_t i = 0; i < n; i++) {
        LmpFrameInfo info = recording_frame(read, i);
        bool newest = day->last - info.clock < MINUTE;
        fine += newest;
        tables += newest && info.flags & LMP_FRAME_TABLES;
        marks += info.flags & LMP_FRAME_MARK ? 1 : 0;
        cycles += info.flags & LMP_FRAME_CYCLE ? 1 : 0;
        if (info.live_bytes > peak) peak = info.live_bytes;
    }
    bool good = day->largest <= day->limit && fine >= 599 && peak == day->peak;
    printf("| %.0f h, %.0f MiB | %.1f MiB | %u of %u | %u, %u | %u of %u | %u of %u | %s | %.1f | "
           "%.2f %% |%s\n",
           (double)day->length / 3600e9, (double)day->limit / 1048576,
           (double)day->largest / 1048576, n, day->ticks, fine, tables, marks, day->marks, cycles,
           day->cycles, peak == day->peak ? "yes" : "no",
           (double)day->written / 1048576 / ((double)day->length / 3600e9),
           100.0 * (double)day->spent / (double)day->length, good ? "" : " misses the aim");
    return good;
}

static int day_of(double hours, double mib, const char *file) {
    Day day = {.length = (uint64_t)(hours * 3600e9), .limit = (uint64_t)(mib * 1048576)};
    int fd = file ? -1 : memfd_create("recording", MFD_CLOEXEC);
    Program *p = program_new(300, 600, 3000);
    LmpRecorder *r;
    LmpRecording *read;
    os.write_at = write_counted;
    written = 0;
    if (recorder_open(&r, &p->view,
                      &(LmpRecorderOptions){.file = file, .fd = fd, .limit = day.limit}))
        exit(1);
    record_day(&day, r, p);
    if (recorder_close(r, NULL, 0)) exit(1);
    day.written = written;
    if (file ? recording_open(&read, file) : recording_open_fd(&read, fd)) exit(1);
    bool good = tell_day(&day, read);
    recording_close(read);
    program_free(p);
    fflush(stdout);
    return good ? 0 : 1;
}

static int days(int argc, char **argv) {
    printf("| of, below | largest | frames | newest minute: frames, tables | marks | cycles | peak "
           "| written, MiB an hour | processor |\n|---|---|---|---|---|---|---|---|---|\n");
    fflush(stdout);
    if (argc > 1)
        return day_of(strtod(argv[0], NULL), strtod(argv[1], NULL), argc > 2 ? argv[2] : NULL);
    double hours = argc > 0 ? strtod(argv[0], NULL) : 24;
    return day_of(hours, 64, NULL) | day_of(hours, 8, NULL) | day_of(hours, 2, NULL);
}

/* ---- beside a large program ------------------------------------------------------------------ */

/* Returns the largest resident set, KiB. */
static long memory_most(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

/* Begins to look for the largest resident set anew; returns how large it is, KiB. */
static long memory_begin(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f || fputs("5", f) < 0 || fclose(f) != 0) exit(1);
    return memory_most();
}

static void busy(double minutes, double mib, const uint32_t n[4]) {
    int fd = memfd_create("recording", MFD_CLOEXEC);
    uint64_t length = (uint64_t)(minutes * 60e9), all = 0, most = 0, last = 0, next;
    uint64_t minute = 0, most_minute = 0; /* what it has done in this one, in any */
    uint32_t tables = 0, ticks = 0, records = n[1] * n[3] / 60000, nodes = n[2] * n[3] / 60000;
    Program *p = program_new(n[0], n[1], n[2]);
    LmpRecorder *r;
    LmpRecording *read;
    uint64_t begun = p->header.start_clock;
    LmpRecorderOptions o = {.fd = fd, .limit = (uint64_t)(mib * 1048576)};
    long memory = memory_begin();
    if (recorder_open(&r, &p->view, &o)) exit(1);
    for (uint64_t clock = 0; clock < length; ticks++) {
        program_change(p, records + 1, nodes + 1, clock);
        uint64_t before = spent();
        set_now(begun + clock);
        if (recorder_tick(r, &p->view, begun + clock, &next)) exit(1);
        uint64_t took = spent() - before;
        all += took;
        if (clock / MINUTE != last / MINUTE) minute = 0;
        if ((minute += took) > most_minute) most_minute = minute;
        if (took > most) most = took;
        last = clock;
        clock += took > SECOND / 10 ? took : SECOND / 10;
    }
    if (recorder_close(r, NULL, 0)) exit(1);
    memory = memory_most() - memory;
    if (recording_open_fd(&read, fd)) exit(1);
    for (uint32_t i = 0; i < recording_frames(read); i++)
        tables += recording_frame(read, i).flags & LMP_FRAME_TABLES ? 1 : 0;
    printf("%u sites, %u nodes, %.0f MiB: %.2f %% of a processor in %.0f minutes, at most %.2f %% "
           "in one; a tick %.0f ms at most; %ld MiB; written anew %u times, %u frames of %u, %u "
           "with tables\n",
           n[0], n[2], mib, 100.0 * (double)all / (double)length, minutes,
           100.0 * (double)most_minute / (double)MINUTE, ms(most), memory / 1024,
           recording_generation(read), recording_frames(read), ticks, tables);
    recording_close(read);
    program_free(p);
}

int main(int argc, char **argv) {
    os = os_real;
    os.clock = os.worked = now;
    lmp_os = &os;
    if (argc > 2 && strcmp(argv[1], "in") == 0)
        seek_in(argv[2], argc > 3 ? atoi(argv[3]) : 200);
    else if (argc > 1 && strcmp(argv[1], "seek") == 0)
        seeks(argc - 2, argv + 2);
    else if (argc > 7 && strcmp(argv[1], "busy") == 0)
        busy(atof(argv[2]), atof(argv[3]),
             (uint32_t[]){(uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]), (uint32_t)atoi(argv[6]),
                          (uint32_t)atoi(argv[7])});
    else if (argc > 1 && strcmp(argv[1], "day") == 0)
        return days(argc - 2, argv + 2);
    else
        return 1;
    return 0;
}
