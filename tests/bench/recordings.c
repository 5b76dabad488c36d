/* recordings.c - what a recording costs who writes and who reads it. Prints Markdown.
 *
 *     recordings seek [SITES RECORDS NODES CHANGED]   sizes and processor time of frames and seeks,
 *                                                     CHANGED percent of all rows from frame to
 *                                                     frame; without figures: of three programs
 *     recordings in FILE [SEEKS]                      the same for seeks in a file
 *     recordings day [HOURS [MIB [FILE]]]             a day, the clock simulated: is the file ever
 *                                                     above its limit, and what is kept?
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "fake_tables.h"
#include "record/recorder.h"
#include "record/recording.h"
#include "shared/counters.h"
#include "shared/history.h"

#define SECOND 1000000000ull
#define MINUTE (60 * SECOND)

static uint64_t chance = 88172645463325252ull;
static uint64_t below(uint64_t n) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % n;
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* Processor time goes on while somebody works; other programs do not count. */
static LmpOs os;
static uint64_t simulated = 1000 * SECOND, since;

static uint64_t spent(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

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
    char text[64];
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
    history_init(&f->live->history, 25000000);
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
        f->t.node[i] = (LmpNode){.parent = parent,
                                 .site = 2 + (uint32_t)below(sites),
                                 .depth = f->t.node[parent].depth + 1};
        u->nodes = i + 1;
    }
    (void)text;
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
            LmpNode *n = &f->t.node[1 + below(u->nodes - 1)];
            use(&n->use, blocks, bytes, freed, clock);
        }
    }
    if (c->live_bytes > c->peak_bytes) {
        c->peak_bytes = c->live_bytes;
        c->peak_clock = clock;
    }
    f->live->clock = clock;
}

__attribute__((unused)) static void program_cycle(Program *p, uint64_t clock) {
    LmpGc *gc = &p->f->live->gc;
    gc->ring[gc->cycles++ % LMP_GC_RING] =
        (LmpGcCycle){clock - SECOND / 50, clock, below(100000), below(1000), 1000000};
}

__attribute__((unused)) static void program_mark(Program *p, uint64_t clock) {
    LmpLive *live = p->f->live;
    LmpMark *mark = &live->mark[live->marks % LMP_MARKS];
    *mark = (LmpMark){.clock = clock, .number = ++live->marks};
    snprintf(mark->name, sizeof mark->name, "mark %u", live->marks);
}

/* ---- seeks ----------------------------------------------------------------------------------- */

static double ms(uint64_t ns) {
    return (double)ns / 1e6;
}

static void seek_about(LmpRecording *read, int seeks, uint64_t *sum, uint64_t *most) {
    for (int i = 0; i < seeks; i++) {
        uint32_t to = (uint32_t)below(recording_frames(read));
        uint64_t before = spent();
        if (recording_seek(read, to)) exit(1);
        uint64_t took = spent() - before;
        *sum += took;
        if (took > *most) *most = took;
    }
}

static void seek_in(const char *file, int seeks) {
    LmpRecording *read;
    uint64_t sum = 0, most = 0, before = spent();
    if (recording_open(&read, file) || recording_frames(read) == 0) exit(1);
    double opened = ms(spent() - before);
    seek_about(read, seeks, &sum, &most);
    printf("%s: %u frames, opened in %.1f ms; a seek %.1f ms, at most %.1f ms\n", file,
           recording_frames(read), opened, ms(sum) / seeks, ms(most));
    recording_close(read);
}

static void seek(uint32_t sites, uint32_t records, uint32_t nodes, uint32_t changed) {
    enum { FRAMES = 40, SEEKS = 60 };
    Program *p = program_new(sites, records, nodes);
    LmpRecorder *r;
    LmpRecording *read;
    uint64_t first = 0, others = 0, first_size = 0, before, sum = 0, most = 0;
    int fd = memfd_create("recording", MFD_CLOEXEC);
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
    seek_about(read, SEEKS, &sum, &most);
    printf("| %u | %u | %u | %u %% | %.1f ms, %.0f KB | %.1f ms, %.0f KB | %.1f ms | %.1f ms |%s\n",
           sites, records, nodes, changed, ms(first), (double)first_size / 1e3,
           ms(others) / (FRAMES - 1), (double)size / 1e3 / (FRAMES - 1), ms(sum) / SEEKS, ms(most),
           most > SECOND / 10 ? " misses the aim" : "");
    fflush(stdout);
    recording_close(read);
    close(fd);
    program_free(p);
}

static void seeks(int argc, char **argv) {
    uint32_t n[4];
    printf("| sites | records | nodes | changed | first frame of a chunk | others | seek, mean | "
           "seek, slowest |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < argc && i < 4; i++)
        n[i] = (uint32_t)strtoul(argv[i], NULL, 10);
    if (argc >= 4) {
        seek(n[0], n[1], n[2], n[3]);
        return;
    }
    seek(300, 600, 2000, 30);
    seek(10000, 20000, 50000, 10);
    seek(100000, 150000, 1000000, 5);
}

int main(int argc, char **argv) {
    os = os_real;
    os.clock = now;
    lmp_os = &os;
    if (argc > 2 && strcmp(argv[1], "in") == 0)
        seek_in(argv[2], argc > 3 ? atoi(argv[3]) : 200);
    else if (argc > 1 && strcmp(argv[1], "seek") == 0)
        seeks(argc - 2, argv + 2);
    else
        return 1;
    return 0;
}
