/* own.h - variables whose values are released where their scope ends. */
#ifndef LMP_TEST_OWN_H
#define LMP_TEST_OWN_H

#include <stdlib.h>
#include <unistd.h>

/* The value is released by a function that gets the variable's address:
 *     OWN(report_close) LmpReport r;
 *     OWN(free_at) char *text = ...;
 * What takes the value and not its address has a companion for that: RELEASE_AT(graph_free). */
#define OWN(release) __attribute__((cleanup(release), unused))
#define RELEASE_AT(release)                                                                        \
    static inline void release##_at(void *variable) {                                              \
        release(*(void **)variable);                                                               \
    }

RELEASE_AT(free)
static inline void close_at(const int *fd) {
    close(*fd);
}

#endif
