/* format_readers.h - for suites of the formats: random states, and readers that read a report back
 * and compare its sums with the ledger's. */
#ifndef LMP_FORMAT_READERS_H
#define LMP_FORMAT_READERS_H

#include <ctype.h>
#include <zlib.h>

#include "report/formats/value.h"
#include "report_fixture.h"

/* ---- a state made by chance ------------------------------------------------------------------ */

enum { FUNCTIONS = 12, NODES = 300 };

static const char *const names[FUNCTIONS] = {
    "main chunk",        "function 'a;b'",  "local 'f 12'",   "method '(3) odd '",
    "upvalue 'x\"y'",    "function <x:9>",  "local 'walk'",   "field 'é'",
    "function 'insert'", "function 'gsub'", "global 'spawn'", "for iterator 'z'"};

static uint32_t node_of[NODES], site_of[NODES], nodes; /* of the state made up last */

static struct {
    FakeSpot at;
    uint64_t count, bytes;
} left[4000]; /* what was not freed */
static uint32_t lefts;

/* Frees some of what is left from before, unless it is `kept`: nothing shrinks then. */
static void work(FakeTables *f, bool stacks, bool kept) {
    for (; !kept && lefts > 0 && suite_below(500); lefts--)
        fake_freed(f, left[lefts - 1].at, left[lefts - 1].at, left[lefts - 1].count,
                   left[lefts - 1].bytes, 0);
    for (int i = 0; i < 2000; i++) {
        uint32_t n = nodes > 1 ? 1 + (uint32_t)suite_below(nodes - 1) : 0;
        if (n == 0) break;
        FakeSpot at = {site_of[n], stacks ? node_of[n] : 0, n % 2 ? LMP_C_TABLE : LMP_C_STRING,
                       n % 5 ? 0 : fake_tag(f, "request")};
        FakeSpot by = {site_of[n], 0, at.cls, 0};
        uint64_t count = 1 + suite_below(5), bytes = count * (1 + suite_below(1000));
        fake_made(f, at, count, bytes);
        if (suite_below(3) == 0) fake_resized(f, at, by, 1, (int64_t)suite_below(500));
        if (suite_below(2)) {
            fake_freed(f, at, by, count, bytes, suite_below(2) ? count : 0);
        } else {
            left[lefts].at = at;
            left[lefts].count = count;
            left[lefts++].bytes = bytes;
        }
    }
}

/* Any tree of calls, with recursion, and what was made in it; sampled or not, with paths or not. */
static FakeTables *made_up(bool stacks) {
    FakeTables *f = fake_tables_new(&live);
    uint32_t row[FUNCTIONS];
    nodes = 1;
    lefts = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        bool c = i >= 8 && i < 10;
        row[i] = fake_function(f,
                               c        ? LMP_F_C
                               : i == 0 ? LMP_F_MAIN
                                        : LMP_F_LUA,
                               c            ? "=[C]"
                               : i % 3 == 1 ? "x = 1 -- code"
                                            : "@a/b,c.lua",
                               c ? -1 : i * 10, names[i]);
    }
    node_of[0] = 0;
    site_of[0] = 0;
    for (uint64_t want = 1 + suite_below(NODES - 1); nodes < want; nodes++) {
        uint32_t fn = (uint32_t)suite_below(FUNCTIONS);
        bool c = fn >= 8 && fn < 10;
        site_of[nodes] = fake_site(f, row[fn], c ? -1 : (int)(fn * 10 + 1 + suite_below(3)), 0);
        node_of[nodes] = fake_node(f, node_of[suite_below(nodes)], site_of[nodes], 0);
    }
    f->live->tables.stacks = stacks;
    if (!stacks) f->live->tables.nodes = 2;
    work(f, stacks, true);
    snprintf(header.program, sizeof header.program, "made up.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    header.pid = 4711;
    live.clock = 5000000000;
    live.history.interval = 1000000000;
    live.history.used = 3;
    for (int i = 0; i < 3; i++)
        live.history.samples[i].max_bytes = 100 * (uint64_t)i;
    return f;
}

