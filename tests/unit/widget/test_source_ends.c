/* Tests of where functions end in a source, and where those begin. */
#include "widget/source.h"

#include "suite.h"

enum { LINES = 12 };

static const struct {
    const char *text;
    uint32_t line, begins; /* in this line one ends that begins there; in no other */
} row[] = {
    {"on('key', function(k)\n  return k\nend)", 3, 1},
    {"#! function\nlocal function f()\n  if x then return 1 end\n  for i = 1, 3 do g() end\n"
     "  while y do z() end\n  repeat local a until a\n  do b() end\nend",
     8, 2},
    {"s = [==[ function\n ]] end ]==] f = function()\n -- end\n --[[ end\n ]] --[=[ function ]=]\n"
     "end",
     6, 2},
    {"f = function()\n return 'end', \"end \\\" end\", 'a\\z  \n  end', 'b\\\n end'\nend", 5, 1},
    {"f = function() return 1 end\ng = h", 1, 0},
    {"local t = { a = x[y[2]], b = [[end]], c = function()\n\n end }", 3, 1},
    {"function a.b:c()\n local ending, functional, t1 = 0x1f, 1e5, do_\n goto ends\n ::ends::\nend",
     5, 1},
    {"f(function()\n if a then b()\n elseif c then d(function() e() end)\n else\n end\nend)", 6, 1},
    /* of several the one that ends first */
    {"f(function()\n g(function()\n  h() end) end)", 3, 2},
    /* a string that is not ended goes to the end of its line, a long one to the end of the text */
    {"f(function()\n x = 'abc\nend)", 3, 1},
    {"f(function()\n x = [[abc\nend)", 3, 0},
    {"f(function()\n x = [=abc\nend)", 3, 1},
    /* ends without a beginning are none of ours */
    {"end end until\nf(function()\nend) end", 3, 2},
    {"", 1, 0},
    {"--", 1, 0},
    {"--[[", 1, 0},
    {"'\\", 1, 0},
    {"[=", 1, 0},
};

TEST(ends) {
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint32_t begins[LINES];
        source_ends(row[i].text, strlen(row[i].text), begins, LINES);
        for (uint32_t k = 0; k < LINES; k++)
            ck_assert_msg(begins[k] == (k + 1 == row[i].line ? row[i].begins : 0),
                          "row %zu, line %u: %u", i, k + 1, begins[k]);
    }
}

/* Deeper than what is kept, and more lines than there is room for. */
TEST(limits) {
    enum { DEEP = 1000 };
    static char text[DEEP * 40];
    uint32_t begins[LINES];
    size_t n = 0;
    for (int i = 0; i < DEEP; i++)
        n += (size_t)sprintf(text + n, "f(function()%s", i % 100 == 0 ? "\n" : " ");
    for (int i = 0; i < DEEP; i++)
        n += (size_t)sprintf(text + n, "end)%s", i + 2 == DEEP ? "\n" : " ");
    source_ends(text, n, begins, LINES);
    ck_assert_uint_eq(begins[10], 4); /* of the first that are kept */
    ck_assert_uint_eq(begins[11], 1);
    source_ends(text, n, begins, 11);
    ck_assert_uint_eq(begins[10], 4);
}

/* Nothing is read behind the end, and nothing is done for ever. */
TEST(noise) {
    static const char *const piece[] = {"function", "end", "[[", "]]", "--", "[=[",   "]=]", "'",
                                        "\"",       "\\",  "\n", " ",  "do", "until", "z",   "#"};
    for (int i = 0; i < 20000; i++) {
        char text[200];
        size_t n = 0;
        uint32_t begins[LINES];
        for (int k = (int)(suite_random() % 16); k > 0; k--)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                                  piece[suite_random() % (sizeof piece / sizeof *piece)]);
        OWN(free_at)
        char *exact = malloc(n ? n : 1); /* so that a sanitizer sees what is read behind it */
        memcpy(exact, text, n);
        source_ends(exact, n, begins, LINES);
        for (uint32_t k = 0; k < LINES; k++)
            ck_assert_uint_le(begins[k], k);
    }
}
