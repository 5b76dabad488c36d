/* snapshot.c - what it costs to write a heap snapshot, to open it and to know who dominates whom:
 * builds heaps of so many objects and times each step. Prints a line each: CPU time, for other
 * programs may be at work, and of it the system's, which is nearly all for making empty pages: in a
 * virtual machine that has not touched its memory yet that may be most of the time.
 *
 *     bench_snapshot [OBJECTS [SHAPE]]     5 million objects, all shapes, when not told
 *     bench_snapshot FILE                  the same of a snapshot that there is
 *
 * Shapes: records (an array of tables, each with a string, a table, a closure and its upvalue),
 * list (doubly linked, a table in each link), random (each table refers to four others). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "read/snapshot/compare.h"
#include "read/snapshot/snapshot_impl.h"
#include "read/snapshot/why.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu(void) {
    return (double)spent() * 1e-9;
}

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static struct rusage before;

static void begin(void) {
    getrusage(RUSAGE_SELF, &before);
}

static void end(const char *what) {
    struct rusage after;
    getrusage(RUSAGE_SELF, &after);
    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    double system = seconds(after.ru_stime) - seconds(before.ru_stime);
    printf("    %-28s %6.2f s, of it %.2f s in the system\n", what, user + system, system);
}

static void must(bool good) {
    if (good) return;
    fprintf(stderr, "no memory, or no disk\n");
    exit(1);
}

/* ---- heaps ----------------------------------------------------------------------------------- */

/* A graph whose objects are made in their order, each with its references. */
typedef struct Heap {
    LmpObjectGraph g;
    uint64_t addr;
} Heap;

static void *column(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    must(p != NULL);
    return p;
}

static void heap_room(Heap *h, uint32_t objects, uint32_t edges) {
    LmpObjectGraph most = {.objects = objects, .edges = edges, .text_bytes = objects * 16ull};
    for (int kind = 0; kind < LMP_OBJECT_KINDS; kind++)
        most.count[kind] = objects;
    memset(h, 0, sizeof *h);
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++)
        *(void **)((char *)&h->g + objectgraph_columns[i].at) = column(
            (size_t)objectgraph_rows(&most, &objectgraph_columns[i]), objectgraph_columns[i].width);
    h->addr = 0x5581a0000000ull;
}

static void heap_free(Heap *h) {
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++)
        free(*(void **)((char *)&h->g + objectgraph_columns[i].at));
}

static uint32_t object(Heap *h, uint32_t kind, uint64_t size) {
    LmpObjectGraph *g = &h->g;
    uint32_t i = g->objects++;
    g->kind[i] = (uint8_t)kind;
    g->count[kind]++;
    g->size[i] = size;
    g->addr[i] = i ? h->addr : 0;
    h->addr += ((size + 8 + 15) & ~15ull) + (below(8) ? 0 : 16 * below(40));
    g->context[i] = (uint32_t)(1 + kind * 3 + below(2));
    g->birth[i] = (uint32_t)((1 + i / 40000) << LMP_BLOCK_CYCLE_SHIFT |
                             (1 + i / 25000) << LMP_BLOCK_BIRTH_SHIFT | kind);
    g->edge_at[i] = g->edge_at[i + 1] = g->edges;
    return i;
}

/* From the object made last. */
static void edge(Heap *h, uint32_t to, unsigned kind, uint32_t label) {
    LmpObjectGraph *g = &h->g;
    g->edge_to[g->edges] = to;
    g->edge_label[g->edges] = label;
    g->edge_kind[g->edges++] = (uint8_t)kind;
    g->edge_at[g->objects] = g->edges;
}

static uint32_t string(Heap *h, const char *text) {
    LmpObjectGraph *g = &h->g;
    size_t n = strlen(text);
    uint32_t i = object(h, LMP_OBJECT_STRING, 25 + n), row = g->count[LMP_OBJECT_STRING] - 1;
    g->string_length[row] = n;
    g->string_shown[row] = (uint32_t)n;
    g->string_hash[row] = below(UINT64_MAX);
    memcpy(g->text + g->text_bytes, text, n);
    g->text_bytes += n;
    return i;
}

static void field(Heap *h, uint32_t key, uint32_t to) {
    edge(h, to, LMP_EDGE_FIELD, key);
    edge(h, key, LMP_EDGE_KEY, 0);
}

/* The address of what comes last is highest: so the array and what it refers to are told first. */
static void records(Heap *h, uint32_t objects) {
    uint32_t n = objects / 5;
    heap_room(h, n * 5 + 16, n * 11 + 64);
    object(h, LMP_OBJECT_ROOT, 0);
    edge(h, 1, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    object(h, LMP_OBJECT_TABLE, 56 + 16ull * n);
    for (uint32_t i = 0; i < n; i++)
        edge(h, 8 + 5 * i, LMP_EDGE_INDEX, i + 1);
    uint32_t name = string(h, "name"), sub = string(h, "sub"), get = string(h, "get");
    uint32_t self = string(h, "self"), source = string(h, "@app/records.lua");
    object(h, LMP_OBJECT_PROTO, 300);
    edge(h, source, LMP_EDGE_DEBUG, 0);
    h->g.proto_line[0] = 7, h->g.proto_last[0] = 9, h->g.proto_code[0] = 12;
    h->g.proto_source[0] = source;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = object(h, LMP_OBJECT_TABLE, 56 + 4 * 24);
        h->g.table_hash[h->g.count[LMP_OBJECT_TABLE] - 1] = 4;
        h->g.table_hash_used[h->g.count[LMP_OBJECT_TABLE] - 1] = 3;
        field(h, name, at + 1);
        field(h, sub, at + 2);
        field(h, get, at + 3);
        char text[24];
        snprintf(text, sizeof text, "record %u", i);
        string(h, text);
        object(h, LMP_OBJECT_TABLE, 56);
        object(h, LMP_OBJECT_LUA_FUNCTION, 40);
        edge(h, 7, LMP_EDGE_PROTO, 0);
        edge(h, at + 4, LMP_EDGE_UPVALUE, self);
        object(h, LMP_OBJECT_UPVALUE, 40);
        edge(h, at, LMP_EDGE_VALUE, 0);
    }
}

