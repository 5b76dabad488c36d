/* page_data.h - for suites of the pages for a browser: the data in them. */
#ifndef LMP_PAGE_DATA_H
#define LMP_PAGE_DATA_H

#include <stdlib.h>
#include <string.h>

#include "fake_tables.h"
#include "suite.h"

/* The data of a page, which is freed; the caller frees the data. */
static char *page_data(char *page) {
    static const char begin[] = "id=\"data\">", end[] = "</script>";
    char *at = strstr(page, begin);
    ck_assert_ptr_nonnull(at);
    at += strlen(begin);
    char *stop = strstr(at, end);
    ck_assert_ptr_nonnull(stop);
    /* after it comes the script of the page alone */
    ck_assert_int_eq(strncmp(stop + strlen(end), "\n<script>\n\"use strict\";", 23), 0);
    char *data = strndup(at, (size_t)(stop - at));
    free(page);
    return data;
}

/* Names that want out of the script that the data stands in, or rearrange the line they are shown
 * in. */
enum { HOSTILE = 7 };
static const char *const hostile[HOSTILE] = {"</script><script>alert(1)</script>",
                                             "<!--<script>",
                                             "a\"b\\c'd&amp;",
                                             "\xff\xfe\xc3",
                                             "\x1b[31m\x01\r",
                                             "a\xe2\x80\xae"
                                             "b\xe2\x80\xa8"
                                             "c",
                                             "]]>"};

/* The data of a page in which all of them stand. */
static void check_escaped(const char *data) {
    ck_assert_ptr_null(strpbrk(data, "<>&\r\x1b\x01\xff"));
    ck_assert_ptr_null(strstr(data, "\xe2\x80\xae"));
    ck_assert_ptr_null(strstr(data, "\xe2\x80\xa8"));
    ck_assert_ptr_nonnull(strstr(data, "\\u003c/script\\u003e"));
    ck_assert_ptr_nonnull(strstr(data, "\"a\\u0022b\\u005cc'd\\u0026amp;\""));
}

/* The sum of a column of a table: "table":{ ... "column":[1,2,3] */
static uint64_t sum_of(const char *data, const char *table, const char *column, uint32_t *rows) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":{", table);
    const char *at = strstr(data, key);
    ck_assert_msg(at != NULL, "no %s", table);
    snprintf(key, sizeof key, "\"%s\":[", column);
    at = strstr(at, key);
    ck_assert_msg(at != NULL, "no %s of %s", column, table);
    at += strlen(key);
    uint64_t sum = 0;
    for (*rows = 0; *at != ']'; (*rows)++) {
        char *end;
        sum += strtoull(at, &end, 10);
        ck_assert_ptr_ne(end, at);
        at = *end == ',' ? end + 1 : end;
    }
    return sum;
}

enum { PAGE_FUNCTIONS = 30 };

/* A node without a look whether there is one like it: that takes too long for many. */
static uint32_t page_put_node(FakeTables *f, uint32_t parent, uint32_t site) {
    LmpTablesUsed *u = &f->live->tables;
    f->t.node[u->nodes] = (LmpNode){.parent = parent, .site = site};
    return u->nodes++;
}

/* A program whose call tree is made by chance. */
static FakeTables *page_made_up(LmpLive *live, uint32_t nodes, uint32_t lines) {
    FakeTables *f = fake_tables_new(live);
    uint32_t first = 0;
    live->tables.stacks = true;
    for (uint32_t i = 0; i < lines; i++) {
        char name[32];
        snprintf(name, sizeof name, "local 'f%u'", i % PAGE_FUNCTIONS);
        uint32_t fn = fake_function(f, LMP_F_LUA, "@made/up.lua", (int)(i % PAGE_FUNCTIONS), name);
        LmpTablesUsed *u = &f->live->tables;
        f->t.site[u->sites] = (LmpSite){.function = fn, .line = (int)i + 1};
        if (!first) first = u->sites;
        u->sites++;
    }
    uint32_t root = live->tables.nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t site = first + (uint32_t)suite_below(lines);
        uint32_t parent = i == 0 ? 0 : root + (uint32_t)suite_below(i);
        uint32_t node = page_put_node(f, parent, site);
        FakeSpot at = {site, node, suite_below(2) ? LMP_C_TABLE : LMP_C_STRING, 0};
        uint64_t count = suite_below(4), bytes = count * (1 + suite_below(5000));
        if (count) fake_made(f, at, count, bytes);
        if (count && suite_below(2)) fake_freed(f, at, at, count, bytes, suite_below(count + 1));
    }
    return f;
}

#endif
