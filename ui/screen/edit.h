/* edit.h - a line that a person types: a filter, a condition, input for the program. A panel starts
 * the line with ui_edit(); then app_keys.c gives it the keys and the footer shows it, until enter
 * or escape ends it, or the focus moves. The line to the program is app_keys.c's own. */
#ifndef LMP_EDIT_H
#define LMP_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "screen/action.h"

#define EDIT_MAX 511 /* bytes, the NUL included */

struct Ui;

typedef struct LineEdit {
    char text[EDIT_MAX]; /* valid UTF-8, NUL-terminated */
    size_t used, at;     /* bytes; at: those before the cursor */
    bool tabs;           /* a tab is a character of the line */
    const char *prompt;  /* before it in the footer: "filter" */
    const char *help;    /* behind it: "enter keep  esc clear" */
    /* Called when typing has ended, `entered`: by enter; NULL: nothing to do. */
    void (*done)(struct LineEdit *edit, struct Ui *ui, bool entered);
    void *owner; /* for done() */
} LineEdit;

typedef enum EditKey {
    EDIT_OTHER, /* not for a line (up, down, pages): the panel gets it */
    EDIT_TAKEN, /* the text may have changed */
    EDIT_ENTERED,
    EDIT_ESCAPED,
} EditKey;

/* Handles a key for the line: characters; left, right, Home, End (also ctrl-A, ctrl-E); backspace,
 * Del; ctrl-U (deletes all before the cursor), ctrl-W (the word before it). */
EditKey edit_key(LineEdit *edit, Key key);
void edit_clear(LineEdit *edit);
/* Sets the text, cut at a character if it is too long; the cursor goes to its end. */
void edit_set(LineEdit *edit, const char *text);

#endif
