/* session.h - a profile with what only its start and its end know of it: the display, the summary,
 * `lmp run`. For profiler.c and ending.c. */
#ifndef LMP_SESSION_H
#define LMP_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/hook/break_check.h"
#include "agent/session/display.h"
#include "agent/state/profile.h"

typedef struct LmpSession {
    LmpProfile profile;   /* first: the address of both is the same */
    LmpBreakCheck breaks; /* profile.breaks */
    LmpDisplay display;
    char summary[4096]; /* where the summary goes (ending.c): "" nowhere, "-" standard error */
    int run_socket;     /* to `lmp run`, which writes it unless it was killed; -1: none */
    ino_t run_inode;    /* of that socket */
    bool adoptable;     /* begun by `lmp run`: the script's own first start() is answered by it */
    struct LmpSession *next; /* list of profiler.c */
} LmpSession;

static inline LmpSession *session_of(LmpProfile *p) {
    return (LmpSession *)(void *)p;
}

#endif
