/* Tests of makes.c on made tables: what a line makes in which way, what it loads and lets grow,
 * which lines build a string up together, and that rows which changed since, or are damaged, do no
 * harm. */
#include "read/ledger/makes.h"

#include "fake_tables.h"
#include "suite.h"

typedef struct Scene {
    FakeTables *f;
    Ledger ledger;
    uint32_t function;
} Scene;

static Scene scene_new(void) {
    Scene s = {.f = fake_tables_new(NULL)};
    s.function = fake_function(s.f, LMP_F_MAIN, "@game.lua", 0, "main chunk");
    return s;
}

static void scene_free(Scene *s) {
    ledger_free(&s->ledger);
    fake_tables_free(s->f);
}

static uint32_t c_function(Scene *s, const char *name) {
    return fake_function(s->f, LMP_F_C, "=[C]", -1, name);
}

/* A row of the sites: a line, or what a C function makes for it. */
static uint32_t row_at(Scene *s, int line, uint32_t cfunction) {
    return fake_site(s->f, s->function, line, cfunction);
}

static void made(Scene *s, uint32_t row, unsigned cls, uint64_t count, uint64_t bytes) {
    fake_made(s->f, (FakeSpot){row, 0, cls, 0}, count, bytes);
}

static void refresh(Scene *s) {
    ck_assert_int_eq(ledger_refresh(&s->ledger, &s->f->t, LEDGER_SITES, 1), LMP_OK);
}

/* The row of the ledger that has the line. */
static uint32_t shown(const Scene *s, int line) {
    for (uint32_t i = 0; i < s->ledger.sites; i++)
        if (s->ledger.site[i].line == line) return i;
    ck_abort_msg("line %d has no row", line);
    return 0;
}