static void fill_for(LmpReport *r, FakeTables *f, int kind) {
    report_fill_with(r, &header, &live, &f->t, report_kinds[kind].parts, live.clock, "finished",
                     LEDGER_END);
}

static char *text_of(int kind, const LmpReport *r) {
    ck_assert_ptr_null(report_lacks(&report_kinds[kind], r));
    return written(report_kinds[kind].write, r);
}

/* ---- reading back ---------------------------------------------------------------------------- */

/* Each line is a stack, a blank and a count, and no stack ends in a blank and digits. */
static void read_folded(const LmpReport *r, const char *text) {
    uint64_t sum = 0;
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        const char *end = strchr(p, '\n'), *digits = end;
        if (p == text && r->ledger.sample && *p == '#') continue;
        while (isdigit((unsigned char)digits[-1]))
            digits--;
        ck_assert_msg(digits < end && digits > p && digits[-1] == ' ', "%.*s", (int)(end - p), p);
        ck_assert(!isdigit((unsigned char)digits[-2]));
        sum += strtoull(digits, NULL, 10);
    }
    ck_assert_uint_eq(sum, value_of(&r->ledger.all, value_chosen(r)));
}

enum { IDS = 4096 };

/* Self costs add up to the summary, which is the ledger's; ids are defined before they are used,
 * and once; every cost line has all columns; calls are followed by one. */
static void read_callgrind(const LmpReport *r, const char *text) {
    static bool known[2][IDS];
    uint64_t sum[VALUES] = {0}, said[VALUES] = {0};
    bool body = false, call = false;
    memset(known, 0, sizeof known);
    ck_assert_int_eq(strncmp(text, "# callgrind format\n", 19), 0);
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        const char *end = strchr(p, '\n'), *id = memchr(p, '(', (size_t)(end - p));
        ck_assert_msg(end == p || end[-1] != ' ', "blank at the end: %.*s", (int)(end - p), p);
        if (strncmp(p, "summary: ", 9) == 0) {
            char *at = (char *)p + 9;
            for (int v = 0; v < VALUES; v++)
                said[v] = strtoull(at, &at, 10);
            ck_assert_ptr_eq(at, end);
            body = true;
        } else if (body && isdigit((unsigned char)*p)) {
            char *at;
            strtoull(p, &at, 10);
            for (int v = 0; v < VALUES; v++) {
                uint64_t n = strtoull(at, &at, 10);
                if (!call) sum[v] += n;
                if (call) ck_assert_uint_le(n, said[v]);
            }
            ck_assert_ptr_eq(at, end);
            call = false;
        } else if (body && strncmp(p, "calls=", 6) == 0) {
            ck_assert_uint_ge(strtoull(p + 6, NULL, 10), 1);
            call = true;
        } else if (body && end > p) {
            ck_assert_ptr_nonnull(id);
            int space = strncmp(p, "fn=", 3) == 0 || strncmp(p, "cfn=", 4) == 0;
            uint64_t n = strtoull(id + 1, NULL, 10);
            ck_assert_uint_lt(n, IDS);
            bool defines = strchr(id, ')') + 1 < end;
            ck_assert_msg(defines != known[space][n], "%.*s", (int)(end - p), p);
            known[space][n] = true;
        }
    }
    for (int v = 0; v < VALUES; v++) {
        ck_assert_uint_eq(sum[v], said[v]);
        ck_assert_uint_eq(sum[v], value_of(&r->ledger.all, (ReportValue)v));
    }
}

static uint64_t varint(const unsigned char **at) {
    uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = *(*at)++;
        n |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return n;
    }
}

typedef struct Pprof {
    uint64_t sum[VALUES], functions[IDS], locations[IDS], types, texts, mapping;
} Pprof;

