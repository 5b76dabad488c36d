/* editor.h - runs the person's editor in the terminal, in place of the display. */
#ifndef LMP_EDITOR_H
#define LMP_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

typedef enum EditorEnd {
    EDITOR_DONE,
    EDITOR_FAILED, /* `problem` says what was wrong */
    EDITOR_TOLD,   /* the notify descriptor said that the display ends: the editor got a hangup */
} EditorEnd;

/* Opens `path` at `line` in $VISUAL, $EDITOR or vi (possibly with arguments, such as `code -w`) on
 * the terminal `tty`, and waits for it to end. The caller has left the terminal before. Meanwhile
 * the editor is the terminal's foreground job, so that an interrupt typed in it does not reach the
 * program. `notify`: as ViewerOptions.notify, -1: none. At most size - 1 bytes of `problem`. */
EditorEnd editor_run(int tty, int notify, const char *path, int line, char *problem, size_t size);

#endif