static LmpMakes makes_of(const Scene *s, int line) {
    LmpMakes out;
    memset(&out, 0x55, sizeof out);
    ledger_makes(&s->ledger, &s->f->t, shown(s, line), &out);
    return out;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Each class of block, made by the line, by a C function, by one that compiles; where strings are
 * known to be made by `..`. */
TEST(each_way) {
    static const struct {
        unsigned cls;
        const char *by; /* "": the line itself */
        uint32_t how;
        LmpWay way;
    } row[] = {
        {LMP_C_STRING, "", LMP_HOW_CONCAT, LMP_WAY_CONCAT},
        {LMP_C_STRING, "", LMP_HOW_CONCAT | LMP_HOW_CALL, LMP_WAY_CONCAT},
        {LMP_C_STRING, "", LMP_HOW_OTHER, LMP_WAY_STRING},
        {LMP_C_STRING, "", 0, LMP_WAY_STRING},
        {LMP_C_STRING, "function 'string.rep'", LMP_HOW_CONCAT, LMP_WAY_STRING},
        {LMP_C_TABLE, "", LMP_HOW_CONSTRUCTOR, LMP_WAY_TABLE},
        {LMP_C_TABLE_PART, "", LMP_HOW_GROWTH, LMP_WAY_PART},
        {LMP_C_FUNCTION, "", LMP_HOW_CLOSURE, LMP_WAY_CLOSURE},
        {LMP_C_FUNCTION, "function 'string.gmatch'", LMP_HOW_CALL, LMP_WAY_OTHER},
        {LMP_C_FUNCTION, "function 'load'", LMP_HOW_CALL, LMP_WAY_LOADED},
        {LMP_C_FUNCTION, "function 'loadfile'", LMP_HOW_CALL, LMP_WAY_LOADED},
        {LMP_C_FUNCTION, "function 'dofile'", LMP_HOW_CALL, LMP_WAY_LOADED},
        {LMP_C_FUNCTION, "function 'loadstring'", LMP_HOW_CALL, LMP_WAY_LOADED},
        {LMP_C_FUNCTION, "function 'loader'", LMP_HOW_CALL, LMP_WAY_OTHER},
        {LMP_C_FUNCTION_PART, "function 'load'", LMP_HOW_CALL, LMP_WAY_OTHER},
        {LMP_C_THREAD, "", LMP_HOW_CALL, LMP_WAY_COROUTINE},
        {LMP_C_USERDATA, "", LMP_HOW_CALL, LMP_WAY_USERDATA},
        {LMP_C_FUNCTION_PART, "", LMP_HOW_CLOSURE, LMP_WAY_OTHER},
        {LMP_C_THREAD_PART, "", LMP_HOW_CALL, LMP_WAY_OTHER},
        {LMP_C_STRING_PART, "", LMP_HOW_CALL, LMP_WAY_OTHER},
        {LMP_C_USERDATA_PART, "", LMP_HOW_CALL, LMP_WAY_OTHER},
        {LMP_C_OTHER, "", LMP_HOW_OTHER, LMP_WAY_OTHER},
        {LMP_C_OWN, "", LMP_HOW_OTHER, LMP_WAY_OTHER},
        {LMP_C_NONE, "", LMP_HOW_OTHER, LMP_WAY_OTHER},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        OWN(scene_free) Scene s = scene_new();
        uint32_t by = *row[i].by ? c_function(&s, row[i].by) : 0, at = row_at(&s, 3, by);
        made(&s, at, row[i].cls, 5, 700);
        s.f->t.site[at].how = row[i].how;
        refresh(&s);
        LmpMakes m = makes_of(&s, 3);
        for (int way = 0; way < LMP_WAYS; way++) {
            ck_assert_msg(m.way[way].allocs == (way == (int)row[i].way ? 5 : 0) &&
                              m.way[way].live_bytes == (way == (int)row[i].way ? 700 : 0),
                          "row %zu, way %d: %llu", i, way, (unsigned long long)m.way[way].allocs);
        }
        bool loads = strncmp(row[i].by, "function 'load", 14) == 0 ||
                     strcmp(row[i].by, "function 'dofile'") == 0;
        loads = loads && strcmp(row[i].by, "function 'loader'") != 0;
        ck_assert_uint_eq(m.how, row[i].how);
        ck_assert_uint_eq(m.loads, row[i].way == LMP_WAY_LOADED ? 5 : 0);
        ck_assert_uint_eq(m.load_bytes, loads ? 700 : 0);
    }
}

/* All rows of a line and all their records, and of no other line. */
TEST(sums_of_a_line) {
    OWN(scene_free) Scene s = scene_new();
    uint32_t load = c_function(&s, "function 'load'");
    uint32_t line = row_at(&s, 9, 0), called = row_at(&s, 9, load), other = row_at(&s, 10, load);
    for (unsigned tag = 0; tag < 3; tag++)
        fake_made(s.f, (FakeSpot){line, 0, LMP_C_TABLE, tag}, 10, 560);
    made(&s, line, LMP_C_STRING, 2, 80);
    made(&s, called, LMP_C_FUNCTION, 4, 200);
    made(&s, called, LMP_C_TABLE, 1, 56);
    made(&s, other, LMP_C_FUNCTION, 100, 100000);
    LmpSite *site = s.f->t.site;
    site[line].texts = 30, site[line].same = 20, site[line].how = LMP_HOW_CONSTRUCTOR;
    site[called].texts = 3, site[called].same = 2, site[called].how = LMP_HOW_CALL;
    site[other].texts = 1000, site[other].same = 1000, site[other].how = LMP_HOW_OTHER;
    refresh(&s);
    LmpMakes m = makes_of(&s, 9);
    ck_assert_uint_eq(m.way[LMP_WAY_TABLE].allocs, 31);
    ck_assert_uint_eq(m.way[LMP_WAY_TABLE].bytes, 3 * 560 + 56);
    ck_assert_uint_eq(m.way[LMP_WAY_STRING].allocs, 2);
    ck_assert_uint_eq(m.way[LMP_WAY_LOADED].allocs, 4);
    ck_assert_uint_eq(m.loads, 4);
    ck_assert_uint_eq(m.load_bytes, 256);
    ck_assert_uint_eq(m.texts, 33);
    ck_assert_uint_eq(m.same, 22);
    ck_assert_uint_eq(m.how, LMP_HOW_CONSTRUCTOR | LMP_HOW_CALL);
    ck_assert_uint_eq(m.regrown + m.regrown_arrays + m.builds, 0);
}

/* Parts that were given up for larger ones by the line, whoever had made them. */
TEST(parts_that_grow) {
    OWN(scene_free) Scene s = scene_new();
    FakeSpot line = {row_at(&s, 4, 0), 0, LMP_C_TABLE_PART, 0};
    FakeSpot made_at = {row_at(&s, 5, 0), 0, LMP_C_TABLE_PART, 0};
    FakeSpot text = {row_at(&s, 4, 0), 0, LMP_C_STRING, 0};
    FakeSpot tagged = {row_at(&s, 4, 0), 0, LMP_C_TABLE_PART, 1};
    fake_made(s.f, line, 1, 16);
    fake_made(s.f, made_at, 100, 100000);
    fake_resized(s.f, made_at, line, 7, 4000);
    fake_freed(s.f, made_at, line, 3, 600, 0);
    fake_resized(s.f, made_at, tagged, 2, -1000); /* shrunk: that is no growth in bytes */
    fake_freed(s.f, made_at, text, 50, 5000, 0);  /* no part */
    refresh(&s);
    LmpMakes m = makes_of(&s, 4);
    ck_assert_uint_eq(m.regrown, 7 + 3 + 2);
    ck_assert_uint_eq(m.regrown_arrays, 7 + 2);
    ck_assert_uint_eq(m.given_back, 3);
    ck_assert_uint_eq(m.regrown_array_bytes, 4000);
    ck_assert_uint_eq(m.slot_bytes, 16);
    ck_assert_uint_eq(m.regrown_hash_bytes, 600);
    m = makes_of(&s, 5);
    ck_assert_uint_eq(m.regrown, 0);
}

/* Where an array part is not resized, it is given back, too. */
TEST(arrays_that_are_given_back) {
    OWN(scene_free) Scene s = scene_new();
    uint32_t row = row_at(&s, 4, 0);
    FakeSpot line = {row, 0, LMP_C_TABLE_PART, 0};
    fake_made(s.f, line, 9, 9000);
    fake_freed(s.f, line, line, 3, 600, 0);
    fake_freed(s.f, line, line, 5, 5 * (9 * 16 + 4), 0);
    s.f->t.site[row].arrays_back = 5;
    s.f->t.site[row].arrays_back_bytes = 5 * (9 * 16 + 4);
    refresh(&s);
    LmpMakes m = makes_of(&s, 4);
    ck_assert_uint_eq(m.regrown, 8);
    ck_assert_uint_eq(m.given_back, 8);
    ck_assert_uint_eq(m.regrown_arrays, 5);
    ck_assert_uint_eq(m.regrown_array_bytes, 5 * (9 * 16 + 4));
    ck_assert_uint_eq(m.slot_bytes, 9);
    ck_assert_uint_eq(m.regrown_hash_bytes, 600);
    s.f->t.site[row].arrays_back_bytes = UINT64_MAX; /* of another moment, or damaged */
    ck_assert_uint_eq(makes_of(&s, 4).regrown_hash_bytes, 0);
}

/* ---- strings that are built up --------------------------------------------------------------- */

static void feeds(Scene *s, uint32_t row, uint32_t by, uint32_t looked, uint32_t fed) {
    LmpSite *site = &s->f->t.site[row];
    site->joins = looked;
    site->fed = fed;
    site->fed_by = by;
    site->fed_bytes = 1000 + row;
}

static void expect_builds(const Scene *s, int line, const int *want, uint32_t n) {
    LmpMakes m = makes_of(s, line);
    ck_assert_uint_eq(m.builds, n);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_lt(m.build[i], s->ledger.sites);
        ck_assert_int_eq(s->ledger.site[m.build[i]].line, want[i]);
    }
    if (n == 0) ck_assert_uint_eq(m.build_bytes, 0);
}