static void read_sample(const unsigned char *at, const unsigned char *end, Pprof *p) {
    while (at < end) {
        uint64_t key = varint(&at), n = varint(&at);
        ck_assert_uint_eq(key & 7, 2);
        const unsigned char *part = at + n;
        uint64_t values = 0;
        for (; at < part && key >> 3 != 3; values++) {
            uint64_t word = varint(&at);
            if (key >> 3 == 1) ck_assert(word > 0 && word < IDS && p->locations[word]);
            if (key >> 3 == 2) p->sum[values] += word;
        }
        if (key >> 3 == 2) ck_assert_uint_eq(values, VALUES);
        if (key >> 3 == 1) ck_assert_uint_gt(values, 0);
        at = part;
    }
}

/* The number of a field of a message, 0: none. */
static uint64_t number_in(const unsigned char *at, const unsigned char *end, unsigned field) {
    uint64_t found = 0;
    while (at < end) {
        uint64_t key = varint(&at), n = varint(&at);
        if ((key & 7) == 0 && key >> 3 == field) found = n;
        if ((key & 7) == 2) at += n;
    }
    return found;
}

static void read_pprof(const LmpReport *r, const char *text, size_t size) {
    static const ReportValue order[] = {VALUE_ALLOCATIONS, VALUE_ALLOCATED_BYTES, VALUE_LIVE_BLOCKS,
                                        VALUE_LIVE_BYTES,  VALUE_PEAK_BYTES,      VALUE_TEMPORARY};
    static Pprof p;
    static unsigned char plain[4 << 20];
    z_stream z = {.next_in = (unsigned char *)text,
                  .avail_in = (unsigned)size,
                  .next_out = plain,
                  .avail_out = sizeof plain};
    memset(&p, 0, sizeof p);
    ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    const unsigned char *end = z.next_out;
    inflateEnd(&z);
    for (int pass = 0; pass < 2; pass++) /* ids first: fields are in any order */
        for (const unsigned char *at = plain; at < end;) {
            uint64_t key = varint(&at), n = varint(&at);
            if ((key & 7) == 0) continue;
            const unsigned char *part = at + n;
            uint64_t id = key >> 3 == 4 || key >> 3 == 5 ? number_in(at, part, 1) : 0;
            if (pass == 0 && key >> 3 == 4) ck_assert_uint_eq(p.locations[id]++, 0);
            if (pass == 0 && key >> 3 == 5) ck_assert_uint_eq(p.functions[id]++, 0);
            if (pass == 0 && key >> 3 == 6 && p.texts++ == 0) ck_assert_uint_eq(n, 0);
            if (pass == 1 && key >> 3 == 2) read_sample(at, part, &p);
            at = part;
        }
    for (int v = 0; v < VALUES; v++)
        ck_assert_uint_eq(p.sum[v], value_of(&r->ledger.all, order[v]));
}

/* Weights add up to the end of each profile, and that is the ledger's. */
static void read_speedscope(const LmpReport *r, const char *text) {
    static const char head[] =
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
        "\"shared\":{\"frames\":[{\"name\":";
    const char *at = text;
    ck_assert_int_eq(strncmp(text, head, sizeof head - 1), 0);
    for (int v = 0; v < VALUES; v++) {
        uint64_t sum = 0, stacks = 0, weights = 0;
        at = strstr(at, "\"samples\":[") + 11;
        for (; strncmp(at, "],\"weights\":[", 13) != 0; at++)
            stacks += *at == '[';
        for (at += 13; *at != ']'; at += *at == ',', weights++)
            sum += strtoull(at, (char **)&at, 10);
        ck_assert_uint_eq(stacks, weights);
        ck_assert_int_eq(strncmp(at, "],\"endValue\":", 13), 0);
        ck_assert_uint_eq(strtoull(at + 13, NULL, 10), sum);
        ck_assert_uint_eq(sum, value_of(&r->ledger.all, (ReportValue)v));
    }
}