static void list(Heap *h, uint32_t objects) {
    uint32_t n = objects / 2;
    heap_room(h, n * 2 + 16, n * 6 + 16);
    object(h, LMP_OBJECT_ROOT, 0);
    edge(h, 4, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    uint32_t next = string(h, "next"), back = string(h, "back"), value = string(h, "value");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = object(h, LMP_OBJECT_TABLE, 56 + 4 * 24);
        if (i + 1 < n) field(h, next, at + 2);
        if (i > 0) field(h, back, at - 2);
        field(h, value, at + 1);
        object(h, LMP_OBJECT_TABLE, 56);
    }
}

static void random_tables(Heap *h, uint32_t objects) {
    heap_room(h, objects + 16, objects * 4 + 16);
    object(h, LMP_OBJECT_ROOT, 0);
    edge(h, 1, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    for (uint32_t i = 1; i < objects; i++) {
        object(h, LMP_OBJECT_TABLE, 56 + 64);
        for (uint32_t k = 1; k <= 4; k++)
            edge(h, 1 + (uint32_t)below(objects - 1), LMP_EDGE_INDEX, k);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool to_file(LmpSnapSink *sink, const void *bytes, size_t n) {
    return fwrite(bytes, 1, n, sink->of) == n;
}

static void write_file(const Heap *h, const LmpObjectInfo *info, const char *path) {
    FILE *file = fopen(path, "w");
    void *scratch = malloc(snapfile_scratch());
    must(file && scratch);
    LmpSnapSink sink = {to_file, file};
    begin();
    must(snapfile_write(&sink, info, &h->g, NULL, scratch) == LMP_OK && fflush(file) == 0);
    end("written");
    printf("    %-28s %6.1f bytes\n", "of the file an object",
           (double)ftell(file) / (double)h->g.objects);
    free(scratch);
    fclose(file);
}

/* A step once more, on a snapshot that has all that comes before it. */
static void step(LmpSnapshot *s, const char *what, bool (*make)(LmpSnapshot *s)) {
    begin();
    must(make(s));
    end(what);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Who holds it, asked of objects at random, for as many paths as the display shows. */
static void measure_why(const LmpSnapshot *s) {
    enum { ASKED = 400, PATHS = 8 };
    static double took[ASKED];
    for (int asked = 0; asked < ASKED;) {
        LmpWhyPaths why;
        uint32_t i = (uint32_t)below(s->g.objects);
        if (i == 0 || snapshot_garbage(s, i)) continue;
        double begun = cpu();
        must(why_make(&why, s, i, PATHS, NULL, 0) == LMP_OK);
        took[asked++] = cpu() - begun;
        why_free(&why);
    }
    qsort(took, ASKED, sizeof *took, by_size);
    printf("    %-28s %6.2f ms\n", "why, median of 400 objects", took[ASKED / 2] * 1e3);
    printf("    %-28s %6.2f ms\n", "why, the slowest", took[ASKED - 1] * 1e3);
}

static void measure_file(const char *path) {
    LmpSnapshot s;
    for (int round = 0; round < 2; round++) {
        double wall = now();
        begin();
        must(snapshot_open(&s, path) == LMP_OK);
        end(round ? "the same once more" : "opened, all of it computed");
        printf("    %-28s %6.2f s\n", "... by the clock on the wall", now() - wall);
        if (round == 0) snapshot_close(&s);
    }
    step(&s, "reachability and paths", reach_make);
    step(&s, "dominators, retained sizes", dominators_make);
    step(&s, "references to each object", references_make_incoming);
    step(&s, "classes", classes_make);
    LmpObjectGroups groups;
    begin();
    must(groups_make(&groups, &s, LMP_BY_CLASS, false) == LMP_OK);
    end("groups by class");
    groups_free(&groups);
    LmpSnapshotCompare compare;
    begin();
    must(compare_make(&compare, &s, &s, LMP_BY_CLASS) == LMP_OK);
    end("compared with itself");
    compare_free(&compare);
    measure_why(&s);
    snapshot_close(&s);
}

static void measure(const char *name, void (*make)(Heap *h, uint32_t objects), uint32_t objects) {
    const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1};
    char path[] = "/tmp/bench_snapshot.XXXXXX";
    Heap h;
    make(&h, objects);
    printf("%s: %u objects, %u references\n", name, h.g.objects, h.g.edges);
    int fd = mkstemp(path);
    must(fd >= 0);
    close(fd);
    write_file(&h, &info, path);
    heap_free(&h);
    measure_file(path);
    unlink(path);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(Heap *h, uint32_t objects);
    } shape[] = {{"records", records}, {"list", list}, {"random", random_tables}};
    if (argc > 1 && access(argv[1], R_OK) == 0) {
        measure_file(argv[1]);
        return 0;
    }
    uint32_t objects = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 5000000;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        if (argc < 3 || strcmp(argv[2], shape[i].name) == 0)
            measure(shape[i].name, shape[i].make, objects);
    return 0;
}
