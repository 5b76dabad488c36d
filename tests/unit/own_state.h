/* own_state.h - for tests that view their own process. */
#ifndef LMP_OWN_STATE_H
#define LMP_OWN_STATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/view.h"
#include "shared/layout.h"
#include "suite.h"

/* The shared state that this process holds, a descriptor of the caller's own; -1: there is none. */
static inline int find_state(void) {
    char path[64], link[128];
    for (int fd = 3; fd < 4096; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t size = readlink(path, link, sizeof link - 1);
        if (size <= 0) continue;
        link[size] = 0;
        if (strstr(link, LMP_MEMFD_NAME)) return dup(fd);
    }
    return -1;
}

/* A view of that state. */
static inline LmpView *own_view(void) {
    LmpView *view = calloc(1, sizeof *view);
    ck_assert_int_eq(view_open(view, find_state()), LMP_OK);
    return view;
}

static inline void own_view_close(LmpView *view) {
    view_close(view);
    free(view);
}

#endif
