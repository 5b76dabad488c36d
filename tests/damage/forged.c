/* forged.c - writes a recording and two heap snapshots with right checksums, in which every text of
 * the program is what a terminal, a shell, a browser or a spreadsheet would obey.
 *
 *   forged DIRECTORY        forged.lmprec, forged-1.heap, forged-2.heap
 *
 * tests/term/forged.sh has every command read them. */
#include "graph_fixture.h"
#include "record_fixture.h"
#include "snapfile_fixture.h"

/* A title, a colour by a C1 control, a byte that is no UTF-8, a return, a bell, writing turned
 * round, and the end of a script, an element and a word of a shell. All of it, and pieces that
 * short fields have room for. */
#define ALL                                                                                        \
    "\x1b]0;forged\x07\xc2\x9b"                                                                    \
    "31m\x9b"                                                                                      \
    "32m\r\xe2\x80\xae\xff</script><forged a='\" forged=\"&`>forged>$(forged)`"
static const char *const piece[] = {ALL,
                                    "\x1b[31mf",
                                    "\xc2\x9b"
                                    "31mf",
                                    "\r\x07\x7f\xff",
                                    "\xe2\x80\xae"
                                    "f",
                                    "<forged>&\"'",
                                    "\" forged=\"f"};
enum { PIECES = sizeof piece / sizeof *piece };

/* The longest that fits, or in turn the short ones. */
static void forge(char *field, size_t size) {
    static unsigned turn;
    snprintf(field, size, "%s", size > sizeof ALL ? ALL : piece[1 + turn++ % (PIECES - 1)]);
}
#define FORGE(field) forge(field, sizeof(field))

static FakeSpot forged_spot(Recorded *s, unsigned n) {
    FakeTables *f = s->tables;
    char source[300], name[300];
    snprintf(source, sizeof source, "%s%s%u",
             n % 3 == 0   ? ""
             : n % 3 == 1 ? "@/a/"
                          : "=",
             piece[n % PIECES], n);
    snprintf(name, sizeof name, "function '%s'", piece[(n + 3) % PIECES]);
    uint32_t function =
        fake_function(f, n % 5 == 4 ? LMP_F_C : LMP_F_LUA, n % 5 == 4 ? "=[C]" : source, 3, name);
    snprintf(name, sizeof name, "m.%s", piece[(n + 1) % PIECES]);
    if (n % 2) fake_path(f, function, name);
    uint32_t site = fake_site(f, function, n % 5 == 4 ? -1 : 7, 0);
    return (FakeSpot){.site = site,
                      .node = fake_node(f, n ? s->spot[n / 2].node : 0, site, 0),
                      .cls = 1 + n % (LMP_C_COUNTED - 1),
                      .tag = fake_tag(f, piece[n % PIECES])};
}

static void fill(Recorded *s) {
    LmpLive *live = s->tables->live;
    FORGE(s->header.program);
    FORGE(s->header.lua);
    FORGE(s->header.lmp);
    live->tables.stacks = 1;
    for (unsigned n = 0; n < 24; n++) {
        s->spot[n] = forged_spot(s, n);
        fake_made(s->tables, s->spot[n], 1000, 4000000);
    }
    for (unsigned i = 0; i < LMP_BREAKS; i++) {
        s->control.break_row[i] = (LmpBreak){.kind = LMP_BREAK_AT, .on = 1, .line = 7};
        FORGE(s->control.break_row[i].file);
    }
    s->control.break_count = LMP_BREAKS;
    for (unsigned i = 0; i < 7; i++) {
        fake_mark(s->tables);
        FORGE(live->mark[i].name);
    }
    FORGE(live->snapshot.file);
    FORGE(live->snapshot.why_in_place);
    live->snapshot.taken = 1;
}

static void forged_lap(LmpLive *live, uint64_t clock) {
    LmpLapMoment moment = {.clock = clock, .allocs = clock, .alloc_bytes = clock};
    LmpLap lap;
    char name[sizeof lap.name];
    FORGE(name);
    laps_end(&live->laps, &moment, name, &lap);
}

static int create(const char *directory, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) abort();
    return fd;
}

