/* edit.c - see edit.h. */
#include "screen/edit.h"

#include <string.h>

#include "screen/canvas.h"

void edit_clear(LineEdit *edit) {
    edit->used = 0;
    edit->text[0] = 0;
}

/* One character less. */
static void step_back(LineEdit *edit) {
    while (edit->used > 0 && ((unsigned char)edit->text[edit->used - 1] & 0xc0) == 0x80)
        edit->used--;
    edit->used -= edit->used > 0;
    edit->text[edit->used] = 0;
}

static void append(LineEdit *edit, Key key) {
    char bytes[5];
    size_t n = (size_t)canvas_encode(bytes, key);
    if (edit->used + n >= sizeof edit->text) return;
    memcpy(edit->text + edit->used, bytes, n + 1);
    edit->used += n;
}

void edit_set(LineEdit *edit, const char *text) {
    edit_clear(edit);
    for (uint32_t glyph; (glyph = canvas_decode(&text)) != 0;)
        append(edit, glyph);
}

EditKey edit_key(LineEdit *edit, Key key) {
    switch (key) {
    case K_ENTER:
    case '\n':
        return EDIT_ENTERED;
    case K_ESC:
        return EDIT_ESCAPED;
    case K_CTRL('U'):
        edit_clear(edit);
        return EDIT_TAKEN;
    case K_CTRL('W'):
        while (edit->used > 0 && edit->text[edit->used - 1] == ' ')
            step_back(edit);
        while (edit->used > 0 && edit->text[edit->used - 1] != ' ')
            step_back(edit);
        return EDIT_TAKEN;
    case K_BACKSPACE:
    case K_CTRL('H'):
        step_back(edit);
        return EDIT_TAKEN;
    default:
        if (key < ' ' || key > 0x10ffff) return EDIT_OTHER;
        append(edit, key);
        return EDIT_TAKEN;
    }
}
