/* discover.h - finds the profiled programs of this user: every shared state that some process
 * holds open (it is a memory file, so the processes are the only place where it can be found). */
#ifndef LMP_DISCOVER_H
#define LMP_DISCOVER_H

#include <stddef.h>

#include "read/view.h"

typedef struct LmpFound {
    uint32_t pid, serial; /* as in LmpHeader; the pid in our namespace */
    uint32_t forked_from; /* as in LmpHeader */
    LmpSeen seen;
    uint64_t live_bytes;
    uint64_t elapsed;  /* nanoseconds since its start, until now or until its end */
    char program[256]; /* as in LmpHeader, always terminated */
    /* where it is open; used by discover_open */
    uint32_t holder;
    bool by_program; /* the holder is the program itself */
    int holder_fd;
    uint64_t inode, device;
} LmpFound;

/* Lists the states that can be seen, by pid and serial, each once. *found is the caller's to
 * free(). Processes that vanish or belong to others are passed over. Errors: NOMEM, PERM (no
 * /proc). */
LmpErr discover_list(LmpFound **found, size_t *count);

/* Attaches to a state by the pid of its program; serial 0: its first that is still running, else
 * its first. The view is the caller's to close. Errors: NOPROC, PERM (the process is there but is
 * another user's), and those of view_open. */
LmpErr discover_open(uint32_t pid, uint32_t serial, LmpView *view);

#endif
