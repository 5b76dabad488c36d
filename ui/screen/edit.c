/* edit.c - one switch over the keys; the cursor moves by whole UTF-8 characters. */
#include "screen/edit.h"

#include <string.h>

#include "screen/canvas.h"

void edit_clear(LineEdit *edit) {
    edit->used = edit->at = 0;
    edit->text[0] = 0;
}

static bool is_inside(const LineEdit *edit, size_t i) { /* of a character of several bytes */
    return ((unsigned char)edit->text[i] & 0xc0) == 0x80;
}

/* Return where the character before the cursor begins, and where the one under it ends. */
static size_t before(const LineEdit *edit) {
    size_t i = edit->at;
    while (i > 0 && is_inside(edit, --i))
        ;
    return i;
}

static size_t after(const LineEdit *edit) {
    size_t i = edit->at + (edit->at < edit->used);
    while (i < edit->used && is_inside(edit, i))
        i++;
    return i;
}

/* Removes [from, to) and puts the cursor there. */
static void cut(LineEdit *edit, size_t from, size_t to) {
    memmove(edit->text + from, edit->text + to, edit->used - to + 1);
    edit->used -= to - from;
    edit->at = from;
}

static void cut_word(LineEdit *edit) {
    size_t from = edit->at;
    while (from > 0 && edit->text[from - 1] == ' ')
        from--;
    while (from > 0 && edit->text[from - 1] != ' ')
        from--;
    cut(edit, from, edit->at);
}

static void insert(LineEdit *edit, Key key) {
    char bytes[5];
    size_t n = (size_t)canvas_encode(bytes, key);
    if (edit->used + n >= sizeof edit->text) return;
    memmove(edit->text + edit->at + n, edit->text + edit->at, edit->used - edit->at + 1);
    memcpy(edit->text + edit->at, bytes, n);
    edit->used += n;
    edit->at += n;
}

void edit_set(LineEdit *edit, const char *text) {
    edit_clear(edit);
    for (uint32_t glyph; (glyph = canvas_decode(&text)) != 0;)
        insert(edit, glyph);
}

EditKey edit_key(LineEdit *edit, Key key) {
    switch (key) {
    case K_ENTER:
    case '\n':
        return EDIT_ENTERED;
    case K_ESC:
        return EDIT_ESCAPED;
    case K_LEFT:
        edit->at = before(edit);
        return EDIT_TAKEN;
    case K_RIGHT:
        edit->at = after(edit);
        return EDIT_TAKEN;
    case K_HOME:
    case K_CTRL('A'):
        edit->at = 0;
        return EDIT_TAKEN;
    case K_END:
    case K_CTRL('E'):
        edit->at = edit->used;
        return EDIT_TAKEN;
    case K_CTRL('U'):
        cut(edit, 0, edit->at);
        return EDIT_TAKEN;
    case K_CTRL('W'):
        cut_word(edit);
        return EDIT_TAKEN;
    case K_BACKSPACE:
    case K_CTRL('H'):
        cut(edit, before(edit), edit->at);
        return EDIT_TAKEN;
    case K_DELETE:
        cut(edit, edit->at, after(edit));
        return EDIT_TAKEN;
    default:
        if (key > 0x10ffff || (key < ' ' && !(key == K_TAB && edit->tabs))) return EDIT_OTHER;
        insert(edit, key);
        return EDIT_TAKEN;
    }
}