static void expect_none(const Scene *s, int line) {
    expect_builds(s, line, NULL, 0);
}

TEST(a_line_and_itself) {
    OWN(scene_free) Scene s = scene_new();
    uint32_t row = row_at(&s, 3, 0);
    made(&s, row, LMP_C_STRING, 9, 9000);
    refresh(&s);
    static const struct {
        uint32_t looked, fed;
        bool builds;
    } seen[] = {{0, 0, false}, {1, 1, false}, {2, 1, false}, {2, 2, true},  {3, 2, true},
                {4, 2, true},  {5, 2, false}, {5, 3, true},  {9, 4, false}, {9, 5, true}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        feeds(&s, row, row, seen[i].looked, seen[i].fed);
        expect_builds(&s, 3, (int[]){3}, seen[i].builds);
        if (seen[i].builds) ck_assert_uint_eq(makes_of(&s, 3).build_bytes, 1000 + row);
    }
}

/* Rows of one line after each other are one step; those that made nothing are passed over. */
TEST(round_of_lines) {
    OWN(scene_free) Scene s = scene_new();
    uint32_t rep = c_function(&s, "function 'rep'"), row[8];
    static const int line[8] = {10, 10, 11, 12, 12, 13, 14, 10};
    for (int i = 0; i < 8; i++) {
        row[i] = row_at(&s, line[i],
                        i == 1 || i == 4 ? rep
                        : i == 7         ? c_function(&s, "field 'x'")
                                         : 0);
        if (line[i] != 13) made(&s, row[i], LMP_C_STRING, 9, 9000);
    }
    for (int i = 0; i < 8; i++)
        feeds(&s, row[i], row[(i + 1) % 8], 9, 9);
    refresh(&s);
    expect_builds(&s, 10, (int[]){10, 11, 12, 14}, 4);
    expect_builds(&s, 12, (int[]){12, 14, 10, 11}, 4);
    ck_assert_uint_eq(makes_of(&s, 10).build_bytes, 1000 + row[0]);
    feeds(&s, row[6], row[2], 9, 9); /* a round that the first line is not in */
    expect_none(&s, 10);
    expect_builds(&s, 11, (int[]){11, 12, 14}, 3);
    feeds(&s, row[6], 0, 9, 9); /* a way that ends */
    for (int i = 0; i < 8; i++)
        if (line[i] != 13) expect_none(&s, line[i]);
}

