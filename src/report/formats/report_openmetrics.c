/* report_openmetrics.c - the figures as OpenMetrics text (openmetrics.io), for Prometheus and what
 * reads the same: `lmp serve` answers with them, and a recording's are for a collector of text
 * files. The metrics are one table, one row each; of the types there are only those that the older
 * text format of Prometheus has, too, so its readers take it as well. A counter only ever rises, so
 * what resizing took away is a gauge: live bytes are those allocated, plus resized, less freed. */
#include <string.h>

#include "base/format.h"
#include "base/kind.h"
#include "report/formats/formats_impl.h"
#include "report/text.h"

enum { LINES = 10 }; /* of the program that have samples of their own, those that hold most */

typedef struct Metric Metric;
struct Metric {
    const char *name, *type, *unit, *help; /* unit "": none */
    void (*put)(const Metric *metric, const LmpReport *report, FILE *out);
    size_t at; /* of a count in LmpStats, LmpKindStats or LmpTally */
};

/* ---- a sample -------------------------------------------------------------------------------- */

static void put_name(const Metric *m, FILE *out) {
    fprintf(out, "lmp_%s%s", m->name, strcmp(m->type, "counter") == 0 ? "_total" : "");
}

/* Writes `before`, which opens the labels or separates them, and a label. Its text may be any
 * bytes. */
