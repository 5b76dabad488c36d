/* Tests of sites.c with rowindex.c: texts, functions, sites and records, each by itself; what finds
 * no place goes to "(others)" and is counted. Any of them in any order: test_sites_random.c. */
#include "base/rowindex.h"
#include "sites_fixture.h"

/* ---- what is always there -------------------------------------------------------------------- */

TEST(test_pseudo) {
    static const char *const names[] = {"(others)", "(host)", "(parser)", "(collector)",
                                        "(unknown)"};
    begin(no_limits);
    for (int i = 0; i < LMP_PSEUDOS; i++) {
        const LmpSite *s = &p.tables.site[sites_pseudo(&p, (LmpPseudo)i)];
        const LmpFunction *f = &p.tables.function[s->function];
        ck_assert_int_eq(s->line, -1);
        ck_assert_uint_eq(f->kind, LMP_F_PSEUDO);
        ck_assert_int_eq(f->linedefined, -1);
        ck_assert_str_eq(text(f->name), names[i]);
        ck_assert_str_eq(text(f->short_src), names[i]);
        ck_assert_str_eq(text(f->source) + 1, names[i]);
    }
    ck_assert_uint_eq(sites_pseudo(&p, LMP_PSEUDO_OTHERS), 1);
    ck_assert_uint_eq(tables_sites(&p.tables), 1 + LMP_PSEUDOS);
    ck_assert_uint_eq(tables_records(&p.tables), 1);
}

/* ---- texts ----------------------------------------------------------------------------------- */

TEST(test_text) {
    begin(no_limits);
    uint32_t a = sites_text(&p, "apple", 5), b = sites_text(&p, "apples", 6);
    ck_assert_uint_ne(a, b);
    ck_assert_uint_eq(sites_text(&p, "apples", 5), a);
    ck_assert_uint_eq(sites_text(&p, "apple\0pie", 9), a); /* a text ends where it ends for C */
    ck_assert_uint_eq(sites_text(&p, "", 0), 0);
    ck_assert_str_eq(text(a), "apple");
    ck_assert_str_eq(text(b), "apples");
}

TEST(test_text_full) {
    begin((LmpTableLimits){.text = 300});
    uint32_t left = 300 - p.live->tables.text;
    char long_text[300];
    memset(long_text, 'x', sizeof long_text);
    ck_assert_uint_eq(sites_text(&p, long_text, left), 0);
    uint32_t row = sites_text(&p, long_text, left - 1);
    ck_assert_uint_ne(row, 0);
    ck_assert_uint_eq(p.live->tables.text, 300);
    ck_assert_uint_eq(sites_text(&p, "y", 1), 0);
    ck_assert_uint_eq(sites_text(&p, long_text, left - 1), row);
    /* no room for a source, so no way to tell the function from others */
    lua_Debug ar = lua_function("@new.lua", 3);
    ck_assert_uint_eq(sites_function(&p, &ar, NULL), 1);
    ck_assert_uint_eq(p.live->tables.folded, 1);
    /* a C function is known by its address, and only its name is lost */
    ar = named(c_function(), "method", "push");
    uint32_t c = sites_function(&p, &ar, address(64));
    ck_assert_uint_gt(c, LMP_PSEUDOS);
    ck_assert_str_eq(name_of(c), "?");
}

/* ---- functions ------------------------------------------------------------------------------- */

