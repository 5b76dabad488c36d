/* reports.c - what reports cost: of a run with a million call paths, each format's time and the
 * most memory of its process, the run's state in it included. Prints Markdown.
 *
 *     reports [NODES]
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_tables.h"
#include "report/formats/formats.h"

enum { FUNCTIONS = 2000, LINES = 3, DEFAULT_NODES = 1000000 };

static LmpHeader header;

static uint64_t chance = 88172645463325252ull;
static uint64_t below(uint64_t n) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % n;
}

/* Any tree: each call hangs below any one before it, and each line calls one of eight functions.
 * What is made, is made everywhere. */
static FakeTables *run_of(uint32_t nodes) {
    static uint32_t site[FUNCTIONS * LINES];
    FakeTables *f = fake_tables_new(NULL);
    LmpTablesUsed *u = &f->live->tables;
    char text[64];
    for (int i = 0; i < FUNCTIONS; i++) {
        snprintf(text, sizeof text, "@app/module_%d.lua", i / 20);
        uint32_t source = fake_text(f, text);
        snprintf(text, sizeof text, "app/module_%d.lua", i / 20);
        uint32_t short_src = fake_text(f, text);
        snprintf(text, sizeof text, "function 'module_%d.step_%d'", i / 20, i);
        f->t.function[u->functions] = (LmpFunction){.kind = LMP_F_LUA,
                                                    .source = source,
                                                    .short_src = short_src,
                                                    .linedefined = i % 20 * 10 + 1,
                                                    .name = fake_text(f, text)};
        for (int line = 0; line < LINES; line++) {
            site[i * LINES + line] = u->sites;
            f->t.site[u->sites++] =
                (LmpSite){.function = u->functions, .line = i % 20 * 10 + 2 + line};
        }
        u->functions++;
    }
    u->stacks = 1;
    for (uint32_t i = u->nodes; i < nodes && i < LMP_NODES_MAX; i++) {
        uint32_t parent = i > 2 ? 2 + (uint32_t)below(i - 2) : 0;
        uint32_t caller = f->t.node[parent].site, k = (uint32_t)below(8);
        uint32_t at = site[(caller * 7u + k * k * 31u + k) % (FUNCTIONS * LINES)];
        f->t.node[i] =
            (LmpNode){.parent = parent, .site = at, .depth = f->t.node[parent].depth + 1};
        u->nodes = i + 1;
        FakeSpot spot = {at, i, i % 3 ? LMP_C_TABLE : LMP_C_STRING, 0};
        f->t.path[u->paths++] = (LmpPath){i, fake_record(f, at, spot.cls, 0)};
        fake_made(f, spot, 1 + below(100), 1 + below(100000));
        if (below(2)) fake_freed(f, spot, spot, 1, 1, 1);
    }
    f->live->clock = 3600000000000ull;
    f->live->history.interval = 3600000000ull;
    f->live->history.used = 1000;
    for (uint32_t i = 0; i < 1000; i++)
        f->live->history.samples[i].max_bytes = i * 50000ull;
    snprintf(header.program, sizeof header.program, "app.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    return f;
}

/* Processor time: other programs may be at work. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void give_back(const void *from, const void *to) {
    uintptr_t at = ((uintptr_t)from + 4095) & ~(uintptr_t)4095,
              end = (uintptr_t)to & ~(uintptr_t)4095;
    if (at < end) madvise((void *)at, end - at, MADV_DONTNEED);
}

/* As lmp report does it: what the state took is given back while the report is filled, and before
 * it is written. */
static void report(FakeTables *f, const LmpReportKind *kind, bool range) {
    static LmpReport r;
    static ReportBefore before;
    FILE *out = tmpfile();
    struct rusage used;
    double begun = now();
    if (!out) _exit(1);
    if (range && report_before(&before, f->live, &f->t, kind->parts, f->live->clock)) _exit(1);
    f->t.spent = give_back;
    report_fill_since(&r, range ? &before : NULL, &header, f->live, &f->t, kind->parts,
                      f->live->clock, "finished");
    report_before_free(&before);
    if (range) r.metric = REPORT_ALLOCATED; /* nothing has happened in it, but all rows are there */
    double filled = now();
    fake_tables_free(f);
    LmpErr err = kind->write(&r, out);
    if (err || fflush(out) != 0) _exit(1);
    double took = now() - begun;
    getrusage(RUSAGE_SELF, &used);
    printf("| `%s`%s | %.2f s | %.2f s | %ld MiB | %.1f MiB |%s\n", kind->name,
           range ? ", a range" : "", filled - begun, took, used.ru_maxrss / 1024,
           (double)ftell(out) / 1048576,
           took > 3 || used.ru_maxrss > 500 * 1024 ? " misses the aim" : "");
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv) {
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : DEFAULT_NODES;
    FakeTables *f = run_of(nodes);
    int status = 0;
    printf("| report of %u call paths | read | in all | memory | file |\n|---|---|---|---|---|\n",
           f->live->tables.nodes - 1);
    fflush(stdout);
    for (int i = 0; i < 2 * REPORTS && status == 0; i++) {
        const LmpReportKind *kind = &report_kinds[i % REPORTS];
        bool range = i >= REPORTS;
        if (range && (kind->flags & (REPORT_WHOLE | REPORT_AT_TOP) || !(kind->parts & LEDGER_TREE)))
            continue;
        pid_t pid = fork();
        if (pid == 0) report(f, kind, range);
        if (pid < 0 || waitpid(pid, &status, 0) != pid) return 1;
    }
    fake_tables_free(f);
    return status != 0;
}