/* The way back is at most so long; and a second row of a line is asked when the first has none. */
TEST(long_rounds) {
    for (uint32_t n = LMP_BUILD_LINES - 1; n <= LMP_BUILD_LINES + 1; n++) {
        OWN(scene_free) Scene s = scene_new();
        int line[LMP_BUILD_LINES + 1];
        uint32_t row[LMP_BUILD_LINES + 1];
        uint32_t first = row_at(&s, 20, c_function(&s, "method 'x'"));
        made(&s, first, LMP_C_STRING, 1, 10);
        for (uint32_t i = 0; i < n; i++) {
            line[i] = 20 + (int)i;
            row[i] = row_at(&s, line[i], 0);
            made(&s, row[i], LMP_C_STRING, 1, 10);
        }
        for (uint32_t i = 0; i < n; i++)
            feeds(&s, row[i], row[(i + 1) % n], 2, 2);
        refresh(&s);
        expect_builds(&s, 20, line, n <= LMP_BUILD_LINES ? n : 0);
        if (n <= LMP_BUILD_LINES) { /* the first that is found counts */
            feeds(&s, first, first, 2, 2);
            ck_assert_uint_eq(makes_of(&s, 20).builds, 1);
        }
    }
}

/* ---- what is not as it should be ------------------------------------------------------------- */

