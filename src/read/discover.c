/* discover.c - goes through /proc/PID/fd of all processes for links to a state's memory file, and
 * reads a few fields of each with pread; a state that is only listed is not mapped. */
#include "read/discover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/order.h"
#include "base/os.h"
#include "base/procfile.h"

#define LINK_START "/memfd:" LMP_MEMFD_NAME

typedef struct Found {
    LmpFound *at;
    uint32_t count, room;
    LmpErr err;
} Found;

/* Returns the decimal number that is the whole name of a directory entry; -1: it is no number. */
static long entry_number(const struct dirent *entry) {
    if (!isdigit((unsigned char)entry->d_name[0])) return -1;
    char *end;
    long n = strtol(entry->d_name, &end, 10);
    return *end || n > INT32_MAX ? -1 : n;
}

static int open_holder_fd(uint32_t pid, int fd) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/fd/%d", pid, fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static bool read_at(int fd, void *out, size_t size, uint64_t at) {
    return pread(fd, out, size, (off_t)at) == (ssize_t)size;
}

/* Returns the number that a process has in its own pid namespace, 0: not known. */
static uint32_t own_number(uint32_t pid) {
    char path[64], numbers[512]; /* one for each namespace, ours first */
    snprintf(path, sizeof path, "/proc/%u/status", pid);
    procfile_line(path, "NSpid:", numbers, sizeof numbers);
    const char *last = strrchr(numbers, '\t');
    return (uint32_t)strtoul(last ? last + 1 : numbers, NULL, 10);
}

/* Returns true if the process is the one that the state is about. The state has its pid inside the
 * container, which may be another process's pid here. */
static bool is_program(uint32_t holder, const LmpHeader *h) {
    if (!h->pid_space) return holder == h->pid;
    return view_pid_space(holder) == h->pid_space && own_number(holder) == h->pid;
}

static bool same_owner(uint32_t a, uint32_t b) {
    char path[64];
    struct stat first, second;
    snprintf(path, sizeof path, "/proc/%u", a);
    if (stat(path, &first) != 0) return false;
    snprintf(path, sizeof path, "/proc/%u", b);
    return stat(path, &second) != 0 || first.st_uid == second.st_uid;
}

/* Returns the program's pid here according to another holder (its relay, a viewer, `lmp run`): not
 * for another namespace, where it is unknown, nor for another user's process. 0: none. */
static uint32_t pid_by_other(uint32_t holder, const LmpHeader *h) {
    if (h->pid_space && h->pid_space != view_pid_space(0)) return 0;
    return same_owner(holder, h->pid) ? h->pid : 0;
}

/* Reads the few fields that a list shows. Returns false if it is not a state that we know. */
static bool look(int fd, uint32_t holder, LmpFound *out) {
    LmpHeader header;
    LmpCounters counters;
    uint32_t state;
    uint64_t clock;
    struct stat st;
    if (fstat(fd, &st) != 0 || !read_at(fd, &header, sizeof header, 0) ||
        header.magic != LMP_MAGIC || header.layout != LMP_LAYOUT ||
        header.live_size != sizeof(LmpLive) ||
        !read_at(fd, &state, sizeof state, LMP_LIVE_AT + offsetof(LmpLive, state)) ||
        !read_at(fd, &clock, sizeof clock, LMP_LIVE_AT + offsetof(LmpLive, clock)) ||
        !read_at(fd, &counters, sizeof counters, LMP_LIVE_AT + offsetof(LmpLive, counters)))
        return false;
    uint64_t now = lmp_os->clock();
    bool by_program = is_program(holder, &header);
    uint32_t pid = by_program ? holder : pid_by_other(holder, &header);
    bool alive = by_program || (pid && lmp_os->alive(pid));
    *out = (LmpFound){.pid = pid,
                      .holder = holder,
                      .by_program = by_program,
                      .serial = header.serial,
                      .forked_from = header.forked_from,
                      .live_bytes = counters.live_bytes,
                      .elapsed = clock,
                      .inode = st.st_ino,
                      .device = st.st_dev};
    out->seen = state == LMP_FINISHED ? LMP_SEEN_FINISHED
                : !alive              ? LMP_SEEN_KILLED
                : state == LMP_PAUSED ? LMP_SEEN_PAUSED
                                      : LMP_SEEN_RUNNING;
    if (alive && state != LMP_FINISHED && now > header.start_clock)
        out->elapsed = now - header.start_clock;
    memcpy(out->program, header.program, sizeof out->program - 1);
    return true;
}