/* Each line has as many below it as it says, and they add up to it, or are its callers. */
static const char *read_massif_line(const char *p, int depth, uint64_t *bytes) {
    int blanks = (int)strspn(p, " ");
    char *at;
    ck_assert_int_eq(blanks, depth);
    ck_assert_int_eq(p[blanks], 'n');
    uint64_t children = strtoull(p + blanks + 1, &at, 10), sum = 0;
    ck_assert_int_eq(*at, ':');
    *bytes = strtoull(at + 1, NULL, 10);
    p = strchr(p, '\n') + 1;
    for (uint64_t i = 0; i < children; i++) {
        uint64_t below;
        p = read_massif_line(p, depth + 1, &below);
        sum += below;
    }
    ck_assert_uint_le(sum, *bytes);
    if (depth == 0) ck_assert_uint_eq(sum, *bytes);
    return p;
}

static void read_massif(const LmpReport *r, const char *text) {
    unsigned long long time = 0, last = 0, held = 0, before = 0, n = 0;
    for (const char *p = text; (p = strstr(p, "\ntime=")); p++, n++) {
        last = time;
        before = held;
        ck_assert_int_eq(sscanf(p, "\ntime=%llu\nmem_heap_B=%llu", &time, &held), 2);
    }
    ck_assert(n < 2 || time != last || held != before); /* the last snapshot is there once */
    const char *tree = strstr(text, "heap_tree=peak\n");
    uint64_t bytes;
    if (value_of(&r->ledger.all, VALUE_PEAK_BYTES) == 0) return;
    ck_assert_ptr_nonnull(tree);
    const char *end = read_massif_line(tree + 15, 0, &bytes);
    ck_assert(*end == '#' || *end == 0);
    ck_assert_uint_eq(bytes, value_of(&r->ledger.all, VALUE_PEAK_BYTES));
    ck_assert_uint_eq(bytes, r->stats.peak_bytes);
}

/* "1,204 B" at the end of `column`; what stands before it goes with it. */
static uint64_t grouped(const char *text) {
    uint64_t n = 0;
    for (; isdigit((unsigned char)*text) || *text == ','; text++)
        if (*text != ',') n = n * 10 + (uint64_t)(*text - '0');
    return n;
}

static const char *word(const char *line, int which) {
    for (const char *p = line + strspn(line, " ");; p += strspn(p, " ")) {
        if (which-- == 0) return p;
        p += strcspn(p, " ");
    }
}

/* The column "self" adds up; what a function retains is never more than all. */
static void read_flat(const LmpReport *r, const char *text) {
    ReportValue v = value_chosen(r);
    bool bytes = report_values[v].unit == REPORT_BYTES;
    uint64_t sum = 0, all = value_of(&r->ledger.all, (ReportValue)v);
    const char *p = strchr(strstr(text, "  function\n"), '\n') + 1;
    for (; *p; p = strchr(p, '\n') + 1) {
        sum += grouped(word(p, 1));
        if (r->ledger.stacks) ck_assert_uint_le(grouped(word(p, bytes ? 4 : 3)), all);
    }
    ck_assert_uint_eq(sum, all);
}

static void read_callgraph(const LmpReport *r, const char *text) {
    ReportValue v = value_chosen(r);
    bool bytes = report_values[v].unit == REPORT_BYTES;
    uint64_t sum = 0, all = value_of(&r->ledger.all, (ReportValue)v);
    for (const char *p = strstr(text, "\n--\n") + 1; *p; p = strchr(p, '\n') + 1) {
        if (*p == '[') sum += grouped(word(p, 2));
        if (*p == '[') ck_assert_uint_le(grouped(word(p, bytes ? 4 : 3)), all);
        if (*p == ' ') ck_assert_uint_le(grouped(word(p, 1)), all);
    }
    ck_assert_uint_eq(sum, all);
}

/* The top line is all. */
static void read_tree(const LmpReport *r, const char *text) {
    const char *p = strstr(text, "\n 100.0 ");
    uint64_t all = value_of(&r->ledger.all, value_chosen(r));
    if (all == 0) return;
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(grouped(word(p + 1, 1)), all);
}

