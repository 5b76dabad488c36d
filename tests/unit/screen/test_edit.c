/* Tests of the line editor, screen/edit.h. */
#include "screen/canvas.h"
#include "screen/edit.h"
#include "suite.h"

static LineEdit edit;

/* The line with a bar where the cursor is. */
static const char *line(void) {
    static char text[EDIT_MAX + 1];
    snprintf(text, sizeof text, "%.*s|%s", (int)edit.at, edit.text, edit.text + edit.at);
    return text;
}

static void keys(const Key *key) {
    for (; *key; key++)
        ck_assert_int_eq(edit_key(&edit, *key), EDIT_TAKEN);
}
#define KEYS(...) keys((const Key[]){__VA_ARGS__, 0})

TEST(the_cursor_moves_by_characters) {
    edit_set(&edit, "a\u00e4\u20ac\u65e5");
    KEYS(K_LEFT, K_LEFT);
    ck_assert_str_eq(line(), "a\u00e4|\u20ac\u65e5");
    KEYS(K_LEFT, K_LEFT, K_LEFT, K_LEFT, K_RIGHT);
    ck_assert_str_eq(line(), "a|\u00e4\u20ac\u65e5");
    KEYS(K_END, K_RIGHT);
    ck_assert_str_eq(line(), "a\u00e4\u20ac\u65e5|");
    KEYS(K_HOME, 'x');
    ck_assert_str_eq(line(), "x|a\u00e4\u20ac\u65e5");
    KEYS(K_CTRL('E'), 'y', K_CTRL('A'), 'z');
    ck_assert_str_eq(line(), "z|xa\u00e4\u20ac\u65e5y");
}

TEST(what_goes_is_at_the_cursor) {
    edit_set(&edit, "one two\u00e4 three");
    KEYS(K_LEFT, K_LEFT, K_LEFT, K_LEFT, K_LEFT, K_LEFT, K_BACKSPACE);
    ck_assert_str_eq(line(), "one two| three");
    KEYS(K_DELETE, K_DELETE);
    ck_assert_str_eq(line(), "one two|hree");
    KEYS(K_CTRL('W'));
    ck_assert_str_eq(line(), "one |hree");
    KEYS(K_CTRL('U'), K_BACKSPACE, K_CTRL('W'));
    ck_assert_str_eq(line(), "|hree");
    KEYS(K_END, K_DELETE);
    ck_assert_str_eq(line(), "hree|");
}

TEST(tabs_are_for_who_wants_them) {
    edit_clear(&edit);
    ck_assert_int_eq(edit_key(&edit, K_TAB), EDIT_OTHER);
    edit.tabs = true;
    ck_assert_int_eq(edit_key(&edit, K_TAB), EDIT_TAKEN);
    ck_assert_str_eq(line(), "\t|");
    ck_assert_int_eq(edit_key(&edit, K_UP), EDIT_OTHER);
    ck_assert_int_eq(edit_key(&edit, K_CTRL('G')), EDIT_OTHER);
    edit.tabs = false;
}

/* Whatever is typed: valid UTF-8, with a NUL, and the cursor at a character. */
TEST(any_keys) {
    static const Key some[] = {'a',    ' ',         0xe4,   0x20ac, 0x1f600,     K_LEFT,
                               K_LEFT, K_RIGHT,     K_HOME, K_END,  K_BACKSPACE, K_DELETE,
                               'b',    K_CTRL('W'), 0x65e5, K_UP,   K_TAB,       0x65e5};
    edit_clear(&edit);
    for (int i = 0; i < 100000; i++) {
        Key key = some[suite_below(sizeof some / sizeof *some)];
        for (uint64_t n = suite_below(300) == 0 ? 600 : 1; n > 0; n--)
            edit_key(&edit, key);
        ck_assert_uint_eq(strlen(edit.text), edit.used);
        ck_assert_uint_lt(edit.used, sizeof edit.text);
        ck_assert_uint_le(edit.at, edit.used);
        ck_assert_int_ne((unsigned char)edit.text[edit.at] & 0xc0, 0x80);
        const char *text = edit.text;
        for (uint32_t glyph; (glyph = canvas_decode(&text)) != 0;)
            ck_assert_uint_ne(glyph, 0xfffd);
    }
}