/* The program itself is a better holder than its relay or a viewer: once seen, it stays. */
static void add(Found *found, const LmpFound *one) {
    for (size_t i = 0; i < found->count; i++) {
        LmpFound *old = &found->at[i];
        if (old->inode != one->inode || old->device != one->device) continue;
        if (one->by_program) *old = *one;
        return;
    }
    if (array_room(&found->at, &found->room, found->count + 1))
        found->at[found->count++] = *one;
    else
        found->err = LMP_E_NOMEM;
}

static void look_at_process(Found *found, uint32_t pid) {
    char path[64], link[64];
    snprintf(path, sizeof path, "/proc/%u/fd", pid);
    DIR *dir = opendir(path);
    if (!dir) return; /* another user's, or gone */
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        long fd = entry_number(entry);
        if (fd < 0) continue;
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);
        if (n < 0) continue;
        link[n] = 0;
        if (strncmp(link, LINK_START, sizeof LINK_START - 1) != 0) continue;
        int state = open_holder_fd(pid, (int)fd);
        LmpFound one;
        if (state < 0) continue;
        if (look(state, pid, &one) && one.pid) {
            one.holder_fd = (int)fd;
            add(found, &one);
        }
        close(state);
    }
    closedir(dir);
}

ORDER_SMALLEST(by_pid, LmpFound, pid, serial)

LmpErr discover_list(LmpFound **out, size_t *count) {
    Found found = {0};
    DIR *proc = opendir("/proc");
    *out = NULL;
    *count = 0;
    if (!proc) return LMP_E_PERM;
    struct dirent *entry;
    while ((entry = readdir(proc))) {
        long pid = entry_number(entry);
        if (pid > 0) look_at_process(&found, (uint32_t)pid);
    }
    closedir(proc);
    if (found.err) {
        free(found.at);
        return found.err;
    }
    if (found.count > 0) qsort(found.at, found.count, sizeof *found.at, by_pid);
    *out = found.at;
    *count = found.count;
    return LMP_OK;
}

static bool is_other_users(uint32_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/fd", pid);
    DIR *dir = opendir(path);
    if (dir) closedir(dir);
    return !dir && errno == EACCES;
}

static bool still_going(const LmpFound *one) {
    return one->seen == LMP_SEEN_RUNNING || one->seen == LMP_SEEN_PAUSED;
}

LmpErr discover_open(uint32_t pid, uint32_t serial, LmpView *view) {
    LmpFound *list;
    size_t count;
    const LmpFound *chosen = NULL;
    LmpErr err = discover_list(&list, &count);
    if (err) return err;
    for (size_t i = 0; i < count; i++) {
        if (list[i].pid != pid || (serial && list[i].serial != serial)) continue;
        if (!chosen || (!still_going(chosen) && still_going(&list[i]))) chosen = &list[i];
    }
    if (!chosen) {
        err = is_other_users(pid) ? LMP_E_PERM : LMP_E_NOPROC;
    } else {
        int fd = open_holder_fd(chosen->holder, chosen->holder_fd);
        struct stat st;
        if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_ino != chosen->inode)) {
            close(fd); /* the number was reused meanwhile */
            fd = -1;
        }
        err = fd < 0 ? LMP_E_NOPROC : view_open(view, fd);
        if (!err) view->pid = chosen->pid;
    }
    free(list);
    return err;
}