static void read_memprof(const LmpReport *r, const char *text) {
    uint64_t events = 0, bytes = 0, held = 0;
    const char *p = strstr(text, "ALLOCATIONS\n") + 12;
    for (; *p != '\n'; p = strchr(p, '\n') + 1) {
        const char *at = strstr(p, ": ");
        for (const char *next = at; next && next < strchr(p, '\n'); next = strstr(at + 2, ": "))
            at = next;
        events += strtoull(at + 2, NULL, 10);
        bytes += strtoull(strstr(at, "\t+") + 2, NULL, 10);
    }
    ck_assert_uint_eq(events, r->ledger.all.allocs);
    ck_assert_uint_eq(bytes, r->ledger.all.bytes);
    ck_assert_ptr_nonnull(strstr(p, "\nREALLOCATIONS\n"));
    ck_assert_ptr_nonnull(strstr(p, "\nDEALLOCATIONS\n"));
    p = strstr(p, "HEAP SUMMARY:\n") + 14;
    for (; *p != '\n'; p = strchr(p, '\n') + 1)
        held += strtoull(strstr(p, " holds ") + 7, NULL, 10);
    ck_assert_uint_eq(held, r->ledger.all.live_bytes);
}

/* The sum of a metric's samples. */
static uint64_t metric_sum(const char *text, const char *name) {
    uint64_t sum = 0;
    size_t n = strlen(name);
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        const char *value = strchr(p, '\n');
        if (strncmp(p, name, n) != 0 || (p[n] != '{' && p[n] != ' ')) continue;
        while (value[-1] != ' ')
            value--;
        sum += strtoull(value, NULL, 10);
    }
    return sum;
}

/* Families are whole, each sample is of the one before it; types add up, lines are some of all. */
static void read_openmetrics(const LmpReport *r, const char *text) {
    static const char head[] = "# TYPE ", end[] = "# EOF\n";
    char family[80] = "";
    ck_assert_str_eq(text + strlen(text) - strlen(end), end);
    for (const char *p = text; strcmp(p, end) != 0; p = strchr(p, '\n') + 1) {
        if (strncmp(p, head, strlen(head)) == 0)
            ck_assert_int_eq(sscanf(p + strlen(head), "%79s", family), 1);
        const char *name = *p == '#' ? strchr(p + 2, ' ') + 1 : p;
        ck_assert_msg(strncmp(name, family, strlen(family)) == 0, "%.60s", p);
    }
    ck_assert_uint_eq(metric_sum(text, "lmp_live_bytes"), r->stats.live_bytes);
    ck_assert_uint_eq(metric_sum(text, "lmp_type_live_bytes"), r->stats.live_bytes);
    ck_assert_uint_eq(metric_sum(text, "lmp_type_allocations_total"), r->stats.mallocs);
    uint64_t lines = metric_sum(text, "lmp_line_live_bytes"), all = r->ledger.all.live_bytes;
    ck_assert(r->ledger.sites > 10 ? lines <= all : lines == all);
}

/* A reader of RFC 4180; the fields after the third are numbers, of which some are summed up. */
static void read_csv(const LmpReport *r, const char *text) {
    uint64_t column[24] = {0};
    const char *p = strchr(text, '\n') + 1;
    ck_assert_int_eq(strncmp(text, "file,line,function,allocs,bytes,", 32), 0);
    while (*p) {
        for (int c = 0; p[-1] != '\n' || c == 0; c++) {
            if (c >= 3) column[c] += strtoull(p, NULL, 10);
            bool quoted = *p == '"';
            if (quoted) p++;
            while (quoted ? *p != '"' || p[1] == '"' : *p != ',' && *p != '\n')
                p += quoted && *p == '"' ? 2 : 1;
            p += quoted ? 2 : 1;
        }
    }
    ck_assert_uint_eq(column[3], r->ledger.all.allocs);
    ck_assert_uint_eq(column[4], r->ledger.all.bytes);
    ck_assert_uint_eq(column[10], r->ledger.all.live_bytes);
}

static int64_t field(const char *at, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    at = strstr(at, key);
    ck_assert_ptr_nonnull(at);
    return strtoll(at + strlen(key), NULL, 10);
}

