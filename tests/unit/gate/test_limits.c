/* Limits: how they are read, and what is said of those that cannot be. */
#include "gate/limits.h"
#include "suite.h"

static LmpLimit parsed(const char *text) {
    LmpLimit l;
    char problem[320];
    ck_assert_msg(limits_parse(text, &l, problem, sizeof problem), "\"%s\": %s", text, problem);
    return l;
}

TEST(test_read) {
    static const struct {
        const char *typed;
        LmpLimitScope scope;
        LmpLimitFigure figure;
        uint64_t most;
        const char *name;
        int line;
    } good[] = {
        {"peak 64MiB", LIMIT_PROGRAM, LIMIT_PEAK, 64u << 20, "", 0},
        {"  peak\t 0 ", LIMIT_PROGRAM, LIMIT_PEAK, 0, "", 0},
        {"peak 1.5 MiB", LIMIT_PROGRAM, LIMIT_PEAK, 3u << 19, "", 0},
        {"bytes 1e6", LIMIT_PROGRAM, LIMIT_BYTES, 1000000, "", 0},
        {"allocs 1e6", LIMIT_PROGRAM, LIMIT_ALLOCS, 1000000, "", 0},
        {"allocs 2.5e+3", LIMIT_PROGRAM, LIMIT_ALLOCS, 2500, "", 0},
        {"allocs 1.50k", LIMIT_PROGRAM, LIMIT_ALLOCS, 1500, "", 0},
        {"allocs 2M", LIMIT_PROGRAM, LIMIT_ALLOCS, 2000000, "", 0},
        {"allocs 18446744073709551615", LIMIT_PROGRAM, LIMIT_ALLOCS, UINT64_MAX, "", 0},
        {"held 1MiB", LIMIT_PROGRAM, LIMIT_HELD, 1u << 20, "", 0},
        {"leaks 0", LIMIT_PROGRAM, LIMIT_LEAKS, 0, "", 0},
        {"frame 100KiB", LIMIT_PROGRAM, LIMIT_FRAME, 100u << 10, "", 0},
        {"at app/cache.lua:12 live 2MiB", LIMIT_AT, LIMIT_LIVE, 2u << 20, "app/cache.lua", 12},
        {"at app/cache.lua live 2 MiB", LIMIT_AT, LIMIT_LIVE, 2u << 20, "app/cache.lua", 0},
        {"at a b.lua:7  blocks 3", LIMIT_AT, LIMIT_BLOCKS, 3, "a b.lua", 7},
        {"at C:x.lua peak 7", LIMIT_AT, LIMIT_PEAK, 7, "C:x.lua", 0},
        {"type strings held 10k", LIMIT_TYPE, LIMIT_HELD, 10000, "strings", 0},
        {"tag two words peak 1KiB", LIMIT_TAG, LIMIT_PEAK, 1024, "two words", 0},
        {"tag peak peak 1KiB", LIMIT_TAG, LIMIT_PEAK, 1024, "peak", 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        LmpLimit l = parsed(good[i].typed);
        ck_assert_int_eq(l.scope, good[i].scope);
        ck_assert_int_eq(l.figure, good[i].figure);
        ck_assert_msg(l.most == good[i].most, "%s: %llu", good[i].typed,
                      (unsigned long long)l.most);
        ck_assert_str_eq(l.name, good[i].name);
        ck_assert_int_eq(l.line, good[i].line);
    }
    LmpLimit peak = parsed("  peak 1 ");
    ck_assert_str_eq(peak.text, "peak 1");
    ck_assert_int_eq(parsed("type thread live 1").kind, LMP_THREAD);
}

TEST(test_misread) {
    static const struct {
        const char *typed, *problem;
    } bad[] = {
        {"", "there is no limit ''; there are: peak, live, blocks, bytes, allocs, held, leaks, "},
        {"peek 1", "there is no limit 'peek' (did you mean peak?); there are: peak, live, "},
        {"tga x live 1", "there is no limit 'tga' (did you mean tag?)"},
        {"peak", "peak '': a size was expected, such as 64MiB"},
        {"peak -1", "peak '-1': a size was expected, such as 64MiB"},
        {"peak 12 x", "peak '12 x': a size was expected, such as 64MiB"},
        {"peak 99999999999999999999", "peak '99999999999999999999': a size was expected"},
        {"allocs 1.5", "allocs '1.5': a whole number was expected, such as 1e6"},
        {"allocs 64MiB", "allocs '64MiB': a whole number was expected, such as 1e6"},
        {"allocs 1e20", "allocs '1e20': a whole number was expected, such as 1e6"},
        {"allocs 1e999999999999", "allocs '1e999999999999': a whole number was expected"},
        {"at", "'at FILE:LINE FIGURE MOST' was expected, such as 'at app/cache.lua:12 live 2MiB'"},
        {"at a.lua:1", "'at FILE:LINE FIGURE MOST' was expected"},
        {"at live 1", "'at FILE:LINE FIGURE MOST' was expected"},
        {"at a.lua:0 live 1", "lines count from 1: at FILE:LINE was expected"},
        {"at a.lua:99999999999 live 1", "lines count from 1"},
        {"at a.lua:1 leaks 0", "there is no limit 'leaks'; there are: peak, live, blocks, bytes, "},
        {"at a.lua:1 liv 0", "there is no limit 'liv' (did you mean live?)"},
        {"type tabel live 1", "there is no type 'tabel' (did you mean table?); there are: string"},
        {"type live 1", "'type TYPE FIGURE MOST' was expected, such as 'type string live 2MiB'"},
        {"tag live 1", "'tag NAME FIGURE MOST' was expected, such as 'tag parser live 2MiB'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char problem[320];
        LmpLimit l = {.most = 4711};
        ck_assert_msg(!limits_parse(bad[i].typed, &l, problem, sizeof problem), "%s", bad[i].typed);
        ck_assert_msg(strncmp(problem, bad[i].problem, strlen(bad[i].problem)) == 0, "%s: %s",
                      bad[i].typed, problem);
        ck_assert_ptr_null(strchr(problem, '\n'));
        ck_assert_uint_eq(l.most, 4711);
    }
}

/* Any text is read or refused with one line. */
TEST(test_anything) {
    static const char *const words[] = {"at",  "type", "tag", "peak", "live", "a.lua:1", ":",
                                        "1e6", "1",    "KiB", "1e",   ".",    "\x1b[0m", "\xff",
                                        " ",   "\t",   "\n",  "held", ":0",   "table",   "e9"};
    for (int round = 0; round < 20000; round++) {
        char text[2 * LIMIT_TEXT] = "", problem[320] = "";
        for (uint64_t n = suite_below(round % 100 ? 8 : 60); n > 0; n--) {
            strcat(text, words[suite_below(sizeof words / sizeof *words)]);
            if (suite_below(3)) strcat(text, " ");
        }
        LmpLimit l;
        if (limits_parse(text, &l, problem, sizeof problem)) {
            ck_assert(l.scope < LIMIT_SCOPES && l.figure < LIMIT_FIGURE_COUNT);
            LmpLimit again = parsed(l.text);
            ck_assert(again.most == l.most && again.figure == l.figure && again.scope == l.scope);
            ck_assert_str_eq(again.name, l.name);
        } else {
            ck_assert(*problem && strlen(problem) < sizeof problem - 1);
        }
    }
}