TEST(test_names) {
    static const struct {
        const char *what, *name, *want;
    } names[] = {
        {"global", "print", "function 'print'"},
        {"field", "insert", "function 'insert'"},
        {"method", "push", "method 'push'"},
        {"local", "mk", "local 'mk'"},
        {"upvalue", "up", "upvalue 'up'"},
        {"metamethod", "index", "metamethod 'index'"},
        {"for iterator", "for iterator", "for iterator"},
        {"hook", "?", "hook '?'"},
        {"", NULL, "function <file.lua:7>"},
    };
    begin(no_limits);
    int n = sizeof names / sizeof *names;
    for (int i = 0; i < n; i++) {
        char source[40];
        snprintf(source, sizeof source, "%d", i);
        lua_Debug ar = named(lua_function(source, 7), names[i].what, names[i].name);
        strcpy(ar.short_src, "file.lua");
        ck_assert_str_eq(name_of(sites_function(&p, &ar, NULL)), names[i].want);
    }
    lua_Debug main = named(lua_function("@main.lua", 0), "local", "chunk");
    uint32_t row = sites_function(&p, &main, NULL);
    ck_assert_str_eq(name_of(row), "main chunk");
    ck_assert_uint_eq(p.tables.function[row].kind, LMP_F_MAIN);
    ck_assert_str_eq(text(p.tables.function[row].source), "@main.lua");
    ck_assert_str_eq(text(p.tables.function[row].short_src), "main.lua");
    lua_Debug c = c_function();
    row = sites_function(&p, &c, address(4096));
    ck_assert_str_eq(name_of(row), "?");
    ck_assert_str_eq(text(p.tables.function[row].source), "=[C]");
    ck_assert_uint_eq(p.tables.function[row].address, 4096);
    ck_assert_int_eq(p.tables.function[row].linedefined, -1);
}

TEST(test_late_name) {
    begin(no_limits);
    lua_Debug ar = lua_function("@a.lua", 3);
    uint32_t row = sites_function(&p, &ar, NULL), names = p.live->tables.names;
    ck_assert_str_eq(name_of(row), "function <a.lua:3>");
    ar = named(ar, "local", "mk");
    ck_assert_uint_eq(sites_function(&p, &ar, NULL), row);
    ck_assert_str_eq(name_of(row), "local 'mk'");
    ck_assert_uint_ne(p.live->tables.names, names);
    ar = named(ar, "method", "other"); /* the first one stays */
    ck_assert_uint_eq(sites_function(&p, &ar, NULL), row);
    ck_assert_str_eq(name_of(row), "local 'mk'");
}

/* Sources are told apart by all of their text, also where only the beginning is kept. */
TEST(test_sources) {
    enum { SIZE = 70000 };
    char *s = malloc(SIZE), *t = malloc(SIZE), *u = malloc(SIZE);
    memset(s, 'a', SIZE);
    memset(t, 'a', SIZE);
    memset(u, 'a', SIZE);
    s[SIZE - 1] = t[SIZE - 1] = u[SIZE - 1] = 0;
    t[SIZE - 2] = 'b';
    begin(no_limits);
    lua_Debug a = lua_function(s, 3), b = lua_function(t, 3), shorter = a;
    shorter.srclen--;
    uint32_t rows[] = {sites_function(&p, &a, NULL), sites_function(&p, &b, NULL),
                       sites_function(&p, &shorter, NULL)};
    ck_assert_uint_ne(rows[0], rows[1]);
    ck_assert_uint_ne(rows[0], rows[2]);
    ck_assert_uint_ne(rows[1], rows[2]);
    for (int i = 0; i < 16; i++) { /* one byte in the middle, wherever it stands in a word */
        u[SIZE / 2 + i] = 'b';
        lua_Debug c = lua_function(u, 3);
        uint32_t row = sites_function(&p, &c, NULL);
        for (int k = 0; k < 3; k++)
            ck_assert_uint_ne(row, rows[k]);
        u[SIZE / 2 + i] = 'a';
    }
    ck_assert_uint_eq(sites_function(&p, &a, NULL), rows[0]); /* by content: where it stands */
    a.source = strcpy(t, s);                                  /* does not matter */
    ck_assert_uint_eq(sites_function(&p, &a, NULL), rows[0]);
    const char *kept = text(p.tables.function[rows[0]].source);
    ck_assert_msg(strstr(kept, "aaa ... [69999 bytes, "), "%s", kept + strlen(kept) - 60);
    /* NULs within */
    lua_Debug x = lua_function("x", 1), y = x, z = x;
    x.source = "x\0y", x.srclen = 3;
    y.source = "x\0z", y.srclen = 3;
    uint32_t fx = sites_function(&p, &x, NULL), fy = sites_function(&p, &y, NULL);
    ck_assert_uint_ne(fx, fy);
    ck_assert_uint_ne(sites_function(&p, &z, NULL), fx);
    ck_assert_uint_eq(sites_function(&p, &x, NULL), fx);
    suite_close();
    free(s);
    free(t);
    free(u);
}