/* The same of an object without objects in front of it, where what is 0 may be left out. */
static uint64_t field_of(const char *object, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(object, key);
    return at && at < strchr(object, '}') ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Rows of one array add up, where each begins with `begin`, which no text can have in it. */
static void read_json_rows(const LmpReport *r, const char *text, const char *from, const char *to,
                           const char *begin) {
    const LmpTally *all = &r->ledger.all;
    uint64_t sum[4] = {0};
    const char *at = strstr(text, from), *end = to ? strstr(text, to) : text + strlen(text);
    ck_assert(at && end);
    for (at = strstr(at, begin); at && at < end; at = strstr(at + 1, begin)) {
        sum[0] += field_of(at, "allocs");
        sum[1] += field_of(at, "bytes");
        sum[2] += field_of(at, "live_bytes");
        sum[3] += field_of(at, "frees");
    }
    ck_assert_uint_eq(sum[0], all->allocs);
    ck_assert_uint_eq(sum[1], all->bytes);
    ck_assert_uint_eq(sum[2], all->live_bytes);
    ck_assert_uint_eq(sum[3], all->frees);
}

static void read_json(const LmpReport *r, const char *text) {
    read_json_rows(r, text, "\"sites\":[", "\"functions\":[", "{\"source\":\"");
    read_json_rows(r, text, "\"functions\":[", "\"tags\":[", "{\"source\":\"");
    if (r->ledger.stacks) read_json_rows(r, text, "\"tree\":[", NULL, "\"shallow\":{");
    if (r->ledger.sample) return;
    ck_assert_int_eq(field(text, "mallocs"), (int64_t)r->ledger.all.allocs);
    ck_assert_int_eq(field(text, "live_bytes"), (int64_t)r->ledger.all.live_bytes);
}

/* The lines of the whole: those of the ledger. */
static void read_summary(const LmpReport *r, const char *text) {
    const char *p = strstr(text, "Number of mallocs ");
    ck_assert_ptr_nonnull(p);
    if (!r->ledger.sample) ck_assert_uint_eq(grouped(word(p, 3)), r->ledger.all.allocs);
    p = strstr(text, r->from ? "Change of live " : "Live blocks ");
    const char *figure = word(p, r->from ? 3 : 2);
    uint64_t blocks = r->ledger.all.live_blocks;
    if ((int64_t)blocks < 0) ck_assert_int_eq(*figure, '-');
    if (!r->ledger.sample)
        ck_assert_uint_eq(grouped(figure + (*figure == '+' || *figure == '-')),
                          (int64_t)blocks < 0 ? 0 - blocks : blocks);
}

static void read_back(int kind, const LmpReport *r, const char *text, size_t size) {
    switch (kind) {
    case REPORT_SUMMARY:
        read_summary(r, text);
        break;
    case REPORT_JSON:
        read_json(r, text);
        break;
    case REPORT_FOLDED:
        read_folded(r, text);
        break;
    case REPORT_CALLGRIND:
        read_callgrind(r, text);
        break;
    case REPORT_PPROF:
        read_pprof(r, text, size);
        break;
    case REPORT_SPEEDSCOPE:
        read_speedscope(r, text);
        break;
    case REPORT_MASSIF:
        read_massif(r, text);
        break;
    case REPORT_FLAT:
        read_flat(r, text);
        break;
    case REPORT_CALLGRAPH:
        read_callgraph(r, text);
        break;
    case REPORT_TREE:
        read_tree(r, text);
        break;
    case REPORT_MEMPROF:
        read_memprof(r, text);
        break;
    case REPORT_OPENMETRICS:
        read_openmetrics(r, text);
        break;
    case REPORT_CSV:
        read_csv(r, text);
        break;
    default:
        break;
    }
}

/* All figures that a format can be about, in both units: each time the same sum. */
static void read_all_figures(int kind, LmpReport *r) {
    for (r->metric = 0; r->metric < REPORT_METRICS; r->metric++)
        for (r->unit = 0; r->unit < REPORT_UNITS; r->unit++) {
            if (report_lacks(&report_kinds[kind], r)) continue;
            char *text = text_of(kind, r);
            read_back(kind, r, text, suite_wrote);
            free(text);
        }
}

#endif
