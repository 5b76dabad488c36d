/* discover.c - see discover.h. Reads /proc/PID/fd; maps nothing that is only listed. */
#include "discover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os.h"

#define LINK_START "/memfd:" LMP_MEMFD_NAME

typedef struct Found {
    LmpFound *at;
    size_t count, room;
    LmpErr err;
} Found;

/* A decimal number that is the whole name of a directory entry; -1: it is not one. */
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

/* Reads the little that a list shows; false: not a state that we know. */
static bool look(int fd, LmpFound *out) {
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
    bool alive = lmp_os->alive(header.pid);
    *out = (LmpFound){.pid = header.pid,
                      .serial = header.serial,
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

/* The program itself is a better holder than its keeper or a viewer: seen first, it stays. */
static void add(Found *found, const LmpFound *one) {
    for (size_t i = 0; i < found->count; i++) {
        LmpFound *old = &found->at[i];
        if (old->inode != one->inode || old->device != one->device) continue;
        if (one->holder == one->pid) *old = *one;
        return;
    }
    if (found->count == found->room) {
        size_t room = found->room ? found->room * 2 : 16;
        LmpFound *at = realloc(found->at, room * sizeof *at);
        if (!at) {
            found->err = LMP_E_NOMEM;
            return;
        }
        found->at = at;
        found->room = room;
    }
    found->at[found->count++] = *one;
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
        if (look(state, &one)) {
            one.holder = pid;
            one.holder_fd = (int)fd;
            add(found, &one);
        }
        close(state);
    }
    closedir(dir);
}

static int by_pid(const void *a, const void *b) {
    const LmpFound *x = a, *y = b;
    if (x->pid != y->pid) return x->pid < y->pid ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

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
            close(fd); /* the number was used again meanwhile */
            fd = -1;
        }
        err = fd < 0 ? LMP_E_NOPROC : view_open(view, fd);
    }
    free(list);
    return err;
}
