/* viewer_terminal.c - the terminal while others use it: the shell after ctrl-Z, the editor. */
#include <termios.h>

#include "viewer/ttysignals.h"
#include "viewer/viewer_impl.h"

void viewer_note_taken(Viewer *v, bool taken) {
    if (v->o->taken) atomic_store(&v->o->taken->taken, taken);
}

void viewer_leave_terminal(Viewer *v) {
    term_leave(v->term);
    viewer_note_taken(v, false);
}

void viewer_return_to_terminal(Viewer *v) {
    struct termios now;
    if (tcgetattr(v->o->tty, &now) == 0) tcsetattr(v->o->tty, TCSANOW, &now);
    if (v->o->taken && !atomic_load(&v->o->taken->taken)) v->o->taken->before = now;
    viewer_note_taken(v, true);
    term_return(v->term);
}

void viewer_suspend(Viewer *v, bool group) {
    viewer_leave_terminal(v);
    if (group && v->o->suspend) {
        v->o->suspend(v->o->context);
    } else {
        ttysignals_stop(group);
    }
    ttysignals_forget_stops();
    viewer_return_to_terminal(v);
    v->urgent = true;
}

bool viewer_lost_terminal(const Viewer *v) {
    return v->own_group && !tty_is_ours(v->o->tty);
}
