/* closed_line.c - asks the kernel: the flags in the stat file of each thread in /proc say whether
 * that has begun to exit, /proc/PID/maps whether the state is mapped. No timeout is needed where
 * /proc is there. */
#include "relay/closed_line.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/os.h"

#define EXITING 0x4u       /* PF_EXITING in the flags of /proc/PID/stat */
#define DEATH_WAIT_MS 1000 /* without /proc: how long a dying process may take */

/* Reads a thread's "ID (name) state parent group session terminal foreground flags ...". A thread
 * that is gone has exited. */
static bool exits(const char *stat_path) {
    char text[512];
    unsigned flags = EXITING;
    int64_t n = lmp_os->read_file(stat_path, 0, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    if (name_end) sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %u", &flags);
    return (flags & EXITING) != 0;
}

/* Returns a thread that is not exiting (the first one may have ended before the others); 0:
 * none. */
static pid_t living_thread(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    pid_t found = 0;
    if (!tasks) return 0;
    for (const struct dirent *e; !found && (e = readdir(tasks)) != NULL;) {
        char stat_path[64];
        pid_t thread = (pid_t)strtol(e->d_name, NULL, 10); /* 0: the directory itself */
        snprintf(stat_path, sizeof stat_path, "/proc/%d/task/%d/stat", (int)pid, (int)thread);
        if (thread > 0 && !exits(stat_path)) found = thread;
    }
    closedir(tasks);
    return found;
}

static bool has_mapped(pid_t thread, int state) {
    char path[48], line[512];
    struct stat st;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)thread);
    FILE *maps = fstat(state, &st) == 0 ? fopen(path, "re") : NULL;
    if (!maps) return false;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long inode;
        unsigned high, low;
        found = sscanf(line, "%*s %*s %*s %x:%x %lu", &high, &low, &inode) == 3 &&
                inode == (unsigned long)st.st_ino && makedev(high, low) == st.st_dev;
    }
    fclose(maps);
    return found;
}

/* `ms`: how long to wait for the process to end. */
static bool is_dead(pid_t pid, int process, int ms) {
    struct pollfd p = {.fd = process, .events = POLLIN};
    if (process >= 0) return poll(&p, 1, ms) > 0;
    return !lmp_os->alive((uint32_t)pid);
}

ClosedLine closed_line_why(pid_t pid, int process, int state) {
    struct stat st;
    bool known = stat("/proc/self/stat", &st) == 0;
    pid_t thread = living_thread(pid);
    if (known && thread == 0) return LINE_OF_DEAD;
    bool mapped = has_mapped(thread, state);
    /* checked last: while the process lives the number is its own, and what was read is about it */
    if (is_dead(pid, process, known ? 0 : DEATH_WAIT_MS)) return LINE_OF_DEAD;
    return mapped ? LINE_OF_PROFILED : LINE_OF_EXEC;
}
