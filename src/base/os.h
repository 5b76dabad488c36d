/* os.h - the one table of system calls that lmp's own state needs, so that tests can make any of
 * them fail and can stop the clock. Everything else in src/ that talks to the system goes through
 * `lmp_os`; nothing in it is called on the hot path. */
#ifndef LMP_OS_H
#define LMP_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct LmpOs {
    /* Bytes of a page, a power of two: what can be mapped begins at multiples of it. */
    uint64_t (*page)(void);
    /* A new sealed-against-shrinking memory file of `size` bytes; -1 on failure. */
    int (*memfd)(const char *name, uint64_t size);
    /* Grows the file to `size` bytes; false on failure (never raises SIGXFSZ). */
    bool (*grow)(int fd, uint64_t size);
    /* Returns true if the system counts every page that may be touched beforehand (strict
     * overcommit). */
    bool (*strict)(void);
    /* Makes the pages of `size` bytes at `at`, which lie in the file; false: there are none. */
    bool (*reserve)(int fd, uint64_t at, uint64_t size);
    /* Gives back the memory of `size` bytes at `at`, which are 0 from then on; may do nothing. */
    void (*punch)(int fd, uint64_t at, uint64_t size);
    /* Maps `size` bytes of `fd` at `offset` (fd -1: private memory of zeroes); NULL on failure. */
    void *(*map)(size_t size, int fd, uint64_t offset, bool writable);
    /* errno of the last mapping that was refused; 0: none was. */
    int (*map_refused)(void);
    void (*unmap)(void *p, size_t size);
    /* All of it will be written soon: makes the pages in one go, large ones where the system has
     * them, for a quarter of what a fault for each costs. A hint, which may do nothing. */
    void (*populate)(void *p, size_t size);
    /* Private memory is all zeroes in every child that is forked. A hint, too. */
    void (*empty_in_child)(void *p, size_t size);
    uint64_t (*clock)(void);  /* CLOCK_MONOTONIC, nanoseconds */
    uint64_t (*worked)(void); /* processor time of this thread, nanoseconds */
    /* Sleeps while *word == value, at most `ns` nanoseconds; may wake for no reason. */
    void (*futex_wait)(const void *word, uint32_t value, uint64_t ns);
    void (*futex_wake)(const void *word);
    /* Copies n bytes of our own memory, if all of them can be read. */
    bool (*peek)(void *to, const void *from, size_t n);
    /* Copies bytes of another process's memory; returns how many from the first on could be read: 0
     * if the system does not allow it. */
    size_t (*peek_process)(uint32_t pid, uint64_t from, void *to, size_t n);
    /* Reads a file of /proc from byte `at` on, as much of it as there is; -1: it cannot be read. */
    int64_t (*read_file)(const char *path, uint64_t at, void *to, size_t n);
    /* Writes all of it to the file at byte `at`, or tells by errno why not (never raises SIGXFSZ).
     */
    bool (*write_at)(int fd, uint64_t at, const void *from, size_t n);
    /* Small files for the next start (keptfile.h). */
    int64_t (*read_kept)(const char *path, void *to, size_t size);
    bool (*write_kept)(const char *path, const void *from, size_t size);
    /* Returns true if a process with this pid is there. */
    bool (*alive)(uint32_t pid);
    /* Returns true if another process holds a lock on this byte of the file. */
    bool (*locked)(int fd, uint64_t at);
    /* Holds a shared one until every copy of the descriptor is closed. */
    bool (*lock)(int fd, uint64_t at);
} LmpOs;

/* Returns a size rounded up to whole pages. */
uint64_t os_whole_pages(uint64_t bytes);
/* Returns why a mapping was refused that has just been asked for: INVAL or NOMEM. */
LmpErr os_map_error(void);

extern const LmpOs os_real;
extern const LmpOs *lmp_os; /* &os_real, unless a test put its own there */

#endif
