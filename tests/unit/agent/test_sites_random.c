/* Tests of sites.c with rowindex.c against a naive model: the same question has the same answer and
 * another question another one, whatever the tables' size and the memory. */
#include "sites_fixture.h"

enum { SOURCES = 40, LINES = 30, KEYS = 20000 };

typedef struct Key {
    uint64_t part[3];
    uint32_t row;
} Key;

typedef struct Model {
    Key *key;
    int keys;
} Model;

/* The row of before for the same key, and no other key has it; "(others)" may have any. */
static void model_check(Model *m, uint64_t a, uint64_t b, uint64_t c, uint32_t row, bool others) {
    for (int i = 0; i < m->keys; i++) {
        const Key *k = &m->key[i];
        bool same = k->part[0] == a && k->part[1] == b && k->part[2] == c;
        if (same) ck_assert_uint_eq(k->row, row);
        if (same) return;
        if (!others) ck_assert_uint_ne(k->row, row);
    }
    ck_assert_int_lt(m->keys, KEYS);
    m->key[m->keys++] = (Key){{a, b, c}, row};
}

static uint32_t some_limit(uint32_t least) {
    return suite_below(2) ? 0 : least + (uint32_t)suite_below(400);
}

static uint32_t some_function(Model *m, char source[SOURCES][60]) {
    if (suite_below(4) == 0) {
        uintptr_t at = 16 + suite_below(30);
        lua_Debug ar = c_function();
        uint32_t row = sites_function(&p, &ar, address(at));
        model_check(m, 1, at, 0, row, row == 1);
        if (row != 1) ck_assert_uint_eq(p.tables.function[row].address, at);
        return row;
    }
    uint64_t s = suite_below(SOURCES), line = suite_below(LINES);
    lua_Debug ar = lua_function(source[s], (int)line);
    uint32_t row = sites_function(&p, &ar, NULL);
    model_check(m, 2, s, line, row, row == 1);
    if (row != 1) {
        ck_assert_str_eq(text(p.tables.function[row].source), source[s]);
        ck_assert_int_eq(p.tables.function[row].linedefined, (int)line);
    }
    return row;
}

TEST(test_property) {
    for (int round = 0; round < 6; round++) {
        begin((LmpTableLimits){.text = suite_below(2) ? 0 : 500 + (uint32_t)suite_below(2000),
                               .functions = some_limit(8),
                               .sites = some_limit(8),
                               .records = some_limit(40)});
        if (suite_below(3) == 0) maps_left = (int)suite_below(4);
        Model functions = {calloc(KEYS, sizeof(Key)), 0}, sites = {calloc(KEYS, sizeof(Key)), 0},
              records = {calloc(KEYS, sizeof(Key)), 0};
        char source[SOURCES][60];
        for (int i = 0; i < SOURCES; i++)
            snprintf(source[i], sizeof source[i], "@%.*s%d.lua", (int)suite_below(40),
                     "some/long/path/to/the/directory/of/sources/", i);
        for (int i = 0; i < 4000; i++) {
            uint32_t f = some_function(&functions, source), c = 0;
            int line = (int)suite_below(5);
            if (suite_below(3) == 0) c = (uint32_t)suite_below(tables_functions(&p.tables));
            uint32_t s = sites_site(&p, f, line, c);
            if (f == 1) {
                ck_assert_uint_eq(s, 1);
            } else {
                model_check(&sites, f, (uint64_t)line, c, s, s == 1);
            }
            unsigned cls = 1 + (unsigned)suite_below(LMP_C_COUNTED - 1);
            unsigned tag = (unsigned)suite_below(3);
            uint32_t r = sites_record(&p, s, cls, tag);
            model_check(&records, s, cls, tag, r, p.tables.record[r].site == 1);
            ck_assert_uint_eq(p.tables.record[r].use.cls, cls);
        }
        /* each record hangs in its site's chain, once */
        uint32_t chained = 0;
        for (uint32_t s = 0; s < tables_sites(&p.tables); s++)
            for (uint32_t r = p.tables.site[s].records; r; r = p.tables.record[r].next, chained++)
                ck_assert_uint_eq(p.tables.record[r].site, s);
        ck_assert_uint_eq(chained + 1, tables_records(&p.tables));
        free(functions.key);
        free(sites.key);
        free(records.key);
    }
}
