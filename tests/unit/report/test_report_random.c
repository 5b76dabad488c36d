/* Tests of the reports for any figures and any name: the summary keeps to its columns, and the JSON
 * is JSON. */
#include <ctype.h>

#include "base/format.h"
#include "report_fixture.h"

/* The program's tables with other figures and other names. */
static void fake_noise(FakeTables *f, unsigned shift) {
    LmpTablesUsed *u = &f->live->tables;
    for (uint32_t i = 1; i < u->records; i++)
        for (uint64_t *w = &f->t.record[i].use.allocs; w < &f->t.record[i].use.last; w++)
            *w = suite_random() >> shift;
    for (uint32_t i = 0; i < u->text; i++)
        if (f->t.text[i] && suite_below(8) == 0) f->t.text[i] = (char)(1 + suite_below(255));
    for (uint32_t i = 1; i < u->functions; i++)
        if (suite_below(8) == 0) f->t.function[i].name = (uint32_t)suite_below(u->text);
    for (uint32_t i = 1; i < u->sites; i++) {
        if (suite_below(8) == 0) f->t.site[i].line = (int)suite_random();
        for (uint32_t k = 0; k < LMP_LIVE_HISTORY; k++)
            f->t.live_history[i][k] = (suite_random() >> 1 >> shift) + k * suite_below(1000000);
    }
    u->lines = (uint32_t)suite_below(3);
    u->stacks = (uint32_t)suite_below(2);
    u->sample = suite_below(2) ? suite_random() >> shift : 0;
    u->folded = suite_below(2) ? suite_random() >> shift : 0;
}

static void randomly(LmpReport *r, FakeTables *f) {
    unsigned char *p = (unsigned char *)&live;
    unsigned shift = (unsigned)suite_below(64);
    for (size_t i = 0; i + 8 <= offsetof(LmpLive, mark); i += 8) {
        uint64_t word = suite_random() >> shift;
        memcpy(p + i, &word, sizeof word);
    }
    p = (unsigned char *)&live.laps;
    for (size_t i = 0; i + 8 <= sizeof live.laps; i += 8) {
        uint64_t word = suite_random() >> shift;
        memcpy(p + i, &word, sizeof word);
    }
    live.laps.seq &=
        ~1u; /* as if it were written in full: that is read once, not a hundred times */
    size_t n = suite_below(sizeof header.program);
    for (size_t i = 0; i < n; i++)
        header.program[i] = (char)(1 + suite_below(suite_below(2) ? 255 : 126));
    header.program[n] = '\0';
    header.top = (uint32_t)suite_below(40);
    if (f) fake_noise(f, shift);
    report_fill(r, &header, &live, f ? &f->t : NULL, suite_random() >> shift,
                "killed by signal 11 (SIGSEGV)");
    r->attached = suite_below(2);
}

/* 80, with tables 100. */
TEST(summary_keeps_to_its_columns) {
    for (int i = 0; i < 3000; i++) {
        LmpReport r;
        FakeTables *f = i % 3 ? NULL : program(suite_below(2));
        int most = f ? 100 : 80;
        randomly(&r, f);
        char *text = written(SUMMARY, &r);
        int columns = 0;
        for (const char *p = text; *p;) {
            uint32_t c;
            size_t n = format_utf8(p, &c);
            ck_assert_msg(n > 0 && (c == '\n' || c >= 0x20), "not text: %.2000s", text);
            columns = c == '\n' ? 0 : columns + 1;
            ck_assert_msg(columns <= most, "too wide: %.*s", columns + 8, p - columns);
            p += n;
        }
        free(text);
        report_close(&r);
        if (f) fake_tables_free(f);
    }
}

/* A JSON reader that only says where the value ends, NULL for what is no JSON. */
static const char *json(const char *p, int depth);

static const char *json_string(const char *p) {
    if (*p++ != '"') return NULL;
    while (*p != '"') {
        uint32_t c;
        size_t n = format_utf8(p, &c);
        if (n == 0 || c < 0x20) return NULL;
        if (c == '\\') {
            if (p[1] == 'u') {
                for (int i = 2; i < 6; i++)
                    if (!isxdigit((unsigned char)p[i])) return NULL;
                n = 6;
            } else if (p[1] && strchr("\"\\/bfnrt", p[1])) {
                n = 2;
            } else {
                return NULL;
            }
        }
        p += n;
    }
    return p + 1;
}

static const char *json_object(const char *p, int depth) {
    do {
        p = json_string(p + 1);
        if (!p || *p != ':') return NULL;
        p = json(p + 1, depth + 1);
    } while (p && *p == ',');
    return p && *p == '}' ? p + 1 : NULL;
}

static const char *json_array(const char *p, int depth) {
    if (p[1] == ']') return p + 2;
    do
        p = json(p + 1, depth + 1);
    while (p && *p == ',');
    return p && *p == ']' ? p + 1 : NULL;
}

static const char *json(const char *p, int depth) {
    if (depth > 6) return NULL;
    if (*p == '{' && p[1] == '}') return p + 2;
    if (*p == '{') return json_object(p, depth);
    if (*p == '[') return json_array(p, depth);
    if (*p == '"') return json_string(p);
    if (strncmp(p, "true", 4) == 0) return p + 4;
    if (strncmp(p, "false", 5) == 0) return p + 5;
    if (*p == '-') p++;
    if (!isdigit((unsigned char)*p) || (*p == '0' && isdigit((unsigned char)p[1]))) return NULL;
    while (isdigit((unsigned char)*p))
        p++;
    if (*p == '.') {
        if (!isdigit((unsigned char)*++p)) return NULL;
        while (isdigit((unsigned char)*p))
            p++;
    }
    return p;
}

TEST(json_is_valid) {
    ck_assert_ptr_null(json("{\"a\":01}", 0)); /* the reader can say no */
    ck_assert_ptr_null(json("{\"a\":1,}", 0));
    ck_assert_ptr_null(json("{\"a\":[1,]}", 0));
    ck_assert_ptr_null(json("{\"\xff\":1}", 0));
    for (int i = 0; i < 3000; i++) {
        LmpReport r;
        FakeTables *f = i % 3 ? NULL : program(suite_below(2));
        randomly(&r, f);
        char *text = written(JSON, &r);
        const char *end = json(text, 0);
        ck_assert_msg(end && strcmp(end, "\n") == 0, "not JSON: %.2000s", text);
        free(text);
        report_close(&r);
        if (f) fake_tables_free(f);
    }
}

/* Of several states, and so between the first and the last of whatever is there. */
TEST(json_of_several_is_json) {
    LmpReport r;
    const LmpReportKind *k = &report_kinds[REPORT_JSON];
    fill();
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    OWN(free_at) char *one = written(k->write, &r), *all = NULL;
    ck_assert_int_ge(asprintf(&all, "%s%s%s%s%s", k->before, one, k->between, one, k->after), 0);
    for (char *c = all; (c = strchr(c, '\n'));) /* the reader knows no blanks; none is in a text */
        memmove(c, c + 1, strlen(c));
    const char *end = json(all, 0);
    ck_assert_msg(end && !*end, "%s", all);
}