/* When text becomes scarce sources are cut sooner, and those kept whole are found as before. */
TEST(test_scarce) {
    begin((LmpTableLimits){.text = 40000});
    static char s[60][2000];
    uint32_t rows[60];
    for (int i = 0; i < 60; i++) {
        memset(s[i], 'z', 1999);
        s[i][1998] = (char)('A' + i);
        lua_Debug ar = lua_function(s[i], 1);
        rows[i] = sites_function(&p, &ar, NULL);
        for (int k = 0; k < i; k++)
            ck_assert_uint_ne(rows[i], rows[k]);
    }
    ck_assert_uint_eq(p.live->tables.folded, 0);
    for (int i = 0; i < 60; i++) {
        lua_Debug ar = lua_function(s[i], 1);
        ck_assert_uint_eq(sites_function(&p, &ar, NULL), rows[i]);
    }
}

/* ---- full tables ----------------------------------------------------------------------------- */

TEST(test_functions_full) {
    begin((LmpTableLimits){.functions = 9});
    uint32_t rows[8];
    for (int i = 0; i < 8; i++) {
        lua_Debug ar = lua_function("@a.lua", i + 1);
        rows[i] = sites_function(&p, &ar, NULL);
        ck_assert_uint_eq(rows[i], i < 3 ? 6u + (uint32_t)i : 1u);
    }
    ck_assert_uint_eq(p.live->tables.folded, 5);
    ck_assert_uint_eq(tables_functions(&p.tables), 9);
    ck_assert_uint_eq(sites_site(&p, 1, 30, 0), 1);
    ck_assert_uint_eq(p.live->tables.folded, 5); /* counted already */
}

TEST(test_sites_full) {
    begin((LmpTableLimits){.sites = 8});
    ck_assert_uint_eq(sites_site(&p, 4, 1, 0), 6);
    ck_assert_uint_eq(sites_site(&p, 4, 2, 0), 7);
    ck_assert_uint_eq(sites_site(&p, 4, 3, 0), 1);
    ck_assert_uint_eq(sites_site(&p, 4, 1, 0), 6);
    ck_assert_uint_eq(p.live->tables.folded, 1);
    ck_assert_uint_eq(tables_sites(&p.tables), 8);
}

TEST(test_records_full) {
    begin((LmpTableLimits){.records = 40});
    uint32_t kept = 0, site = sites_pseudo(&p, LMP_PSEUDO_HOST);
    for (unsigned tag = 0; tag < 100; tag++)
        for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
            uint32_t row = sites_record(&p, site, cls, tag);
            const LmpRecord *r = &p.tables.record[row];
            ck_assert_uint_eq(r->use.cls, cls);
            if (r->site == site) {
                ck_assert_uint_eq(r->use.tag, tag);
                kept++;
            } else {
                ck_assert_uint_eq(r->site, 1);
                ck_assert_uint_eq(r->use.tag, tag ? 1 : 0);
            }
        }
    ck_assert_uint_gt(kept, 0);
    ck_assert_uint_eq(p.live->tables.folded, 1100 - kept);
    ck_assert_uint_le(tables_records(&p.tables), 40);
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* "(others)" has records of its own for each class, in no index, beside those that have a tag. */
TEST(test_records_of_others) {
    enum { OTHERS = 1, TAG = 7 };
    for (int first = 0; first < 2; first++) {
        begin(no_limits);
        uint32_t plain = first ? sites_record(&p, OTHERS, 2, 0) : 0;
        uint32_t tagged = sites_record(&p, OTHERS, 2, TAG);
        if (!first) plain = sites_record(&p, OTHERS, 2, 0);
        uint32_t third = sites_record(&p, OTHERS, 3, TAG);
        ck_assert_uint_ne(plain, tagged);
        ck_assert_uint_eq(sites_record(&p, OTHERS, 2, TAG), tagged);
        ck_assert_uint_eq(sites_record(&p, OTHERS, 2, 0), plain);
        ck_assert_uint_eq(sites_record(&p, OTHERS, 3, TAG), third);
    }
}

