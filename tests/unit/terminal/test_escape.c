/* test_escape.c - escape sequences: the usual keys are keys, all others nothing, and what follows
 * one is a key of its own again. */
#include "suite.h"

#include "terminal/escape.h"

/* Feeds all of the text at once; returns the key of the sequence, *rest: where it ended. */
static Key feed(const char *text, const char **rest) {
    Escape escape = {0};
    Key key = K_NONE;
    ck_assert_int_eq(*text, 27);
    escape_begin(&escape, 1000);
    for (text++; *text; text++) {
        EscapeFed fed = escape_feed(&escape, (unsigned char)*text, 1000, &key);
        ck_assert_int_ne(fed, ESCAPE_OUTSIDE);
        ck_assert_int_ne(fed, ESCAPE_KEY);
        if (fed == ESCAPE_DONE) break;
    }
    *rest = *text ? text + 1 : text;
    return key;
}

TEST(test_keys) {
    static const struct {
        const char *text;
        Key key;
    } row[] = {
        {"\033[A", K_UP},
        {"\033OB", K_DOWN},
        {"\033[1~", K_HOME},
        {"\033[H", K_HOME},
        {"\033OH", K_HOME},
        {"\033[4~", K_END},
        {"\033[F", K_END},
        {"\033OF", K_END},
        {"\033[5~", K_PAGE_UP},
        {"\033[6~", K_PAGE_DOWN},
        {"\033[3~", K_DELETE},
        {"\033[Z", K_BACK_TAB},
        {"\033OP", K_F1},
        {"\033[11~", K_F1},
        {"\033[[A", K_F1},
        {"\033OM", K_ENTER},
        /* nothing of ours */
        {"\033[1;5C", K_NONE},
        {"\033[1;2H", K_NONE},
        {"\033O5C", K_NONE},
        {"\033[24~", K_NONE},
        {"\033[[E", K_NONE},
        {"\033[P", K_NONE},
        {"\033[200~", K_NONE},
        {"\033[?1;2c", K_NONE},
        {"\033[<0;12;7M", K_NONE},
        {"\033[M !!", K_NONE},
        {"\033[I", K_NONE},

        {"\033]11;rgb:1/2/3\033\\", K_NONE},
        {"\033]0;q\007", K_NONE},
        {"\033P1+r\033q\033\\", K_NONE},
        {"\033[111111111111111111111111111111111111~", K_NONE},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[80];
        const char *rest;
        snprintf(text, sizeof text, "%sq", row[i].text); /* a key after it */
        ck_assert_msg(feed(text, &rest) == row[i].key, "%s", row[i].text + 1);
        ck_assert_msg(strcmp(rest, "q") == 0, "%s leaves \"%s\"", row[i].text + 1, rest);
    }
}

TEST(test_torn) {
    Escape escape = {0};
    Key key;
    ck_assert_int_eq(escape_feed(&escape, 'q', 0, &key), ESCAPE_OUTSIDE);
    escape_begin(&escape, 0);
    ck_assert(escape_open(&escape));
    ck_assert_int_eq(escape_feed(&escape, '[', 100000000, &key), ESCAPE_MORE); /* slow, and yet */
    ck_assert_int_eq(escape_feed(&escape, '4', 200000000, &key), ESCAPE_MORE);
    ck_assert_int_eq(escape_feed(&escape, '~', 300000000, &key), ESCAPE_DONE);
    ck_assert_int_eq(key, K_END);
    ck_assert(!escape_open(&escape));
    static const uint32_t keys[] = {'q', ' ', 27, 0xe9, '5'}; /* two keys in one read */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        escape_begin(&escape, 0);
        ck_assert_int_eq(escape_feed(&escape, keys[i], 1, &key), ESCAPE_KEY);
        ck_assert(!escape_open(&escape));
    }
    escape_begin(&escape, 0); /* torn behind the ESC, which was taken for the key */
    ck_assert(escape_alone(&escape));
    ck_assert(!escape_alone(&escape));
    ck_assert(!escape_open(&escape));
    ck_assert_int_eq(escape_feed(&escape, '[', 100000000, &key), ESCAPE_MORE);
    ck_assert_int_eq(escape_feed(&escape, '4', 100000000, &key), ESCAPE_MORE);
    ck_assert_int_eq(escape_feed(&escape, '~', 100000000, &key), ESCAPE_DONE);
    escape_begin(&escape, 0);
    ck_assert(escape_alone(&escape));
    ck_assert(!escape_alone(&escape));
    ck_assert_int_eq(escape_feed(&escape, 'q', 1, &key), ESCAPE_OUTSIDE);
    escape_begin(&escape, 0); /* no letter of a sequence */
    ck_assert_int_eq(escape_feed(&escape, '[', 1, &key), ESCAPE_MORE);
    ck_assert_int_eq(escape_feed(&escape, 0xe9, 1, &key), ESCAPE_OUTSIDE);
}

/* Whatever comes: it ends, and nothing is written beyond. */
TEST(test_anything) {
    for (int round = 0; round < 200000; round++) {
        Escape escape;
        Key key;
        escape_begin(&escape, 0);
        for (int i = 0; i < 40 && escape_open(&escape); i++) {
            escape_feed(&escape, (uint32_t)suite_below(i % 3 ? 128 : 300), 0, &key);
            ck_assert_int_lt(escape.used, ESCAPE_BYTES);
        }
    }
}
