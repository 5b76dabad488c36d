/* edit.h - a line that a person types: into a filter, a condition. Its owner begins it with
 * ui_edit(); from then on app.c gives it the keys and the footer shows it, until enter or escape
 * ends it, or the focus goes elsewhere. */
#ifndef LMP_EDIT_H
#define LMP_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "screen/action.h"

#define EDIT_MAX 128 /* bytes, the NUL included */

struct Ui;

typedef struct LineEdit {
    char text[EDIT_MAX]; /* valid UTF-8, NUL-terminated */
    size_t used;
    const char *prompt; /* before it in the footer: "filter" */
    const char *help;   /* behind it: "enter keep  esc clear" */
    /* Called when it has ended, `entered` by enter; NULL: nothing is to be done. */
    void (*done)(struct LineEdit *edit, struct Ui *ui, bool entered);
    void *owner; /* for done() */
} LineEdit;

typedef enum EditKey {
    EDIT_OTHER, /* not for a line: arrows, pages; the panel gets it */
    EDIT_TAKEN, /* the text may have changed */
    EDIT_ENTERED,
    EDIT_ESCAPED,
} EditKey;

/* A key for the line: characters, backspace, ctrl-U (all away), ctrl-W (a word away). */
EditKey edit_key(LineEdit *edit, Key key);
void edit_clear(LineEdit *edit);
/* Sets the text, cut at a character when it is too long. */
void edit_set(LineEdit *edit, const char *text);

#endif