static void expect_nothing(const Ledger *ledger, const LmpTables *t, uint32_t site) {
    static const LmpMakes nothing;
    LmpMakes out;
    memset(&out, 0x55, sizeof out);
    ledger_makes(ledger, t, site, &out);
    ck_assert(memcmp(&out, &nothing, sizeof out) == 0);
}

TEST(no_such_site) {
    Scene s = scene_new(), other = scene_new();
    expect_nothing(&s.ledger, &s.f->t, 0); /* never refreshed */
    made(&s, row_at(&s, 1, 0), LMP_C_TABLE, 5, 500);
    made(&other, row_at(&other, 1, 0), LMP_C_TABLE, 5, 500);
    refresh(&s);
    refresh(&other);
    ck_assert_uint_eq(makes_of(&s, 1).way[LMP_WAY_TABLE].allocs, 5);
    expect_nothing(&s.ledger, &other.f->t, 0);
    expect_nothing(&s.ledger, &s.f->t, s.ledger.sites);
    expect_nothing(&s.ledger, &s.f->t, UINT32_MAX / 2);
    scene_free(&s);
    scene_free(&other);
}

/* Records that came after the refresh wait for the next; links that lead up, round or out end. */
TEST(damaged_rows) {
    OWN(scene_free) Scene s = scene_new();
    uint32_t row = row_at(&s, 2, 0), bad = UINT32_MAX / 2;
    made(&s, row, LMP_C_TABLE, 5, 500);
    made(&s, row, LMP_C_STRING, 3, 300);
    refresh(&s);
    LmpSite *site = &s.f->t.site[row];
    uint32_t newest = atomic_load(&site->records);
    LmpRecord *record = s.f->t.record;
    made(&s, row_at(&s, 3, 0), LMP_C_STRING, 7, 700);
    uint32_t late = atomic_load(&s.f->t.site[row_at(&s, 3, 0)].records);
    record[0].use.allocs = 99; /* there is no such row */
    record[0].use.cls = LMP_C_TABLE;
    const uint32_t ends[] = {late, bad, 0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        atomic_store(&site->records, ends[i]);
        LmpMakes m = makes_of(&s, 2);
        ck_assert_uint_eq(m.way[LMP_WAY_STRING].allocs + m.way[LMP_WAY_TABLE].allocs, 0);
    }
    atomic_store(&site->records, newest);
    const uint32_t links[] = {newest, late, bad};
    uint32_t was = record[newest].next;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        record[newest].next = links[i];
        LmpMakes m = makes_of(&s, 2);
        ck_assert_uint_eq(m.way[LMP_WAY_STRING].allocs, 3);
        ck_assert_uint_eq(m.way[LMP_WAY_TABLE].allocs, 0);
    }
    record[newest].next = 0;
    ck_assert_uint_eq(makes_of(&s, 2).way[LMP_WAY_TABLE].allocs, 0);
    record[newest].next = was;
    ck_assert_uint_eq(makes_of(&s, 2).way[LMP_WAY_TABLE].allocs, 5);
    site->cfunction = bad;
    made(&s, row, LMP_C_FUNCTION, 1, 40);
    refresh(&s);
    ck_assert_uint_eq(makes_of(&s, 2).way[LMP_WAY_OTHER].allocs, 1);
    ck_assert_uint_eq(makes_of(&s, 2).loads, 0);
    feeds(&s, row, bad, 9, 9);
    expect_none(&s, 2);
    feeds(&s, row, 0, 9, 9);
    feeds(&s, 0, row, 9, 9);
    expect_none(&s, 2);
    feeds(&s, row, row_at(&s, 5, 0), 9, 9); /* a row that the refresh has not seen */
    expect_none(&s, 2);
}