static void put_label(FILE *out, const char *before, const char *name, const char *text) {
    char safe[1024];
    fprintf(out, "%s%s=\"", before, name);
    for (const char *c = format_text(safe, sizeof safe, text, 0); *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

static void put_count(FILE *out, const void *of, size_t at) {
    uint64_t n;
    memcpy(&n, (const char *)of + at, sizeof n);
    fputc(' ', out);
    text_digits(out, n);
    fputc('\n', out);
}

static void put_number(FILE *out, double n) {
    fputc(' ', out);
    text_number(out, n);
    fputc('\n', out);
}

/* ---- the samples of a metric ----------------------------------------------------------------- */

static void put_program(const Metric *m, const LmpReport *r, FILE *out) {
    char pid[LMP_NUM];
    snprintf(pid, sizeof pid, "%u", r->pid);
    put_name(m, out);
    put_label(out, "{", "program", r->program);
    put_label(out, ",", "lua", r->lua);
    put_label(out, ",", "pid", pid);
    put_label(out, ",", "lmp", LMP_VERSION);
    fputs("} 1\n", out);
}

static void put_running(const Metric *m, const LmpReport *r, FILE *out) {
    put_name(m, out);
    fprintf(out, " %d\n", r->ledger.when == LEDGER_NOW);
}

static void put_run_seconds(const Metric *m, const LmpReport *r, FILE *out) {
    put_name(m, out);
    put_number(out, r->stats.seconds);
}

static void put_whole(const Metric *m, const LmpReport *r, FILE *out) {
    put_name(m, out);
    put_count(out, &r->stats, m->at);
}

static void put_resized(const Metric *m, const LmpReport *r, FILE *out) {
    put_name(m, out);
    fprintf(out, " %lld\n", (long long)r->stats.realloc_bytes);
}

static void put_rate(const Metric *m, const LmpReport *r, FILE *out) {
    if (r->rate_seconds <= 0) return;
    put_name(m, out);
    put_number(out, (double)r->rate_bytes / r->rate_seconds);
}

static void put_types(const Metric *m, const LmpReport *r, FILE *out) {
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        put_name(m, out);
        put_label(out, "{", "type", kind_info[k].name);
        fputc('}', out);
        put_count(out, &r->stats.kind[k], m->at);
    }
}

static void put_verdict(const Metric *m, const LmpReport *r, FILE *out) {
    for (unsigned i = 0; i < LMP_GROWTHS; i++) {
        put_name(m, out);
        put_label(out, "{", "verdict", growth_words[i]);
        fprintf(out, "} %d\n", r->judgement.growth == i);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *source_of(const LmpSiteRow *s) {
    return s->source[0] == '@' ? s->source + 1 : s->short_src;
}

/* Chunks from strings may look alike. Their labels would be the same, which is no OpenMetrics. */
static bool alike(const LmpSiteRow *a, const LmpSiteRow *b) {
    return a->line == b->line && strcmp(source_of(a), source_of(b)) == 0 &&
           strcmp(a->func, b->func) == 0;
}

static void put_line(const Metric *m, const LmpSiteRow *s, const LmpTally *tally, FILE *out) {
    char line[LMP_NUM] = "";
    if (s->line >= 0) snprintf(line, sizeof line, "%d", s->line);
    put_name(m, out);
    put_label(out, "{", "source", source_of(s));
    put_label(out, ",", "line", line);
    put_label(out, ",", "function", s->func);
    fputc('}', out);
    put_count(out, tally, m->at);
}

static void put_lines(const Metric *m, const LmpReport *r, FILE *out) {
    const LmpSiteRow *site = r->ledger.site;
    uint32_t n = r->ledger.sites < LINES ? r->ledger.sites : LINES;
    for (uint32_t i = 0; i < n; i++) {
        LmpTally sum = {0};
        uint32_t first = 0;
        while (!alike(&site[first], &site[i]))
            first++;
        for (uint32_t k = i; first == i && k < n; k++)
            if (alike(&site[k], &site[i])) tally_add(&sum, &site[k].tally);
        if (first == i) put_line(m, &site[i], &sum, out);
    }
}

static void put_growing(const Metric *m, const LmpReport *r, FILE *out) {
    put_name(m, out);
    fprintf(out, " %u\n", r->judgement.steady);
}

/* ---- all ------------------------------------------------------------------------------------- */

#define WHOLE(field) put_whole, offsetof(LmpStats, field)
#define TYPES(field) put_types, offsetof(LmpKindStats, field)
#define OF_LINES(field) put_lines, offsetof(LmpTally, field)

static const Metric metrics[] = {
    {"program_info", "gauge", "", "The program that is profiled.", put_program, 0},
    {"running", "gauge", "", "1 while the program runs.", put_running, 0},
    {"run_seconds", "gauge", "seconds", "Time since the profile began.", put_run_seconds, 0},
    {"live_bytes", "gauge", "bytes", "What is allocated now.", WHOLE(live_bytes)},
    {"live_blocks", "gauge", "", "Blocks that are allocated now.", WHOLE(live_blocks)},
    {"peak_bytes", "gauge", "bytes", "The most that lmp_live_bytes ever was.", WHOLE(peak_bytes)},
    {"allocated_bytes", "counter", "bytes", "Bytes of blocks as they were allocated.",
     WHOLE(malloc_bytes)},
    {"allocations", "counter", "", "Blocks allocated.", WHOLE(mallocs)},
    {"freed_bytes", "counter", "bytes", "Bytes of blocks as they were freed.", WHOLE(free_bytes)},
    {"frees", "counter", "", "Blocks freed.", WHOLE(frees)},
    {"resized_bytes", "gauge", "bytes",
     "What changes of size have added, less what they took away.", put_resized, 0},
    {"resizes", "counter", "", "Changes of a block's size.", WHOLE(reallocs)},
    {"failed_allocations", "counter", "", "Requests that the program's allocator refused.",
     WHOLE(failed)},
    {"allocation_rate_bytes_per_second", "gauge", "bytes_per_second",
     "Bytes that were made a second, in the last seconds before this answer.", put_rate, 0},
    {"collections", "counter", "", "Garbage collections that have ended.", WHOLE(gc_cycles)},
    {"collected_bytes", "counter", "bytes", "Bytes that garbage collections freed.",
     WHOLE(gc_freed_bytes)},
    {"sample_bytes", "gauge", "bytes",
     "Bytes between samples, where figures by line are estimates; 0 where all are exact.",
     WHOLE(sample)},
    {"type_live_bytes", "gauge", "bytes", "What is allocated now, by type.", TYPES(live_bytes)},
    {"type_live_blocks", "gauge", "", "Blocks that are allocated now, by type.",
     TYPES(live_blocks)},
    {"type_allocations", "counter", "", "Blocks allocated, by type.", TYPES(allocs)},
    {"line_live_bytes", "gauge", "bytes", "What the lines hold that hold most.",
     OF_LINES(live_bytes)},
    {"line_live_blocks", "gauge", "", "Blocks that these lines hold.", OF_LINES(live_blocks)},
    {"line_allocated_bytes", "counter", "bytes", "Bytes of blocks that these lines allocated.",
     OF_LINES(bytes)},
    {"line_allocations", "counter", "", "Blocks that these lines allocated.", OF_LINES(allocs)},
    {"growth", "gauge", "",
     "1 for the verdict whether lines hold more and more; wait: it cannot be told yet.",
     put_verdict, 0},
    {"growing_lines", "gauge", "", "How many lines do.", put_growing, 0},
};

LmpErr report_openmetrics(const LmpReport *report, FILE *out) {
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const Metric *m = &metrics[i];
        fprintf(out, "# TYPE lmp_%s %s\n", m->name, m->type);
        if (*m->unit) fprintf(out, "# UNIT lmp_%s %s\n", m->name, m->unit);
        fprintf(out, "# HELP lmp_%s %s\n", m->name, m->help);
        m->put(m, report, out);
    }
    fputs("# EOF\n", out);
    return LMP_OK;
}
