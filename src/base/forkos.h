/* forkos.h - the table of system calls that a snapshot of the heap needs besides those of os.h: a
 * child, a private mapping of a file, what the system says of memory and limits, the file that is
 * written. Tests make any of them fail. None is called on the hot path.
 *
 * Everything here may be called in the child, too: no lock, no allocator, no stdio. All preserve
 * errno, except where it says so. */
#ifndef LMP_FORKOS_H
#define LMP_FORKOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What has become of a child. */
typedef struct ForkEnd {
    bool gone;  /* it has ended, and nothing is left of it */
    int signal; /* that killed it, 0: none */
    int status; /* else its exit status */
} ForkEnd;

typedef struct ForkOs {
    /* A child with a copy of this process: `f` runs in it on the stack that ends at `stack_end`,
     * and must not return. No fork handlers run, and it is not announced by a signal. Its pid, or
     * minus what errno would be. */
    int (*fork)(int (*f)(void *of), void *stack_end, void *of);
    /* Tells whether this child has ended. `wait`: does not return before it has. */
    ForkEnd (*reap)(int pid, bool wait);
    void (*kill)(int pid);
    /* A private mapping of `size` bytes of the file from `offset` on; NULL: refused. */
    void *(*own_copy)(size_t size, int fd, uint64_t offset);
    /* The process's own copies of these pages of a private mapping are gone: they are the file's
     * again. A hint, which may do nothing. */
    void (*drop)(void *at, size_t size);
    /* Which pages from `at` on, of a private mapping, are the process's own copies by now: one bit
     * each; `pages` is a multiple of 64. False: the system does not tell. */
    bool (*own_pages)(const void *at, size_t pages, uint64_t *own);
    /* is[i] & 1: page i of a mapping is in memory, its own one or the file's. */
    bool (*in_memory)(const void *at, size_t pages, unsigned char *is);
    /* The first page from `at` on that the file has memory for, and where that ends; false: there
     * is none. */
    bool (*data)(int fd, uint64_t at, uint64_t *from, uint64_t *to);
    /* The beginning of a small file, ended; bytes, or -1. */
    int (*text)(const char *path, char *out, size_t size);
    bool (*set_text)(const char *path, const char *text);
    /* A file without a name in this directory, for writing, by its owner alone; -1: the file system
     * has none, or another error. */
    int (*nameless)(const char *directory);
    /* As write(2), errno included; never raises SIGXFSZ. */
    ssize_t (*write)(int fd, const void *bytes, size_t n);
} ForkOs;

extern const ForkOs forkos_real;
extern const ForkOs *fork_os; /* &forkos_real, unless a test put its own there */

#endif