static void put_recording(Recorded *s, int fd) {
    LmpRecorder *r;
    LmpRecorderOptions options = {.fd = fd, .again = "x;touch forged\n'" ALL};
    if (recorder_open(&r, &s->view, &options)) abort();
    for (unsigned n = 0; n < 8; n++) {
        uint64_t clock = record_clock - s->header.start_clock;
        LmpHistoryPoint point = {.max_bytes = s->tables->live->counters.live_bytes};
        fake_made(s->tables, s->spot[n], 10, 100000);
        s->tables->live->clock = clock;
        history_add(&s->tables->live->history, clock, &point);
        forged_lap(s->tables->live, clock + 1);
        if (recorder_output(r, clock, ALL "\n", sizeof ALL)) abort();
        if (recorder_frame(r, &s->view, record_clock)) abort();
        record_clock += SECOND;
    }
    if (recorder_output(r, 8 * SECOND, "lua: " ALL "\n", sizeof ALL + 5)) abort();
    if (recorder_close(r, &s->view, 1 + (1 << 8))) abort();
}

static uint32_t forged_function(Graph *h, unsigned n) {
    char source[300];
    snprintf(source, sizeof source, "%s%s",
             n % 3 == 0   ? ""
             : n % 3 == 1 ? "@/a/"
                          : "=",
             piece[n % PIECES]);
    return graph_function(h, graph_proto(h, source, 3, 9));
}

/* Each text that a heap has: strings, keys, names of classes, code, locals, upvalues. */
static void put_snapshot(const Recorded *s, unsigned number, int fd) {
    Graph *h = graph_new();
    uint32_t registry = graph_table(h, 2, 2, 2, 1), globals = graph_table(h, 0, 0, 32, 24);
    uint32_t loaded = graph_table(h, 0, 0, 4, 1), thread = graph_thread(h, 1);
    graph_edge(h, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_index(h, registry, 2, globals);
    graph_field(h, registry, "_LOADED", loaded);
    graph_field(h, loaded, ALL, globals);
    graph_edge(h, 0, thread, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    for (unsigned n = 0; n < 2 * PIECES; n++) {
        const char *text = piece[n % PIECES];
        char key[300];
        snprintf(key, sizeof key, "%s%u", text, n);
        uint32_t class = graph_table(h, 0, 0, 4, 2), object = graph_table(h, 0, 0, 64, 40);
        uint32_t function = forged_function(h, n), made = graph_object(h, LMP_OBJECT_USERDATA, 64);
        graph_field(h, globals, key, object);
        graph_field(h, class, "__name", graph_string(h, text));
        graph_edge(h, object, class, LMP_EDGE_METATABLE, 0);
        graph_edge(h, made, class, LMP_EDGE_METATABLE, 0);
        graph_field(h, object, text, graph_string(h, text));
        graph_field(h, object, "f", function);
        graph_upvalue(h, function, text, made);
        graph_local(h, graph_frame(h, function, 5), text, 1, object);
        for (unsigned i = 0; i < 40 * number; i++)
            graph_index(h, object, i + 1, graph_table(h, 0, 0, 64, 40));
    }
    for (uint32_t i = 1; i < h->objects; i++)
        h->object[i].context = i % tables_records(&s->view.tables);
    LmpObjectInfo info = {.pid = 4711,
                          .serial = 1,
                          .number = number,
                          .realtime = number * SECOND,
                          .clock = number * SECOND};
    FORGE(info.program);
    FORGE(info.lua);
    FORGE(info.lmp);
    FORGE(info.why_in_place);
    LmpSnapState state = {&s->header, s->tables->live, &s->tables->t};
    FileBytes file = {0};
    if (file_write(&file, &info, graph_done(h), &state)) abort();
    if (write(fd, file.bytes, file.n) != (ssize_t)file.n) abort();
    free(file.bytes);
    graph_free(h);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    Recorded *s = recorded_new();
    fill(s);
    put_recording(s, create(argv[1], "forged.lmprec"));
    put_snapshot(s, 1, create(argv[1], "forged-1.heap"));
    put_snapshot(s, 2, create(argv[1], "forged-2.heap"));
    recorded_free(s);
    return 0;
}