/* The state is shared memory: whatever another process has written to the chains, rows that come
 * from them are rows of the tables. */
TEST(test_damaged_chains) {
    static const uint32_t damages[] = {UINT32_MAX, LMP_SITES_MAX, LMP_RECORDS_MAX, 1, 0};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint32_t damage = damages[i];
        begin(no_limits);
        lua_Debug ar = lua_function("@a.lua", 3);
        uint32_t f = sites_function(&p, &ar, NULL), site = sites_site(&p, f, 4, 0);
        for (int line = 4; line < 9; line++) {
            uint32_t record = sites_record(&p, site, 2, 0);
            p.tables.function[f].site = damage;
            p.tables.site[site].next = damage;
            atomic_store(&p.tables.site[site].records, damage);
            p.tables.record[record].next = damage;
            ck_assert_uint_lt(sites_record(&p, site, 2, 0), p.live->tables.records);
            ck_assert_uint_lt(sites_record(&p, site, 3, 0), p.live->tables.records);
            site = sites_site(&p, f, line, 0);
            ck_assert_uint_lt(site, p.live->tables.sites);
        }
    }
}

TEST(test_open_fails) {
    int n = 0;
    for (bool all = false; !all; n++) {
        begin_closed(no_limits);
        maps_left = n;
        LmpErr err = sites_open(&p);
        all = !refused;
        ck_assert_int_eq(err, all ? LMP_OK : LMP_E_NOMEM);
        if (err) ck_assert_ptr_null(p.indexes);
    }
    ck_assert_int_gt(n, 3);
}

TEST(test_growing_fails) {
    enum { N = 5000 };
    static uint32_t rows[N];
    begin(no_limits);
    maps_left = 0;
    uint32_t kept = 0;
    for (int i = 0; i < N; i++) {
        rows[i] = sites_site(&p, 2, i, 0);
        if (rows[i] != 1) kept++;
    }
    ck_assert_uint_gt(kept, 500); /* the index goes on until it is nearly full */
    ck_assert_uint_lt(kept, 1024);
    ck_assert_uint_eq(p.live->tables.folded, N - kept);
    for (int i = 0; i < N; i++)
        ck_assert_uint_eq(sites_site(&p, 2, i, 0), rows[i]);
    uint32_t record = 0;
    for (int i = 0; i < N; i++)
        record = sites_record(&p, 2, 1, (unsigned)i % 1000);
    ck_assert_uint_ne(record, 0);
}

/* Stripped functions are known by the whole hash of their code, or not at all. */
TEST(test_stripped) {
    begin(no_limits);
    ck_assert_uint_eq(sites_stripped(&p, 0), 0);
    ck_assert_uint_eq(sites_stripped(&p, 5), 0);
    for (uint32_t i = 1; i <= 200; i++)
        sites_keep_stripped(&p, i, 1000 + i);
    for (uint32_t i = 1; i <= 200; i++) {
        ck_assert_uint_eq(sites_stripped(&p, i), 1000 + i);
        for (int bit = 12; bit < 64; bit++)
            ck_assert_uint_eq(sites_stripped(&p, i ^ 1ull << bit), 0);
    }
    sites_keep_stripped(&p, 7 ^ 1ull << 40, 3); /* another one in its slot */
    ck_assert_uint_eq(sites_stripped(&p, 7 ^ 1ull << 40), 3);
    ck_assert_uint_eq(sites_stripped(&p, 7), 0);
}
