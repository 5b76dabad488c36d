/* Break conditions: how they are read and worded, and which file they mean. */
#include "breaks_parsed.h"

TEST(test_read) {
    static const struct {
        const char *typed, *text, *words;
    } good[] = {
        {"size 64KiB", "size 64KiB", "block larger than 64 KiB"},
        {"  size\t 65536  ", "size 64KiB", "block larger than 64 KiB"},
        {"size 1000", "size 1000B", "block larger than 1000 B"},
        {"size 1000000", "size 1000000B", "block larger than 976.6 KiB (1,000,000 B)"},
        {"size 0", "size 0B", "block larger than 0 B"},
        {"heap 1.5 MiB", "heap 1.5MiB", "heap above 1.5 MiB"},
        {"heap 2000MiB", "heap 2000MiB", "heap above 2000 MiB"},
        {"heap 1.3MiB", "heap 1363148B", "heap above 1.3 MiB (1,363,148 B)"},
        {"heap 10m", "heap 10MiB", "heap above 10 MiB"},
        {"at file.lua:12", "at file.lua:12", "allocation at file.lua:12"},
        {"at ./src/a b.lua:7", "at src/a b.lua:7", "allocation at src/a b.lua:7"},
        {"at ./ a.lua:7", "at ./ a.lua:7", "allocation at  a.lua:7"}, /* the blank is its own */
        {"at C:x.lua:7", "at C:x.lua:7", "allocation at C:x.lua:7"},
        {"type table", "type table", "memory of type table"},
        {"type strings", "type string", "memory of type string"},
        {"type r", "type thread", "memory of type thread"},
        {"type userdata", "type userdata", "memory of type userdata"},
        {"peak", "peak", "new peak of the heap"},
        {"gc ", "gc", "end of a collector cycle"},
        {" snapshot  heap 1MiB", "snapshot heap 1MiB", "heap above 1 MiB: a snapshot"},
        {"snapshot gc", "snapshot gc", "end of a collector cycle: a snapshot"},
        {"pause peak", "peak", "new peak of the heap"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[BREAKS_TEXT], words[BREAKS_TEXT];
        LmpBreak b = parsed(good[i].typed), again;
        ck_assert_str_eq(breaks_text(text, sizeof text, &b), good[i].text);
        ck_assert_str_eq(breaks_words(words, sizeof words, &b), good[i].words);
        again = parsed(text);
        ck_assert_msg(breaks_same(&b, &again), "\"%s\" is not itself", text);
        breaks_check(&again);
        ck_assert_uint_eq(again.kind, b.kind);
    }
}

TEST(test_misread) {
    static const struct {
        const char *typed, *problem;
    } bad[] = {
        {"snapshot", "no condition is called 'snapshot': size, heap, at, type, peak or gc"},
        {"snapshot ", "no condition is called '': size, heap, at, type, peak or gc"},
        {"snapshots gc", "no condition is called 'snapshots': size, heap, at, type, peak or gc"},
        {"", "no condition is called '': size, heap, at, type, peak or gc"},
        {"sizes 10", "no condition is called 'sizes': size, heap, at, type, peak or gc"},
        {"size", "size: a number of bytes was expected, as in: size 64KiB"},
        {"size -1", "size: a number of bytes was expected, as in: size 64KiB"},
        {"size 64 chickens", "size: a number of bytes was expected, as in: size 64KiB"},
        {"size 99999999999999999999", "size: a number of bytes was expected, as in: size 64KiB"},
        {"heap all", "heap: a number of bytes was expected, as in: heap 10MiB"},
        {"at file.lua", "at: FILE:LINE was expected, as in: at main.lua:12"},
        {"at :12", "at: FILE:LINE was expected, as in: at main.lua:12"},
        {"at f.lua:", "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"at f.lua:0", "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"at f.lua:1x", "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"at f.lua:99999999999",
         "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"type number", "type: string, function, userdata, thread, table or other was expected, as "
                        "in: type string"},
        {"type", "type: string, function, userdata, thread, table or other was expected, as in: "
                 "type string"},
        {"peak 7", "peak: nothing was expected behind it, as in: peak"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char problem[200] = "";
        LmpBreak b = {.kind = 77};
        ck_assert_msg(!breaks_parse(bad[i].typed, &b, problem, sizeof problem), "\"%s\" was read",
                      bad[i].typed);
        ck_assert_str_eq(problem, bad[i].problem);
        ck_assert_uint_eq(b.kind, 77);
        char little[8];
        breaks_parse(bad[i].typed, &b, little, sizeof little);
        ck_assert_uint_lt(strlen(little), sizeof little);
    }
    char path[400], problem[200];
    LmpBreak b;
    memset(path, 'x', sizeof path);
    memcpy(path, "at ", 3);
    snprintf(path + 150, 20, ".lua:12");
    ck_assert(!breaks_parse(path, &b, problem, sizeof problem));
    ck_assert_msg(strstr(problem, "last parts"), "%s", problem);
    path[157] = 'x';
    snprintf(path + 390, 10, ".lua:12");
    ck_assert(!breaks_parse(path, &b, problem, sizeof problem));
}

TEST(test_lines) {
    LmpBreak row[LMP_BREAKS];
    ck_assert_uint_eq(breaks_parse_lines("", row), 0);
    ck_assert_uint_eq(breaks_parse_lines("\n  \n", row), 0);
    ck_assert_uint_eq(breaks_parse_lines("peak\n\nat a.lua:3\nsize 1KiB", row), 3);
    ck_assert_uint_eq(row[0].kind, LMP_BREAK_PEAK);
    ck_assert_int_eq(row[1].line, 3);
    ck_assert_uint_eq(row[2].bytes, 1024);
    ck_assert_uint_eq(breaks_parse_lines("peak\nnonsense\ngc\n", row), 1);
    char many[2000] = "";
    for (int i = 0; i < 40; i++)
        strcat(many, "type table\n");
    ck_assert_uint_eq(breaks_parse_lines(many, row), LMP_BREAKS);
    memset(many, 'x', sizeof many - 1);
    ck_assert_uint_eq(breaks_parse_lines(many, row), 0);
}

TEST(test_hit_words) {
    static const struct {
        const char *typed;
        uint64_t value;
        const char *words;
    } rows[] = {
        {"size 64KiB", 131072, "block larger than 64 KiB: 131,072 B"},
        {"heap 10MiB", 10485761, "heap above 10 MiB: 10,485,761 B"},
        {"at a.lua:3", 0, "allocation at a.lua:3"},
        {"type table", 0, "memory of type table"},
        {"peak", 5000, "new peak of the heap: 5,000 B"},
        {"gc", 14, "end of a collector cycle: cycle 14"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[BREAKS_WORDS];
        LmpBreak b = parsed(rows[i].typed);
        ck_assert_str_eq(breaks_hit_words(words, sizeof words, &b, rows[i].value), rows[i].words);
    }
}

TEST(test_files) {
    static const struct {
        const char *file, *source, *short_src;
        bool is;
    } rows[] = {
        {"a.lua", "@a.lua", "a.lua", true},
        {"a.lua", "@dir/a.lua", "dir/a.lua", true},
        {"a.lua", "@/long/way/dir/a.lua", "...dir/a.lua", true},
        {"dir/a.lua", "@/long/way/dir/a.lua", "...r/a.lua", true},
        {"/long/way/dir/a.lua", "@/long/way/dir/a.lua", "...r/a.lua", true},
        {"...r/a.lua", "@/long/way/dir/a.lua", "...r/a.lua", true},
        {"a.lua", "@dir/aa.lua", "dir/aa.lua", false},
        {"r/a.lua", "@dir/a.lua", "dir/a.lua", false},
        {"dir/a.lua", "@a.lua", "a.lua", false},
        {"a.lua", "@a.luac", "a.luac", false},
        {"a.lua", "return 'a.lua'", "[string \"return 'a.lua'\"]", false},
        {"stdin", "=stdin", "stdin", true},
        {"[string \"x = {}\"]", "x = {}", "[string \"x = {}\"]", true},
        {"", "@a.lua", "a.lua", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(breaks_file_is(rows[i].file, rows[i].source, rows[i].short_src) == rows[i].is,
                      "%s, %s", rows[i].file, rows[i].source);
}

TEST(test_foreign_rows) { /* from a process that may write anything */
    for (int i = 0; i < 20000; i++) {
        LmpBreak b;
        unsigned char *bytes = (unsigned char *)&b;
        char text[BREAKS_WORDS];
        for (size_t k = 0; k < sizeof b; k++)
            bytes[k] = (unsigned char)suite_random();
        if (suite_below(2)) b.kind = (uint32_t)suite_below(LMP_BREAK_KINDS + 1);
        if (suite_below(2)) b.type = (uint32_t)suite_below(LMP_KINDS + 1);
        breaks_check(&b);
        ck_assert_uint_lt(b.kind, LMP_BREAK_KINDS);
        breaks_text(text, BREAKS_TEXT, &b);
        breaks_words(text, BREAKS_TEXT, &b);
        breaks_hit_words(text, sizeof text, &b, suite_random());
        ck_assert_uint_lt(strlen(text), sizeof text);
    }
}
