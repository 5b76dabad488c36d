/* reports.c - what reports cost: of a run with a million call paths, each format's time and the
 * most memory of its process, the run's state in it included. Prints Markdown.
 *
 *     reports [NODES]
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "large_run.h"
#include "report/formats/formats.h"

enum { DEFAULT_NODES = 1000000 };

static LmpHeader header;

/* Any tree: each call hangs below any one before it. */
static uint32_t parent_of(uint32_t node) {
    return 2 + (uint32_t)below(node - 2);
}

static uint64_t most_at(uint32_t site) {
    (void)site;
    return 100000;
}

static FakeTables *run_of(uint32_t nodes) {
    FakeTables *f = large_run(&(const LargeRun){parent_of, most_at}, nodes);
    f->live->clock = 3600000000000ull;
    f->live->history.interval = 3600000000ull;
    f->live->history.used = 1000;
    for (uint32_t i = 0; i < 1000; i++)
        f->live->history.samples[i].max_bytes = i * 50000ull;
    snprintf(header.program, sizeof header.program, "app.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    return f;
}

static double now(void) {
    return (double)spent() / 1e9;
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
                      f->live->clock, "finished", LEDGER_END);
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
